"""Building blocks: each adds tensors, caches or states of one kind of layer to a model's shape.

Element counts follow the modelling files of transformers 5.24; symbols: H hidden, nq and nkv heads,
hd head width, E experts, k of them for each token.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.shapes import (
    READ_ALL,
    READ_EXPERTS,
    READ_LOOKUP,
    READ_NEVER,
    Architecture,
    CacheGroup,
    StateGroup,
    TensorGroup,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_plan.catalog.architecture.fields import Fields

GATED = 3  # matrices of an MLP with a gate (SwiGLU, GeGLU); 2 without


class Parts:
    """A shape being built from a config's text fields."""

    def __init__(self, fields: Fields, model_type: str) -> None:
        self.fields = fields
        self.model_type = model_type
        # n_embd, n_layer ...: GPT-2's names, which Phi-2 keeps.
        self.hidden = fields.count("hidden_size", "n_embd")
        self.layers = fields.layers("num_hidden_layers", "n_layer", "layers_block_type")
        self.vocab = fields.count("vocab_size")
        self.heads = fields.count("num_attention_heads", "n_head")
        self.kv_heads = fields.count(
            "num_key_value_heads", "n_head_kv", default=self.heads, most=self.heads
        )
        self.tensors: list[TensorGroup] = []
        self.caches: list[CacheGroup] = []
        self.states: list[StateGroup] = []
        self.tied = False
        self.experts_total = self.experts_chosen = self.expert_layers = 0
        self.encoder = False
        self.notes: list[str] = []
        self._prefix = ""

    @property
    def head(self) -> int:
        """The width of an attention head: as stated, or the hidden size shared among the heads."""
        named = self.fields.count("head_dim", "attention_head_dim", default=0)
        if not named and self.hidden % self.heads:
            raise self.fields.missing("head_dim")
        return named or self.hidden // self.heads

    @contextmanager
    def drafting(self) -> Iterator[None]:
        """What is added inside belongs to a block that drafts tokens: stored, never decoded."""
        self._prefix = "mtp_"
        yield
        self._prefix = ""

    def add(
        self,
        name: str,
        role: str,
        layers: int,
        rows: int,
        cols: int = 1,
        *,
        each: int = 1,
        read: str = READ_ALL,
    ) -> None:
        """`each` matrices of rows x cols in each of `layers` layers; nothing where one is 0."""
        if min(layers, rows, cols, each) <= 0:
            return
        if self._prefix:
            name, role, read = self._prefix + name, "mtp", READ_NEVER
        self.tensors.append(TensorGroup(name, role, layers * each, rows, cols, layers, read))

    def norm(self, elements: int, layers: int = 1) -> None:
        """Norm weights: so many elements in each of `layers` layers."""
        self.add("norm", "norm", layers, elements)

    def bias(self, elements: int, layers: int = 1) -> None:
        """Biases of matrices."""
        self.add("bias", "bias", layers, elements)

    def embeddings(self, *, tied: bool, rows: int | None = None) -> None:
        """Input embedding, head, and the norm before it."""
        self.tied = tied
        read = READ_ALL if tied else READ_LOOKUP
        self.add("token_embd", "embedding", 1, rows or self.vocab, self.hidden, read=read)
        if not tied:
            self.add("output", "head", 1, self.vocab, self.hidden)
        self.norm(self.hidden)

    def attention(
        self,
        layers: int,
        *,
        heads: int | None = None,
        kv_heads: int | None = None,
        head: int | None = None,
        value: int | None = None,
        qkv_bias: bool = False,
        out_bias: bool = False,
        norm: str = "",
        gate: int = 1,
        values: bool = True,
        keys: bool = True,
    ) -> None:
        """Grouped-query attention of some layers; `gate` 2: queries carry an output gate.

        `keys` False: keys and values are those of an earlier layer; `values` False: they are the
        keys. `norm`: of queries and keys, for each "head" or over "all" of them.
        """
        nq, nkv = heads or self.heads, kv_heads or self.kv_heads
        hd = head or self.head
        vd = value or hd
        self.add("attn_q", "attention", layers, gate * nq * hd, self.hidden)
        if keys:
            self.add("attn_k", "attention", layers, nkv * hd, self.hidden)
            if values:
                self.add("attn_v", "attention", layers, nkv * vd, self.hidden)
        self.add("attn_output", "attention", layers, self.hidden, nq * vd)
        if qkv_bias:
            self.bias(nq * hd + nkv * (hd + vd), layers)
        if out_bias:
            self.bias(self.hidden, layers)
        if norm == "head":
            self.norm(2 * hd if keys else hd, layers)
        elif norm == "all":
            self.norm(hd * (nq + nkv), layers)

    def cache(
        self,
        layers: int,
        *,
        kind: str = "full",
        heads: int | None = None,
        kv_heads: int | None = None,
        head: int | None = None,
        value: int | None = None,
        window: int | None = None,
        attended: int | None = None,
    ) -> None:
        """The cache of grouped-query layers."""
        if layers <= 0:
            return
        nkv, hd = kv_heads or self.kv_heads, head or self.head
        vd = value or hd
        self.caches.append(
            CacheGroup(
                kind=kind,
                layers=layers,
                key_elements=nkv * hd,
                value_elements=nkv * vd,
                window_tokens=window,
                flop_elements=(heads or self.heads) * (hd + vd),
                kv_heads=nkv,
                attended_tokens=attended,
                head_elements=hd,
            )
        )

    def feed_forward(
        self, layers: int, width: int, *, matrices: int = GATED, bias: bool = False
    ) -> None:
        """A dense MLP: gate, up and down, or up and down alone."""
        if matrices == GATED:
            self.add("ffn_gate", "mlp", layers, width, self.hidden)
        self.add("ffn_up", "mlp", layers, width, self.hidden)
        self.add("ffn_down", "mlp", layers, self.hidden, width)
        if bias:
            self.bias((matrices - 1) * width + self.hidden, layers)

    def experts(
        self,
        layers: int,
        experts: int,
        chosen: int,
        width: int,
        *,
        shared: int = 0,
        matrices: int = GATED,
        router_bias: bool = False,
        shared_gate: bool = False,
        inner: int | None = None,
    ) -> None:
        """Routed experts, a shared expert of width `shared`, and the router.

        `inner`: experts work in a latent of this width, with a projection in and out.
        """
        if layers <= 0:
            return
        if chosen > experts:
            raise self.fields.fault("num_experts_per_tok", f"{chosen:,} of {experts:,} experts")
        h = inner or self.hidden
        if not self._prefix:
            self.experts_total, self.experts_chosen = experts, chosen
            self.expert_layers += layers
        if matrices == GATED:
            self.add("exp_gate", "expert", layers, width, h, each=experts, read=READ_EXPERTS)
        self.add("exp_up", "expert", layers, width, h, each=experts, read=READ_EXPERTS)
        self.add("exp_down", "expert", layers, h, width, each=experts, read=READ_EXPERTS)
        self.add("router", "router", layers, experts, self.hidden)
        if router_bias:
            self.add("router_bias", "router", layers, experts)
        if shared and matrices == GATED:
            self.add("shexp_gate", "shared_expert", layers, shared, self.hidden)
        self.add("shexp_up", "shared_expert", layers, shared, self.hidden)
        self.add("shexp_down", "shared_expert", layers, self.hidden, shared)
        if shared_gate:
            self.add("shexp_router", "shared_expert", layers, self.hidden)
        if inner:
            self.add("exp_latent_in", "latent_projection", layers, inner, self.hidden)
            self.add("exp_latent_out", "latent_projection", layers, self.hidden, inner)

    def expert_bias(self, elements: int, experts: int, layers: int) -> None:
        """Biases of expert matrices, read with their expert."""
        self.add("exp_bias", "expert_bias", layers, elements, each=experts, read=READ_EXPERTS)

    def state(self, kind: str, layers: int, recurrent: int, conv: int, flops: int) -> None:
        """A state of constant size per sequence."""
        if layers > 0:
            self.states.append(StateGroup(kind, layers, recurrent, conv, flops))

    def tower(self, elements: int, name: str) -> None:
        """A vision or audio tower, by size: it is never read while decoding.

        Two columns, as a group of one column would be taken for a vector.
        """
        self.add(name, "tower", 1, elements // 2, 2, read=READ_NEVER)
        self.add(name, "tower", 1, elements % 2, read=READ_NEVER)

    def without_head(self) -> None:
        """Turn a decoder into an embedder: no output matrix, the embedding is only looked up."""
        self.tied = False
        self.tensors = [
            t._replace(read=READ_LOOKUP) if t.name == "token_embd" else t
            for t in self.tensors
            if t.name != "output"
        ]

    def build(self) -> Architecture:
        """The finished shape."""
        return Architecture(
            model_type=self.model_type,
            tensors=tuple(self.tensors),
            caches=tuple(self.caches),
            states=tuple(self.states),
            hidden=self.hidden,
            vocab=self.vocab,
            layers=self.layers,
            max_context_tokens=self.fields.count(
                "max_position_embeddings",
                "model_max_length",
                "max_sequence_length",
                "n_positions",
                "seq_length",
            ),
            experts=self.experts_total,
            experts_per_token=self.experts_chosen,
            expert_layers=self.expert_layers,
            heads=self.heads,
            kv_heads=self.kv_heads,
            embedding_tied=self.tied,
            encoder_only=self.encoder,
            state_bits=self._state_bits(),
            notes=tuple(self.notes),
        )

    def _state_bits(self) -> int:
        """Width of the recurrent state: as stated; 32 where it is not, which engines default to."""
        keys = ("mamba_ssm_cache_dtype", "mamba_ssm_dtype")
        named = next((self.fields.word(key) for key in keys if self.fields.has(key)), "")
        # Kimi's delta attention keeps 32 bits whatever the config says.
        open_kinds = {group.kind for group in self.states} - {"kda", "conv"}
        if open_kinds and not named:
            self.notes.append("state-width-assumed")
        return {"bfloat16": 16, "float16": 16}.get(named, 32)
