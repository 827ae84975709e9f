"""Experts with attention of two kinds of layers: MiniMax M3 and MiMo V2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import CacheGroup

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields


def read_minimax_m3(fields: Fields, model_type: str) -> Parts:
    """MiniMax M3: grouped queries, most layers with a block index of four heads."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    parts.attention(layers, norm="head")
    parts.norm(2 * parts.hidden, layers)
    indexed = _block_index(parts)
    parts.cache(layers - indexed)
    sparse = sum(fields.switches("moe_layer_freq", layers))
    if sparse < layers:
        parts.feed_forward(layers - sparse, fields.count("dense_intermediate_size"))
    parts.experts(
        sparse,
        fields.count("num_local_experts"),
        fields.count("num_experts_per_tok"),
        fields.count("intermediate_size"),
        shared=fields.count("shared_intermediate_size", default=0, zero=True),
        router_bias=fields.flag("use_routing_bias", default=True),
    )
    return parts


def _block_index(parts: Parts) -> int:
    """Index keys that choose blocks of the cache, which is kept whole; returns their layers."""
    sparse = parts.fields.nested("sparse_attention_config")
    if sparse is None:
        return 0
    layers = sum(sparse.switches("sparse_attention_freq", parts.layers))
    width, heads = sparse.count("sparse_index_dim"), sparse.count("sparse_num_index_heads")
    attended = sparse.count("sparse_topk_blocks") * sparse.count("sparse_block_size")
    parts.add("index_q", "indexer", layers, heads * width, parts.hidden)
    parts.add("index_k", "indexer", layers, width, parts.hidden)
    parts.norm(2 * width, layers)
    if layers:
        parts.caches.append(CacheGroup("index", layers, width, 0, flop_elements=heads * width))
    parts.cache(layers, attended=attended)
    return layers


def read_mimo_v2(fields: Fields, model_type: str) -> Parts:
    """MiMo V2: window layers with more key heads than full ones, keys wider than values.

    Its three drafting blocks are not in the config, so not in the shape.
    """
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    windowed = sum(fields.switches("hybrid_layer_pattern", layers))
    value = fields.count("v_head_dim")
    near_heads = fields.count("swa_num_attention_heads")
    near_kv_heads = fields.count("swa_num_key_value_heads", most=near_heads)
    near_head, near_value = fields.count("swa_head_dim"), fields.count("swa_v_head_dim")
    parts.attention(layers - windowed, value=value)
    parts.attention(
        windowed, heads=near_heads, kv_heads=near_kv_heads, head=near_head, value=near_value
    )
    for key, count, heads in (
        ("add_swa_attention_sink_bias", windowed, near_heads),
        ("add_full_attention_sink_bias", layers - windowed, parts.heads),
    ):
        if fields.flag(key, default=False):
            parts.add("attn_sinks", "attention", count, heads)
    parts.norm(2 * parts.hidden, layers)
    parts.cache(layers - windowed, value=value)
    parts.cache(
        windowed,
        kind="sliding",
        window=fields.count("sliding_window"),
        heads=near_heads,
        kv_heads=near_kv_heads,
        head=near_head,
        value=near_value,
    )
    sparse = sum(fields.switches("moe_layer_freq", layers))
    width = fields.count("moe_intermediate_size")
    parts.feed_forward(layers - sparse, fields.count("intermediate_size"))
    parts.experts(
        sparse,
        fields.count("n_routed_experts"),
        fields.count("num_experts_per_tok"),
        width,
        shared=fields.count("n_shared_experts", default=0, zero=True) * width,
        router_bias=True,
    )
    return parts
