"""The parts of a scenario that come from the engine, the link and the checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog import weighting
from spark_plan.errors import NoAnswerError, UnknownNameError, UsageError
from spark_plan.options import flag
from spark_plan.records import NamedTuple
from spark_plan.scenario.model_bytes import Weights, weigh

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.shapes import Architecture
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.catalog.engines import EngineProfile
    from spark_plan.catalog.formats import Formats
    from spark_plan.catalog.hardware import HardwareProfile
    from spark_plan.catalog.links import LinkProfile
    from spark_plan.catalog.models import ModelProfile
    from spark_plan.options import Options
    from spark_plan.scenario.evidence import Evidence
    from spark_plan.scenario.precision import Choice

SPLITS = ("tensor", "pipeline")
# Links nobody timed are taken for two Sparks' (NCCL with CUDA graphs; 2 ms a pipeline hop).
UNKNOWN_ALL_REDUCE_S = 75e-6
UNKNOWN_HOP_S = 2e-3
MANY_DEVICES = 2  # above it the ring is longer: links state a second latency
FULL_BITS = 16


class EngineMemory(NamedTuple):
    """What an engine takes beside weights and caches, and how it allocates [bytes, tokens]."""

    context_bytes: float
    graph_bytes: float
    step_tokens: float
    block_tokens: float
    window_padding_tokens: float
    bytes_per_hidden: float
    logit_rows: float
    bytes_per_logit: float
    bytes_per_context_token: float
    conv_state_bits: float
    reserves: bool
    default_fraction: float | None


class LinkNumbers(NamedTuple):
    """The link between devices [bytes/s, s]."""

    bandwidth_bytes_per_s: float
    all_reduce_s: float
    hop_s: float


def refuse_later_options(options: Options) -> None:
    """Options whose only value so far is `none`.

    Raises:
        UsageError: any other value.
    """
    for field in ("spec_decode", "offload"):
        value = getattr(options, field)
        if value not in {None, "", "none"}:
            raise UsageError(
                f"{flag(field)} {value}: only `none` is planned for by this version",
                hint="leave the option out",
            )


def engine_chain(catalog: Catalog, engine: EngineProfile) -> tuple[EngineProfile, ...]:
    """An engine and those that stand in for what it lacks (Ollama runs llama.cpp)."""
    chain = [engine]
    while chain[-1].parent and len(chain) < MAX_CHAIN:
        chain.append(catalog.engine(chain[-1].parent))
    return tuple(chain)


MAX_CHAIN = 4


def engine_memory(chain: tuple[EngineProfile, ...], evidence: Evidence) -> EngineMemory:
    """The memory figures of an engine, its parent's where it has none, each cited."""

    def number(key: str, default: float | None = None) -> float:
        for engine in chain:
            figure = engine.memory.get(key)
            if figure is not None and figure.value is not None:
                return evidence.use(f"engine.memory.{key}", figure, engine)
        if default is None:
            return evidence.use(f"engine.memory.{key}", None, chain[0])
        return default

    first = chain[0]
    return EngineMemory(
        context_bytes=number("context_bytes"),
        graph_bytes=number("graph_bytes", 0.0),
        step_tokens=number("micro_batch_tokens"),
        block_tokens=number("block_tokens"),
        window_padding_tokens=number("window_padding_tokens", 0.0),
        bytes_per_hidden=number("activation_bytes_per_hidden_token"),
        logit_rows=number("logits_rows"),
        bytes_per_logit=number("bytes_per_logit", 4.0),
        bytes_per_context_token=number("bytes_per_context_token", 0.0),
        conv_state_bits=number("conv_state_bits", 16.0),
        reserves=first.reserves,
        default_fraction=number("default_fraction") if first.reserves else None,
    )


