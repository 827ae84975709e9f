"""What a person may say: every option of the plan commands, as typed.

One record serves the command line, Python and a batch row. Nothing here is interpreted beyond its
spelling; `spark_plan.scenario.resolve` is the only reader of meanings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.errors import UsageError
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Options(NamedTuple):
    """The options of a plan; None is "not said"."""

    model: str
    precision: str | None = None
    hardware: str | None = None
    devices: int | None = None
    split: str | None = None
    link: str | None = None
    engine: str | None = None
    context_tokens: int | str | None = None
    batch: int | None = None
    prompt_tokens: int | str | None = None
    output_tokens: int | str | None = None
    depth_tokens: int | str | None = None
    kv_precision: str | None = None
    spec_decode: str | None = None
    offload: str | None = None
    headless: bool | None = None
    visible_bytes: int | str | None = None
    memory_fraction: float | str | None = None
    min_tps: float | str | None = None
    max_ttft_s: float | str | None = None
    beyond_max: bool = False
    strict: bool = False
    why: bool = False


# The option as it is typed, where it differs from the field's name: used in messages and accepted
# as a column of a batch.
OPTION_NAMES = {
    "hardware": "on",
    "context_tokens": "context",
    "prompt_tokens": "prompt",
    "output_tokens": "output",
    "depth_tokens": "depth",
    "visible_bytes": "visible",
    "max_ttft_s": "max_ttft",
}
BATCH_FIELDS = (
    "model",
    "precision",
    "hardware",
    "devices",
    "engine",
    "context_tokens",
    "batch",
    "prompt_tokens",
    "output_tokens",
    "depth_tokens",
    "kv_precision",
    "split",
    "link",
    "spec_decode",
    "offload",
    "headless",
    "min_tps",
    "max_ttft_s",
)
_SPELLINGS = {OPTION_NAMES.get(field, field): field for field in BATCH_FIELDS} | {
    field: field for field in BATCH_FIELDS
}


def flag(field: str) -> str:
    """An option as a person types it.

    >>> flag("context_tokens"), flag("memory_fraction")
    ('--context', '--memory-fraction')
    """
    return "--" + OPTION_NAMES.get(field, field).replace("_", "-")


def field_of(column: str) -> str | None:
    """The field a batch column names, in either spelling; None for one that is unknown.

    >>> field_of("max-ttft"), field_of("context_tokens"), field_of("colour")
    ('max_ttft_s', 'context_tokens', None)
    """
    return _SPELLINGS.get(column.strip().lower().lstrip("-").replace("-", "_"))


_TRUE, _FALSE = {"true", "yes", "1"}, {"false", "no", "0"}


def from_row(row: Mapping[str, Any]) -> Options:
    """Options of a batch row; empty cells are not said.

    Args:
        row: field name (see `field_of`) to cell.

    Raises:
        UsageError: a row without a model, or a cell that cannot be what its column says.
    """
    said = {field: value for field, value in row.items() if value is not None and value != ""}
    if "model" not in said:
        raise UsageError("the row names no model")
    for field in ("devices", "batch"):
        if field in said:
            said[field] = whole(said[field], field)
    if "headless" in said and not isinstance(said["headless"], bool):
        word = str(said["headless"]).strip().lower()
        if word not in _TRUE | _FALSE:
            raise UsageError(f"headless: {word!r} is neither true nor false")
        said["headless"] = word in _TRUE
    texts = {f: str(v) for f, v in said.items() if f not in {"devices", "batch", "headless"}}
    return Options(**(said | texts))


_FLAGS = frozenset({"headless", "beyond_max", "strict", "why"})
_NUMBERS = frozenset({
    "devices", "batch", "context_tokens", "prompt_tokens", "output_tokens", "depth_tokens",
    "visible_bytes", "memory_fraction", "min_tps", "max_ttft_s",
})  # fmt: skip
_FIELD_OF_OPTION = {option: field for field, option in OPTION_NAMES.items()}


def from_keywords(model: str, options: Mapping[str, Any]) -> Options:
    """Options of a call from Python: names of fields, or of options as they are typed.

    Raises:
        UsageError: an unknown name, or a value of a type its option cannot have.

    >>> from_keywords("llama-70b", {"context": "32k", "batch": 2})[7:9]
    ('32k', 2)
    """
    said: dict[str, Any] = {}
    for name, value in {"model": model, **options}.items():
        field = _FIELD_OF_OPTION.get(name, name)
        if field not in Options._fields or field in said:
            raise UsageError(
                f"unknown option {name!r}" if field not in said else f"{name!r} is given twice",
                hint=f"known: {', '.join(Options._fields)}",
            )
        if value is None and field != "model":
            continue
        kinds: tuple[type, ...] = (bool,) if field in _FLAGS else (str,)
        if field in _NUMBERS:
            kinds = (int, float, str)
        if not isinstance(value, kinds) or (isinstance(value, bool) and field not in _FLAGS):
            meant = " or ".join(kind.__name__ for kind in kinds)
            raise UsageError(f"{name}: {value!r:.40} is no {meant}")
        said[field] = value
    if isinstance(said.get("visible_bytes"), (int, float)):
        said["visible_bytes"] = f"{said['visible_bytes']:.0f}B"
    return Options(**said)


_LARGEST_COUNT = 1_000_000


def whole(value: Any, field: str) -> int:
    """A count of at least one, from a cell or an option.

    Raises:
        UsageError: anything else.

    >>> whole("8", "batch")
    8
    """
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise UsageError(f"{flag(field)}: {text[:40]!r} is not a whole number of at least 1")
    count = int(text)
    if not 1 <= count <= _LARGEST_COUNT:
        raise UsageError(f"{flag(field)}: {count:,} is not between 1 and {_LARGEST_COUNT:,}")
    return count
