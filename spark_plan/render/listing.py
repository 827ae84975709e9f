"""The catalogue as text: lists, one entry, faults of a file, where a profile comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan.render import keys
from spark_plan.render.layout import Cell, Look, grid, paragraph
from spark_plan.render.rich_table import Column, natural_width, table
from spark_plan.render.words import pick
from spark_plan.result import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_plan.result import Report

_DEEPEST = 12  # an entry nested deeper is written as one line
_ALWAYS = 2  # the first columns of a list say what the row is: they never fold away
# What people look a list up for, first: a narrow page drops columns from the end.
_FIRST = (
    "id", "memory_bytes", "bandwidth_bytes_per_s", "max_power_w", "price_usd", "params_total",
    "params_active", "max_context_tokens", "own_schemes", "bits", "container", "containers",
    "arithmetic", "class", "status", "released",
)  # fmt: skip


def render_listing(report: Report, look: Look, columns: Sequence[str] | None = None) -> list[str]:
    """Whatever is not a plan: the shape of the results decides how it is shown.

    Args:
        report: the report.
        look: page width, colour and characters.
        columns: keys to show of a list; None for all there is room for.
    """
    last = report.command.split()[-1] if report.command.strip() else ""
    rows = [plain(item) for item in report.results]
    if last == "check":
        lines = _faults(rows, look)
    elif not rows:
        lines = paragraph("Nothing found.", look)
    elif not all(isinstance(row, dict) for row in rows):
        lines = [line for row in rows for line in paragraph(keys.value_text("", row), look)]
    elif last == "where":
        lines = _places(rows, look)
    elif last in {"show", "detect"} and len(rows) == 1:
        lines = entry(rows[0], look)
    else:
        lines = _list([_batch_row(row) for row in rows] if last == "batch" else rows, look, columns)
    texts = dict.fromkeys(note.text for note in report.notes)
    return lines + [line for text in texts for line in ["", *paragraph(text, look, style="dim")]]


def _batch_row(row: dict[str, Any]) -> dict[str, Any]:
    """What a person reads of a batch's answer; the other formats have all of it."""
    memory, decode = row.get("memory") or {}, row.get("decode") or {}
    passed = {key: value for key, value in row.items() if key == "id" or key.startswith("_")}
    return {
        "row": row.get("row"),
        "model": row.get("model"),
        "verdict": row.get("verdict"),
        "needs_bytes": memory.get("total_bytes"),
        "decode_tokens_per_s": decode.get("tokens_per_s"),
        "error": (row.get("error") or {}).get("message"),
        **{key: row.get(key) for key in ("precision", "hardware", "engine", "batch")},
        **passed,
    }


def table_keys(rows: Sequence[dict[str, Any]], columns: Sequence[str] | None) -> list[str]:
    """The keys that are columns: those asked for, or all that hold something.

    Raises:
        ValueError: a key no row has.
    """
    names = list(dict.fromkeys(key for row in rows for key in row))
    if columns is not None:
        unknown = [name for name in columns if name not in names]
        if unknown or not columns:
            raise ValueError(f"unknown columns {unknown}: use {', '.join(names)}")
        return list(columns)
    held = [key for key in names if any(row.get(key) not in (None, [], {}, "") for row in rows)]
    return held or names


def column(key: str, rows: Sequence[dict[str, Any]]) -> Column:
    """The heading of a key; numbers stand to the right."""
    numbers = all(
        isinstance(row.get(key), (int, float)) and not isinstance(row.get(key), bool)
        for row in rows
        if row.get(key) is not None
    )
    return Column(keys.title(key), keys.unit_of(key), ">" if numbers else "<")


def _list(rows: Sequence[dict[str, Any]], look: Look, columns: Sequence[str] | None) -> list[str]:
    names = table_keys(rows, columns)
    if columns is None:
        # sorted() is stable: keys of no rank keep their order, after those that have one.
        names = sorted(names, key=lambda key: _FIRST.index(key) if key in _FIRST else len(_FIRST))
    hidden: list[str] = []
    heads = {key: column(key, rows) for key in names}
    texts = {key: [Cell(keys.value_text(key, row.get(key))) for row in rows] for key in names}
    shown = list(names)
    while columns is None and len(shown) > _ALWAYS and _width(shown, heads, texts) > look.width:
        hidden.insert(0, heads[shown[-1]].title.lower())
        shown.pop()
    if _width(shown, heads, texts) > look.width:
        shown, hidden = names, []
    cells = list(zip(*(texts[key] for key in shown), strict=True))
    lines = table([heads[key] for key in shown], cells, look)
    if hidden:
        text = f"Hidden at this width: {', '.join(hidden)} (a wider page or --json shows them)."
        lines += ["", *paragraph(text, look, style="dim")]
    return lines


def _width(names: Sequence[str], heads: dict[str, Column], texts: dict[str, list[Cell]]) -> int:
    return natural_width(
        [heads[name] for name in names], list(zip(*(texts[name] for name in names), strict=True))
    )


def entry(item: dict[str, Any], look: Look, *, depth: int = 0) -> list[str]:
    """One entry, a line a key; what is nested stands further in."""
    lines: list[str] = []
    flat: list[list[Cell]] = []
    indent = min(depth * 2, look.width // 4)

    def flush() -> None:
        lines.extend(grid(flat, "<<", look, indent=indent))
        flat.clear()

    for key, value in item.items():
        blocks = _blocks(value)
        if blocks is None or depth >= _DEEPEST:
            style = "head" if depth == 0 else ""
            flat.append([Cell(keys.title(key), style), Cell(keys.with_unit(key, value))])
            continue
        flush()
        for index, inner in enumerate(blocks):
            number = f" {index + 1}" if len(blocks) > 1 else ""
            lines += paragraph(f"{keys.title(key)}{number}", look, indent=indent, style="head")
            lines += entry(keys.nested(key, inner), look, depth=depth + 1)
    flush()
    return lines


def _blocks(value: Any) -> list[dict[str, Any]] | None:
    """The objects of a value that is worth a block of its own, or None."""
    if isinstance(value, dict) and value:
        return [value]
    if isinstance(value, list) and value and all(isinstance(v, dict) and v for v in value):
        return value
    return None


def _faults(rows: Sequence[Any], look: Look) -> list[str]:
    if not rows:
        return [look.paint("✔ nothing wrong", "good bold")]
    count = "1 fault" if len(rows) == 1 else f"{len(rows):,} faults"
    lines = [look.paint(f"✘ {count}", "bad bold")]
    for row in rows:
        places = (pick(row, "file", ""), pick(row, "line", ""), pick(row, "path", ""))
        file, line, path = map(str, places)
        head = ":".join(part for part in (file, line) if part)
        text = ": ".join(part for part in (head, path, str(pick(row, "message", ""))) if part)
        lines += paragraph(text, look, hang=2)
    return lines


def _places(rows: Sequence[dict[str, Any]], look: Look) -> list[str]:
    cells = [
        [
            Cell(str(pick(row, "id", "")), "bold"),
            Cell(str(pick(row, "origin", "")).split(":", 1)[0]),
            Cell(str(pick(row, "path", ""))),
        ]
        for row in rows
    ]
    if natural_width([Column(""), Column(""), Column("")], cells) <= look.width:
        return grid(cells, "<<<", look, indent=0)
    # A path cut in the middle cannot be copied: it has a line of its own if that helps.
    lines = []
    for name, origin, path in cells:
        lines += paragraph(f"{name.text}  {origin.text}", look, style=name.style)
        lines += paragraph(path.text, look, indent=2)
    return lines
