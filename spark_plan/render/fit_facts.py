"""What the page of one plan says after the numbers: targets, evidence, limits, cost, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan import units
from spark_plan.render import words
from spark_plan.render.fit_rows import gib
from spark_plan.render.words import pick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_plan.result import PlanResult, Report

# What the page says in its own place; the note of that code would say it twice.
_SAID_BY_THE_PAGE = frozenset({"tight-unified", "no-speed", "no-measurement"})

_LEVELS = {
    "hardware-engine": "this machine and engine",
    "family": "machines of its class with this engine",
    "engine": "this engine on other machines",
}


def facts(plan: PlanResult) -> Iterator[tuple[str, str]]:
    """What one asks next: targets, evidence, limits, cost, the other memory pool."""
    for target in plan.targets:
        mark = "✔" if target.met else "✘"
        yield "Target", f"{mark} {words.target(target.name, target.value, target.actual)}"
    if plan.decode.tokens_per_s is not None:
        yield "Measured", _evidence(plan)
    limits, asked = plan.limits, plan.load
    if limits is not None and plan.verdict != "does_not_fit":
        parts = []
        if limits.max_context_tokens:
            parts.append(
                f"{limits.max_context_tokens:,} tokens of context at {words.streams(asked.batch)}"
            )
        if limits.max_batch:
            at = f" at {units.tokens(asked.context_tokens)}" if asked.context_tokens else ""
            parts.append(f"{words.streams(limits.max_batch)}{at}")
        if parts:
            yield "Goes up to", ", or ".join(parts)
    cost = _cost(plan)
    if cost:
        yield "Cost", cost
    for pool in plan.memory.pools or () if plan.memory else ():
        speed = words.bandwidth(pool.bandwidth_bytes_per_s)
        yield (
            f"{pool.kind.capitalize()} pool",
            f"{gib(pool.used_bytes)} of {gib(pool.usable_bytes)} GiB used, {speed}",
        )


def _evidence(plan: PlanResult) -> str:
    nearest = plan.evidence.nearest
    if nearest is not None:
        off = nearest.predicted_over_measured - 1
        return (
            f"{units.rate(nearest.tokens_per_s)} tok/s nearest to this, {nearest.date}: we say "
            f"{units.rate(nearest.tokens_per_s * nearest.predicted_over_measured)} tok/s "
            f"({off:+.0%}) · {nearest.url}"
        )
    count, rows = pick(plan.details, "measured_rows", 0), plan.evidence.rows
    text = (
        f"{count:,} public measurements of this machine"
        if count
        else "no public measurement of this machine"
    )
    level = _LEVELS.get(plan.evidence.level)
    if level is None:
        return f"{text}; the speed rests on a general rule"
    return f"{text}; the speed rests on {level}" + (f" ({rows:,} rows)" if rows else "")


def _cost(plan: PlanResult) -> str:
    cost, parts = plan.cost, []
    if cost.price_usd is not None:
        date = pick(plan.details, "price_date")
        parts.append(words.money(cost.price_usd) + (f" ({date})" if date else ""))
    if cost.power_w is not None:
        kind = pick(plan.details, "power_kind")
        parts.append(f"{words.watts(cost.power_w)}" + (f" ({kind})" if kind else ""))
    if cost.tokens_per_joule is not None:
        parts.append(f"{cost.tokens_per_joule:.2g} tokens/J")
    if cost.tokens_per_s_per_usd is not None:
        parts.append(f"{units.rate(cost.tokens_per_s_per_usd * 1e3)} tok/s per $1,000")
    return " · ".join(parts)


def notes(report: Report, plan: PlanResult) -> list[str]:
    """The notes the page has not said in its own place, each once."""
    said = set(_SAID_BY_THE_PAGE)
    if plan.decode.tokens_per_s is None:
        said -= {"no-measurement"}
    return list(dict.fromkeys(note.text for note in report.notes if note.code not in said))
