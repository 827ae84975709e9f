"""From a checked file to the records the planner reads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spark_plan.catalog import Catalog
from spark_plan.catalog.figures import Source
from spark_plan.errors import InputFileError

SHEET = Source("sheet", "https://example.com/sheet", "2026-11-30", "Data sheet")


def test_a_figure_keeps_its_value_kind_source_note_and_range(small):
    bandwidth = small.hardware("box").pools[0].bandwidth_bytes_per_s
    assert bandwidth == (273e9, "spec", (SHEET,), "peak", 270e9, None)


def test_whole_bytes_stay_integers_through_the_index(small):
    capacity = small.hardware("box").pools[0].capacity_bytes.value
    assert (capacity, type(capacity)) == (128 * 2**30, int)


def test_what_a_profile_does_not_say_is_none(small):
    box = small.hardware("box")
    assert box.load_power_w is None
    assert box.pools[0].gpu_limit_bytes is None
    assert "fp4" not in box.flops_per_s


def test_a_record_names_its_file_and_origin(small):
    assert (small.hardware("box").file, small.hardware("box").origin) == (
        "hardware/box.yaml",
        "shipped",
    )
    assert small.model("phi-4").file == "models/phi-4.yaml"


def test_an_engine_runs_what_its_first_matching_line_says(small):
    engine = small.engine("engine")
    assert engine.how("nvidia-sm121", "bf16") == "native"
    assert engine.how("apple-m3", "bf16") == "emulated"
    assert engine.how("apple-m3", "unheard-of") is None
    assert engine.how("google-tpu", "bf16") is None
    assert engine.runs[0].sources == (SHEET,)


def test_a_term_is_looked_up_from_the_machine_to_the_engine(small):
    terms = small.efficiency()

    def found(name, hardware="box", klass="spark", engines=("engine", "parent")):
        got = terms.term(name, hardware, klass, engines)
        return None if got is None else (got[0].value, got[1])

    assert found("f_w16") == (0.9, "hardware-engine")
    assert found("f_w16", hardware="other") == (0.8, "family")
    assert found("f_w16", hardware="other", klass="other") is None
    assert found("f_w8") == (0.7, "family")  # the parent on this class before the engine anywhere
    assert found("f_w8", klass="other") == (0.6, "engine")
    assert found("f_w4") == (0.5, "none")
    assert found("f_w3") is None


def test_a_term_is_a_figure_with_its_range_and_source(small):
    figure, _ = small.efficiency().term("f_w16", "box", "spark", ("engine",))
    assert (figure.low, figure.high, figure.kind) == (0.8, 0.95, "assumed")
    assert figure.sources[0].title == "A talk nobody recorded"


def test_a_spread_says_how_many_rows_stand_behind_it(small):
    row, level = small.efficiency().spread("decode", "box", "spark", ("engine",))
    assert (row.low, row.high, row.n, level) == (0.1, 0.2, 7, "family")
    assert small.efficiency().measured == {"box": 12}


def test_lists_carry_the_columns_people_compare(small):
    rows = {row["id"]: row for row in small.rows("hardware")}
    assert list(rows) == ["box", "studio"]
    assert rows["box"]["price_usd"] == 4699  # the newest
    assert rows["studio"]["price_usd"] == 5599  # of the default size
    assert rows["studio"]["memory_bytes"] == 256 * 2**30
    assert rows["studio"]["memory_options_gb"] == [48, 96, 256]
    assert {row["origin"] for row in rows.values()} == {"shipped"}
    assert [row["id"] for row in small.rows("formats")] == ["bf16", "wide"]


def test_every_kind_lists_ids_that_it_finds(small):
    for kind in ("hardware", "models", "engines", "formats", "links"):
        for key in small.ids(kind):
            assert small.where(kind, key)[0] == key


def test_the_catalogue_tells_its_data_version(small):
    assert small.data_version == "2026.1.1"


def test_a_missing_index_is_told_and_not_a_traceback(tmp_path):
    with pytest.raises(InputFileError, match="the catalogue's index is damaged"):
        Catalog(cwd=tmp_path, env={}, shipped=tmp_path)


def test_reading_what_ships_imports_nothing_heavy(shipped, tmp_path):
    code = (
        "import sys; from pathlib import Path; from spark_plan.catalog import Catalog\n"
        f"c = Catalog(cwd=Path({str(tmp_path)!r}), env={{}}, shipped=Path({str(shipped)!r}))\n"
        "c.hardware('box'); c.model('llama-70b'); c.engine('engine'); c.efficiency()\n"
        "heavy = {'yaml', 'numpy', 'rich', 'dataclasses', 'difflib', 'importlib.metadata'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
