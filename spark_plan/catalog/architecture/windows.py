"""Which layers of a decoder keep only a window of the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields
    from spark_plan.catalog.architecture.parts import Parts

FULL = "full_attention"
SLIDING = "sliding_attention"
CHUNKED = "chunked_attention"
KINDS = frozenset({FULL, SLIDING, CHUNKED})
# Families whose pattern is a constant of their class: every n-th layer attends to everything.
_FULL_EVERY = {
    "gemma2": 2,
    "gpt_oss": 2,
    "cohere2": 4,
    "olmo3": 4,
    "exaone4": 4,
    "llama4_text": 4,
    "gemma3_text": 6,
}
# Families where a window stands for every layer that has no pattern.
_ALL_LAYERS = frozenset({"mistral", "ministral", "ministral3"})
# Qwen's: only from layer `max_window_layers` on, and only where `use_sliding_window` says so.
_UPPER_LAYERS = ("qwen2", "qwen3", "mimo")


def add_caches(parts: Parts, model_type: str) -> None:
    """Full, sliding and chunked layers, as the config's pattern or the family's says.

    Windows named by Phi-3, Phi-3.5-MoE and Mixtral configs are left out: their engines ignore them.
    """
    fields, layers = parts.fields, parts.layers
    windowed = _windowed_layers(fields, model_type, layers)
    parts.cache(layers - windowed)
    if windowed:
        chunked = model_type == "llama4_text"
        window = fields.count("attention_chunk_size" if chunked else "sliding_window")
        parts.cache(windowed, kind="chunked" if chunked else "sliding", window=window)


def _windowed_layers(fields: Fields, model_type: str, layers: int) -> int:
    if not fields.flag("use_sliding_window", default=True):
        return 0
    kinds = fields.words("layer_types", layers, KINDS)
    if kinds:
        return layers - kinds.count(FULL)
    if model_type == "llama4_text" and fields.length("no_rope_layers", most=layers):
        # 1 has rotary positions and chunks, 0 has neither; an empty list is the class default.
        return sum(fields.switches("no_rope_layers", layers))
    if model_type in _FULL_EVERY:
        if model_type == "exaone4" and not fields.has("sliding_window"):
            return 0  # its smallest size has no windows
        return layers - layers // _full_every(fields, model_type)
    if not fields.has("sliding_window"):
        return 0
    if model_type in _ALL_LAYERS:
        return layers
    if model_type.startswith(_UPPER_LAYERS) and fields.has("use_sliding_window"):
        return max(layers - fields.count("max_window_layers", zero=True), 0)
    return 0


def _full_every(fields: Fields, model_type: str) -> int:
    """One in how many layers is full; EXAONE 4 spells its pattern ("LLLG")."""
    for key in ("sliding_window_pattern", "_sliding_window_pattern"):
        value = fields.data.get(key)
        if isinstance(value, str):
            if value != "L" * (len(value) - 1) + "G":
                raise fields.fault(key, "must be a number, or local layers and a global one: LLLG")
            return len(value)
        if value is not None:
            return fields.count(key)
    return _FULL_EVERY[model_type]
