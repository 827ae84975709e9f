"""Experts of the grouped-query families: which layers have them, how many, how wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.gqa import biases, query_norm

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_plan.catalog.architecture.gqa import Traits
    from spark_plan.catalog.architecture.parts import Parts

DENSE = "dense"
MLP_KINDS = frozenset({DENSE, "sparse"})


def draft_block(parts: Parts, drafts: int, traits: Traits, *, norms: int = 5) -> None:
    """Attention and projection of multi-token-prediction blocks (DeepSeek V3's form).

    `norms`, in units of the hidden size: two of the layer, and of the embedding, of the state and
    of the output.
    """
    fields, hidden = parts.fields, parts.hidden
    qkv_bias, out_bias = biases(fields, traits)
    norm = query_norm(fields, parts.model_type, traits)
    parts.attention(drafts, norm=norm, qkv_bias=qkv_bias, out_bias=out_bias)
    parts.norm(norms * hidden, drafts)
    parts.add("eh_proj", "mtp", drafts, hidden, 2 * hidden)


def _everywhere(parts: Parts, _traits: Traits) -> None:
    """Mixtral, OLMoE, Phi-3.5-MoE, MiniMax M2, Granite MoE: experts in every layer."""
    fields = parts.fields
    parts.experts(
        parts.layers,
        fields.count("num_local_experts", "num_experts"),
        fields.count("num_experts_per_tok", "num_experts_per_token"),
        fields.count("intermediate_size"),
        shared=fields.count("shared_intermediate_size", default=0, zero=True),
        router_bias=fields.flag("use_routing_bias", default=parts.model_type == "minimax_m2"),
    )


def _qwen(parts: Parts, _traits: Traits) -> None:
    """Qwen 2 and 3: experts in every `decoder_sparse_step`-th layer but those named dense."""
    fields, layers = parts.fields, parts.layers
    step = fields.count("decoder_sparse_step", default=1)
    named = fields.data.get("mlp_only_layers") or []
    if not isinstance(named, list) or not all(isinstance(item, int) for item in named):
        raise fields.fault("mlp_only_layers", "must be a list of whole numbers")
    plain = set(named)
    dense = sum(i in plain or (i + 1) % step != 0 for i in range(layers))
    if dense:
        parts.feed_forward(dense, fields.count("intermediate_size"))
    shared = fields.count("shared_expert_intermediate_size", default=0, zero=True)
    parts.experts(
        layers - dense,
        fields.count("num_experts"),
        fields.count("num_experts_per_tok"),
        fields.count("moe_intermediate_size"),
        shared=shared,
        shared_gate=shared > 0,
    )


def _gpt_oss(parts: Parts, _traits: Traits) -> None:
    """Experts with biases, and a learned sink for each head."""
    fields, layers = parts.fields, parts.layers
    width, experts = fields.count("intermediate_size"), fields.count("num_local_experts")
    parts.experts(layers, experts, fields.count("num_experts_per_tok"), width, router_bias=True)
    parts.expert_bias(2 * width + parts.hidden, experts, layers)
    parts.add("attn_sinks", "attention", layers, parts.heads)


def _hunyuan(parts: Parts, _traits: Traits) -> None:
    """Experts and a shared one in every layer.

    `cla_share_factor` is not read: transformers keeps keys and values of every layer apart.
    """
    fields = parts.fields
    width = fields.count("moe_intermediate_size", "intermediate_size")
    parts.experts(
        parts.layers,
        fields.count("num_experts"),
        fields.count("moe_topk", "num_experts_per_tok"),
        width,
        shared=fields.count("num_shared_expert", default=1, zero=True) * width,
    )


def _hy3(parts: Parts, traits: Traits) -> None:
    """Hunyuan 3: a word for each layer says which are dense."""
    fields, layers = parts.fields, parts.layers
    kinds = fields.words("mlp_layer_types", layers, MLP_KINDS)
    dense = kinds.count(DENSE) if kinds else first_dense(parts)
    _experts_after(parts, dense, traits, shared_count="num_shared_experts", router_bias=True)


def first_dense(parts: Parts) -> int:
    """How many of the first layers have no experts."""
    return parts.fields.count("first_k_dense_replace", default=0, zero=True, most=parts.layers)


def _shared_first_dense(parts: Parts, traits: Traits) -> None:
    """DeepSeek's keys on grouped-query attention: GLM-4.5, Ling, dots, Step."""
    fields = parts.fields
    # DeepSeek's first MoE routes without a correction bias.
    bias = fields.flag("use_moe_router_bias", default=parts.model_type != "deepseek")
    _experts_after(parts, first_dense(parts), traits, router_bias=bias)


def _experts_after(
    parts: Parts,
    dense: int,
    traits: Traits,
    *,
    shared_count: str = "n_shared_experts",
    router_bias: bool,
) -> None:
    """So many dense layers, experts in the rest, and the drafting blocks."""
    fields, layers = parts.fields, parts.layers
    width = fields.count("moe_intermediate_size")
    experts = fields.count("n_routed_experts", "num_experts")
    chosen = fields.count("num_experts_per_tok")
    shared = fields.count(shared_count, "num_shared_experts", default=0, zero=True)
    shared *= fields.count("share_expert_dim", default=width)
    if dense:
        parts.feed_forward(dense, fields.count("intermediate_size"))
    parts.experts(layers - dense, experts, chosen, width, shared=shared, router_bias=router_bias)
    if parts.model_type == "step3p7":
        parts.add("attn_gate", "attention", layers, parts.heads, parts.hidden)
        parts.notes.append("drafts-not-sized")  # the shape of its MTP layers is not published
        return
    drafts = fields.drafts("num_nextn_predict_layers")
    with parts.drafting():
        draft_block(parts, drafts, traits)
        parts.experts(drafts, experts, chosen, width, shared=shared, router_bias=router_bias)


def _ernie(parts: Parts, traits: Traits) -> None:
    """ERNIE 4.5: experts from a layer on, a dense drafting block without an output norm."""
    fields, layers = parts.fields, parts.layers
    first = fields.count("moe_layer_start_index", default=0, zero=True, most=layers)
    width = fields.count("moe_intermediate_size")
    shared = fields.count("moe_num_shared_experts", default=0, zero=True) * width
    parts.feed_forward(first, fields.count("intermediate_size"))
    parts.experts(
        layers - first,
        fields.count("moe_num_experts"),
        fields.count("moe_k"),
        width,
        shared=shared,
        router_bias=True,
    )
    drafts = fields.drafts("num_nextn_predict_layers")
    with parts.drafting():
        draft_block(parts, drafts, traits, norms=4)
        parts.feed_forward(drafts, fields.count("intermediate_size"))


def _llama4(parts: Parts, _traits: Traits) -> None:
    """Experts in every `interleave_moe_layer_step`-th layer, with one shared expert as wide."""
    fields, layers = parts.fields, parts.layers
    sparse = layers // fields.count("interleave_moe_layer_step", default=1)
    width = fields.count("intermediate_size")
    if sparse < layers:
        parts.feed_forward(layers - sparse, fields.count("intermediate_size_mlp"))
    parts.experts(
        sparse,
        fields.count("num_local_experts"),
        fields.count("num_experts_per_tok"),
        width,
        shared=width,
    )


def _mimo(parts: Parts, traits: Traits) -> None:
    """MiMo 7B: no experts, but a drafting block."""
    width = parts.fields.count("intermediate_size")
    parts.feed_forward(parts.layers, width)
    drafts = parts.fields.drafts("num_nextn_predict_layers")
    with parts.drafting():
        draft_block(parts, drafts, traits)
        parts.feed_forward(drafts, width)


READERS: dict[str, Callable[[Parts, Traits], None]] = {
    "mixtral": _everywhere,
    "minimax_m2": _everywhere,
    "olmoe": _everywhere,
    "olmoe_moe": _everywhere,
    "phimoe": _everywhere,
    "granitemoe": _everywhere,
    "granitemoeshared": _everywhere,
    "qwen2_moe": _qwen,
    "qwen3_moe": _qwen,
    "qwen3_vl_moe_text": _qwen,
    "qwen3_omni_moe_text": _qwen,
    "gpt_oss": _gpt_oss,
    "hunyuan": _hunyuan,
    "hunyuan_v1_moe": _hunyuan,
    "hy_v3": _hy3,
    "ernie4_5_moe": _ernie,
    "bailing_moe": _shared_first_dense,
    "bailing_moe_v2": _shared_first_dense,
    "deepseek": _shared_first_dense,
    "dots1": _shared_first_dense,
    "glm4_moe": _shared_first_dense,
    "glm4v_moe_text": _shared_first_dense,
    "step3p7": _shared_first_dense,
    "llama4_text": _llama4,
    "mimo": _mimo,
}
