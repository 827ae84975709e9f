"""Whole plans against figures that a reader can work out with a pencil, or look up."""

from __future__ import annotations

import pytest

import spark_plan

GIB = 2**30


def plan(model, **options):
    return spark_plan.fit(model, **options).results[0]


def test_llama_70b_weights_are_its_parameters_at_their_widths():
    # 70,553,706,496 parameters; embedding and head (2 x 128,256 x 8,192) and 161 norms of 8,192
    # stay BF16; 80 layers of matrices at 4.5 bits and two FP32 scales of each of their 7 tensors.
    edges = 2 * 128_256 * 8_192
    norms = 161 * 8_192
    matrices = 70_553_706_496 - edges - norms
    expected = 2 * (edges + norms) + matrices * 4.5 / 8

    found = plan("llama-70b", precision="nvfp4").memory.weights_bytes

    assert found == pytest.approx(expected, rel=1e-4)


def test_llama_70b_caches_two_vectors_of_eight_heads_in_eighty_layers():
    found = plan("llama-70b", precision="bf16", context_tokens="8k").memory.kv_cache_bytes

    assert found == 80 * 2 * 8 * 128 * 8_192 * 2


def test_sliding_layers_of_gpt_oss_hold_their_window_alone():
    # 18 full layers of 131,072 tokens; 18 windowed ones of 128 tokens and a micro-batch of 512,
    # padded to 256 cells; 8 heads of 64, keys and values, 2 bytes.
    cell = 2 * 8 * 64 * 2
    expected = 18 * 131_072 * cell + 18 * 768 * cell

    found = plan("gpt-oss-120b", context_tokens="128k").memory.kv_cache_bytes

    assert found == expected


def test_deepseek_caches_one_latent_and_one_rope_key_for_each_token():
    # 61 layers x (512 + 64), no factor two: keys and values are one latent.
    found = plan("deepseek-v3", hardware="h200", devices=8, context_tokens="8k", precision="fp8")

    assert found.memory.kv_cache_bytes == 61 * (512 + 64) * 8_192 * 2


def test_decode_never_beats_the_bandwidth_of_the_machine():
    found = plan("llama-70b", precision="nvfp4")

    assert found.decode.tokens_per_s < 273e9 / found.memory.weights_bytes


@pytest.mark.parametrize(
    ("model", "precision", "gib", "tokens_per_s"),
    [("gpt-oss-120b", "mxfp4", (59, 66), (50, 65)), ("llama-3.3-70b", "nvfp4", (38, 45), (4, 6))],
)
def test_the_spark_runs_what_it_is_known_to_run(model, precision, gib, tokens_per_s):
    found = plan(model, precision=precision)

    assert gib[0] <= found.memory.weights_bytes / GIB <= gib[1]
    assert tokens_per_s[0] <= found.decode.tokens_per_s <= tokens_per_s[1]
    assert found.decode.low <= found.decode.tokens_per_s <= found.decode.high


def test_decode_slows_with_depth():
    rates = [
        plan("gpt-oss-120b", context_tokens="128k", depth_tokens=depth).decode.tokens_per_s
        for depth in (0, 8_192, 32_768, 100_000)
    ]

    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < 0.8 * rates[0]


@pytest.mark.parametrize("model", ["llama-3.1-405b", "deepseek-v3"])
def test_models_sized_by_all_their_parameters_do_not_fit_one_spark(model):
    report = spark_plan.fit(model, precision="fp4")

    assert (report.exit_code, report.results[0].verdict) == (3, "does_not_fit")
    assert report.results[0].memory.weights_bytes > 128e9


def test_a_batch_gains_but_not_in_proportion_since_it_reads_more_experts():
    one, many = (
        plan("gpt-oss-120b", batch=batch, prompt_tokens=1, output_tokens=2).decode
        for batch in (1, 16)
    )

    assert one.tokens_per_s < many.tokens_per_s < 16 * one.tokens_per_s
