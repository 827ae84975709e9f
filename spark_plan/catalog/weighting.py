"""Which number format each tensor of a model is stored in, and how many bytes that takes.

A checkpoint's own list of exceptions comes first, then the scheme's table. GGUF files follow
llama.cpp's quantiser (``src/llama-quant.cpp``): some matrices take more bits in some layers, and
rows that are no whole number of blocks fall back to a format with smaller ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog import gguf_mix
from spark_plan.catalog.gguf_mix import Facts
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spark_plan.catalog.architecture.shapes import TensorGroup
    from spark_plan.catalog.formats import Formats, Layout, NumberFormat, Scheme
    from spark_plan.catalog.models import ModuleRule

GGUF = "gguf"
# What a vector is stored in where no rule of the scheme says so.
_VECTOR_FORMATS = {GGUF: "f32"}
_VECTOR_FORMAT = "bf16"
_LOOKUPS = frozenset({"token_embd", "ple_embd"})
_MTP = "mtp_"


class StoredTensor(NamedTuple):
    """`count` matrices of a group in one number format, `bytes` together.

    A group whose layers differ is split over several of these.
    """

    group: TensorGroup
    format_id: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls here
    bytes: int


def stored(
    scheme: Scheme,
    tensors: Sequence[TensorGroup],
    *,
    modules: Iterable[ModuleRule] = (),
    container: str | None = None,
    formats: Formats,
) -> list[StoredTensor]:
    """Every tensor with the format it is stored in.

    Args:
        scheme: the precision.
        tensors: a model's groups, as its architecture has them.
        modules: a published checkpoint's exceptions, which go before the scheme's table.
        container: the kind of file; None is the scheme's own.
        formats: the registry the number formats are looked up in.

    Raises:
        UnknownNameError: a rule names a number format the registry does not hold.
    """
    container = container or scheme.container
    layout = scheme.layout(container)
    groups = gguf_mix.gguf_tensors(tensors) if container == GGUF else tuple(tensors)
    facts = Facts.of(groups)
    exceptions = tuple(modules)
    found: list[StoredTensor] = []
    for group in groups:
        counts: dict[str, int] = {}
        for name, count in _split(group, layout, exceptions, container, facts):
            stored_in = _that_fits(formats.number_format(name), group.cols, formats)
            counts[stored_in.id] = counts.get(stored_in.id, 0) + count
        found += (
            StoredTensor(group, name, count, count * size)
            for name, count in counts.items()
            if count
            for size in (formats.number_format(name).matrix_bytes(group.rows, group.cols),)
        )
    return found


def _split(
    group: TensorGroup,
    layout: Layout,
    exceptions: Sequence[ModuleRule],
    container: str,
    facts: Facts,
) -> list[tuple[str, int]]:
    """Formats of a group's matrices and how many have each."""
    name, role = _known_as(group, container, facts)
    if group.cols == 1:
        # A checkpoint's exceptions are about matrices; vectors are never quantised.
        for rule in layout.rules:
            if rule.vectors:
                return [(rule.format_id, group.count)]
        return [(_VECTOR_FORMATS.get(container, _VECTOR_FORMAT), group.count)]
    parts: list[tuple[str, int]] = []
    left = group.count
    for module in exceptions:
        if not (_named(group.name, module.tensors) or group.role in module.roles):
            continue
        each = group.count // max(group.layers, 1)
        taken = min(module.layers * each, left) if module.layers else left
        parts.append((module.format_id, taken))
        left -= taken
        if not left:
            return parts
    for rule in layout.rules:
        if not (name in rule.tensors or role in rule.roles) or not facts.holds(rule.when):
            continue
        if rule.layers:
            more = gguf_mix.matrices_in(rule.layers, group, facts) * left // group.count
            return [*parts, (rule.format_id, more), (rule.otherwise, left - more)]
        return [*parts, (rule.format_id, left)]
    return [*parts, (layout.default, left)]


def _named(name: str, patterns: Sequence[str]) -> bool:
    """Whether a checkpoint's list names a tensor; ``mtp_*`` and the like end in a star."""
    return any(
        name == item or (item.endswith("*") and name.startswith(item[:-1])) for item in patterns
    )


def _known_as(group: TensorGroup, container: str, facts: Facts) -> tuple[str, str]:
    """The name and role a scheme's table sees."""
    if container != GGUF:
        return group.name, group.role
    if facts.tied and group.name in _LOOKUPS:
        # The one matrix serves as output too: llama.cpp quantises it by the output's rule.
        return "output", "head"
    # A block for drafting is quantised like the blocks it resembles.
    return group.name.removeprefix(_MTP), group.role


def _that_fits(wanted: NumberFormat, cols: int, formats: Formats) -> NumberFormat:
    """The format, or the one it falls back to for rows that are no whole number of blocks."""
    while wanted.fallback and cols > 1 and cols % wanted.block_elements:
        wanted = formats.number_format(wanted.fallback)
    return wanted
