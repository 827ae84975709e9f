"""`spark-plan fit`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from spark_plan.cli.app import single
from spark_plan.cli.shared import Output, catalog, with_output
from spark_plan.options import Options  # noqa: TC001 - typer reads annotations at run time
from spark_plan.result import Report  # noqa: TC001 - the same

EPILOG = """\b
Examples:
  spark-plan fit llama-70b --precision fp4
  spark-plan fit gpt-oss-120b --context 128k --batch 4 --why
  spark-plan fit qwen3-235b-a22b -p fp4 -n 2 || echo "needs more Sparks"

\b
Exit codes: 0 fits or tight, 2 usage, 3 does not fit, 4 misses a target, 5 no answer.
"""


def fit(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Id, repository or alias: llama-70b.")
    ],
    options: Options,
    output: Output,
) -> Report:
    """Does a model fit a system, how fast will it run, and what limits it."""
    from spark_plan import questions

    return questions.fit(catalog(output), options._replace(model=model))


def build(name: str) -> Any:
    """The command for the parser."""
    return single(with_output(fit, plan=True), name, EPILOG)
