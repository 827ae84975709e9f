"""Shapes of models against a pencil: what each config's numbers multiply to."""

from __future__ import annotations

import pytest

from spark_plan.catalog import Catalog
from spark_plan.catalog.architecture import read
from spark_plan.catalog.architecture.shapes import READ_EXPERTS, READ_NEVER
from spark_plan.errors import ConfigError

LLAMA_70B = {
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}
FULL = "full_attention"
SMALL = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 12,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "max_position_embeddings": 1000,
}


@pytest.fixture
def shipped(tmp_path):
    catalog = Catalog(cwd=tmp_path, env={})
    return lambda name: catalog.model(name).architecture


def total(shape, *roles):
    return sum(group.elements for group in shape.tensors if group.role in roles or not roles)


def by_name(shape, name):
    return [group for group in shape.tensors if group.name == name]


def cache_elements(shape, kind):
    return sum(
        group.layers * (group.key_elements + group.value_elements)
        for group in shape.caches
        if group.kind == kind
    )


def test_llama_3_3_70b_has_70_553_706_496_parameters():
    layer = (
        8192 * 128 * (2 * 64 + 2 * 8)  # queries and output: 64 heads; keys and values: 8
        + 3 * 8192 * 28672
        + 2 * 8192
    )
    assert total(read(LLAMA_70B)) == 80 * layer + 2 * 128256 * 8192 + 8192 == 70_553_706_496


def test_llama_3_3_70b_caches_163_840_elements_a_token():
    (group,) = read(LLAMA_70B).caches
    assert (group.kind, group.layers, group.window_tokens) == ("full", 80, None)
    assert group.key_elements == group.value_elements == 8 * 128
    assert 80 * 2 * 8 * 128 == cache_elements(read(LLAMA_70B), "full") == 163_840
    # A decode step multiplies every query head with a key and a value.
    assert group.flop_elements == 64 * (128 + 128)


def test_a_shipped_model_and_its_config_have_the_same_shape(shipped):
    assert shipped("llama-3.3-70b-instruct").tensors == read(LLAMA_70B).tensors


def test_gpt_oss_120b_has_a_window_of_128_tokens_in_every_second_layer(shipped):
    full, near = shipped("gpt-oss-120b").caches
    assert (full.kind, full.layers, full.window_tokens) == ("full", 18, None)
    assert (near.kind, near.layers, near.window_tokens) == ("sliding", 18, 128)
    assert full.key_elements == near.value_elements == 8 * 64


def test_gpt_oss_120b_reads_4_of_128_experts(shipped):
    shape = shipped("gpt-oss-120b")
    assert (shape.experts, shape.experts_per_token, shape.expert_layers) == (128, 4, 36)
    assert total(shape, "expert") == 36 * 128 * 3 * 2880 * 2880 == 114_661_785_600
    assert {group.count for group in shape.tensors if group.role == "expert"} == {36 * 128}
    assert all(group.read == READ_EXPERTS for group in shape.tensors if "exp" in group.role)


def test_deepseek_v3_caches_a_latent_of_576_in_61_layers(shipped):
    (group,) = shipped("deepseek-v3").caches
    assert (group.kind, group.value_elements) == ("latent", 0)
    assert group.key_elements == 512 + 64
    assert group.layers * group.key_elements == 35_136
    # Absorbed: 128 heads multiply the latent and the rotary part, then the latent again.
    assert group.flop_elements == 128 * (512 + 64 + 512)


def test_a_drafting_block_is_in_the_file_but_not_in_a_step(shipped):
    drafts = [group for group in shipped("deepseek-v3").tensors if group.role == "mtp"]
    assert all(group.name.startswith("mtp_") and group.read == READ_NEVER for group in drafts)
    attention = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168
    experts = (256 + 1) * 3 * 7168 * 2048 + 7168 * 256 + 256
    norms = 1536 + 512 + 5 * 7168
    assert sum(group.elements for group in drafts) == attention + experts + norms + 2 * 7168**2


def test_deepseek_v4_flash_keeps_a_thirteenth_of_what_v3_keeps(shipped):
    shape = shipped("deepseek-v4-flash")
    kept = {
        (group.kind, group.tokens_per_entry): group.layers * group.key_elements
        for group in shape.caches
    }
    assert kept == {
        ("sliding", 1): 43 * 512,
        ("compressed", 4): 21 * 512,
        ("index", 4): 21 * 128,
        ("compressed", 128): 20 * 512,
    }
    assert 21 * 512 / 4 + 20 * 512 / 128 == 2_768
    assert {g.attended_tokens for g in shape.caches if g.tokens_per_entry == 4} == {512 * 4, None}


