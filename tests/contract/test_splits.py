"""How a model is divided over linked machines: only as engines can, and as their links allow."""

from __future__ import annotations

import pytest

import spark_plan
from spark_plan.errors import NoAnswerError, UsageError


def plan(model="gpt-oss-120b", **options):
    return spark_plan.fit(model, **options).results[0]


@pytest.mark.parametrize(
    ("engine", "devices", "split"),
    [("vllm", 2, "tensor"), ("vllm", 3, "pipeline"), ("llama.cpp", 2, "pipeline")],
)
def test_a_plan_is_divided_as_its_engine_does_it_best_and_says_where_not_by_tensor(
    engine, devices, split
):
    found = plan(engine=engine, devices=devices)

    assert found.split == split
    assert ("split-pipeline" in found.notes) == (split == "pipeline")


@pytest.mark.parametrize("devices", [3, 5, 7])
def test_heads_that_do_not_divide_are_refused_when_tensor_is_asked_for(devices):
    with pytest.raises(NoAnswerError, match="cannot divide 64 heads"):
        plan(engine="vllm", devices=devices, split="tensor")


@pytest.mark.parametrize("engine", ["vllm", "llama.cpp"])
def test_more_devices_than_heads_and_layers_have_no_answer(engine):
    with pytest.raises(NoAnswerError, match="over 1000 devices"):
        plan(engine=engine, devices=1000)


def test_a_link_inside_a_box_is_not_slower_than_the_one_between_two_boxes():
    one = plan(hardware="h200-sxm", engine="vllm").decode.tokens_per_s
    eight = plan(hardware="h200-sxm", engine="vllm", devices=8)

    assert "link-latency-assumed" in eight.notes
    assert eight.decode.tokens_per_s > 0.9 * one


def test_a_link_the_machine_is_not_known_to_have_is_noted():
    assert "link-not-listed" in plan(devices=2, link="nvlink5").notes
    assert "link-not-listed" not in plan(devices=2, link="cx7-200g").notes


def test_a_depth_above_the_maximum_is_not_blamed_on_a_context_nobody_stated():
    with pytest.raises(UsageError, match="above the model's maximum of 131,072"):
        plan(depth_tokens="130k")


@pytest.mark.parametrize("precision", ["fp8", "bnb_int8", "int8_w8a8"])
def test_compare_replaces_eight_bit_schemes_by_q8_0(precision):
    report = spark_plan.compare("llama-70b", precision=precision, on=["strix-halo"])

    assert report.results[0].precision == "q8_0"
