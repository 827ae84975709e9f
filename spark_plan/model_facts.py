"""A model as numbers: parameters, cache and state elements, bytes at each precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog import weighting
from spark_plan.catalog.architecture.shapes import READ_EXPERTS, READ_LOOKUP, READ_NEVER
from spark_plan.result import Entry
from spark_plan.scenario.precision import pick_checkpoint

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.shapes import Architecture
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.catalog.models import ModelProfile


def params_active(architecture: Architecture) -> int:
    """Parameters read for one decoded token: all but looked-up tables and unchosen experts."""
    total = 0
    for group in architecture.tensors:
        if group.read in {READ_NEVER, READ_LOOKUP}:
            continue
        if group.read == READ_EXPERTS:
            total += group.elements * architecture.experts_per_token // architecture.experts
        else:
            total += group.elements
    return total


def model_facts(catalog: Catalog, model: ModelProfile) -> Entry:
    """The numbers of `models show`.

    Raises:
        ConfigError: the config cannot be read.
    """
    architecture = model.architecture
    by_role = {"mtp": 0, "tower": 0}
    total = 0
    for group in architecture.tensors:
        if group.role in by_role:
            by_role[group.role] += group.elements
        else:
            total += group.elements
    full = [g for g in architecture.caches if g.window_tokens is None and g.kind != "index"]
    near = [g for g in architecture.caches if g.window_tokens is not None]
    index = [g for g in architecture.caches if g.kind == "index"]
    published, by_engine = _weights(catalog, model, architecture)
    return Entry(
        params_total=total,
        params_mtp=by_role["mtp"],
        params_towers=by_role["tower"],
        params_active=params_active(architecture),
        layers=architecture.layers,
        experts=architecture.experts,
        experts_per_token=architecture.experts_per_token,
        max_context_tokens=architecture.max_context_tokens,
        kv_elements_per_token=sum(
            g.layers * (g.key_elements + g.value_elements) // g.tokens_per_entry for g in full
        ),
        kv_elements_windowed=sum(g.layers * (g.key_elements + g.value_elements) for g in near),
        window_tokens=max((g.window_tokens or 0 for g in near), default=0),
        index_elements_per_token=sum(
            g.layers * g.key_elements // g.tokens_per_entry for g in index
        ),
        state_elements_per_sequence=sum(
            g.layers * g.recurrent_elements for g in architecture.states
        ),
        conv_state_elements_per_sequence=sum(
            g.layers * g.conv_elements for g in architecture.states
        ),
        weights_bytes=published,
        weights_bytes_by_engine=by_engine,
    )


_SHOWN_ENGINES = ("llama.cpp", "vllm", "mlx")


def _weights(
    catalog: Catalog, model: ModelProfile, architecture: Architecture
) -> tuple[Entry, Entry]:
    """Bytes of the language model at each scheme: as published, and as each engine holds them."""
    formats = catalog.formats()
    published, by_engine = Entry(), Entry({name: Entry() for name in _SHOWN_ENGINES})
    engines = [catalog.engine(name) for name in _SHOWN_ENGINES]
    runnable = {
        engine.id: {scheme for run in engine.runs for scheme in run.schemes} for engine in engines
    }
    for name in formats.scheme_ids():
        scheme = formats.scheme(name)
        checkpoint = pick_checkpoint(model, scheme, None)
        modules = (checkpoint.modules or ()) if checkpoint else ()
        own = weighting.stored(scheme, architecture.tensors, modules=modules, formats=formats)
        published[name] = sum(t.bytes for t in own if t.group.role not in {"tower", "mtp"})
        for engine in engines:
            if name not in runnable[engine.id]:
                continue
            loads = engine.containers
            container = scheme.container if scheme.container in loads else loads[0]
            held = weighting.stored(
                scheme,
                architecture.tensors,
                modules=modules if container == "safetensors" else (),
                container=container,
                formats=formats,
            )
            left_out = {"mtp"} if engine.towers_resident else {"mtp", "tower"}
            by_engine[engine.id][name] = sum(t.bytes for t in held if t.group.role not in left_out)
    return published, by_engine
