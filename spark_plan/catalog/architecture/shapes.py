"""What a model is made of, as plain shapes: the one form every family's reader returns."""

from __future__ import annotations

from spark_plan.records import NamedTuple

READ_ALL = "all"  # read in full for every decoded token
READ_LOOKUP = "lookup"  # one row a token: input embeddings, per-layer-embedding tables
READ_EXPERTS = "experts"  # only the routed experts of the tokens at hand
READ_NEVER = "never"  # not part of decoding: towers, MTP blocks


class TensorGroup(NamedTuple):
    """All tensors of one name and shape: `count` matrices of `rows` x `cols` elements.

    `layers` is how many blocks own them (an expert matrix: count = layers x experts). A vector has
    cols == 1: it is stored in full precision whatever the scheme. `cols` is the input width, along
    which quantisation blocks run. `read` says what part of it a decode step touches.
    """

    name: str
    role: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls
    rows: int
    cols: int
    layers: int
    read: str = READ_ALL

    @property
    def elements(self) -> int:
        """Elements of the whole group."""
        return self.count * self.rows * self.cols


class CacheGroup(NamedTuple):
    """Layers whose attention cache has one shape, per token and layer [elements].

    kind: full | sliding | chunked | latent | index | compressed. `window_tokens` bounds what a
    sliding or chunked layer keeps; `tokens_per_entry` > 1 is a cache that stores one entry for
    several tokens (DeepSeek V4). A latent cache is shared by all heads and is both K and V
    (value_elements 0). `flop_elements` is query heads x (key + value width) actually multiplied for
    each cached token: a decode step costs 2 x flop_elements FLOPs per attended token and layer.
    `attended_tokens` bounds what is attended although more is stored (sparse attention: top-k).
    """

    kind: str
    layers: int
    key_elements: int
    value_elements: int
    window_tokens: int | None = None
    tokens_per_entry: int = 1
    flop_elements: int = 0
    kv_heads: int = 1
    attended_tokens: int | None = None
    head_elements: int = 0  # the width of one head (256/512-wide heads read slower)


class StateGroup(NamedTuple):
    """Layers with a state of constant size per sequence [elements per layer].

    kind: gated-delta | kda | mamba2 | mamba1 | conv. `flops_per_token` is of one layer.
    """

    kind: str
    layers: int
    recurrent_elements: int
    conv_elements: int
    flops_per_token: int = 0


class Architecture(NamedTuple):
    """The shape of a model, read from its config alone.

    `layers` counts blocks (a Nemotron-H mixer is one); `expert_layers` those with experts.
    `embedding_tied`: the output head is the input embedding, stored once and read in full.
    `notes` are codes of what had to be assumed while reading (``read-by-shape``).
    """

    model_type: str
    tensors: tuple[TensorGroup, ...]
    caches: tuple[CacheGroup, ...]
    states: tuple[StateGroup, ...]
    hidden: int
    vocab: int
    layers: int
    max_context_tokens: int
    experts: int = 0
    experts_per_token: int = 0
    expert_layers: int = 0
    heads: int = 0
    kv_heads: int = 0
    embedding_tied: bool = False
    encoder_only: bool = False
    state_bits: int = 32
    notes: tuple[str, ...] = ()
