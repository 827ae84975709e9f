"""The profiles that ship: sound, and read from an index that says what their YAML says."""

from __future__ import annotations

import pytest

from spark_plan.catalog import Catalog, index, search_path
from spark_plan.catalog.catalog import KINDS


@pytest.fixture(scope="module")
def built():
    return index.build(search_path.shipped_root())


@pytest.fixture
def catalog(tmp_path):
    return Catalog(cwd=tmp_path, env={})


def test_no_shipped_profile_has_a_fault(built):
    assert [fault.message for fault in built.faults] == []


def test_the_index_is_fresh(built):
    stale = index.stale(search_path.shipped_root(), built)
    assert stale == [], "run tools/build_index.py"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "formats"])
def test_every_id_decodes_and_is_what_its_name_says(catalog, kind):
    decode = {
        "hardware": catalog.hardware,
        "models": catalog.model,
        "engines": catalog.engine,
        "links": catalog.link,
    }[kind]
    for key in catalog.ids(kind):
        assert decode(key).id == key


@pytest.mark.parametrize("kind", KINDS)
def test_every_listed_alias_means_its_own_profile(catalog, kind):
    for row in catalog.rows(kind):
        for alias in row["aliases"]:
            assert catalog.where(kind, alias)[0] == row["id"]
