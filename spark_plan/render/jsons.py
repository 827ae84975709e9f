"""JSON and JSON lines: base units, full precision, one line break at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spark_plan.result import envelope, plain

if TYPE_CHECKING:
    from spark_plan.result import Report


def dumps(value: Any) -> str:
    """One compact JSON text; NaN and infinity are no numbers of ours and raise.

    >>> dumps({"name": "größer", "value": 1.5})
    '{"name":"größer","value":1.5}'
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def render_json(report: Report) -> str:
    """The contract's envelope; a `schema` report is the bare schema it carries."""
    if report.command == "schema" and report.error is None and len(report.results) == 1:
        return dumps(plain(report.results[0])) + "\n"
    return dumps(envelope(report)) + "\n"


def render_jsonl(report: Report) -> str:
    """One result a line without an envelope; an error is one line ``{"error": ...}``."""
    if report.error is not None:
        return dumps({"error": plain(report.error)}) + "\n"
    return "".join(dumps(plain(item)) + "\n" for item in report.results)
