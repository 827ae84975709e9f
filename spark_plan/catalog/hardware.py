"""A system one can buy: its memory pools, peaks, links, power and prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.figures import Figure, decode_figure, decode_sources
from spark_plan.errors import UsageError
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_plan.catalog.figures import Sources


class Pool(NamedTuple):
    """One memory pool [bytes, bytes/s]; `kind` is unified | device | host.

    `visible_bytes` only where somebody measured what the driver or the system reports;
    `gpu_limit_*` is a cap the driver puts on the GPU's share of a unified pool.
    """

    kind: str
    technology: str
    capacity_bytes: Figure | None
    visible_bytes: Figure | None
    gpu_limit_bytes: Figure | None
    gpu_limit_fraction: Figure | None
    system_desktop_bytes: Figure | None
    system_headless_bytes: Figure | None
    bandwidth_bytes_per_s: Figure | None


class MemoryOption(NamedTuple):
    """A memory size a system is sold with, as printed [GB], and what it means [bytes]."""

    gb: int
    capacity_bytes: Figure | None
    gpu_limit_fraction: Figure | None


class LinkEnd(NamedTuple):
    """A link a system has, by the link profile's id."""

    link: str
    bandwidth_bytes_per_s: Figure | None


class Price(NamedTuple):
    """A price at a date [USD], of one memory size where the system has several."""

    usd: Figure
    date: str
    memory_gb: int | None
    note: str


class HardwareProfile(NamedTuple):
    """A system. `pools` fastest first: a plan is placed in the first; pools are never added.

    `family` decides which formats run, `klass` which efficiency terms stand in; `flops_per_s` holds
    dense peaks by number format.
    """

    id: str
    name: str
    vendor: str
    family: str
    klass: str
    status: str
    launched: str | None
    aliases: tuple[str, ...]
    pools: tuple[Pool, ...]
    memory_options: tuple[MemoryOption, ...]
    default_memory_gb: int | None
    memory_gb: int | None
    flops_per_s: dict[str, Figure]
    host_link: LinkEnd | None
    device_links: tuple[LinkEnd, ...]
    storage_bytes_per_s: Figure | None
    idle_power_w: Figure | None
    load_power_w: Figure | None
    max_power_w: Figure | None
    prices: tuple[Price, ...]
    price_note: str
    note: str
    file: str
    origin: str


_POOL_FIGURES = (
    "capacity_bytes", "visible_bytes", "gpu_limit_bytes", "gpu_limit_fraction",
    "system_desktop_bytes", "system_headless_bytes", "bandwidth_bytes_per_s",
)  # fmt: skip


def decode_hardware(
    data: Mapping[str, Any], *, file: str, origin: str, memory_gb: int | None = None
) -> HardwareProfile:
    """A system from its validated mapping; `memory_gb` picks one of its sizes."""
    sources = decode_sources(data)

    def figure(key: str) -> Figure | None:
        return decode_figure(data.get(key), sources)

    options = tuple(
        MemoryOption(
            item["gb"],
            decode_figure(item["capacity_bytes"], sources),
            decode_figure(item.get("gpu_limit_fraction"), sources),
        )
        for item in data.get("memory_options", ())
    )
    size = memory_gb if memory_gb is not None else data.get("default_memory_gb")
    size = size if options else None
    pools = [_pool(item, sources) for item in data["memory"]]
    chosen = next((option for option in options if option.gb == size), None)
    if chosen is not None:
        pools[0] = _sized(pools[0], chosen)
    peaks = {key: decode_figure(item, sources) for key, item in data["flops_per_s"].items()}
    host = data.get("host_link")
    return HardwareProfile(
        id=data["id"],
        name=data["name"],
        vendor=data["vendor"],
        family=data["family"],
        klass=data["class"],
        status=data["status"],
        launched=data.get("launched"),
        aliases=tuple(data.get("aliases", ())),
        pools=tuple(pools),
        memory_options=options,
        default_memory_gb=data.get("default_memory_gb"),
        memory_gb=size,
        flops_per_s={key: peak for key, peak in peaks.items() if peak is not None},
        host_link=_link_end(host, sources) if host else None,
        device_links=tuple(_link_end(item, sources) for item in data.get("device_links", ())),
        storage_bytes_per_s=figure("storage_bytes_per_s"),
        idle_power_w=figure("idle_power_w"),
        load_power_w=figure("load_power_w"),
        max_power_w=figure("max_power_w"),
        prices=tuple(_price(item, sources) for item in data.get("prices", ())),
        price_note=data.get("price_note", ""),
        note=data.get("note", ""),
        file=file,
        origin=origin,
    )


def _sized(pool: Pool, option: MemoryOption) -> Pool:
    """A pool at one of its sizes: what was measured at another size does not hold there."""
    same = option.capacity_bytes == pool.capacity_bytes
    return pool._replace(
        capacity_bytes=option.capacity_bytes,
        visible_bytes=pool.visible_bytes if same else None,
        gpu_limit_bytes=pool.gpu_limit_bytes if same else None,
        gpu_limit_fraction=option.gpu_limit_fraction or pool.gpu_limit_fraction,
    )


def _pool(item: Mapping[str, Any], sources: Sources) -> Pool:
    figures = {key: decode_figure(item.get(key), sources) for key in _POOL_FIGURES}
    return Pool(kind=item["kind"], technology=item.get("technology", ""), **figures)


def _link_end(item: Mapping[str, Any], sources: Sources) -> LinkEnd:
    return LinkEnd(item["link"], decode_figure(item.get("bandwidth_bytes_per_s"), sources))


def _price(item: Mapping[str, Any], sources: Sources) -> Price:
    usd = decode_figure(item["usd"], sources) or Figure(None, "assumed")
    return Price(usd, item["date"], item.get("memory_gb"), item.get("note", ""))


def memory_size_gb(data: Mapping[str, Any], size: str) -> int:
    """The size a person chose, as in ``ID@SIZE`` [GB as printed].

    Raises:
        UsageError: it is not sold with that much.
    """
    key = data["id"]
    offered = [str(option["gb"]) for option in data.get("memory_options", ())]
    wanted = size.lower().removesuffix("b").removesuffix("gi").removesuffix("g").strip()
    if wanted in offered:
        return int(wanted)
    if not offered:
        raise UsageError(
            f"{key} is sold with one memory size: there is no {key}@{size[:20]}",
            hint=f"use {key}",
            suggestions=(key,),
        )
    raise UsageError(
        f"{key} is not sold with {size[:20]!r} GB; sizes: {', '.join(offered)}",
        hint=f"use {key}@{data.get('default_memory_gb', offered[0])}",
        suggestions=tuple(f"{key}@{gb}" for gb in offered),
    )
