"""A family nobody wrote a reader for: read by its shape, or refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture import gqa
from spark_plan.catalog.architecture.windows import KINDS
from spark_plan.errors import ConfigError, Where

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_plan.catalog.architecture.fields import Fields
    from spark_plan.catalog.architecture.parts import Parts

_NEEDED = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
)
# Keys that a decoder with grouped-query attention and a gated MLP may have: those its reader reads,
# and those that change no size worth a thousandth.
_HARMLESS = frozenset(
    {
        "model_type", "architectures", "auto_map", "dtype", "torch_dtype",
        "transformers_version", "name_or_path", "use_cache", "initializer_range", "hidden_act",
        "hidden_activation", "activation_function", "num_key_value_heads", "head_dim",
        "attention_bias", "attention_out_bias", "mlp_bias", "tie_word_embeddings", "layer_types",
        "sliding_window", "use_sliding_window", "max_window_layers", "pretraining_tp",
        "quantization_config", "use_qk_norm", "qk_norm", "qk_layernorm", "no_rope_layers",
        "no_rope_layer_interval", "original_max_position_embeddings", "attn_implementation",
        "final_logit_softcapping", "attn_logit_softcapping", "logit_scale", "logits_scaling",
        "embedding_multiplier", "attention_multiplier", "residual_multiplier",
        "query_pre_attn_scalar", "is_decoder", "is_encoder_decoder", "output_hidden_states",
        "output_attentions", "return_dict", "chunk_size_feed_forward", "problem_type",
        "max_length", "min_length", "temperature", "top_k", "top_p", "do_sample", "num_beams",
        "num_beam_groups", "id2label", "label2id", "task_specific_params",
        "num_return_sequences", "length_penalty", "repetition_penalty", "diversity_penalty",
        "early_stopping", "typical_p", "torchscript", "tokenizer_class", "unsloth_fixed",
        "unsloth_version", "mup", "max_window_size", "keys_to_ignore_at_inference",
        "base_model_tp_plan", "base_model_pp_plan", "rotary_dim", "partial_rotary_factor",
    }
)  # fmt: skip
_HARMLESS_ENDS = ("_token_id", "_token_ids", "_eps", "_epsilon", "_dropout", "_pdrop", "_theta")
_HARMLESS_STARTS = ("rope", "dropout", "_", "unsloth")
_SHOWN = 4


def read_by_shape(fields: Fields, model_type: str, families: Iterable[str]) -> Parts:
    """The shape of an unknown family that has the keys of a plain decoder and no others.

    Raises:
        ConfigError: it lacks one of those keys, or has one that may change its shape.
    """
    lacking = [key for key in _NEEDED if not fields.has(key)]
    strange = [str(key)[:40] for key in fields.data if not _harmless(fields, key)]
    if lacking or strange:
        reason = "has no" if lacking else "has"
        shown = ", ".join((lacking or strange)[:_SHOWN])
        raise unknown(
            model_type, f"is not a family this version reads, and it {reason} {shown}", families
        )
    kinds = fields.words("layer_types", fields.layers("num_hidden_layers"), KINDS)
    if fields.has("sliding_window") and not kinds and _windows_meant(fields):
        raise unknown(
            model_type,
            "is not a family this version reads, and it has a sliding_window but no layer_types",
            families,
        )
    parts = gqa.read(fields, model_type, gqa.Traits())
    parts.notes.append("read-by-shape")
    return parts


def _harmless(fields: Fields, key: object) -> bool:
    """Whether a key cannot change the shape: it is a known one, or it is switched off."""
    if not isinstance(key, str):
        return False
    return (
        key in _NEEDED
        or key in _HARMLESS
        or key.endswith(_HARMLESS_ENDS)
        or key.startswith(_HARMLESS_STARTS)
        or fields.data[key] in (None, False, 0, "", [], {})
    )


def _windows_meant(fields: Fields) -> bool:
    return fields.flag("use_sliding_window", default=True)


def unknown(model_type: str, what: str, families: Iterable[str]) -> ConfigError:
    """An error about a family, with those of the nearest names."""
    from spark_plan.catalog.near import near

    name = model_type[:60]
    names = near(name, families) if name else ()
    hint = f"did you mean {', '.join(names)}?" if names else ""
    return ConfigError(
        f"$.model_type: {name!r} {what}",
        hint=hint,
        suggestions=names,
        where=Where("config", None, "$.model_type"),
    )
