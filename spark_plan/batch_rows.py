"""Many questions from a table: read it whole, answer in order, report a bad row in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spark_plan import errors, questions, result
from spark_plan.errors import InputFileError, SparkPlanError, UsageError, Where
from spark_plan.options import BATCH_FIELDS, field_of, from_row
from spark_plan.result import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spark_plan.catalog.catalog import Catalog

MAX_ROWS = 1_000_000
MAX_BYTES = 256 << 20
_PASSED = "id"
_NOT_ANSWERED = ("details", "why", "remedies")

Row = dict[str, Any]


def parse(text: str, name: str) -> tuple[list[Row], str]:
    """Rows of CSV or JSON lines, and which it was.

    Args:
        text: the file.
        name: what to call it in messages.

    Raises:
        InputFileError: not one of them, too many rows, an unknown column or one named twice.
    """
    lines = text.removeprefix("\ufeff")
    if lines.lstrip()[:1] == "{":
        return list(_json_rows(lines, name)), "jsonl"
    return list(_csv_rows(lines, name)), "csv"


def _fault(name: str, line: int, what: str, hint: str = "") -> InputFileError:
    return InputFileError(f"{name}:{line}: {what}", hint=hint, where=Where(name, line))


def _json_rows(text: str, name: str) -> Iterator[Row]:
    # Not splitlines(): a string may hold the separators that Unicode adds.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if number > MAX_ROWS:
            raise _fault(name, number, f"more than {MAX_ROWS:,} rows")
        try:
            row = json.loads(line, parse_constant=_refuse, parse_float=_finite)
            if "\\u" in line:  # an escape can spell half a character, which nothing can write
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise _fault(name, number, "not a JSON object on one line")
        _columns(list(row), name, number)
        yield row


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    return value if abs(value) < float("inf") else _refuse(text)


def _csv_rows(text: str, name: str) -> Iterator[Row]:
    import csv
    import io

    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = next((row for row in reader if any(cell.strip() for cell in row)), None)
        if header is None:
            raise _fault(name, 1, "the file is empty", "the first line names the columns")
        header = [cell.strip() for cell in header]
        _columns(header, name, reader.line_num)
        for count, row in enumerate(reader, 1):
            if count > MAX_ROWS:
                raise _fault(name, reader.line_num, f"more than {MAX_ROWS:,} rows")
            if not any(cell.strip() for cell in row):
                continue
            found: Row = dict(zip(header, (cell.strip() for cell in row), strict=False))
            if len(row) != len(header):
                found[_BROKEN] = f"{len(row)} cells in a row of {len(header)} columns"
            yield found
    except csv.Error as error:
        raise _fault(name, reader.line_num, f"not CSV: {error}") from None


_BROKEN = "\0broken"


def _columns(names: list[str], name: str, line: int) -> None:
    """Refuse unknown columns and two spellings of one before any row is answered."""
    seen: dict[str, str] = {}
    for column in names:
        if column == _PASSED or column.startswith("_"):
            continue
        field = field_of(column)
        if field is None:
            from spark_plan.catalog.near import near

            guess = near(column[:60], BATCH_FIELDS, most=1)
            also = f" (did you mean {guess[0]}?)" if guess else ""
            raise _fault(
                name, line, f"unknown column {column[:60]!r}{also}",
                f"columns: {', '.join(BATCH_FIELDS)}; id and _anything pass through",
            )  # fmt: skip
        if field in seen:
            raise _fault(name, line, f"columns {seen[field]!r} and {column!r} are the same option")
        seen[field] = column


def answer(catalog: Catalog, rows: Iterable[Mapping[str, Any]]) -> result.Report:
    """The report of a batch: result i answers row i; `row` counts from 1."""
    results: list[Any] = []
    cited: dict[tuple[str, str], result.Citation] = {}
    notes: dict[str, tuple[str, list[int]]] = {}
    for number, row in enumerate(rows, 1):
        if not hasattr(row, "items"):
            raise UsageError(f"row {number} is no mapping of option names to values")
        row = {str(key): value for key, value in row.items()}  # noqa: PLW2901 - the same row
        passed = {k: v for k, v in row.items() if k == _PASSED or str(k).startswith("_")}
        head = Entry({"row": number} | passed)
        try:
            report = questions.fit(catalog, _options(row), brief=True)
        except SparkPlanError as error:
            failed = result.plain(questions.error_result(error))
            results.append(head | {"exit_code": error.exit_code, "error": failed})
            continue
        for citation in report.citations:
            cited.setdefault((citation.quantity, citation.profile), citation)
        for note in report.notes:
            notes.setdefault(note.code, (note.text, []))[1].append(number - 1)
        answered = result.plain(report.results[0])
        for key in _NOT_ANSWERED:
            answered.pop(key, None)
        results.append(head | answered | {"error": None})
    bad = any(row["exit_code"] == errors.EXIT_USAGE for row in results)
    return result.Report(
        command="batch",
        request=Entry(rows=len(results)),
        results=tuple(Entry(row) for row in results),
        notes=tuple(
            result.Note(code, text, None if len(where) == len(results) else tuple(where))
            for code, (text, where) in notes.items()
        ),
        citations=tuple(cited.values()),
        exit_code=errors.EXIT_USAGE if bad else errors.EXIT_OK,
        data_version=catalog.data_version,
    )


def _options(row: Mapping[str, Any]) -> Any:
    if _BROKEN in row:
        raise UsageError(str(row[_BROKEN]))
    fields: Row = {}
    for column, value in row.items():
        if column == _PASSED or column.startswith("_"):
            continue
        field = field_of(column)
        if field is None:
            raise UsageError(f"unknown column {column[:60]!r}")
        fields[field] = value
    return from_row(fields)
