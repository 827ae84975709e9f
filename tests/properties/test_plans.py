"""Whatever model, precision, machine and load: plans are monotone, limits exact, answers sound."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from spark_plan import questions
from spark_plan.catalog import Catalog
from spark_plan.core.budget import DOES_NOT_FIT
from spark_plan.errors import NoAnswerError, UsageError
from spark_plan.options import Options
from spark_plan.planning import plan
from spark_plan.plans import limits, llm
from spark_plan.render import render

CATALOG = Catalog(env={})
TEXT = [key for key in CATALOG.ids("models") if CATALOG.model(key).task in {"llm", "vlm"}]
MACHINES = ["dgx-spark", "rtx-5090", "rtx-pro-6000", "m3-ultra", "strix-halo", "h100-sxm",
            "h200-sxm", "jetson-thor", "cpu-epyc-9005-12ch", "mi300x", "m4-max-40c",
            "dgx-station-gb300"]  # fmt: skip
PRECISIONS = ["auto", "fp4", "fp8", "bf16", "q8_0", "q4_k_m", "q2_k", "mlx_4bit",
              "awq_int4_g128"]  # fmt: skip
# One set of profiles serves every example: hypothesis need not reset it.
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
CONTEXTS = st.integers(8, 2**17)
BATCHES = st.integers(1, 64)
# The rounding of a sum of float64s: far below a byte in 10^12.
LAST_BITS = 1e-12


def asked(draw, **more):
    return Options(
        draw(st.sampled_from(TEXT)),
        precision=draw(st.sampled_from(PRECISIONS)),
        hardware=draw(st.sampled_from(MACHINES)),
        beyond_max=True,
        **more,
    )


def planned(options):
    """The plan, or no example where the contract says there is no answer."""
    try:
        return plan(CATALOG, options)
    except (UsageError, NoAnswerError):
        reject()


@FEW
@given(st.data(), CONTEXTS, st.integers(0, 2**16), BATCHES, st.integers(0, 64))
def test_memory_never_shrinks_with_context_or_batch(data, context, more, batch, also):
    scenario = planned(asked(data.draw)).scenario

    def total(tokens, sequences):
        return llm.memory(scenario, context_tokens=tokens, batch=sequences).total_bytes

    assert total(context + more, batch) >= total(context, batch)
    assert total(context, batch + also) >= total(context, batch)


@FEW
@given(st.data())
def test_two_devices_hold_less_each_than_one_alone(data):
    options = asked(data.draw)
    split = data.draw(st.sampled_from(["tensor", "pipeline"]))
    alone = planned(options).scenario
    shared = planned(
        options._replace(
            devices=2, link="cx7-200g", split=split, precision=alone.choice.scheme.id,
            engine=alone.choice.engine.id,
        )
    ).scenario  # fmt: skip

    one, two = (llm.memory(s, context_tokens=8192, batch=1) for s in (alone, shared))
    assert one.weights_bytes / 2 <= two.weights_bytes * (1 + LAST_BITS)
    assert two.weights_bytes < one.weights_bytes
    assert two.kv_cache_bytes <= one.kv_cache_bytes


@FEW
@given(st.data(), st.integers(1, 16))
def test_the_largest_context_fits_and_a_block_more_does_not(data, batch):
    scenario = planned(asked(data.draw, batch=batch)).scenario
    most, capacity = limits.max_context_tokens(scenario), limits.capacity_bytes(scenario)
    block = int(scenario.engine_memory.block_tokens)

    def total(tokens):
        return llm.memory(scenario, context_tokens=tokens, batch=batch).total_bytes

    assert 0 <= most <= scenario.architecture.max_context_tokens
    if most:
        assert total(most) <= capacity
    if most < scenario.architecture.max_context_tokens:
        assert total(most + block) > capacity


@FEW
@given(st.data(), st.integers(10, 14))
def test_the_largest_batch_fits_and_one_more_does_not(data, power):
    scenario = planned(asked(data.draw, context_tokens=2**power)).scenario
    most, capacity = limits.max_batch(scenario), limits.capacity_bytes(scenario)

    def total(batch):
        return llm.memory(scenario, context_tokens=2**power, batch=batch).total_bytes

    assert most == 0 or total(most) <= capacity
    assert most == limits.LARGEST_BATCH or total(most + 1) > capacity


@FEW
@given(st.data(), BATCHES, st.integers(0, 2**17), st.integers(0, 2**17))
def test_a_decode_step_is_never_faster_with_more_behind_it(data, batch, depth, more):
    scenario = planned(asked(data.draw)).scenario
    shallow, deep = (
        llm.decode_step(scenario, depth_tokens=tokens, batch=batch)
        for tokens in (depth, depth + more)
    )

    assert deep.total_s >= shallow.total_s * (1 - LAST_BITS)
    assert deep.read_bytes >= shallow.read_bytes
    assert min(shallow[:-1]) >= 0


@FEW
@given(st.data(), BATCHES)
def test_more_sequences_never_make_a_step_shorter_nor_read_less(data, batch):
    scenario = planned(asked(data.draw)).scenario
    few, many = (
        llm.decode_step(scenario, depth_tokens=1000, batch=count) for count in (batch, 2 * batch)
    )

    assert many.read_bytes >= few.read_bytes
    if batch > 1:  # the kernels of one sequence are not those of several
        assert many.total_s >= few.total_s


@FEW
@given(st.data())
def test_no_step_reads_faster_than_the_memory_can(data):
    found = planned(asked(data.draw))
    scenario = found.scenario
    per_device = scenario.machine.bandwidth_bytes_per_s

    assert found.estimate.step.total_s > found.estimate.step.read_bytes / per_device


@FEW
@given(st.data())
def test_more_devices_never_read_more_nor_lose_bytes(data):
    scenario = planned(asked(data.draw)).scenario
    held = scenario.weights

    assert held.matrix_bytes + held.vector_bytes == held.resident_bytes
    read = sum(part.size_bytes for part in (*held.dense, *held.experts, *held.head))
    assert 0 < read <= held.resident_bytes
    assert sum(held.by_format.values()) == held.resident_bytes


def ordered(*values):
    return list(values) == sorted(values)


@FEW
@given(st.data(), st.integers(1, 40), st.integers(0, 12), st.sampled_from([1, 2]))
def test_every_answer_is_sound_and_every_renderer_writes_it(data, batch, kilotokens, devices):
    options = asked(
        data.draw, batch=batch, depth_tokens=kilotokens * 1024, devices=devices,
        link=None if devices == 1 else "cx7-200g",
    )  # fmt: skip
    try:
        report = questions.fit(CATALOG, options)
    except (UsageError, NoAnswerError):
        return
    (found,) = report.results

    memory, decode, prefill = found.memory, found.decode, found.prefill
    parts = ("weights_bytes", "kv_cache_bytes", "state_bytes", "activations_bytes", "engine_bytes")
    assert all(getattr(memory, part) >= 0 for part in parts)
    assert memory.total_bytes == sum(getattr(memory, part) for part in parts)
    assert memory.free_bytes == memory.usable_bytes - memory.total_bytes
    assert (found.verdict == DOES_NOT_FIT) == (memory.free_bytes < 0) == (found.exit_code == 3)
    if found.verdict == DOES_NOT_FIT:
        assert decode.tokens_per_s is None
        assert prefill.ttft_s is None
        assert found.limits.max_batch < batch
        assert found.limits.max_context_tokens < found.load.context_tokens
    else:
        assert memory.reserved_bytes >= memory.total_bytes
        assert found.limits.max_batch >= batch
        assert found.limits.max_context_tokens >= min(
            found.load.context_tokens, CATALOG.model(found.model).architecture.max_context_tokens
        )
        assert ordered(0, decode.low, decode.tokens_per_s, decode.high)
        assert found.decode_at_full.tokens_per_s <= decode.tokens_per_s * (1 + LAST_BITS)
        if prefill.tokens_per_s is not None:
            assert ordered(0, prefill.low, prefill.tokens_per_s, prefill.high)
            assert ordered(0, prefill.ttft_s_low, prefill.ttft_s, prefill.ttft_s_high)
        assert decode.bound is not None

    told = json.loads(render(report, format="json"))
    assert told["results"][0]["memory"]["total_bytes"] == memory.total_bytes
    (row,) = csv.DictReader(io.StringIO(render(report, format="csv")))
    assert row["memory_total_bytes"] == str(memory.total_bytes)
    assert json.loads(render(report, format="jsonl"))["verdict"] == found.verdict
    for form in ("table", "markdown"):
        text = render(report, format=form)
        assert text.strip()
        assert "nan" not in text.lower().split()


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["gpt-oss-120b", "llama-70b", "qwen3.5-35b-a3b"]),
    st.lists(st.sampled_from(MACHINES), min_size=1, max_size=5, unique=True),
    st.sampled_from(["decode", "prefill", "price", "power", "memory"]),
)
def test_a_comparison_has_a_row_for_each_system_in_the_order_asked_for(model, machines, sort):
    report = questions.compare(CATALOG, Options(model), machines, sort)

    assert len(report.results) == len(machines)
    found = [result.hardware.partition("@")[0] for result in report.results]
    assert sorted(found) == sorted(CATALOG.hardware(name).id for name in machines)
    # What fits, then what does not, then what has no answer.
    groups = [
        2 if row.verdict is None else int(row.verdict == DOES_NOT_FIT) for row in report.results
    ]
    assert groups == sorted(groups)


@pytest.mark.parametrize("model", TEXT)
def test_every_text_model_has_an_answer_on_the_spark(model):
    report = questions.fit(CATALOG, Options(model), brief=True)

    assert report.exit_code in {0, 3}
    (found,) = report.results
    assert found.memory.weights_bytes > 0
    rates = [v for v in (found.decode.tokens_per_s, found.prefill.tokens_per_s) if v is not None]
    assert all(math.isfinite(rate) and rate > 0 for rate in rates)


@pytest.mark.parametrize("hardware", CATALOG.ids("hardware"))
def test_every_system_has_an_answer_for_a_small_model(hardware):
    """Or says which figure is missing."""
    try:
        report = questions.fit(CATALOG, Options("qwen3-0.6b", hardware=hardware), brief=True)
    except NoAnswerError as error:
        missing = error.message
    else:
        missing = None
    if missing is not None:
        known = ("is not known", "is sold with any memory", "no engine is known")
        assert any(words in missing for words in known)
        return

    assert report.exit_code in {0, 3}
