"""The few columns `list` shows of each profile, taken from its checked mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Tree = Mapping[str, Any]
    Row = dict[str, Any]


def row(kind: str, tree: Tree) -> Row:
    """One line of a list: id, name, the kind's own columns, aliases."""
    return {
        "id": tree["id"],
        "name": tree["name"],
        **_COLUMNS[kind](tree),
        "aliases": list(tree.get("aliases", ())),
    }


def scheme_row(key: str, scheme: Tree) -> Row:
    """One line of `formats list`."""
    return {
        "id": key,
        "name": scheme["title"],
        "container": scheme["container"],
        "bits": scheme["bits"],
        "arithmetic": scheme.get("arithmetic"),
        "aliases": list(scheme.get("aliases", ())),
    }


def _value(figure: Tree | None) -> float | None:
    return None if figure is None else figure["value"]


def _hardware(tree: Tree) -> Row:
    pool = tree["memory"][0]
    size = tree.get("default_memory_gb") if tree.get("memory_options") else None
    chosen = next((item for item in tree.get("memory_options", ()) if item["gb"] == size), pool)
    prices = [
        item
        for item in tree.get("prices", ())
        if item["usd"]["value"] is not None and item.get("memory_gb") in {None, size}
    ]
    newest = max(prices, key=lambda item: str(item["date"]), default=None)
    return {
        "vendor": tree["vendor"],
        "family": tree["family"],
        "class": tree["class"],
        "status": tree["status"],
        "memory_kind": pool["kind"],
        "memory_bytes": _value(chosen.get("capacity_bytes")),
        "memory_gb": size,
        "memory_options_gb": [item["gb"] for item in tree.get("memory_options", ())],
        "bandwidth_bytes_per_s": _value(pool["bandwidth_bytes_per_s"]),
        "max_power_w": _value(tree.get("max_power_w")),
        "price_usd": None if newest is None else newest["usd"]["value"],
        "price_date": None if newest is None else newest["date"],
    }


def _models(tree: Tree) -> Row:
    total, context = _shape(tree["config"], tree["task"])
    published = tree.get("published", {})
    schemes = [*tree["own_schemes"], *(item["scheme"] for item in tree.get("checkpoints", ()))]
    return {
        "family": tree["family"],
        "task": tree["task"],
        "released": tree.get("released"),
        "params_total": _value(published.get("params_total")) if total is None else total,
        "params_active": _value(published.get("params_active")),
        "max_context_tokens": context,
        "own_schemes": list(tree["own_schemes"]),
        "published_schemes": list(dict.fromkeys(schemes)),
        "repo": tree["repo"],
        "base": tree.get("base"),
    }


def _shape(config: Tree, task: str) -> tuple[int | None, int | None]:
    """Parameters of the language model and its longest context; None where no reader knows it."""
    from spark_plan.catalog.architecture import read

    try:
        shape = read(config, head=task != "embedding")
    except ConfigError:
        return None, None
    counted = (group for group in shape.tensors if group.role not in {"tower", "mtp"})
    return sum(group.elements for group in counted), shape.max_context_tokens


def _engines(tree: Tree) -> Row:
    return {
        "containers": list(tree["containers"]),
        "versions": list(tree.get("versions", ())),
        "parent": tree.get("parent"),
        "parallel": list(tree["parallel"]),
    }


def _links(tree: Tree) -> Row:
    return {
        "bandwidth_bytes_per_s": _value(tree["bandwidth_bytes_per_s"]),
        "allreduce_latency_s": _value(tree.get("allreduce_latency_s")),
    }


_COLUMNS: dict[str, Callable[[Tree], Row]] = {
    "hardware": _hardware,
    "models": _models,
    "engines": _engines,
    "links": _links,
}
