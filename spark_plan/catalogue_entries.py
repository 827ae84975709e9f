"""The catalogue commands as functions: list, show, check, where -> Report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan import errors
from spark_plan.catalog.catalog import KINDS
from spark_plan.errors import ConfigError, UsageError
from spark_plan.result import Entry, Report

if TYPE_CHECKING:
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.catalog.figures import Figure
    from spark_plan.catalog.hardware import HardwareProfile


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise UsageError(f"unknown kind {kind[:20]!r}", hint=f"use {', '.join(KINDS)}")
    return kind


def _report(
    catalog: Catalog, command: str, request: Entry, results: list[Any], code: int
) -> Report:
    return Report(
        command=command,
        request=request,
        results=tuple(results),
        exit_code=code,
        data_version=catalog.data_version,
    )


def listing(catalog: Catalog, kind: str, words: str | None = None) -> Report:
    """One entry a profile; `words` keeps those whose id, name or alias contains them."""
    rows = catalog.rows(_known(kind))
    wanted = (words or "").lower().split()
    kept = [
        Entry(row)
        for row in rows
        if all(
            any(word in text.lower() for text in (row["id"], row["name"], *row.get("aliases", ())))
            for word in wanted
        )
    ]
    return _report(catalog, f"{kind} list", Entry(words=words), kept, errors.EXIT_OK)


def check(catalog: Catalog, kind: str, path: str | None = None) -> Report:
    """One entry a fault; exit code 2 when there is any."""
    from spark_plan.catalog.check import check as faults_of

    faults = faults_of(_known(kind), path, catalog)
    results = [Entry(fault._asdict()) for fault in faults]
    code = errors.EXIT_USAGE if results else errors.EXIT_OK
    return _report(catalog, f"{kind} check", Entry(path=path), results, code)


def where(catalog: Catalog, kind: str, name: str) -> Report:
    """The file of a profile and whether it ships or is the user's."""
    key, path, origin = catalog.where(_known(kind), name)
    entry = Entry(id=key, path=str(path), origin=origin)
    return _report(catalog, f"{kind} where", Entry(id=name), [entry], errors.EXIT_OK)


def show(catalog: Catalog, kind: str, name: str) -> Report:
    """One entry with its numbers."""
    makers = {"hardware": _hardware, "models": _model, "formats": _format}
    maker = makers.get(_known(kind))
    entry = maker(catalog, name) if maker else _tree(catalog, kind, name)
    return _report(catalog, f"{kind} show", Entry(id=name), [entry], errors.EXIT_OK)


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _hardware(catalog: Catalog, name: str) -> Entry:
    from spark_plan.options import Options
    from spark_plan.scenario.evidence import Evidence
    from spark_plan.scenario.machine import resolve_machine

    hardware = catalog.hardware(name)
    try:
        machine = resolve_machine(hardware, Options(""), Evidence())
    except errors.NoAnswerError:
        machine = None
    pools = []
    for index, pool in enumerate(hardware.pools):
        capacity = _value(pool.capacity_bytes)
        first = index == 0 and machine is not None
        pools.append(
            Entry(
                kind=pool.kind,
                bytes=capacity,
                visible_bytes=machine.visible_bytes if first and machine else capacity,
                system_bytes=machine.system_bytes if first and machine else 0,
                bandwidth_bytes_per_s=_value(pool.bandwidth_bytes_per_s),
            )
        )
    usd, date = newest_price(hardware)
    size = hardware.memory_gb
    return Entry(
        id=hardware.id if size is None else f"{hardware.id}@{size}",
        name=hardware.name,
        vendor=hardware.vendor,
        family=hardware.family,
        efficiency_class=hardware.klass,
        status=hardware.status,
        launched=hardware.launched,
        aliases=list(hardware.aliases),
        memory=pools,
        memory_options_gb=[option.gb for option in hardware.memory_options],
        flops_per_s=Entry({key: peak.value for key, peak in hardware.flops_per_s.items()}),
        load_power_w=_value(hardware.load_power_w),
        idle_power_w=_value(hardware.idle_power_w),
        max_power_w=_value(hardware.max_power_w),
        price_usd=usd,
        price_date=date,
        links=[link.link for link in hardware.device_links],
        measured_rows=catalog.efficiency().measured.get(hardware.id, 0),
        note=hardware.note,
        profile=hardware.file,
        origin=hardware.origin,
    )


def newest_price(hardware: HardwareProfile) -> tuple[float | None, str | None]:
    """The newest price of the chosen memory size [USD] and its date."""
    fitting = [
        price
        for price in hardware.prices
        if price.usd.value is not None and price.memory_gb in {None, hardware.memory_gb}
    ]
    newest = max(fitting, key=lambda price: price.date, default=None)
    return (None, None) if newest is None else (newest.usd.value, newest.date)


def _model(catalog: Catalog, name: str) -> Entry:
    from spark_plan.model_facts import model_facts

    model = catalog.model(name)
    entry = Entry(
        id=model.id,
        name=model.name,
        family=model.family,
        repo=model.repo,
        task=model.task,
        released=model.released,
        base=model.base,
        aliases=list(model.aliases),
        config_kind=model.config_kind,
        own_schemes=list(model.own_schemes),
        checkpoints=[Entry(repo=c.repo, scheme=c.scheme) for c in model.checkpoints],
    )
    try:
        entry |= model_facts(catalog, model)
    except ConfigError as error:
        entry["error"] = error.message
    entry |= {"profile": model.file, "origin": model.origin, "note": model.note}
    return entry


def _format(catalog: Catalog, name: str) -> Entry:
    scheme = catalog.formats().scheme(name)
    layout = scheme.layout(scheme.container)
    return Entry(
        id=scheme.id,
        name=scheme.title,
        container=scheme.container,
        bits=scheme.bits,
        arithmetic=scheme.arithmetic,
        weight_only=scheme.weight_only,
        default_format=layout.default,
        rules=[
            Entry(
                format=rule.format_id,
                tensors=sorted(rule.tensors),
                roles=sorted(rule.roles),
                layers=rule.layers or None,
                otherwise=rule.otherwise or None,
                when=rule.when or None,
            )
            for rule in layout.rules
        ],
        aliases=list(scheme.aliases),
        sources=[source.url for source in scheme.sources],
        note=scheme.note,
    )


def _tree(catalog: Catalog, kind: str, name: str) -> Entry:
    data, file, origin = catalog.tree(kind, catalog.find(kind, name))
    return Entry(data | {"profile": file, "origin": origin})
