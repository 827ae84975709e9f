"""Decoders with grouped-query attention in every layer, dense or with experts.

Families differ in a handful of traits (biases, norms, ties); they are data here, not code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields


class Traits(NamedTuple):
    """How a family departs from Llama: two RMS norms a layer, SwiGLU, no biases, untied.

    `qkv_bias` None: as the config's `attention_bias` says.
    """

    qkv_bias: bool | None = None
    out_bias: bool = False
    norm: str = ""  # query and key norms: "head" or "all" heads together
    norms: int = 2  # norm weights of a layer, in units of the hidden size
    norm_bias: bool = False
    matrices: int = 3
    mlp_bias: bool = False
    tied: bool = False
    extra_per_layer: int = 0
    head_bias: bool = False


TRAITS = {
    "llama": Traits(),
    "mistral": Traits(),
    "ministral3": Traits(),
    "yi": Traits(),
    "smollm3": Traits(tied=True),
    "granite": Traits(),
    "qwen2": Traits(qkv_bias=True),
    "qwen2_5_vl": Traits(qkv_bias=True),
    "mimo": Traits(qkv_bias=True),
    "qwen3": Traits(norm="head"),
    "qwen3_vl_text": Traits(norm="head"),
    "qwen3_vl": Traits(norm="head"),
    "glm4": Traits(norms=4),
    "gemma": Traits(tied=True),
    "gemma2": Traits(norms=4, tied=True),
    "gemma3_text": Traits(norm="head", norms=4, tied=True),
    "phi3": Traits(),
    "phi3_v": Traits(),
    "phi-msft": Traits(qkv_bias=True, out_bias=True, norms=1, norm_bias=True, matrices=2,
                       mlp_bias=True, head_bias=True),
    "cohere": Traits(norms=1, tied=True),
    "cohere2": Traits(norms=1, tied=True),
    "olmo2": Traits(norm="all"),
    "olmo3": Traits(norm="all"),
    "exaone4": Traits(norm="head"),
    "apertus": Traits(norm="head", matrices=2, extra_per_layer=2),
    "seed_oss": Traits(),
    "ernie4_5": Traits(tied=True),
    "mixtral": Traits(),
    "qwen3_moe": Traits(norm="head"),
    "qwen3_vl_moe_text": Traits(norm="head"),
    "gpt_oss": Traits(qkv_bias=True, out_bias=True),
    "minimax_m2": Traits(norm="all"),
    "olmoe_moe": Traits(norm="all"),
    "olmoe": Traits(norm="all"),
    "phimoe": Traits(qkv_bias=True, out_bias=True, norm_bias=True, head_bias=True),
    "granitemoe": Traits(tied=True),
    "hunyuan": Traits(norm="head"),
    "hy_v3": Traits(norm="head"),
    "ernie4_5_moe": Traits(tied=True),
    "bailing_moe": Traits(norm="head"),
    "glm4_moe": Traits(),
    "step3p7": Traits(norm="head"),
    "llama4_text": Traits(),
}  # fmt: skip
# Phi-3 and Qwen2 configs name a window that their engines do not use.
_WINDOW_IGNORED = frozenset({"phi3", "phi3_v", "phimoe", "qwen2", "qwen2_5_vl", "mixtral", "qwen3"})


def read(fields: Fields, model_type: str, traits: Traits | None = None) -> Parts:
    """The shape of a decoder of one of the families above."""
    traits = traits or TRAITS[model_type]
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=traits.tied))
    norm = traits.norm
    if model_type == "cohere" and fields.flag("use_qk_norm", default=False):
        norm = "all"
    if model_type == "glm4_moe" and fields.flag("use_qk_norm", default=False):
        norm = "head"
    qkv_bias = traits.qkv_bias
    if qkv_bias is None:
        qkv_bias = fields.flag("attention_bias", default=False)
    parts.attention(layers, qkv_bias=qkv_bias, out_bias=traits.out_bias, norm=norm)
    parts.norm(traits.norms * parts.hidden, layers)
    if traits.norm_bias:
        parts.bias(traits.norms * parts.hidden, layers)
        parts.bias(parts.hidden, 1)
    if traits.head_bias:
        parts.bias(parts.vocab, 1)
    if traits.extra_per_layer:
        parts.bias(traits.extra_per_layer, layers)
    _caches(parts, model_type)
    _feed_forward(parts, model_type, traits)
    return parts


def _caches(parts: Parts, model_type: str) -> None:
    """Full, sliding or chunked layers, as the config's pattern says."""
    fields, layers = parts.fields, parts.layers
    window = fields.count("sliding_window", "attention_chunk_size", default=0, zero=True)
    if not fields.flag("use_sliding_window", default=True):
        window = 0
    kinds = fields.words("layer_types", layers)
    if kinds:
        windowed = sum(1 for kind in kinds if kind.startswith(("sliding", "chunked")))
    elif model_type == "gemma3_text":
        windowed = sum((i + 1) % fields.count("sliding_window_pattern", default=6) != 0
                       for i in range(layers))  # fmt: skip
    elif model_type == "gemma2":
        windowed = (layers + 1) // 2
    elif model_type == "llama4_text":
        windowed = sum((i + 1) % 4 != 0 for i in range(layers))
    elif model_type in {"cohere2", "olmo3"}:
        pattern = fields.count("sliding_window_pattern", default=4)
        windowed = sum((i + 1) % pattern != 0 for i in range(layers))
    elif model_type in _WINDOW_IGNORED:
        windowed = 0
    else:
        windowed = layers if window else 0
    if windowed and not window:
        raise fields.fault("sliding_window", "missing, but the layer pattern has windows")
    parts.cache(layers - windowed)
    kind = "chunked" if model_type == "llama4_text" else "sliding"
    parts.cache(windowed, kind=kind, window=window or None)


