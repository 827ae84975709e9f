"""Options and the catalogue -> a Scenario: plain numbers, and where each comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.options import whole
from spark_plan.records import NamedTuple
from spark_plan.scenario.division import LinkNumbers, link_numbers, resolve_split
from spark_plan.scenario.evidence import Evidence
from spark_plan.scenario.load import Load, resolve_load
from spark_plan.scenario.machine import Machine, resolve_machine
from spark_plan.scenario.parts import (
    EngineMemory,
    engine_chain,
    engine_memory,
    refuse_later_options,
    resolve_kv_format,
    resolve_weights,
)
from spark_plan.scenario.precision import EMULATED, Choice, fold_precision
from spark_plan.scenario.speed_terms import Speed, SpeedTerms, resolve_speed

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.shapes import Architecture
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.catalog.engines import EngineProfile
    from spark_plan.catalog.hardware import HardwareProfile
    from spark_plan.catalog.links import LinkProfile
    from spark_plan.catalog.models import ModelProfile
    from spark_plan.options import Options
    from spark_plan.scenario.model_bytes import Weights

__all__ = ["EngineMemory", "Evidence", "LinkNumbers", "Load", "Scenario", "Subject", "resolve"]


class Subject(NamedTuple):
    """What the question is about: the profiles it names, looked up."""

    model: ModelProfile
    hardware: HardwareProfile
    engine: EngineProfile | None
    engine_version: str | None
    asked: str


class Scenario(NamedTuple):
    """A resolved question: everything `estimate` needs, in base units."""

    subject: Subject
    choice: Choice
    architecture: Architecture
    machine: Machine
    engine_memory: EngineMemory
    weights: Weights
    kv_format: str
    kv_bits: float
    state_bits: float
    speed: Speed
    devices: int
    split: str | None
    link: LinkProfile | None
    link_numbers: LinkNumbers | None
    load: Load
    evidence: Evidence


def look_up(catalog: Catalog, options: Options) -> Subject:
    """The profiles an options record names.

    Raises:
        UnknownNameError: for a name the catalogue does not hold.
    """
    engine, version = None, None
    if options.engine is not None and options.engine != "auto":
        name, _, at = options.engine.partition("@")
        engine, version = catalog.engine(name), at or None
    return Subject(
        model=catalog.model(options.model),
        hardware=catalog.hardware(options.hardware or "dgx-spark"),
        engine=engine,
        engine_version=version,
        asked=fold_precision(options.precision),
    )


def resolve(catalog: Catalog, options: Options, subject: Subject, choice: Choice) -> Scenario:
    """The numbers of one way to run a model on a machine.

    Raises:
        UsageError: options that contradict each other or the model.
        NoAnswerError: a figure is missing without which there is no honest answer.
    """
    refuse_later_options(options)
    evidence = Evidence()
    model, hardware = subject.model, subject.hardware
    architecture = model.architecture
    load, beyond = resolve_load(options, architecture.max_context_tokens)
    if beyond:
        evidence.note(
            "context-above-maximum",
            f"The context is above the {architecture.max_context_tokens:,} tokens "
            f"{model.id} was made for: the plan is sized, its answers may be useless.",
        )
    machine = resolve_machine(hardware, options, evidence)
    devices = 1 if options.devices is None else whole(options.devices, "devices")
    split, link = resolve_split(
        catalog, options, hardware, choice.engine, architecture, devices, evidence
    )
    weights, modules_known = resolve_weights(catalog, model, choice, architecture, evidence)
    kv_format, kv_bits = resolve_kv_format(options, choice, catalog.formats(), evidence)
    chain = engine_chain(catalog, choice.engine)
    speed = _speed(catalog, hardware, chain, weights, evidence, modules_known=modules_known)
    if choice.how == EMULATED:
        evidence.note(
            "emulated-format",
            f"Emulated: {choice.scheme.title} is stored and read at its own width but multiplied "
            "wider; memory and decoding gain, prefill does not.",
        )
    return Scenario(
        subject=subject,
        choice=choice,
        architecture=architecture,
        machine=machine,
        engine_memory=engine_memory(chain, evidence),
        weights=weights,
        kv_format=kv_format,
        kv_bits=kv_bits,
        state_bits=architecture.state_bits,
        speed=speed,
        devices=devices,
        split=split,
        link=link,
        link_numbers=link_numbers(link, devices, evidence) if link else None,
        load=load,
        evidence=evidence,
    )


def _speed(
    catalog: Catalog,
    hardware: HardwareProfile,
    chain: tuple[EngineProfile, ...],
    weights: Weights,
    evidence: Evidence,
    *,
    modules_known: bool,
) -> Speed:
    """The speed terms, looked up once for a machine, an engine and a set of formats."""
    dense = {p.format_id: p.kernel for p in (*weights.dense, *weights.head)}
    experts = {p.format_id: p.kernel for p in weights.experts}
    key = ("speed", hardware.id, chain[0].id, tuple(dense), tuple(experts), modules_known)
    found = catalog.memo.get(key)
    if found is None:
        cited = Evidence()
        terms = SpeedTerms(catalog.efficiency(), hardware, chain, cited)
        speed = resolve_speed(terms, dense=dense, experts=experts, modules_known=modules_known)
        found = catalog.memo[key] = speed, cited.citations
    evidence.include(found[1])
    speed_terms: Speed = found[0]
    return speed_terms
