"""Which precision and engine a question resolves to, on machines of every make.

The order of engines and the ladder of precisions are part of the contract: scripts rely on them.
"""

from __future__ import annotations

import pytest

import spark_plan
from spark_plan.errors import NoAnswerError

MACHINES = ("dgx-spark", "rtx-5090", "m3-ultra", "strix-halo", "h100-sxm")
NOTHING = None  # no engine runs it there: exit 5 with what runs
EXPECTED = {
    ("llama-70b", "auto"): (
        ("fp8_per_tensor", "vllm", "fits"),
        ("q4_k_m", "llama.cpp", "does_not_fit"),
        ("bf16", "mlx", "fits"),
        ("q8_0", "llama.cpp", "fits"),
        ("fp8_per_tensor", "vllm", "fits"),
    ),
    ("llama-70b", "fp4"): (
        ("nvfp4", "vllm", "fits"),
        ("nvfp4", "vllm", "does_not_fit"),
        NOTHING,
        NOTHING,
        ("nvfp4", "vllm", "fits"),
    ),
    ("llama-70b", "q4_k_m"): (
        ("q4_k_m", "llama.cpp", "fits"),
        ("q4_k_m", "llama.cpp", "does_not_fit"),
        ("q4_k_m", "llama.cpp", "fits"),
        ("q4_k_m", "llama.cpp", "fits"),
        ("q4_k_m", "llama.cpp", "fits"),
    ),
    ("llama-70b", "fp8"): (
        ("fp8_per_tensor", "vllm", "fits"),
        ("fp8_per_tensor", "vllm", "does_not_fit"),
        NOTHING,
        NOTHING,
        ("fp8_per_tensor", "vllm", "fits"),
    ),
    ("llama-70b", "bf16"): (
        ("bf16", "vllm", "does_not_fit"),
        ("bf16", "vllm", "does_not_fit"),
        ("bf16", "mlx", "fits"),
        ("bf16", "vllm", "does_not_fit"),
        ("bf16", "vllm", "does_not_fit"),
    ),
    ("gpt-oss-120b", "auto"): (
        ("mxfp4", "llama.cpp", "fits"),
        ("mxfp4", "llama.cpp", "does_not_fit"),
        ("mxfp4", "llama.cpp", "fits"),
        ("mxfp4", "llama.cpp", "fits"),
        ("mxfp4", "llama.cpp", "fits"),
    ),
    ("qwen3.5-35b-a3b", "auto"): (
        ("bf16", "vllm", "fits"),
        ("q6_k", "llama.cpp", "fits"),
        ("bf16", "mlx", "fits"),
        ("bf16", "vllm", "fits"),
        ("bf16", "vllm", "fits"),
    ),
}
CASES = [
    (model, precision, machine, expected)
    for (model, precision), row in EXPECTED.items()
    for machine, expected in zip(MACHINES, row, strict=True)
]


@pytest.mark.parametrize(("model", "precision", "machine", "expected"), CASES)
def test_a_question_resolves_to_one_precision_and_engine(model, precision, machine, expected):
    if expected is NOTHING:
        with pytest.raises(NoAnswerError, match="no engine is known to run") as caught:
            spark_plan.fit(model, precision=precision, hardware=machine)
        assert caught.value.exit_code == 5
        assert "q4_k_m" in caught.value.hint or "bf16" in caught.value.hint
        return

    found = spark_plan.fit(model, precision=precision, hardware=machine).results[0]

    assert (found.precision, found.engine, found.verdict) == expected


def test_an_emulated_format_answers_and_says_so():
    found = spark_plan.fit("llama-70b", precision="fp4", hardware="h100-sxm").results[0]

    assert "emulated-format" in found.notes


def test_compare_replaces_what_nothing_runs_there_and_fit_does_not():
    report = spark_plan.compare("llama-70b", precision="fp4", on=["dgx-spark", "m3-ultra"])

    found = [
        (result.precision, "precision-substituted" in result.notes) for result in report.results
    ]
    assert sorted(found) == [("nvfp4", False), ("q4_k_m", True)]
