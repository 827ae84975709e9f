"""Llama-Nemotron Super: each block's attention and MLP as an architecture search left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.fields import Fields
from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from typing import Any

_WIDTH_MULTIPLE = 256
_LINEAR = 0  # the block's part became one square matrix; None: it is gone


def read_nas(fields: Fields, model_type: str) -> Parts:
    """One entry of `block_configs` for each layer; what it leaves out, it says."""
    # The number of KV heads is each block's own.
    own: dict[str, Any] = {**fields.data, "num_key_value_heads": None}
    parts = Parts(Fields(own, fields.path), model_type)
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    found = fields.items("block_configs", parts.layers)
    if not found:
        raise fields.missing("block_configs")
    attentions: dict[int | None, int] = {}
    mlps: dict[int | None, int] = {}
    for index, item in enumerate(found):
        block = Fields(item, f"{fields.path}.block_configs[{index}]")
        for kind, read, kinds in (("attention", _kv_heads, attentions), ("ffn", _width, mlps)):
            inner = block.nested(kind)
            if inner is None:
                raise block.missing(kind)
            size = None if inner.flag("no_op", default=False) else read(parts, inner)
            kinds[size] = kinds.get(size, 0) + 1
    for heads, count in attentions.items():
        parts.norm(parts.hidden, count if heads is not None else 0)
        if heads:
            parts.attention(count, kv_heads=heads)
            parts.cache(count, kv_heads=heads)
    for width, count in mlps.items():
        parts.norm(parts.hidden, count if width is not None else 0)
        parts.feed_forward(count if width else 0, width or 0)
    parts.add("attn_output", "attention", attentions.get(_LINEAR, 0), parts.hidden, parts.hidden)
    parts.add("ffn_down", "mlp", mlps.get(_LINEAR, 0), parts.hidden, parts.hidden)
    parts.kv_heads = max((heads for heads in attentions if heads), default=parts.heads)
    return parts


def _kv_heads(parts: Parts, block: Fields) -> int:
    """The KV heads of a block's attention."""
    if block.flag("replace_with_linear", default=False):
        return _LINEAR
    return parts.heads // block.count("n_heads_in_group", most=parts.heads)


def _width(parts: Parts, block: Fields) -> int:
    """The width of a block's MLP: two thirds of a multiple of the hidden size, rounded up."""
    if block.flag("replace_with_linear", default=False):
        return _LINEAR
    if not block.has("ffn_mult"):
        raise block.missing("ffn_mult")
    width = int(2 * block.ratio("ffn_mult", 1.0) * parts.hidden / 3)
    if not width:
        raise block.fault("ffn_mult", "leaves no width for the MLP")
    return _WIDTH_MULTIPLE * -(-width // _WIDTH_MULTIPLE)