def test_qwen_3_6_27b_has_a_state_in_48_layers_and_a_cache_in_16(shipped):
    shape = shipped("qwen3.6-27b")
    (state,) = shape.states
    assert (state.kind, state.layers, shape.state_bits) == ("gated-delta", 48, 32)
    assert state.recurrent_elements == 48 * 128 * 128  # value heads x key width x value width
    assert state.conv_elements == (2 * 16 * 128 + 48 * 128) * (4 - 1)
    assert cache_elements(shape, "full") == 16 * 2 * 4 * 256 == 32_768


def test_nemotron_3_nano_has_23_mamba_mixers_and_6_of_attention(shipped):
    shape = shipped("nemotron-3-nano-30b-a3b")
    (state,) = shape.states
    assert (state.kind, state.layers, shape.layers) == ("mamba2", 23, 52)
    assert 23 * state.recurrent_elements == 23 * 64 * 64 * 128 == 12_058_624
    assert state.conv_elements == (64 * 64 + 2 * 8 * 128) * (4 - 1)
    assert cache_elements(shape, "full") == 6 * 2 * 2 * 128 == 3_072


def test_gemma_3_27b_attends_to_everything_in_every_sixth_layer(shipped):
    full, near = shipped("gemma-3-27b-it").caches
    assert (full.layers, near.layers) == (62 // 6, 62 - 62 // 6) == (10, 52)
    assert near.window_tokens == 1024
    assert full.key_elements == near.key_elements == 16 * 128


def test_gemma_4_e2b_shares_the_caches_of_its_last_20_layers(shipped):
    shape = shipped("gemma-4-e2b-it")
    assert cache_elements(shape, "sliding") == 12 * 2 * 256
    assert cache_elements(shape, "full") == 3 * 2 * 512
    assert sum(group.layers for group in by_name(shape, "attn_k")) == 15
    assert sum(group.layers for group in by_name(shape, "attn_q")) == 35


def test_a_pruned_model_has_the_attention_its_search_left(shipped):
    shape = shipped("llama-3-3-nemotron-super-49b-v1-5")
    assert sum(group.layers for group in shape.caches) == 49
    assert cache_elements(shape, "full") == 49 * 2 * 8 * 128 == 100_352


def test_an_encoder_has_no_cache(shipped):
    shape = shipped("bge-m3")
    assert shape.encoder_only
    assert shape.caches == ()
    assert total(shape, "embedding") == (250002 + 8194 + 1) * 1024


def test_qwen_2_has_biases_of_queries_keys_and_values():
    plain, biased = read(SMALL), read({**SMALL, "model_type": "qwen2"})
    assert total(biased) - total(plain) == 12 * 16 * (4 + 2 * 2)


def test_biases_a_config_asks_for_are_counted():
    plain, biased = read(SMALL), read({**SMALL, "attention_bias": True, "mlp_bias": True})
    assert total(biased) - total(plain) == 12 * (16 * (4 + 2 * 2) + 64 + 2 * 128 + 64)


def test_a_tied_head_is_stored_once():
    tied = read({**SMALL, "tie_word_embeddings": True})
    assert tied.embedding_tied
    assert total(read(SMALL)) - total(tied) == 100 * 64


def test_a_decoder_used_as_an_embedder_only_looks_its_embedding_up():
    for tied in (False, True):
        shape = read({**SMALL, "tie_word_embeddings": tied}, head=False)
        assert by_name(shape, "output") == []
        assert [group.read for group in by_name(shape, "token_embd")] == ["lookup"]


@pytest.mark.parametrize(
    ("keys", "windowed"),
    [
        ({"model_type": "mistral"}, 12),
        ({"model_type": "gemma2"}, 6),
        ({"model_type": "cohere2"}, 9),
        ({"model_type": "gemma3_text"}, 10),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 4}, 9),
        ({"model_type": "exaone4", "sliding_window_pattern": "LLLG"}, 9),
        ({"model_type": "exaone4", "sliding_window": None}, 0),
        ({"model_type": "phi3"}, 0),
        ({"model_type": "qwen3", "use_sliding_window": False}, 0),
        ({"model_type": "qwen3", "use_sliding_window": True, "max_window_layers": 8}, 4),
        ({"model_type": "olmo3", "layer_types": [*["sliding_attention"] * 11, FULL]}, 11),
    ],
)
def test_each_family_has_its_own_rule_for_windows(keys, windowed):
    shape = read({**SMALL, "sliding_window": 256, **keys})
    found = {group.kind: group.layers for group in shape.caches}
    assert found == {k: n for k, n in (("full", 12 - windowed), ("sliding", windowed)) if n}
    assert {g.window_tokens for g in shape.caches if g.kind == "sliding"} <= {256}


