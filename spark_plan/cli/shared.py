"""What commands share: the options of a plan, the options of every command, and printing."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spark_plan.cli.output import write
from spark_plan.errors import UsageError
from spark_plan.options import Options, whole
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_plan.result import Report


class Output(NamedTuple):
    """The options of every command."""

    profiles: str | None
    format: str | None
    json: bool
    quiet: bool

    @property
    def chosen(self) -> str | None:
        """The format asked for, None when not said."""
        return "json" if self.json else self.format


Text = str | None
Flag = bool | None
# field -> (type, names, metavar, help). Numbers stay text: our own messages say what was wrong.
_Row = tuple[Any, tuple[str, ...], str | None, str]
PLAN: dict[str, _Row] = {
    "precision": (Text, ("--precision", "-p"), "NAME", "auto, fp4, fp8, bf16, q4_k_m, ..."),
    "hardware": (Text, ("--on", "-o"), "SYSTEM", "dgx-spark; compare: A,B,C; ID@SIZE."),
    "devices": (Text, ("--devices", "-n"), "N", "Linked systems or cards."),
    "split": (Text, ("--split",), "HOW", "Divide the model by tensor or pipeline."),
    "link": (Text, ("--link",), "LINK", "Link between devices (see `links list`)."),
    "engine": (Text, ("--engine", "-e"), "ENGINE", "llama.cpp, vllm, sglang, mlx, ..."),
    "context_tokens": (Text, ("--context", "-c"), "TOKENS", "Context a sequence reserves (8k)."),
    "batch": (Text, ("--batch", "-b"), "N", "Sequences at once."),
    "prompt_tokens": (Text, ("--prompt",), "TOKENS", "Prompt that is timed (1k)."),
    "output_tokens": (Text, ("--output",), "TOKENS", "Output that is timed (256)."),
    "depth_tokens": (Text, ("--depth",), "TOKENS", "Tokens cached before the prompt."),
    "kv_precision": (Text, ("--kv-precision",), "NAME", "KV cache: f16, q8_0, fp8, ..."),
    "spec_decode": (Text, ("--spec-decode",), "HOW", "Speculative decoding: none."),
    "offload": (Text, ("--offload",), "HOW", "Offload to host memory: none."),
    "headless": (Flag, ("--headless/--desktop",), None, "Whether a desktop session runs."),
    "visible_bytes": (Text, ("--visible",), "SIZE", "Memory the system reports: 120GiB."),
    "memory_fraction": (Text, ("--memory-fraction",), "X", "Share an engine reserves, 0 to 1."),
    "min_tps": (Text, ("--min-tps",), "RATE", "Target: tokens/s for each request."),
    "max_ttft_s": (Text, ("--max-ttft",), "SECONDS", "Target: time to the first token."),
    "beyond_max": (bool, ("--beyond-max",), None, "Allow more than the model's maximum."),
    "strict": (bool, ("--strict",), None, "Count tight as does not fit."),
    "why": (bool, ("--why",), None, "Show every formula and source."),
}
EVERY: dict[str, _Row] = {
    "profiles": (Text, ("--profiles",), "DIR", "Folder of profiles to look in first."),
    "format": (Text, ("--format",), "FORMAT", "table, json, jsonl, csv or markdown."),
    "json": (bool, ("--json",), None, "The same as --format json."),
    "quiet": (bool, ("--quiet", "-q"), None, "Leave out notes."),
}


def _parameters(table: dict[str, _Row]) -> list[inspect.Parameter]:
    found = []
    for name, (kind, names, metavar, text) in table.items():
        option = typer.Option(*names, help=text, show_default=False, metavar=metavar)
        found.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if kind is bool else None,
                annotation=Annotated[kind, option],
            )
        )
    return found


def with_output(
    function: Callable[..., Report], *, plan: bool = False, printed: bool = False
) -> Callable[..., int]:
    """A command: its own parameters, those of a plan if asked, and those of every command.

    `function` gets its own parameters, then `options` (plan commands) and `output`, and returns a
    Report, which is printed here unless it was (`printed`); the command's value is the exit code.
    """
    signature = inspect.signature(function, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name not in {"options", "output"}]
    shared = (_parameters(PLAN) if plan else []) + _parameters(EVERY)

    def run(**given: Any) -> int:
        output = Output(**{name: given.pop(name) for name in EVERY})
        if plan:
            said = {name: given.pop(name) for name in PLAN}
            for count in ("devices", "batch"):
                if said[count] is not None:
                    said[count] = whole(said[count], count)
            given["options"] = Options(given.get("model", ""), **said)
        report = function(**given, output=output)
        if not printed:
            emit(report, output, why=plan and given["options"].why)
        return report.exit_code

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + shared
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=int
    )
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__doc__ = function.__doc__
    run.__name__ = function.__name__
    return run


def emit(
    report: Report,
    output: Output,
    *,
    why: bool = False,
    columns: Sequence[str] | None = None,
    default: str = "table",
) -> None:
    """Print a report in the format asked for."""
    from spark_plan.render import FORMATS, render

    form = output.chosen or default
    if form not in FORMATS:
        raise UsageError(f"--format {form[:20]}: use {', '.join(FORMATS)}")
    if output.quiet and form in {"table", "markdown"}:
        report = report._replace(notes=())
    try:
        text = render(report, format=form, why=why, columns=columns)
    except ValueError as error:
        if columns is None:
            raise
        raise UsageError(f"--columns: {error}") from None
    write(text)


def catalog(output: Output) -> Any:
    """The catalogue, the user's folders first."""
    from spark_plan.catalog import Catalog

    return Catalog(output.profiles)
