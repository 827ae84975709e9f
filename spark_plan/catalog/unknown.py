"""The error of a name nobody knows: near names, and where to look. Loaded only to be raised."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from spark_plan.catalog.lookup import fold
from spark_plan.catalog.loose_names import size_of, words
from spark_plan.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable

_SINGULAR = {
    "hardware": "system",
    "models": "model",
    "engines": "engine",
    "formats": "precision",
    "links": "link",
}
_HINTS = {
    "models": "; a profile of your own can add to it.",
    "hardware": "; a profile of your own can add to it.",
}
_MOST_CANDIDATES = 12
_LONGEST_ECHO = 60
_LONGEST_COMPARED = 80
_MOST_WORDS = 8
_ALIKE = 0.6


def unknown(
    kind: str, name: str, candidates: tuple[str, ...], spoken: Iterable[tuple[str, str]]
) -> UnknownNameError:
    """An error that names what was typed, what may have been meant, and the command that lists.

    Args:
        kind: of the catalogue.
        name: what was typed.
        candidates: ids it could stand for, where they are too many.
        spoken: every name of the kind as people write it, with the id it means.
    """
    shown = repr(name if len(name) <= _LONGEST_ECHO else name[:_LONGEST_ECHO] + "...")
    guesses = candidates[:_MOST_CANDIDATES] or suggestions(name, spoken)
    what = (
        f"{shown} could be several models." if candidates else f"unknown {_SINGULAR[kind]} {shown}."
    )
    guess = f" Did you mean {', '.join(guesses)}?" if guesses else ""
    size = size_of(name) if kind == "models" else ""
    command = " ".join(["spark-plan", kind, "list", *([size] if size else [])])
    hint = f"`{command}` shows what the catalogue has{_HINTS.get(kind, '')}"
    return UnknownNameError(what + guess, hint=hint, suggestions=guesses)


def suggestions(name: str, spoken: Iterable[tuple[str, str]], *, most: int = 3) -> tuple[str, ...]:
    """Names near to one that is not known, best first, one for each way of writing it.

    A name is near as a whole, or word by word: ``lama-70b`` has both words of
    ``llama-3.3-70b-instruct``, the first nearly.
    """
    from difflib import SequenceMatcher

    @cache
    def alike(one: str, other: str) -> float:
        matcher = SequenceMatcher(None, one, other)
        return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0

    asked, asked_words = fold(name)[:_LONGEST_COMPARED], words(name)[:_MOST_WORDS]
    scores: dict[str, tuple[float, float, str]] = {}
    for text, _ in spoken:
        whole = alike(asked, fold(text))
        own = words(text)
        each = [max((alike(word, other) for other in own), default=0.0) for word in asked_words]
        by_word = sum(each) / len(each) if each else 0.0
        score = max(whole, by_word)
        if score >= _ALIKE:
            scores.setdefault(fold(text), (-score, -whole, text))
    return tuple(text for _, _, text in sorted(scores.values())[:most])
