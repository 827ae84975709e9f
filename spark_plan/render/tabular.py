"""CSV: one line a result, raw base units at full precision, nested keys joined by underscores."""

from __future__ import annotations

from typing import Any

from spark_plan import result
from spark_plan.render import words
from spark_plan.render.jsons import dumps

# What has no place in one cell of a spreadsheet: JSON has it.
_NOT_IN_CSV = frozenset({"details", "why", "remedies"})
# Records that may be absent: their columns are there all the same, empty.
_ABSENT = {
    "memory": tuple(field for field in result.MemoryResult._fields if field != "pools"),
    "limits": result.LimitsResult._fields,
    "nearest": result.NearestResult._fields,
}


def flatten(item: Any) -> dict[str, Any]:
    """A result as one row: nested keys joined by underscores, lists in one cell.

    >>> flatten({"id": "x", "load": {"batch": 2}, "notes": ["a", "b"]})
    {'id': 'x', 'load_batch': 2, 'notes': 'a;b'}
    """
    is_plan = words.is_plan(item)
    row: dict[str, Any] = {}
    value = result.plain(item)
    for key, inner in (value if isinstance(value, dict) else {"value": value}).items():
        if key == "error" and isinstance(inner, dict):
            row[key] = inner.get("message")
        elif not (is_plan and key in _NOT_IN_CSV):
            _put(row, key, key, inner, is_plan=is_plan)
    return row


def _put(row: dict[str, Any], name: str, key: str, value: Any, *, is_plan: bool) -> None:
    if value is None and is_plan and key in _ABSENT:
        value = dict.fromkeys(_ABSENT[key])
    if isinstance(value, dict) and value:
        for inner, item in value.items():
            _put(row, f"{name}_{inner}", inner, item, is_plan=is_plan)
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        row[name] = ";".join(value)
    elif isinstance(value, (list, dict)):
        row[name] = dumps(value)
    else:
        row[name] = value


def render_csv(report: result.Report) -> str:
    """One header line and one line a result; base units, full precision, empty for null."""
    import csv
    import io

    rows = [flatten(item) for item in report.results]
    # The row with the most columns knows their order best.
    names = list(dict.fromkeys(key for row in sorted(rows, key=len, reverse=True) for key in row))
    if not names:
        return ""
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in names])
    return page.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
