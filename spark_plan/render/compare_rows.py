"""The columns of a table of plans: what each shows, where it stands, which values are best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan import units
from spark_plan.records import NamedTuple
from spark_plan.render import words
from spark_plan.render.words import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_plan.result import PlanResult


class PlanColumn(NamedTuple):
    """A column of a table of plans.

    `best` is what makes a value the best of its column: ``most``, ``least`` or nothing.
    """

    title: str
    unit: str
    align: str
    text: Callable[[PlanResult], str]
    value: Callable[[PlanResult], float | None]
    best: str = ""


def verdict_text(plan: PlanResult) -> str:
    """Whether a row fits, and what is special about how."""
    if plan.verdict is None:
        return "✘ no answer" if "no-format" not in plan.notes else "✘ nothing runs it"
    if plan.verdict == "does_not_fit":
        return f"✘ {units.gib(words.short_bytes(plan))} GiB short"
    parts = [f"{words.MARKS[plan.verdict]} {'yes' if plan.verdict == 'fits' else 'tight'}"]
    if "precision-substituted" in plan.notes:
        parts.append(words.scheme(plan.precision))
    elif words.is_emulated(plan):
        parts.append("emulated")
    if plan.placement == "offload":
        parts.append("host memory")
    if any(not target.met for target in plan.targets):
        parts.append("misses target")
    return ", ".join(parts)


def _nothing(_plan: PlanResult) -> float | None:
    return None


def _words(title: str, text: Callable[[PlanResult], str]) -> PlanColumn:
    return PlanColumn(title, "", "<", text, _nothing)


def _number(
    title: str,
    unit: str,
    value: Callable[[PlanResult], float | None],
    text: Callable[[float], str],
    best: str = "",
) -> PlanColumn:
    def shown(plan: PlanResult) -> str:
        number = value(plan)
        return words.UNKNOWN if number is None else text(number)

    return PlanColumn(title, unit, ">", shown, value, best)


def _with_range(rate: float | None, low: float | None, high: float | None) -> str:
    if rate is None:
        return words.UNKNOWN
    return f"{units.rate(rate)} ({words.span(low, high)})"


def _decode(plan: PlanResult) -> str:
    return _with_range(plan.decode.tokens_per_s, plan.decode.low, plan.decode.high)


def _at_full(plan: PlanResult) -> str:
    full = plan.decode_at_full
    return _with_range(full.tokens_per_s, full.low, full.high)


def _per_thousand(plan: PlanResult) -> float | None:
    rate = plan.cost.tokens_per_s_per_usd
    return None if rate is None else rate * 1e3


def _whole(number: float) -> str:
    return f"{number:,.0f}"


PLAN_COLUMNS = {
    "rank": _number("#", "", lambda p: pick(p, "rank"), _whole),
    "model": _words("Model", lambda p: p.model),
    "system": _words("System", words.system_id),
    "precision": _words("Precision", lambda p: words.scheme(p.precision)),
    "engine": _words("Engine", lambda p: p.engine or words.UNKNOWN),
    "context": _number("Context", "tokens", lambda p: p.load.context_tokens or None, _whole),
    "batch": _number("Batch", "", lambda p: p.load.batch, _whole),
    "fits": _words("Fits", verdict_text),
    "decode": PlanColumn("Decode", "tok/s", ">", _decode, lambda p: p.decode.tokens_per_s, "most"),
    "at_full": PlanColumn(
        "Context full", "tok/s", ">", _at_full, lambda p: p.decode_at_full.tokens_per_s, "most"
    ),
    "prefill": _number("Prefill", "tok/s", lambda p: p.prefill.tokens_per_s, units.rate, "most"),
    "first_token": _number("First token", "", lambda p: p.prefill.ttft_s, units.seconds, "least"),
    "price": _number("Price", "USD", lambda p: p.cost.price_usd, _whole, "least"),
    "power": _number("Power", "W", lambda p: p.cost.power_w, _whole, "least"),
    "per_dollar": _number("Per $1,000", "tok/s", _per_thousand, units.rate, "most"),
    "per_joule": _number(
        "Per joule", "tokens", lambda p: p.cost.tokens_per_joule, lambda v: f"{v:.2g}", "most"
    ),
    "free": _number(
        "Free", "GiB", lambda p: p.memory.free_bytes if p.memory else None, units.gib, "most"
    ),
    "needs": _number(
        "Needs", "GiB", lambda p: p.memory.total_bytes if p.memory else None, units.gib, "least"
    ),
    "max_context": _number(
        "Max context",
        "tokens",
        lambda p: p.limits.max_context_tokens if p.limits else None,
        _whole,
        "most",
    ),
    "max_batch": _number(
        "Max batch", "streams", lambda p: p.limits.max_batch if p.limits else None, _whole, "most"
    ),
    "score": _number("Score", "", lambda p: pick(p, "score"), lambda v: f"{v:.3g}", "most"),
}
NUMBERS = ("decode", "prefill", "first_token", "price", "power", "per_dollar")
# What a narrow page does without, first to go first; the rest is the answer itself.
FOLDED = ("per_dollar", "power", "price", "first_token", "prefill")


def best_rows(column: PlanColumn, plans: Sequence[PlanResult]) -> frozenset[int]:
    """The rows with the best value of a column among the plans that fit; none of fewer than two."""
    values = {
        index: value
        for index, plan in enumerate(plans)
        if plan.verdict in {"fits", "tight"} and (value := column.value(plan)) is not None
    }
    if not column.best or len(values) < 2:
        return frozenset()
    top = (max if column.best == "most" else min)(values.values())
    found = frozenset(index for index, value in values.items() if value == top)
    return frozenset() if len(found) == len(values) else found


def default_columns(plans: Sequence[PlanResult]) -> tuple[str, ...]:
    """The columns that tell these plans apart, and the numbers to choose by."""
    names = ["rank"] if any(pick(plan, "rank") is not None for plan in plans) else []
    differs = {
        "model": len({plan.model for plan in plans}) > 1,
        "system": len({(plan.hardware, plan.devices) for plan in plans}) > 1,
        "precision": len({plan.precision for plan in plans if plan.precision}) > 1
        and not any("precision-substituted" in plan.notes for plan in plans),
        "engine": len({plan.engine for plan in plans if plan.engine}) > 1
        and len({plan.hardware for plan in plans}) == 1,
        "context": len({plan.load.context_tokens for plan in plans if plan.verdict}) > 1,
        "batch": len({plan.load.batch for plan in plans}) > 1,
    }
    if not (differs["model"] or differs["system"]):
        differs["system"] = True
    return (*names, *(name for name, shown in differs.items() if shown), "fits", *NUMBERS)
