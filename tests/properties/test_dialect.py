"""Whatever a file holds, reading it ends in data or in one of our errors."""

from __future__ import annotations

import json
import math
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from spark_plan.catalog import dialect, schema
from spark_plan.catalog.dialect import Document
from spark_plan.catalog.validation import examine
from spark_plan.errors import SparkPlanError

MARKS = st.text(alphabet="ab01-:[]{}#&*!|>?'\"%@,. \n\t~<=\\", max_size=80)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=12)
)
KEYS = sorted({key for record in schema.SCHEMAS.values() for key in record.fields})
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.sampled_from([*KEYS, "value", "kind", "source"]), st.text(max_size=8)),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
)


@given(st.one_of(st.text(max_size=200), MARKS))
def test_any_text_is_data_or_one_of_our_errors(text):
    with suppress(SparkPlanError):
        dialect.parse(text, "x.yaml")


@given(st.binary(max_size=200))
def test_any_bytes_are_data_or_one_of_our_errors(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(raw)
    with suppress(SparkPlanError):
        dialect.load(path)


@given(TREES, st.sampled_from(sorted(schema.SCHEMAS)), st.booleans())
def test_any_tree_validates_or_has_faults(tree, kind, partial):
    examine(kind, Document(tree, {"$": 1}, "x.yaml"), partial=partial)


SAFE_TEXT = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=20)


@given(
    st.dictionaries(
        SAFE_TEXT,
        st.one_of(
            SAFE_TEXT, st.booleans(), st.none(), st.integers(-(10**30), 10**30),
            st.lists(SAFE_TEXT, max_size=3),
        ),
        min_size=1,
        max_size=6,
    )
)  # fmt: skip
def test_json_text_means_what_it_means_to_json(tree):
    assert dialect.parse(json.dumps(tree, indent=1), "x.yaml").data == tree


@given(st.floats(min_value=1e-20, max_value=1e20))
def test_a_float_written_in_any_common_way_is_read_back(value):
    for text in (repr(value), f"{value:.17e}", f"{value:.17E}".replace("E+", "e")):
        found = dialect.parse(f"a: {text}", "x.yaml").data["a"]
        assert math.isclose(found, value, rel_tol=1e-12)


def test_a_key_with_a_bracket_has_the_line_of_the_file():
    fault = Document({}, {"$": 1}, "x.yaml").fault("$.odd]", "unknown key")

    assert fault.message == "x.yaml:1: $.odd]: unknown key"
