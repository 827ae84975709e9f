"""Where in a model a GGUF mix spends more bits, and under which names llama.cpp knows tensors.

Follows ``src/llama-quant.cpp`` of llama.cpp. A group of tensors does not say which blocks it lies
in: where a model has two kinds of blocks, positions are inferred (dense feed-forwards first and
experts after them; attention spread evenly among recurrent blocks), which is exact for the families
that do so and close for others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spark_plan.catalog.architecture.shapes import TensorGroup

# llama.cpp counts these together, in the order of the blocks.
_VALUE_LIKE = frozenset({"attn_v", "attn_qkv", "lin_qkv"})
_DENSE_FEED_FORWARD = frozenset({"ffn_gate", "ffn_up", "ffn_down"})
_OUTSIDE_BLOCKS = frozenset({"embedding", "ple", "head", "tower", "mtp"})
_MANY_HEADS = 4  # query heads for each KV head from which attn_v is cheap enough to widen
_MANY_EXPERTS = 4
_MIXTRAL_EXPERTS = 8
_LAYERS_OF_70B = 80
# Where at most this share of the blocks is dense, those are the first (DeepSeek, GLM); more of them
# alternate with expert blocks (Llama 4 Maverick, Jamba).
_LEADING_SHARE = 8


def _more_bits(layer: int, total: int) -> bool:
    eighth = total // 8
    return layer < eighth or layer >= 7 * total // 8 or (layer - eighth) % 3 == 2


# Names of layer choices in formats.yaml -> whether layer i of n is meant.
CHOICES: dict[str, Callable[[int, int], bool]] = {
    "more_bits": _more_bits,
    "first_eighth": lambda layer, total: layer < total // 8,
    "first_sixteenth": lambda layer, total: layer < total // 16,
    "first_2": lambda layer, _total: layer < 2,
    "first_4": lambda layer, _total: layer < 4,
    "middle": lambda layer, total: total // 8 <= layer < 7 * total // 8,
}


class Facts(NamedTuple):
    """What llama.cpp's quantiser asks about a model."""

    layers: int
    experts: int
    heads_per_kv_head: int
    tied: bool
    value_like_layers: int
    dense_layers: int

    @classmethod
    def of(cls, groups: Iterable[TensorGroup]) -> Facts:
        """Read them off the shapes.

        The number of blocks is that of the commonest tensor (a norm in each block).
        """
        groups = [group for group in groups if not group.name.startswith("mtp_")]
        blocks = [g for g in groups if g.role not in _OUTSIDE_BLOCKS]
        first = {group.name: group for group in reversed(groups)}
        expert = first.get("exp_down")
        return cls(
            layers=max((group.layers for group in blocks), default=0),
            experts=expert.count // max(expert.layers, 1) if expert else 0,
            heads_per_kv_head=_heads_per_kv_head(first),
            tied="output" not in first,
            value_like_layers=sum(g.layers for g in groups if g.name in _VALUE_LIKE),
            dense_layers=sum(g.layers for g in groups if g.name == "ffn_down"),
        )

    def holds(self, condition: str) -> bool:
        """Whether a rule's `when` is met ("" always is; several are joined by ``and``)."""
        return all(self._one(part) for part in condition.split(" and ") if part)

    def _one(self, condition: str) -> bool:
        return {
            "gqa_4": self.heads_per_kv_head >= _MANY_HEADS,
            "gqa_4_or_experts_4": self.heads_per_kv_head >= _MANY_HEADS
            or self.experts >= _MANY_EXPERTS,
            "experts_8": self.experts == _MIXTRAL_EXPERTS,
            "model_70b": self.layers == _LAYERS_OF_70B
            and not self.experts
            and self.heads_per_kv_head > 1,
        }[condition]


