"""How fast text models decode and read prompts, on one machine or several linked ones.

Every function takes the scenario's plain numbers and a load that may hold arrays; the same lines
answer one question and a sweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.core import collectives, decode, kv_cache, prefill, roofline, weights
from spark_plan.core.num import maximum, minimum, select
from spark_plan.plans.memory import MemoryItems, memory
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.shapes import CacheGroup
    from spark_plan.core.num import Num
    from spark_plan.scenario import Scenario
    from spark_plan.scenario.load import Load
    from spark_plan.scenario.speed_terms import Pair

# Attention kernels slow down on heads as wide as Gemma 4's 512 elements.
WIDE_HEAD_ELEMENTS = 512
# Rows of 16-bit matrices below this width do not fill the machine at batch 1 (decode.narrow_share).
NARROW_BELOW, WIDE_FROM = 3072, 4096
WIDTH_16_BIT = "w16"
ACTIVATION_BYTES = 2  # the residual stream that devices exchange is 16 bit
READ_AND_WRITE = 2


class StepTime(NamedTuple):
    """One pass, by what it waits for [s], and the bytes it reads on all devices together."""

    memory_s: Num
    compute_s: Num
    link_s: Num
    overhead_s: Num
    read_bytes: Num

    @property
    def total_s(self) -> Num:
        """The sum: kernels run one after another."""
        return self.memory_s + self.compute_s + self.link_s + self.overhead_s


class Estimate(NamedTuple):
    """A plan's numbers [bytes, s]; rates follow from them."""

    memory: MemoryItems
    step: StepTime
    step_at_full: StepTime
    prompt: StepTime
    burst_step_s: Num


def decode_step(scenario: Scenario, *, depth_tokens: Num, batch: Num) -> StepTime:
    """One decode step of `batch` sequences whose caches hold `depth_tokens` each."""
    speed, machine, held = scenario.speed, scenario.machine, scenario.weights
    architecture = scenario.architecture
    several = batch > 1
    bandwidth = machine.bandwidth_bytes_per_s

    def at(pair: Pair) -> Num:
        return select(several, pair.batch, pair.single)

    memory_s: Num = 0
    read: Num = 0
    for part in (*held.dense, *held.head):
        memory_s = memory_s + roofline.stream_s(
            size_bytes=part.size_bytes,
            bandwidth_bytes_per_s=bandwidth,
            fraction=at(speed.dense[part.kernel]),
        )
        read = read + part.size_bytes
        if part.kernel == WIDTH_16_BIT:
            narrow = decode.narrow_share(
                hidden=architecture.hidden, narrow_below=NARROW_BELOW, wide_from=WIDE_FROM
            )
            memory_s = memory_s + select(
                several, 0.0, speed.narrow_extra * narrow * part.size_bytes / bandwidth
            )
    touched = _touched_share(scenario, batch, speed.expert_spread)
    for part in held.experts:
        memory_s = memory_s + roofline.stream_s(
            size_bytes=part.size_bytes * touched,
            bandwidth_bytes_per_s=bandwidth,
            fraction=at(speed.experts[part.kernel]),
        )
        read = read + part.size_bytes * touched
    for group in architecture.caches:
        cached = batch * _read_cache_bytes(scenario, group, depth_tokens, several)
        wide = group.head_elements >= WIDE_HEAD_ELEMENTS
        memory_s = memory_s + roofline.stream_s(
            size_bytes=cached,
            bandwidth_bytes_per_s=bandwidth,
            fraction=at(speed.cache_wide if wide else speed.cache),
        )
        read = read + cached
    state = batch * _state_traffic_bytes(scenario)
    memory_s = memory_s + roofline.stream_s(
        size_bytes=state, bandwidth_bytes_per_s=bandwidth, fraction=at(speed.state)
    )
    state_layers = sum(group.layers for group in architecture.states)
    overhead_s = (
        decode.overhead_s(
            layers=architecture.layers,
            layer_s=at(speed.t_layer_s),
            expert_layers=architecture.expert_layers,
            expert_layer_s=at(speed.t_expert_layer_s),
            step_s=at(speed.t_step_s),
        )
        + state_layers * speed.t_state_layer_s
    )
    compute_s = select(several, _batch_compute_s(scenario, batch), 0.0)
    step = StepTime(memory_s, compute_s, 0.0, overhead_s, read + state)
    return _over_devices(scenario, step, tokens=batch, passes=1)


def _touched_share(scenario: Scenario, tokens: Num, spread: float) -> Num:
    """Share of the routed experts that a pass of so many tokens reads [-]."""
    experts = scenario.architecture.experts
    if not experts:
        return 0
    return (
        weights.distinct_experts(
            experts=experts,
            experts_per_token=scenario.architecture.experts_per_token,
            tokens=tokens,
            spread=spread,
        )
        / experts
    )


def _read_cache_bytes(
    scenario: Scenario, group: CacheGroup, depth_tokens: Num, several: bool
) -> Num:
    """Cache one sequence reads in a step [bytes]."""
    window: Num | None = group.window_tokens
    if window is not None:
        # Several sequences read the padded window: their kernels do not skip masked cells.
        window = window + select(several, scenario.engine_memory.window_padding_tokens, 0)
    attended = decode.attended_tokens(depth_tokens=depth_tokens, window_tokens=window)
    if group.attended_tokens is not None:
        attended = minimum(attended, group.attended_tokens)
    return kv_cache.cache_bytes(
        layers=group.layers,
        tokens=attended / group.tokens_per_entry,
        elements_per_token=group.key_elements + group.value_elements,
        bits_per_element=scenario.kv_bits,
    )