def _feed_forward(parts: Parts, model_type: str, traits: Traits) -> None:
    fields, layers = parts.fields, parts.layers
    special = _EXPERT_READERS.get(model_type)
    if special is not None:
        special(parts)
        return
    parts.feed_forward(
        layers,
        fields.count("intermediate_size", "n_inner", default=4 * parts.hidden)
        if model_type == "phi-msft"
        else fields.count("intermediate_size"),
        matrices=traits.matrices,
        bias=traits.mlp_bias,
    )


def _mixtral(parts: Parts) -> None:
    fields = parts.fields
    width = fields.count("moe_intermediate_size", "intermediate_size")
    experts = fields.count("num_local_experts", "num_experts")
    chosen = fields.count("num_experts_per_tok", "num_experts_per_token")
    parts.experts(
        parts.layers, experts, chosen, width, router_bias=parts.model_type == "minimax_m2"
    )


def _gpt_oss(parts: Parts) -> None:
    fields = parts.fields
    width = fields.count("intermediate_size")
    experts = fields.count("num_local_experts")
    parts.experts(
        parts.layers, experts, fields.count("num_experts_per_tok"), width, router_bias=True
    )
    parts.expert_bias(2 * width + parts.hidden, experts, parts.layers)
    parts.add("attn_sinks", "attention", parts.layers, parts.heads)


def _granite_moe(parts: Parts) -> None:
    fields = parts.fields
    parts.experts(
        parts.layers,
        fields.count("num_local_experts"),
        fields.count("num_experts_per_tok"),
        fields.count("intermediate_size"),
    )


def _hunyuan(parts: Parts) -> None:
    fields = parts.fields
    width = fields.count("moe_intermediate_size", "intermediate_size")
    shared = fields.count("num_shared_expert", default=1, zero=True) * width
    chosen = fields.count("moe_topk", "num_experts_per_tok")
    parts.experts(parts.layers, fields.count("num_experts"), chosen, width, shared=shared)


def _hy3(parts: Parts) -> None:
    fields, layers = parts.fields, parts.layers
    dense = fields.words("mlp_layer_types", layers).count("dense")
    width = fields.count("moe_intermediate_size")
    experts, chosen = fields.count("num_experts"), fields.count("num_experts_per_tok")
    shared = fields.count("num_shared_experts", default=0, zero=True) * width
    parts.feed_forward(dense, fields.count("intermediate_size"))
    parts.experts(layers - dense, experts, chosen, width, shared=shared, router_bias=True)
    for _ in range(fields.count("num_nextn_predict_layers", default=0, zero=True)):
        draft_block(parts, norm="head")
        parts.prefix = "mtp_"
        parts.experts(1, experts, chosen, width, shared=shared, router_bias=True)
        parts.prefix = ""


