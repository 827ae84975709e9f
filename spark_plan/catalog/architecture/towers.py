"""Vision and audio towers: in the file and in total, never read while decoding.

Each function is the element count of a family's towers and projector, from the modelling files of
transformers 5.24; it agrees to the unit with published totals unless it says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.fields import Fields, MissingFieldError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_plan.catalog.architecture.parts import Parts

    Reader = Callable[[Fields, Fields, int], int]

_CHANNELS = 3
# Gemma 4's audio conformer, all sizes alike (transformers 5.24 class defaults).
_GEMMA4_AUDIO = 304_824_608
_GEMMA4_AUDIO_WIDTH = 1536
# Gemma 3n's MobileNet V5 and audio conformer with their projections: the published totals of E2B
# (5,439,438,272) and E4B (7,849,978,192) less the language model, the same in both.
_GEMMA3N_TOWERS = 983_281_504
_GEMMA3N_VISION = "mobilenetv5_300m_enc"


def add_towers(parts: Parts, config: Fields) -> None:
    """Add what towers the config has; note where their shape is not known.

    A key that a tower lacks is no error: a plan for the language model stands without it.
    """
    model_type = config.word("model_type")
    if model_type == "phi3_v" and config.has("img_processor"):
        parts.tower(_phi3(parts.hidden), "tower_vision")
    for key in ("vision_config", "audio_config"):
        tower = config.nested(key)
        if tower is None:
            continue
        reader = _READERS.get(model_type)
        try:
            if reader is None:
                raise config.missing(key)
            parts.tower(reader(tower, config, parts.hidden), f"tower_{key.partition('_')[0]}")
        except MissingFieldError:
            parts.notes.append("tower-not-sized")
        return  # a family with both is read whole from its vision_config


def _linear(inputs: int, outputs: int) -> int:
    """A matrix and its bias."""
    return inputs * outputs + outputs


def _block(width: int, mlp: int, *, bias: bool = True) -> int:
    """A transformer block of LayerNorms and a GELU MLP; `bias` of the attention's matrices."""
    attention = 4 * (_linear(width, width) if bias else width * width)
    return attention + _linear(width, mlp) + _linear(mlp, width) + 4 * width


def _sizes(tower: Fields) -> tuple[int, int, int, int]:
    """Width, blocks, MLP width and patch side."""
    return (
        tower.count("hidden_size"),
        tower.layers("num_hidden_layers", "depth"),
        tower.count("intermediate_size"),
        tower.count("patch_size"),
    )


