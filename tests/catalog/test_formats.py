"""The shipped registry: sizes it gives against sizes that were published."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_plan.catalog import dialect, gguf_mix
from spark_plan.catalog.architecture.shapes import TensorGroup
from spark_plan.catalog.engines import decode_engine
from spark_plan.catalog.formats import Formats, decode_formats
from spark_plan.catalog.lookup import fold
from spark_plan.catalog.weighting import stored

PROFILES = Path(__file__).parents[2] / "profiles"
ROLES = {
    "embedding", "ple", "head", "attention", "indexer", "linear_attention", "mamba", "conv", "mlp",
    "expert", "shared_expert", "latent_projection", "router", "norm", "bias", "expert_bias",
    "hyper", "tower", "mtp",
}  # fmt: skip
KERNELS = {
    "w16", "w8", "w4", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k", "q4_0", "q8_0", "mxfp4", "iq", "f16",
}  # fmt: skip
GIB = 2**30
# Tokenizer and metadata lie beside the tensors of a GGUF file: 6 to 13 MB for these vocabularies.
METADATA_BYTES = 14e6


@pytest.fixture(scope="module")
def data():
    return dialect.load(PROFILES / "formats.yaml").data


@pytest.fixture(scope="module")
def formats(data) -> Formats:
    return decode_formats(data)


def decoder(*, layers, hidden, heads, kv_heads, head, vocab, feed_forward=0, experts=0):
    """A GQA decoder with a gated feed-forward, dense or of experts `feed_forward` wide."""
    attention = [
        TensorGroup("attn_q", "attention", layers, heads * head, hidden, layers),
        TensorGroup("attn_k", "attention", layers, kv_heads * head, hidden, layers),
        TensorGroup("attn_v", "attention", layers, kv_heads * head, hidden, layers),
        TensorGroup("attn_output", "attention", layers, hidden, heads * head, layers),
    ]
    prefix, role, copies = ("exp", "expert", experts) if experts else ("ffn", "mlp", 1)
    count = layers * copies
    forward = [
        TensorGroup(f"{prefix}_gate", role, count, feed_forward, hidden, layers),
        TensorGroup(f"{prefix}_up", role, count, feed_forward, hidden, layers),
        TensorGroup(f"{prefix}_down", role, count, hidden, feed_forward, layers),
    ]
    router = [TensorGroup("router", "router", layers, experts, hidden, layers)] if experts else []
    return [
        TensorGroup("token_embd", "embedding", 1, vocab, hidden, 1, "lookup"),
        TensorGroup("output", "head", 1, vocab, hidden, 1),
        *attention,
        *forward,
        *router,
        TensorGroup("norm", "norm", 2 * layers + 1, hidden, 1, layers),
    ]


LLAMA_8B = decoder(
    layers=32, hidden=4096, heads=32, kv_heads=8, head=128, vocab=128_256, feed_forward=14_336
)
LLAMA_70B = decoder(
    layers=80, hidden=8192, heads=64, kv_heads=8, head=128, vocab=128_256, feed_forward=28_672
)
LLAMA_8B_PARAMETERS = 8_030_261_248
# Qwen3 has a norm of one head's width for queries and one for keys.
QWEN3_30B = [
    *decoder(
        layers=48, hidden=2048, heads=32, kv_heads=4, head=128, vocab=151_936, feed_forward=768,
        experts=128,
    ),
    TensorGroup("norm", "norm", 96, 128, 1, 48),
]  # fmt: skip


def gpt_oss(layers, experts):
    return [
        *decoder(
            layers=layers, hidden=2880, heads=64, kv_heads=8, head=64, vocab=201_088,
            feed_forward=2880, experts=experts,
        ),
        TensorGroup("attn_sinks", "attention", layers, 64, 1, layers),
        TensorGroup("bias", "bias", layers, 64 * 64 + 2 * 8 * 64 + 2880 + experts, 1, layers),
        TensorGroup("exp_bias", "expert_bias", layers * experts, 3 * 2880, 1, layers),
    ]  # fmt: skip


def size(formats, scheme, groups, container=None):
    found = stored(formats.scheme(scheme), groups, container=container, formats=formats)
    return sum(item.bytes for item in found)


# github.com/ggml-org/llama.cpp, tools/quantize/README.md: Llama-3.1-8B.
@pytest.mark.parametrize(
    ("scheme", "bits"),
    [
        ("iq1_s", 2.0042), ("iq1_m", 2.1460), ("iq2_xxs", 2.3824), ("iq2_xs", 2.5882),
        ("iq2_s", 2.7403), ("iq2_m", 2.9294), ("iq3_xxs", 3.2548), ("iq3_xs", 3.4977),
        ("iq3_s", 3.6606), ("iq3_m", 3.7628), ("q2_k_s", 2.9697), ("q2_k", 3.1593),
        ("q3_k_s", 3.6429), ("q3_k_l", 4.2979), ("q4_k_s", 4.6672), ("q4_k_m", 4.8944),
        ("q5_k_s", 5.5704), ("q5_k_m", 5.7036), ("q6_k", 6.5633), ("q8_0", 8.5008),
        ("f16", 16.0005),
    ],
)  # fmt: skip
def test_a_mix_has_the_bits_per_weight_its_authors_print(formats, scheme, bits):
    found = size(formats, scheme, LLAMA_8B, "gguf") * 8 / LLAMA_8B_PARAMETERS
    assert found == pytest.approx(bits, abs=6e-5)  # printed to four places


# The README's IQ4 files were made without an importance matrix; published ones are made with one.
@pytest.mark.parametrize(("scheme", "bits"), [("iq4_xs", 4.4597), ("iq4_nl", 4.6818)])
def test_i_quants_of_four_bits_are_those_made_with_an_importance_matrix(formats, scheme, bits):
    found = size(formats, scheme, LLAMA_8B) * 8 / LLAMA_8B_PARAMETERS
    assert bits * 0.99 < found < bits


@pytest.mark.parametrize(
    ("scheme", "groups", "container", "published_bytes"),
    [
        # 39.59 GiB in loader prints: attn_v of 70B models is widened.
        ("q4_k_m", LLAMA_70B, None, 39.59 * GIB),
        ("q4_k_m", QWEN3_30B, None, 18_556_686_752),
        ("q8_0", QWEN3_30B, None, 32_483_932_576),
        ("mxfp4", gpt_oss(36, 128), "gguf", 63_387_346_464),
        ("mxfp4", gpt_oss(24, 32), "gguf", 12_109_566_560),
    ],
)
def test_a_gguf_file_is_as_large_as_the_published_one(
    formats, scheme, groups, container, published_bytes
):
    found = size(formats, scheme, groups, container)
    rounding = 0.005 * GIB  # of sizes printed in GiB
    assert published_bytes - METADATA_BYTES - rounding < found < published_bytes + rounding


def test_the_checkpoint_of_gpt_oss_keeps_all_but_experts_in_16_bits(formats):
    # 65.2 GB in the repository openai/gpt-oss-120b.
    assert size(formats, "mxfp4", gpt_oss(36, 128)) == pytest.approx(65.25e9, rel=1e-3)


# mlx-community/Llama-3.1-Nemotron-70B-Instruct-HF-{4,8}bit and -bf16: exact sizes of model cards.
@pytest.mark.parametrize(
    ("scheme", "published_bytes"),
    [("mlx_4bit", 39_688_355_840), ("mlx_8bit", 74_964_549_632), ("bf16", 141_107_412_992)],
)
def test_an_mlx_file_is_as_large_as_the_published_one(formats, scheme, published_bytes):
    assert size(formats, scheme, LLAMA_70B) == published_bytes


def test_every_scheme_can_be_stored(formats):
    for name in formats.scheme_ids():
        scheme = formats.scheme(name)
        for container in scheme.layouts:
            assert size(formats, name, LLAMA_8B, container) > 0


def test_fewer_bits_never_take_more_bytes(formats):
    # A step of nominal bits is at least as large as any that mixes can blur.
    sizes = {
        name: size(formats, name, LLAMA_70B)
        for name in formats.scheme_ids()
        if formats.scheme(name).container == "gguf"
    }
    for wide, wide_bytes in sizes.items():
        for narrow, narrow_bytes in sizes.items():
            if formats.scheme(narrow).bits + 1 < formats.scheme(wide).bits:
                assert narrow_bytes < wide_bytes, (narrow, wide)


def test_a_name_means_one_scheme(data):
    seen: dict[str, str] = {}
    for scheme, node in data["schemes"].items():
        for name in (scheme, *node.get("aliases", ())):
            assert seen.setdefault(fold(name), scheme) == scheme, name


def test_rules_use_only_names_that_exist(data, formats):
    facts = gguf_mix.Facts.of(LLAMA_8B)
    for name in formats.scheme_ids():
        for layout in formats.scheme(name).layouts.values():
            formats.number_format(layout.default)
            for rule in layout.rules:
                formats.number_format(rule.format_id)
                assert rule.roles <= ROLES
                assert rule.tensors or rule.roles or rule.vectors
                facts.holds(rule.when)
                if rule.layers:
                    assert rule.layers in gguf_mix.CHOICES
                    formats.number_format(rule.otherwise)
    for node in data["number_formats"].values():
        assert node["kernel"] in KERNELS
        assert node.get("fallback", "f16") in data["number_formats"]


def test_every_fall_back_ends_at_a_format_for_any_row(formats):
    for name in formats.number_format_ids():
        form, steps = formats.number_format(name), 0
        while form.fallback:
            form, steps = formats.number_format(form.fallback), steps + 1
            assert steps < 4
        assert steps == 0 or form.block_elements == 1


def test_every_figure_of_the_registry_has_an_address(formats):
    for name in formats.number_format_ids():
        bits = formats.number_format(name).bits_per_weight
        assert bits.kind == "assumed" or any(source.url for source in bits.sources), name
    for name, bits in formats.kv_formats.items():
        assert any(source.url for source in bits.sources), name
    for name in formats.scheme_ids():
        assert formats.scheme(name).sources, name


def test_a_quantised_cache_is_stored_like_a_matrix(formats):
    for name in ("f32", "bf16", "f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl", "nvfp4"):
        same = formats.number_format(name).bits_per_weight.value
        assert formats.kv_formats[name].value == same


def engines():
    for path in sorted((PROFILES / "engines").glob("*.yaml")):
        yield decode_engine(dialect.load(path).data, file=f"engines/{path.name}", origin="shipped")


@pytest.mark.parametrize("engine", list(engines()), ids=lambda engine: engine.id)
def test_an_engine_runs_only_what_exists(engine, formats):
    for run in engine.runs:
        for scheme in run.schemes:
            found = formats.scheme(scheme)
            assert found.id == scheme
            if run.how == "emulated":
                # Storage-only schemes have no arithmetic of their own that could be emulated.
                assert found.arithmetic is not None, scheme
            loads = set(found.layouts) & set(engine.containers)
            assert loads or "safetensors" in engine.containers, (engine.id, scheme)
    assert set(engine.kv_formats) <= set(formats.kv_formats)
    assert engine.kv_default in {"model", *engine.kv_formats}


def test_every_scheme_for_matrices_runs_somewhere(formats):
    running = {scheme for engine in engines() for run in engine.runs for scheme in run.schemes}
    stored_only = {name for name in formats.scheme_ids() if name.startswith("exl2_")}
    assert set(formats.scheme_ids()) - running == stored_only


def test_the_spark_runs_fp4_and_fp8_as_its_engines_do():
    by_id = {engine.id: engine for engine in engines()}
    spark = "nvidia-sm121"
    assert by_id["vllm"].how(spark, "nvfp4") == "native"
    assert by_id["vllm"].how(spark, "fp8_block128") == "native"
    assert by_id["vllm"].how(spark, "mxfp4") == "emulated"
    assert by_id["llama.cpp"].how(spark, "mxfp4") == "native"
    assert by_id["llama.cpp"].how(spark, "q4_k_m") == "native"
    assert by_id["llama.cpp"].how(spark, "nvfp4") is None
    assert by_id["vllm"].how("nvidia-sm86", "nvfp4") == "emulated"
    assert by_id["vllm"].how("nvidia-sm89", "fp8_block128") == "emulated"
    assert by_id["vllm"].how("nvidia-sm75", "bf16") is None
    assert by_id["mlx"].how("apple-m3", "mlx_4bit") == "native"
    assert by_id["mlx"].how("apple-m3", "nvfp4") is None


@given(
    attention=st.integers(1, 40),
    recurrent=st.integers(0, 60),
    dense=st.integers(0, 40),
    expert_layers=st.integers(0, 60),
    experts=st.sampled_from([2, 8, 128]),
    width=st.sampled_from([4, 96, 256, 2880]),
    scheme=st.sampled_from(["q4_k_m", "q3_k_m", "iq3_xs", "iq2_m", "mxfp4", "nvfp4", "mlx_4bit"]),
)
def test_every_matrix_is_stored_once_whatever_the_mix_of_blocks(
    formats, attention, recurrent, dense, expert_layers, experts, width, scheme
):
    shapes = [
        ("attn_v", "attention", attention, 1),
        ("lin_qkvz", "linear_attention", recurrent, 1),
        ("lin_out", "linear_attention", recurrent, 1),
        ("ffn_down", "mlp", dense, 1),
        ("exp_down", "expert", expert_layers, experts),
    ]
    groups = [
        TensorGroup(name, role, layers * copies, 2 * width, width, layers)
        for name, role, layers, copies in shapes
        if layers
    ]
    found = stored(formats.scheme(scheme), groups, formats=formats)
    assert all(item.count > 0 and item.bytes > 0 for item in found)
    held = sum(item.count * item.group.rows * item.group.cols for item in found)
    assert held == sum(group.elements for group in groups)
