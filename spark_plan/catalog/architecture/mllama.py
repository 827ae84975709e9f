"""Llama 3.2 Vision: layers that attend to the image between those that attend to the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

_ROWS_FOR_IMAGES = 8  # of the embedding, behind the vocabulary


def read_mllama(fields: Fields, model_type: str) -> Parts:
    """Cross-attention layers keep the image's keys and values, which do not grow with the text."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    crossing = fields.length("cross_attention_layers", most=layers - 1)
    parts.embeddings(tied=False, rows=parts.vocab + _ROWS_FOR_IMAGES)
    parts.attention(layers - crossing)
    parts.attention(crossing, norm="head")
    parts.norm(2 * parts.hidden, layers)
    parts.bias(2, crossing)  # gates of attention and of the MLP
    parts.cache(layers - crossing)
    parts.feed_forward(layers, fields.count("intermediate_size"))
    if crossing:
        parts.notes.append("image-cache-not-counted")
    return parts
