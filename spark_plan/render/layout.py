"""Plain text in columns: widths, wrapping, cells with a style, and grids that never overflow.

The fit page is laid out here and not by rich: importing rich costs four times what this page
may cost, and the page needs nothing but padding and wrapping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GAP = 2  # blank columns between two cells
_NARROWEST_NOTE = 18  # a last column narrower than this goes to a line of its own
_WIDE_FROM = 0x1100  # below it no character takes two columns, and only a few take none

# One accent a meaning: it fits, it is tight, it does not.
_ANSI = {"good": "32", "warn": "33", "bad": "31", "bold": "1", "dim": "2", "head": "1"}
_ASCII = str.maketrans(
    {
        "✔": "+", "✘": "x", "▲": "!", "\u2013": "-", "·": "|", "─": "-", "…": "~", "\u00d7": "x",
        "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": ".", "▎": ".", "▏": ".",
    }
)  # fmt: skip


class Look(NamedTuple):
    """How text may look: columns of the page, colour or not, ASCII only or not."""

    width: int
    color: bool = False
    ascii: bool = False

    def paint(self, text: str, style: str) -> str:
        """Text in a style, unchanged without colour.

        >>> Look(80).paint("FITS", "good")
        'FITS'
        """
        if not self.color or not style or not text:
            return text
        codes = ";".join(_ANSI[name] for name in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"

    def finish(self, lines: Iterable[str]) -> str:
        """The lines as one text that ends with a line break, in ASCII if need be."""
        text = "\n".join(line.rstrip() for line in lines) + "\n"
        if not self.ascii:
            return text
        return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


class Cell(NamedTuple):
    """Text and its style; the style is put on after padding, so widths stay widths."""

    text: str
    style: str = ""


def clean(text: str) -> str:
    r"""Text that cannot steer a terminal: whatever does not print becomes a question mark.

    Names and messages may come from files somebody else wrote.

    >>> clean("a\x1b[2Jb\tc")
    'a?[2Jb c'
    """
    if text.isprintable():
        return text
    spaced = " ".join(text.split())
    return "".join(char if char.isprintable() else "?" for char in spaced)


def columns_of(text: str) -> int:
    """Columns a text takes on a terminal.

    >>> columns_of("GiB"), columns_of("漢字")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    code = ord(char)
    if code < 0x300 or 0x2010 <= code < 0x2E80:
        return 1
    import unicodedata

    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if code >= _WIDE_FROM and unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """Text on lines of at most `width` columns, broken at blanks, inside a word only if it must.

    >>> wrap("running out hangs the machine", 12)
    ['running out', 'hangs the', 'machine']
    >>> wrap("https://example.org/a", 12)
    ['https://exam', 'ple.org/a']
    """
    lines, line, used = [], "", 0
    for word in clean(text).split():
        rest = word
        size = columns_of(rest)
        if line and used + 1 + size <= width:
            line, used = f"{line} {rest}", used + 1 + size
            continue
        if line:
            lines.append(line)
        while size > width:
            head = _head(rest, width)
            lines.append(head)
            rest = rest[len(head) :]
            size = columns_of(rest)
        line, used = rest, size
    if line or not lines:
        lines.append(line)
    return lines


def _head(word: str, width: int) -> str:
    used = 0
    for index, char in enumerate(word):
        used += _columns(char)
        if used > width:
            return word[: max(index, 1)]
    return word


def paragraph(
    text: str, look: Look, *, indent: int = 0, hang: int = 0, style: str = ""
) -> list[str]:
    """A wrapped paragraph; the lines after the first stand `hang` further in."""
    width = max(look.width - indent - hang, 1)
    first, *rest = wrap(text, width)
    lines = [" " * indent + look.paint(first, style)]
    return lines + [" " * (indent + hang) + look.paint(line, style) for line in rest]


def pad(cell: Cell, width: int, align: str, look: Look) -> str:
    """A cell padded to a width and then painted."""
    blank = " " * max(width - columns_of(cell.text), 0)
    painted = look.paint(cell.text, cell.style)
    return blank + painted if align == ">" else painted + blank


def grid(rows: Sequence[Sequence[Cell]], aligns: str, look: Look, *, indent: int = 2) -> list[str]:
    """Rows in columns; the last column wraps, or takes lines of its own where too little is left.

    Args:
        rows: cells, as many in each row as `aligns` has characters.
        aligns: ``<`` or ``>`` for each column.
        look: the page.
        indent: blank columns before the first.

    Returns:
        Lines no wider than the page.
    """
    if not rows:
        return []
    cleaned = [[Cell(clean(cell.text), cell.style) for cell in row] for row in rows]
    widths = [max(columns_of(row[i].text) for row in cleaned) for i in range(len(aligns) - 1)]
    fixed = indent + sum(widths) + GAP * len(widths)
    if fixed - GAP > look.width:
        return [line for row in cleaned for line in _stacked(row, look, indent)]
    room = look.width - fixed
    beside = room >= min(_NARROWEST_NOTE, max(columns_of(row[-1].text) for row in cleaned))
    lines = []
    for row in cleaned:
        head = " " * indent + (" " * GAP).join(
            pad(cell, width, align, look)
            for cell, width, align in zip(row[:-1], widths, aligns[:-1], strict=True)
        )
        lines += _with_note(head, row[-1], look, fixed if beside else 0, room, indent)
    return lines


def _with_note(head: str, note: Cell, look: Look, column: int, room: int, indent: int) -> list[str]:
    if not note.text:
        return [head]
    if column:
        first, *rest = wrap(note.text, room)
        lines = [f"{head}{' ' * GAP}{look.paint(first, note.style)}"]
        return lines + [" " * column + look.paint(line, note.style) for line in rest]
    return [head, *paragraph(note.text, look, indent=indent + 2 * GAP, style=note.style)]


def _stacked(row: Sequence[Cell], look: Look, indent: int) -> list[str]:
    """A row that is wider than the page, as a wrapped sentence: the first cell, then the others."""
    first, *rest = [cell.text.strip() for cell in row]
    others = ", ".join(text for text in rest if text and any(map(str.isalnum, text)))
    if not others:
        return paragraph(first, look, indent=indent, hang=GAP) if first else []
    return paragraph(f"{first}: {others}", look, indent=indent, hang=GAP)
