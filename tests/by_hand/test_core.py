"""Every formula of the calculator against a pencil, for a number and for an array of them."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys

import numpy as np
import pytest

from spark_plan.core import (
    activations,
    budget,
    collectives,
    decode,
    kv_cache,
    num,
    prefill,
    roofline,
    weights,
)

MODULES = (
    activations, budget, collectives, decode, kv_cache, num, prefill, roofline, weights,
)  # fmt: skip
GIB = 2**30
# (formula, keywords, what a pencil gives). A list stands for an array of the same length.
PENCIL = [
    # 512 x 4096 x 4 + 2 x 100 x 4 + 8192 x 2
    (
        activations.step_bytes,
        {
            "step_tokens": 512, "hidden": 4096, "bytes_per_hidden": 4, "logit_rows": 2,
            "vocab": 100, "bytes_per_logit": 4, "context_tokens": 8192,
            "bytes_per_context_token": 2,
        },
        8_388_608 + 800 + 16_384,
    ),
    # A quarter of a small machine, what was wanted of a large one.
    (
        budget.system_reserve_bytes,
        {"visible_bytes": 16 * GIB, "wanted_bytes": 8 * GIB, "gpu_limit_bytes": None},
        4 * GIB,
    ),
    (
        budget.system_reserve_bytes,
        {"visible_bytes": 122 * GIB, "wanted_bytes": 8 * GIB, "gpu_limit_bytes": None},
        8 * GIB,
    ),
    # A driver's cap of 108 leaves 14 of 122 to the system; a cap above all of it leaves the wish.
    (
        budget.system_reserve_bytes,
        {"visible_bytes": 122, "wanted_bytes": 8, "gpu_limit_bytes": 108},
        14,
    ),
    (
        budget.system_reserve_bytes,
        {"visible_bytes": 122, "wanted_bytes": 8, "gpu_limit_bytes": 120},
        8,
    ),
    # 0.95 x 200; 0.85 x 200 - 20; 0.95 x (200 - 20)
    (
        budget.tight_limit_bytes,
        {"visible_bytes": 200, "system_bytes": 0, "unified": False, "capped": False},
        190,
    ),
    (
        budget.tight_limit_bytes,
        {"visible_bytes": 200, "system_bytes": 20, "unified": True, "capped": False},
        150,
    ),
    (
        budget.tight_limit_bytes,
        {"visible_bytes": 200, "system_bytes": 20, "unified": True, "capped": True},
        171,
    ),
    # 10 x (1 ms + 2 x 3/4 x 1 MB / 1 GB/s) = 10 x (1 + 1.5) ms
    (
        collectives.all_reduce_s,
        {
            "calls": 10, "latency_s": 1e-3, "message_bytes": 1e6, "bandwidth_bytes_per_s": 1e9,
            "devices": 4,
        },
        0.025,
    ),
    # One device says nothing to itself but still pays the latency of the call.
    (
        collectives.all_reduce_s,
        {
            "calls": 10, "latency_s": 0, "message_bytes": 1e6, "bandwidth_bytes_per_s": 1e9,
            "devices": 1,
        },
        0.0,
    ),
    (collectives.pipeline_hop_s, {"devices": 4, "hop_s": 0.002}, 0.006),
    (collectives.pipeline_hop_s, {"devices": 1, "hop_s": 0.002}, 0.0),
    # 10 x 3 us + 4 x 5 us + 100 us
    (
        decode.overhead_s,
        {
            "layers": 10, "layer_s": 3e-6, "expert_layers": 4, "expert_layer_s": 5e-6,
            "step_s": 1e-4,
        },
        1.5e-4,
    ),
    (decode.attended_tokens, {"depth_tokens": 100, "window_tokens": None}, 100),
    (decode.attended_tokens, {"depth_tokens": 100, "window_tokens": 128}, 100),
    (decode.attended_tokens, {"depth_tokens": 1000, "window_tokens": 128}, 128),
    (
        decode.mean_depth_tokens,
        {"depth_tokens": 100, "prompt_tokens": 1000, "output_tokens": 200},
        1200,
    ),
    (decode.narrow_share, {"hidden": 2048, "narrow_below": 3072, "wide_from": 4096}, 1),
    (decode.narrow_share, {"hidden": 3328, "narrow_below": 3072, "wide_from": 4096}, 0.75),
    (decode.narrow_share, {"hidden": 8192, "narrow_below": 3072, "wide_from": 4096}, 0),
    # 0.5 x 7 x 2 s / 100
    (decode.burst_wait_s, {"batch": 8, "prompt_s": 2, "output_tokens": 100, "share": 0.5}, 0.07),
    (decode.burst_wait_s, {"batch": 1, "prompt_s": 2, "output_tokens": 100, "share": 0.5}, 0),
    (kv_cache.allocated_tokens, {"context_tokens": 256, "block_tokens": 256}, 256),
    (kv_cache.allocated_tokens, {"context_tokens": 257, "block_tokens": 256}, 512),
    # 128 + 512 = 640 tokens are three blocks of 256; a context of 100 is one.
    (
        kv_cache.windowed_tokens,
        {"context_tokens": 8192, "window_tokens": 128, "padding_tokens": 512, "block_tokens": 256},
        768,
    ),
    (
        kv_cache.windowed_tokens,
        {"context_tokens": 100, "window_tokens": 128, "padding_tokens": 512, "block_tokens": 256},
        256,
    ),
    # 2 x 10 x 64 elements of 8.5 bits
    (
        kv_cache.cache_bytes,
        {"layers": 2, "tokens": 10, "elements_per_token": 64, "bits_per_element": 8.5},
        1360,
    ),
    (kv_cache.heads_per_device, {"kv_heads": 8, "devices": 4}, 0.25),
    (kv_cache.heads_per_device, {"kv_heads": 3, "devices": 2}, 2 / 3),
    (kv_cache.heads_per_device, {"kv_heads": 2, "devices": 8}, 0.5),
    (num.maximum, {"first": 2, "second": 3}, 3),
    (num.minimum, {"first": 2, "second": 3}, 2),
    (num.ceil_div, {"amount": 10, "step": 5}, 2),
    (num.ceil_div, {"amount": 11, "step": 5}, 3),
    (prefill.linear_flops, {"tokens": 10, "parameters": 70}, 1400),
    # 4 queries see 1/2 + 3/2 + 5/2 + 7/2 = 8 keys (p^2 / 2); 10 before them: 40 more.
    (
        prefill.attention_flops,
        {"prompt_tokens": 4, "depth_tokens": 0, "window_tokens": None, "pair_elements": 100},
        1600,
    ),
    (
        prefill.attention_flops,
        {"prompt_tokens": 4, "depth_tokens": 10, "window_tokens": None, "pair_elements": 100},
        9600,
    ),
    # The first 2 of 6 queries see 2 x 2 / 2 keys, each of the other 4 its window of 2.
    (
        prefill.attention_flops,
        {"prompt_tokens": 6, "depth_tokens": 0, "window_tokens": 2, "pair_elements": 100},
        2000,
    ),
    # Past the window every query sees the window, however deep.
    (
        prefill.attention_flops,
        {"prompt_tokens": 6, "depth_tokens": 50, "window_tokens": 2, "pair_elements": 100},
        2400,
    ),
    (prefill.chunk_count, {"tokens": 1024, "chunk_tokens": 512}, 2),
    (prefill.chunk_count, {"tokens": 1, "chunk_tokens": 512}, 1),
    (
        roofline.stream_s,
        {"size_bytes": 100e9, "bandwidth_bytes_per_s": 200e9, "fraction": 0.8},
        0.625,
    ),
    (roofline.compute_s, {"flops": 3e12, "flops_per_s": 60e12}, 0.05),
    # 1 token: exactly k. 2 independent tokens of 4 experts, 2 chosen: 4 x (1 - 1/4) = 3.
    (
        weights.distinct_experts,
        {"experts": 128, "experts_per_token": 4, "tokens": 1, "spread": 0.7},
        4,
    ),
    (
        weights.distinct_experts,
        {"experts": 4, "experts_per_token": 2, "tokens": 2, "spread": 1},
        3,
    ),
    # A spread of one half makes 4 tokens count as 2.
    (
        weights.distinct_experts,
        {"experts": 4, "experts_per_token": 2, "tokens": 4, "spread": 0.5},
        3,
    ),
    (
        weights.distinct_experts,
        {"experts": 8, "experts_per_token": 8, "tokens": 5, "spread": 1},
        8,
    ),
    (
        weights.tensor_parallel_bytes,
        {"sharded_bytes": 80, "replicated_bytes": 3, "devices": 4},
        23,
    ),
    # Five of nine layers of ten bytes, and one end.
    (
        weights.pipeline_parallel_bytes,
        {"layer_bytes": 90, "layers": 9, "devices": 2, "edge_bytes": 7},
        57,
    ),
]  # fmt: skip
# These name one plan's verdict or the largest of named parts: arrays of plans are for the caller.
ONE_PLAN = {"verdict", "reserve_fraction", "bound", "select"}
# The last bits of a power or a sum may differ between Python's and numpy's mathematics.
LAST_BITS = 1e-14


@pytest.mark.parametrize(("formula", "given", "expected"), PENCIL)
def test_a_formula_gives_what_a_pencil_gives(formula, given, expected):
    assert formula(**given) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("formula", "given", "expected"), PENCIL)
def test_an_array_of_questions_has_the_answers_of_each(formula, given, expected):
    """Each number in turn becomes an array; what is a flag or absent stays as it is."""
    for name, value in given.items():
        if value is None or isinstance(value, bool):
            continue
        several = np.array([value, value * 2, value * 3], dtype=np.float64)

        found = formula(**(given | {name: several}))

        each = [formula(**(given | {name: float(item)})) for item in several]
        assert np.broadcast_to(found, (3,)) == pytest.approx(each, rel=LAST_BITS, abs=1e-300)
        assert np.broadcast_to(found, (3,))[0] == pytest.approx(expected, rel=1e-12)


def test_every_public_formula_has_a_row():
    public = {
        name
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
        if not name.startswith("_")
    }

    assert {formula.__name__ for formula, _, _ in PENCIL} == public - ONE_PLAN


def test_a_formula_takes_each_quantity_by_name():
    for formula, _, _ in PENCIL:
        if formula.__module__ == "spark_plan.core.num":
            continue  # the three helpers read like operators
        kinds = {p.kind for p in inspect.signature(formula).parameters.values()}
        assert kinds == {inspect.Parameter.KEYWORD_ONLY}, formula.__name__


@pytest.mark.parametrize(
    ("total", "expected"),
    [(0, "fits"), (75, "fits"), (76, "tight"), (90, "tight"), (91, "does_not_fit")],
)
def test_a_plan_fits_up_to_the_tight_limit_and_is_tight_up_to_all_that_is_usable(total, expected):
    found = budget.verdict(total_bytes=total, usable_bytes=90, tight_above_bytes=75)

    assert found == expected


@pytest.mark.parametrize(
    ("total", "unified", "expected"),
    [
        (47, True, 0.5),
        (50, True, 0.5),
        (50.1, True, 0.55),
        (5, True, 0.05),
        (15, True, 0.15),  # 15 / 0.05 is 2.9999999999999996 or 3.0000000000000004 in binary
        (30, False, 0.3),
        (35, False, 0.35),
        (70, True, 0.7),
        (84, True, 0.85),
        (86, True, 0.85),
        (86, False, 0.9),
        (99, False, 0.95),
    ],
)
def test_an_engine_reserves_the_next_twentieth_up_to_its_ceiling(total, unified, expected):
    found = budget.reserve_fraction(total_bytes=total, visible_bytes=100, unified=unified)

    assert found == expected


@pytest.mark.parametrize("twentieths", range(1, 18))
def test_a_plan_of_whole_twentieths_reserves_exactly_those(twentieths):
    found = budget.reserve_fraction(total_bytes=twentieths * 5, visible_bytes=100, unified=True)

    assert found == twentieths / 20


def test_the_largest_part_of_a_time_is_its_bound():
    assert roofline.bound({"memory": 1.0, "compute": 2.0, "link": 1.5}) == "compute"
    assert roofline.bound({"memory": 1.0, "overhead": 1.0}) == "memory"


def test_a_choice_takes_one_of_two_numbers_for_each_element():
    assert num.select(condition=True, then=3.0, otherwise=5.0) == 3.0
    assert num.select(condition=False, then=3.0, otherwise=5.0) == 5.0
    found = num.select(condition=np.array([True, False]), then=3.0, otherwise=5.0)
    assert found.tolist() == [3.0, 5.0]


def test_whole_bytes_stay_whole_however_many():
    # A float64 of 2^60 + 1 is 2^60; an int64 product of these would overflow.
    assert num.ceil_div(2**60 + 1, 2**30) == 2**30 + 1
    assert num.maximum(2**60 + 1, 2**60) == 2**60 + 1
    assert kv_cache.allocated_tokens(context_tokens=2**60 + 1, block_tokens=2) == 2**60 + 2
    assert math.isclose(prefill.linear_flops(tokens=8e9, parameters=1e9), 1.6e19)


def test_a_scalar_formula_imports_no_numpy():
    calls = "\n".join(
        f"{formula.__module__}.{formula.__name__}(**{given!r})" for formula, given, _ in PENCIL
    )
    names = sorted({formula.__module__ for formula, _, _ in PENCIL})
    code = f"import sys, {', '.join(names)}\n{calls}\nprint('numpy' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
