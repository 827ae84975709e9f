"""DeepSeek V4: one shared 512-wide vector a token, compressed 4:1 or 128:1, and a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.catalog.architecture.parts import Parts
from spark_plan.catalog.architecture.shapes import READ_LOOKUP, CacheGroup

if TYPE_CHECKING:
    from spark_plan.catalog.architecture.fields import Fields

# The compression whose blocks overlap and are chosen by an indexer; 128:1 is read whole.
_INDEXED_RATIO = 4


def read_deepseek_v4(fields: Fields, model_type: str) -> Parts:
    """Every layer keeps a window; `compress_ratios` says which keep compressed blocks besides."""
    parts = Parts(fields, model_type)
    layers = parts.layers
    parts.embeddings(tied=fields.flag("tie_word_embeddings", default=False))
    ratios = _ratios(fields, layers)
    _blocks(parts, layers)
    _streams_head(parts, 1)
    for ratio, count in ratios.items():
        _compressor(parts, count, ratio)
    hashed = fields.count("num_hash_layers", default=0, zero=True, most=layers)
    _experts(parts, layers, hashed=hashed)
    _caches(parts, ratios)
    drafts = fields.drafts("num_nextn_predict_layers")
    with parts.drafting():
        _blocks(parts, drafts)
        _streams_head(parts, drafts)
        _experts(parts, drafts)
        parts.add("eh_proj", "mtp", drafts, parts.hidden, 2 * parts.hidden)
        parts.norm(3 * parts.hidden, drafts)
    return parts


def _ratios(fields: Fields, layers: int) -> dict[int, int]:
    """Compression ratio -> how many layers have it; without those that have none (0)."""
    found = fields.items("compress_ratios", layers)
    if not found:
        raise fields.missing("compress_ratios")
    for index, item in enumerate(found):
        if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= 1 << 20:
            raise fields.fault(f"compress_ratios[{index}]", "must be a whole number, 0 for none")
    return {ratio: found.count(ratio) for ratio in sorted(set(found)) if ratio}


def _blocks(parts: Parts, layers: int) -> None:
    """Attention with low-rank queries and outputs, and the mixing of the residual streams."""
    fields, hidden, heads, head = parts.fields, parts.hidden, parts.heads, parts.head
    rank, out_rank = fields.count("q_lora_rank"), fields.count("o_lora_rank")
    groups = fields.count("o_groups", most=heads)
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


def _streams_head(parts: Parts, layers: int) -> None:
    """What joins the residual streams before the head."""
    streams = parts.fields.count("hc_mult")
    parts.add("hyper", "hyper", layers, streams, streams * parts.hidden)
    parts.bias(streams + 1, layers)


def _compressor(parts: Parts, layers: int, ratio: int) -> None:
    """Projections of keys and gates; 4:1 overlaps two blocks, so they are twice as wide."""
    fields, hidden, head = parts.fields, parts.hidden, parts.head
    wide = 2 if ratio == _INDEXED_RATIO else 1
    parts.add("index_compress", "indexer", layers, 2 * wide * head, hidden)
    parts.norm(head + ratio * wide * head, layers)
    if ratio == _INDEXED_RATIO:
        heads, index = fields.count("index_n_heads"), fields.count("index_head_dim")
        parts.add("index_q", "indexer", layers, heads * index, fields.count("q_lora_rank"))
        parts.add("index_weights", "indexer", layers, heads, hidden)
        parts.add("index_compress", "indexer", layers, 2 * wide * index, hidden)
        parts.norm(index + ratio * wide * index, layers)


def _experts(parts: Parts, layers: int, *, hashed: int = 0) -> None:
    """Experts in every layer; the first `hashed` choose them by a table of the token's id.

    Published totals agree to the unit with this reading: a table in place of a correction bias.
    """
    fields = parts.fields
    width, experts = fields.count("moe_intermediate_size"), fields.count("n_routed_experts")
    chosen = fields.count("num_experts_per_tok")
    shared = fields.count("n_shared_experts", default=0, zero=True) * width
    parts.experts(layers, experts, chosen, width, shared=shared)
    parts.add("router_bias", "router", layers - hashed, experts)
    parts.add("router_table", "router", hashed, parts.vocab, chosen, read=READ_LOOKUP)


def _caches(parts: Parts, ratios: dict[int, int]) -> None:
    """A window in all layers, one entry a block in the compressed ones; K and V are the same."""
    fields, head = parts.fields, parts.head
    pair = parts.heads * 2 * head
    window = fields.count("sliding_window")
    parts.caches.append(
        CacheGroup("sliding", parts.layers, head, 0, window, flop_elements=pair, head_elements=head)
    )
    for ratio, count in ratios.items():
        indexed = ratio == _INDEXED_RATIO
        parts.caches.append(
            CacheGroup(
                "compressed",
                count,
                head,
                0,
                tokens_per_entry=ratio,
                flop_elements=pair,
                attended_tokens=fields.count("index_topk") * ratio if indexed else None,
                head_elements=head,
            )
        )
        if indexed:
            heads, width = fields.count("index_n_heads"), fields.count("index_head_dim")
            parts.caches.append(
                CacheGroup(
                    "index", count, width, 0, tokens_per_entry=ratio, flop_elements=heads * width
                )
            )