def test_llama_4_has_chunks_and_a_tower_of_871_932_416():
    text = {
        **SMALL,
        "model_type": "llama4_text",
        "hidden_size": 5120,
        "intermediate_size_mlp": 256,
        "num_local_experts": 4,
        "num_experts_per_tok": 1,
        "attention_chunk_size": 8192,
    }
    vision = {
        "hidden_size": 1408,
        "num_hidden_layers": 34,
        "num_attention_heads": 16,
        "intermediate_size": 5632,
        "patch_size": 14,
        "image_size": 336,
        "projector_input_dim": 4096,
        "projector_output_dim": 4096,
        "vision_output_dim": 4096,
    }
    shape = read({"model_type": "llama4", "text_config": text, "vision_config": vision})
    assert total(shape, "tower") == 871_932_416  # published total less the language model
    assert [(g.kind, g.layers, g.window_tokens) for g in shape.caches] == [
        ("full", 3, None),
        ("chunked", 9, 8192),
    ]


def test_a_tower_nobody_measured_is_left_out_and_said_so():
    shape = read({"model_type": "newvl", "text_config": SMALL, "vision_config": {"depth": 3}})
    assert total(shape, "tower") == 0
    assert shape.notes == ("tower-not-sized",)


def test_a_missing_field_is_named_with_its_path():
    for outer, path in (({}, "$"), ({"text_config": {}}, "$.text_config")):
        inner = {key: value for key, value in SMALL.items() if key != "num_attention_heads"}
        config = {"text_config": inner} if outer else inner
        with pytest.raises(ConfigError) as caught:
            read(config)
        message = caught.value.message
        assert message == f"{path}.num_attention_heads: missing, and nothing can stand in for it"
        assert caught.value.where is not None
        assert caught.value.where.path == f"{path}.num_attention_heads"


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("hidden_size", "64", "must be a whole number"),
        ("hidden_size", True, "must be a whole number"),
        ("hidden_size", 0, "0 is out of range (1 to 1,099,511,627,776)"),
        ("hidden_size", 10**400, "is out of range (1 to 1,099,511,627,776)"),
        ("num_hidden_layers", 10_001, "10,001 is out of range (1 to 10,000)"),
        ("num_key_value_heads", 8, "8 is out of range (1 to 4)"),
        ("tie_word_embeddings", 1, "must be true or false"),
        ("layer_types", ["full_attention"], "must be a list of 12 values, one for each layer"),
        ("model_type", 7, "must be a string"),
    ],
)
def test_a_garbled_field_is_named_with_what_it_should_be(key, value, what):
    with pytest.raises(ConfigError) as caught:
        read({**SMALL, key: value})
    assert caught.value.message == f"$.{key}: {what}"


def test_a_head_width_that_cannot_be_derived_has_to_be_given():
    with pytest.raises(ConfigError, match=r"^\$\.head_dim: missing"):
        read({**SMALL, "hidden_size": 66})


def test_more_experts_for_a_token_than_there_are_is_a_fault():
    with pytest.raises(ConfigError, match=r"^\$\.num_experts_per_tok: 9 of 8 experts"):
        read({**SMALL, "model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 9})


def test_a_family_nobody_knows_is_read_by_its_shape():
    shape = read({**SMALL, "model_type": "brandnew", "bos_token_id": 1, "rope_theta": 1e6})
    assert shape.notes == ("read-by-shape",)
    assert shape.tensors == read(SMALL).tensors


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"kv_lora_rank": 512}, "it has kv_lora_rank"),
        ({"hidden_size": None}, "it has no hidden_size"),
        ({"sliding_window": 128}, "it has a sliding_window but no layer_types"),
    ],
)
def test_a_family_nobody_knows_with_a_strange_shape_is_refused(keys, reason):
    with pytest.raises(ConfigError) as caught:
        read({**SMALL, "model_type": "qwen3x", **keys})
    assert caught.value.message == (
        f"$.model_type: 'qwen3x' is not a family this version reads, and {reason}"
    )
    assert "qwen3" in caught.value.suggestions


def test_a_key_that_is_switched_off_does_not_make_a_shape_strange():
    assert read({**SMALL, "model_type": "brandnew", "kv_lora_rank": None, "num_experts": 0})


@pytest.mark.parametrize("model_type", ["vit", "whisper", "gr00t_n1_5"])
def test_what_is_not_a_language_model_is_refused(model_type):
    with pytest.raises(ConfigError, match="is not a language model"):
        read({"model_type": model_type})
