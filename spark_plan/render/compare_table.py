"""Plans side by side: one row a plan, the best value of each column marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan import units
from spark_plan.render import words
from spark_plan.render.compare_rows import (
    FOLDED,
    PLAN_COLUMNS,
    best_rows,
    default_columns,
    verdict_text,
)
from spark_plan.render.layout import Cell, Look, paragraph
from spark_plan.render.rich_table import Column, natural_width, table
from spark_plan.render.words import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_plan.result import Note, PlanResult, Report

_KEEPS_ALL_FROM = 100  # page width below which columns may fold away


def chosen_columns(plans: Sequence[PlanResult], columns: Sequence[str] | None) -> tuple[str, ...]:
    """The columns asked for, or those that tell the plans apart.

    Raises:
        ValueError: a name `PLAN_COLUMNS` does not have (commands check before they ask).
    """
    if columns is None:
        return default_columns(plans)
    unknown = [name for name in columns if name not in PLAN_COLUMNS]
    if unknown or not columns:
        raise ValueError(f"unknown columns {unknown}: use {', '.join(PLAN_COLUMNS)}")
    return tuple(columns)


def cells(plans: Sequence[PlanResult], name: str, look: Look) -> list[Cell]:
    """The cells of one column; the best are bold, or starred where there is no colour."""
    column = PLAN_COLUMNS[name]
    best = best_rows(column, plans)
    # Where any cell carries a star, the others carry a blank: digits stay under digits.
    star = "" if look.color or not best else "*"
    found = []
    for index, plan in enumerate(plans):
        text = column.text(plan)
        if column.align == ">" and star:
            text += star if index in best else " "
        style = words.STYLES.get(plan.verdict or "", "bad") if name == "fits" else ""
        found.append(Cell(text, "bold" if index in best else style))
    return found


def render_compare(
    report: Report, plans: Sequence[PlanResult], look: Look, columns: Sequence[str] | None = None
) -> list[str]:
    """The table of several plans as lines.

    Args:
        report: the report, for its request and notes.
        plans: its results, in the order to show.
        look: page width, colour and characters.
        columns: names of `PLAN_COLUMNS`; None for those that tell the plans apart.
    """
    names = chosen_columns(plans, columns)
    built = {name: cells(plans, name, look) for name in names}
    heads = {name: Column(*PLAN_COLUMNS[name][:3]) for name in names}
    shown, hidden = list(names), []
    if columns is None:
        for name in FOLDED if look.width < _KEEPS_ALL_FROM else FOLDED[:1]:
            if _width(shown, heads, built) <= look.width:
                break
            if name in shown:
                shown.remove(name)
                hidden.append(PLAN_COLUMNS[name].title.lower())
    if _width(shown, heads, built) > look.width:
        shown, hidden = list(names), []  # no table but a block a plan: there is room for all
    rows = list(zip(*(built[name] for name in shown), strict=True))
    lines = [*title(report, plans, look), "", *table([heads[n] for n in shown], rows, look), ""]
    if hidden:
        text = f"Hidden at this width: {', '.join(hidden)} (a wider page or --columns shows them)."
        lines += paragraph(text, look, style="dim")
    for text in footnotes(report, plans, names, look):
        lines += paragraph(text, look, hang=2, style="dim")
    return lines


def _width(names: Sequence[str], heads: dict[str, Column], built: dict[str, list[Cell]]) -> int:
    rows = list(zip(*(built[name] for name in names), strict=True))
    return natural_width([heads[name] for name in names], rows)


def title(report: Report, plans: Sequence[PlanResult], look: Look) -> list[str]:
    """The best answer on the first line, what was asked on the second."""
    good = [plan for plan in plans if plan.verdict in {"fits", "tight"}]
    style = "good" if good else "bad"
    mark = "✔" if good else "✘"
    counted = f"{mark} {len(good)} of {len(plans)} fit"
    asked = [*sorted({plan.model for plan in plans})[:3]]
    if len({plan.model for plan in plans}) > len(asked):
        asked.append("…")
    precisions = {plan.precision_asked for plan in plans}
    if len(precisions) == 1:
        asked.append(words.scheme(precisions.pop()) + " asked")
    lead = next((plan for plan in plans if plan.load.context_tokens > 0), None)
    if lead is not None and len({p.load for p in plans if p.load.context_tokens > 0}) == 1:
        asked.append(words.load(lead.load))
    sort = pick(report.request, "sort")
    order = f"sorted by {sort}" if sort else ""
    first = paragraph(counted, look, style=f"{style} bold")
    return first + paragraph(" · ".join(part for part in (*asked, order) if part), look, indent=2)


def _about(note: Note, plans: Sequence[PlanResult]) -> str:
    """A note, with the systems it concerns where it is not all of them."""
    where = [plans[index].hardware for index in note.results or () if index < len(plans)]
    return f"{note.text} [{', '.join(where)}]" if where else note.text


def footnotes(
    report: Report, plans: Sequence[PlanResult], names: Sequence[str], look: Look
) -> list[str]:
    """What the table stands on: what speeds are quoted at, why rows are empty, the notes."""
    found = []
    lead = next((plan for plan in plans if plan.decode.tokens_per_s is not None), None)
    if lead is not None and "decode" in names:
        prompt = units.tokens(lead.load.prompt_tokens)
        found.append(
            f"Decode at {words.quoted_at(lead.load)}, its 80% range in brackets; prefill and first "
            f"token of a {prompt} prompt."
        )
    if not look.color and any(best_rows(PLAN_COLUMNS[name], plans) for name in names):
        found.append("* best of its column.")
    reasons = {
        plan.error.message: plan
        for plan in plans
        if plan.verdict is None and plan.error is not None
    }
    for message, plan in reasons.items():
        hint = f"; {plan.error.hint}" if plan.error and plan.error.hint else ""
        found.append(f"{plan.hardware}, {verdict_text(plan)[2:]}: {message}{hint}.")
    notes = {note.text: note for note in report.notes if note.text not in reasons}
    found += [_about(note, plans) for note in notes.values()]
    return list(dict.fromkeys(found))
