"""Number formats and weight schemes: how wide a weight is, and which weights are how wide.

A *number format* is how one matrix is stored (blocks, scales); a *scheme* is what people call a
precision: a table that gives every tensor of a model its number format. Both are data
(``profiles/formats.yaml``); the choice itself is made in `weighting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.figures import Figure, Source, Sources, decode_figure, decode_sources
from spark_plan.catalog.lookup import fold
from spark_plan.errors import UnknownNameError
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LONGEST_ECHO = 40
# Unsloth's dynamic mixes differ from model to model: there is no rule to size them by.
_DYNAMIC = ("ud", "xl")


class NumberFormat(NamedTuple):
    """How one matrix is stored.

    A row is cut into blocks of `block_elements`, each `block_bits` long with its own scales; on top
    come `row_bytes` for each row (a scale for each output channel), `column_bytes` for each column
    and `tile_bytes` for each square of `tile_elements` x `tile_elements`. `flat`: blocks run over
    the whole matrix and not along rows. `fallback` is what a matrix is stored in whose rows are no
    whole number of blocks ("" where a partial block is padded). `kernel` is the class of kernels
    that reads it.
    """

    id: str
    bits_per_weight: Figure
    block_elements: int
    block_bits: int
    kernel: str
    row_bytes: int = 0
    column_bytes: int = 0
    tile_bytes: int = 0
    tile_elements: int = 1
    flat: bool = False
    fallback: str = ""

    def matrix_bytes(self, rows: int, cols: int) -> int:
        """One matrix of rows x cols elements, scales included [bytes].

        Q4_K stores 256 weights in 144 bytes:

        >>> q4_k = NumberFormat("q4_k", Figure(4.5, "spec"), 256, 1152, "q4_k")
        >>> q4_k.matrix_bytes(4096, 4096)
        9437184
        """
        if self.flat:
            blocks = -(-rows * cols // self.block_elements)
        else:
            blocks = rows * -(-cols // self.block_elements)
        side = self.tile_elements
        tiles = -(-rows // side) * -(-cols // side) if self.tile_bytes else 0
        return (
            -(-blocks * self.block_bits // 8)
            + rows * self.row_bytes
            + cols * self.column_bytes
            + tiles * self.tile_bytes
        )


class Rule(NamedTuple):
    """One line of a scheme's table: which tensors, stored in what.

    Matches tensors by canonical name or role; `vectors` matches whatever has one column. `layers`
    names the layers that take `format_id` (the others take `otherwise`); `when` names a condition
    on the model. Both names are defined in `weighting`.
    """

    format_id: str
    tensors: frozenset[str]
    roles: frozenset[str]
    vectors: bool = False
    layers: str = ""
    otherwise: str = ""
    when: str = ""


class Layout(NamedTuple):
    """A scheme's table for one kind of file: the first rule that matches wins, else `default`."""

    default: str
    rules: tuple[Rule, ...]


class Scheme(NamedTuple):
    """What people call a precision.

    `bits` is the nominal width; `arithmetic` what the scheme multiplies in where the hardware can
    (``fp4``, ``fp8``, ``int8``), None for schemes that only store weights narrowly. `container` is
    the kind of file it is published in; `layouts` has a table for each kind it also exists in.
    """

    id: str
    title: str
    container: str
    bits: float
    arithmetic: str | None
    layouts: dict[str, Layout]
    aliases: tuple[str, ...]
    sources: tuple[Source, ...]
    note: str = ""

    @property
    def weight_only(self) -> bool:
        """Whether the scheme narrows storage and leaves the arithmetic to the engine."""
        return self.arithmetic is None

    def layout(self, container: str) -> Layout:
        """The table for a kind of file; that of the scheme's own kind where there is no other."""
        return self.layouts.get(container) or self.layouts[self.container]