def resolve_split(
    catalog: Catalog,
    options: Options,
    hardware: HardwareProfile,
    engine: EngineProfile,
    devices: int,
    evidence: Evidence,
) -> tuple[str | None, LinkProfile | None]:
    """How a plan is divided over devices, and the link they share; (split, None) for one device.

    Raises:
        UsageError: an unknown split, or several devices that nothing links.
        NoAnswerError: a split the engine does not do.
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
    split = asked or next((s for s in SPLITS if s in engine.parallel), None)
    if split is None:
        raise NoAnswerError(f"{engine.name} runs on one device only", hint="choose an --engine")
    if split != (asked or SPLITS[0]):
        evidence.note("split-by-engine", f"{engine.name} splits by {split}, not by tensor.")
    names = [link.link for link in hardware.device_links]
    if options.link is not None:
        return split, catalog.link(options.link)
    if not names:
        raise NoAnswerError(
            f"no link between several {hardware.name} is known", hint="name one with --link"
        )
    return split, catalog.link(names[0])


def link_numbers(link: LinkProfile, devices: int, evidence: Evidence) -> LinkNumbers:
    """A link's numbers for so many devices, each cited; unknown latencies are said to be so."""
    bandwidth = evidence.use("link.bandwidth_bytes_per_s", link.bandwidth_bytes_per_s, link)
    figures = [link.allreduce_latency_s]
    if devices > MANY_DEVICES:
        figures.insert(0, link.allreduce_latency_4_s)
    latency = next((f for f in figures if f is not None and f.value is not None), None)
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


def resolve_weights(
    catalog: Catalog,
    model: ModelProfile,
    choice: Choice,
    architecture: Architecture,
    evidence: Evidence,
) -> tuple[Weights, bool]:
    """The model's bytes at the chosen scheme, and whether its list of modules is known."""
    scheme, checkpoint, engine = choice.scheme, choice.checkpoint, choice.engine
    formats = catalog.formats()
    container = container_of(choice)
    modules = checkpoint.modules if checkpoint is not None else ()
    key = (
        "weights",
        model.file,
        model.origin,
        scheme.id,
        checkpoint and checkpoint.repo,
        engine.id,
    )
    weights: Weights | None = catalog.memo.get(key)
    if weights is None:
        stored = weighting.stored(
            scheme,
            architecture.tensors,
            modules=modules or (),
            container=container,
            formats=formats,
        )
        weights = catalog.memo[key] = weigh(
            stored,
            architecture,
            formats,
            towers_resident=engine.towers_resident,
            container=container,
        )
    known = bool(modules) or container != "safetensors" or scheme.bits >= FULL_BITS
    if not known and scheme.id not in model.own_schemes:
        evidence.note(
            "module-list-assumed",
            f"Which modules a {scheme.title} file of {model.id} leaves unquantised is not known: "
            "the usual rule is assumed, and the interval is wider.",
        )
    return weights, known or scheme.id in model.own_schemes


def container_of(choice: Choice) -> str:
    """The kind of file an engine loads for a scheme."""
    containers = choice.engine.containers
    return choice.scheme.container if choice.scheme.container in containers else containers[0]


def resolve_kv_format(
    options: Options, choice: Choice, formats: Formats, evidence: Evidence
) -> tuple[str, float]:
    """The cache's number format and its bits per element, scales included.

    Raises:
        UnknownNameError: not a cache format, or not one of this engine.
    """
    engine = choice.engine
    asked = (options.kv_precision or "auto").strip().lower()
    if asked == "auto":
        default = engine.kv_default
        name = ("f16" if choice.scheme.id == "f16" else "bf16") if default == "model" else default
    else:
        name = "f16" if asked == "fp16" else asked
    known = formats.kv_formats
    if name not in known:
        raise UnknownNameError(
            f"unknown KV precision {asked[:40]!r}", hint=f"use one of {', '.join(known)}"
        )
    if name not in engine.kv_formats:
        raise NoAnswerError(
            f"{engine.name} does not keep its KV cache in {name}",
            hint=f"it does: {', '.join(engine.kv_formats)}",
        )
    return name, evidence.use(f"formats.kv_formats.{name}", known[name], formats)
