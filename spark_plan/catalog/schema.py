"""The closed schemas of profile files, as data: what keys there are and what each holds."""

from __future__ import annotations

import re
from typing import Any

from spark_plan.catalog.figures import KINDS
from spark_plan.records import NamedTuple

_DATE = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?\Z")
_ADDRESS = re.compile(r"https?://[^\s/]+\S*\Z")
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,80}\Z")
LARGEST = 1e30


class Text(NamedTuple):
    """A string; `choices` closes it, `pattern` shapes it, `null` allows nothing."""

    choices: tuple[str, ...] = ()
    pattern: Any = None
    null: bool = False
    meaning: str = "text"


class Number(NamedTuple):
    """A plain number within bounds."""

    low: float = 0
    high: float = LARGEST
    whole: bool = False


class Quantity(NamedTuple):
    """A Figure: value, kind, source(s), note; the unit is in the key."""

    positive: bool = True


class Flag(NamedTuple):
    """true or false."""


class Anything(NamedTuple):
    """A tree that another reader checks (a model's config)."""


class SourceKeys(NamedTuple):
    """The key of a declared source, or a list of them."""


class ListOf(NamedTuple):
    """A list of one kind of thing."""

    item: Any


class MapOf(NamedTuple):
    """A mapping with free keys (or those of `keys`) to one kind of thing."""

    item: Any
    keys: tuple[str, ...] = ()


class Record(NamedTuple):
    """A mapping with known keys; those in `needed` must be there."""

    fields: dict[str, Any]
    needed: tuple[str, ...] = ()


