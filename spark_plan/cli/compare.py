"""`spark-plan compare`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from spark_plan.cli.app import single
from spark_plan.cli.shared import Output, catalog, emit, with_output
from spark_plan.options import Options  # noqa: TC001 - typer reads annotations at run time
from spark_plan.result import Report  # noqa: TC001 - the same

EPILOG = """\b
Examples:
  spark-plan compare llama-70b --precision fp4
  spark-plan compare gpt-oss-120b --on dgx-spark,rtx-5090,m3-ultra --format markdown
  spark-plan compare llama-70b -p fp4 --sort price

\b
Exit codes: 0 any plan fits, 4 some fit but miss a target, 3 none fits, 5 no answer, 2 usage.
"""


def compare(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Id, repository or alias: llama-70b.")
    ],
    sort: Annotated[
        str,
        typer.Option("--sort", metavar="COLUMN", help="decode, prefill, price, power or memory."),
    ] = "decode",
    columns: Annotated[
        str | None,
        typer.Option("--columns", metavar="A,B", help="Columns to show.", show_default=False),
    ] = None,
    *,
    options: Options,
    output: Output,
) -> Report:
    """The same question across systems, side by side, best first."""
    from spark_plan import questions

    systems = [name.strip() for name in (options.hardware or "").split(",") if name.strip()]
    asked = options._replace(model=model, hardware=None)
    report = questions.compare(catalog(output), asked, systems or None, sort)
    chosen = [name.strip() for name in columns.split(",")] if columns else None
    emit(report, output, why=options.why, columns=chosen)
    return report


def build(name: str) -> Any:
    """The command for the parser."""
    return single(with_output(compare, plan=True, printed=True), name, EPILOG)
