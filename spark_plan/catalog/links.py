"""A link between devices or machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.figures import Figure, decode_figure, decode_sources
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class LinkProfile(NamedTuple):
    """Bandwidth per direction [bytes/s] and latencies [s]; fractions are achieved over peak.

    `allreduce_latency_s` is one small all-reduce of two devices, `_4_s` of three or four.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    bandwidth_bytes_per_s: Figure | None
    latency_s: Figure | None
    usable_fraction: Figure | None
    allreduce_fraction: Figure | None
    allreduce_latency_s: Figure | None
    allreduce_latency_4_s: Figure | None
    hop_latency_s: Figure | None
    note: str
    file: str
    origin: str


_FIGURES = (
    "bandwidth_bytes_per_s", "latency_s", "usable_fraction", "allreduce_fraction",
    "allreduce_latency_s", "allreduce_latency_4_s", "hop_latency_s",
)  # fmt: skip


def decode_link(data: Mapping[str, Any], *, file: str, origin: str) -> LinkProfile:
    """A link from its validated mapping."""
    sources = decode_sources(data)
    return LinkProfile(
        id=data["id"],
        name=data["name"],
        aliases=tuple(data.get("aliases", ())),
        note=data.get("note", ""),
        file=file,
        origin=origin,
        **{key: decode_figure(data.get(key), sources) for key in _FIGURES},
    )
