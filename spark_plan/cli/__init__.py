"""The command line: the one layer that prints, and the one place where errors become text."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from spark_plan import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_plan.errors import SparkPlanError

PROGRAM = "spark-plan"


def program() -> int:
    """The process: `main` without garbage collection, which costs an eighth of a short run.

    Imports make objects and no garbage, so collecting while they run finds nothing; what lives at
    the end is freed with the process. `batch`, which can be long, turns collection on again.
    """
    gc.disable()
    code = main()
    gc.freeze()  # the interpreter collects twice on its way out: nothing is left for it to visit
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; never a traceback for what a user can cause."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            return _run(arguments)
        except errors.SparkPlanError as error:
            return _fail(error, arguments)
        except RecursionError:
            return _fail(errors.InputFileError("the input is nested too deeply"), arguments)
    except BrokenPipeError:
        _silence_stdout()  # `| head` closed the pipe: that is no failure
        return errors.EXIT_OK
    except SystemExit as stop:
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        _silence_stdout()  # the same, met by the parser of the command line
        return errors.EXIT_OK
    except KeyboardInterrupt:
        return errors.EXIT_INTERRUPTED
    except errors.OutputError as error:  # not even the error could be written
        _complain(f"{PROGRAM}: {error.message}\n")
        return error.exit_code


def _silence_stdout() -> None:
    import os

    # What is still buffered would fail again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    """A message on standard error, if there is one: the exit code says the rest."""
    from contextlib import suppress

    with suppress(OSError, AttributeError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _run(arguments: list[str]) -> int:
    import typer

    from spark_plan.cli.app import command

    # typer's own click, or click itself, by version: its errors are reached through typer.
    usage_error: Any = typer.BadParameter.__bases__[0]
    try:
        found = command().main(arguments, prog_name=PROGRAM, standalone_mode=False)
    except usage_error as error:
        if type(error).__name__ == "NoArgsIsHelpError" and not wants_json(arguments):
            _complain(f"{error.format_message()}\n")
            return errors.EXIT_USAGE
        raise _as_ours(error) from None
    except typer.Exit as stop:
        return int(stop.exit_code)
    except typer.Abort:
        return errors.EXIT_INTERRUPTED
    return int(found or errors.EXIT_OK)


def _as_ours(error: Any) -> SparkPlanError:
    """The command line parser's error as one of ours."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else PROGRAM
    return errors.UsageError(
        str(error.format_message()).replace("\n", " ").rstrip("."),
        hint=f"`{path} --help` shows the options",
        suggestions=tuple(getattr(error, "possibilities", None) or ()),
    )


def wants_json(arguments: Sequence[str]) -> str | None:
    """``json`` or ``jsonl`` where it was asked for anywhere, else None: then errors are JSON too.

    >>> wants_json(["fit", "x", "--format", "json"]), wants_json(["fit", "jsonl", "--json"])
    ('json', 'json')
    >>> wants_json(["fit", "x", "--format=jsonl"]), wants_json(["fit", "json"])
    ('jsonl', None)
    """
    for index, argument in enumerate(arguments):
        if argument == "--":
            return None
        name, _, value = argument.partition("=")
        if argument == "--format":
            value = next(iter(arguments[index + 1 : index + 2]), "")
        if argument == "--json":
            return "json"
        if name == "--format" and value in {"json", "jsonl"}:
            return value
    return None


def _fail(error: SparkPlanError, arguments: list[str]) -> int:
    from spark_plan.questions import error_result
    from spark_plan.render import error_text

    found, form = error_result(error), wants_json(arguments)
    if form is None or isinstance(error, errors.OutputError):
        _complain(error_text(found))
        return error.exit_code
    from spark_plan.cli.output import write
    from spark_plan.render import render
    from spark_plan.result import Entry, Report

    named = next((word for word in arguments if not word.startswith("-")), "")
    report = Report(
        command=named, request=Entry(), results=(), exit_code=error.exit_code,
        data_version=_data_version(), error=found,
    )  # fmt: skip
    write(render(report, format=form))
    return error.exit_code


def _data_version() -> str:
    from spark_plan.catalog import Catalog

    try:
        return Catalog(env={}).data_version
    except errors.SparkPlanError:
        return ""
