"""What a text model takes on the fullest device: weights, caches, states, buffers, the engine.

As in the rest of the plans, a load may hold arrays: the same lines answer one question and a sweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.core import activations, kv_cache, weights
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.shapes import CacheGroup
    from spark_plan.core.num import Num
    from spark_plan.scenario import Scenario


class MemoryItems(NamedTuple):
    """What the fullest device holds [bytes]."""

    weights_bytes: Num
    kv_cache_bytes: Num
    state_bytes: Num
    activations_bytes: Num
    engine_bytes: Num

    @property
    def total_bytes(self) -> Num:
        """All of it."""
        return (
            self.weights_bytes
            + self.kv_cache_bytes
            + self.state_bytes
            + self.activations_bytes
            + self.engine_bytes
        )


def memory(scenario: Scenario, *, context_tokens: Num, batch: Num) -> MemoryItems:
    """Memory of the fullest device for `batch` sequences of `context_tokens` each [bytes]."""
    engine, architecture, devices = scenario.engine_memory, scenario.architecture, scenario.devices
    cache: Num = 0
    for group in architecture.caches:
        tokens = _allocated(scenario, group, context_tokens)
        share = _cache_share(scenario, group)
        cache = cache + share * kv_cache.cache_bytes(
            layers=group.layers,
            tokens=tokens / group.tokens_per_entry,
            elements_per_token=group.key_elements + group.value_elements,
            bits_per_element=scenario.kv_bits,
        )
    state = sum(
        group.layers
        * (
            group.recurrent_elements * scenario.state_bits
            + group.conv_elements * engine.conv_state_bits
        )
        / 8
        for group in architecture.states
    )
    buffers = activations.step_bytes(
        step_tokens=engine.step_tokens,
        hidden=architecture.hidden,
        bytes_per_hidden=engine.bytes_per_hidden,
        logit_rows=engine.logit_rows,
        vocab=architecture.vocab,
        bytes_per_logit=engine.bytes_per_logit,
        context_tokens=context_tokens * batch,
        bytes_per_context_token=engine.bytes_per_context_token,
    )
    return MemoryItems(
        weights_bytes=_weights_bytes(scenario),
        kv_cache_bytes=cache * batch,
        state_bytes=state * batch / devices,
        activations_bytes=buffers,
        engine_bytes=engine.context_bytes + engine.graph_bytes,
    )


def _allocated(scenario: Scenario, group: CacheGroup, context_tokens: Num) -> Num:
    engine = scenario.engine_memory
    if group.window_tokens is None:
        return kv_cache.allocated_tokens(
            context_tokens=context_tokens, block_tokens=engine.block_tokens
        )
    return kv_cache.windowed_tokens(
        context_tokens=context_tokens,
        window_tokens=group.window_tokens,
        padding_tokens=engine.window_padding_tokens,
        block_tokens=engine.block_tokens,
    )


def _cache_share(scenario: Scenario, group: CacheGroup) -> Num:
    """How much of a group's cache one device holds: latents and indexes have no heads to cut."""
    if scenario.devices == 1:
        return 1
    if scenario.split == "pipeline":
        return _fullest_layers(scenario) / scenario.architecture.layers
    if group.kind in {"latent", "index", "compressed"}:
        return 1
    return kv_cache.heads_per_device(kv_heads=group.kv_heads, devices=scenario.devices)


def _fullest_layers(scenario: Scenario) -> int:
    return -(-scenario.architecture.layers // scenario.devices)


def _weights_bytes(scenario: Scenario) -> Num:
    held, devices = scenario.weights, scenario.devices
    if devices == 1:
        return held.resident_bytes
    if scenario.split == "pipeline":
        ends = held.embedding_bytes + (
            0 if scenario.architecture.embedding_tied else held.head_bytes
        )
        return weights.pipeline_parallel_bytes(
            layer_bytes=held.resident_bytes - ends,
            layers=scenario.architecture.layers,
            devices=devices,
            edge_bytes=max(held.embedding_bytes, held.head_bytes),
        )
    return weights.tensor_parallel_bytes(
        sharded_bytes=held.matrix_bytes, replicated_bytes=held.vector_bytes, devices=devices
    )
