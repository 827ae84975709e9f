"""Which scheme, checkpoint and engine a precision asked for stands for on a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.errors import FormatNotSupportedError, NoAnswerError, UnknownNameError
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spark_plan.catalog.catalog import Catalog
    from spark_plan.catalog.engines import EngineProfile
    from spark_plan.catalog.formats import Formats, Scheme
    from spark_plan.catalog.hardware import HardwareProfile
    from spark_plan.catalog.models import Checkpoint, ModelProfile

GGUF_ENGINES = ("llama.cpp", "mlx", "vllm")
MLX_ENGINES = ("mlx",)
CHECKPOINT_ENGINES = ("vllm", "mlx", "llama.cpp")
# `auto` walks these rungs below the model's own precision; "fp8" and "nvfp4" only where native.
LADDER = ("fp8", "q8_0", "q6_k", "q5_k_m", "nvfp4", "q4_k_m")
NATIVE_RUNGS = frozenset({"fp8", "nvfp4"})
SMALLEST_LADDER_BITS = 5
EIGHT_BIT = "8 bit"  # whatever its arithmetic
# `compare` and `find` replace a scheme that nothing runs by the first of these that runs.
SUBSTITUTES = {
    "fp4": ("q4_k_m", "mlx_4bit"),
    EIGHT_BIT: ("q8_0", "mlx_8bit"),
    "bf16": ("f16",),
    "f16": ("bf16",),
}
NATIVE, EMULATED = "native", "emulated"


class Choice(NamedTuple):
    """One way to run a model: a scheme, the checkpoint it comes from, the engine that runs it."""

    scheme: Scheme
    checkpoint: Checkpoint | None
    engine: EngineProfile
    how: str
    asked: str
    substituted: bool = False


def fold_precision(text: str | None) -> str:
    """A precision as typed, folded for the answer's `precision_asked`."""
    head, at, checkpoint = (text or "auto").strip().partition("@")
    return head.lower().replace("-", "_").replace(" ", "_") + at + checkpoint


def has_bits(scheme: Scheme, kind: str) -> bool:
    """Whether a scheme defines its arithmetic as this kind: ``fp4`` or ``fp8``."""
    return scheme.arithmetic == kind


def named_scheme(formats: Formats, model: ModelProfile, name: str) -> Scheme:
    """The scheme a name means for this model: `fp4` and `fp8` depend on it.

    Raises:
        UnknownNameError: no such scheme.
    """
    if name in {"fp4", "fp8"}:
        own = (formats.scheme(scheme) for scheme in model.own_schemes)
        for scheme in own:
            if has_bits(scheme, name):
                return scheme
        if name == "fp4":
            return formats.scheme("nvfp4")
        published = {checkpoint.scheme for checkpoint in model.checkpoints}
        return formats.scheme("fp8_block128" if "fp8_block128" in published else "fp8_per_tensor")
    return formats.scheme(name)


def pick_checkpoint(model: ModelProfile, scheme: Scheme, wanted: str | None) -> Checkpoint | None:
    """The published checkpoint a scheme is read from: the maker's, else NVIDIA's, else the first.

    Raises:
        UnknownNameError: `wanted` is none of the model's checkpoints of this scheme.
    """
    having = [c for c in model.checkpoints if c.scheme == scheme.id]
    if wanted is not None:
        for checkpoint in having:
            if wanted.lower() in {checkpoint.repo.lower(), checkpoint.maker.lower()}:
                return checkpoint
        names = tuple(c.repo for c in having)
        raise UnknownNameError(
            f"{model.id} has no {scheme.id} checkpoint {wanted!r}",
            hint=f"known: {', '.join(names)}" if names else "none is known for this scheme",
            suggestions=names,
        )
    maker = model.repo.partition("/")[0].lower()
    for preferred in (maker, "nvidia"):
        for checkpoint in having:
            if checkpoint.maker.lower() == preferred:
                return checkpoint
    return having[0] if having else None


def engine_order(scheme: Scheme, model: ModelProfile) -> tuple[str, ...]:
    """Engines to try for a scheme, first first (the contract's order)."""
    own_mxfp4 = scheme.id == "mxfp4" and scheme.id in model.own_schemes
    if scheme.container == "gguf" or own_mxfp4:
        return GGUF_ENGINES
    return MLX_ENGINES if scheme.container == "mlx" else CHECKPOINT_ENGINES