def _state_traffic_bytes(scenario: Scenario) -> float:
    """Recurrent state one sequence reads and writes in a step [bytes]."""
    return sum(
        READ_AND_WRITE
        * group.layers
        * (
            group.recurrent_elements * scenario.state_bits
            + group.conv_elements * scenario.engine_memory.conv_state_bits
        )
        / 8
        for group in scenario.architecture.states
    )


def _batch_compute_s(scenario: Scenario, batch: Num) -> Num:
    held, speed, architecture = scenario.weights, scenario.speed, scenario.architecture
    peak = scenario.machine.peak_flops_per_s
    dense = sum(part.elements for part in (*held.dense, *held.head))
    routed = sum(part.elements for part in held.experts)
    share = architecture.experts_per_token / architecture.experts if architecture.experts else 0
    return roofline.compute_s(
        flops=prefill.linear_flops(tokens=batch, parameters=dense),
        flops_per_s=peak * speed.share_batch_dense,
    ) + roofline.compute_s(
        flops=prefill.linear_flops(tokens=batch, parameters=routed * share),
        flops_per_s=peak * speed.share_batch_expert,
    )


def prompt_pass(scenario: Scenario, load: Load) -> StepTime:
    """Reading the prompts of a whole batch, from its arrival to the last first token."""
    speed, machine, held = scenario.speed, scenario.machine, scenario.weights
    architecture = scenario.architecture
    tokens = load.batch * load.prompt_tokens
    chunk = minimum(tokens, scenario.engine_memory.step_tokens)
    chunks = prefill.chunk_count(tokens=tokens, chunk_tokens=scenario.engine_memory.step_tokens)
    touched = _touched_share(scenario, chunk, 1.0)
    streamed = sum(part.size_bytes for part in held.dense) + touched * sum(
        part.size_bytes for part in held.experts
    )
    memory_s = chunks * roofline.stream_s(
        size_bytes=streamed,
        bandwidth_bytes_per_s=machine.bandwidth_bytes_per_s,
        fraction=speed.f_stream,
    )
    share = architecture.experts_per_token / architecture.experts if architecture.experts else 0
    rates = [(p, 1.0, speed.share_dense[p.format_id]) for p in held.dense]
    rates += [(p, share, speed.share_experts[p.format_id]) for p in held.experts]
    compute_s: Num = 0
    for part, active, achieved in rates:
        compute_s = compute_s + roofline.compute_s(
            flops=prefill.linear_flops(tokens=tokens, parameters=part.elements * active),
            flops_per_s=machine.peak_flops_per_s * achieved,
        )
    compute_s = compute_s + _attention_s(scenario, load) + _recurrence_s(scenario, tokens)
    step = StepTime(memory_s, compute_s, 0.0, speed.t_request_s, streamed * chunks)
    return _over_devices(scenario, step, tokens=tokens, passes=chunks)


def _attention_s(scenario: Scenario, load: Load) -> Num:
    speed, peak = scenario.speed, scenario.machine.peak_flops_per_s
    total: Num = 0
    for group in scenario.architecture.caches:
        wide = group.head_elements >= WIDE_HEAD_ELEMENTS
        bound = group.window_tokens if group.attended_tokens is None else group.attended_tokens
        total = total + roofline.compute_s(
            flops=load.batch
            * group.layers
            * prefill.attention_flops(
                prompt_tokens=load.prompt_tokens,
                depth_tokens=load.depth_tokens,
                window_tokens=bound,
                pair_elements=group.flop_elements,
            ),
            flops_per_s=peak * (speed.share_attention_wide if wide else speed.share_attention),
        )
    return total


def _recurrence_s(scenario: Scenario, tokens: Num) -> Num:
    per_token = sum(g.layers * g.flops_per_token for g in scenario.architecture.states)
    rate = scenario.machine.peak_flops_per_s * scenario.speed.share_recurrence
    return roofline.compute_s(flops=tokens * per_token, flops_per_s=rate)


def _over_devices(scenario: Scenario, step: StepTime, *, tokens: Num, passes: Num) -> StepTime:
    """The same pass divided over linked devices."""
    link, devices = scenario.link_numbers, scenario.devices
    if link is None:
        return step
    if scenario.split == "pipeline":
        hops = collectives.pipeline_hop_s(devices=devices, hop_s=link.hop_s)
        return step._replace(link_s=hops * passes)
    link_s = passes * collectives.all_reduce_s(
        calls=scenario.weights.reduces_per_step,
        latency_s=link.all_reduce_s,
        message_bytes=tokens / maximum(passes, 1) * scenario.architecture.hidden * ACTIVATION_BYTES,
        bandwidth_bytes_per_s=link.bandwidth_bytes_per_s,
        devices=devices,
    )
    return step._replace(
        memory_s=step.memory_s / devices, compute_s=step.compute_s / devices, link_s=link_s
    )


def estimate(scenario: Scenario) -> Estimate:
    """Everything a plan's answer is made of, for the scenario's load."""
    load = scenario.load
    depth = decode.mean_depth_tokens(
        depth_tokens=load.depth_tokens,
        prompt_tokens=load.prompt_tokens,
        output_tokens=load.output_tokens,
    )
    step = decode_step(scenario, depth_tokens=depth, batch=load.batch)
    full = load.context_tokens - load.output_tokens / 2
    prompt = prompt_pass(scenario, load)
    wait = decode.burst_wait_s(
        batch=load.batch,
        prompt_s=prompt.total_s / load.batch,
        output_tokens=load.output_tokens,
        share=scenario.speed.burst_share,
    )
    return Estimate(
        memory=memory(scenario, context_tokens=load.context_tokens, batch=load.batch),
        step=step,
        step_at_full=decode_step(scenario, depth_tokens=full, batch=load.batch),
        prompt=prompt,
        burst_step_s=step.total_s + wait,
    )
