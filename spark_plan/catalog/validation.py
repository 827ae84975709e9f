"""Checking a parsed file against its schema: every fault names the file, the line and the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog import schema
from spark_plan.catalog.coherence import contradictions
from spark_plan.catalog.figures import KINDS
from spark_plan.errors import ProfileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_plan.catalog.coherence import Known
    from spark_plan.catalog.dialect import Document

_FIGURE_KEYS = ("value", "kind", "source", "note", "low", "high")
_ADDRESS = ("https://", "http://")
_MAX_ITEMS = 20_000
_ECHO = 40
_MORE_THAN_ZERO = 1e-30


def validate(
    kind: str, document: Document, *, partial: bool = False, known: Known | None = None
) -> dict[str, Any]:
    """The document's data, checked; bare numbers become figures where the file allows it.

    Args:
        kind: which schema.
        document: the parsed file.
        partial: an overlay (`extends`): nothing is needed beyond what it says.
        known: names a profile may refer to; None leaves them unchecked.

    Raises:
        ProfileError: the first fault, with file, line and path.
    """
    data, faults = examine(kind, document, partial=partial, known=known)
    if faults:
        raise most_telling(faults)
    return data


def most_telling(faults: Sequence[ProfileError]) -> ProfileError:
    """The fault to show first: a mistyped key explains the key that is missing."""
    return next((fault for fault in faults if "did you mean" in fault.message), faults[0])


def examine(
    kind: str, document: Document, *, partial: bool = False, known: Known | None = None
) -> tuple[dict[str, Any], list[ProfileError]]:
    """As `validate`, with every fault in the order of the lines; the data lacks what is faulty."""
    validation = Validation(document, partial=partial)
    try:
        data = validation.run(schema.SCHEMAS[kind])
    except ProfileError as fault:
        return {}, [fault]
    faults = validation.faults
    if not faults and not partial:
        faults = [document.fault(*found) for found in contradictions(kind, data, known)]
    return data, sorted(faults, key=lambda fault: fault.where.line or 0 if fault.where else 0)


class Validation:
    """One pass over one document, gathering its faults in `faults`."""

    def __init__(self, document: Document, *, partial: bool = False) -> None:
        self.document = document
        self.partial = partial
        self.faults: list[ProfileError] = []
        data = document.data if isinstance(document.data, dict) else {}
        sources = data.get("sources")
        self.sources: Mapping[str, Any] = sources if isinstance(sources, dict) else {}
        self.default_source = data.get("default_source")
        self.default_kind = data.get("default_kind")

    def run(self, record: schema.Record) -> dict[str, Any]:
        """The checked data, without what `faults` is about."""
        data = self.document.data
        if not isinstance(data, dict):
            raise self.document.fault("$", "a profile is a mapping of keys to values")
        if self.default_source is not None:
            self._known_source(self.default_source, "$.default_source")
        needed = () if self.partial else record.needed
        return self._record(record._replace(needed=needed), data, "$")

    def _each(self, kind: Any, items: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
        """Check values by path, one fault each; `kind` None takes each item's own."""
        checked = {}
        for path, (own, value) in items.items():
            try:
                checked[path] = self._check(own if kind is None else kind, value, path)
            except ProfileError as fault:  # noqa: PERF203  (one fault must not hide the next)
                self.faults.append(fault)
        return checked

    def _check(self, kind: Any, value: Any, path: str) -> Any:
        if isinstance(kind, schema.Record):
            return self._record(kind, value, path)
        if isinstance(kind, schema.Quantity):
            return self._figure(kind, value, path)
        if isinstance(kind, schema.ListOf):
            return self._list(kind, value, path)
        if isinstance(kind, schema.MapOf):
            return self._map(kind, value, path)
        if isinstance(kind, schema.Text):
            return self._text(kind, value, path)
        if isinstance(kind, schema.Number):
            return self._number(kind, value, path)
        if isinstance(kind, schema.Flag) and not isinstance(value, bool):
            raise self.document.fault(path, "must be true or false")
        if isinstance(kind, schema.SourceKeys):
            self._source_keys(value, path)
        return value

    def _record(self, kind: schema.Record, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.document.fault(path, "must be a mapping of keys to values")
        items = {}
        for key, item in value.items():
            if key not in kind.fields:
                self.faults.append(self._unknown_key(key, tuple(kind.fields), path))
                continue
            items[f"{path}.{key}"] = (kind.fields[key], item)
        checked = self._each(None, items)
        for key in kind.needed:
            if key not in value:
                self.faults.append(self.document.fault(path, f"{key} is missing"))
        return {place[len(path) + 1 :]: item for place, item in checked.items()}

    def _unknown_key(self, key: str, known: tuple[str, ...], path: str) -> ProfileError:
        from spark_plan.catalog.near import near

        guess = near(key[: 2 * _ECHO], known, most=1)
        hint = f" (did you mean {guess[0]}?)" if guess else ""
        return self.document.fault(f"{path}.{key}", f"unknown key{hint}")

    def _list(self, kind: schema.ListOf, value: Any, path: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.document.fault(path, "must be a list")
        if len(value) > _MAX_ITEMS:
            raise self.document.fault(path, f"holds more than {_MAX_ITEMS:,} items")
        items = {f"{path}[{index}]": (None, item) for index, item in enumerate(value)}
        return list(self._each(kind.item, items).values())

    def _map(self, kind: schema.MapOf, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.document.fault(path, "must be a mapping of keys to values")
        items = {}
        for key, item in value.items():
            if kind.keys and key not in kind.keys:
                self.faults.append(self._unknown_key(key, kind.keys, path))
                continue
            items[f"{path}.{key}"] = (None, item)
        checked = self._each(kind.item, items)
        return {place[len(path) + 1 :]: item for place, item in checked.items()}

    def _text(self, kind: schema.Text, value: Any, path: str) -> str | None:
        if value is None and kind.null:
            return None
        if isinstance(value, (bool, int, float)):
            raise self.document.fault(path, f"must be {kind.meaning}: put it in quotes")
        if not isinstance(value, str):
            raise self.document.fault(path, f"must be {kind.meaning}")
        if kind.choices and value not in kind.choices:
            raise self.document.fault(
                path, f"{value[:_ECHO]!r} is none of {', '.join(kind.choices)}"
            )
        if kind.pattern is not None and not kind.pattern.match(value):
            raise self.document.fault(path, f"{value[:_ECHO]!r} is not {kind.meaning}")
        return value

    def _number(self, kind: schema.Number, value: Any, path: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.document.fault(path, "must be a number in base units")
        if not kind.low <= value <= kind.high:
            raise self.document.fault(path, f"{value:g} is out of range")
        if kind.whole and value != int(value):
            raise self.document.fault(path, f"{value:g} is not a whole number")
        return value

    def _figure(self, kind: schema.Quantity, value: Any, path: str) -> dict[str, Any]:
        figure = self._as_mapping(value, path)
        for key in figure:
            if key not in _FIGURE_KEYS:
                raise self._unknown_key(key, _FIGURE_KEYS, path)
        if "value" not in figure:
            raise self.document.fault(path, "value is missing")
        if "note" in figure:
            self._text(schema.TEXT, figure["note"], f"{path}.note")
        if figure.get("kind") not in (*KINDS, None):
            raise self.document.fault(f"{path}.kind", f"must be one of {', '.join(KINDS)}")
        if figure["value"] is None:
            if not figure.get("note"):
                raise self.document.fault(path, "null needs a note that says what was looked for")
            if "source" in figure:
                self._source_keys(figure["source"], f"{path}.source")
            return figure
        bounds = schema.Number(low=_MORE_THAN_ZERO if kind.positive else 0)
        for key in ("value", "low", "high"):
            if figure.get(key) is not None:
                self._number(bounds, figure[key], f"{path}.{key}")
        self._refuse_outside_own_range(figure, path)
        self._provenance(figure, path)
        return figure

    def _as_mapping(self, value: Any, path: str) -> dict[str, Any]:
        """A figure as a mapping; a bare number takes the file's default source."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if self.default_source is None:
                raise self.document.fault(
                    path,
                    "a bare number has no source: write {value, kind, source}, or set "
                    "default_source and default_kind",
                )
            kind = self.default_kind or "assumed"
            return {"value": value, "kind": kind, "source": self.default_source}
        if not isinstance(value, dict):
            raise self.document.fault(path, "must be a figure {value, kind, source}")
        return value

    def _refuse_outside_own_range(self, figure: Mapping[str, Any], path: str) -> None:
        low, high = figure.get("low"), figure.get("high")
        if (low is not None and low > figure["value"]) or (
            high is not None and high < figure["value"]
        ):
            raise self.document.fault(path, "value lies outside its own low and high")

    def _provenance(self, figure: Mapping[str, Any], path: str) -> None:
        if "kind" not in figure or figure["kind"] is None:
            raise self.document.fault(path, f"kind is missing: one of {', '.join(KINDS)}")
        if "source" not in figure:
            raise self.document.fault(path, "source is missing: no figure without one")
        keys = self._source_keys(figure["source"], f"{path}.source")
        if self.partial and any(key not in self.sources for key in keys):
            return  # its base declares them: checked after merging
        if figure["kind"] != "assumed" and not any(self._has_address(key) for key in keys):
            raise self.document.fault(path, "no source of it has an address: kind must be assumed")

    def _has_address(self, key: str) -> bool:
        source = self.sources.get(key)
        url = source.get("url") if isinstance(source, dict) else None
        return isinstance(url, str) and url.startswith(_ADDRESS)

    def _source_keys(self, value: Any, path: str) -> tuple[str, ...]:
        keys = (value,) if isinstance(value, str) else value
        if not isinstance(keys, (list, tuple)) or not keys:
            raise self.document.fault(path, "must name a source, or a list of them")
        for key in keys:
            self._known_source(key, path)
        return tuple(keys)

    def _known_source(self, key: Any, path: str) -> None:
        if not isinstance(key, str):
            raise self.document.fault(path, "must name a source, or a list of them")
        if key not in self.sources and not self.partial:
            from spark_plan.catalog.near import near

            guess = near(key[: 2 * _ECHO], self.sources, most=1)
            hint = f" (did you mean {guess[0]}?)" if guess else ""
            raise self.document.fault(path, f"source {key[:_ECHO]!r} is not declared{hint}")
