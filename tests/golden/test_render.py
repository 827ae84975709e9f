"""What a person can rely on in the text of an answer, whatever its numbers are."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
from golden_samples import GENERAL_TEXT, SAMPLES, plan, report

from spark_plan.render import FORMATS, compare_columns, render
from spark_plan.result import Note, envelope

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def text(name, **options):
    return render(SAMPLES[name](), **{"width": 80, "color": False, "ascii": False} | options)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("fits", "✔ FITS"),
        ("tight", "▲ TIGHT"),
        ("does_not_fit", "✘ DOES NOT FIT"),
        ("batch_32", "✔ FITS, misses a target"),
        ("no_answer", "✘ NO ANSWER"),
        ("compare", "✔ 7 of 9 fit"),
    ],
)
def test_the_first_line_is_the_verdict(name, first):
    assert text(name).startswith(first)


def test_the_second_line_is_the_reason():
    assert "113.7 GiB usable: 101.6 GiB short" in text("does_not_fit").splitlines()[1]
    assert "62.0 of 113.7 GiB usable" in text("fits").splitlines()[1]


def test_a_tight_plan_on_shared_memory_says_once_that_the_machine_can_hang():
    assert text("tight", width=200).count("hang") == 1


def test_a_plan_that_does_not_fit_has_remedies_and_no_speed():
    shown = text("does_not_fit")
    assert "Speed" not in shown
    assert "--devices 2" in shown
    assert "large loss" in shown


def test_a_machine_without_measurements_says_so_once():
    assert " ".join(text("two_pools").split()).lower().count("no public measurement") == 1


def test_memory_is_said_in_gib_and_once_in_gb():
    shown = text("fits")
    assert "66.6 GB" in shown
    assert (
        len(re.findall(r"\d GB\b(?!/s)(?! a token)", shown.replace("\n", " "))) == 2
    )  # bytes read


def test_a_note_is_printed_once_however_many_rows_it_concerns():
    notes = (Note("a", GENERAL_TEXT), Note("b", GENERAL_TEXT, (0,)))
    for name in ("fits", "compare"):
        made = SAMPLES[name]()._replace(notes=notes)
        shown = " ".join(render(made, width=80, color=False, ascii=False).split())
        assert shown.count(GENERAL_TEXT) == 1


def test_narrow_pages_lose_power_then_price_then_first_token():
    hidden = {}
    for width in range(60, 130):
        shown = text("compare", width=width)
        found = re.search(r"Hidden at this width: ([^(]*)\(", " ".join(shown.split()))
        hidden[width] = found.group(1).strip().split(", ") if found else []
    order = ["per $1,000", "power", "price", "first token", "prefill"]
    assert all(names == order[: len(names)] for names in hidden.values())
    assert hidden[129] == []


def test_columns_that_are_asked_for_are_all_shown():
    shown = text("compare", columns=["system", "power", "needs", "decode"], width=40)
    assert "Power: 95* W" in shown
    assert "Hidden" not in shown


def test_the_best_values_are_starred_without_colour_and_bold_with_it():
    assert "118 (100 \u2013 136)*" in text("compare", width=120)
    colored = text("compare", width=120, color=True)
    assert "*" not in colored
    assert re.search(r"\x1b\[1m118 ", colored)


def test_rows_that_do_not_fit_say_by_how_much_and_rows_nothing_runs_say_why():
    shown = " ".join(text("compare").split())
    assert "11.70 GiB short" in shown
    assert "nothing is known to run nvfp4 on Ryzen AI Max+ 395" in shown


def test_unknown_columns_and_formats_are_refused():
    with pytest.raises(ValueError, match="unknown columns"):
        text("compare", columns=["colour"])
    with pytest.raises(ValueError, match="unknown columns"):
        text("list", columns=["colour"])
    with pytest.raises(ValueError, match="unknown format"):
        text("fits", format="yaml")
    assert "per_joule" in compare_columns()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("format", FORMATS)
def test_every_sample_renders_in_every_format_and_ends_with_one_line_break(name, format):  # noqa: A002
    shown = text(name, format=format, why=True)
    assert not shown or (shown.endswith("\n") and not shown.endswith("\n\n"))


@pytest.mark.parametrize("name", SAMPLES)
def test_ascii_pages_are_ascii_and_as_readable(name):
    assert text(name, ascii=True, why=True).isascii()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [20, 33, 60, 80])
def test_colour_changes_nothing_but_colour(name, width):
    plain, colored = (text(name, width=width, color=color, why=True) for color in (False, True))
    assert "\x1b" not in plain
    # Stars stand for bold, and rich pads what it paints.
    bare = [line.rstrip() for line in ANSI.sub("", colored).splitlines()]
    if name != "compare":
        assert bare == plain.splitlines()


def test_hostile_names_cannot_steer_the_terminal():
    made = report(plan(model="a\x1b[2Jb\nc\u202ed", notes=()))
    for kind in ("table", "markdown"):
        shown = render(made, format=kind, width=80, color=False, ascii=False)
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_json_is_the_envelope_on_one_line():
    made = SAMPLES["does_not_fit"]()
    shown = render(made, format="json")
    assert shown.count("\n") == 1
    assert json.loads(shown) == json.loads(json.dumps(envelope(made)))


def test_a_bug_that_made_a_nan_is_not_written_as_json():
    made = report(plan(decode=plan().decode._replace(tokens_per_s=float("nan"))))
    with pytest.raises(ValueError, match="JSON"):
        render(made, format="json")


def test_the_schema_is_printed_bare():
    made = SAMPLES["show"]()._replace(command="schema")
    assert "results" not in json.loads(render(made, format="json"))


def test_jsonl_is_one_result_a_line():
    lines = render(SAMPLES["compare"](), format="jsonl").splitlines()
    assert [json.loads(line)["hardware"] for line in lines][-2:] == ["rtx-5090", "strix-halo"]


def test_csv_has_raw_units_the_same_columns_in_every_row_and_codes_of_notes():
    rows = list(csv.DictReader(io.StringIO(render(SAMPLES["compare"](), format="csv"))))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert rows[0]["memory_weights_bytes"] == str(plan().memory.weights_bytes)
    assert float(rows[0]["decode_tokens_per_s"]) == 118.0
    assert rows[4]["notes"] == "precision-substituted"
    assert rows[-1]["memory_total_bytes"] == ""
    assert rows[-1]["error"] == "nothing is known to run nvfp4 on Ryzen AI Max+ 395"
    assert not any(column.startswith(("details", "why", "remedies")) for column in rows[0])


def test_csv_joins_the_codes_of_several_notes_by_semicolons():
    shown = render(SAMPLES["tight"](), format="csv")
    assert "tight-unified;speeds-first-values" in shown


def test_an_error_is_a_message_and_one_indented_line():
    lines = text("error").splitlines()
    assert lines[0].startswith("spark-plan: unknown model 'lama-70b'.")
    assert lines[1].startswith("            `spark-plan models list 70b`")
    assert len(lines) == 2


def environment_page(code, **variables):
    """What a process that is no terminal prints."""
    kept = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "NO_COLOR", "TERM"}}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept
        | {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.pathsep.join(sys.path)}
        | variables,
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout


PAGE = """
import sys
from spark_plan.render import render
from spark_plan.result import Entry, Report
long = Report("hardware check", Entry(), (Entry(file="x", message="word " * 60),))
sys.stdout.write(render(long))
"""


def test_a_pipe_is_eighty_columns_without_colour_unless_columns_says_otherwise():
    shown = environment_page(PAGE)
    assert max(map(len, shown.splitlines())) in range(72, 81)
    assert "\x1b" not in shown
    assert max(map(len, environment_page(PAGE, COLUMNS="50").splitlines())) <= 50
    assert max(map(len, environment_page(PAGE, COLUMNS="7").splitlines())) <= 20


def test_an_output_that_is_not_utf8_gets_ascii():
    assert environment_page(PAGE, PYTHONIOENCODING="latin-1").isascii()


IMPORTED = """
import sys
from spark_plan.render import render
from spark_plan.result import Entry, Report
render({report}, format={format!r})
print(*sorted(sys.modules))
"""
NOT_FOR_JSON = {"rich", "csv", "spark_plan.render.layout", "spark_plan.render.words"}


def test_json_imports_no_table_code_and_only_tables_of_rows_import_rich():
    rows = "Report('hardware list', Entry(), (Entry(id='a', name='b'),))"
    loaded = {
        kind: set(environment_page(IMPORTED.format(report=rows, format=kind)).split())
        for kind in ("json", "markdown", "csv", "table")
    }
    assert not NOT_FOR_JSON & loaded["json"]
    assert "rich" not in loaded["markdown"] | loaded["csv"]
    assert "rich.table" in loaded["table"]


def test_the_page_of_one_plan_does_not_import_rich():
    code = "import sys\nfrom spark_plan.render import fit_table\nprint(*sys.modules)"
    loaded = set(environment_page(code).split())
    assert not {"rich", "numpy", "yaml", "typer", "csv", "dataclasses"} & loaded
