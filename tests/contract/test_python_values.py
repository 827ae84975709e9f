"""Wrong values from Python are our own errors, and options answer to both their names."""

from __future__ import annotations

import pytest

import spark_plan
from spark_plan.errors import UsageError


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 4}, {"engine": 7}, {"kv_precision": 8}, {"hardware": 5}, {"split": 3},
        {"min_tps": [1]}, {"headless": "no"}, {"batch": True}, {"context_tokens": {}},
        {"colour": "red"}, {"context": "8k", "context_tokens": 8192},
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_a_usage_error(options):
    with pytest.raises(UsageError):
        spark_plan.fit("gpt-oss-120b", **options)


@pytest.mark.parametrize("model", [None, 5, ["a"]])
def test_a_model_is_text(model):
    with pytest.raises(UsageError, match="model"):
        spark_plan.fit(model)


@pytest.mark.parametrize("rows", [["x"], [5]])
def test_rows_are_mappings(rows):
    with pytest.raises(UsageError, match="row 1"):
        spark_plan.batch(rows)


def test_a_key_that_is_no_text_is_an_unknown_column_of_its_row():
    (row,) = spark_plan.batch([{1: 2, "model": "gpt-oss-120b"}]).results

    assert row.exit_code == 2


def test_options_answer_to_the_name_that_is_typed_and_to_the_field():
    typed = spark_plan.fit("gpt-oss-120b", on="dgx-spark", context="32k")
    field = spark_plan.fit("gpt-oss-120b", hardware="dgx-spark", context_tokens=32768)

    assert typed.results == field.results


def test_memory_may_be_a_number_of_bytes():
    found = spark_plan.fit("gpt-oss-120b", visible_bytes=100_000_000_000)

    assert found.results[0].memory.visible_bytes == 100_000_000_000


def test_compare_takes_systems_with_commas_between():
    found = spark_plan.compare("gpt-oss-120b", on="dgx-spark,strix-halo")

    assert len(found.results) == 2
    with pytest.raises(UsageError, match="--sort"):
        spark_plan.compare("gpt-oss-120b", sort=None)


def test_the_example_of_the_readme_answers():
    report = spark_plan.fit("gpt-oss-120b", hardware="dgx-spark", context="32k")

    assert report.results[0].verdict == "fits"
