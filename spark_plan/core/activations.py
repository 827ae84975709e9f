"""Working memory of a step: what an engine holds besides weights and caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_plan.core.num import Num


def step_bytes(
    *,
    step_tokens: Num,
    hidden: Num,
    bytes_per_hidden: Num,
    logit_rows: Num,
    vocab: Num,
    bytes_per_logit: Num,
    context_tokens: Num,
    bytes_per_context_token: Num,
) -> Num:
    """Compute buffers an engine keeps for its largest step [bytes].

    step x hidden x a + rows x vocab x b + context x c: rows of the hidden state, logits, and the
    part that grows with context (attention masks).

    Args:
        step_tokens: tokens in the largest step (micro-batch or batched-token budget).
        hidden: width of the residual stream.
        bytes_per_hidden: bytes kept for each token and hidden element.
        logit_rows: rows of logits kept.
        vocab: entries of the vocabulary.
        bytes_per_logit: bytes for each logit.
        context_tokens: cells of all sequences.
        bytes_per_context_token: bytes for each.

    llama-3-8B, micro-batch 512, in an older llama.cpp build, printed 258.50 MiB:

    >>> step_bytes(step_tokens=512, hidden=4096, bytes_per_hidden=4, logit_rows=512, vocab=128256,
    ...            bytes_per_logit=4, context_tokens=0, bytes_per_context_token=0) / 2**20
    258.5
    """
    return (
        step_tokens * hidden * bytes_per_hidden
        + logit_rows * vocab * bytes_per_logit
        + context_tokens * bytes_per_context_token
    )
