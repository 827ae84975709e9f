# Everything a developer runs. `make` alone lists the targets.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help setup index goldens lint types test benchmark ci clean

help:  ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(BIN)/spark-plan: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

setup: $(BIN)/spark-plan  ## Make .venv with the program (editable) and what its tests need.

index: setup  ## Build profiles/index/ again after a change in profiles/.
	$(BIN)/python tools/build_index.py

goldens: setup  ## Write the expected output again; read the difference before you commit it.
	$(BIN)/python -m pytest tests/golden --update-goldens

lint: setup  ## Style of the code.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup  ## Types of the code.
	$(BIN)/mypy

test: setup  ## The whole test suite, offline.
	$(BIN)/python -m pytest

benchmark: setup  ## Start-up against an empty Python: ratios, and whether they keep their limits.
	$(BIN)/python benchmarks/startup.py

ci:  ## What a change must pass: lint, types, and the tests against a built wheel.
	.ci/run

clean:  ## Remove what the targets made.
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
