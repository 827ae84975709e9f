"""Multi-latent attention: DeepSeek V2 to V3.2, Kimi K2, GLM-4.7-Flash, GLM-5, Mistral Small 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import CacheGroup

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

_MLP_KINDS = frozenset({"dense", "sparse"})
_INDEXER_KINDS = frozenset({"full", "shared"})
# These route without a correction bias.
_PLAIN_ROUTERS = frozenset({"deepseek_v2", "mistral4"})


def latent_attention(parts: Parts, layers: int, *, gate: bool = False) -> None:
    """Low-rank queries, one latent for keys and values of all heads."""
    fields, heads, hidden = parts.fields, parts.heads, parts.hidden
    rank = fields.count("kv_lora_rank")
    nope, rope = fields.count("qk_nope_head_dim"), fields.count("qk_rope_head_dim")
    value = fields.count("v_head_dim")
    query_rank = fields.count("q_lora_rank", default=0, zero=True)
    if query_rank:
        parts.add("attn_q_a", "attention", layers, query_rank, hidden)
        parts.norm(query_rank, layers)
        parts.add("attn_q_b", "attention", layers, heads * (nope + rope), query_rank)
    else:
        parts.add("attn_q", "attention", layers, heads * (nope + rope), hidden)
    parts.add("attn_kv_a", "attention", layers, rank + rope, hidden)
    parts.norm(rank, layers)
    parts.add("attn_kv_b", "attention", layers, heads * (nope + value), rank)
    parts.add("attn_output", "attention", layers, hidden, heads * value)
    if gate:
        parts.add("attn_gate", "attention", layers, heads * value, hidden)


def latent_cache(parts: Parts, layers: int, attended: int | None = None) -> None:
    """kv_lora_rank + rope elements per token, shared by all heads, both K and V.

    This is the absorbed form vLLM, SGLang and llama.cpp run; num_key_value_heads does not count.
    """
    if layers <= 0:
        return
    fields = parts.fields
    rank, rope = fields.count("kv_lora_rank"), fields.count("qk_rope_head_dim")
    parts.caches.append(
        CacheGroup(
            kind="latent",
            layers=layers,
            key_elements=rank + rope,
            value_elements=0,
            flop_elements=parts.heads * (2 * rank + rope),
            attended_tokens=attended,
        )
    )


def read(fields: Fields, model_type: str) -> Parts:
    """The shape of a latent-attention model with experts."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    parts.norm(2 * parts.hidden, layers)
    latent_attention(parts, layers)
    attended = None
    if fields.has("index_topk"):
        attended = fields.count("index_topk")
        kinds = fields.words("indexer_types", layers, _INDEXER_KINDS)
        _indexer(parts, kinds.count("full") if kinds else layers)
    latent_cache(parts, layers, attended)
    _experts(parts)
    return parts


def _indexer(parts: Parts, layers: int, *, cached: bool = True) -> None:
    """The scorer of sparse attention (DeepSeek V3.2, GLM-5): its keys are cached too."""
    fields, hidden = parts.fields, parts.hidden
    heads, width = fields.count("index_n_heads"), fields.count("index_head_dim")
    parts.add("index_q", "indexer", layers, heads * width, fields.count("q_lora_rank"))
    parts.add("index_k", "indexer", layers, width, hidden)
    parts.norm(2 * width, layers)
    parts.add("index_weights", "indexer", layers, heads, hidden)
    if cached and layers:
        parts.caches.append(
            CacheGroup(
                kind="index",
                layers=layers,
                key_elements=width,
                value_elements=0,
                flop_elements=heads * width,
            )
        )


def _experts(parts: Parts) -> None:
    """Dense layers first, then experts; and the drafting blocks, which have experts as well."""
    fields, layers = parts.fields, parts.layers
    kinds = fields.words("mlp_layer_types", layers, _MLP_KINDS)
    first = fields.count("first_k_dense_replace", default=0, zero=True, most=layers)
    dense = kinds.count("dense") if kinds else first
    width = fields.count("moe_intermediate_size")
    experts = fields.count("n_routed_experts", "num_experts")
    chosen = fields.count("num_experts_per_tok")
    shared = fields.count("n_shared_experts", default=0, zero=True) * width
    bias = parts.model_type not in _PLAIN_ROUTERS
    if dense:
        parts.feed_forward(dense, fields.count("intermediate_size"))
    parts.experts(layers - dense, experts, chosen, width, shared=shared, router_bias=bias)
    drafts = fields.drafts("num_nextn_predict_layers")
    with parts.drafting():
        latent_attention(parts, drafts)
        if fields.has("index_topk"):
            _indexer(parts, drafts, cached=False)
        # Two norms of the layer; of the embedding, of the state and of the output.
        parts.norm(5 * parts.hidden, drafts)
        parts.add("eh_proj", "mtp", drafts, parts.hidden, 2 * parts.hidden)
        parts.experts(drafts, experts, chosen, width, shared=shared, router_bias=bias)
