"""The YAML we accept: plain data with the traps closed, and a line for every value.

PyYAML alone reads `273e9` as text, `010` as 8, `1:30` as 90, `no` as False, and lets the second of
two equal keys win. Here numbers are numbers, only true and false are booleans, and every fault ends
in one line that says where it is. The tree is built from parser events: libyaml keeps its own stack
for them, so no nesting can exhaust ours.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from spark_plan.errors import InputFileError, ProfileError, Where
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 1 << 20
MAX_DEPTH = 40
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|nan)\Z|nan\Z|[-+]?inf(inity)?\Z", re.IGNORECASE)
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+\Z")
_MAX_DIGITS = 40


class Document(NamedTuple):
    """A parsed file: plain data, and the line (from 1) of each path such as ``$.memory[0].kind``.

    `file` is what messages call it; `location` is where it lies.
    """

    data: Any
    lines: dict[str, int]
    file: str
    location: str = ""

    def fault(self, path: str, message: str) -> ProfileError:
        """An error at a path of this document, worded ``file:line: $.path: message``."""
        line = self.lines.get(path)
        nearest = path
        while line is None and nearest not in {"$", ""}:
            shorter = re.sub(r"(\.[^.\[\]]*|\[\d+\])\Z", "", nearest)
            # A key with a bracket in it has no parent to be read from its path.
            nearest = shorter if shorter and shorter != nearest else "$"
            line = self.lines.get(nearest, 1 if nearest == "$" else None)
        return _fault(self, line or 1, message, path)


def _fault(document: Document, line: int, message: str, path: str = "$") -> ProfileError:
    return ProfileError(
        f"{document.file}:{line}: {path}: {message}",
        where=Where(document.location or document.file, line, path),
    )


def read_text(path: Path, *, limit: int = MAX_BYTES) -> str:
    """The text of a file of at most `limit` bytes.

    Raises:
        InputFileError: unreadable, too large, or not UTF-8.
    """
    name = path.name
    try:
        with path.open("rb") as stream:
            raw = stream.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputFileError(f"{path}: {reason.lower()}", where=Where(str(path))) from None
    return decode_text(raw, name, limit=limit, location=str(path))


def decode_text(raw: bytes, name: str, *, limit: int = MAX_BYTES, location: str = "") -> str:
    """Bytes as text: at most `limit` of them, UTF-8.

    Raises:
        InputFileError: too large, or not UTF-8.
    """
    where = location or name
    if len(raw) > limit:
        raise InputFileError(f"{name}: larger than {limit:,} bytes", where=Where(where))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputFileError(f"{name}:{line}: not UTF-8 text", where=Where(where, line)) from None


def load(path: Path) -> Document:
    """Read and parse one file.

    Raises:
        InputFileError: as `read_text` and `parse` do.
    """
    return parse(read_text(path), path.name, location=str(path))


def parse(text: str, file: str, *, location: str = "") -> Document:
    """Parse YAML text of our dialect.

    Raises:
        ProfileError: not valid, or something the dialect refuses, with its line.
    """
    import yaml

    document = Document({}, {"$": 1}, file, location)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = _Builder(document, yaml.parse(text, Loader=loader)).build()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise _fault(document, mark.line + 1 if mark is not None else 1, problem) from None
    except ValueError:  # text that no encoding can carry: lone surrogates
        raise _fault(document, 1, "not valid YAML") from None
    if data is None:
        raise _fault(document, 1, "the file is empty")
    return document._replace(data=data)


class _Builder:
    """Parser events -> plain data, with the line of every path."""

    def __init__(self, document: Document, events: Iterator[Any]) -> None:
        self._document = document
        self._events = events
        self._lines = document.lines

    def build(self) -> Any:
        """The one document of the stream; None where there is none."""
        data = None
        documents = 0
        for event in self._events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    raise _fault(
                        self._document, _line(event), "several documents (---): write one a file"
                    )
                data = self._value(next(self._events), "$", 0)
        return data

    def _value(self, event: Any, path: str, depth: int) -> Any:
        self._lines.setdefault(path, _line(event))
        self._refuse_indirection(event, path)
        if depth > MAX_DEPTH:
            raise self._document.fault(path, "nested too deeply")
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return self._scalar(event, path)
        if kind == "SequenceStartEvent":
            return self._sequence(path, depth)
        return self._mapping(path, depth)

    def _refuse_indirection(self, event: Any, path: str) -> None:
        if type(event).__name__ == "AliasEvent" or event.anchor is not None:
            message = "anchors and aliases (& and *) are not accepted"
            raise _fault(self._document, _line(event), message, path)
        if event.tag is not None:
            raise _fault(self._document, _line(event), "tags (!) are not accepted", path)

    def _sequence(self, path: str, depth: int) -> list[Any]:
        found: list[Any] = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            found.append(self._value(event, f"{path}[{len(found)}]", depth + 1))
        return found

    def _mapping(self, path: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            self._refuse_indirection(event, path)
            if type(event).__name__ != "ScalarEvent":
                raise _fault(self._document, _line(event), "a key must be a plain word", path)
            key = str(event.value)
            where = f"{path}.{key}"
            if key == "<<" and event.implicit[0]:
                raise _fault(self._document, _line(event), "merge keys (<<) are not accepted", path)
            if key in found:
                raise _fault(self._document, _line(event), "this key stands here twice", where)
            self._lines[where] = _line(event)
            found[key] = self._value(next(self._events), where, depth + 1)
        return found

    def _scalar(self, event: Any, path: str) -> Any:
        text = str(event.value)
        if not event.implicit[0]:  # quoted or block text is text
            return text
        if text in {"", "~", "null"}:
            return None
        if text in {"true", "false"}:
            return text == "true"
        if _NOT_FINITE.match(text):
            raise self._document.fault(path, f"{text} is not a number anyone can plan with")
        if _LEADING_ZERO.match(text):
            message = f"{text[:20]}: write numbers without leading zeros, or text in quotes"
            raise self._document.fault(path, message)
        if len(text) > _MAX_DIGITS:
            return text
        if _INT.match(text):
            return int(text)
        if _FLOAT.match(text):
            value = float(text)
            if not math.isfinite(value):
                raise self._document.fault(path, f"{text} is too large")
            return value
        return text


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
