"""Markdown: the page of one plan, a table of many, the catalogue; humanised as the table is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan import result, units
from spark_plan.render import keys, words
from spark_plan.render.layout import Look, clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PAGE = Look(100, color=True)  # stars would read as emphasis: a page with colour has none


def markdown_table(heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""A table in markdown.

    Args:
        heads: heading and alignment (``<`` or ``>``) of each column.
        rows: cells as text.

    >>> markdown_table([("a", "<"), ("b", ">")], [("x|y", "1")])
    ['| a | b |', '|---|--:|', '| x\\|y | 1 |']
    """
    lines = [_line([head for head, _ in heads])]
    lines.append("|" + "|".join("--:" if align == ">" else "---" for _, align in heads) + "|")
    return lines + [_line(row) for row in rows]


def _line(row: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(cell) for cell in row) + " |"


def _escaped(text: str) -> str:
    return clean(text).strip().replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def render_markdown(report: result.Report, columns: Sequence[str] | None = None) -> list[str]:
    """Any report as markdown lines: a page for one plan, a table for many or for a list."""
    items = list(report.results)
    plans = [item for item in items if words.is_plan(item)]
    if plans and len(plans) == len(items):
        if words.is_page(report.command, plans, columns):
            return _plan(report, plans[0])
        return _plans(report, plans, columns)
    rows = [result.plain(item) for item in items]
    if not rows or not all(isinstance(row, dict) for row in rows):
        return [f"- {_escaped(keys.value_text('', row))}" for row in rows] or ["Nothing found."]
    if len(rows) == 1 and report.command.endswith("show"):
        pairs = [(keys.title(key), keys.with_unit(key, v)) for key, v in rows[0].items()]
        return markdown_table([("Key", "<"), ("Value", "<")], pairs)
    from spark_plan.render.listing import column, table_keys

    names = table_keys(rows, columns)
    shown = [column(name, rows) for name in names]
    heads = [(_head(head.title, head.unit), head.align) for head in shown]
    cells = ([keys.value_text(name, row.get(name)) for name in names] for row in rows)
    return [*markdown_table(heads, cells), *_notes([note.text for note in report.notes])]


def _head(title: str, unit: str) -> str:
    return f"{title} [{unit}]" if unit else title


def _notes(texts: Iterable[str]) -> list[str]:
    lines = [f"- {_escaped(text)}" for text in dict.fromkeys(texts)]
    return ["", *lines] if lines else []


def _plan(report: result.Report, plan: result.PlanResult) -> list[str]:
    from spark_plan.render import fit_facts, fit_rows
    from spark_plan.render.remedy_rows import remedy_rows

    verdict, _ = fit_rows.verdict(plan)
    lines = [f"**{_escaped(verdict)}** {_escaped(words.subject(plan))}", ""]
    for text in fit_rows.reasons(plan):
        lines += [_escaped(text), ""]
    lines += [_escaped(words.setting(plan))]
    memory = [
        (row.label, f"{units.gib(row.bytes)}", row.note)
        for row in fit_rows.memory_rows(plan)
        if row.bytes is not None
    ]
    if memory:
        heads = [("Memory", "<"), ("GiB", ">"), ("", "<")]
        lines += ["", *markdown_table(heads, memory)]
    speed = list(fit_rows.speed_rows(plan)) if plan.verdict != "does_not_fit" else []
    if speed:
        heads = [(f"Speed, {words.streams(plan.load.batch)}", "<"), ("Expected", ">"),
                 ("80% range", ">"), ("Limited by", "<")]  # fmt: skip
        lines += ["", *markdown_table(heads, speed)]
    remedies = list(remedy_rows(plan))
    if remedies:
        heads = [("What would fit", "<"), ("Verdict", "<"), ("Decode", ">"), ("", "<")]
        rows = [(f"`{row.option}`", row.verdict, row.speed, row.comment) for row in remedies]
        lines += ["", *markdown_table(heads, rows)]
    facts = list(fit_facts.facts(plan))
    if facts:
        lines += ["", *markdown_table([("", "<"), ("", "<")], facts)]
    return lines + _notes(fit_facts.notes(report, plan))


def _plans(
    report: result.Report, plans: Sequence[result.PlanResult], columns: Sequence[str] | None
) -> list[str]:
    from spark_plan.render.compare_rows import PLAN_COLUMNS
    from spark_plan.render.compare_table import chosen_columns, footnotes

    names = chosen_columns(plans, columns)
    shown = [PLAN_COLUMNS[name] for name in names]
    heads = [(_head(head.title, head.unit), head.align) for head in shown]
    rows = [[head.text(plan) for head in shown] for plan in plans]
    notes = footnotes(report, plans, names, _PAGE)
    return [*markdown_table(heads, rows), *_notes(notes)]
