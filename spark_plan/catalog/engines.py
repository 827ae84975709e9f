"""An inference engine: what it loads, what it runs where, how it allocates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.figures import Figure, Source, cited, decode_figure, decode_sources
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Run(NamedTuple):
    """Schemes an engine runs on hardware families, ``native`` or ``emulated``."""

    families: tuple[str, ...]
    schemes: tuple[str, ...]
    how: str
    sources: tuple[Source, ...]


class EngineProfile(NamedTuple):
    """An engine. `parent` stands in where it has no figures or terms of its own."""

    id: str
    name: str
    aliases: tuple[str, ...]
    containers: tuple[str, ...]
    parent: str | None
    versions: tuple[str, ...]
    kv_default: str
    kv_formats: tuple[str, ...]
    towers_resident: bool
    reserves: bool
    reserve_flag: str
    runs: tuple[Run, ...]
    memory: dict[str, Figure]
    parallel: tuple[str, ...]
    note: str
    file: str
    origin: str

    def how(self, family: str, scheme: str) -> str | None:
        """Whether the engine runs a scheme there: native, emulated, or None for not known to."""
        for run in self.runs:
            if family in run.families and scheme in run.schemes:
                return run.how
        return None


def decode_engine(data: Mapping[str, Any], *, file: str, origin: str) -> EngineProfile:
    """An engine from its validated mapping."""
    sources = decode_sources(data)
    memory = {key: decode_figure(item, sources) for key, item in data["memory"].items()}
    return EngineProfile(
        id=data["id"],
        name=data["name"],
        aliases=tuple(data.get("aliases", ())),
        containers=tuple(data["containers"]),
        parent=data.get("parent"),
        versions=tuple(data.get("versions", ())),
        kv_default=data["kv_default"],
        kv_formats=tuple(data["kv_formats"]),
        towers_resident=data.get("towers_resident", True),
        reserves=data.get("reserves", False),
        reserve_flag=data.get("reserve_flag", ""),
        runs=tuple(
            Run(
                tuple(item["families"]),
                tuple(item["schemes"]),
                item["how"],
                cited(item["source"], sources),
            )
            for item in data["runs"]
        ),
        memory={key: figure for key, figure in memory.items() if figure is not None},
        parallel=tuple(data["parallel"]),
        note=data.get("note", ""),
        file=file,
        origin=origin,
    )
