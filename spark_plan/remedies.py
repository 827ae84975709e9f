"""What would make a plan fit: a lower precision, a shorter context, more devices, another box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.core import budget
from spark_plan.errors import SparkPlanError
from spark_plan.planning import plan
from spark_plan.plans import limits
from spark_plan.result import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_plan.catalog.catalog import Catalog
    from spark_plan.options import Options
    from spark_plan.planning import Plan

# Best first; below four bits the loss of quality is large, and the renderers say so.
LOWER_PRECISIONS = (
    "fp8", "q8_0", "q6_k", "q5_k_m", "nvfp4", "q4_k_m", "iq4_xs", "q3_k_m", "iq3_xxs", "q2_k",
    "iq2_xxs", "iq1_s",
)  # fmt: skip
MORE_DEVICES = (2, 3, 4, 8)
LARGER_MACHINES = ("rtx-pro-6000", "m3-ultra-80c-819@512", "dgx-station-gb300", "b300-sxm")


def remedies(catalog: Catalog, options: Options, failed: Plan) -> tuple[Entry, ...]:
    """The first of each kind of change that fits, cheapest kind first.

    Args:
        catalog: the catalogue.
        options: what was asked.
        failed: the plan that does not fit.
    """
    found = (
        _precision(catalog, options, failed),
        _context(failed),
        _devices(catalog, options, failed),
        _machine(catalog, options, failed),
    )
    return tuple(entry for entry in found if entry is not None)


def _try(catalog: Catalog, options: Options) -> Plan | None:
    """The plan of changed options if it fits or is tight."""
    try:
        planned = plan(catalog, options)
    except SparkPlanError:
        return None
    return None if planned.verdict == budget.DOES_NOT_FIT else planned


def _entry(kind: str, value: object, planned: Plan) -> Entry:
    scenario = planned.scenario
    rate = scenario.load.batch / planned.estimate.step.total_s
    spread = (
        scenario.speed.decode_spread if scenario.load.batch == 1 else (scenario.speed.batch_spread)
    )
    return Entry(
        kind=kind,
        value=value,
        verdict=planned.verdict,
        precision=scenario.choice.scheme.id,
        engine=scenario.choice.engine.id,
        hardware=hardware_id(planned),
        devices=scenario.devices,
        tokens_per_s=rate,
        low=rate * spread.low,
        high=rate * spread.high,
    )


def hardware_id(planned: Plan) -> str:
    """A system's id with its memory size where it is sold with several: ``m3-ultra@256``."""
    hardware = planned.scenario.subject.hardware
    size = hardware.memory_gb
    return hardware.id if size is None else f"{hardware.id}@{size}"


def _lower(catalog: Catalog, failed: Plan) -> Iterator[str]:
    formats, used = catalog.formats(), failed.scenario.choice.scheme
    for name in LOWER_PRECISIONS:
        scheme = formats.scheme("fp8_per_tensor" if name == "fp8" else name)
        if scheme.bits < used.bits:
            yield name


def _precision(catalog: Catalog, options: Options, failed: Plan) -> Entry | None:
    asked = options._replace(engine=None, kv_precision=None)
    for name in _lower(catalog, failed):
        planned = _try(catalog, asked._replace(precision=name))
        if planned is not None:
            return _entry("precision", planned.scenario.choice.scheme.id, planned)
    return None


def _context(failed: Plan) -> Entry | None:
    tokens = limits.max_context_tokens(failed.scenario)
    if tokens < failed.scenario.load.context_tokens and tokens > 0:
        return Entry(kind="context", value=tokens, verdict=budget.TIGHT)
    return None


def _devices(catalog: Catalog, options: Options, failed: Plan) -> Entry | None:
    scheme = failed.scenario.choice.scheme.id
    for count in MORE_DEVICES:
        if count <= failed.scenario.devices:
            continue
        planned = _try(catalog, options._replace(precision=scheme, devices=count))
        if planned is not None:
            return _entry("devices", count, planned)
    return None


def _machine(catalog: Catalog, options: Options, failed: Plan) -> Entry | None:
    scheme = failed.scenario.choice.scheme.id
    alone = options._replace(
        precision=scheme, devices=None, engine=None, link=None, split=None, visible_bytes=None
    )
    for name in LARGER_MACHINES:
        planned = _try(catalog, alone._replace(hardware=name))
        if planned is not None:
            return _entry("hardware", hardware_id(planned), planned)
    return None
