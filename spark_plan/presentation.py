"""Raw material a renderer needs beside the contract's keys, and the arithmetic behind `--why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.result import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_plan.catalog.catalog import Catalog
    from spark_plan.planning import Plan
    from spark_plan.plans.llm import StepTime


def details(catalog: Catalog, planned: Plan) -> Entry:
    """What to say beside the numbers: names, bytes by format, layers by kind (no finished text)."""
    scenario = planned.scenario
    subject, choice, step = scenario.subject, scenario.choice, planned.estimate.step
    hardware, machine = subject.hardware, scenario.machine
    desktop_bytes = machine.system_bytes if machine.unified and not machine.capped else 0
    read_bytes = float(step.read_bytes)
    return Entry(
        model_name=subject.model.name,
        hardware_name=hardware.name,
        memory_gb=hardware.memory_gb,
        hardware_status=hardware.status,
        engine_name=choice.engine.name,
        scheme_title=choice.scheme.title,
        own_precision=choice.scheme.id in subject.model.own_schemes,
        how=choice.how,
        weights_by_format=Entry(scenario.weights.by_format),
        cache_layers=[
            Entry(kind=group.kind, layers=group.layers, window_tokens=group.window_tokens)
            for group in scenario.architecture.caches
        ],
        state_layers=sum(group.layers for group in scenario.architecture.states),
        micro_batch_tokens=int(scenario.engine_memory.step_tokens),
        unified=machine.unified,
        headless=machine.headless,
        headless_saves_bytes=0 if machine.headless else desktop_bytes // 2,
        params_total=sum(
            group.elements
            for group in scenario.architecture.tensors
            if group.role not in {"tower", "mtp"}
        ),
        max_model_context_tokens=scenario.architecture.max_context_tokens,
        bytes_per_token=read_bytes / scenario.load.batch,
        bandwidth_bytes_per_s=machine.bandwidth_bytes_per_s,
        bandwidth_fraction=read_bytes
        / float(step.total_s)
        / (machine.bandwidth_bytes_per_s * scenario.devices),
        measured_rows=catalog.efficiency().measured.get(hardware.id, 0),
    )


def explanation(planned: Plan) -> tuple[Entry, ...]:
    """The formulas behind the answer, each with the numbers of this case."""
    return (*_memory_lines(planned), *_speed_lines(planned))


def _line(group: str, name: str, formula: str, value: float, unit: str) -> Entry:
    return Entry(group=group, name=name, formula=formula, value=value, unit=unit)


def _memory_lines(planned: Plan) -> Iterator[Entry]:
    scenario, items = planned.scenario, planned.estimate.memory
    held, engine, load = scenario.weights, scenario.engine_memory, scenario.load
    formats = " + ".join(f"{size:,} in {name}" for name, size in sorted(held.by_format.items()))
    divided = f", over {scenario.devices} devices by {scenario.split}" if scenario.link else ""
    yield _line("memory", "weights", f"{formats}{divided}", float(items.weights_bytes), "bytes")
    for group in scenario.architecture.caches:
        window = f", window {group.window_tokens:,}" if group.window_tokens else ""
        yield _line(
            "memory",
            f"KV cache, {group.kind} layers",
            f"{group.layers} layers x {group.key_elements + group.value_elements:,} elements x "
            f"{scenario.kv_bits:g} bits / 8 for each token{window}",
            group.layers
            * (group.key_elements + group.value_elements)
            * scenario.kv_bits
            / 8
            / group.tokens_per_entry,
            "bytes/token",
        )
    yield _line(
        "memory",
        "KV cache",
        f"{load.batch:,} sequences of {load.context_tokens:,} tokens, blocks of "
        f"{engine.block_tokens:g}",
        float(items.kv_cache_bytes),
        "bytes",
    )
    for state in scenario.architecture.states:
        yield _line(
            "memory",
            f"state, {state.kind} layers",
            f"{load.batch:,} sequences x {state.layers} layers x ({state.recurrent_elements:,} "
            f"elements x {scenario.state_bits:g} bits + {state.conv_elements:,} x "
            f"{engine.conv_state_bits:g}) / 8",
            float(items.state_bytes),
            "bytes",
        )
    yield _line(
        "memory",
        "compute buffers",
        f"{engine.step_tokens:g} tokens x {scenario.architecture.hidden:,} x "
        f"{engine.bytes_per_hidden:g} + {engine.logit_rows:g} rows x "
        f"{scenario.architecture.vocab:,} x {engine.bytes_per_logit:g} + context x "
        f"{engine.bytes_per_context_token:g}",
        float(items.activations_bytes),
        "bytes",
    )
    yield _line(
        "memory",
        "engine",
        f"driver context {engine.context_bytes:,.0f} + graphs {engine.graph_bytes:,.0f}",
        float(items.engine_bytes),
        "bytes",
    )


def _speed_lines(planned: Plan) -> Iterator[Entry]:
    scenario, estimate = planned.scenario, planned.estimate
    if planned.verdict == "does_not_fit":
        return
    speed, several = scenario.speed, scenario.load.batch > 1
    fractions = ", ".join(
        f"{kernel} {pair.batch if several else pair.single:g}"
        for kernel, pair in sorted({**speed.dense, **speed.experts}.items())
    )
    bandwidth = scenario.machine.bandwidth_bytes_per_s
    yield from _step_lines(
        "decode",
        estimate.step,
        f"{float(estimate.step.read_bytes):,.0f} bytes / ({bandwidth:,.0f} bytes/s x ({fractions},"
        f" cache {speed.cache.batch if several else speed.cache.single:g}))",
        f"{scenario.architecture.layers} layers x t_layer + {scenario.architecture.expert_layers} "
        "expert layers x t_expert_layer + t_step",
    )
    yield from _step_lines(
        "prefill",
        estimate.prompt,
        f"weights once a chunk of {scenario.engine_memory.step_tokens:g} tokens, "
        f"{speed.f_stream:g} of bandwidth",
        "a fixed time for each request",
    )


def _step_lines(group: str, step: StepTime, memory: str, overhead: str) -> Iterator[Entry]:
    rows = (
        ("memory", memory, step.memory_s),
        (
            "compute",
            "FLOPs / achieved rate: 2 for each weight and token, attention",
            step.compute_s,
        ),
        ("link", "all-reduces, or hops between stages", step.link_s),
        ("overhead", overhead, step.overhead_s),
        ("total", "the sum", step.total_s),
    )
    for name, formula, value in rows:
        if float(value) > 0:
            yield _line(group, name, formula, float(value), "s")
