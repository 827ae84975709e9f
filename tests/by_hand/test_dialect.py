"""The traps of YAML, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_plan.catalog import dialect
from spark_plan.errors import InputFileError, ProfileError, SparkPlanError, Where

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str):
    return dialect.parse(text, "x.yaml").data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("273e9", 273e9),
        ("1e3", 1000.0),
        ("273.0e+9", 273e9),
        ("273000000000", 273_000_000_000),
        ("-5", -5),
        (".5", 0.5),
        ("0", 0),
        ("1:30", "1:30"),
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("True", "True"),
        ("true", True),
        ("false", False),
        ("null", None),
        ("", None),
        ("Null", "Null"),
        ("2025-10-15", "2025-10-15"),
        ("2025-10-15 10:00:00", "2025-10-15 10:00:00"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("0o17", "0o17"),
        ("1.2.3", "1.2.3"),
        ("'1e3'", "1e3"),
        ('"true"', "true"),
        ("=", "="),
    ],
)
def test_a_plain_scalar_is_what_a_reader_takes_it_for(text, value):
    found = read(f"a: {text}\n")["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 010\n", "x.yaml:2: $.b: 010: write numbers without leading zeros, or text in"),
        ("a: .nan\n", "x.yaml:1: $.a: .nan is not a number anyone can plan with"),
        ("a: -.inf\n", "x.yaml:1: $.a: -.inf is not a number anyone can plan with"),
        ("a: nan\n", "x.yaml:1: $.a: nan is not a number anyone can plan with"),
        ("a: 1e999\n", "x.yaml:1: $.a: 1e999 is too large"),
        ("a: 1\nb: 2\na: 3\n", "x.yaml:3: $.a: this key stands here twice"),
        ("a:\n  b: 1\n  b: 2\n", "x.yaml:3: $.a.b: this key stands here twice"),
        ("a: &x 1\n", "x.yaml:1: $.a: anchors and aliases (& and *) are not accepted"),
        ("a: *x\n", "x.yaml:1: $.a: anchors and aliases (& and *) are not accepted"),
        ("a: !!int '3'\n", "x.yaml:1: $.a: tags (!) are not accepted"),
        ("a: !!python/object:os.system x\n", "x.yaml:1: $.a: tags (!) are not accepted"),
        ("<<: {a: 1}\n", "x.yaml:1: $: merge keys (<<) are not accepted"),
        ("? [a]\n: 1\n", "x.yaml:1: $: a key must be a plain word"),
        ("a: 1\n---\nb: 2\n", "x.yaml:2: $: several documents (---): write one a file"),
        ("", "x.yaml:1: $: the file is empty"),
        ("# only a comment\n", "x.yaml:1: $: the file is empty"),
        ("a: [1, 2\n", "x.yaml:2: $: did not find expected ',' or ']'"),
        ("a: \x01\n", "x.yaml:1: $: not valid YAML"),
    ],
)
def test_what_the_dialect_refuses_is_told_with_its_line_and_path(text, message):
    with pytest.raises(ProfileError) as caught:
        read(text)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("text", ["[" * 500_000, "[]," * 100_000, "- " * 9000, "? " * 50_000,
                                  '["]",' * 50_000, "{a: " * 50_000])  # fmt: skip
def test_nesting_that_would_exhaust_a_parser_is_refused(text):
    with pytest.raises(ProfileError):
        read(text)


def test_forty_levels_are_read_and_more_are_not():
    assert read("a: " + "[" * 39 + "]" * 39)
    with pytest.raises(ProfileError, match="nested too deeply"):
        read("a: " + "[" * 41 + "]" * 41)


def test_every_value_has_its_line():
    document = dialect.parse("a: 1\nb:\n  - c: 2\n  - d:\n      e: 3\n", "x.yaml")
    assert document.lines["$.b[1].d.e"] == 5
    assert document.lines["$.b[0]"] == 3


def test_a_fault_at_a_path_the_file_lacks_takes_the_line_of_what_holds_it():
    document = dialect.parse("a: 1\nb:\n  c: 2\n", "x.yaml", location="/home/x.yaml")
    fault = document.fault("$.b.missing", "is missing")
    assert fault.message == "x.yaml:2: $.b.missing: is missing"
    assert fault.where == Where("/home/x.yaml", 2, "$.b.missing")


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path):
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(InputFileError, match=r"x.yaml:2: not UTF-8 text"):
        dialect.load(path)


def test_a_file_above_one_mebibyte_is_refused(tmp_path: Path):
    path = tmp_path / "x.yaml"
    path.write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(InputFileError, match="larger than 1,048,576 bytes"):
        dialect.load(path)


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_a_file_that_cannot_be_read_is_an_input_file_error(tmp_path: Path, name):
    with pytest.raises(InputFileError):
        dialect.load(tmp_path / name)


def test_without_libyaml_the_answers_and_the_messages_are_the_same(monkeypatch):
    import yaml

    texts = ["a: 273e9\nb: [no, 010x]\n", "a: 010\n", "a: &x 1\n", "a: 1\na: 2\n", "[" * 3000]

    def outcome(text):
        try:
            return read(text)
        except SparkPlanError as error:
            return error.message

    with_c = [outcome(text) for text in texts]
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    pure = [outcome(text) for text in texts]
    assert pure[:-1] == with_c[:-1]
    assert all("$" in text for text in (pure[-1], with_c[-1]))  # refused by both, at other depths
