"""Report -> text: a table for people, JSON, JSON lines, CSV or markdown.

Nothing here computes an answer, and nothing else knows of terminals and units for people.
Each format is imported once it is asked for: JSON must not pay for tables, nor a page for rich.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_plan.render.layout import Look
    from spark_plan.result import ErrorResult, Report

FORMATS = ("table", "json", "jsonl", "csv", "markdown")
_NARROWEST = 20
_WITHOUT_TERMINAL = 80


def render(
    report: Report,
    *,
    format: str = "table",  # noqa: A002 - the option's own name, in the contract
    width: int | None = None,
    color: bool | None = None,
    why: bool = False,
    ascii: bool | None = None,  # noqa: A002 - what it is
    columns: Sequence[str] | None = None,
) -> str:
    """A report as text that ends with a line break.

    Args:
        report: what to show, its results in the order to show them.
        format: one of `FORMATS`.
        width: columns of the page; None for the terminal's ($COLUMNS first), 80 without one.
        color: whether to colour; None for what the terminal and $NO_COLOR say.
        why: add formulas and sources (tables and markdown; the other formats have them anyway).
        ascii: nothing but ASCII; None for what the output's encoding needs.
        columns: names of the columns of a table of plans (`compare_columns()`), or keys of a list.

    Returns:
        The text. A report that is an error is its message, in JSON the contract's envelope.

    Raises:
        ValueError: an unknown format or column.
    """
    if format in {"json", "jsonl"}:
        from spark_plan.render import jsons

        return jsons.render_json(report) if format == "json" else jsons.render_jsonl(report)
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: use {', '.join(FORMATS)}")
    if report.error is not None:
        return error_text(report.error)
    if format == "csv":
        from spark_plan.render import tabular

        return tabular.render_csv(report)
    look = _look(width, color=color, plain=ascii)
    if format == "markdown":
        from spark_plan.render.layout import Look
        from spark_plan.render.markdown import render_markdown

        # A page of markdown has no width and no colour; its lines are wrapped by whoever shows it.
        open_page = Look(10_000)
        lines = render_markdown(report, columns)
        if why:
            from spark_plan.render.why import render_why

            lines += ["", "```", *render_why(report, Look(_WITHOUT_TERMINAL))[1:], "```"]
        return open_page._replace(ascii=look.ascii).finish(lines)
    return look.finish(_table(report, look, why=why, columns=columns))


def _table(report: Report, look: Look, *, why: bool, columns: Sequence[str] | None) -> list[str]:
    from spark_plan.render.words import is_page, is_plan

    results = report.results
    plans = [item for item in results if is_plan(item)]
    if plans and len(plans) == len(results):
        if is_page(report.command, plans, columns):
            from spark_plan.render.fit_table import render_fit

            lines = render_fit(report, plans[0], look)
        else:
            from spark_plan.render.compare_table import render_compare

            lines = render_compare(report, plans, look, columns)
    else:
        from spark_plan.render.listing import render_listing

        lines = render_listing(report, look, columns)
    if why:
        from spark_plan.render.why import render_why

        lines += render_why(report, look)
    return lines


def error_text(error: ErrorResult) -> str:
    r"""An error as people read it: its message, and at most one indented line that helps.

    >>> from spark_plan.result import ErrorResult
    >>> error_text(ErrorResult("usage", "no model", "name one", (), None))
    'spark-plan: no model\n            name one\n'
    """
    from spark_plan.render.layout import clean

    prefix = "spark-plan: "
    text = f"{prefix}{clean(error.message)}\n"
    return text + (f"{' ' * len(prefix)}{clean(error.hint)}\n" if error.hint else "")


def compare_columns() -> tuple[str, ...]:
    """The names `columns` may hold for a table of plans."""
    from spark_plan.render.compare_rows import PLAN_COLUMNS

    return tuple(PLAN_COLUMNS)


def _look(width: int | None, *, color: bool | None, plain: bool | None) -> Look:
    import sys

    from spark_plan.render.layout import Look

    if color is None:
        color = _colors()
    if plain is None:
        encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
        plain = not encoding.startswith("utf")
    return Look(max(_width() if width is None else width, _NARROWEST), color, plain)


def _colors() -> bool:
    import os
    import sys

    # https://no-color.org: any value but the empty one switches colour off.
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return _is_terminal(sys.stdout)


def _width() -> int:
    import os
    import sys

    stated = os.environ.get("COLUMNS", "")
    if stated.isascii() and stated.isdigit() and int(stated[:6]) > 0:
        return int(stated[:6])
    if not _is_terminal(sys.stdout):
        return _WITHOUT_TERMINAL
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _WITHOUT_TERMINAL
    except (OSError, ValueError):
        return _WITHOUT_TERMINAL


def _is_terminal(stream: object) -> bool:
    """Whether a stream is a terminal; a closed or missing one is none."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


__all__ = ["FORMATS", "compare_columns", "error_text", "render"]
