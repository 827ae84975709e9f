"""Fitted terms, looked up from the special to the general: machine, class, engine, any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.catalog.figures import Figure, cited, decode_sources
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spark_plan.catalog.figures import Sources

ANY = "any"
# What a scope is worth as evidence for this machine and engine.
_LEVELS = {"hardware": "hardware-engine", "class": "family", "engine": "engine"}
_NO_LEVEL = "none"
_SEVERAL = "efficiency"

Packed = dict[str, Any]


class SpreadRow(NamedTuple):
    """Half-widths of an 80 % interval, below and above, as shares of a rate; rows behind it."""

    low: float
    high: float
    n: int


class Efficiency:
    """All terms and spreads, keyed by scope and engine; rows are decoded when asked for.

    `measured`: public rows of each system, by hardware id.
    """

    def __init__(self, data: Mapping[str, Any], *, origin: str) -> None:
        self.file: str = data["file"]
        self.origin = origin
        self._sources: Sources = decode_sources(data)
        self._usual: list[Any] = data["usual"]
        self._terms: dict[str, dict[str, Any]] = data["terms"]
        self._spreads: dict[str, dict[str, list[Any]]] = data["spreads"]
        self.measured: dict[str, int] = data["measured"]

    def term(
        self, name: str, hardware_id: str, klass: str, engines: Sequence[str]
    ) -> tuple[Figure, str] | None:
        """A term's figure and the level it was found at; None where nobody has it.

        Args:
            name: such as ``f_q4_k``.
            hardware_id: the machine.
            klass: its efficiency group.
            engines: the engine and its parents, nearest first.
        """
        found = self._nearest(self._terms, name, hardware_id, klass, engines)
        if found is None:
            return None
        row, level = found
        cells: list[Any] = row if isinstance(row, list) else [row]
        # Short rows leave out what most rows share: no range, the same kind and source.
        value, low, high, kind, source = [*cells, *self._usual[len(cells) :]]
        return Figure(value, kind, cited(source, self._sources), "", low, high), level

    def spread(
        self, metric: str, hardware_id: str, klass: str, engines: Sequence[str]
    ) -> tuple[SpreadRow, str] | None:
        """The interval of a metric and the level it was found at; arguments as `term`."""
        found = self._nearest(self._spreads, metric, hardware_id, klass, engines)
        return None if found is None else (SpreadRow(*found[0]), found[1])

    @staticmethod
    def _nearest(
        table: Mapping[str, Mapping[str, Any]],
        name: str,
        hardware_id: str,
        klass: str,
        engines: Sequence[str],
    ) -> tuple[Any, str] | None:
        for key, level in _scopes(hardware_id, klass, engines):
            rows = table.get(key)
            if rows is not None and name in rows:
                return rows[name], level
        return None


def _scopes(hardware_id: str, klass: str, engines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys of the tables from the special to the general, with their level.

    The machine goes before the engine: another engine's fraction on this very memory says more
    than this engine's on another machine.
    """
    chain = (*engines, ANY)
    for scope in (f"hardware:{hardware_id}", f"class:{klass}", "engine"):
        level = _LEVELS[scope.partition(":")[0]]
        for engine in chain:
            yield f"{scope}|{engine}", _NO_LEVEL if (scope, engine) == ("engine", ANY) else level


def pack(data: Mapping[str, Any], file: str) -> Packed:
    """The form the index keeps: nested tables instead of rows, for one quick look-up."""
    terms: dict[str, dict[str, list[Any]]] = {}
    for row in data["terms"]:
        key = f"{row['scope']}|{row['engine']}"
        terms.setdefault(key, {})[row["term"]] = [
            row["value"], row.get("low"), row.get("high"), row["kind"], row["source"],
        ]  # fmt: skip
    spreads: dict[str, dict[str, list[Any]]] = {}
    for row in data["spreads"]:
        key = f"{row['scope']}|{row['engine']}"
        spreads.setdefault(key, {})[row["metric"]] = [row["low"], row["high"], row.get("n", 0)]
    return {
        "file": file,
        "sources": data.get("sources", {}),
        "terms": terms,
        "spreads": spreads,
        "measured": {row["hardware"]: row["rows"] for row in data.get("measured", ())},
    }


def join(packed: Sequence[Packed]) -> Packed:
    """Several packed files as one; of two rows for one term the first that is no assumption."""
    joined: Packed = {"file": "", "sources": {}, "terms": {}, "spreads": {}, "measured": {}}
    for item in packed:
        joined["file"] = item["file"] if not joined["file"] else _SEVERAL
        joined["sources"] |= item["sources"]
        joined["measured"] |= item["measured"]
        for table in ("terms", "spreads"):
            for key, rows in item[table].items():
                under = joined[table].setdefault(key, {})
                for name, row in rows.items():
                    if name not in under or "assumed" in under[name]:
                        under[name] = row
    return joined


def shorten(packed: Packed) -> Packed:
    """Rows without the end that they share with the usual row: half the file, half the time."""
    rows = [row for table in packed["terms"].values() for row in table.values()]
    kinds = [(row[3], row[4]) for row in rows if isinstance(row[4], str)]
    kind, source = max(sorted(set(kinds)), key=kinds.count, default=("assumed", ""))
    usual = [None, None, None, kind, source]

    def short(row: list[Any]) -> Any:
        kept = list(row)
        while len(kept) > 1 and kept[-1] == usual[len(kept) - 1]:
            kept.pop()
        return kept[0] if len(kept) == 1 else kept

    terms = {
        key: {name: short(row) for name, row in table.items()}
        for key, table in packed["terms"].items()
    }
    return packed | {"terms": terms, "usual": usual}