TEXT, ID = Text(), Text(pattern=_ID, meaning="an id (small letters, digits, . _ -)")
DATE = Text(pattern=_DATE, meaning="a date (YYYY-MM-DD, YYYY-MM or YYYY)")
DATE_OR_NONE = DATE._replace(null=True)
ADDRESS = Text(pattern=_ADDRESS, null=True, meaning="an http(s) address")
SOURCE_KEYS = SourceKeys()
FIGURE = Quantity()
SOURCES = MapOf(
    Record({"url": ADDRESS, "seen": DATE, "title": TEXT, "note": TEXT}, ("seen", "title"))
)
COMMON: dict[str, Any] = {
    "id": ID,
    "name": TEXT,
    "aliases": ListOf(TEXT),
    "sources": SOURCES,
    "note": TEXT,
    "extends": ID,
    "default_source": TEXT,
    "default_kind": Text(KINDS),
}
LINK_END = Record({"link": ID, "bandwidth_bytes_per_s": FIGURE, "note": TEXT}, ("link",))
POOL = Record(
    {
        "kind": Text(("unified", "device", "host")),
        "technology": TEXT,
        "capacity_bytes": FIGURE,
        "visible_bytes": FIGURE,
        "gpu_limit_bytes": FIGURE,
        "gpu_limit_fraction": FIGURE,
        "system_desktop_bytes": FIGURE,
        "system_headless_bytes": FIGURE,
        "bandwidth_bytes_per_s": FIGURE,
        "note": TEXT,
    },
    ("kind", "bandwidth_bytes_per_s"),
)
HARDWARE = Record(
    COMMON
    | {
        "vendor": Text(("nvidia", "amd", "intel", "apple", "google", "generic")),
        "family": TEXT,
        "class": TEXT,
        "status": Text(("shipping", "announced", "rumoured")),
        "launched": DATE_OR_NONE,
        "memory": ListOf(POOL),
        "memory_options": ListOf(
            Record(
                {"gb": Number(1, 1e6, whole=True), "gpu_limit_fraction": FIGURE,
                 "capacity_bytes": FIGURE, "note": TEXT},
                ("gb", "capacity_bytes"),
            )
        ),
        "default_memory_gb": Number(1, 1e6, whole=True),
        "flops_per_s": MapOf(
            FIGURE, ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4")
        ),
        "host_link": LINK_END,
        "device_links": ListOf(LINK_END),
        "storage_bytes_per_s": FIGURE,
        "idle_power_w": FIGURE,
        "load_power_w": FIGURE,
        "max_power_w": FIGURE,
        "prices": ListOf(
            Record(
                {"usd": FIGURE, "date": DATE, "memory_gb": Number(1, 1e6, whole=True),
                 "note": TEXT},
                ("usd", "date"),
            )
        ),
        "price_note": TEXT,
    },
    ("id", "name", "vendor", "family", "class", "status", "memory", "flops_per_s"),
)  # fmt: skip
LINKS = Record(
    COMMON
    | {
        "bandwidth_bytes_per_s": FIGURE,
        "latency_s": FIGURE,
        "usable_fraction": FIGURE,
        "allreduce_fraction": FIGURE,
        "allreduce_latency_s": FIGURE,
        "allreduce_latency_4_s": FIGURE,
        "hop_latency_s": FIGURE,
    },
    ("id", "name", "bandwidth_bytes_per_s"),
)
MODULE_RULE = Record(
    {"tensors": ListOf(TEXT), "roles": ListOf(TEXT), "layers": Number(1, 10_000, whole=True),
     "format": TEXT, "note": TEXT},
    ("format",),
)  # fmt: skip
MODELS = Record(
    COMMON
    | {
        "family": TEXT,
        "repo": TEXT,
        "task": Text(
            ("llm", "vlm", "embedding", "reranker", "vision", "diffusion", "speech", "robot")
        ),
        "released": DATE_OR_NONE,
        "base": Text(null=True),
        "config": Anything(),
        "config_source": SOURCE_KEYS,
        "config_kind": Text(("published", "database", "same-shape", "derived")),
        "own_schemes": ListOf(TEXT),
        "published": MapOf(FIGURE, ("params_total", "params_active", "exact_params")),
        "checkpoints": ListOf(
            Record(
                {"repo": TEXT, "scheme": TEXT, "maker": TEXT, "weight_bytes": FIGURE,
                 "modules": ListOf(MODULE_RULE), "note": TEXT, "source": SOURCE_KEYS},
                ("repo", "scheme", "maker"),
            )
        ),
    },
    ("id", "name", "family", "repo", "task", "config", "config_kind", "config_source",
     "own_schemes"),
)  # fmt: skip
ENGINES = Record(
    COMMON
    | {
        "containers": ListOf(Text(("gguf", "safetensors", "mlx", "exl"))),
        "parent": Text(null=True),
        "versions": ListOf(TEXT),
        "kv_default": TEXT,
        "kv_formats": ListOf(TEXT),
        "towers_resident": Flag(),
        "reserves": Flag(),
        "reserve_flag": TEXT,
        "runs": ListOf(
            Record(
                {"families": ListOf(TEXT), "schemes": ListOf(TEXT),
                 "how": Text(("native", "emulated")), "source": SOURCE_KEYS, "note": TEXT},
                ("families", "schemes", "how", "source"),
            )
        ),
        "memory": MapOf(Quantity(positive=False)),
        "parallel": ListOf(Text(("tensor", "pipeline", "expert"))),
    },
    ("id", "name", "containers", "kv_default", "kv_formats", "runs", "memory", "parallel"),
)  # fmt: skip
NUMBER_FORMAT = Record(
    {"bits_per_weight": FIGURE, "block_elements": Number(1, 1e6, whole=True),
     "block_bytes": Number(0, 1e6), "kernel": TEXT, "row_bytes": Number(0, 1e6),
     "column_bytes": Number(0, 1e6), "tile_bytes": Number(0, 1e6),
     "tile_elements": Number(1, 1e6, whole=True), "flat": Flag(), "fallback": TEXT, "note": TEXT},
    ("bits_per_weight", "block_elements", "block_bytes", "kernel"),
)  # fmt: skip
RULE = Record(
    {"roles": ListOf(TEXT), "tensors": ListOf(TEXT), "vectors": Flag(), "format": TEXT,
     "layers": TEXT, "else": TEXT, "when": TEXT},
    ("format",),
)  # fmt: skip
LAYOUT: dict[str, Any] = {"default": TEXT, "use": ListOf(TEXT), "rules": ListOf(RULE)}
CONTAINERS = ("gguf", "safetensors", "mlx", "exl")
SCHEME = Record(
    LAYOUT
    | {"title": TEXT, "container": Text(CONTAINERS), "bits": Number(0.5, 64),
       "arithmetic": Text(("fp4", "fp8", "int8"), null=True), "base": TEXT,
       "gguf_rules": ListOf(RULE), "by_container": MapOf(Record(LAYOUT, ("default",)), CONTAINERS),
       "aliases": ListOf(TEXT), "source": SOURCE_KEYS, "note": TEXT},
    ("title", "container", "bits", "default", "source"),
)  # fmt: skip
FORMATS = Record(
    {"id": ID, "name": TEXT, "note": TEXT, "sources": SOURCES,
     "number_formats": MapOf(NUMBER_FORMAT), "schemes": MapOf(SCHEME),
     "kv_formats": MapOf(FIGURE), "rule_sets": MapOf(ListOf(RULE))},
    ("number_formats", "schemes", "kv_formats"),
)  # fmt: skip
TERM = Record(
    {"scope": TEXT, "engine": TEXT, "term": TEXT, "value": Number(), "low": Number(),
     "high": Number(), "n": Number(whole=True), "spread": Number(), "kind": Text(KINDS),
     "source": SOURCE_KEYS},
    ("scope", "engine", "term", "value", "kind", "source"),
)  # fmt: skip
EFFICIENCY = Record(
    {"id": ID, "note": TEXT, "sources": SOURCES, "terms": ListOf(TERM),
     "spreads": ListOf(
         Record(
             {"scope": TEXT, "engine": TEXT, "metric": TEXT, "low": Number(), "high": Number(),
              "n": Number(whole=True), "kind": Text(KINDS), "source": SOURCE_KEYS},
             ("scope", "engine", "metric", "low", "high", "kind", "source"),
         )
     ),
     "measured": ListOf(
         Record({"hardware": ID, "rows": Number(whole=True)}, ("hardware", "rows"))
     )},
    ("id", "terms", "spreads"),
)  # fmt: skip
VERSION = Record({"data_version": TEXT, "note": TEXT}, ("data_version",))
SCHEMAS: dict[str, Record] = {
    "hardware": HARDWARE,
    "links": LINKS,
    "models": MODELS,
    "engines": ENGINES,
    "formats": FORMATS,
    "efficiency": EFFICIENCY,
    "version": VERSION,
}
