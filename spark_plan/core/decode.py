"""One step of decoding: an additive sum of everything that has to pass.

Times add because batch-1 kernels run one after another; a max() over resources, as in a classical
roofline, misses measured rates by twice as much. Fractions of bandwidth belong to kernels (by the
width they read), overheads to engines.
"""

from __future__ import annotations

from spark_plan.core.num import Num, minimum


def overhead_s(
    *, layers: Num, layer_s: Num, expert_layers: Num, expert_layer_s: Num, step_s: Num
) -> Num:
    """Fixed time of one step: launches and synchronisation [s].

    >>> round(overhead_s(layers=36, layer_s=23e-6, expert_layers=36, expert_layer_s=23e-6,
    ...                  step_s=0.2e-3) * 1e3, 3)
    1.856
    """
    return layers * layer_s + expert_layers * expert_layer_s + step_s


def attended_tokens(*, depth_tokens: Num, window_tokens: Num | None) -> Num:
    """Cached tokens one layer reads for one new token [tokens].

    >>> attended_tokens(depth_tokens=8192, window_tokens=128)
    128
    """
    return depth_tokens if window_tokens is None else minimum(depth_tokens, window_tokens)


def mean_depth_tokens(*, depth_tokens: Num, prompt_tokens: Num, output_tokens: Num) -> Num:
    """Cache length halfway through the output [tokens]: the mean over it, cache time being linear.

    >>> mean_depth_tokens(depth_tokens=0, prompt_tokens=1024, output_tokens=256)
    1152.0
    """
    return depth_tokens + prompt_tokens + output_tokens / 2


def narrow_share(*, hidden: Num, narrow_below: Num, wide_from: Num) -> Num:
    """How far a 16-bit matrix counts as narrow, 1 at `narrow_below`, 0 from `wide_from` on [-].

    Batch-1 GEMV kernels do not fill the machine with rows of a few thousand elements.

    >>> narrow_share(hidden=2048, narrow_below=3072, wide_from=4096)
    1.0
    >>> narrow_share(hidden=3584, narrow_below=3072, wide_from=4096)
    0.5
    """
    return minimum(1.0, (wide_from - minimum(hidden, wide_from)) / (wide_from - narrow_below))


def burst_wait_s(*, batch: Num, prompt_s: Num, output_tokens: Num, share: Num) -> Num:
    """Time a step waits for the others' prompts when a whole batch arrives at once [s].

    share x (B - 1) x (time of one prompt) / output: published concurrency rates contain it, and
    leaving it out misses them by half.

    >>> round(burst_wait_s(batch=5, prompt_s=0.5, output_tokens=100, share=0.9), 4)
    0.018
    """
    return share * (batch - 1) * prompt_s / output_tokens
