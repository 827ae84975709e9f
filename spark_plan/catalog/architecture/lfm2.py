"""LFM2: short convolutions beside grouped-query attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

_CONV = "conv"
_KINDS = frozenset({_CONV, "full_attention"})


def read_lfm2(fields: Fields, model_type: str) -> Parts:
    """A word for each layer says which it is; the state is a few columns of the hidden size."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    kinds = fields.words("layer_types", layers, _KINDS)
    if not kinds:
        raise fields.missing("layer_types")
    conv = kinds.count(_CONV)
    kernel = fields.count("conv_L_cache")
    parts.add("conv_in", "conv", conv, 3 * hidden, hidden)
    parts.add("conv_dw", "conv", conv, hidden, kernel)
    parts.add("conv_out", "conv", conv, hidden, hidden)
    if fields.flag("conv_bias", default=False):
        parts.bias(5 * hidden, conv)
    parts.attention(layers - conv, norm="head")
    parts.cache(layers - conv)
    parts.norm(2 * hidden, layers)
    parts.state("conv", conv, 0, hidden * (kernel - 1), 2 * hidden * kernel)
    dense = layers
    if fields.has("num_experts"):
        dense = fields.count("num_dense_layers", default=0, zero=True, most=layers)
        parts.experts(
            layers - dense,
            fields.count("num_experts"),
            fields.count("num_experts_per_tok"),
            fields.count("moe_intermediate_size"),
            router_bias=fields.flag("use_expert_bias", default=False),
        )
    parts.feed_forward(dense, _mlp_width(fields))
    return parts


def _mlp_width(fields: Fields) -> int:
    """The width as stated, or two thirds of it in whole blocks (Llama's first rule)."""
    width = fields.count("block_ff_dim", "intermediate_size")
    if not fields.flag("block_auto_adjust_ff_dim", default=False):
        return width
    multiple = fields.count("block_multiple_of", default=256)
    width = int(fields.ratio("block_ffn_dim_multiplier", 1.0) * int(2 * width / 3))
    if not width:
        raise fields.fault("block_ff_dim", "leaves no width for the MLP")
    return multiple * -(-width // multiple)
