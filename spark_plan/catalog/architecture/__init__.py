"""A published config -> the model's shape: one reader a family, for shipped and imported alike."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spark_plan.catalog.architecture.fields import Fields
from spark_plan.errors import ConfigError, Where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_plan.catalog.architecture.parts import Parts
    from spark_plan.catalog.architecture.shapes import Architecture

# model_type -> (module, function); families of decoders.TRAITS are read by decoders.read.
READERS = {
    "deepseek_v2": ("mla", "read"),
    "deepseek_v3": ("mla", "read"),
    "deepseek_v32": ("mla", "read"),
    "kimi_k2": ("mla", "read"),
    "glm4_moe_lite": ("mla", "read"),
    "glm_moe_dsa": ("mla", "read"),
    "mistral4": ("mla", "read"),
    "qwen3_next": ("linear", "read_gated_delta"),
    "qwen3_5": ("linear", "read_gated_delta"),
    "qwen3_5_text": ("linear", "read_gated_delta"),
    "qwen3_5_moe": ("linear", "read_gated_delta"),
    "qwen3_5_moe_text": ("linear", "read_gated_delta"),
    "kimi_linear": ("linear", "read_kimi"),
    "nemotron_h": ("mamba", "read_nemotron"),
    "granitemoehybrid": ("mamba", "read_granite"),
    "falcon_h1": ("mamba", "read_falcon"),
    "jamba": ("mamba", "read_jamba"),
    "deepseek_v4": ("special", "read_deepseek_v4"),
    "deepseek_ref": ("special", "read_deepseek_v4"),
    "minimax_m3_vl": ("special", "read_minimax_m3"),
    "mimo_v2_flash": ("special", "read_mimo_v2"),
    "lfm2": ("special", "read_lfm2"),
    "lfm2_moe": ("special", "read_lfm2"),
    "nemotron-nas": ("special", "read_nas"),
    "gemma3n_text": ("special", "read_gemma_small"),
    "gemma4_text": ("special", "read_gemma4"),
    "mllama_text_model": ("special", "read_mllama"),
    "bert": ("special", "read_encoder"),
    "xlm-roberta": ("special", "read_encoder"),
}
NOT_TEXT = frozenset({"vit", "gr00t_n1", "gr00t_n1_5", "Gr00tN1d6", "whisper"})
_PACKAGE = "spark_plan.catalog.architecture"


def read(config: Mapping[str, Any]) -> Architecture:
    """The shape of a model from its Hugging Face config.

    Args:
        config: the published keys, `text_config` nested or not.

    Raises:
        ConfigError: a field is missing or out of range, or the family is unknown.
    """
    outer = Fields(config)
    fields = outer.text()
    model_type = str(fields.data.get("model_type") or outer.data.get("model_type") or "")
    tied = outer.data.get("tie_word_embeddings")
    if fields is not outer and "tie_word_embeddings" not in fields.data and isinstance(tied, bool):
        fields = Fields({**fields.data, "tie_word_embeddings": tied}, fields.path)
    parts = _reader(model_type, fields)
    from spark_plan.catalog.architecture.towers import add_towers

    add_towers(parts, outer)
    return parts.build()


def _reader(model_type: str, fields: Fields) -> Parts:
    if model_type in READERS:
        module, function = READERS[model_type]
        found: Parts = getattr(import_module(f"{_PACKAGE}.{module}"), function)(fields, model_type)
        return found
    from spark_plan.catalog.architecture import decoders

    if model_type in decoders.TRAITS:
        return decoders.read(fields, model_type)
    if model_type in NOT_TEXT:
        raise _unknown(model_type, "is not a text model", ())
    return _by_shape(model_type, fields, decoders)


_FAMILIAR = (
    "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size",
)  # fmt: skip
# Keys whose presence means more than grouped-query attention and a SwiGLU MLP.
_UNFAMILIAR = (
    "kv_lora_rank", "num_experts", "num_local_experts", "n_routed_experts", "ssm_state_size",
    "mamba_d_state", "linear_num_value_heads", "linear_attn_config", "compress_ratios",
    "hybrid_override_pattern", "layer_types", "block_configs", "num_kv_shared_layers",
    "cross_attention_layers", "index_topk", "conv_L_cache",
)  # fmt: skip


def _by_shape(model_type: str, fields: Fields, decoders: Any) -> Parts:
    """An unknown family that has the keys of a plain decoder and none that change it."""
    strange = [key for key in _UNFAMILIAR if fields.has(key)]
    familiar = all(fields.has(key) for key in _FAMILIAR)
    if strange or not familiar:
        from spark_plan.catalog.near import near

        names = near(model_type, (*READERS, *decoders.TRAITS))
        why = f"has {', '.join(strange)}" if strange else "lacks the keys of a plain decoder"
        raise _unknown(model_type, f"is not a family this version reads, and {why}", names)
    parts: Parts = decoders.read(fields, model_type, decoders.Traits())
    parts.notes.append("read-by-shape")
    return parts


def _unknown(model_type: str, what: str, names: tuple[str, ...]) -> ConfigError:
    guess = f" (did you mean {', '.join(names)}?)" if names else ""
    shown = repr(model_type[:60]) if model_type else "nothing"
    return ConfigError(
        f"$.model_type: {shown} {what}{guess}", suggestions=names,
        where=Where("config", None, "$.model_type"),
    )  # fmt: skip
