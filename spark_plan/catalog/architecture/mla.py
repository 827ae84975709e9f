"""Multi-latent attention: DeepSeek V2 to V3.2, Kimi K2, GLM-4.7-Flash, GLM-5, Mistral Small 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import CacheGroup

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields


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
    """kv_lora_rank + rope elements per token, shared by all heads, both K and V."""
    fields = parts.fields
    rank, rope = fields.count("kv_lora_rank"), fields.count("qk_rope_head_dim")
    parts.caches.append(
        CacheGroup(
            kind="latent", layers=layers, key_elements=rank + rope, value_elements=0,
            flop_elements=parts.heads * (2 * rank + rope), attended_tokens=attended,
        )
    )  # fmt: skip


def indexer(parts: Parts, layers: int) -> None:
    """The scorer of sparse attention (DeepSeek V3.2, GLM-5): its keys are cached too."""
    fields, hidden = parts.fields, parts.hidden
    heads, width = fields.count("index_n_heads"), fields.count("index_head_dim")
    rank = fields.count("q_lora_rank")
    parts.add("index_q", "indexer", layers, heads * width, rank)
    parts.add("index_k", "indexer", layers, width, hidden)
    parts.norm(2 * width, layers)
    parts.add("index_weights", "indexer", layers, heads, hidden)


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
        types = fields.words("indexer_types", layers)
        indexed = sum(1 for kind in types if kind == "full") if types else layers
        indexer(parts, indexed)
        width = fields.count("index_head_dim")
        parts.caches.append(
            CacheGroup(
                kind="index", layers=indexed, key_elements=width, value_elements=0,
                flop_elements=fields.count("index_n_heads") * width,
            )
        )  # fmt: skip
    latent_cache(parts, layers, attended)
    _experts(parts)
    return parts


def _experts(parts: Parts) -> None:
    fields, layers = parts.fields, parts.layers
    first = fields.count("first_k_dense_replace", default=0, zero=True)
    types = fields.words("mlp_layer_types", layers)
    if types:
        first = types.count("dense")
    width = fields.count("moe_intermediate_size")
    experts = fields.count("n_routed_experts", "num_experts")
    chosen = fields.count("num_experts_per_tok")
    shared = fields.count("n_shared_experts", default=0, zero=True) * width
    # V2 and Mistral route without a correction bias.
    bias = parts.model_type not in {"deepseek_v2", "mistral4"}
    if first:
        parts.feed_forward(first, fields.count("intermediate_size"))
    parts.experts(layers - first, experts, chosen, width, shared=shared, router_bias=bias)
    for _ in range(fields.count("num_nextn_predict_layers", default=0, zero=True)):
        parts.prefix = "mtp_"
        latent_attention(parts, 1)
        if fields.has("index_topk"):
            indexer(parts, 1)
        parts.norm(5 * parts.hidden)
        parts.add("eh_proj", "mtp", 1, parts.hidden, 2 * parts.hidden)
        parts.experts(1, experts, chosen, width, shared=shared, router_bias=bias)
        parts.prefix = ""
