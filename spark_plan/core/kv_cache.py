"""Attention caches: how many cells an engine allocates, what they hold, and what a step reads."""

from __future__ import annotations

from spark_plan.core.num import Num, ceil_div, maximum, minimum


def allocated_tokens(*, context_tokens: Num, block_tokens: Num) -> Num:
    """Cells one sequence reserves, whole blocks [tokens].

    llama.cpp pads to 256 cells (src/llama-kv-cache.cpp), vLLM allots blocks of 16 tokens.

    >>> allocated_tokens(context_tokens=1000, block_tokens=256)
    1024
    """
    return ceil_div(context_tokens, block_tokens) * block_tokens


def windowed_tokens(
    *, context_tokens: Num, window_tokens: Num, padding_tokens: Num, block_tokens: Num
) -> Num:
    """Cells a sliding-window layer reserves for one sequence [tokens].

    pad(min(context, window + micro-batch)): the tokens of the step in flight need their own cells
    beside the window (llama.cpp src/llama-kv-cache-iswa.cpp); engines without that rule pass a
    padding of 0.

    >>> windowed_tokens(context_tokens=131072, window_tokens=128, padding_tokens=1024,
    ...                 block_tokens=256)
    1280
    """
    return allocated_tokens(
        context_tokens=minimum(context_tokens, window_tokens + padding_tokens),
        block_tokens=block_tokens,
    )


def cache_bytes(*, layers: Num, tokens: Num, elements_per_token: Num, bits_per_element: Num) -> Num:
    """Memory of one sequence's cache in layers of one shape [bytes].

    Args:
        layers: layers of this shape.
        tokens: cells allocated in each.
        elements_per_token: keys and values of one layer and token.
        bits_per_element: width in the cache, block scales included (q8_0: 8.5).

    Llama-3.1-8B, 8,192 tokens at f16 is 1 GiB:

    >>> cache_bytes(layers=32, tokens=8192, elements_per_token=2048, bits_per_element=16) / 2**30
    1.0
    """
    return layers * tokens * elements_per_token * bits_per_element / 8


def heads_per_device(*, kv_heads: Num, devices: Num) -> Num:
    """Share of the cache a tensor-parallel device holds [-]: heads are cut, never split.

    With fewer heads than devices each device keeps a whole head, so heads are replicated.

    >>> heads_per_device(kv_heads=8, devices=2), heads_per_device(kv_heads=1, devices=2)
    (0.5, 1.0)
    """
    return maximum(ceil_div(kv_heads, devices), 1) / kv_heads
