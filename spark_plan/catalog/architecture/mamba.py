"""Hybrids with Mamba layers: Nemotron-H and 3, Granite 4 H, Falcon-H1, Jamba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.fields import MOST_LAYERS
from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields


def mamba2(
    parts: Parts,
    layers: int,
    *,
    heads: int,
    head: int,
    state: int,
    groups: int,
    kernel: int,
    inner: int | None = None,
    norm: bool = True,
    conv_bias: bool = True,
) -> None:
    """Mamba-2 mixers: `inner` = heads x head width, one state matrix for each head."""
    width = inner or heads * head
    conv = width + 2 * groups * state
    parts.add("ssm_in", "mamba", layers, width + conv + heads, parts.hidden)
    parts.add("ssm_conv", "mamba", layers, conv, kernel)
    parts.add("ssm_small", "mamba", layers, 3 * heads + (conv if conv_bias else 0))
    if norm:
        parts.norm(width, layers)
    parts.add("ssm_out", "mamba", layers, parts.hidden, width)
    parts.state("mamba2", layers, heads * head * state, conv * (kernel - 1), 5 * width * state)


def read_nemotron(fields: Fields, model_type: str) -> Parts:
    """Nemotron-H: one mixer for each character of the pattern (M mamba, * attention, - MLP, E)."""
    parts = Parts(fields, model_type)
    pattern = _pattern(fields, "hybrid_override_pattern", "layers_block_type", "")
    parts.layers = len(pattern)
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    _mixers(parts, pattern)
    parts.cache(pattern.count("*"))
    draft = _pattern(fields, "mtp_hybrid_override_pattern", "mtp_layers_block_type", "*E")
    for _ in range(fields.count("num_nextn_predict_layers", default=0, zero=True)):
        parts.prefix = "mtp_"
        _mixers(parts, draft)
        parts.add("eh_proj", "mtp", 1, parts.hidden, 2 * parts.hidden)
        parts.norm(3 * parts.hidden)
        parts.prefix = ""
    return parts


_LETTERS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}


def _pattern(fields: Fields, key: str, spelled: str, default: str) -> str:
    """A string of mixers, from letters or from a list of words."""
    named = fields.data.get(spelled)
    if isinstance(named, list):
        pattern = "".join(_LETTERS.get(str(word), "?") for word in named[: MOST_LAYERS + 1])
    else:
        pattern = str(fields.data.get(key) or default)
    if not pattern or len(pattern) > MOST_LAYERS or set(pattern) - set("M*-E"):
        raise fields.fault(key, "must be a string of M, *, - and E")
    return pattern


def _mixers(parts: Parts, pattern: str) -> None:
    fields = parts.fields
    parts.norm(parts.hidden, len(pattern))
    if "M" in pattern:
        mamba2(
            parts, pattern.count("M"), heads=fields.count("mamba_num_heads"),
            head=fields.count("mamba_head_dim"), state=fields.count("ssm_state_size"),
            groups=fields.count("n_groups"), kernel=fields.count("conv_kernel"),
        )  # fmt: skip
    parts.attention(pattern.count("*"))
    if "-" in pattern:
        parts.feed_forward(pattern.count("-"), fields.count("intermediate_size"), matrices=2)
    if "E" in pattern:
        parts.experts(
            pattern.count("E"),
            fields.count("n_routed_experts"),
            fields.count("num_experts_per_tok"),
            fields.count("moe_intermediate_size"),
            shared=fields.count("n_shared_experts", default=0, zero=True)
            * fields.count("moe_shared_expert_intermediate_size", default=0, zero=True),
            matrices=2,
            router_bias=True,
            inner=fields.count("moe_latent_size", default=0, zero=True) or None,
        )


def read_granite(fields: Fields, model_type: str) -> Parts:
    """Granite 4: mamba or attention in each layer, a shared MLP in all, experts in the larger."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    kinds = fields.words("layer_types", layers) or ["attention"] * layers
    mamba = kinds.count("mamba")
    if mamba:
        mamba2(
            parts, mamba, heads=fields.count("mamba_n_heads"), head=fields.count("mamba_d_head"),
            state=fields.count("mamba_d_state"), groups=fields.count("mamba_n_groups"),
            kernel=fields.count("mamba_d_conv"),
            conv_bias=fields.flag("mamba_conv_bias", default=True),
        )  # fmt: skip
    parts.attention(layers - mamba)
    parts.cache(layers - mamba)
    parts.norm(2 * parts.hidden, layers)
    shared = fields.count("shared_intermediate_size", "intermediate_size")
    experts = fields.count("num_local_experts", default=0, zero=True)
    if experts:
        parts.experts(
            layers, experts, fields.count("num_experts_per_tok"),
            fields.count("intermediate_size"), shared=shared,
        )  # fmt: skip
    else:
        parts.feed_forward(layers, shared)
    return parts


def read_falcon(fields: Fields, model_type: str) -> Parts:
    """Falcon-H1: attention and Mamba-2 side by side in every layer."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    mamba2(
        parts, layers, heads=fields.count("mamba_n_heads"), head=fields.count("mamba_d_head"),
        state=fields.count("mamba_d_state"), groups=fields.count("mamba_n_groups"),
        kernel=fields.count("mamba_d_conv"), inner=fields.count("mamba_d_ssm"),
        norm=fields.flag("mamba_rms_norm", default=False),
        conv_bias=fields.flag("mamba_conv_bias", default=True),
    )  # fmt: skip
    parts.attention(layers)
    parts.cache(layers)
    parts.norm(2 * parts.hidden, layers)
    parts.feed_forward(layers, fields.count("intermediate_size"))
    return parts


def read_jamba(fields: Fields, model_type: str) -> Parts:
    """Jamba: Mamba-1, attention every `attn_layer_period`, experts every `expert_layer_period`."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    period, offset = fields.count("attn_layer_period"), fields.count("attn_layer_offset", zero=True)
    full = sum(i % period == offset for i in range(layers))
    mamba = layers - full
    inner, state = fields.count("mamba_expand") * hidden, fields.count("mamba_d_state")
    kernel, rank = fields.count("mamba_d_conv"), fields.count("mamba_dt_rank")
    parts.add("ssm_in", "mamba", mamba, 2 * inner, hidden)
    parts.add("ssm_conv", "mamba", mamba, inner, kernel)
    parts.add("ssm_x", "mamba", mamba, rank + 2 * state, inner)
    parts.add("ssm_dt", "mamba", mamba, inner, rank)
    parts.add("ssm_small", "mamba", mamba, inner * (3 + state))
    parts.norm(rank + 2 * state, mamba)
    parts.add("ssm_out", "mamba", mamba, hidden, inner)
    parts.state("mamba1", mamba, inner * state, inner * (kernel - 1), 5 * inner * state)
    parts.attention(full)
    parts.cache(full)
    parts.norm(2 * hidden, layers)
    every = fields.count("expert_layer_period")
    first = fields.count("expert_layer_offset", zero=True)
    sparse = sum(i % every == first for i in range(layers))
    width = fields.count("intermediate_size")
    parts.feed_forward(layers - sparse, width)
    parts.experts(sparse, fields.count("num_experts"), fields.count("num_experts_per_tok"), width)
    return parts
