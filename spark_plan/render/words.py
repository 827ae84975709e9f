"""What the quantities of a report are called, and how a person reads their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan import units
from spark_plan.result import PlanResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_plan.result import LoadResult

DASH = "\u2013"  # between the ends of a range, and alone where nothing is known
UNKNOWN = DASH
# Silent reading of prose, 238 words/min (Brysbaert 2019), at 0.75 words a token.
READING_TOKENS_PER_S = 5.3
_SLOWER, _FASTER = 0.7, 1.4  # within this band nobody would notice a difference

_MANY_PLANS = frozenset({"compare", "find", "sweep", "batch", "report"})
VERDICTS = {"fits": "FITS", "tight": "TIGHT", "does_not_fit": "DOES NOT FIT"}
MARKS = {"fits": "✔", "tight": "▲", "does_not_fit": "✘"}
STYLES = {"fits": "good", "tight": "warn", "does_not_fit": "bad"}
BOUNDS = {
    "memory": "memory bandwidth",
    "compute": "compute",
    "link": "the link between devices",
    "overhead": "fixed overhead",
}
_TERABYTES_FROM = 2e12  # graphics cards are said to have 1,792 GB/s, accelerators 8 TB/s
_LARGE_LOSS = ("iq1", "iq2", "iq3", "q2", "q3", "tq")  # below four bits quality falls off


def pick(item: Any, name: str, default: Any = None) -> Any:
    """A value by name from a record or an object; `default` where there is none.

    >>> pick({"values": 3}, "values"), pick({}, "id", "?")
    (3, '?')
    """
    value = item.get(name) if isinstance(item, dict) else getattr(item, name, None)
    return default if value is None else value


def is_plan(item: Any) -> bool:
    """Whether a result is the answer to a plan, with further fields or without."""
    return set(PlanResult._fields) <= set(getattr(item, "_fields", ()))


def is_page(command: str, plans: Sequence[PlanResult], columns: Sequence[str] | None) -> bool:
    """Whether plans are shown as the page of one, not as a table of many.

    >>> is_page("compare", [], None)
    False
    """
    return len(plans) == 1 and columns is None and command not in _MANY_PLANS


def rate(value: float | None) -> str:
    """A rate without its unit, or the mark of an unknown."""
    return UNKNOWN if value is None else units.rate(value)


def span(low: float | None, high: float | None) -> str:
    """A range of rates.

    >>> span(53.9, 62.2) == f"54 {DASH} 62"
    True
    """
    if low is None or high is None:
        return UNKNOWN
    return f"{units.rate(low)} {DASH} {units.rate(high)}"


def seconds_span(low: float | None, high: float | None) -> str:
    """A range of times, the unit once where it is the same.

    >>> seconds_span(0.49, 0.62).split(f" {DASH} "), seconds_span(0.05, 0.2).split(f" {DASH} ")
    (['0.49', '0.62 s'], ['50 ms', '0.20 s'])
    """
    if low is None or high is None:
        return UNKNOWN
    first, last = units.seconds(low), units.seconds(high)
    number, unit = first.split()
    return f"{number if last.endswith(f' {unit}') else first} {DASH} {last}"


def streams(batch: int) -> str:
    """How many sequences run together.

    >>> streams(1), streams(32)
    ('1 stream', '32 streams')
    """
    return "1 stream" if batch == 1 else f"{batch:,} streams"


def money(usd: float | None) -> str:
    """A price in dollars.

    >>> money(4699), money(96996.4)
    ('$4,699', '$96,996')
    """
    return UNKNOWN if usd is None else f"${usd:,.0f}"


def watts(power_w: float | None) -> str:
    """A power.

    >>> watts(95)
    '95 W'
    """
    return UNKNOWN if power_w is None else f"{power_w:,.0f} W"


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.794), percent(0.0004)
    ('79%', '<1%')
    """
    return f"{share:.0%}" if share >= 0.005 or share <= 0 else "<1%"


def bandwidth(bytes_per_s: float) -> str:
    """A bandwidth as data sheets print it.

    >>> bandwidth(273e9), bandwidth(7.1e12)
    ('273 GB/s', '7.1 TB/s')
    """
    if bytes_per_s < _TERABYTES_FROM:
        return f"{bytes_per_s / 1e9:,.0f} GB/s"
    return f"{bytes_per_s / 1e12:,.1f} TB/s"


