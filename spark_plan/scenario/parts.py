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
    from spark_plan.catalog.models import ModelProfile
    from spark_plan.options import Options
    from spark_plan.scenario.evidence import Evidence
    from spark_plan.scenario.precision import Choice

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