class Formats:
    """The registry of number formats, schemes and cache formats; rows are decoded when asked for.

    `file` and `origin` say where it was read, for citations.
    """

    def __init__(self, data: Mapping[str, Any], *, file: str, origin: str) -> None:
        self.file = file
        self.origin = origin
        self._data = data
        self._sources: Sources | None = None
        self._number_formats: dict[str, NumberFormat] = {}
        self._schemes: dict[str, Scheme] = {}
        self._folded: dict[str, str] | None = None
        self._kv_formats: dict[str, Figure] | None = None

    @property
    def sources(self) -> Sources:
        """The sources of the registry, by key."""
        if self._sources is None:
            self._sources = decode_sources(self._data)
        return self._sources

    @property
    def kv_formats(self) -> dict[str, Figure]:
        """Formats of a KV cache -> bits per element, scales included [bits]."""
        if self._kv_formats is None:
            self._kv_formats = {
                name: _figure(node, self.sources) for name, node in self._data["kv_formats"].items()
            }
        return self._kv_formats

    def scheme_ids(self) -> tuple[str, ...]:
        """Ids of all schemes, in the registry's order."""
        return tuple(self._data["schemes"])

    def number_format_ids(self) -> tuple[str, ...]:
        """Ids of all number formats, in the registry's order."""
        return tuple(self._data["number_formats"])

    def number_format(self, name: str) -> NumberFormat:
        """The number format with this id.

        Raises:
            UnknownNameError: there is none.
        """
        found = self._number_formats.get(name)
        if found is None:
            node = self._data["number_formats"].get(name)
            if node is None:
                raise _unknown("number format", name, self._data["number_formats"])
            found = self._number_formats[name] = _number_format(name, node, self.sources)
        return found

    def scheme_id(self, name: str) -> str:
        """The id a name or alias stands for; case, ``- _ .`` and blanks do not matter.

        Raises:
            UnknownNameError: none; a name that is not known is never sized by guess.
        """
        if name in self._data["schemes"]:
            return name
        if self._folded is None:
            # The shipped index has them folded already.
            self._folded = self._data.get("aliases") or fold_names(self._data)
        found = self._folded.get(fold(name))
        if found is None:
            raise _unknown("precision", name, self._data["schemes"])
        return found

    def scheme(self, name: str) -> Scheme:
        """The scheme a name or alias stands for.

        Raises:
            UnknownNameError: none.
        """
        key = self.scheme_id(name)
        found = self._schemes.get(key)
        if found is None:
            found = self._schemes[key] = _scheme(key, self._data, self.sources)
        return found


def decode_formats(
    data: Mapping[str, Any], *, file: str = "formats.yaml", origin: str = "shipped"
) -> Formats:
    """The registry from its validated mapping."""
    return Formats(data, file=file, origin=origin)


def _figure(node: Mapping[str, Any], sources: Sources) -> Figure:
    figure = decode_figure(node, sources)
    if figure is None:  # the schema asks for it: our own bug
        raise TypeError(node)
    return figure


def _number_format(name: str, node: Mapping[str, Any], sources: Sources) -> NumberFormat:
    return NumberFormat(
        id=name,
        bits_per_weight=_figure(node["bits_per_weight"], sources),
        block_elements=node["block_elements"],
        block_bits=round(node["block_bytes"] * 8),
        kernel=node["kernel"],
        row_bytes=node.get("row_bytes", 0),
        column_bytes=node.get("column_bytes", 0),
        tile_bytes=node.get("tile_bytes", 0),
        tile_elements=node.get("tile_elements", 1),
        flat=node.get("flat", False),
        fallback=node.get("fallback", ""),
    )


def _scheme(name: str, data: Mapping[str, Any], sources: Sources) -> Scheme:
    node = data["schemes"][name]
    rule_sets = data.get("rule_sets", {})
    layouts = {node["container"]: _layout(node, rule_sets)}
    for container, own in node.get("by_container", {}).items():
        layouts[container] = _layout(own, rule_sets)
    keys = node["source"]
    return Scheme(
        id=name,
        title=node["title"],
        container=node["container"],
        bits=node["bits"],
        arithmetic=node.get("arithmetic"),
        layouts=layouts,
        aliases=tuple(node.get("aliases", ())),
        sources=tuple(sources[key] for key in ((keys,) if isinstance(keys, str) else keys)),
        note=node.get("note", ""),
    )


def _layout(node: Mapping[str, Any], rule_sets: Mapping[str, Any]) -> Layout:
    """A table: the rule sets it uses, in their order, then its own rules."""
    items = [item for used in node.get("use", ()) for item in rule_sets[used]]
    items += node.get("rules", ())
    return Layout(
        default=node["default"],
        rules=tuple(
            Rule(
                format_id=item["format"],
                tensors=frozenset(item.get("tensors", ())),
                roles=frozenset(item.get("roles", ())),
                vectors=item.get("vectors", False),
                layers=item.get("layers", ""),
                otherwise=item.get("else", ""),
                when=item.get("when", ""),
            )
            for item in items
        ),
    )


def fold_names(data: Mapping[str, Any]) -> dict[str, str]:
    """Folded ids and aliases of the schemes -> ids; an id wins over another scheme's alias."""
    folded = {
        fold(alias): key
        for key, node in data["schemes"].items()
        for alias in node.get("aliases", ())
    }
    return folded | {fold(key): key for key in data["schemes"]}


def _unknown(what: str, name: str, known: Iterable[str]) -> UnknownNameError:
    from spark_plan.catalog.near import near

    guesses = near(name.lower().replace("-", "_"), known)
    guess = f". Did you mean {', '.join(guesses)}?" if guesses else ""
    words = name.lower().replace("-", "_").split("_")
    if _DYNAMIC[0] in words or _DYNAMIC[1] in words:
        hint = "UD and XL mixes differ from model to model: give the path of the .gguf file instead"
    else:
        hint = "`spark-plan formats list` shows what there is"
    return UnknownNameError(
        f"unknown {what} {name[:_LONGEST_ECHO]!r}{guess}", hint=hint, suggestions=guesses
    )
