"""A number with its provenance: nothing in the catalogue is a bare value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("spec", "measured", "fitted", "derived", "assumed")


class Source(NamedTuple):
    """Where something was read: an address, and the day it was seen (YYYY-MM-DD)."""

    key: str
    url: str | None
    seen: str
    title: str
    note: str = ""


class Figure(NamedTuple):
    """A value in the base unit its name states; `value` None is "looked for, not known"."""

    value: float | None
    kind: str
    sources: tuple[Source, ...] = ()
    note: str = ""
    low: float | None = None
    high: float | None = None


Sources = dict[str, Source]


def decode_sources(data: Mapping[str, Any]) -> Sources:
    """The sources a profile declares, by key."""
    return {
        key: Source(
            key, entry.get("url"), entry.get("seen", ""), entry.get("title", ""),
            entry.get("note", ""),
        )
        for key, entry in data.get("sources", {}).items()
    }  # fmt: skip


def cited(keys: str | list[str] | None, sources: Sources) -> tuple[Source, ...]:
    """The sources that a key, or a list of keys, stands for."""
    if keys is None:
        return ()
    return tuple(sources[key] for key in ((keys,) if isinstance(keys, str) else keys))


def decode_figure(node: Mapping[str, Any] | None, sources: Sources) -> Figure | None:
    """A figure from its validated mapping; None where the profile has none."""
    if node is None:
        return None
    return Figure(
        value=node["value"],
        kind=node.get("kind", "assumed"),
        sources=cited(node.get("source"), sources),
        note=node.get("note", ""),
        low=node.get("low"),
        high=node.get("high"),
    )
