"""A published config -> the model's shape: one reader a family, for shipped and imported alike."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spark_plan.catalog.architecture.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_plan.catalog.architecture.parts import Parts
    from spark_plan.catalog.architecture.shapes import Architecture

# model_type -> module and function; the families of gqa.TRAITS are read by gqa.read.
_READERS = {
    "deepseek_v2": "mla.read",
    "deepseek_v3": "mla.read",
    "deepseek_v32": "mla.read",
    "kimi_k2": "mla.read",
    "glm4_moe_lite": "mla.read",
    "glm_moe_dsa": "mla.read",
    "mistral4": "mla.read",
    "deepseek_v4": "deepseek_v4.read_deepseek_v4",
    "deepseek_ref": "deepseek_v4.read_deepseek_v4",
    "minimax_m3_vl": "sparse.read_minimax_m3",
    "mimo_v2_flash": "sparse.read_mimo_v2",
    "qwen3_next": "linear.read_gated_delta",
    "qwen3_5": "linear.read_gated_delta",
    "qwen3_5_text": "linear.read_gated_delta",
    "qwen3_5_moe": "linear.read_gated_delta",
    "qwen3_5_moe_text": "linear.read_gated_delta",
    "kimi_linear": "linear.read_kimi",
    "nemotron_h": "mamba.read_nemotron",
    "granitemoehybrid": "mamba.read_granite",
    "falcon_h1": "mamba.read_falcon",
    "jamba": "mamba.read_jamba",
    "lfm2": "lfm2.read_lfm2",
    "lfm2_moe": "lfm2.read_lfm2",
    "nemotron-nas": "nas.read_nas",
    "gemma3n_text": "gemma_small.read_gemma3n",
    "gemma4_text": "gemma_small.read_gemma4",
    "mllama_text_model": "mllama.read_mllama",
    "bert": "encoders.read_encoder",
    "roberta": "encoders.read_encoder",
    "xlm-roberta": "encoders.read_encoder",
}
_NOT_LANGUAGE = frozenset({"vit", "whisper", "gr00t_n1", "gr00t_n1_5", "Gr00tN1d6"})
_PACKAGE = "spark_plan.catalog.architecture"


def read(config: Mapping[str, Any], *, head: bool = True) -> Architecture:
    """The shape of a model from its Hugging Face config.

    Args:
        config: the published keys, `text_config` nested or not.
        head: False for a decoder that is used as an embedder: its output matrix is not loaded.

    Raises:
        ConfigError: a field is missing or out of range, or the family is unknown.
    """
    outer = Fields(config)
    fields = outer.text()
    model_type = fields.word("model_type") or outer.word("model_type")
    if fields is not outer and "tie_word_embeddings" not in fields.data:
        tied = outer.data.get("tie_word_embeddings")
        fields = Fields({**fields.data, "tie_word_embeddings": tied}, fields.path)
    parts: Parts = _reader(outer.word("model_type"), model_type)(fields, model_type)
    if not head:
        parts.without_head()
    if outer.has("vision_config") or outer.has("audio_config") or outer.has("img_processor"):
        from spark_plan.catalog.architecture.towers import add_towers

        add_towers(parts, outer)
    return parts.build()


def _reader(outer_type: str, model_type: str) -> Any:
    """The function that reads a family, from the one module that is needed for it."""
    if outer_type in _NOT_LANGUAGE:
        from spark_plan.catalog.architecture.by_shape import unknown

        raise unknown(outer_type, "is not a language model", ())
    if model_type in _READERS:
        module, _, function = _READERS[model_type].partition(".")
        return getattr(import_module(f"{_PACKAGE}.{module}"), function)
    from spark_plan.catalog.architecture import gqa

    if model_type in gqa.TRAITS:
        return gqa.read
    from spark_plan.catalog.architecture.by_shape import read_by_shape

    def by_shape(fields: Fields, name: str) -> Parts:
        return read_by_shape(fields, name, (*_READERS, *gqa.TRAITS))

    return by_shape
