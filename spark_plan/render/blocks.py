"""Bars of block characters, to an eighth of a column."""

from __future__ import annotations

_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def bar(value: float, whole: float, width: int) -> str:
    """A bar of `width` columns for the whole; whatever is above nothing shows at least an eighth.

    >>> bar(1, 2, 4), bar(1, 1000, 4), bar(0, 2, 4)
    ('██', '▏', '')
    """
    if value <= 0 or whole <= 0 or width <= 0:
        return ""
    eighths = max(round(min(value / whole, 1.0) * width * 8), 1)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8]


def rule(width: int) -> str:
    """A horizontal line.

    >>> rule(3)
    '───'
    """
    return "─" * max(width, 0)
