"""`spark-plan hardware|models|engines|formats|links list|show|check|where`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from spark_plan.cli.app import COMMANDS
from spark_plan.cli.shared import Output, catalog, with_output
from spark_plan.result import Report  # noqa: TC001 - typer reads annotations at run time

WORDS = typer.Argument(
    metavar="WORDS", help="Only entries that contain these words.", show_default=False
)
NAME = typer.Argument(metavar="ID", help="Id or alias.")
PATH = typer.Argument(
    metavar="PATH",
    help="A profile, or a folder of them; all that ship without.",
    show_default=False,
)


def build(kind: str) -> Any:
    """The group of one kind."""
    from spark_plan import catalogue_entries as entries

    def listing(words: Annotated[str | None, WORDS] = None, *, output: Output) -> Report:
        """What the catalogue has."""
        return entries.listing(catalog(output), kind, words)

    def show(name: Annotated[str, NAME], *, output: Output) -> Report:
        """One entry with its numbers."""
        return entries.show(catalog(output), kind, name)

    def check(path: Annotated[str | None, PATH] = None, *, output: Output) -> Report:
        """What is wrong with profiles; exit code 2 when anything is."""
        return entries.check(catalog(output), kind, path)

    def where(name: Annotated[str, NAME], *, output: Output) -> Report:
        """The file an entry comes from."""
        return entries.where(catalog(output), kind, name)

    app = typer.Typer(
        help=COMMANDS[kind][1], no_args_is_help=True, add_completion=False, rich_markup_mode=None,
        pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
    for name, function in (("list", listing), ("show", show), ("check", check), ("where", where)):
        app.command(name)(with_output(function))
    return typer.main.get_command(app)
