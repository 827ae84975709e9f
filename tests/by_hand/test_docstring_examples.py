"""Every example in a docstring gives the number it shows: formulas with a pencil's check."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import spark_plan

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(spark_plan.__path__, "spark_plan.")
    if not module.name.endswith("__main__")
)
CORE = [name for name in MODULES if name.startswith("spark_plan.core.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", CORE)
def test_every_public_formula_has_an_example(name):
    module = importlib.import_module(name)
    formulas = [
        value
        for key, value in vars(module).items()
        if callable(value) and not key.startswith("_") and value.__module__ == name
    ]

    assert [f.__name__ for f in formulas if ">>>" not in (f.__doc__ or "")] == []
