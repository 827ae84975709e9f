"""Gemma 3n and Gemma 4: per-layer embeddings, layers that share a cache, wide heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import READ_LOOKUP

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

_SLIDING = "sliding_attention"
_KINDS = frozenset({_SLIDING, "full_attention"})


def read_gemma3n(fields: Fields, model_type: str) -> Parts:
    """Gemma 3n: alternating updates (AltUp), learned residuals (LAuReL), shared caches."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    _per_layer_embeddings(parts, fields.count("hidden_size_per_layer_input"))
    # Layers that share a cache keep projections of keys and values they do not use.
    parts.attention(layers, norm="head")
    parts.norm(4 * hidden, layers)
    parts.add("hyper", "hyper", layers, 2 * fields.count("laurel_rank"), hidden)
    parts.norm(hidden, layers)
    streams = fields.count("altup_num_inputs")
    # Projections out of and into the further streams, once.
    parts.add("hyper", "hyper", 1, 2 * (streams - 1) * hidden, hidden)
    # In each layer a router over the streams and its norm, a scale, and the coefficients of
    # correction and prediction.
    parts.add("hyper", "hyper", layers, streams, hidden)
    parts.norm(2 * hidden + streams * streams + streams**3, layers)
    parts.feed_forward(layers, fields.count("intermediate_size"))
    kinds = _kinds(fields, layers)
    own = layers - _shared_layers(fields, layers)
    near = kinds[:own].count(_SLIDING)
    parts.cache(own - near)
    parts.cache(near, kind="sliding", window=fields.count("sliding_window"))
    return parts


def _kinds(fields: Fields, layers: int) -> list[str]:
    kinds = fields.words("layer_types", layers, _KINDS)
    if not kinds:
        raise fields.missing("layer_types")
    return kinds


def _shared_layers(fields: Fields, layers: int) -> int:
    """How many of the last layers use the cache of an earlier one."""
    return fields.count("num_kv_shared_layers", default=0, zero=True, most=layers - 1)


def _per_layer_embeddings(parts: Parts, inner: int) -> None:
    """A second embedding table, one row of it for each layer and token; hardly any bandwidth."""
    layers, hidden = parts.layers, parts.hidden
    rows = parts.fields.count("vocab_size_per_layer_input")
    parts.add("ple_embd", "ple", 1, rows, layers * inner, read=READ_LOOKUP)
    parts.add("ple_model_proj", "ple", 1, layers * inner, hidden)
    parts.norm(inner)
    parts.add("ple_gate", "ple", layers, inner, hidden)
    parts.add("ple_proj", "ple", layers, hidden, inner)
    parts.norm(hidden, layers)


def read_gemma4(fields: Fields, model_type: str) -> Parts:
    """Gemma 4: wide heads in full layers, values that are the keys, experts beside a dense MLP."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    inner = fields.count("hidden_size_per_layer_input", default=0, zero=True)
    if inner:
        _per_layer_embeddings(parts, inner)
    shared = _shared_layers(fields, layers)
    _gemma4_attention(parts, layers - shared, shared)
    parts.norm(4 * hidden, layers)
    width = fields.count("intermediate_size")
    wide = shared if fields.flag("use_double_wide_mlp", default=False) else 0
    parts.feed_forward(layers - wide, width)
    parts.feed_forward(wide, 2 * width)
    if fields.flag("enable_moe_block", default=False):
        experts = fields.count("num_experts")
        parts.experts(
            layers,
            experts,
            fields.count("top_k_experts"),
            fields.count("moe_intermediate_size", "expert_intermediate_size"),
        )
        # Three norms around the experts, the router's scale, and one for each expert.
        parts.norm(3 * hidden + hidden + experts, layers)
    return parts


def _gemma4_attention(parts: Parts, own: int, shared: int) -> None:
    """Layers with a cache of their own, then those that have only queries."""
    fields = parts.fields
    kinds = _kinds(fields, parts.layers)
    window = fields.count("sliding_window")
    head = fields.count("global_head_dim", default=parts.head)
    kv_heads = fields.count("num_global_key_value_heads", default=parts.kv_heads, most=parts.heads)
    values = not fields.flag("attention_k_eq_v", default=False)
    near = kinds[:own].count(_SLIDING)
    parts.attention(near, norm="head")
    parts.attention(own - near, head=head, kv_heads=kv_heads, norm="head", values=values)
    # Where values are the keys they are cached all the same: only keys are rotated.
    parts.cache(near, kind="sliding", window=window)
    parts.cache(own - near, head=head, kv_heads=kv_heads)
    near = kinds[own:].count(_SLIDING)
    parts.attention(near, norm="head", keys=False)
    parts.attention(shared - near, head=head, norm="head", keys=False)
