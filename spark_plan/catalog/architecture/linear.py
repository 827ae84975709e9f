"""Hybrids with linear attention: gated delta nets (Qwen3-Next, Qwen3.5, 3.6) and Kimi delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.mla import latent_attention, latent_cache
from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

FULL = "full_attention"
KINDS = frozenset({FULL, "linear_attention"})
_MLP_KINDS = frozenset({"dense", "sparse"})
# Decay, k.S, rank-1 update, q.S: about so many operations for each element of the state and token.
_FLOPS_PER_STATE_ELEMENT = 7


def read_gated_delta(fields: Fields, model_type: str) -> Parts:
    """Qwen3-Next and Qwen3.5: one full-attention layer in `full_attention_interval`."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    kinds = fields.words("layer_types", layers, KINDS)
    full = kinds.count(FULL) if kinds else layers // fields.count("full_attention_interval")
    _gated_delta(parts, layers - full)
    # Queries are twice as wide: half of them is an output gate.
    parts.attention(full, norm="head", gate=2)
    parts.norm(2 * hidden, layers)
    parts.cache(full)
    _feed_forward(parts, layers)
    # Published checkpoints have a drafting block also where the config is silent (Qwen3-Next).
    drafts = fields.drafts("mtp_num_hidden_layers", "num_nextn_predict_layers", default=1)
    with parts.drafting():
        parts.attention(drafts, norm="head", gate=2)
        parts.norm(5 * hidden, drafts)
        parts.add("eh_proj", "mtp", drafts, hidden, 2 * hidden)
        _feed_forward(parts, drafts)
    return parts


def _gated_delta(parts: Parts, layers: int) -> None:
    fields, hidden = parts.fields, parts.hidden
    nk, nv = fields.count("linear_num_key_heads"), fields.count("linear_num_value_heads")
    dk, dv = fields.count("linear_key_head_dim"), fields.count("linear_value_head_dim")
    kernel = fields.count("linear_conv_kernel_dim")
    keys, values, state = nk * dk, nv * dv, nv * dk * dv
    parts.add("lin_qkvz", "linear_attention", layers, 2 * keys + 2 * values, hidden)
    parts.add("lin_ba", "linear_attention", layers, 2 * nv, hidden)
    parts.add("lin_conv", "linear_attention", layers, 2 * keys + values, kernel)
    parts.add("lin_small", "linear_attention", layers, 2 * nv)
    parts.norm(dv, layers)
    parts.add("lin_out", "linear_attention", layers, hidden, values)
    conv = (2 * keys + values) * (kernel - 1)
    parts.state("gated-delta", layers, state, conv, _FLOPS_PER_STATE_ELEMENT * state)


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
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    inner = fields.nested("linear_attn_config")
    if inner is None:
        raise fields.missing("linear_attn_config")
    kinds = fields.words("layer_types", layers, KINDS)
    full = kinds.count(FULL) if kinds else inner.length("full_attn_layers", most=layers)
    _kimi_delta(parts, layers - full, inner)
    latent_attention(parts, full, gate=fields.flag("mla_use_output_gate", default=False))
    parts.norm(2 * parts.hidden, layers)
    latent_cache(parts, full)
    _kimi_experts(parts)
    return parts


def _kimi_delta(parts: Parts, layers: int, inner: Fields) -> None:
    hidden = parts.hidden
    heads, dim = inner.count("num_heads"), inner.count("head_dim")
    kernel = inner.count("short_conv_kernel_size")
    width, state = heads * dim, heads * dim * dim
    parts.add("lin_qkvz", "linear_attention", layers, 3 * width, hidden)
    parts.add("lin_conv", "linear_attention", layers, 3 * width, kernel)
    # The forget gate has a low rank; the output gate too, but for K3.
    parts.add("lin_gate_a", "linear_attention", layers, dim, hidden)
    parts.add("lin_gate_b", "linear_attention", layers, width, dim)
    parts.add("lin_ba", "linear_attention", layers, heads, hidden)
    full_rank = inner.flag("use_full_rank_gate", default=False)
    parts.add("lin_gate_a", "linear_attention", layers, width if full_rank else dim, hidden)
    parts.add("lin_gate_b", "linear_attention", 0 if full_rank else layers, width, dim)
    parts.add("lin_small", "linear_attention", layers, width + heads)
    parts.norm(dim, layers)
    parts.add("lin_out", "linear_attention", layers, hidden, width)
    conv = 3 * width * (kernel - 1)
    parts.state("kda", layers, state, conv, _FLOPS_PER_STATE_ELEMENT * state)


def _kimi_experts(parts: Parts) -> None:
    fields, layers = parts.fields, parts.layers
    kinds = fields.words("mlp_layer_types", layers, _MLP_KINDS)
    first = fields.count("first_k_dense_replace", default=0, zero=True, most=layers)
    dense = kinds.count("dense") if kinds else first
    width = fields.count("moe_intermediate_size")
    latent = fields.count("routed_expert_hidden_size", default=0, zero=True)
    parts.feed_forward(dense, fields.count("intermediate_size"))
    parts.experts(
        layers - dense,
        fields.count("num_experts"),
        fields.count("num_experts_per_token", "num_experts_per_tok"),
        width,
        shared=fields.count("num_shared_experts", default=0, zero=True) * width,
        router_bias=True,
        inner=latent or None,
    )
    if fields.flag("latent_moe_use_norm", default=False):
        parts.norm(latent, layers - dense)
