"""Vision and audio towers: in the file and in total, never read while decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields
    from spark_plan.catalog.architecture.parts import Parts


def add_towers(parts: Parts, config: Fields) -> None:
    """Add what towers the config has, where their shape is known; note where it is not."""
    vision = config.nested("vision_config")
    if vision is None:
        return
    reader = _READERS.get(str(config.data.get("model_type")))
    if reader is None:
        parts.notes.append("tower-not-sized")
        return
    parts.tower(reader(vision, config, parts.hidden))


def _gemma3(vision: Fields, _config: Fields, hidden: int) -> int:
    """SigLIP blocks with biases, a pooled projection and its norm."""
    width, layers = vision.count("hidden_size"), vision.layers("num_hidden_layers")
    mlp, patch = vision.count("intermediate_size"), vision.count("patch_size")
    patches = (vision.count("image_size") // patch) ** 2
    block = 4 * (width * width + width) + 2 * width * mlp + mlp + width + 4 * width
    stem = 3 * patch * patch * width + width + patches * width
    return layers * block + stem + 2 * width + width * hidden + width


def _qwen3(vision: Fields, _config: Fields, hidden: int) -> int:
    """LayerNorm and GELU blocks with biases, learned positions, a merger (and deepstack's)."""
    width = vision.count("hidden_size")
    layers = vision.layers("depth", "num_hidden_layers")
    mlp = vision.count("intermediate_size")
    patch, time = vision.count("patch_size"), vision.count("temporal_patch_size", default=2)
    merge = vision.count("spatial_merge_size", default=2) ** 2
    positions = vision.count("num_position_embeddings", default=2304)
    out = vision.count("out_hidden_size", default=hidden)
    block = 4 * (width * width + width) + 2 * width * mlp + mlp + width + 4 * width
    stem = 3 * time * patch * patch * width + width + positions * width
    merged = width * merge
    merger = merged * merged + merged + merged * out + out
    deep = vision.data.get("deepstack_visual_indexes")
    deepstack = len(deep) if isinstance(deep, list) else 0
    return layers * block + stem + merger + 2 * width + deepstack * (merger + 2 * merged)


def _qwen2_5(vision: Fields, _config: Fields, hidden: int) -> int:
    """RMS-norm blocks with a biased SwiGLU, and a merger."""
    width = vision.count("hidden_size")
    layers = vision.layers("depth", "num_hidden_layers")
    mlp = vision.count("intermediate_size")
    patch, time = vision.count("patch_size"), vision.count("temporal_patch_size", default=2)
    out = vision.count("out_hidden_size", default=hidden)
    merged = width * vision.count("spatial_merge_size", default=2) ** 2
    block = 4 * (width * width + width) + 3 * width * mlp + 2 * mlp + width + 2 * width
    merger = width + merged * merged + merged + merged * out + out
    return layers * block + 3 * time * patch * patch * width + merger


def _pixtral(vision: Fields, config: Fields, hidden: int) -> int:
    """Pixtral's tower, a patch merger of 2 x 2, and a two-layer projector."""
    width, layers = vision.count("hidden_size"), vision.layers("num_hidden_layers")
    mlp, patch = vision.count("intermediate_size"), vision.count("patch_size")
    merge = config.count("spatial_merge_size", default=2) ** 2
    block = 4 * width * width + 3 * width * mlp + 2 * width
    merger = width + merge * width * width
    projector = width * hidden + hidden * hidden
    return layers * block + 3 * patch * patch * width + width + merger + projector


def _gemma4(vision: Fields, config: Fields, hidden: int) -> int:
    """SwiGLU blocks with four norms, two-axis positions; an audio conformer in the small ones."""
    width, layers = vision.count("hidden_size"), vision.layers("num_hidden_layers")
    mlp, patch = vision.count("intermediate_size"), vision.count("patch_size")
    heads = vision.count("num_attention_heads")
    head = vision.count("head_dim", default=width // heads)
    positions = vision.count("position_embedding_size")
    block = 4 * width * heads * head + 3 * width * mlp + 4 * width + 2 * head
    stem = 3 * patch * patch * width + 2 * positions * width
    total = layers * block + stem + width * hidden
    return total + (AUDIO_GEMMA4 + 1536 * hidden if config.has("audio_config") else 0)


# Gemma 4's audio conformer, all sizes alike (transformers 5.24 defaults).
AUDIO_GEMMA4 = 304_824_608

_READERS = {
    "gemma3": _gemma3,
    "gemma4": _gemma4,
    "qwen2_5_vl": _qwen2_5,
    "qwen3_vl": _qwen3,
    "qwen3_vl_moe": _qwen3,
    "qwen3_5": _qwen3,
    "qwen3_5_moe": _qwen3,
    "mistral3": _pixtral,
}
