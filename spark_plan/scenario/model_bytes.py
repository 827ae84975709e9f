"""A model's tensors at the widths they are stored in -> what is resident, and what a step reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.shapes import READ_ALL, READ_EXPERTS
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_plan.catalog.architecture.shapes import Architecture
    from spark_plan.catalog.formats import Formats
    from spark_plan.catalog.weighting import StoredTensor

# Tokenizer, header and metadata beside the tensors: 6 to 10 MB in published files.
FILE_EXTRA_BYTES = 8_000_000
# Blocks whose output every device of a tensor-parallel plan has to sum.
_MIXER_OUTPUTS = frozenset({"attn_output", "attn_o_b", "lin_out", "ssm_out", "conv_out"})
_FEED_FORWARD_OUTPUTS = frozenset({"ffn_down", "exp_down"})


class ReadPart(NamedTuple):
    """Matrices of one number format that a step reads [bytes, elements].

    `kernel` is the class of kernel that reads them, which is what a fraction of bandwidth is of.
    """

    kernel: str
    format_id: str
    size_bytes: int
    elements: int


class Weights(NamedTuple):
    """One copy of the model, as stored [bytes].

    `matrix_bytes` + `vector_bytes` = `resident_bytes`; `dense` and `experts` are what the layers
    read (experts: all of them), `head` the output head; embeddings are looked up, not read.
    """

    resident_bytes: int
    file_bytes: int
    matrix_bytes: int
    vector_bytes: int
    embedding_bytes: int
    head_bytes: int
    dense: tuple[ReadPart, ...]
    experts: tuple[ReadPart, ...]
    head: tuple[ReadPart, ...]
    by_format: dict[str, int]
    reduces_per_step: int


def weigh(
    stored: Iterable[StoredTensor],
    architecture: Architecture,
    formats: Formats,
    *,
    towers_resident: bool,
    container: str,
) -> Weights:
    """Sum stored tensors by what an engine does with them.

    Args:
        stored: every tensor of the checkpoint with its format and bytes.
        architecture: the model's shape.
        formats: the registry that names each format's kernel class.
        towers_resident: the engine loads vision and audio towers with the model.
        container: of the file; a GGUF leaves towers (a file of their own) and MTP blocks out.
    """
    parts: dict[str, dict[str, list[int]]] = {"dense": {}, "experts": {}, "head": {}}
    resident = matrix = file_bytes = embedding = head_bytes = 0
    by_format: dict[str, int] = {}
    mixers = feed_forwards = 0
    for item in stored:
        group = item.group
        tower, drafting = group.role == "tower", group.role == "mtp"
        if not (container == "gguf" and (tower or drafting)):
            file_bytes += item.bytes
        if drafting or (tower and not towers_resident):
            continue
        resident += item.bytes
        by_format[item.format_id] = by_format.get(item.format_id, 0) + item.bytes
        if group.cols > 1:
            matrix += item.bytes
        mixers += group.layers if group.name in _MIXER_OUTPUTS else 0
        feed_forwards += group.layers if group.name in _FEED_FORWARD_OUTPUTS else 0
        if group.role == "embedding":
            embedding += item.bytes
        place = _place(group.role, group.read, tied=architecture.embedding_tied)
        if place is None:
            continue
        if place == "head":
            head_bytes += item.bytes
        sums = parts[place].setdefault(item.format_id, [0, 0])
        sums[0] += item.bytes
        sums[1] += item.count * group.rows * group.cols
    return Weights(
        resident_bytes=resident,
        file_bytes=file_bytes + FILE_EXTRA_BYTES,
        matrix_bytes=matrix,
        vector_bytes=resident - matrix,
        embedding_bytes=embedding,
        head_bytes=head_bytes,
        dense=_read_parts(parts["dense"], formats),
        experts=_read_parts(parts["experts"], formats),
        head=_read_parts(parts["head"], formats),
        by_format=by_format,
        reduces_per_step=min(mixers, architecture.layers)
        + min(feed_forwards, architecture.layers)
        + 1,
    )


def _place(role: str, read: str, *, tied: bool) -> str | None:
    """Which sum a group belongs to while decoding; None for what is not read."""
    if role == "head" or (role == "embedding" and tied):
        return "head"
    if read == READ_EXPERTS:
        return "experts"
    return "dense" if read == READ_ALL and role != "tower" else None


def _read_parts(sums: dict[str, list[int]], formats: Formats) -> tuple[ReadPart, ...]:
    return tuple(
        ReadPart(formats.number_format(name).kernel, name, size_bytes, elements)
        for name, (size_bytes, elements) in sums.items()
    )
