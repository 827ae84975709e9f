"""The page of one plan: verdict, reason, memory, speed, what one asks next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan import units
from spark_plan.render import blocks, fit_facts, fit_rows, words
from spark_plan.render.layout import Cell, Look, clean, columns_of, grid, paragraph
from spark_plan.render.remedy_rows import remedy_rows

if TYPE_CHECKING:
    from spark_plan.result import MemoryResult, PlanResult, Report

_EXTRAS = ("throughput", "training", "serving", "launch")
DEFAULT_CONTEXT_TOKENS = 8192  # what other commands take when they are not told (the contract)
_BARS_FROM, _LONG_BARS_FROM = 60, 96  # page widths from which there is room for bars


def render_fit(report: Report, plan: PlanResult, look: Look) -> list[str]:
    """The page of one plan as lines.

    Args:
        report: the report, for its notes.
        plan: the result to show.
        look: page width, colour and characters.
    """
    lines = headline(plan, look)
    if plan.verdict is None:
        hint = plan.error.hint if plan.error else ""
        return lines + (paragraph(hint, look, indent=2, hang=2) if hint else [])
    if plan.memory is not None:
        lines += ["", *_memory(plan, plan.memory, look)]
    lines += _remedies(plan, look) if plan.verdict == "does_not_fit" else _speed(plan, look)
    lines += _extras(plan, look)
    lines += _facts(plan, look)
    notes = fit_facts.notes(report, plan)
    if notes:
        lines.append("")
    for note in notes:
        lines += paragraph(note, look, style="dim")
    return lines


def headline(plan: PlanResult, look: Look) -> list[str]:
    """Verdict and subject on the first line, the reason on the second, the setting with them."""
    verdict, style = fit_rows.verdict(plan)
    subject, setting = clean(words.subject(plan)), clean(words.setting(plan))
    left = f"{verdict}  {subject}"
    blank = look.width - columns_of(left) - columns_of(setting)
    reason = [line for text in fit_rows.reasons(plan) for line in paragraph(text, look, indent=2)]
    if blank >= 4:
        first = f"{look.paint(verdict, f'{style} bold')}  {look.paint(subject, 'bold')}"
        return [first + " " * blank + look.paint(setting, "dim"), *reason]
    if columns_of(left) <= look.width:
        first = f"{look.paint(verdict, f'{style} bold')}  {look.paint(subject, 'bold')}"
        head = [first]
    else:
        head = paragraph(left, look, hang=2, style=f"{style} bold")
    return [*head, *reason, *paragraph(setting, look, indent=2, style="dim")]


def _memory(plan: PlanResult, memory: MemoryResult, look: Look) -> list[str]:
    width = 0 if look.width < _BARS_FROM else 16 if look.width < _LONG_BARS_FROM else 24
    # Bars add up to what the machine has, or to what is needed where that is more.
    whole = max(memory.visible_bytes, memory.total_bytes + memory.system_bytes)
    title = "Memory" if plan.devices == 1 else f"Memory, fullest of {plan.devices}"
    rows = [_row(Cell(title, "head"), Cell(""), Cell("GiB", "dim"), Cell(""), bars=width > 0)]
    for label, size, note, style in fit_rows.memory_rows(plan):
        if size is None:
            line = Cell(blocks.rule(7), "dim")
            rows.append(_row(Cell(""), Cell(""), line, Cell(""), bars=width > 0))
            continue
        rows.append(
            _row(
                Cell(f"  {label}", style),
                Cell(blocks.bar(size, whole, width), style if style != "bold" else ""),
                Cell(units.gib(size), style),
                Cell(note, "dim"),
                bars=width > 0,
            )
        )
    return grid(rows, "<<><" if width else "<><", look, indent=0)


def _row(label: Cell, drawn: Cell, number: Cell, note: Cell, *, bars: bool) -> list[Cell]:
    return [label, drawn, number, note] if bars else [label, number, note]


def _speed(plan: PlanResult, look: Look) -> list[str]:
    found = list(fit_rows.speed_rows(plan))
    if not found:
        return []
    heads = (f"Speed, {words.streams(plan.load.batch)}", "expected", "80% range", "limited by")
    rows = [[Cell(heads[0], "head"), *(Cell(text, "dim") for text in heads[1:])]]
    for label, expected, likely, bound in found:
        rows.append([Cell(f"  {label}"), Cell(expected, "bold"), Cell(likely), Cell(bound, "dim")])
    return ["", *grid(rows, "<>><", look, indent=0)]


def _extras(plan: PlanResult, look: Look) -> list[str]:
    """What only some commands and tasks answer, where a result carries it."""
    lines: list[str] = []
    for name in _EXTRAS:
        value = getattr(plan, name, None)
        if value:
            from spark_plan.render.listing import entry
            from spark_plan.result import plain

            lines += [
                "",
                look.paint(name.capitalize(), "head"),
                *entry(plain(value), look, depth=1),
            ]
    return lines


def _remedies(plan: PlanResult, look: Look) -> list[str]:
    if plan.remedies is None:
        return []
    rows = [
        [
            Cell(f"  {row.option}"),
            Cell(row.verdict, row.style),
            Cell(row.speed, "bold"),
            Cell(row.comment, "dim"),
        ]
        for row in remedy_rows(plan)
    ]
    if not rows:
        return ["", *paragraph("Nothing that was tried would fit.", look, hang=2)]
    title = f"What would fit; speeds at {words.quoted_at(plan.load)}, 80% ranges"
    return ["", *paragraph(title, look, style="head"), *grid(rows, "<<<<", look, indent=0)]


def _facts(plan: PlanResult, look: Look) -> list[str]:
    rows = [[Cell(label, "head"), Cell(text)] for label, text in fit_facts.facts(plan)]
    hint = "" if plan.why else " · --why for every formula and source"
    rows.append(
        [Cell("Next", "head"), Cell(f"spark-plan compare {plan.model}{_asked(plan)}{hint}")]
    )
    return ["", *grid(rows, "<<", look, indent=0)]


def _asked(plan: PlanResult) -> str:
    """The options that make another command's answer one to the same question."""
    said = "" if plan.precision_asked == "auto" else f" -p {plan.precision_asked}"
    if plan.load.context_tokens != DEFAULT_CONTEXT_TOKENS:
        said += f" -c {plan.load.context_tokens}"
    return said + (f" -b {plan.load.batch}" if plan.load.batch > 1 else "")
