"""Every kind of answer looks exactly as it did: text at four widths, JSON, CSV, markdown.

`pytest tests/golden --update-goldens` rewrites the files; a commit that does says why.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_samples import SAMPLES

from spark_plan.render import render

EXPECTED = Path(__file__).with_name("expected")
WIDTHS = (60, 80, 100, 160)

CASES = {
    f"{name}-{width}.txt": (name, {"width": width}) for name in SAMPLES for width in WIDTHS
} | {
    "fits-80-ascii.txt": ("fits", {"width": 80, "ascii": True}),
    "compare-120-ascii.txt": ("compare", {"width": 120, "ascii": True}),
    "fits-80-color.txt": ("fits", {"width": 80, "color": True}),
    "tight-80-color.txt": ("tight", {"width": 80, "color": True}),
    "does_not_fit-80-color.txt": ("does_not_fit", {"width": 80, "color": True}),
    "compare-120-color.txt": ("compare", {"width": 120, "color": True}),
    "compare-80-columns.txt": (
        "compare",
        {"width": 80, "columns": ["system", "engine", "per_joule", "max_context"]},
    ),
    **{f"{name}.json": (name, {"format": "json"}) for name in ("fits", "compare", "error")},
    **{f"{name}.jsonl": (name, {"format": "jsonl"}) for name in ("does_not_fit", "list", "error")},
    **{f"{name}.csv": (name, {"format": "csv"}) for name in ("two_pools", "compare", "list")},
    **{
        f"{name}.md": (name, {"format": "markdown"})
        for name in ("fits", "does_not_fit", "compare", "list", "show", "check", "why")
    },
}


@pytest.mark.parametrize("file", CASES)
def test_an_answer_looks_as_it_did(file, request):
    name, options = CASES[file]
    text = render(
        SAMPLES[name](), **{"color": False, "ascii": False, "why": name == "why"} | options
    )
    path = EXPECTED / file
    if request.config.getoption("--update-goldens"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    assert path.read_bytes().decode("utf-8") == text


def test_no_golden_file_is_left_over():
    assert {path.name for path in EXPECTED.iterdir()} == set(CASES)