def _heads_per_kv_head(first: dict[str, TensorGroup]) -> int:
    """How many query heads share a KV head, by the widths of the projections."""
    out, value, fused = (first.get(name) for name in ("attn_output", "attn_v", "attn_qkv"))
    if "attn_kv_a" in first:
        return _MANY_HEADS  # a latent cache is one KV head for all
    if out and value:
        return out.cols // max(value.rows, 1)
    if out and fused:
        return out.cols // max((fused.rows - out.cols) // 2, 1)
    return 1


def matrices_in(choice: str, group: TensorGroup, facts: Facts) -> int:
    """How many matrices of a group lie in the layers a choice names.

    >>> from spark_plan.catalog.architecture.shapes import TensorGroup
    >>> down = TensorGroup("ffn_down", "mlp", 32, 4096, 14336, 32)
    >>> matrices_in("more_bits", down, Facts.of([down]))
    16
    """
    meant = CHOICES[choice]
    positions, total = _positions(group, facts)
    hits = sum(meant(layer, total) for layer in positions)
    return hits * (group.count // max(group.layers, 1))


def _positions(group: TensorGroup, facts: Facts) -> tuple[Iterable[int], int]:
    """The blocks a group lies in, as llama.cpp counts them, and out of how many."""
    name, own = group.name, group.layers
    if name.startswith("mtp_"):
        return range(facts.layers, facts.layers + own), facts.layers + own  # behind the last block
    if name in _VALUE_LIKE:
        return _value_positions(own, facts.value_like_layers), facts.value_like_layers
    total = max(facts.layers, own)
    if own == total:
        return range(total), total
    if name.startswith(("exp_", "shexp_")):
        leading = total - own <= total // _LEADING_SHARE and facts.dense_layers == total - own
        return (range(total - own, total) if leading else _spread(own, total)), total
    if name in _DENSE_FEED_FORWARD and own <= total // _LEADING_SHARE:
        return range(own), total
    return _spread(own, total), total


def _spread(own: int, total: int) -> set[int]:
    """Blocks that come once in each of `own` periods, at their ends."""
    return {(i + 1) * total // own - 1 for i in range(own)}


def _value_positions(own: int, total: int) -> set[int]:
    """Attention lies at the end of each period, recurrent blocks in the rest of it."""
    if own * 2 <= total:
        return _spread(own, total)
    return set(range(total)) - (_spread(total - own, total) if own < total else set())


def gguf_tensors(tensors: Sequence[TensorGroup]) -> tuple[TensorGroup, ...]:
    """The groups as a GGUF file has them.

    Its converter splits two matrices that other files keep whole: the input projection of linear
    attention (q, k, v under a name that counts as attention; z apart), and the up-projection of
    latent attention (the key half transposed, so that its rows are as short as one head).
    """
    first = {group.name: group for group in reversed(tensors)}
    heads = _latent_heads(first)
    found: list[TensorGroup] = []
    for group in tensors:
        if group.name == "lin_qkvz" and "lin_out" in first:
            gate = first["lin_out"].cols
            found += (
                group._replace(name="lin_qkv", rows=group.rows - gate),
                group._replace(name="lin_z", rows=gate),
            )
        elif group.name == "attn_kv_b" and heads:
            value = first["attn_output"].cols
            head = (group.rows - value) // heads
            found += (
                group._replace(name="attn_v_b", rows=value),
                group._replace(name="attn_k_b", rows=heads * group.cols, cols=head),
            )
        else:
            found.append(group)
    return tuple(found)


def _latent_heads(first: dict[str, TensorGroup]) -> int:
    """Query heads of latent attention; 0 where the shapes do not say.

    Queries have heads x (plain + rotary) rows, the up-projection heads x (plain + value), and the
    down-projection latent + rotary: what is left of the first after the second is heads x rotary.
    """
    query = first.get("attn_q_b") or first.get("attn_q")
    up, down, out = (first.get(name) for name in ("attn_kv_b", "attn_kv_a", "attn_output"))
    if not (query and up and down and out):
        return 0
    rotary = down.rows - up.cols
    return (query.rows - (up.rows - out.cols)) // rotary if rotary > 0 else 0
