"""Reading a config that may be wrong: every field is checked, every fault names its path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_plan.errors import ConfigError, Where

LARGEST = 1 << 40
MOST_LAYERS = 10_000
_NESTED = ("text_config", "language_config", "llm_config", "thinker_config")


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

    def has(self, key: str) -> bool:
        """Whether a key is there and not null."""
        return self.data.get(key) is not None

    def _first(self, keys: tuple[str, ...]) -> tuple[str, Any]:
        for key in keys:
            if self.has(key):
                return key, self.data[key]
        return keys[0], None

    def count(self, *keys: str, default: int | None = None, zero: bool = False) -> int:
        """A whole number of at least 1 (0 where `zero`), from the first key that is there."""
        key, value = self._first(keys)
        if value is None:
            if default is None:
                raise self.fault(key, "missing, and nothing can stand in for it")
            return default
        if isinstance(value, list) and value and all(item == value[0] for item in value):
            value = value[0]  # one value for each layer, all the same
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fault(key, "must be a whole number")
        if not (0 if zero else 1) <= value < LARGEST:
            raise self.fault(
                key, f"{value:,} is out of range" if abs(value) < 1 << 63 else "is out of range"
            )
        return value

    def layers(self, *keys: str) -> int:
        """A layer count, bounded; a list of one word for each layer counts its words."""
        for key in keys:
            found = self.data.get(key)
            if isinstance(found, list) and found:
                return min(len(found), MOST_LAYERS)
            if found is not None:
                break
        value = self.count(*keys)
        if value > MOST_LAYERS:
            raise self.fault(keys[0], f"{value:,} layers are out of range")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.data.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.fault(key, "must be true or false")
        return value

    def words(self, key: str, length: int) -> list[str]:
        """A list of one word for each layer; empty when absent."""
        return [str(item) for item in self.items(key, length)]

    def items(self, key: str, length: int) -> list[Any]:
        """A list of one value for each layer; empty when absent."""
        value = self.data.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) < length:
            raise self.fault(key, f"must be a list of {length:,} values, one for each layer")
        return value[:length]

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

    def text(self) -> Fields:
        """The language model's own keys: nested in multimodal configs."""
        for key in _NESTED:
            inner = self.nested(key)
            if inner is not None:
                return inner.text()
        return self