def _gemma3(vision: Fields, _config: Fields, hidden: int) -> int:
    """SigLIP blocks with biases, a pooled projection and its norm."""
    width, blocks, mlp, patch = _sizes(vision)
    patches = (vision.count("image_size") // patch) ** 2
    stem = _linear(_CHANNELS * patch * patch, width) + patches * width
    return blocks * _block(width, mlp) + stem + 2 * width + width * hidden + width


def _qwen3(vision: Fields, _config: Fields, hidden: int) -> int:
    """LayerNorm and GELU blocks with biases, learned positions, a merger (and deepstack's)."""
    width, blocks, mlp, patch = _sizes(vision)
    time = vision.count("temporal_patch_size", default=2)
    positions = vision.count("num_position_embeddings", default=2304)
    out = vision.count("out_hidden_size", default=hidden)
    merged = width * vision.count("spatial_merge_size", default=2) ** 2
    stem = _linear(_CHANNELS * time * patch * patch, width) + positions * width
    merger = _linear(merged, merged) + _linear(merged, out)
    deepstack = vision.length("deepstack_visual_indexes", most=blocks)
    return (
        blocks * _block(width, mlp)
        + stem
        + (merger + 2 * width)
        + deepstack * (merger + 2 * merged)
    )


def _qwen2_5(vision: Fields, _config: Fields, hidden: int) -> int:
    """RMS-norm blocks with a biased SwiGLU, and a merger."""
    width, blocks, mlp, patch = _sizes(vision)
    time = vision.count("temporal_patch_size", default=2)
    out = vision.count("out_hidden_size", default=hidden)
    merged = width * vision.count("spatial_merge_size", default=2) ** 2
    block = 4 * _linear(width, width) + 2 * _linear(width, mlp) + _linear(mlp, width) + 2 * width
    merger = width + _linear(merged, merged) + _linear(merged, out)
    return blocks * block + _CHANNELS * time * patch * patch * width + merger


def _pixtral(vision: Fields) -> int:
    """Pixtral's tower: SwiGLU blocks without biases."""
    width, blocks, mlp, patch = _sizes(vision)
    block = 4 * width * width + 3 * width * mlp + 2 * width
    return blocks * block + _CHANNELS * patch * patch * width + width


def _mistral3(vision: Fields, config: Fields, hidden: int) -> int:
    """Pixtral's tower, a patch merger of 2 x 2, and a two-layer projector."""
    width = vision.count("hidden_size")
    merge = config.count("spatial_merge_size", default=2) ** 2
    return _pixtral(vision) + width + merge * width * width + width * hidden + hidden * hidden


def _pixtral_llava(vision: Fields, _config: Fields, hidden: int) -> int:
    """Pixtral-12B: the tower and a two-layer projector with biases."""
    return _pixtral(vision) + _linear(vision.count("hidden_size"), hidden) + _linear(hidden, hidden)


def _llava(vision: Fields, config: Fields, hidden: int) -> int:
    """LLaVA carries any tower; Pixtral's is the one read here."""
    if vision.word("model_type") != "pixtral":
        raise vision.missing("model_type")
    return _pixtral_llava(vision, config, hidden)


def _gemma4(vision: Fields, config: Fields, hidden: int) -> int:
    """SwiGLU blocks with four norms, two-axis positions; an audio conformer in the small ones."""
    width, blocks, mlp, patch = _sizes(vision)
    heads = vision.count("num_attention_heads")
    head = vision.count("head_dim", default=width // heads)
    positions = vision.count("position_embedding_size")
    block = 4 * width * heads * head + 3 * width * mlp + 4 * width + 2 * head
    stem = _CHANNELS * patch * patch * width + 2 * positions * width
    audio = _GEMMA4_AUDIO + _GEMMA4_AUDIO_WIDTH * hidden if config.has("audio_config") else 0
    return blocks * block + stem + width * hidden + audio


def _gemma3n(vision: Fields, config: Fields, _hidden: int) -> int:
    """Known for the one pair of towers that was published."""
    if vision.word("architecture") != _GEMMA3N_VISION or not config.has("audio_config"):
        raise vision.missing("architecture")
    return _GEMMA3N_TOWERS


def _kimi(vision: Fields, _config: Fields, hidden: int) -> int:
    """MoonViT: SigLIP's blocks, learned positions, a merger of 2 x 2 patches."""
    width = vision.count("vt_hidden_size")
    blocks = vision.layers("vt_num_hidden_layers")
    patch = vision.count("patch_size")
    positions = vision.count("init_pos_emb_height") * vision.count("init_pos_emb_width")
    stem = _linear(_CHANNELS * patch * patch, width) + positions * width + 2 * width
    merged = 4 * width
    projector = 2 * width + _linear(merged, merged) + _linear(merged, hidden)
    return blocks * _block(width, vision.count("vt_intermediate_size")) + stem + projector


def _kimi_k3(vision: Fields, _config: Fields, hidden: int) -> int:
    """MoonViT without biases, attention wider than the stream, RMS norms.

    The published total leaves 450.0 M for tower and attention residuals; this is 447.4 M of it.
    """
    width, inner = vision.count("vt_hidden_size"), vision.count("qkv_hidden_size")
    mlp, patch = vision.count("vt_intermediate_size"), vision.count("patch_size")
    positions = vision.count("init_pos_emb_height") * vision.count("init_pos_emb_width")
    block = 4 * width * inner + 2 * width * mlp + 2 * width
    stem = _CHANNELS * patch * patch * width + positions * width + width
    merged = 4 * width
    projector = _linear(merged, merged) + _linear(merged, hidden)
    return vision.layers("vt_num_hidden_layers") * block + stem + projector


def _lfm2(vision: Fields, config: Fields, hidden: int) -> int:
    """SigLIP 2 without its head; a two-layer projector over 2 x 2 patches."""
    width, blocks, mlp, patch = _sizes(vision)
    merged = width * config.count("downsample_factor", default=2) ** 2
    inner = config.count("projector_hidden_size")
    stem = _linear(_CHANNELS * patch * patch, width) + vision.count("num_patches") * width
    projector = _linear(merged, inner) + _linear(inner, hidden)
    if config.flag("projector_use_layernorm", default=True):
        projector += 2 * merged
    return blocks * _block(width, mlp) + stem + 2 * width + projector


def _minimax_m3(vision: Fields, config: Fields, hidden: int) -> int:
    """CLIP blocks over two frames, a projector for each patch, one for each 2 x 2 of them."""
    width, blocks, mlp, patch = _sizes(vision)
    inner = config.count("projector_hidden_size")
    rule = config.nested("img_token_compression_config") or Fields({})
    merged = hidden * rule.count("spatial_merge_size", default=2) ** 2
    stem = (
        _CHANNELS * rule.count("temporal_patch_size", default=2) * patch * patch * width + 2 * width
    )
    projector = _linear(width, inner) + _linear(inner, hidden)
    return (
        blocks * _block(width, mlp)
        + stem
        + projector
        + _linear(merged, inner)
        + _linear(inner, hidden)
    )


def _mllama(vision: Fields, _config: Fields, hidden: int) -> int:
    """Llama 3.2 Vision: local and gated global blocks, positions of tiles and within them."""
    width, blocks, mlp, patch = _sizes(vision)
    gated = vision.layers("num_global_layers")
    tiles = vision.count("max_num_tiles")
    ratios = vision.length("supported_aspect_ratios", most=1000) + 1
    patches = (vision.count("image_size") // patch) ** 2 + 1
    block = _block(width, mlp, bias=False)
    positions = 1 + patches * width + ratios * tiles * patches * width
    tile_positions = 2 * (ratios * tiles * width + 1)  # before the blocks and behind them
    stem = _CHANNELS * patch * patch * width + width + positions + tile_positions + 4 * width
    projector = _linear(vision.count("vision_output_dim"), hidden)
    return blocks * block + gated * (block + 2) + stem + projector


def _llama4(vision: Fields, _config: Fields, hidden: int) -> int:
    """CLIP-like blocks, an MLP over shuffled pixels, a projection."""
    width, blocks, mlp, patch = _sizes(vision)
    patches = (vision.count("image_size") // patch) ** 2 + 1
    stem = _CHANNELS * patch * patch * width + width + patches * width + 4 * width
    inner = vision.count("projector_input_dim")
    out = vision.count("projector_output_dim")
    adapter = mlp * inner + inner * out
    projector = vision.count("vision_output_dim") * hidden
    return blocks * _block(width, mlp) + stem + adapter + projector


def _phi3(hidden: int) -> int:
    """Phi-3.5 Vision: CLIP ViT-L/14 at 336 pixels is fixed in its code; a projector over 2 x 2."""
    width, patches = 1024, 577
    stem = _CHANNELS * 14 * 14 * width + width + patches * width + 4 * width
    separators = 2 * 4 * width
    projector = _linear(4 * width, hidden) + _linear(hidden, hidden)
    return 24 * _block(width, 4 * width) + stem + separators + projector


def _voxtral(audio: Fields, _config: Fields, hidden: int) -> int:
    """Whisper's encoder, whose keys have no bias, and a two-layer projector over 4 frames."""
    width, mlp = audio.count("hidden_size"), audio.count("intermediate_size")
    blocks = audio.layers("num_hidden_layers")
    bins, positions = audio.count("num_mel_bins"), audio.count("max_source_positions")
    stem = _linear(3 * bins, width) + _linear(3 * width, width) + positions * width
    block = _block(width, mlp) - width
    return blocks * block + stem + 2 * width + mlp * hidden + hidden * hidden


_READERS: dict[str, Reader] = {
    "gemma3": _gemma3,
    "gemma3n": _gemma3n,
    "gemma4": _gemma4,
    "qwen2_5_vl": _qwen2_5,
    "qwen3_vl": _qwen3,
    "qwen3_vl_moe": _qwen3,
    "qwen3_5": _qwen3,
    "qwen3_5_moe": _qwen3,
    "mistral3": _mistral3,
    "llava": _llava,
    "kimi_k25": _kimi,
    "kimi_k3": _kimi_k3,
    "lfm2_vl": _lfm2,
    "minimax_m3_vl": _minimax_m3,
    "mllama": _mllama,
    "llama4": _llama4,
    "voxtral": _voxtral,
}
