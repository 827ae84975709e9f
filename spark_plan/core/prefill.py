"""Reading a prompt: matrix multiplications, attention over what came before, weights per chunk."""

from __future__ import annotations

from spark_plan.core.num import Num, ceil_div, maximum, minimum


def linear_flops(*, tokens: Num, parameters: Num) -> Num:
    """Multiplications and additions of passing tokens through matrices [FLOPs]: 2 for each weight.

    >>> linear_flops(tokens=1000, parameters=7e9)
    14000000000000.0
    """
    return 2 * tokens * parameters


def attention_flops(
    *, prompt_tokens: Num, depth_tokens: Num, window_tokens: Num | None, pair_elements: Num
) -> Num:
    """Attention of one sequence's prompt in one layer [FLOPs].

    2 x pair_elements for every query-key pair attended, causal: p (d + p/2) pairs in a full layer,
    at most p x window in a sliding one.

    Args:
        prompt_tokens: queries, p.
        depth_tokens: already cached before the prompt, d.
        window_tokens: None for a full layer.
        pair_elements: query heads x (key + value width).

    >>> attention_flops(prompt_tokens=1000, depth_tokens=0, window_tokens=None, pair_elements=8192)
    8192000000.0
    """
    mean_seen = depth_tokens + prompt_tokens / 2
    if window_tokens is not None:
        # Queries whose causal reach is still inside the window see less than the window.
        ramp = maximum(minimum(prompt_tokens, window_tokens - depth_tokens), 0)
        inside = ramp * (depth_tokens + ramp / 2)
        seen = inside + (prompt_tokens - ramp) * window_tokens
        return 2 * pair_elements * seen
    return 2 * pair_elements * prompt_tokens * mean_seen


def chunk_count(*, tokens: Num, chunk_tokens: Num) -> Num:
    """Passes over the weights a prompt takes [-].

    >>> chunk_count(tokens=1025, chunk_tokens=512)
    3
    """
    return ceil_div(tokens, chunk_tokens)
