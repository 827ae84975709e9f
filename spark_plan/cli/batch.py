"""`spark-plan batch`."""

from __future__ import annotations

import gc
import sys
from typing import Annotated, Any

import typer

from spark_plan.cli.app import single
from spark_plan.cli.shared import Output, catalog, emit, with_output
from spark_plan.errors import InputFileError
from spark_plan.result import Report  # noqa: TC001 - typer reads annotations at run time

EPILOG = """\b
Examples:
  spark-plan batch plans.csv --format csv > answers.csv
  printf 'model,precision\\nllama-70b,fp4\\n' | spark-plan batch -

\b
Columns: model precision hardware devices engine context_tokens batch prompt_tokens output_tokens
depth_tokens kv_precision split link spec_decode offload headless min_tps max_ttft_s; `id` and any
column that starts with _ pass through. Exit codes: 0, or 2 when any row was bad.
"""


def batch(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="CSV or JSON lines file, - for standard input.")
    ],
    output: Output,
) -> Report:
    """Many fit questions from a CSV or JSON lines file, answered in order."""
    from spark_plan import batch_rows

    gc.enable()  # a long file lives long enough to make garbage
    name = "standard input" if file == "-" else file
    rows, kind = batch_rows.parse(_text(file), name)
    report = batch_rows.answer(catalog(output), rows)
    emit(report, output, default=kind)
    return report


def _text(file: str) -> str:
    from pathlib import Path

    from spark_plan.batch_rows import MAX_BYTES
    from spark_plan.catalog.dialect import decode_text, read_text

    if file == "-":
        if sys.stdin is None:
            raise InputFileError("standard input is closed")
        return decode_text(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input", limit=MAX_BYTES)
    return read_text(Path(file), limit=MAX_BYTES)


def build(name: str) -> Any:
    """The command for the parser."""
    return single(with_output(batch, printed=True), name, EPILOG)
