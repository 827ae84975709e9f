"""What is installed: the data inside the wheel, nothing of the checkout, and few dependencies."""

from __future__ import annotations

import os
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import spark_plan
from spark_plan.catalog import Catalog

WHEEL = os.environ.get("SPARK_PLAN_WHEEL")
needs_wheel = pytest.mark.skipif(WHEEL is None, reason="SPARK_PLAN_WHEEL names no wheel")


@pytest.fixture
def names():
    with zipfile.ZipFile(WHEEL) as archive:
        return archive.namelist()


@needs_wheel
def test_the_wheel_carries_profiles_and_their_index(names):
    folders = {name.split("/")[2] for name in names if name.startswith("spark_plan/profiles/")}

    assert {"hardware", "models", "engines", "links", "efficiency", "index"} <= folders
    assert "spark_plan/profiles/formats.yaml" in names
    assert "spark_plan/profiles/hardware/dgx-spark.yaml" in names


@needs_wheel
def test_the_wheel_carries_the_package_its_licence_and_nothing_else(names):
    tops = {name.split("/")[0] for name in names}

    assert tops == {"spark_plan", f"spark_plan-{spark_plan.__version__}.dist-info"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert "spark_plan/py.typed" in names


@needs_wheel
def test_the_package_under_test_is_the_installed_one():
    assert "site-packages" in Path(spark_plan.__file__).parts


def test_the_program_needs_four_libraries():
    try:
        required = metadata.requires("spark-plan") or []
    except metadata.PackageNotFoundError:
        pytest.skip("run from a checkout that is not installed")
    plain = {line.split(">")[0].split("<")[0].strip() for line in required if "extra" not in line}

    assert plain == {"typer", "rich", "numpy", "pyyaml"}


def test_the_catalogue_answers_from_where_it_is_installed():
    assert Catalog().hardware("gb10").id == "dgx-spark"
