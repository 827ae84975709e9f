"""How a plan is divided over several devices, and the link they talk over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.errors import NoAnswerError, UsageError
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.shapes import Architecture
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.catalog.engines import EngineProfile
    from spark_plan.catalog.hardware import HardwareProfile
    from spark_plan.catalog.links import LinkProfile
    from spark_plan.options import Options
    from spark_plan.scenario.evidence import Evidence

SPLITS = ("tensor", "pipeline")
# Links nobody timed are taken for two Sparks' (NCCL with CUDA graphs; 2 ms a pipeline hop).
UNKNOWN_ALL_REDUCE_S = 75e-6
UNKNOWN_HOP_S = 2e-3
MANY_DEVICES = 2  # above it the ring is longer: links state a second latency


class LinkNumbers(NamedTuple):
    """The link between devices [bytes/s, s]."""

    bandwidth_bytes_per_s: float
    all_reduce_s: float
    hop_s: float


def resolve_split(
    catalog: Catalog,
    options: Options,
    hardware: HardwareProfile,
    engine: EngineProfile,
    architecture: Architecture,
    devices: int,
    evidence: Evidence,
) -> tuple[str | None, LinkProfile | None]:
    """How a plan is divided over devices, and the link they share; (split, None) for one device.

    Raises:
        UsageError: an unknown split.
        NoAnswerError: a split the engine or the model does not do, or nothing links the devices.
    """
    asked = options.split
    if asked is not None and asked not in SPLITS:
        raise UsageError(
            f"--split {asked[:20]}: not a way to split a plan", hint=f"use {' or '.join(SPLITS)}"
        )
    if asked is not None and asked not in engine.parallel:
        can = ", ".join(engine.parallel) or "nothing"
        raise NoAnswerError(
            f"{engine.name} does not split by {asked} (it does: {can})",
            hint="choose another --engine or --split",
        )
    if devices == 1:
        return asked or SPLITS[0], None
    wanted = (asked,) if asked else tuple(s for s in engine.parallel if s in SPLITS)
    if not wanted:
        raise NoAnswerError(f"{engine.name} runs on one device only", hint="choose an --engine")
    split = next((s for s in wanted if _divides(s, engine, architecture, devices)), None)
    if split is None:
        raise NoAnswerError(
            f"{engine.name} cannot divide {architecture.heads} heads ({architecture.kv_heads} of "
            f"keys and values) in {architecture.layers} layers over {devices} devices by "
            f"{' or '.join(wanted)}",
            hint="choose another number of --devices",
        )
    if split != (asked or SPLITS[0]):
        evidence.note(
            f"split-{split}",
            f"Divided by {split}: {engine.name} does not divide this model by tensor over "
            f"{devices} devices, or does it worse.",
        )
    names = [link.link for link in hardware.device_links]
    if options.link is not None:
        link = catalog.link(options.link)
        if link.id not in names:
            evidence.note(
                "link-not-listed",
                f"{hardware.name} is not known to have {link.name}: taken as asked.",
            )
        return split, link
    if not names:
        raise NoAnswerError(
            f"no link between several {hardware.name} is known", hint="name one with --link"
        )
    return split, catalog.link(names[0])


def _divides(split: str, engine: EngineProfile, architecture: Architecture, devices: int) -> bool:
    """Whether an engine can cut this model so: whole layers, or whole heads.

    Engines of safetensors files refuse a tensor split that leaves a device part of a head; heads of
    keys and values may be fewer than devices, then they are copied. llama.cpp cuts by rows.
    """
    if split == "pipeline":
        return devices <= architecture.layers
    if not architecture.heads:
        return True
    if "safetensors" not in engine.containers:
        return devices <= architecture.heads
    key_heads = architecture.kv_heads or architecture.heads
    shared = key_heads % devices == 0 or devices % key_heads == 0
    return architecture.heads % devices == 0 and shared


def link_numbers(link: LinkProfile, devices: int, evidence: Evidence) -> LinkNumbers:
    """A link's numbers for so many devices, each cited; unknown latencies are said to be so."""
    bandwidth = evidence.use("link.bandwidth_bytes_per_s", link.bandwidth_bytes_per_s, link)
    figures = [link.allreduce_latency_s]
    if devices > MANY_DEVICES:
        figures.insert(0, link.allreduce_latency_4_s)
    latency = next((f for f in figures if f is not None and f.value is not None), None)
    if latency is not None and latency.kind == "assumed":
        evidence.note(
            "link-latency-assumed",
            f"Nobody published an all-reduce latency of {link.name}: taken as "
            f"{(latency.value or 0.0) * 1e6:.0f} us.",
        )
    if latency is None:
        evidence.rule(
            "link.allreduce_latency_s",
            UNKNOWN_ALL_REDUCE_S,
            "assumed",
            link,
            "not timed on this link: as over NCCL between two Sparks",
            None,
        )
        evidence.note(
            "link-latency-assumed",
            f"Nobody published an all-reduce latency of {link.name}: taken as 75 us.",
        )
    hop = link.hop_latency_s
    return LinkNumbers(
        bandwidth_bytes_per_s=bandwidth,
        all_reduce_s=UNKNOWN_ALL_REDUCE_S
        if latency is None
        else evidence.use("link.allreduce_latency_s", latency, link),
        hop_s=UNKNOWN_HOP_S
        if hop is None or hop.value is None
        else evidence.use("link.hop_latency_s", hop, link),
    )
