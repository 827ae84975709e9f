"""Families of their own: DeepSeek V4, MiniMax M3, MiMo V2, Gemma 3n and 4, LFM2, Nemotron NAS."""

from __future__ import annotations

from spark_plan.catalog.architecture.fields import Fields
from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import READ_LOOKUP, CacheGroup


def read_deepseek_v4(fields: Fields, model_type: str) -> Parts:
    """DeepSeek V4: one shared 512-wide vector a token, compressed 4:1 or 128:1, and a window."""
    parts = Parts(fields, model_type)
    layers, hidden, heads, head = parts.layers, parts.hidden, parts.heads, parts.head
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    ratios = [int(r) for r in fields.items("compress_ratios", layers) if isinstance(r, int)]
    if len(ratios) != layers:
        raise fields.fault("compress_ratios", "must be a list of whole numbers, one for each layer")
    _v4_block(parts, layers, ratios)
    streams = fields.count("hc_mult")
    parts.add("hyper", "hyper", 1, streams, streams * hidden)
    parts.bias(streams + 1, 1)
    window = fields.count("sliding_window")
    index_heads, index = fields.count("index_n_heads"), fields.count("index_head_dim")
    pair = heads * 2 * head
    parts.caches.append(
        CacheGroup("sliding", layers, head, 0, window, flop_elements=pair, head_elements=head)
    )
    for ratio in sorted({r for r in ratios if r}):
        count = ratios.count(ratio)
        indexed = ratio == 4
        parts.caches.append(
            CacheGroup(
                "compressed", count, head, 0, None, ratio, pair, head_elements=head,
                attended_tokens=fields.count("index_topk") * ratio if indexed else None,
            )
        )  # fmt: skip
        if indexed:
            parts.caches.append(
                CacheGroup("index", count, index, 0, None, ratio, index_heads * index)
            )
    for _ in range(fields.count("num_nextn_predict_layers", default=0, zero=True)):
        parts.prefix = "mtp_"
        _v4_block(parts, 1, [0])
        parts.add("eh_proj", "mtp", 1, hidden, 2 * hidden)
        parts.norm(3 * hidden)
        parts.add("hyper", "hyper", 1, streams, streams * hidden)
        parts.bias(streams + 1, 1)
        parts.prefix = ""
    return parts