def target(name: str, value: float, actual: float | None) -> str:
    """A stated target and what the plan reaches.

    >>> target("min_tps", 25, 18.4), target("max_ttft_s", 2, 0.546)
    ('at least 25 tok/s a stream: 18 tok/s', 'first token within 2.00 s: 0.55 s')
    """
    if name.startswith("max_ttft"):
        reached = UNKNOWN if actual is None else units.seconds(actual)
        return f"first token within {units.seconds(value)}: {reached}"
    if name.startswith("min_tps"):
        reached = UNKNOWN if actual is None else f"{units.rate(actual)} tok/s"
        return f"at least {value:g} tok/s a stream: {reached}"
    reached = UNKNOWN if actual is None else f"{actual:g}"
    return f"{name.replace('_', ' ')} {value:g}: {reached}"


def scheme(identifier: str | None) -> str:
    """A number format as data sheets print it.

    >>> scheme("q4_k_m"), scheme("nvfp4"), scheme("fp8_block128")
    ('Q4_K_M', 'NVFP4', 'FP8_BLOCK128')
    """
    return UNKNOWN if not identifier else identifier.upper()


def loses_much(precision: str | None) -> bool:
    """Whether a scheme has so few bits that answers get visibly worse.

    >>> loses_much("iq2_xxs"), loses_much("q4_k_m")
    (True, False)
    """
    return bool(precision) and str(precision).startswith(_LARGE_LOSS)


def reading(tokens_per_s: float) -> str:
    """A rate against how fast a person reads.

    >>> reading(58), reading(5), reading(2)
    ('faster than you read', 'about as fast as you read', 'slower than you read')
    """
    ratio = tokens_per_s / READING_TOKENS_PER_S
    if ratio < _SLOWER:
        return "slower than you read"
    return "faster than you read" if ratio > _FASTER else "about as fast as you read"


def load(asked: LoadResult) -> str:
    """Context and batch of a plan.

    >>> from spark_plan.result import LoadResult
    >>> load(LoadResult(8192, 4, 1024, 256, 0))
    '8k context · 4 streams'
    """
    return f"{units.tokens(asked.context_tokens)} context · {streams(asked.batch)}"


def quoted_at(asked: LoadResult) -> str:
    """What a speed is quoted at: the tokens in the cache when decoding starts, and the batch.

    >>> from spark_plan.result import LoadResult
    >>> quoted_at(LoadResult(8192, 1, 1024, 256, 0))
    'depth 1k, 1 stream'
    """
    depth = asked.depth_tokens + asked.prompt_tokens
    return f"depth {units.tokens(depth)}, {streams(asked.batch)}"


def system(plan: PlanResult) -> str:
    """The machine of a plan: its name, its memory size where there is a choice, how many."""
    name = str(pick(plan.details, "hardware_name", plan.hardware))
    size = pick(plan.details, "memory_gb")
    if size is not None and f"{size} GB" not in name:
        name = f"{name} {size} GB"
    return name if plan.devices == 1 else f"{plan.devices} x {name}"


def system_id(plan: PlanResult) -> str:
    """The machine of a plan by the name one types: short, and ready for `--on`."""
    return plan.hardware if plan.devices == 1 else f"{plan.devices} x {plan.hardware}"


def subject(plan: PlanResult) -> str:
    """The model of a plan and its machine."""
    return f"{plan.model} on {system(plan)}"


def setting(plan: PlanResult) -> str:
    """Precision, engine, context and batch of a plan on one line."""
    precision = scheme(plan.precision or plan.precision_asked)
    if pick(plan.details, "own_precision", default=False):
        precision += " (its own)"
    if is_emulated(plan):
        precision += " (emulated)"
    engine = pick(plan.details, "engine_name", plan.engine)
    parts = [precision, " ".join(str(p) for p in (engine, plan.engine_version) if p)]
    if plan.placement == "offload":
        parts.append("offload to host memory")
    if plan.devices > 1 and plan.split:
        parts.append(f"{plan.split} split" + (f" over {plan.link}" if plan.link else ""))
    if plan.load.context_tokens > 0:
        parts.append(load(plan.load))
    return " · ".join(part for part in parts if part)


def is_emulated(plan: PlanResult) -> bool:
    """Whether the multiply runs wider than the scheme says."""
    how = pick(plan.details, "how", pick(plan.details, "family_native"))
    return how == "emulated" or "emulated-format" in plan.notes


def short_bytes(plan: PlanResult) -> int:
    """How much is missing [bytes]; 0 where it fits."""
    return max(-plan.memory.free_bytes, 0) if plan.memory else 0


def bound(name: str | None) -> str:
    """What limits a speed."""
    return BOUNDS.get(name or "", name or "")