def draft_block(parts: Parts, *, norm: str = "", qkv_bias: bool = False) -> None:
    """Attention and projection of a multi-token-prediction block (DeepSeek V3's form)."""
    parts.prefix = "mtp_"
    parts.attention(1, norm=norm, qkv_bias=qkv_bias)
    parts.norm(2 * parts.hidden + 3 * parts.hidden)
    parts.add("eh_proj", "mtp", 1, parts.hidden, 2 * parts.hidden)
    parts.prefix = ""


def _ernie(parts: Parts) -> None:
    fields, layers = parts.fields, parts.layers
    first = fields.count("moe_layer_start_index", default=0, zero=True)
    width = fields.count("moe_intermediate_size")
    shared = fields.count("moe_num_shared_experts", default=0, zero=True) * width
    parts.feed_forward(first, fields.count("intermediate_size"))
    parts.experts(
        layers - first, fields.count("moe_num_experts"), fields.count("moe_k"), width,
        shared=shared, router_bias=True,
    )  # fmt: skip
    for _ in range(fields.count("num_nextn_predict_layers", default=0, zero=True)):
        draft_block(parts)
        parts.prefix = "mtp_"
        parts.feed_forward(1, fields.count("intermediate_size"))
        parts.prefix = ""


def _shared_first_dense(parts: Parts) -> None:
    """DeepSeek-style keys on grouped-query attention: GLM-4.5, Ling, Step."""
    fields, layers = parts.fields, parts.layers
    first = fields.count("first_k_dense_replace", default=0, zero=True)
    width = fields.count("moe_intermediate_size")
    experts = fields.count("n_routed_experts", "num_experts")
    chosen = fields.count("num_experts_per_tok")
    shared = fields.count("n_shared_experts", "num_shared_experts", default=0, zero=True)
    shared *= fields.count("share_expert_dim", default=width)
    bias = fields.flag("use_moe_router_bias", default=True)
    parts.feed_forward(first, fields.count("intermediate_size"))
    parts.experts(layers - first, experts, chosen, width, shared=shared, router_bias=bias)
    if parts.model_type == "step3p7":
        parts.add("attn_gate", "attention", layers, parts.heads, parts.hidden)
        return  # its three MTP layers' shapes are not published
    norm = "head" if fields.flag("use_qk_norm", default=False) else ""
    qkv_bias = fields.flag("attention_bias", default=False)
    for _ in range(fields.count("num_nextn_predict_layers", default=0, zero=True)):
        draft_block(parts, norm=norm, qkv_bias=qkv_bias)
        parts.prefix = "mtp_"
        parts.experts(1, experts, chosen, width, shared=shared, router_bias=True)
        parts.prefix = ""


def _llama4(parts: Parts) -> None:
    fields, layers = parts.fields, parts.layers
    step = fields.count("interleave_moe_layer_step", default=1)
    sparse = layers // step
    width = fields.count("intermediate_size")
    parts.feed_forward(layers - sparse, fields.count("intermediate_size_mlp"))
    parts.experts(
        sparse, fields.count("num_local_experts"), fields.count("num_experts_per_tok"), width,
        shared=width,
    )  # fmt: skip


def _mimo(parts: Parts) -> None:
    parts.feed_forward(parts.layers, parts.fields.count("intermediate_size"))
    for _ in range(parts.fields.count("num_nextn_predict_layers", default=0, zero=True)):
        draft_block(parts, qkv_bias=True)
        parts.prefix = "mtp_"
        parts.feed_forward(1, parts.fields.count("intermediate_size"))
        parts.prefix = ""


_EXPERT_READERS = {
    "mixtral": _mixtral,
    "qwen3_moe": _mixtral,
    "qwen3_vl_moe_text": _mixtral,
    "minimax_m2": _mixtral,
    "olmoe_moe": _mixtral,
    "olmoe": _mixtral,
    "phimoe": _mixtral,
    "gpt_oss": _gpt_oss,
    "granitemoe": _granite_moe,
    "hunyuan": _hunyuan,
    "hy_v3": _hy3,
    "ernie4_5_moe": _ernie,
    "bailing_moe": _shared_first_dense,
    "glm4_moe": _shared_first_dense,
    "step3p7": _shared_first_dense,
    "llama4_text": _llama4,
    "mimo": _mimo,
}
