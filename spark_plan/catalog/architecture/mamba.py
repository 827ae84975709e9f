"""Hybrids with Mamba layers: Nemotron-H and 3, Granite 4 H, Falcon-H1, Jamba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.fields import MOST_LAYERS
from spark_plan.catalog.architecture.parts import Parts

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

# About so many operations for each element of the state and token.
_FLOPS_PER_STATE_ELEMENT = 5
_LETTERS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}
_GRANITE_KINDS = frozenset({"mamba", "attention", "full_attention"})


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
    flops = _FLOPS_PER_STATE_ELEMENT * width * state
    parts.state("mamba2", layers, heads * head * state, conv * (kernel - 1), flops)


def read_nemotron(fields: Fields, model_type: str) -> Parts:
    """Nemotron-H: one mixer for each character of the pattern (M mamba, * attention, - MLP, E)."""
    parts = Parts(fields, model_type)
    pattern = _pattern(fields, "hybrid_override_pattern", "layers_block_type", "")
    parts.layers = len(pattern)
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    _mixers(parts, pattern, 1)
    parts.cache(pattern.count("*"))
    drafts = fields.drafts("num_nextn_predict_layers")
    if drafts:
        draft = _pattern(fields, "mtp_hybrid_override_pattern", "mtp_layers_block_type", "*E")
        with parts.drafting():
            _mixers(parts, draft, drafts)
            parts.add("eh_proj", "mtp", drafts, parts.hidden, 2 * parts.hidden)
            parts.norm(3 * parts.hidden, drafts)
    return parts


def _pattern(fields: Fields, key: str, spelled: str, default: str) -> str:
    """A string of mixers, from letters or from a list of words."""
    words = fields.data.get(spelled)
    if isinstance(words, list) and len(words) <= MOST_LAYERS:
        known = frozenset(_LETTERS)
        return "".join(_LETTERS[word] for word in fields.words(spelled, len(words), known))
    pattern = fields.word(key) or default
    if not pattern:
        raise fields.missing(key)
    if len(pattern) > MOST_LAYERS or set(pattern) - set(_LETTERS.values()):
        raise fields.fault(key, "must be a string of M, *, - and E")
    return pattern


def _mixers(parts: Parts, pattern: str, times: int) -> None:
    fields = parts.fields
    mamba, full, dense, sparse = (times * pattern.count(letter) for letter in "M*-E")
    parts.norm(parts.hidden, times * len(pattern))
    if mamba:
        mamba2(
            parts,
            mamba,
            heads=fields.count("mamba_num_heads"),
            head=fields.count("mamba_head_dim"),
            state=fields.count("ssm_state_size"),
            groups=fields.count("n_groups"),
            kernel=fields.count("conv_kernel"),
            conv_bias=fields.flag("use_conv_bias", default=True),
        )
    parts.attention(full)
    if dense:
        parts.feed_forward(dense, fields.count("intermediate_size"), matrices=2)
    if sparse:
        shared = fields.count("n_shared_experts", default=0, zero=True)
        if shared:
            shared *= fields.count("moe_shared_expert_intermediate_size")
        parts.experts(
            sparse,
            fields.count("n_routed_experts"),
            fields.count("num_experts_per_tok"),
            fields.count("moe_intermediate_size"),
            shared=shared,
            matrices=2,
            router_bias=True,
            inner=fields.count("moe_latent_size", default=0, zero=True) or None,
        )


def read_granite(fields: Fields, model_type: str) -> Parts:
    """Granite 4: mamba or attention in each layer, a shared MLP in all, experts in the larger."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    kinds = fields.words("layer_types", layers, _GRANITE_KINDS)
    if not kinds:
        raise fields.missing("layer_types")
    mamba = kinds.count("mamba")
    if mamba:
        mamba2(
            parts,
            mamba,
            heads=fields.count("mamba_n_heads"),
            head=fields.count("mamba_d_head"),
            state=fields.count("mamba_d_state"),
            groups=fields.count("mamba_n_groups"),
            kernel=fields.count("mamba_d_conv"),
            conv_bias=fields.flag("mamba_conv_bias", default=True),
        )
    parts.attention(layers - mamba)
    parts.cache(layers - mamba)
    parts.norm(2 * parts.hidden, layers)
    shared = fields.count("shared_intermediate_size")
    experts = fields.count("num_local_experts", default=0, zero=True)
    if not experts:
        parts.feed_forward(layers, shared)
        return parts
    chosen, width = fields.count("num_experts_per_tok"), fields.count("intermediate_size")
    parts.experts(layers, experts, chosen, width, shared=shared)
    return parts


def read_falcon(fields: Fields, model_type: str) -> Parts:
    """Falcon-H1: attention and Mamba-2 side by side in every layer."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    mamba2(
        parts,
        layers,
        heads=fields.count("mamba_n_heads"),
        head=fields.count("mamba_d_head"),
        state=fields.count("mamba_d_state"),
        groups=fields.count("mamba_n_groups"),
        kernel=fields.count("mamba_d_conv"),
        inner=_falcon_inner(parts),
        norm=fields.flag("mamba_rms_norm", default=False),
        conv_bias=fields.flag("mamba_conv_bias", default=True),
    )
    parts.attention(layers)
    parts.cache(layers)
    parts.norm(2 * parts.hidden, layers)
    parts.feed_forward(layers, fields.count("intermediate_size"))
    return parts


def _falcon_inner(parts: Parts) -> int:
    """The width of the mixer: as stated, or a multiple of the hidden size."""
    fields = parts.fields
    if fields.has("mamba_d_ssm"):
        return fields.count("mamba_d_ssm")
    return fields.count("mamba_expand") * parts.hidden


def read_jamba(fields: Fields, model_type: str) -> Parts:
    """Jamba: Mamba-1, attention every `attn_layer_period`, experts every `expert_layer_period`."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    full = _every(fields, "attn_layer", layers)
    _mamba1(parts, layers - full)
    parts.attention(full)
    parts.cache(full)
    parts.norm(2 * hidden, layers)
    sparse = _every(fields, "expert_layer", layers)
    width = fields.count("intermediate_size")
    parts.feed_forward(layers - sparse, width)
    parts.experts(sparse, fields.count("num_experts"), fields.count("num_experts_per_tok"), width)
    return parts


def _every(fields: Fields, what: str, layers: int) -> int:
    """How many layers are the `offset`-th of each `period`."""
    period = fields.count(f"{what}_period")
    offset = fields.count(f"{what}_offset", zero=True)
    return sum(layer % period == offset for layer in range(layers))


def _mamba1(parts: Parts, layers: int) -> None:
    """Mamba-1 mixers, with Jamba's three small norms."""
    fields, hidden = parts.fields, parts.hidden
    inner, state = fields.count("mamba_expand") * hidden, fields.count("mamba_d_state")
    kernel, rank = fields.count("mamba_d_conv"), fields.count("mamba_dt_rank")
    parts.add("ssm_in", "mamba", layers, 2 * inner, hidden)
    parts.add("ssm_conv", "mamba", layers, inner, kernel)
    parts.add("ssm_x", "mamba", layers, rank + 2 * state, inner)
    parts.add("ssm_dt", "mamba", layers, inner, rank)
    # Biases of the convolution and of the step, D; and A, a row of it for each channel.
    parts.add("ssm_small", "mamba", layers, inner * (3 + state))
    parts.norm(rank + 2 * state, layers)
    parts.add("ssm_out", "mamba", layers, hidden, inner)
    flops = _FLOPS_PER_STATE_ELEMENT * inner * state
    parts.state("mamba1", layers, inner * state, inner * (kernel - 1), flops)
