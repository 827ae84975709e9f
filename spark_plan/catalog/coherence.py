"""What a profile's parts say about each other, beyond the shape of each: contradictions in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.lookup import fold
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

Found = tuple[str, str]  # path, message


class Known(NamedTuple):
    """Names that profiles refer to across files."""

    schemes: Collection[str]
    number_formats: Collection[str]
    kv_formats: Collection[str]
    links: Collection[str] | None = None
    engines: Collection[str] | None = None
    models: Collection[str] | None = None


def contradictions(kind: str, data: Mapping[str, Any], known: Known | None) -> Iterator[Found]:
    """Every contradiction in a profile whose shape is right, as (path, message).

    Args:
        kind: hardware, models, engines, links, formats or efficiency.
        data: the checked mapping.
        known: names of other files; None leaves references unchecked.
    """
    yield from _aliases(data.get("aliases", ()), "$.aliases")
    if kind in _CHECKS:
        yield from _CHECKS[kind](data, known)


def _aliases(aliases: Collection[str], path: str) -> Iterator[Found]:
    seen: set[str] = set()
    for index, alias in enumerate(aliases):
        if not fold(alias):
            yield f"{path}[{index}]", "an alias needs a letter or a digit"
        elif alias in seen:
            yield f"{path}[{index}]", f"{alias!r} stands here twice"
        seen.add(alias)


def _unknown(
    names: Collection[str], known: Collection[str] | None, path: str, what: str
) -> Iterator[Found]:
    """Names no registry holds; `path` has a place for the index."""
    if known is None:
        return
    for index, name in enumerate(names):
        if name not in known:
            from spark_plan.catalog.near import near

            guess = near(name[:80], known, most=1)
            hint = f" (did you mean {guess[0]}?)" if guess else ""
            yield path.format(index), f"{name[:40]!r} is no {what}{hint}"


def _hardware(data: Mapping[str, Any], known: Known | None) -> Iterator[Found]:
    pools = data["memory"]
    kinds = [pool["kind"] for pool in pools]
    if not pools:
        yield "$.memory", "needs at least one pool"
    if "unified" in kinds and "device" in kinds:
        yield "$.memory", "a machine has unified memory or device memory, not both"
    if kinds[:1] == ["host"]:
        yield "$.memory[0].kind", "the fastest pool comes first: host memory is never it"
    for index, pool in enumerate(pools):
        yield from _pool(pool, f"$.memory[{index}]")
    sizes = [option["gb"] for option in data.get("memory_options", ())]
    if len(set(sizes)) != len(sizes):
        yield "$.memory_options", "a size stands here twice"
    default = data.get("default_memory_gb")
    if sizes and default not in sizes:
        yield "$.default_memory_gb", f"must be one of the sizes: {', '.join(map(str, sizes))}"
    for index, price in enumerate(data.get("prices", ())):
        size = price.get("memory_gb")
        if size is not None and size not in sizes:
            yield f"$.prices[{index}].memory_gb", f"{size} GB is no size of memory_options"
    if known is not None:
        ends = [end["link"] for end in data.get("device_links", ())]
        yield from _unknown(ends, known.links, "$.device_links[{}].link", "link")
        host = [data["host_link"]["link"]] if "host_link" in data else []
        yield from _unknown(host, known.links, "$.host_link.link", "link")


def _pool(pool: Mapping[str, Any], path: str) -> Iterator[Found]:
    if "gpu_limit_bytes" in pool and "gpu_limit_fraction" in pool:
        yield f"{path}.gpu_limit_fraction", "give gpu_limit_bytes or gpu_limit_fraction, not both"
    share = pool.get("gpu_limit_fraction", {}).get("value")
    if share is not None and share > 1:
        yield f"{path}.gpu_limit_fraction", "a share is at most 1"
    capacity = pool.get("capacity_bytes", {}).get("value")
    for key in ("visible_bytes", "gpu_limit_bytes"):
        part = pool.get(key, {}).get("value")
        if capacity is not None and part is not None and part > capacity:
            yield f"{path}.{key}", "is more than capacity_bytes"


def _models(data: Mapping[str, Any], known: Known | None) -> Iterator[Found]:
    if not isinstance(data["config"], dict):
        yield "$.config", "must be a mapping: the keys of the model's config.json"
    if not data["own_schemes"]:
        yield "$.own_schemes", "needs the precision the model was published in"
    if data.get("base") == data["id"]:
        yield "$.base", "a model is no derivative of itself"
    for index, checkpoint in enumerate(data.get("checkpoints", ())):
        for rule, module in enumerate(checkpoint.get("modules", ())):
            if not (module.get("tensors") or module.get("roles")):
                where = f"$.checkpoints[{index}].modules[{rule}]"
                yield where, "needs tensors or roles: which modules is it about?"
    if known is None:
        return
    yield from _unknown(data["own_schemes"], known.schemes, "$.own_schemes[{}]", "scheme")
    schemes = [item["scheme"] for item in data.get("checkpoints", ())]
    yield from _unknown(schemes, known.schemes, "$.checkpoints[{}].scheme", "scheme")
    for index, checkpoint in enumerate(data.get("checkpoints", ())):
        formats = [module["format"] for module in checkpoint.get("modules", ())]
        path = f"$.checkpoints[{index}].modules[{{}}].format"
        yield from _unknown(formats, known.number_formats, path, "number format")
    base = [data["base"]] if data.get("base") else []
    yield from _unknown(base, known.models, "$.base", "model id")


def _engines(data: Mapping[str, Any], known: Known | None) -> Iterator[Found]:
    if not data["containers"]:
        yield "$.containers", "needs the kind of file the engine loads"
    if data.get("parent") == data["id"]:
        yield "$.parent", "an engine is not its own parent"
    default = data["kv_default"]
    if default != "model" and default not in data["kv_formats"]:
        yield "$.kv_default", f"{default[:40]!r} is none of kv_formats"
    if data.get("reserves") and not data.get("reserve_flag"):
        yield "$.reserves", "an engine that reserves memory needs its reserve_flag"
    if known is None:
        return
    yield from _unknown(data["kv_formats"], known.kv_formats, "$.kv_formats[{}]", "cache format")
    for index, run in enumerate(data["runs"]):
        path = f"$.runs[{index}].schemes[{{}}]"
        yield from _unknown(run["schemes"], known.schemes, path, "scheme")
    parent = [data["parent"]] if data.get("parent") else []
    yield from _unknown(parent, known.engines, "$.parent", "engine")


def _formats(data: Mapping[str, Any], _known: Known | None) -> Iterator[Found]:
    formats = data["number_formats"]
    owner = {fold(key): key for key in data["schemes"]}
    for key, scheme in data["schemes"].items():
        path = f"$.schemes.{key}"
        yield from _aliases(scheme.get("aliases", ()), f"{path}.aliases")
        for index, alias in enumerate(scheme.get("aliases", ())):
            other = owner.setdefault(fold(alias), key)
            if other != key:
                yield f"{path}.aliases[{index}]", f"{alias!r} already means {other}"
        yield from _layout(scheme, path, formats, data.get("rule_sets", {}))
        for container, layout in scheme.get("by_container", {}).items():
            where = f"{path}.by_container.{container}"
            yield from _layout(layout, where, formats, data.get("rule_sets", {}))
    for name, rules in data.get("rule_sets", {}).items():
        yield from _rules(rules, f"$.rule_sets.{name}", formats)
    for key, form in formats.items():
        fallback = [form["fallback"]] if form.get("fallback") else []
        yield from _unknown(fallback, formats, f"$.number_formats.{key}.fallback", "number format")


def _layout(
    layout: Mapping[str, Any], path: str, formats: Collection[str], sets: Collection[str]
) -> Iterator[Found]:
    yield from _unknown([layout["default"]], formats, f"{path}.default", "number format")
    yield from _unknown(layout.get("use", ()), sets, f"{path}.use[{{}}]", "rule set")
    yield from _rules(layout.get("rules", ()), f"{path}.rules", formats)


def _rules(
    rules: Collection[Mapping[str, Any]], path: str, formats: Collection[str]
) -> Iterator[Found]:
    named = [rule["format"] for rule in rules]
    yield from _unknown(named, formats, f"{path}[{{}}].format", "number format")
    otherwise = [rule.get("else", rule["format"]) for rule in rules]
    yield from _unknown(otherwise, formats, f"{path}[{{}}].else", "number format")


_CHECKS: dict[str, Callable[[Mapping[str, Any], Known | None], Iterator[Found]]] = {
    "hardware": _hardware,
    "models": _models,
    "engines": _engines,
    "formats": _formats,
}
