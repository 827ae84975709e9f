"""`extends: dgx-spark`: a profile that says only what differs from another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from spark_plan.catalog import dialect
from spark_plan.catalog.validation import examine, most_telling

if TYPE_CHECKING:
    from pathlib import Path

    from spark_plan.catalog.coherence import Known
    from spark_plan.catalog.dialect import Document
    from spark_plan.errors import ProfileError

MAX_EXTENDS = 8
# What a profile is called is its own: an overlay that inherited these would stand for its base.
_NOT_INHERITED = frozenset({"id", "aliases", "extends", "default_source", "default_kind"})


class Bases(Protocol):
    """Where the profile lies that another one extends."""

    def base(self, kind: str, base_id: str, path: Path) -> Path | dict[str, Any] | None:
        """The file of `base_id` as seen from `path`, or its checked tree; None: there is none."""


def read_profile(kind: str, path: Path, bases: Bases, known: Known | None = None) -> dict[str, Any]:
    """A profile from its file, `extends` resolved and everything checked.

    Raises:
        InputFileError: the file cannot be read, or its first fault (ProfileError).
    """
    data, faults = examine_profile(kind, path, bases, known)
    if faults:
        raise most_telling(faults)
    return data


def examine_profile(
    kind: str, path: Path, bases: Bases, known: Known | None = None
) -> tuple[dict[str, Any], list[ProfileError]]:
    """As `read_profile`, with every fault that can be told apart.

    Raises:
        InputFileError: the file cannot be read or parsed, or what it extends is faulty.
    """
    return _examine(kind, path, bases, known, ())


def _examine(
    kind: str, path: Path, bases: Bases, known: Known | None, chain: tuple[Path, ...]
) -> tuple[dict[str, Any], list[ProfileError]]:
    document = dialect.load(path)
    data = document.data
    if not isinstance(data, dict):
        return {}, [document.fault("$", "a profile is a mapping of keys to values")]
    if data.setdefault("id", path.stem) != path.stem:
        return {}, [document.fault("$.id", f"must be the file's name, {path.stem!r}")]
    if "extends" not in data:
        return examine(kind, document, known=known)
    own, faults = examine(kind, document, partial=True)
    if faults:
        return {}, faults
    base = _base_tree(kind, path, document, bases, chain)
    merged = merge({k: v for k, v in base.items() if k not in _NOT_INHERITED}, own)
    for key in ("extends", "default_source", "default_kind"):
        merged.pop(key, None)  # resolved: every figure is whole by now
    return examine(kind, document._replace(data=merged), known=known)


def _base_tree(
    kind: str, path: Path, document: Document, bases: Bases, chain: tuple[Path, ...]
) -> dict[str, Any]:
    base_id = document.data["extends"]
    found = bases.base(kind, base_id, path)
    if found is None:
        raise document.fault("$.extends", f"there is no {base_id!r} to extend")
    if isinstance(found, dict):
        return found
    chain = (*chain, path)
    if found in chain:
        circle = " -> ".join([*(step.stem for step in chain), found.stem])
        raise document.fault("$.extends", f"profiles extend each other in a circle: {circle}")
    if len(chain) >= MAX_EXTENDS:
        raise document.fault("$.extends", f"more than {MAX_EXTENDS} profiles extend one another")
    tree, faults = _examine(kind, found, bases, None, chain)
    if faults:
        raise most_telling(faults)
    return tree


def merge(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """An overlay on its base: maps merge by key; lists, figures and plain values replace.

    A figure is one thing: a new value must not keep the note or the range of the old.

    >>> merge({"a": {"x": 1, "y": 2}, "b": [1]}, {"a": {"y": 3}, "b": [2]})
    {'a': {'x': 1, 'y': 3}, 'b': [2]}
    """
    merged = dict(base)
    for key, value in own.items():
        under = merged.get(key)
        deep = isinstance(value, dict) and isinstance(under, dict) and "value" not in value
        merged[key] = merge(under, value) if deep else value  # type: ignore[arg-type]
    return merged
