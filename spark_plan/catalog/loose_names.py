"""Loose model names: words that start an id. Loaded when no id, alias or repository is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_plan.catalog.lookup import MAX_NAME
from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPLIT = re.compile(r"[-_\s:/]+")
_VERSION = re.compile(r"v?\d+(\.\d+)*\Z")
_SIZE = re.compile(r"(e?\d+(\.\d+)?|\d+x\d+(\.\d+)?)[bmt]\Z")
_LETTERS_VERSION = re.compile(r"([a-z]{2,})(\d+(?:\.\d+)*)\Z")
# Words that say how a release was tuned or packed, not which model it is.
SUFFIXES = frozenset(
    ("instruct", "it", "hf", "base", "chat", "pt", "bf16", "meta", "preview", "latest", "gguf")
)


class ModelKey(NamedTuple):
    """What name resolution knows of a model: when it came out, and what it was tuned from."""

    released: str
    base: str | None


def words(name: str) -> list[str]:
    """The words of a name; a version glued to a word is one of its own.

    >>> words("Llama3.3:70b"), words("gpt-oss-120b"), words("gemma-3n-e4b")
    (['llama', '3.3', '70b'], ['gpt', 'oss', '120b'], ['gemma', '3n', 'e4b'])
    """
    found: list[str] = []
    for word in _SPLIT.split(name[:MAX_NAME].lower()):
        glued = _LETTERS_VERSION.match(word)
        if glued:
            found += glued.groups()
        elif word:
            found.append(word)
    return found


def starts(asked: Sequence[str], identifier: Sequence[str]) -> bool:
    """Whether asked words start an id, versions and suffixes of the id being left out.

    >>> starts(["llama", "70b"], ["llama", "3.3", "70b", "instruct"])
    True
    >>> starts(["llama", "70b"], ["code", "llama", "70b"])
    False
    """
    rest = iter(identifier)
    for position, word in enumerate(asked):
        for candidate in rest:
            if candidate == word:
                break
            skippable = _VERSION.match(candidate) or candidate in SUFFIXES
            if not (position and skippable):
                return False
        else:
            return False
    return True


def size_of(identifier: str) -> str:
    """The size word of a name, such as ``70b``; empty without one."""
    return next((word for word in words(identifier) if _SIZE.match(word)), "")


def resolve(name: str, keys: Mapping[str, ModelKey]) -> tuple[str | None, tuple[str, ...]]:
    """The id a loose name stands for, and every candidate.

    The only candidate; else of several with one first word and size the newest dated that is no
    fine-tune. None when they differ in either or have no size to agree on, or there is none.
    """
    asked = words(name)
    if not asked:
        return None, ()
    candidates = tuple(key for key in keys if starts(asked, words(key)))
    if len(candidates) < 2:
        return next(iter(candidates), None), candidates
    sizes = {size_of(key) for key in candidates}
    if len(sizes) != 1 or "" in sizes:
        return None, candidates
    originals = [key for key in candidates if keys[key].base is None] or list(candidates)
    newest = max(keys[key].released for key in originals)
    dated = [key for key in originals if keys[key].released == newest]
    return min(dated, key=lambda key: (len(key), key)), candidates
