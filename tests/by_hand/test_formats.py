"""Number formats and the choice of them, with numbers a reader can check with a pencil."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_plan.catalog import dialect, gguf_mix
from spark_plan.catalog.architecture.shapes import TensorGroup
from spark_plan.catalog.formats import Formats, decode_formats
from spark_plan.catalog.lookup import fold
from spark_plan.catalog.models import ModuleRule
from spark_plan.catalog.weighting import stored
from spark_plan.errors import UnknownNameError

SHIPPED = Path(__file__).parents[2] / "profiles" / "formats.yaml"


@pytest.fixture(scope="module")
def formats() -> Formats:
    return decode_formats(dialect.load(SHIPPED).data)


def kinds(formats, scheme, groups, **more):
    """(name, format, matrices) of everything a scheme stores."""
    found = stored(formats.scheme(scheme), groups, formats=formats, **more)
    return [(item.group.name, item.format_id, item.count) for item in found]


def blocks(count, *, tied=False, width=256):
    """A toy decoder of `count` blocks, every matrix width x width."""
    embedding = [TensorGroup("token_embd", "embedding", 1, 1024, width, 1, "lookup")]
    head = [] if tied else [TensorGroup("output", "head", 1, 1024, width, 1)]
    attention = [
        TensorGroup(name, "attention", count, width, width, count)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output")
    ]
    mlp = [
        TensorGroup(name, "mlp", count, width, width, count)
        for name in ("ffn_gate", "ffn_up", "ffn_down")
    ]
    return [
        *embedding,
        *head,
        *attention,
        *mlp,
        TensorGroup("norm", "norm", 2 * count, width, 1, count),
    ]


@pytest.mark.parametrize(
    ("name", "rows", "cols", "expected"),
    [
        ("f32", 3, 5, 60),
        ("bf16", 3, 5, 30),
        ("q4_0", 2, 64, 2 * 2 * 18),
        ("q8_0", 2, 64, 2 * 2 * 34),
        ("q4_k", 1, 512, 2 * 144),
        ("q6_k", 4, 256, 4 * 210),
        ("mxfp4", 1, 64, 2 * 17),
        ("nvfp4", 1, 64, 4 * 9),  # 8 bytes of weights and a scale for each 16
        ("fp8_per_tensor", 7, 9, 63),
        ("fp8_per_channel", 7, 9, 63 + 7 * 4),
        ("fp8_block128", 256, 384, 256 * 384 + 2 * 3 * 4),
        ("fp8_block128", 129, 128, 129 * 128 + 2 * 4),  # a started tile has a scale too
        ("awq_int4_g128", 2, 128, 2 * (64 + 2) + 1),  # two zeros of 4 bits share a byte
        ("gptq_int4_g128", 2, 128, 133 + 128 * 4),
        ("nf4", 16, 96, 16 * 96 // 2 + 24 * 4),  # blocks of 64 run on over the rows
        ("nf4_double_quant", 128, 128, 8192 + 256 + 4),
        ("exl3_4", 128, 256, 128 * 256 // 2 + 128 * 2 + 256 * 2),
        ("mlx_affine4_g64", 2, 64, 2 * (32 + 4)),
    ],
)
def test_a_matrix_takes_blocks_and_scales(formats, name, rows, cols, expected):
    assert formats.number_format(name).matrix_bytes(rows, cols) == expected


def test_bits_stated_are_the_bits_of_the_layout(formats):
    for name in formats.number_format_ids():
        form = formats.number_format(name)
        tiles = form.tile_bytes * 8 / form.tile_elements**2
        layout = form.block_bits / form.block_elements + tiles
        assert form.bits_per_weight.value == pytest.approx(layout, abs=1e-9), name


def test_case_dashes_and_blanks_do_not_matter_in_a_name(formats):
    assert fold("Q4_K - Medium") == "q4kmedium"
    for name in ("Q4_K_M", "q4-k-m", "Q4_K - Medium", "q4_k"):
        assert formats.scheme_id(name) == "q4_k_m"
    assert formats.scheme_id("FP16") == "f16"
    assert formats.scheme_id("4bit") == "mlx_4bit"


def test_an_unknown_precision_is_refused_with_what_is_near_it(formats):
    with pytest.raises(UnknownNameError, match=r"unknown precision 'q4_k_x'.*q4_k_m") as raised:
        formats.scheme("q4_k_x")
    assert "q4_k_m" in raised.value.suggestions


@pytest.mark.parametrize("name", ["int4", "fp4", "fp8", "auto", "4.75-bit mixed nvfp4", ""])
def test_an_ambiguous_precision_is_never_sized_by_guess(formats, name):
    with pytest.raises(UnknownNameError):
        formats.scheme(name)


def test_a_dynamic_mix_is_refused_with_the_way_out(formats):
    with pytest.raises(UnknownNameError) as raised:
        formats.scheme("UD-Q4_K_XL")
    assert "path of the .gguf file" in raised.value.hint


def test_a_q4_k_m_file_widens_half_of_the_value_and_down_matrices(formats):
    # Of 16 blocks: 0, 1 (first eighth), 14, 15 (last), and 4, 7, 10, 13 (every third between).
    found = kinds(formats, "q4_k_m", blocks(16))
    assert ("attn_v", "q6_k", 8) in found
    assert ("attn_v", "q4_k", 8) in found
    assert ("ffn_down", "q6_k", 8) in found
    assert ("attn_q", "q4_k", 16) in found
    assert ("token_embd", "q4_k", 1) in found
    assert ("output", "q6_k", 1) in found
    assert ("norm", "f32", 32) in found


def test_a_tied_embedding_is_stored_as_the_output_would_be(formats):
    assert ("token_embd", "q6_k", 1) in kinds(formats, "q4_k_m", blocks(16, tied=True))
    assert ("token_embd", "q8_0", 1) in kinds(formats, "q8_0", blocks(16, tied=True))
    # Other files keep the one matrix as they keep embeddings.
    assert ("token_embd", "bf16", 1) in kinds(formats, "nvfp4", blocks(16, tied=True))


def test_rows_that_are_no_whole_number_of_blocks_fall_back(formats):
    narrow = [TensorGroup("ffn_up", "mlp", 1, 8, 2880, 1)]  # 2880 = 11.25 x 256 = 90 x 32
    assert kinds(formats, "q4_k_m", narrow) == [("ffn_up", "q5_0", 1)]
    assert kinds(formats, "q6_k", narrow) == [("ffn_up", "q8_0", 1)]
    assert kinds(formats, "iq4_xs", narrow) == [("ffn_up", "iq4_nl", 1)]
    odd = [TensorGroup("ffn_up", "mlp", 1, 8, 1000, 1)]
    assert kinds(formats, "q4_k_m", odd) == [("ffn_up", "f16", 1)]


def test_a_short_row_of_a_vector_does_not_fall_back(formats):
    vector = [TensorGroup("norm", "norm", 4, 100, 1, 2)]
    assert kinds(formats, "q4_k_m", vector) == [("norm", "f32", 4)]
    assert kinds(formats, "fp8_block128", vector) == [("norm", "bf16", 4)]
    assert kinds(formats, "awq", vector) == [("norm", "f16", 4)]


def test_mxfp4_narrows_only_experts_and_the_rest_depends_on_the_file(formats):
    groups = [
        TensorGroup("attn_q", "attention", 2, 64, 64, 2),
        TensorGroup("exp_up", "expert", 8, 64, 64, 2, "experts"),
        TensorGroup("router", "router", 2, 4, 64, 2),
        TensorGroup("output", "head", 1, 128, 64, 1),
    ]
    assert kinds(formats, "mxfp4", groups) == [
        ("attn_q", "bf16", 2),
        ("exp_up", "mxfp4", 8),
        ("router", "bf16", 2),
        ("output", "bf16", 1),
    ]
    assert kinds(formats, "mxfp4", groups, container="gguf") == [
        ("attn_q", "q8_0", 2),
        ("exp_up", "mxfp4", 8),
        ("router", "f32", 2),
        ("output", "q8_0", 1),
    ]


def test_a_checkpoints_own_list_goes_before_the_schemes_rule(formats):
    modules = (
        ModuleRule(("attn_q",), (), 0, "fp8_per_tensor"),
        ModuleRule((), ("mlp",), 1, "bf16"),
        ModuleRule(("ffn_*",), (), 1, "fp8_per_channel"),
    )
    found = kinds(formats, "nvfp4", blocks(4), modules=modules)
    assert ("attn_q", "fp8_per_tensor", 4) in found
    assert ("attn_k", "nvfp4", 4) in found
    assert [item for item in found if item[0] == "ffn_up"] == [
        ("ffn_up", "bf16", 1),
        ("ffn_up", "fp8_per_channel", 1),
        ("ffn_up", "nvfp4", 2),
    ]


def test_layers_of_a_module_rule_count_all_their_experts(formats):
    experts = [TensorGroup("exp_up", "expert", 4 * 8, 16, 32, 4, "experts")]
    modules = (ModuleRule(("exp_up",), (), 3, "bf16"),)
    assert kinds(formats, "nvfp4", experts, modules=modules) == [
        ("exp_up", "bf16", 24),
        ("exp_up", "nvfp4", 8),
    ]


def test_bytes_are_those_of_all_matrices_together(formats):
    (item,) = stored(
        formats.scheme("q8_0"), [TensorGroup("attn_q", "attention", 3, 10, 64, 3)], formats=formats
    )
    assert item.bytes == 3 * 10 * 2 * 34


def test_experts_come_after_the_dense_blocks_a_model_starts_with():
    groups = [
        TensorGroup("norm", "norm", 16, 8, 1, 16),
        TensorGroup("ffn_down", "mlp", 2, 8, 8, 2),
        TensorGroup("exp_down", "expert", 14 * 4, 8, 8, 14, "experts"),
    ]
    facts = gguf_mix.Facts.of(groups)
    # Blocks 0 and 1 are the first eighth of 16: the dense ones.
    assert gguf_mix.matrices_in("first_eighth", groups[1], facts) == 2
    assert gguf_mix.matrices_in("first_eighth", groups[2], facts) == 0
    assert gguf_mix.matrices_in("more_bits", groups[2], facts) == 6 * 4


def test_attention_among_recurrent_blocks_is_counted_with_them():
    # Three linear blocks, then one of attention, four times: 3, 7, 11 and 15 attend.
    groups = [
        TensorGroup("lin_qkv", "linear_attention", 12, 8, 8, 12),
        TensorGroup("attn_v", "attention", 4, 8, 8, 4),
    ]
    facts = gguf_mix.Facts.of(groups)
    widened = [gguf_mix.matrices_in("more_bits", group, facts) for group in groups]
    assert widened == [6, 2]  # 0 1 4 10 13 14 are linear; 7 and 15 attend
    assert sum(widened) == 8


def test_a_gguf_file_splits_what_its_converter_splits():
    linear = [
        TensorGroup("lin_qkvz", "linear_attention", 2, 24, 32, 2),
        TensorGroup("lin_out", "linear_attention", 2, 32, 8, 2),
    ]
    assert [(g.name, g.rows) for g in gguf_mix.gguf_tensors(linear)] == [
        ("lin_qkv", 16),
        ("lin_z", 8),
        ("lin_out", 32),
    ]
    # DeepSeek V3 in small: 4 heads of 12 + 6 (plain + rotary), values of 10, latent of 16.
    latent = [
        TensorGroup("attn_q_b", "attention", 1, 4 * (12 + 6), 20, 1),
        TensorGroup("attn_kv_a", "attention", 1, 16 + 6, 30, 1),
        TensorGroup("attn_kv_b", "attention", 1, 4 * (12 + 10), 16, 1),
        TensorGroup("attn_output", "attention", 1, 30, 4 * 10, 1),
    ]
    split = {g.name: (g.rows, g.cols) for g in gguf_mix.gguf_tensors(latent)}
    assert split["attn_v_b"] == (40, 16)
    assert split["attn_k_b"] == (4 * 16, 12)


def test_a_drafting_block_counts_as_the_last_one():
    groups = [
        TensorGroup("ffn_down", "mlp", 15, 8, 8, 15),
        TensorGroup("mtp_ffn_down", "mtp", 1, 8, 8, 1),
    ]
    facts = gguf_mix.Facts.of(groups)
    assert gguf_mix.matrices_in("more_bits", groups[1], facts) == 1
    assert gguf_mix.matrices_in("first_eighth", groups[1], facts) == 0
