"""Decoders with grouped-query attention in every layer, dense or with experts.

Families differ in a handful of traits (biases, norms, ties); they are data here, not code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import GATED, Parts
from spark_plan.catalog.architecture.windows import add_caches
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields


class Traits(NamedTuple):
    """How a family departs from Llama: two RMS norms a layer, SwiGLU, no biases, untied.

    `qkv_bias` None: as the config says (`attention_bias`, ...). `out_bias` None: as `qkv_bias`.
    """

    qkv_bias: bool | None = None
    out_bias: bool | None = None
    norm: str = ""  # query and key norms: "head" or "all" heads together
    norms: int = 2  # norm weights of a layer, in units of the hidden size
    norm_bias: bool = False
    matrices: int = GATED
    mlp_bias: bool = False
    tied: bool = False
    extra_per_layer: int = 0
    head_bias: bool = False
    experts: bool = False  # read by a function of moe.py


_LLAMA = Traits()
_QWEN2 = Traits(qkv_bias=True, out_bias=False)
_QWEN3 = Traits(norm="head")
_MISTRAL = Traits(qkv_bias=False)
_GLM4 = Traits(norms=4, out_bias=False)
_PHI2 = Traits(qkv_bias=True, norms=1, norm_bias=True, matrices=2, mlp_bias=True, head_bias=True)
_QWEN2_MOE = _QWEN2._replace(experts=True)
_QWEN3_MOE = _QWEN3._replace(experts=True)
_PLAIN_MOE = Traits(experts=True)
_QUIET_MOE = Traits(qkv_bias=False, experts=True)
_GLM4_MOE = Traits(out_bias=False, experts=True)

TRAITS = {
    "llama": _LLAMA,
    "yi": _LLAMA,
    "internlm2": _LLAMA,
    "smollm3": Traits(tied=True),
    "granite": _LLAMA,
    "arcee": Traits(matrices=2),
    "nemotron": Traits(matrices=2, norm_bias=True),
    "starcoder2": Traits(qkv_bias=True, norm_bias=True, matrices=2, mlp_bias=True, tied=True),
    "mistral": _MISTRAL,
    "ministral": _MISTRAL,
    "ministral3": _MISTRAL,
    "qwen2": _QWEN2,
    "qwen2_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "mimo": Traits(qkv_bias=True, out_bias=False, experts=True),
    "qwen3": _QWEN3,
    "qwen3_vl": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "glm": Traits(out_bias=False),
    "glm4": _GLM4,
    "glm4v_text": _GLM4,
    "gemma": Traits(tied=True),
    "gemma2": Traits(norms=4, tied=True),
    "gemma3_text": Traits(norm="head", norms=4, tied=True),
    "phi3": _MISTRAL,
    "phi3_v": _MISTRAL,
    "phi": _PHI2,
    "phi-msft": _PHI2,
    "cohere": Traits(norms=1, tied=True),
    "cohere2": Traits(norms=1, tied=True),
    "olmo2": Traits(norm="all"),
    "olmo3": Traits(norm="all"),
    "exaone4": Traits(norm="head"),
    "apertus": Traits(norm="head", matrices=2, extra_per_layer=2),
    "seed_oss": Traits(out_bias=False),
    "hunyuan_v1_dense": _QWEN3,
    "ernie4_5": Traits(tied=True),
    "mixtral": _QUIET_MOE,
    "qwen2_moe": _QWEN2_MOE,
    "qwen3_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE,
    "qwen3_omni_moe_text": _QWEN3_MOE,
    "gpt_oss": Traits(qkv_bias=True, experts=True),
    "minimax_m2": Traits(qkv_bias=False, norm="all", experts=True),
    "olmoe": Traits(norm="all", experts=True),
    "olmoe_moe": Traits(norm="all", experts=True),
    # Its class defaults say no biases; the published checkpoint has them all.
    "phimoe": Traits(qkv_bias=True, norm_bias=True, head_bias=True, experts=True),
    "granitemoe": Traits(tied=True, experts=True),
    "granitemoeshared": Traits(tied=True, experts=True),
    "hunyuan": _QWEN3_MOE,
    "hunyuan_v1_moe": _QWEN3_MOE,
    "hy_v3": _QWEN3_MOE,
    "ernie4_5_moe": Traits(tied=True, experts=True),
    "bailing_moe": _QWEN3_MOE,
    "bailing_moe_v2": _QWEN3_MOE,
    "deepseek": _PLAIN_MOE,
    "dots1": Traits(out_bias=False, norm="head", experts=True),
    "glm4_moe": _GLM4_MOE,
    "glm4v_moe_text": _GLM4_MOE,
    "step3p7": _QWEN3_MOE,
    "llama4_text": _PLAIN_MOE,
}
# What families call the switch for biases of queries, keys and values.
_BIAS_KEYS = ("attention_bias", "use_qkv_bias", "use_bias", "bias")
# Norms of queries and keys that only some sizes of a family have.
_OPTIONAL_NORMS = {"cohere": "all", "glm4_moe": "head", "glm4v_moe_text": "head"}


def read(fields: Fields, model_type: str, traits: Traits | None = None) -> Parts:
    """The shape of a decoder of one of the families above."""
    traits = traits or TRAITS[model_type]
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=traits.tied))
    qkv_bias, out_bias = biases(fields, traits)
    parts.attention(
        layers, qkv_bias=qkv_bias, out_bias=out_bias, norm=query_norm(fields, model_type, traits)
    )
    parts.norm(traits.norms * parts.hidden, layers)
    if traits.norm_bias:
        parts.bias(traits.norms * parts.hidden, layers)
        parts.bias(parts.hidden)
    if traits.head_bias:
        parts.bias(parts.vocab)
    parts.bias(traits.extra_per_layer, layers)
    add_caches(parts, model_type)
    if traits.experts:
        from spark_plan.catalog.architecture import moe

        moe.READERS[model_type](parts, traits)
        return parts
    parts.feed_forward(
        layers,
        _mlp_width(parts),
        matrices=traits.matrices,
        bias=traits.mlp_bias or fields.flag("mlp_bias", default=False),
    )
    return parts


def biases(fields: Fields, traits: Traits) -> tuple[bool, bool]:
    """Whether queries, keys and values have biases, and the output projection."""
    qkv = traits.qkv_bias
    if qkv is None:
        key = next((key for key in _BIAS_KEYS if fields.has(key)), _BIAS_KEYS[0])
        qkv = fields.flag(key, default=False)
    out = qkv if traits.out_bias is None else traits.out_bias
    return qkv, fields.flag("attention_out_bias", default=out)


def query_norm(fields: Fields, model_type: str, traits: Traits) -> str:
    """The norm of queries and keys: "head", "all" or none."""
    if model_type in _OPTIONAL_NORMS:
        on = fields.flag("use_qk_norm", default=False)
        return _OPTIONAL_NORMS[model_type] if on else ""
    return traits.norm


def _mlp_width(parts: Parts) -> int:
    """Phi-2 alone leaves it out: four times the hidden size, as GPT-2."""
    default = 4 * parts.hidden if parts.model_type == "phi-msft" else None
    return parts.fields.count("intermediate_size", "n_inner", default=default)
