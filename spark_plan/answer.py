"""A plan's numbers -> the result the contract words: rates, ranges, cost, notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spark_plan import errors, result
from spark_plan.core import budget, roofline
from spark_plan.options import Options, flag
from spark_plan.plans import limits
from spark_plan.presentation import details, explanation
from spark_plan.remedies import hardware_id, remedies
from spark_plan.units import parse_rate

if TYPE_CHECKING:
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.planning import Plan
    from spark_plan.plans.llm import StepTime
    from spark_plan.scenario import Scenario
    from spark_plan.scenario.speed_terms import Spread


def build(
    catalog: Catalog, options: Options, planned: Plan, *, brief: bool = False
) -> result.PlanResult:
    """The answer to one plan; `brief` leaves out what would make it fit."""
    scenario, fits = planned.scenario, planned.verdict != budget.DOES_NOT_FIT
    subject, choice, load = scenario.subject, scenario.choice, scenario.load
    speeds = fits and not scenario.architecture.encoder_only
    decode = _decode(planned) if speeds else result.DecodeResult()
    prefill = _prefill(planned) if fits else result.PrefillResult()
    if not fits:
        scenario.evidence.note("no-speed", "A plan that does not fit has no speed.")
    targets = _targets(options, decode, prefill)
    return result.PlanResult(
        model=subject.model.id,
        precision=choice.scheme.id,
        precision_asked=subject.asked,
        checkpoint=choice.checkpoint.repo if choice.checkpoint else None,
        hardware=hardware_id(planned),
        devices=scenario.devices,
        engine=choice.engine.id,
        engine_version=subject.engine_version,
        kv_precision=scenario.kv_format,
        split=scenario.split,
        link=scenario.link.id if scenario.link else None,
        placement="device",
        load=result.LoadResult(*(int(value) for value in load)),
        verdict=planned.verdict,
        exit_code=_exit_code(planned.verdict, targets, strict=options.strict),
        targets=targets,
        memory=_memory(planned),
        limits=result.LimitsResult(
            max_context_tokens=limits.max_context_tokens(scenario),
            max_batch=None if scenario.architecture.encoder_only else limits.max_batch(scenario),
        ),
        decode=decode,
        decode_at_full=_at_full(planned) if speeds else result.DecodeAtFullResult(),
        prefill=prefill,
        spec_decode=result.SpecDecodeResult(),
        cost=_cost(scenario, decode.tokens_per_s),
        evidence=result.EvidenceResult(level=scenario.speed.level, rows=scenario.speed.rows),
        details=details(catalog, planned),
        remedies=None if fits or brief else remedies(catalog, options, planned),
        why=explanation(planned) if options.why else None,
        notes=tuple(scenario.evidence.notes),
    )


def _exit_code(verdict: str, targets: tuple[result.TargetResult, ...], *, strict: bool) -> int:
    if verdict == budget.DOES_NOT_FIT or (strict and verdict == budget.TIGHT):
        return errors.EXIT_DOES_NOT_FIT
    if any(not target.met for target in targets):
        return errors.EXIT_MISSES_TARGET
    return errors.EXIT_OK


def _memory(planned: Plan) -> result.MemoryResult:
    scenario, items = planned.scenario, planned.estimate.memory
    machine, engine = scenario.machine, scenario.choice.engine
    parts = [round(value) for value in items]
    total = sum(parts)
    reserved = total
    if scenario.engine_memory.reserves:
        fraction = machine.memory_fraction or budget.reserve_fraction(
            total_bytes=total, visible_bytes=machine.visible_bytes, unified=machine.unified
        )
        reserved = round(fraction * machine.visible_bytes)
        default = scenario.engine_memory.default_fraction or 0
        fits = planned.verdict != budget.DOES_NOT_FIT
        if fits and default > fraction and machine.memory_fraction is None:
            scenario.evidence.note(
                "reservation-default",
                f"Left alone, {engine.name} takes {default:g} of all memory: start it with "
                f"{engine.reserve_flag} at the share the plan reserves.",
            )
    weights, cache, state, activations, engine_bytes = parts
    return result.MemoryResult(
        visible_bytes=machine.visible_bytes,
        usable_bytes=machine.usable_bytes,
        system_bytes=machine.system_bytes,
        total_bytes=total,
        reserved_bytes=reserved,
        free_bytes=machine.usable_bytes - total,
        weights_bytes=weights,
        file_bytes=scenario.weights.file_bytes,
        kv_cache_bytes=cache,
        state_bytes=state,
        activations_bytes=activations,
        engine_bytes=engine_bytes,
        pools=_pools(scenario, total),
    )


def _pools(scenario: Scenario, total_bytes: int) -> tuple[result.PoolResult, ...] | None:
    """Both pools of a machine that has two; they are never added."""
    hardware, machine = scenario.subject.hardware, scenario.machine
    if len(hardware.pools) < 2:
        return None
    placed = result.PoolResult(
        kind=hardware.pools[0].kind,
        visible_bytes=machine.visible_bytes,
        usable_bytes=machine.usable_bytes,
        used_bytes=total_bytes,
        bandwidth_bytes_per_s=machine.bandwidth_bytes_per_s,
    )
    others = []
    for pool in hardware.pools[1:]:
        capacity = pool.capacity_bytes.value if pool.capacity_bytes else None
        bandwidth = pool.bandwidth_bytes_per_s.value if pool.bandwidth_bytes_per_s else None
        if capacity is not None and bandwidth is not None:
            others.append(result.PoolResult(pool.kind, int(capacity), int(capacity), 0, bandwidth))
    return (placed, *others)


def _decode_spread(scenario: Scenario) -> Spread:
    speed = scenario.speed
    return speed.decode_spread if scenario.load.batch == 1 else speed.batch_spread


def _bound(step: StepTime) -> str:
    return roofline.bound(
        {
            "memory": step.memory_s,
            "compute": step.compute_s,
            "link": step.link_s,
            "overhead": step.overhead_s,
        }
    )


def _decode(planned: Plan) -> result.DecodeResult:
    scenario, estimate = planned.scenario, planned.estimate
    batch, spread = scenario.load.batch, _decode_spread(scenario)
    rate, burst = batch / estimate.step.total_s, batch / estimate.burst_step_s
    waits = batch > 1 and math.isinf(scenario.machine.peak_flops_per_s)
    return result.DecodeResult(
        tokens_per_s=rate,
        low=rate * spread.low,
        high=rate * spread.high,
        tokens_per_s_per_request=rate / batch,
        tokens_per_s_per_request_low=rate / batch * spread.low,
        tokens_per_s_per_request_high=rate / batch * spread.high,
        burst_tokens_per_s=None if waits else burst,
        burst_tokens_per_s_low=None if waits else burst * spread.low,
        burst_tokens_per_s_high=None if waits else burst * spread.high,
        bound=_bound(estimate.step),
    )


def _at_full(planned: Plan) -> result.DecodeAtFullResult:
    scenario = planned.scenario
    spread = _decode_spread(scenario)
    rate = scenario.load.batch / planned.estimate.step_at_full.total_s
    depth = int(scenario.load.context_tokens - scenario.load.output_tokens)
    return result.DecodeAtFullResult(rate, rate * spread.low, rate * spread.high, depth)


def _prefill(planned: Plan) -> result.PrefillResult:
    scenario, prompt = planned.scenario, planned.estimate.prompt
    load, spread = scenario.load, scenario.speed.prefill_spread
    if math.isinf(scenario.machine.peak_flops_per_s):
        return result.PrefillResult()
    first_s = prompt.total_s
    if load.prompt_tokens == 0:
        # Nothing to read: the first token is the first decode step.
        first_s, decode = planned.estimate.step.total_s, _decode_spread(scenario)
        return result.PrefillResult(
            ttft_s=first_s, ttft_s_low=first_s / decode.high, ttft_s_high=first_s / decode.low
        )
    rate = load.batch * load.prompt_tokens / first_s
    return result.PrefillResult(
        tokens_per_s=rate,
        low=rate * spread.low,
        high=rate * spread.high,
        ttft_s=first_s,
        ttft_s_low=first_s / spread.high,
        ttft_s_high=first_s / spread.low,
        bound=_bound(prompt),
    )


def _targets(
    options: Options, decode: result.DecodeResult, prefill: result.PrefillResult
) -> tuple[result.TargetResult, ...]:
    found = []
    if options.min_tps is not None:
        wanted = parse_rate(options.min_tps, name=flag("min_tps"))
        rate = decode.tokens_per_s_per_request
        found.append(
            result.TargetResult("min_tps", wanted, rate, rate is not None and rate >= wanted)
        )
    if options.max_ttft_s is not None:
        wanted = parse_rate(options.max_ttft_s, name=flag("max_ttft_s"))
        first_s = prefill.ttft_s
        met = first_s is not None and first_s <= wanted
        found.append(result.TargetResult("max_ttft", wanted, first_s, met))
    return tuple(found)


def _cost(scenario: Scenario, tokens_per_s: float | None) -> result.CostResult:
    hardware, evidence = scenario.subject.hardware, scenario.evidence
    fitting = [
        price
        for price in hardware.prices
        if price.usd.value is not None
        and (price.memory_gb is None or price.memory_gb == hardware.memory_gb)
    ]
    price_usd = None
    if fitting:
        newest = max(fitting, key=lambda price: price.date)
        price_usd = evidence.use("hardware.price_usd", newest.usd, hardware) * scenario.devices
    power_w = None
    load, most = hardware.load_power_w, hardware.max_power_w
    if load is not None and load.value is not None:
        power_w = evidence.use("hardware.load_power_w", load, hardware) * scenario.devices
    elif most is not None and most.value is not None:
        power_w = evidence.use("hardware.max_power_w", most, hardware) * scenario.devices
        evidence.note(
            "power-assumed", "Power under load is not measured: the board's limit stands in."
        )
    return result.CostResult(
        price_usd=price_usd,
        power_w=power_w,
        tokens_per_joule=tokens_per_s / power_w if tokens_per_s and power_w else None,
        tokens_per_s_per_usd=tokens_per_s / price_usd if tokens_per_s and price_usd else None,
    )
