"""A model: its published config, the precisions it exists in, and the shape read from it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from spark_plan.catalog.figures import Figure, Source, cited, decode_figure, decode_sources
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_plan.catalog.architecture.shapes import Architecture
    from spark_plan.catalog.figures import Sources


class ModuleRule(NamedTuple):
    """Tensors of a checkpoint kept in another format: by canonical name or role.

    `layers`: only so many of the layers that have them; 0 means all.
    """

    tensors: tuple[str, ...]
    roles: tuple[str, ...]
    layers: int
    format_id: str


class Checkpoint(NamedTuple):
    """A published quantised copy; `modules` None: its list of exceptions is not known."""

    repo: str
    scheme: str
    maker: str
    weight_bytes: Figure | None
    modules: tuple[ModuleRule, ...] | None
    note: str
    sources: tuple[Source, ...]


class _Fields(NamedTuple):
    id: str
    name: str
    family: str
    repo: str
    task: str
    released: str | None
    base: str | None
    aliases: tuple[str, ...]
    config: dict[str, Any]
    config_kind: str
    own_schemes: tuple[str, ...]
    checkpoints: tuple[Checkpoint, ...]
    published: dict[str, Figure]
    sources: Sources
    note: str
    file: str
    origin: str


class ModelProfile(_Fields):
    """A model in the Hugging Face config's own key names.

    `config_kind` says how sure the config is: published | database | same-shape | derived.
    `own_schemes` are the precisions its maker published it in, `published` the counts stated.
    """

    @cached_property
    def architecture(self) -> Architecture:
        """The shape read from the config, once, when first asked for.

        Raises:
            ConfigError: a field is missing or cannot be what it says.
        """
        from spark_plan.catalog.architecture import read

        return read(self.config, head=self.task != "embedding")


def decode_model(data: Mapping[str, Any], *, file: str, origin: str) -> ModelProfile:
    """A model from its validated mapping."""
    sources = decode_sources(data)
    published = {k: decode_figure(v, sources) for k, v in data.get("published", {}).items()}
    return ModelProfile(
        id=data["id"],
        name=data["name"],
        family=data["family"],
        repo=data["repo"],
        task=data["task"],
        released=data.get("released"),
        base=data.get("base"),
        aliases=tuple(data.get("aliases", ())),
        config=data["config"],
        config_kind=data["config_kind"],
        own_schemes=tuple(data["own_schemes"]),
        checkpoints=tuple(
            Checkpoint(
                repo=item["repo"],
                scheme=item["scheme"],
                maker=item["maker"],
                weight_bytes=decode_figure(item.get("weight_bytes"), sources),
                modules=_modules(item.get("modules")),
                note=item.get("note", ""),
                sources=cited(item.get("source"), sources),
            )
            for item in data.get("checkpoints", ())
        ),
        published={key: figure for key, figure in published.items() if figure is not None},
        sources=sources,
        note=data.get("note", ""),
        file=file,
        origin=origin,
    )


def _modules(items: list[Mapping[str, Any]] | None) -> tuple[ModuleRule, ...] | None:
    if items is None:
        return None
    return tuple(
        ModuleRule(
            tuple(item.get("tensors", ())),
            tuple(item.get("roles", ())),
            item.get("layers", 0),
            item["format"],
        )
        for item in items
    )
