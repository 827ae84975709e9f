"""Names near to one that does not exist. difflib is loaded only when somebody mistyped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def near(name: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """The known names most like `name`, best first.

    >>> near("bandwith", ["bandwidth", "latency"])
    ('bandwidth',)
    """
    import difflib

    return tuple(difflib.get_close_matches(name, list(known), n=most, cutoff=cutoff))
