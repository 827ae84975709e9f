"""The package as a library: its functions, its records, and which part may import which."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
from pathlib import Path

import pytest

import spark_plan
from spark_plan.cli import main
from spark_plan.errors import (
    ContextAboveMaximumError,
    FormatNotSupportedError,
    NumberError,
    ProfileError,
    SparkPlanError,
    UnknownNameError,
    UsageError,
)
from spark_plan.result import envelope

ROOT = Path(spark_plan.__file__).parent
FUNCTIONS = ("batch", "check", "compare", "fit", "listing", "show", "where")


@pytest.fixture(autouse=True)
def _nobody_elses_profiles(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPARK_PLAN_PROFILES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def module_names():
    return [
        module.name
        for module in pkgutil.walk_packages([str(ROOT)], "spark_plan.")
        if not module.name.endswith("__main__")
    ]


def test_every_function_still_answers_when_every_module_was_imported():
    for name in module_names():
        importlib.import_module(name)

    answers = [
        spark_plan.fit("gpt-oss-120b"),
        spark_plan.compare("gpt-oss-120b", on=["dgx-spark", "rtx-pro-6000"], sort="price"),
        spark_plan.batch([{"model": "gpt-oss-120b", "batch": 2}]),
        spark_plan.listing("hardware", "spark"),
        spark_plan.show("models", "gpt-oss-120b"),
        spark_plan.check("links"),
        spark_plan.where("engines", "vllm"),
    ]

    assert [report.command for report in answers] == [
        "fit", "compare", "batch", "hardware list", "models show", "links check", "engines where",
    ]  # fmt: skip
    assert [report.exit_code for report in answers] == [0] * 7


def test_no_module_has_the_name_of_a_function():
    top = {path.stem for path in ROOT.iterdir()}

    assert set(FUNCTIONS) & top == set()
    assert set(spark_plan.__all__) == {*FUNCTIONS, "__version__"}
    assert all(inspect.isfunction(getattr(spark_plan, name)) for name in FUNCTIONS)


def test_a_result_has_the_names_of_the_json_as_attributes(capsys):
    assert main(["fit", "llama-70b", "-p", "fp4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    report = spark_plan.fit("llama-70b", precision="fp4")

    def walk(shown, record):
        if isinstance(shown, dict):
            for key, value in shown.items():
                walk(value, getattr(record, key))
        elif isinstance(shown, list):
            assert len(shown) == len(record)
            for value, item in zip(shown, record, strict=True):
                walk(value, item)
        else:
            assert shown == record

    walk(told, report)


def test_options_have_the_names_of_a_batchs_columns():
    by_name = spark_plan.fit(
        "gpt-oss-120b", hardware="rtx-pro-6000", context_tokens=16_384, batch=2, prompt_tokens="2k",
        output_tokens=100, depth_tokens=0, kv_precision="q8_0", min_tps=1, max_ttft_s=100.0,
    )  # fmt: skip
    by_row = spark_plan.batch([
        {"model": "gpt-oss-120b", "hardware": "rtx-pro-6000", "context_tokens": 16_384, "batch": 2,
         "prompt_tokens": "2k", "output_tokens": 100, "depth_tokens": 0, "kv_precision": "q8_0",
         "min_tps": 1, "max_ttft_s": 100.0},
    ])  # fmt: skip

    assert by_name.results[0].load._asdict() == by_row.results[0].load
    assert by_name.results[0].memory.total_bytes == by_row.results[0].memory["total_bytes"]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (UnknownNameError, lambda: spark_plan.fit("nosuch")),
        (UsageError, lambda: spark_plan.fit("gpt-oss-120b", colour="red")),
        (UsageError, lambda: spark_plan.fit("gpt-oss-120b", batch=0)),
        (UsageError, lambda: spark_plan.fit("gpt-oss-120b", batch=True)),
        (UsageError, lambda: spark_plan.fit("gpt-oss-120b", devices=-1)),
        (NumberError, lambda: spark_plan.fit("gpt-oss-120b", context_tokens=-1)),
        (NumberError, lambda: spark_plan.fit("gpt-oss-120b", context_tokens=float("nan"))),
        (NumberError, lambda: spark_plan.fit("gpt-oss-120b", min_tps=float("inf"))),
        (ContextAboveMaximumError, lambda: spark_plan.fit("gpt-oss-120b", context_tokens="1m")),
        (FormatNotSupportedError,
         lambda: spark_plan.fit("llama-70b", precision="fp4", hardware="m3-ultra")),
        (UsageError, lambda: spark_plan.compare("gpt-oss-120b", sort="beauty")),
        (UsageError, lambda: spark_plan.show("planets", "mars")),
        (UnknownNameError, lambda: spark_plan.where("hardware", "nosuch")),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_one_of_our_errors(error, call):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, SparkPlanError)
    assert caught.value.message
    assert caught.value.exit_code in {2, 5}


def test_a_folder_of_profiles_comes_first(tmp_path):
    folder = tmp_path / "mine" / "hardware"
    folder.mkdir(parents=True)
    (folder / "big-spark.yaml").write_text(
        "id: big-spark\nextends: dgx-spark\nname: A Spark of mine\n"
    )

    report = spark_plan.fit("gpt-oss-120b", hardware="big-spark", profiles=str(tmp_path / "mine"))

    assert report.results[0].hardware == "big-spark"
    assert report.results[0].details.hardware_name == "A Spark of mine"


def test_a_broken_folder_is_a_profile_error(tmp_path):
    folder = tmp_path / "mine" / "hardware"
    folder.mkdir(parents=True)
    (folder / "bad.yaml").write_text("id: bad\nextends: dgx-spark\nnaem: x\n")

    with pytest.raises(ProfileError) as caught:
        spark_plan.fit("gpt-oss-120b", hardware="bad", profiles=str(tmp_path / "mine"))
    assert caught.value.where.line == 3


def test_an_answer_is_a_plain_json_object():
    told = envelope(spark_plan.fit("gpt-oss-120b", why=True))

    assert json.loads(json.dumps(told, allow_nan=False)) == told


# ---- which part may import which ----

# A part of the package -> the parts of it that it may import. `errors`, `records`, `units` and
# `result` are the words all parts share.
WORDS = {"errors", "records", "units", "result"}
ALLOWED = {
    "core": {"core"},
    "render": {"render", "result", "units", "records"},
    "errors": {"records"},
    "records": set(),
    "units": {"errors"},
    "result": {"records"},
    "options": {"errors", "records", "units"},
    "catalog": {"catalog", "core", *WORDS},
    "scenario": {"scenario", "catalog", "core", "options", *WORDS},
    "plans": {"plans", "scenario", "catalog", "core", *WORDS},
}
LEAVES_OF_TERMINAL = {"cli", "__main__"}


def imports(path):
    """Every module of the package that a file imports, at its head or inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [alias.name for alias in node.names]
            yield from (f"{node.module}.{name}" for name in names)


def parts_of(path):
    found = set()
    for name in imports(path):
        pieces = name.split(".")
        if pieces[0] == "spark_plan" and len(pieces) > 1:
            found.add(pieces[1])
    return found


def part_name(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


FILES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_part_imports_only_what_lies_below_it(path):
    part, found = part_name(path), parts_of(path)

    if part in ALLOWED:
        assert found <= ALLOWED[part]
    if part not in LEAVES_OF_TERMINAL:
        assert "cli" not in found
        outside = {name.split(".")[0] for name in imports(path)}
        assert "typer" not in outside
        assert part == "render" or "rich" not in outside


@pytest.mark.parametrize("heavy", ["numpy", "rich", "yaml"])
def test_what_is_slow_to_import_is_imported_inside_the_function_that_needs_it(heavy):
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert heavy not in {name.split(".")[0] for name in names}, path
