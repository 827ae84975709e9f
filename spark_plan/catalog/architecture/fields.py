"""Reading a config that may be wrong: every field is checked, every fault names its path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_plan.errors import ConfigError, Where

LARGEST = 1 << 40
MOST_LAYERS = 10_000
_PRINTABLE = 1 << 63
_MOST_NESTED = 4
_NESTED = ("text_config", "language_config", "llm_config", "thinker_config")


class MissingFieldError(ConfigError):
    """A key that has to be there is not."""


class Fields:
    """Typed access to a config's keys, with the path for messages.

    >>> Fields({"hidden_size": 64}, "$").count("hidden_size")
    64
    """

    def __init__(self, data: Any, path: str = "$") -> None:
        if not isinstance(data, Mapping):
            raise ConfigError(
                f"{path}: must be a mapping of keys to values", where=Where("config", None, path)
            )
        self.data, self.path = data, path

    def fault(self, key: str, what: str) -> ConfigError:
        """An error about one key."""
        path = f"{self.path}.{key}"
        return ConfigError(f"{path}: {what}", where=Where("config", None, path))

    def missing(self, key: str) -> MissingFieldError:
        """An error about a key that has to be there."""
        path = f"{self.path}.{key}"
        what = "missing, and nothing can stand in for it"
        return MissingFieldError(f"{path}: {what}", where=Where("config", None, path))

    def has(self, key: str) -> bool:
        """Whether a key is there and not null."""
        return self.data.get(key) is not None

    def count(
        self, *keys: str, default: int | None = None, zero: bool = False, most: int = LARGEST
    ) -> int:
        """A whole number of 1 (0 where `zero`) to `most`, from the first key that is there.

        `default` is for what the family's own config class defaults to, never for a guess.
        """
        key = next((key for key in keys if self.has(key)), keys[0])
        value = self.data.get(key)
        if value is None:
            if default is None:
                raise self.missing(key)
            return default
        if isinstance(value, list) and value and isinstance(value[0], int):
            # One value for each layer is one value, where they are all the same.
            value = value[0] if all(item == value[0] for item in value) else value
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fault(key, "must be a whole number")
        if not (0 if zero else 1) <= value <= most:
            shown = f"{value:,} is" if abs(value) < _PRINTABLE else "is"
            raise self.fault(key, f"{shown} out of range ({0 if zero else 1:,} to {most:,})")
        return value

    def layers(self, *keys: str) -> int:
        """A layer count, bounded; a list of one word for each layer counts its words."""
        for key in keys:
            found = self.data.get(key)
            if isinstance(found, list) and 0 < len(found) <= MOST_LAYERS:
                return len(found)
            if found is not None:
                break
        return self.count(*keys, most=MOST_LAYERS)

    def drafts(self, *keys: str, default: int = 0) -> int:
        """How many blocks draft further tokens (multi-token prediction)."""
        return self.count(*keys, default=default, zero=True, most=MOST_LAYERS)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false; `default` is that of the family's config class."""
        value = self.data.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.fault(key, "must be true or false")
        return value

    def word(self, key: str) -> str:
        """A string; empty when absent."""
        value = self.data.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.fault(key, "must be a string")
        return value

    def items(self, key: str, length: int) -> list[Any]:
        """A list of one value for each layer; empty when absent."""
        value = self.data.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) < length:
            raise self.fault(key, f"must be a list of {length:,} values, one for each layer")
        return value[:length]

    def switches(self, key: str, length: int) -> list[bool]:
        """A list of 0 or 1 for each layer, as booleans; missing is an error."""
        found = self.items(key, length)
        if not found:
            raise self.missing(key)
        for index, item in enumerate(found):
            if item not in (0, 1):
                raise self.fault(f"{key}[{index}]", "must be 0 or 1")
        return [bool(item) for item in found]

    def words(self, key: str, length: int, known: frozenset[str]) -> list[str]:
        """A list of one known word for each layer; empty when absent."""
        found = self.items(key, length)
        for index, item in enumerate(found):
            if not isinstance(item, str):
                raise self.fault(f"{key}[{index}]", "must be a string")
            if item not in known:
                shown = ", ".join(sorted(known))
                raise self.fault(f"{key}[{index}]", f"{item[:40]!r} is not one of {shown}")
        return found

    def length(self, key: str, most: int) -> int:
        """How many items a list has; 0 when absent."""
        value = self.data.get(key)
        if value is None:
            return 0
        if not isinstance(value, list) or len(value) > most:
            raise self.fault(key, f"must be a list of at most {most:,} values")
        return len(value)

    def ratio(self, key: str, default: float) -> float:
        """A positive number."""
        value = self.data.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e6:
            raise self.fault(key, "must be a positive number")
        return float(value)

    def nested(self, key: str) -> Fields | None:
        """A mapping under a key."""
        return Fields(self.data[key], f"{self.path}.{key}") if self.has(key) else None

    def text(self, depth: int = 0) -> Fields:
        """The language model's own keys: nested in multimodal configs."""
        for key in _NESTED:
            inner = self.nested(key)
            if inner is not None:
                if depth == _MOST_NESTED:
                    raise self.fault(key, "is nested too deeply")
                return inner.text(depth + 1)
        return self