def runs(
    catalog: Catalog,
    model: ModelProfile,
    hardware: HardwareProfile,
    scheme: Scheme,
    engine: EngineProfile | None,
) -> tuple[EngineProfile, str] | None:
    """The engine that runs a scheme on a machine, and how; None when nothing is known to."""
    tried: Iterable[EngineProfile] = (
        (engine,) if engine else (catalog.engine(name) for name in engine_order(scheme, model))
    )
    for candidate in tried:
        how = candidate.how(hardware.family, scheme.id)
        if how is not None:
            return candidate, how
    return None


def choices(
    catalog: Catalog,
    model: ModelProfile,
    hardware: HardwareProfile,
    asked: str,
    engine: EngineProfile | None,
    *,
    substitute: bool,
) -> Iterator[Choice]:
    """The ways to run a model at a precision asked for, in the order to try them.

    One for a named scheme; the ladder's rungs for `auto`.

    Raises:
        FormatNotSupportedError: nothing runs the scheme there.
        UnknownNameError: no such scheme or checkpoint.
    """
    formats = catalog.formats()
    if asked == "auto":
        rungs = list(_ladder(catalog, model, hardware, engine, formats))
        if not rungs:
            raise _nothing_runs(catalog, model, hardware, "any precision of the ladder", engine)
        yield from rungs
        return
    name, _, wanted = asked.partition("@")
    scheme = named_scheme(formats, model, name)
    checkpoint = pick_checkpoint(model, scheme, wanted or None)
    found = runs(catalog, model, hardware, scheme, engine)
    if found is not None:
        yield Choice(scheme, _loaded(checkpoint, found[0]), *found, asked)
        return
    if substitute:
        kind = EIGHT_BIT if scheme.bits == 8 else scheme.arithmetic or scheme.id
        for other in SUBSTITUTES.get(kind, ()):
            replacement = formats.scheme(other)
            found = runs(catalog, model, hardware, replacement, engine)
            if found is not None:
                checkpoint = pick_checkpoint(model, replacement, None)
                yield Choice(
                    replacement, _loaded(checkpoint, found[0]), *found, asked, substituted=True
                )
                return
    raise _nothing_runs(catalog, model, hardware, scheme.id, engine)


def _loaded(checkpoint: Checkpoint | None, engine: EngineProfile) -> Checkpoint | None:
    """A checkpoint counts only for engines that load its kind of file."""
    return checkpoint if "safetensors" in engine.containers else None


def _ladder(
    catalog: Catalog,
    model: ModelProfile,
    hardware: HardwareProfile,
    engine: EngineProfile | None,
    formats: Formats,
) -> Iterator[Choice]:
    own = formats.scheme(model.own_schemes[0])
    names = [own.id] if own.bits < SMALLEST_LADDER_BITS else [own.id, *LADDER]
    seen = set()
    for name in names:
        scheme = named_scheme(formats, model, name)
        if scheme.id in seen or scheme.bits > own.bits:
            continue
        seen.add(scheme.id)
        found = runs(catalog, model, hardware, scheme, engine)
        if found is None or (name in NATIVE_RUNGS and found[1] != NATIVE):
            continue
        checkpoint = pick_checkpoint(model, scheme, None)
        yield Choice(scheme, _loaded(checkpoint, found[0]), *found, "auto")


def _nothing_runs(
    catalog: Catalog,
    model: ModelProfile,
    hardware: HardwareProfile,
    what: str,
    engine: EngineProfile | None,
) -> NoAnswerError:
    formats = catalog.formats()
    running = tuple(
        name
        for name in formats.scheme_ids()
        if runs(catalog, model, hardware, formats.scheme(name), engine) is not None
    )
    by = f"{engine.name} is not" if engine else "no engine is"
    return FormatNotSupportedError(
        f"{by} known to run {what} on {hardware.name}",
        hint=f"these run there: {', '.join(running)}" if running else "nothing is known to run",
        suggestions=running,
    )
