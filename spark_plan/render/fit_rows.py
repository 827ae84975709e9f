"""What the page of one plan says, row by row, before it is laid out as text or markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan import units
from spark_plan.records import NamedTuple
from spark_plan.render import words
from spark_plan.render.words import pick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_plan.result import MemoryResult, PlanResult

_SMALLEST_SHARE = 0.005  # a format with less of the weights is not worth a word

_HANG = "memory is shared with the system, running out can hang the whole machine"


class MemoryRow(NamedTuple):
    """An item of the memory budget; `bytes` None is a line under the items."""

    label: str
    bytes: int | None
    note: str = ""
    style: str = ""


class SpeedRow(NamedTuple):
    """A speed as text with its unit, its likely range and what limits it."""

    label: str
    expected: str
    likely: str
    bound: str


class RemedyRow(NamedTuple):
    """A change that would make the plan fit: the option, how well, how fast, at what price."""

    option: str
    verdict: str
    style: str
    speed: str
    comment: str


def verdict(plan: PlanResult) -> tuple[str, str]:
    """The verdict with its mark, and its style."""
    if plan.verdict is None:
        return "✘ NO ANSWER", "bad"
    text = f"{words.MARKS[plan.verdict]} {words.VERDICTS[plan.verdict]}"
    style = words.STYLES[plan.verdict]
    if plan.verdict != "does_not_fit" and any(not target.met for target in plan.targets):
        return f"{text}, misses a target", "warn"
    return text, style


def reasons(plan: PlanResult) -> Iterator[str]:
    """Why the verdict is what it is, with the numbers that decide it; then the speed."""
    memory, speed = plan.memory, plan.decode
    if plan.verdict is None or memory is None:
        yield plan.error.message if plan.error else "there is no answer to this question"
        return
    usable = gib(memory.usable_bytes)
    each = " on the fullest device" if plan.devices > 1 else ""
    if plan.verdict == "does_not_fit":
        yield (
            f"needs {gib(memory.total_bytes)} GiB{each}, {usable} GiB usable: "
            f"{gib(words.short_bytes(plan))} GiB short"
        )
        return
    text = f"{gib(memory.total_bytes)} of {usable} GiB usable{each}, "
    text += f"{gib(memory.free_bytes)} GiB free"
    if plan.verdict == "tight":
        shared = pick(plan.details, "unified", default=False)
        text += f": {_HANG if shared else 'nearly all the device has'}"
    yield text
    if speed.tokens_per_s is not None:
        each_rate = speed.tokens_per_s_per_request or speed.tokens_per_s
        many = f", {units.rate(each_rate)} for each" if plan.load.batch > 1 else ""
        yield (
            f"about {units.rate(speed.tokens_per_s)} tokens/s "
            f"({words.span(speed.low, speed.high)}) at {words.quoted_at(plan.load)}{many}: "
            f"{words.reading(each_rate)}"
        )


def gib(value_bytes: float) -> str:
    """Bytes in GiB to one decimal: what a sentence needs, where a table has two.

    >>> gib(2**30)
    '1.0'
    """
    return f"{value_bytes / units.GIB:,.1f}"


def memory_rows(plan: PlanResult) -> Iterator[MemoryRow]:
    """The memory budget: items, what they come to, what is left."""
    memory = plan.memory
    if memory is None:
        return
    yield MemoryRow("weights", memory.weights_bytes, _formats(plan))
    if memory.kv_cache_bytes:
        yield MemoryRow("KV cache", memory.kv_cache_bytes, _layers(plan))
    if memory.state_bytes:
        count = pick(plan.details, "state_layers", 0)
        yield MemoryRow("state", memory.state_bytes, f"{count} recurrent layers" if count else "")
    tokens = pick(plan.details, "micro_batch_tokens", 0)
    steps = f"steps of up to {tokens:,} tokens" if tokens else ""
    yield MemoryRow("compute", memory.activations_bytes, steps)
    yield MemoryRow("engine", memory.engine_bytes, _reservation(memory, plan))
    yield MemoryRow("", None)
    yield MemoryRow("needs", memory.total_bytes, units.gigabytes(memory.total_bytes), "bold")
    if memory.system_bytes:
        yield MemoryRow("system keeps", memory.system_bytes, _system(plan))
    if memory.free_bytes < 0:
        yield MemoryRow("short", -memory.free_bytes, "", "bad")
    else:
        style = words.STYLES.get(plan.verdict or "", "")
        yield MemoryRow("free", memory.free_bytes, "", style)


def _formats(plan: PlanResult) -> str:
    held = dict(pick(plan.details, "weights_by_format", {}))
    total = sum(held.values())
    if total <= 0:
        return ""
    shown = [(size / total, name) for name, size in held.items()]
    shown = sorted((pair for pair in shown if pair[0] >= _SMALLEST_SHARE), reverse=True)
    if len(shown) == 1:
        return words.scheme(shown[0][1])
    return ", ".join(f"{words.scheme(name)} {words.percent(share)}" for share, name in shown)


def _layers(plan: PlanResult) -> str:
    parts = []
    for group in pick(plan.details, "cache_layers", []):
        window = group.get("window_tokens")
        within = f" ({window:,})" if window else ""
        parts.append(f"{group['layers']} {group['kind']}{within}")
    text = f"{' + '.join(parts)} layers" if parts else ""
    return ", ".join(part for part in (text, plan.kv_precision or "") if part)


def _reservation(memory: MemoryResult, plan: PlanResult) -> str:
    if memory.reserved_bytes <= memory.total_bytes:
        return ""
    engine = pick(plan.details, "engine_name", plan.engine)
    share = memory.reserved_bytes / memory.visible_bytes if memory.visible_bytes else 0
    reserved = f"{units.gib(memory.reserved_bytes)} GiB at start ({words.percent(share)})"
    return f"{engine} reserves {reserved}"


def _system(plan: PlanResult) -> str:
    stated = str(pick(plan.details, "system_note", ""))
    headless = pick(plan.details, "headless")
    saves = pick(plan.details, "headless_saves_bytes", 0)
    if stated:
        return stated
    if headless:
        return "headless"
    if headless is None or not saves:
        return ""
    return f"desktop; {saves / units.GIB:.3g} GiB less with --headless"


def speed_rows(plan: PlanResult) -> Iterator[SpeedRow]:
    """Decode at its depths, prefill and the first token; nothing where there is no speed."""
    asked, decode, full, prefill = plan.load, plan.decode, plan.decode_at_full, plan.prefill
    if decode.tokens_per_s is not None:
        depth = units.tokens(asked.depth_tokens + asked.prompt_tokens)
        yield SpeedRow(
            f"decode at depth {depth}",
            f"{units.rate(decode.tokens_per_s)} tok/s",
            words.span(decode.low, decode.high),
            _read(plan),
        )
        if asked.batch > 1:
            yield SpeedRow(
                "  for each stream",
                f"{words.rate(decode.tokens_per_s_per_request)} tok/s",
                words.span(
                    decode.tokens_per_s_per_request_low, decode.tokens_per_s_per_request_high
                ),
                "",
            )
            yield SpeedRow(
                "  sent all at once",
                f"{words.rate(decode.burst_tokens_per_s)} tok/s",
                words.span(decode.burst_tokens_per_s_low, decode.burst_tokens_per_s_high),
                "decoding waits for prompts, as benchmarks see it",
            )
    if full.tokens_per_s is not None:
        yield SpeedRow(
            f"decode at depth {units.tokens(full.depth_tokens or 0)}",
            f"{units.rate(full.tokens_per_s)} tok/s",
            words.span(full.low, full.high),
            "context full",
        )
    drafted = plan.spec_decode
    if drafted.tokens_per_s is not None:
        accepted = (
            f"{words.percent(drafted.acceptance)} accepted"
            if drafted.acceptance is not None
            else ""
        )
        yield SpeedRow(
            f"drafted, {drafted.kind}",
            f"{units.rate(drafted.tokens_per_s)} tok/s",
            words.span(drafted.low, drafted.high),
            accepted,
        )
    prompt = units.tokens(asked.prompt_tokens)
    if prefill.tokens_per_s is not None:
        yield SpeedRow(
            f"prefill, {prompt} prompt",
            f"{units.rate(prefill.tokens_per_s)} tok/s",
            words.span(prefill.low, prefill.high),
            words.bound(prefill.bound),
        )
    if prefill.ttft_s is not None:
        last = "first token" + (f", last of {asked.batch:,}" if asked.batch > 1 else "")
        yield SpeedRow(
            last,
            units.seconds(prefill.ttft_s),
            words.seconds_span(prefill.ttft_s_low, prefill.ttft_s_high),
            "all prompts are read first" if asked.batch > 1 else "",
        )


def _read(plan: PlanResult) -> str:
    """What limits decoding, with the bytes and the share of bandwidth behind it."""
    text = words.bound(plan.decode.bound)
    moved = pick(plan.details, "bytes_per_token")
    peak = pick(plan.details, "bandwidth_bytes_per_s")
    share = pick(plan.details, "bandwidth_fraction")
    if moved is None or peak is None or share is None:
        return text
    of_all = f"{plan.devices} x " if plan.devices > 1 else ""
    of_all += words.bandwidth(peak)
    return f"{text}: {units.gigabytes(moved)} a token, {words.percent(share)} of {of_all}"
