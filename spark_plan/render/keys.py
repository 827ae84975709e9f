"""Keys of any result as headings, and their values as a person reads them, by the key's unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan import units
from spark_plan.render.words import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

# Formats keep their spelling at the start of a heading.
_SCHEME_LIKE = ("bf1", "f16", "f32", "f64", "fp", "tf3", "int", "nvfp", "mxfp", "q", "iq", "tq")

# Suffixes that are a unit begin with an underscore; the whole key may be the unit as well.
_UNITS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    # suffix of the key, unit in the header, text of the value; the longest suffix first
    ("_tokens_per_s_per_usd", "tok/s per $1k", lambda v: units.rate(v * 1e3)),
    ("_bytes_per_s", "GB/s", lambda v: f"{v / 1e9:,.4g}" if v < 1e12 else f"{v / 1e9:,.0f}"),
    ("_flops_per_s", "TFLOP/s", lambda v: f"{v / 1e12:,.4g}" if v < 1e15 else f"{v / 1e12:,.0f}"),
    ("_tokens_per_s", "tok/s", units.rate),
    ("_bytes", "GiB", units.gib),
    ("_params_total", "", units.parameters),
    ("_params_active", "", units.parameters),
    ("_tokens", "tokens", units.tokens),
    ("_usd", "USD", lambda v: f"{v:,.0f}"),
    ("_w", "W", lambda v: f"{v:,.0f}"),
    ("_s", "", units.seconds),
)


_EMPTY: tuple[Any, ...] = ("", [], {})

# A key that is nothing but its unit, as a heading.
_BARE_TITLES = {"bytes": "Size", "flops_per_s": "Peak, dense", "tokens_per_s": "Rate"}


def _is_in(key: str, suffix: str) -> bool:
    return key.endswith(suffix) or key == suffix[1:]


def unit_of(key: str) -> str:
    """The unit a person reads values of this key in.

    >>> unit_of("memory_bytes"), unit_of("load_power_w"), unit_of("name")
    ('GiB', 'W', '')
    """
    return next((unit for suffix, unit, _ in _UNITS if _is_in(key, suffix)), "")


def title(key: str) -> str:
    """A key as the heading of a column, without its unit.

    >>> title("memory_bytes"), title("released"), title("bandwidth_bytes_per_s"), title("bytes")
    ('Memory', 'Released', 'Bandwidth', 'Size')
    """
    if key in _BARE_TITLES:
        return _BARE_TITLES[key]
    for suffix, unit, _ in _UNITS:
        if unit and suffix.startswith("_") and key.endswith(suffix):
            key = key[: -len(suffix)]
            break
    text = key.replace("_", " ").strip() or key
    return text if text.startswith(_SCHEME_LIKE) else text[:1].upper() + text[1:]


def nested(key: str, values: dict[str, Any]) -> dict[str, Any]:
    """The values of an object whose own key names their unit, under keys that name it too.

    >>> nested("flops_per_s", {"bf16": 1e14}), nested("load", {"batch": 1})
    ({'bf16_flops_per_s': 100000000000000.0}, {'batch': 1})
    >>> nested("weights_bytes_by_engine", {"vllm": {}})
    {'vllm_bytes': {}}
    """
    key = key.partition("_by_")[0]  # weights_bytes_by_engine: bytes, two levels down
    suffix = next((suffix for suffix, _, _ in _UNITS if _is_in(key, suffix)), "")
    return {f"{name}{suffix}": value for name, value in values.items()}


def with_unit(key: str, value: Any) -> str:
    """A value and its unit.

    >>> with_unit("load_power_w", 95), with_unit("id", "gb10")
    ('95 W', 'gb10')
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value_text(key, value)} {unit_of(key) if number else ''}".strip()


def value_text(key: str, value: Any) -> str:
    """A value as a person reads it, in the unit `unit_of` names.

    >>> value_text("memory_bytes", 2**37), value_text("aliases", ["gb10", "spark"])
    ('128.00', 'gb10, spark')
    """
    if value is None or value in _EMPTY:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        for suffix, _, text in _UNITS:
            if _is_in(key, suffix):
                return text(value)
        # A year or a count of layers reads worse with a comma than a large count without one.
        return f"{value:,}" if isinstance(value, int) and value >= 10_000 else f"{value:.6g}"
    if isinstance(value, dict):
        pairs = nested(key, value).items()
        return ", ".join(f"{title(name)} {with_unit(name, item)}" for name, item in pairs)
    if isinstance(value, (list, tuple)):
        return ", ".join(value_text(key, item) for item in value)
    return str(value)
