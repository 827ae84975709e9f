"""The tree of commands. Each command's module is imported when it is run, not to list it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from spark_plan.cli.output import write

# name -> (module, one line of help). The line stands here so that `--help` imports no command; a
# test compares it with the command's own help.
COMMANDS = {
    "fit": ("fit", "Does a model fit a system, how fast will it run, and what limits it."),
    "compare": ("compare", "The same question across systems, side by side, best first."),
    "batch": ("batch", "Many fit questions from a CSV or JSON lines file, answered in order."),
    "hardware": ("catalogue", "The systems of the catalogue: list, show, check, where."),
    "models": ("catalogue", "The models of the catalogue: list, show, check, where."),
    "engines": ("catalogue", "The inference engines: list, show, check, where."),
    "formats": ("catalogue", "The precisions: list, show, check, where."),
    "links": ("catalogue", "The links between machines: list, show, check, where."),
}
HELP = """Capacity planner for the NVIDIA DGX Spark and the machines a buyer weighs against it.

Does this model fit, how fast will it run, and would another machine do better?

\b
  spark-plan fit llama-70b --precision fp4
  spark-plan compare gpt-oss-120b --on dgx-spark,rtx-5090,m3-ultra
  spark-plan fit gpt-oss-120b --context 128k --batch 4 --why
"""


class LazyGroup(TyperGroup):
    """Commands by name, loaded when one is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the parser's signature
        """The names, in the order a person asks."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the same
        """One command, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"spark_plan.cli.{COMMANDS[cmd_name][0]}")
        return module.build(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the same
        """The list of commands, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _version(*, asked: bool) -> None:
    if not asked:
        return
    from spark_plan import __version__
    from spark_plan.catalog import Catalog

    write(f"spark-plan {__version__} (data {Catalog(env={}).data_version})\n")
    raise typer.Exit


def _root(
    version: bool = typer.Option(
        False,
        "--version",
        help="Show the version of program and data.",
        callback=lambda value: _version(asked=value),
        is_eager=True,
    ),
) -> None:
    """Nothing of its own: every question is a command."""


def command() -> Any:
    """The root command."""
    app = typer.Typer(
        cls=LazyGroup, help=HELP, no_args_is_help=True, rich_markup_mode=None,
        pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
    app.callback()(_root)
    return typer.main.get_command(app)


def single(function: Any, name: str, epilog: str) -> Any:
    """One command from a function, by the rules all commands share."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
    app.command(name, epilog=epilog, no_args_is_help=True)(function)
    return typer.main.get_command(app)
