"""Every row of every unit table, what is refused, and how numbers are worded for a person."""

from __future__ import annotations

import math

import pytest

from spark_plan import units
from spark_plan.errors import NumberError

SIZES = {
    "1b": 1,
    "1kb": 1_000,
    "1MB": 1_000_000,
    "1 GB": 1_000_000_000,
    "1TB": 1_000_000_000_000,
    "1KiB": 1_024,
    "1MiB": 1_048_576,
    "1 GiB": 1_073_741_824,
    "1TiB": 1_099_511_627_776,
    "1.5GiB": 1_610_612_736,
    ".5gb": 500_000_000,
    "121.69 GiB": None,  # not whole: see below
}
TOKENS = {"1": 1, "1k": 1_024, "8K": 8_192, "1m": 1_048_576, "1.5k": 1_536, "0.5k": 512,
          "8,192": 8_192, "8_192": 8_192, " 128k ": 131_072}  # fmt: skip
PARAMETERS = {"7": 7, "7k": 7_000, "270M": 270_000_000, "70b": 70_000_000_000,
              "1.6T": 1_600_000_000_000, "0.6b": 600_000_000}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [(t, v) for t, v in SIZES.items() if v])
def test_a_size_is_decimal_in_gb_and_binary_in_gib(text, expected):
    assert units.parse(text, "size") == expected


@pytest.mark.parametrize(("text", "expected"), TOKENS.items())
def test_token_counts_are_binary(text, expected):
    assert units.parse(text, "tokens") == expected


@pytest.mark.parametrize(("text", "expected"), PARAMETERS.items())
def test_parameter_counts_are_decimal(text, expected):
    assert units.parse(text, "parameters") == expected


@pytest.mark.parametrize(
    ("table", "texts"),
    [(units.SIZE_BYTES, SIZES), (units.TOKENS, TOKENS), (units.PARAMETERS, PARAMETERS)],
)
def test_every_suffix_of_a_table_is_tested_here(table, texts):
    suffixes = {text.strip().lstrip("0123456789.,_ ").lower() for text in texts}

    assert set(table) <= suffixes


@pytest.mark.parametrize("kind", ["size", "tokens", "parameters"])
@pytest.mark.parametrize(
    "text",
    [
        "", " ", "k", "-1k", "+1k", "0", "0k", "0b", "nan", "inf", "1e3", "0x10", "1..2", "1.",
        "1kk", "1q", "1 k b", "٣k", "1k\n2", "9" * 50, "9" * 39 + "k", "½k", "\0",
    ],
)  # fmt: skip
def test_what_is_no_number_of_its_kind_is_refused_by_name(text, kind):
    with pytest.raises(NumberError) as caught:
        units.parse(text, kind, name="--thing")

    assert caught.value.message.startswith("--thing: ")
    assert caught.value.exit_code == 2
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(("text", "kind"), [("1.0001k", "tokens"), ("0.5", "tokens"),
                                            ("0.5b", "size")])  # fmt: skip
def test_a_fraction_of_a_token_or_byte_is_refused(text, kind):
    with pytest.raises(NumberError, match="not a whole number"):
        units.parse(text, kind)


def test_a_size_a_system_reports_need_not_be_whole_bytes():
    """A tool prints 121.69 GiB and a person copies it: no such number is whole bytes."""
    assert units.parse("121.69 GiB", "size") == pytest.approx(121.69 * 2**30, abs=1)


@pytest.mark.parametrize("text", ["128", "96"])
def test_a_size_without_its_unit_is_refused(text):
    with pytest.raises(NumberError, match="bytes with a unit") as caught:
        units.parse(text, "size")
    assert "96GiB" in caught.value.hint


@pytest.mark.parametrize(("given", "expected"), [("2.5", 2.5), (1, 1.0), (0.1, 0.1), ("1e2", 100)])
def test_a_rate_is_a_positive_number(given, expected):
    assert units.parse_rate(given, name="--min-tps") == expected


@pytest.mark.parametrize("given", ["", "x", "0", 0, "-1", "nan", math.nan, "inf", math.inf])
def test_what_is_no_positive_rate_is_refused(given):
    with pytest.raises(NumberError, match=r"^--min-tps: .* is not a positive number$"):
        units.parse_rate(given, name="--min-tps")


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [
        (units.gib, 0, "0.00"),
        (units.gib, 2**30 * 121.69, "121.69"),
        (units.gib, 2**30 * 999.99, "999.99"),
        (units.gib, 2**30 * 999.996, "1,000"),
        (units.gib, 2**30 * 1234.5, "1,234"),
        (units.gib, -(2**30) * 1234.5, "-1,234"),
        (units.gigabytes, 273e9, "273.0 GB"),
        (units.gigabytes, 1_234_567_890_123, "1,234.6 GB"),
        (units.rate, 0, "0"),
        (units.rate, 0.0123, "0.012"),
        (units.rate, 4.96, "5.0"),
        (units.rate, 9.94, "9.9"),
        (units.rate, 12.4, "12"),
        (units.rate, 123.4, "123"),
        (units.rate, 1234.0, "1,230"),
        (units.rate, 45_678.0, "45,700"),
        (units.seconds, 0.00012, "0.12 ms"),
        (units.seconds, 0.012, "12 ms"),
        (units.seconds, 0.25, "0.25 s"),
        (units.seconds, 12.4, "12 s"),
        (units.seconds, 119, "119 s"),
        (units.seconds, 120, "2.0 min"),
        (units.tokens, 1, "1"),
        (units.tokens, 1_000, "1,000"),
        (units.tokens, 1_024, "1k"),
        (units.tokens, 131_072, "128k"),
        (units.tokens, 1_048_576, "1m"),
        (units.tokens, 1_572_864, "1536k"),
        (units.parameters, 999_000_000, "999M"),
        (units.parameters, 1e9, "1.0B"),
        (units.parameters, 116_829_156_672, "116.8B"),
        (units.parameters, 1.6e12, "1600.0B"),
    ],
)
def test_a_number_is_worded_as_people_say_it(word, value, expected):
    assert word(value) == expected


@pytest.mark.parametrize("value", [9.95, 9.96, 9.999])
def test_a_rate_just_below_ten_is_not_worded_with_three_figures(value):
    assert units.rate(value) in {"9.9", "10"}