def _v4_block(parts: Parts, layers: int, ratios: list[int]) -> None:
    fields, hidden, heads, head = parts.fields, parts.hidden, parts.heads, parts.head
    rank, out_rank = fields.count("q_lora_rank"), fields.count("o_lora_rank")
    groups = fields.count("o_groups")
    parts.add("attn_q_a", "attention", layers, rank, hidden)
    parts.norm(rank, layers)
    parts.add("attn_q_b", "attention", layers, heads * head, rank)
    parts.add("attn_kv_a", "attention", layers, head, hidden)
    parts.norm(head, layers)
    parts.add("attn_o_a", "attention", layers, groups * out_rank, heads * head // groups)
    parts.add("attn_o_b", "attention", layers, hidden, groups * out_rank)
    parts.add("attn_sinks", "attention", layers, heads)
    parts.norm(2 * hidden, layers)
    streams = fields.count("hc_mult")
    mixes = 2 * streams + streams * streams
    parts.add("hyper", "hyper", layers, 2 * mixes, streams * hidden)
    parts.bias(2 * (mixes + 3), layers)
    index_heads, index = fields.count("index_n_heads"), fields.count("index_head_dim")
    for ratio in sorted({r for r in ratios if r}):
        count = ratios.count(ratio)
        # A compressor projects keys and gates; 4:1 overlaps two blocks, so it is twice as wide.
        wide = 2 if ratio == 4 else 1
        parts.add("index_compress", "indexer", count, 2 * wide * head, hidden)
        parts.norm(head + ratio * wide * head, count)
        if ratio == 4:
            parts.add("index_q", "indexer", count, index_heads * index, rank)
            parts.add("index_weights", "indexer", count, index_heads, hidden)
            parts.add("index_compress", "indexer", count, 2 * wide * index, hidden)
            parts.norm(index + ratio * wide * index, count)
    width, experts = fields.count("moe_intermediate_size"), fields.count("n_routed_experts")
    parts.experts(
        layers, experts, fields.count("num_experts_per_tok"), width,
        shared=fields.count("n_shared_experts", default=0, zero=True) * width, router_bias=True,
    )  # fmt: skip


def read_minimax_m3(fields: Fields, model_type: str) -> Parts:
    """MiniMax M3: grouped queries, most layers with a block index of four heads."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    parts.attention(layers, norm="head")
    parts.norm(2 * parts.hidden, layers)
    sparse = fields.nested("sparse_attention_config")
    indexed = 0
    attended = None
    if sparse is not None:
        indexed = sum(1 for on in sparse.items("sparse_attention_freq", layers) if on)
        width, heads = sparse.count("sparse_index_dim"), sparse.count("sparse_num_index_heads")
        attended = sparse.count("sparse_topk_blocks") * sparse.count("sparse_block_size")
        parts.add("index_q", "indexer", indexed, heads * width, parts.hidden)
        parts.add("index_k", "indexer", indexed, width, parts.hidden)
        parts.norm(2 * width, indexed)
        parts.caches.append(CacheGroup("index", indexed, width, 0, flop_elements=heads * width))
    parts.cache(layers - indexed)
    parts.cache(indexed, attended=attended)
    experts_on = sum(1 for on in fields.items("moe_layer_freq", layers) if on)
    parts.feed_forward(layers - experts_on, fields.count("dense_intermediate_size"))
    width = fields.count("intermediate_size")
    parts.experts(
        experts_on, fields.count("num_local_experts"), fields.count("num_experts_per_tok"), width,
        shared=fields.count("shared_intermediate_size", default=0, zero=True), router_bias=True,
    )  # fmt: skip
    return parts


def read_mimo_v2(fields: Fields, model_type: str) -> Parts:
    """MiMo-V2: window layers with more key heads than full ones, keys wider than values."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    pattern = fields.items("hybrid_layer_pattern", layers)
    windowed = sum(1 for item in pattern if item)
    value = fields.count("v_head_dim")
    heads, kv_heads = (
        fields.count("swa_num_attention_heads"),
        fields.count("swa_num_key_value_heads"),
    )
    head, near_value = fields.count("swa_head_dim"), fields.count("swa_v_head_dim")
    parts.attention(layers - windowed, value=value)
    parts.attention(windowed, heads=heads, kv_heads=kv_heads, head=head, value=near_value)
    if fields.flag("add_swa_attention_sink_bias", default=False):
        parts.add("attn_sinks", "attention", windowed, heads)
    parts.norm(2 * parts.hidden, layers)
    parts.cache(layers - windowed, value=value)
    parts.cache(
        windowed, kind="sliding", window=fields.count("sliding_window"), heads=heads,
        kv_heads=kv_heads, head=head, value=near_value,
    )  # fmt: skip
    sparse = sum(1 for item in fields.items("moe_layer_freq", layers) if item)
    parts.feed_forward(layers - sparse, fields.count("intermediate_size"))
    parts.experts(
        sparse, fields.count("n_routed_experts"), fields.count("num_experts_per_tok"),
        fields.count("moe_intermediate_size"), router_bias=True,
    )  # fmt: skip
    return parts


def read_lfm2(fields: Fields, model_type: str) -> Parts:
    """LFM2: short convolutions beside grouped-query attention."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    kinds = fields.words("layer_types", layers)
    full = kinds.count("full_attention")
    conv = layers - full
    kernel = fields.count("conv_L_cache")
    parts.add("conv_in", "conv", conv, 3 * hidden, hidden)
    parts.add("conv_dw", "conv", conv, hidden, kernel)
    parts.add("conv_out", "conv", conv, hidden, hidden)
    parts.attention(full, norm="head")
    parts.cache(full)
    parts.norm(2 * hidden, layers)
    parts.state("conv", conv, 0, hidden * (kernel - 1), 2 * hidden * kernel)
    width = fields.count("block_ff_dim", "intermediate_size")
    if fields.flag("block_auto_adjust_ff_dim", default=False):
        multiple = fields.count("block_multiple_of", default=256)
        width = int(fields.ratio("block_ffn_dim_multiplier", 1.0) * int(2 * width / 3))
        width = multiple * -(-width // multiple)
    dense = layers
    if fields.has("num_experts"):
        dense = fields.count("num_dense_layers", default=0, zero=True)
        parts.experts(
            layers - dense, fields.count("num_experts"), fields.count("num_experts_per_tok"),
            fields.count("moe_intermediate_size"),
        )  # fmt: skip
    parts.feed_forward(dense, width)
    return parts


def read_nas(fields: Fields, model_type: str) -> Parts:
    """Llama-Nemotron Super: each block's attention and MLP as the search left them."""
    parts = Parts(fields, model_type)
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    blocks = [
        Fields(block, f"$.block_configs[{i}]")
        for i, block in enumerate(fields.items("block_configs", parts.layers))
    ]
    if len(blocks) != parts.layers:
        raise fields.fault("block_configs", "missing, and nothing can stand in for it")
    kept: dict[int, int] = {}
    for block in blocks:
        attention, mlp = block.nested("attention"), block.nested("ffn")
        if attention is not None and attention.has("n_heads_in_group"):
            parts.norm(parts.hidden)
            heads = parts.heads // attention.count("n_heads_in_group")
            kept[heads] = kept.get(heads, 0) + 1
        elif attention is not None and attention.flag("replace_with_linear", default=False):
            parts.add("attn_output", "attention", 1, parts.hidden, parts.hidden)
            parts.norm(parts.hidden)
        if mlp is not None and mlp.has("ffn_mult"):
            width = int(2 * mlp.ratio("ffn_mult", 1.0) * parts.hidden / 3)
            parts.feed_forward(1, 256 * -(-width // 256))
            parts.norm(parts.hidden)
    for heads, count in kept.items():
        parts.attention(count, kv_heads=heads)
        parts.cache(count, kv_heads=heads)
    parts.kv_heads = max(kept, default=parts.kv_heads)
    return parts


def read_gemma_small(fields: Fields, model_type: str) -> Parts:
    """Gemma 3n: alternating updates, per-layer embeddings, last layers that share their cache."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    inner = fields.count("hidden_size_per_layer_input")
    per_layer_embeddings(parts, inner)
    parts.attention(layers, norm="head")
    parts.norm(4 * hidden, layers)
    rank = fields.count("laurel_rank")
    parts.add("hyper", "hyper", layers, 2 * rank, hidden)
    parts.norm(hidden, layers)
    streams = fields.count("altup_num_inputs")
    parts.add("hyper", "hyper", 1, 2 * (streams - 1) * hidden, hidden)
    # correction and prediction coefficients, a router over the streams and its norm
    parts.add("hyper", "hyper", layers, streams, hidden)
    parts.norm(2 * hidden + streams * streams + streams**3, layers)
    parts.feed_forward(layers, fields.count("intermediate_size"))
    own = layers - fields.count("num_kv_shared_layers", default=0, zero=True)
    kinds = fields.words("layer_types", layers)[:own]
    near = sum(1 for kind in kinds if kind.startswith("sliding"))
    parts.cache(own - near)
    parts.cache(near, kind="sliding", window=fields.count("sliding_window"))
    return parts


def per_layer_embeddings(parts: Parts, inner: int) -> None:
    """A second embedding table, one row of it for each layer and token; hardly any bandwidth."""
    layers, hidden = parts.layers, parts.hidden
    rows = parts.fields.count("vocab_size_per_layer_input")
    parts.add("ple_embd", "ple", 1, rows, layers * inner, read=READ_LOOKUP)
    parts.add("ple_model_proj", "ple", 1, layers * inner, hidden)
    parts.norm(inner)
    parts.add("ple_gate", "ple", layers, inner, hidden)
    parts.add("ple_proj", "ple", layers, hidden, inner)
    parts.norm(hidden, layers)


def read_gemma4(fields: Fields, model_type: str) -> Parts:
    """Gemma 4: wide heads in full layers, values that are the keys, experts beside a dense MLP."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=True))
    inner = fields.count("hidden_size_per_layer_input", default=0, zero=True)
    if inner:
        per_layer_embeddings(parts, inner)
    shared = fields.count("num_kv_shared_layers", default=0, zero=True)
    own = layers - shared
    kinds = fields.words("layer_types", layers)
    wide = fields.count("global_head_dim", default=parts.head)
    wide_kv = fields.count("num_global_key_value_heads", default=parts.kv_heads)
    values = not fields.flag("attention_k_eq_v", default=False)
    for start, stop, keys in ((0, own, True), (own, layers, False)):
        near = sum(1 for kind in kinds[start:stop] if kind.startswith("sliding"))
        full = stop - start - near
        parts.attention(near, norm="head", keys=keys)
        parts.attention(full, head=wide, kv_heads=wide_kv, norm="head", keys=keys, values=values)
        if keys:
            parts.cache(near, kind="sliding", window=fields.count("sliding_window"))
            parts.cache(full, head=wide, kv_heads=wide_kv)
    parts.norm(4 * hidden, layers)
    width = fields.count("intermediate_size")
    double = fields.flag("use_double_wide_mlp", default=False) and shared
    parts.feed_forward(own if double else layers, width)
    parts.feed_forward(shared if double else 0, 2 * width)
    if fields.flag("enable_moe_block", default=False):
        experts = fields.count("num_experts")
        expert = fields.count("moe_intermediate_size", "expert_intermediate_size")
        parts.experts(layers, experts, fields.count("top_k_experts"), expert)
        parts.norm(3 * hidden + hidden + experts, layers)
    return parts


def read_mllama(fields: Fields, model_type: str) -> Parts:
    """Llama 3.2 Vision: cross-attention layers keep the image's keys and values, not the text's."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    cross = fields.data.get("cross_attention_layers")
    crossing = len(cross) if isinstance(cross, list) else 0
    if crossing >= layers:
        raise fields.fault("cross_attention_layers", "names every layer")
    parts.embeddings(tied=False, rows=parts.vocab + 8)
    parts.attention(layers - crossing)
    parts.attention(crossing, norm="head")
    parts.norm(2 * parts.hidden, layers)
    parts.bias(2, crossing)
    parts.cache(layers - crossing)
    parts.feed_forward(layers, fields.count("intermediate_size"))
    return parts


def read_encoder(fields: Fields, model_type: str) -> Parts:
    """BERT and XLM-R embedders and rerankers: no cache, biases everywhere."""
    parts = Parts(fields, model_type)
    layers, hidden = parts.layers, parts.hidden
    parts.encoder = True
    parts.tied = False
    parts.add("token_embd", "embedding", 1, parts.vocab, hidden, read=READ_LOOKUP)
    positions = fields.count("max_position_embeddings")
    parts.add("pos_embd", "embedding", 1, positions, hidden, read=READ_LOOKUP)
    parts.add("type_embd", "embedding", 1, fields.count("type_vocab_size", default=1), hidden,
              read=READ_LOOKUP)  # fmt: skip
    parts.norm(2 * hidden)
    parts.attention(layers, qkv_bias=True, out_bias=True)
    parts.feed_forward(layers, fields.count("intermediate_size"), matrices=2, bias=True)
    parts.norm(4 * hidden, layers)
    parts.add("cls_head", "head", 1, hidden, hidden)
    parts.bias(hidden, 1)
    architectures = fields.data.get("architectures")
    if isinstance(architectures, list) and "Classification" in str(architectures[:1]):
        parts.add("cls_head", "head", 1, fields.count("num_labels", default=1), hidden)
        parts.bias(fields.count("num_labels", default=1), 1)
    return parts
