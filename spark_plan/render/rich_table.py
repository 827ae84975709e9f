"""Tables of many rows, drawn by rich; imported only once there is such a table to draw."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from spark_plan.records import NamedTuple
from spark_plan.render.layout import GAP, Cell, Look, clean, columns_of, paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

_RICH_STYLES = {
    "": "", "good": "green", "warn": "yellow", "bad": "red", "bold": "bold", "dim": "dim",
    "head": "bold",
}  # fmt: skip


class Column(NamedTuple):
    """A column: heading, the unit under it, and where its cells stand."""

    title: str
    unit: str = ""
    align: str = "<"


def natural_width(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> int:
    """Columns of a terminal the table takes with nothing wrapped."""
    total = 0
    for index, column in enumerate(columns):
        texts = [column.title, column.unit, *(clean(row[index].text) for row in rows)]
        total += max(map(columns_of, texts)) + GAP
    return max(total - GAP, 0)


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], look: Look) -> list[str]:
    """A table as lines; where the page is too narrow for it, a block of lines for each row.

    A table squeezed below its natural width would break numbers in two, so it is not squeezed.
    """
    if natural_width(columns, rows) > look.width:
        return _blocks(columns, rows, look)
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    for column in columns:
        head = Text(column.title, style="bold" if look.color else "")
        if any(column.unit for column in columns):
            head.append(f"\n{column.unit}", style="not bold dim" if look.color else "")
        drawn.add_column(head, justify="right" if column.align == ">" else "left", no_wrap=True)
    for row in rows:
        drawn.add_row(*(Text(clean(cell.text), _style(cell.style, look)) for cell in row))
    page = io.StringIO()
    # Width and height stated, or rich asks the terminal; everything else off that it would guess.
    console = Console(
        file=page,
        width=look.width,
        height=len(rows) + 9,
        color_system="standard" if look.color else None,
        force_terminal=look.color,
        force_jupyter=False,
        no_color=not look.color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(drawn)
    return [line.rstrip() for line in page.getvalue().splitlines()]


def _style(names: str, look: Look) -> str:
    return " ".join(_RICH_STYLES[name] for name in names.split()) if look.color else ""


def _blocks(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], look: Look) -> list[str]:
    lines: list[str] = []
    for row in rows:
        first, *rest = row
        if lines:
            lines.append("")
        lines += paragraph(first.text, look, hang=GAP, style="bold")
        for column, cell in zip(columns[1:], rest, strict=True):
            if cell.text.strip():
                unit = f" {column.unit}" if column.unit and any(map(str.isdigit, cell.text)) else ""
                name = f"{column.title}: " if column.title else ""
                text = f"{name}{cell.text.strip()}{unit}"
                lines += paragraph(text, look, indent=GAP, hang=GAP, style=cell.style)
    return lines
