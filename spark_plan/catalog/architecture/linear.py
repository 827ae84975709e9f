"""Hybrids with linear attention: gated delta nets (Qwen3-Next, Qwen3.5, 3.6) and Kimi delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.mla import latent_attention, latent_cache
from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields


def read_gated_delta(fields: Fields, model_type: str) -> Parts:
    """Qwen3-Next and Qwen3.5: one full-attention layer in `full_attention_interval`."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    kinds = fields.words("layer_types", layers)
    if kinds:
        full = sum(1 for kind in kinds if kind == "full_attention")
    else:
        full = layers // fields.count("full_attention_interval")
    linear = layers - full
    nk, nv = fields.count("linear_num_key_heads"), fields.count("linear_num_value_heads")
    dk, dv = fields.count("linear_key_head_dim"), fields.count("linear_value_head_dim")
    kernel = fields.count("linear_conv_kernel_dim")
    keys, values = nk * dk, nv * dv
    parts.add("lin_qkvz", "linear_attention", linear, 2 * keys + 2 * values, hidden)
    parts.add("lin_ba", "linear_attention", linear, 2 * nv, hidden)
    parts.add("lin_conv", "linear_attention", linear, 2 * keys + values, kernel)
    parts.add("lin_small", "linear_attention", linear, 2 * nv)
    parts.norm(dv, linear)
    parts.add("lin_out", "linear_attention", linear, hidden, values)
    # Queries are twice as wide: half of them is an output gate.
    parts.attention(full, norm="head", gate=2)
    parts.norm(2 * hidden, layers)
    parts.cache(full)
    parts.state(
        "gated-delta", linear, nv * dk * dv, (2 * keys + values) * (kernel - 1), 7 * nv * dk * dv
    )
    _feed_forward(parts, layers)
    drafts = fields.count("mtp_num_hidden_layers", "num_nextn_predict_layers", default=1, zero=True)
    for _ in range(drafts):
        parts.prefix = "mtp_"
        parts.attention(1, norm="head", gate=2)
        parts.norm(5 * hidden)
        parts.add("eh_proj", "mtp", 1, hidden, 2 * hidden)
        _feed_forward(parts, 1)
        parts.prefix = ""
    return parts


def _feed_forward(parts: Parts, layers: int) -> None:
    fields = parts.fields
    if not fields.has("num_experts"):
        parts.feed_forward(layers, fields.count("intermediate_size"))
        return
    parts.experts(
        layers,
        fields.count("num_experts"),
        fields.count("num_experts_per_tok"),
        fields.count("moe_intermediate_size"),
        shared=fields.count("shared_expert_intermediate_size"),
        shared_gate=True,
    )


def read_kimi(fields: Fields, model_type: str) -> Parts:
    """Kimi-Linear and Kimi K3: delta attention beside latent attention."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    inner = fields.nested("linear_attn_config")
    if inner is None:
        raise fields.fault("linear_attn_config", "missing, and nothing can stand in for it")
    kinds = fields.words("layer_types", layers)
    full = kinds.count("full_attention") if kinds else len(inner.data.get("full_attn_layers") or ())
    linear = layers - full
    heads, dim = inner.count("num_heads"), inner.count("head_dim")
    kernel = inner.count("short_conv_kernel_size")
    width = heads * dim
    parts.add("lin_qkvz", "linear_attention", linear, 3 * width, hidden)
    parts.add("lin_conv", "linear_attention", linear, 3 * width, kernel)
    parts.add("lin_gate_a", "linear_attention", linear, dim, hidden)
    parts.add("lin_gate_b", "linear_attention", linear, width, dim)
    parts.add("lin_ba", "linear_attention", linear, heads, hidden)
    if inner.flag("use_full_rank_gate", default=False):
        parts.add("lin_gate_a", "linear_attention", linear, width, hidden)
    else:
        parts.add("lin_gate_a", "linear_attention", linear, dim, hidden)
        parts.add("lin_gate_b", "linear_attention", linear, width, dim)
    parts.add("lin_small", "linear_attention", linear, width + heads)
    parts.norm(dim, linear)
    parts.add("lin_out", "linear_attention", linear, hidden, width)
    latent_attention(parts, full, gate=fields.flag("mla_use_output_gate", default=False))
    parts.norm(2 * hidden, layers)
    latent_cache(parts, full)
    parts.state("kda", linear, heads * dim * dim, 3 * width * (kernel - 1), 7 * heads * dim * dim)
    types = fields.words("mlp_layer_types", layers)
    dense = (
        types.count("dense")
        if types
        else fields.count("first_k_dense_replace", default=0, zero=True)
    )
    expert = fields.count("moe_intermediate_size")
    latent = fields.count("routed_expert_hidden_size", default=0, zero=True)
    parts.feed_forward(dense, fields.count("intermediate_size"))
    parts.experts(
        layers - dense, fields.count("num_experts"), fields.count("num_experts_per_token"), expert,
        shared=fields.count("num_shared_experts", default=0, zero=True) * expert,
        router_bias=True, inner=latent or None,
    )  # fmt: skip
    if latent and fields.flag("latent_moe_use_norm", default=False):
        parts.norm(latent, layers - dense)
    return parts
