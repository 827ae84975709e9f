"""`--why`: the formulas with this case's numbers, and every input with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan import units
from spark_plan.render import words
from spark_plan.render.layout import GAP, Cell, Look, grid, paragraph
from spark_plan.render.words import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_plan.result import Citation, Report

_KINDS = {"flag": "stated by you", "assumed": "assumed"}


def render_why(report: Report, look: Look) -> list[str]:
    """Formulas of every result that carries them, then the citations, as lines."""
    lines: list[str] = []
    several = len(report.results) > 1
    for plan in report.results:
        steps = pick(plan, "why")
        if steps and not isinstance(steps, str):
            name = f", {words.system(plan)}" if several else ""
            lines += ["", *_formulas(steps, look, name)]
    if report.citations:
        lines += ["", look.paint("Sources", "head")]
        lines += _citations(report.citations, look)
    if report.data_version:
        lines += ["", *paragraph(f"Data of {report.data_version}.", look, style="dim")]
    return lines


def amount(value: Any, unit: str) -> str:
    """A value of a formula with its unit, large bytes and times in what a person reads.

    >>> amount(63_250_000_000, "bytes"), amount(0.0161, "s"), amount(36864, "bytes/token")
    ('58.91 GiB', '16 ms', '36,864 bytes/token')
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return f"{value} {unit}".strip()
    if unit == "bytes" and abs(value) >= units.MIB:
        return f"{units.gib(value)} GiB"
    if unit == "s" and value > 0:
        return units.seconds(value)
    if unit == "bytes/s":
        return words.bandwidth(value)
    shown = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}"
    return f"{shown} {unit}".strip()


def _formulas(steps: Sequence[Any], look: Look, name: str) -> list[str]:
    lines: list[str] = []
    for group in dict.fromkeys(str(pick(step, "group", "")) for step in steps):
        if lines:
            lines.append("")
        lines += paragraph(f"How {group or 'it'} is computed{name}", look, style="head")
        rows = [
            [
                Cell(f"  {pick(step, 'name', '')}"),
                Cell(amount(pick(step, "value", ""), str(pick(step, "unit", ""))), "bold"),
                Cell(str(pick(step, "formula", "")), "dim"),
            ]
            for step in steps
            if str(pick(step, "group", "")) == group
        ]
        lines += grid(rows, "<><", look, indent=0)
    return lines


def _citations(citations: Sequence[Citation], look: Look) -> list[str]:
    lines: list[str] = []
    for cited in citations:
        kind = _KINDS.get(cited.kind, cited.kind) if not cited.url else cited.kind
        # The number as it is in the profile, base units and all: this is what can be looked up.
        value = f"{cited.value:,}" if isinstance(cited.value, (int, float)) else str(cited.value)
        lines += paragraph(f"{cited.quantity} = {value} ({kind})", look, indent=GAP, hang=GAP)
        origin = "" if cited.origin in {"shipped", "flag"} else f" ({cited.origin})"
        seen = f", seen {cited.seen}" if cited.seen else ""
        source = f"{cited.url}{seen}" if cited.url else ""
        where = " · ".join(part for part in (source, f"{cited.profile}{origin}") if part.strip())
        if where:
            lines += paragraph(where, look, indent=2 * GAP, hang=GAP, style="dim")
        if cited.note:
            lines += paragraph(cited.note, look, indent=2 * GAP, style="dim")
    return lines
