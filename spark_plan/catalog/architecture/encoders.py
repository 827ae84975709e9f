"""BERT and XLM-R embedders and rerankers: no cache, biases everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import READ_LOOKUP

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

_CLASSIFIER = "Classification"


def read_encoder(fields: Fields, model_type: str) -> Parts:
    """An encoder, its pooler, and the classification head of a reranker."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.encoder = True
    for name, rows in (
        ("token_embd", parts.vocab),
        ("pos_embd", fields.count("max_position_embeddings")),
        ("type_embd", fields.count("type_vocab_size")),
    ):
        parts.add(name, "embedding", 1, rows, hidden, read=READ_LOOKUP)
    parts.norm(2 * hidden)
    parts.attention(layers, qkv_bias=True, out_bias=True)
    parts.feed_forward(layers, fields.count("intermediate_size"), matrices=2, bias=True)
    parts.norm(4 * hidden, layers)
    parts.add("cls_head", "head", 1, hidden, hidden)
    parts.bias(hidden)
    architectures = fields.data.get("architectures")
    named = architectures[0] if isinstance(architectures, list) and architectures else ""
    if isinstance(named, str) and _CLASSIFIER in named:
        # A reranker has one score; transformers' own default of two labels is for classifiers.
        labels = fields.count("num_labels", default=1)
        parts.add("cls_head", "head", 1, labels, hidden)
        parts.bias(labels)
    return parts
