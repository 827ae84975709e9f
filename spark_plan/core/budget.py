"""What a machine lets a plan use, and when that is too close to the edge."""

from __future__ import annotations

from spark_plan.core.num import Num, ceil_div, maximum, minimum

FITS, TIGHT, DOES_NOT_FIT = "fits", "tight", "does_not_fit"

# The contract's limits (see docs of the verdict): on one pool shared with the operating system
# trouble starts when plan and system pass this share of what is visible, since the whole machine
# hangs rather than the process; a card or a capped pool only fails the plan, and later.
UNIFIED_TIGHT_SHARE = 0.85
DEVICE_TIGHT_SHARE = 0.95
CAPPED_TIGHT_SHARE = 0.95


def system_reserve_bytes(
    *, visible_bytes: Num, wanted_bytes: Num, gpu_limit_bytes: Num | None
) -> Num:
    """Memory the operating system keeps of a unified pool [bytes].

    At most a quarter of a small machine; where the driver caps what the GPU may use, everything
    above the cap belongs to the system.

    Args:
        visible_bytes: what the operating system reports.
        wanted_bytes: what a system like this needs (desktop or headless).
        gpu_limit_bytes: the driver's cap, None without one.

    >>> system_reserve_bytes(visible_bytes=16, wanted_bytes=8, gpu_limit_bytes=None)
    4.0
    >>> system_reserve_bytes(visible_bytes=122, wanted_bytes=8, gpu_limit_bytes=108)
    14
    """
    kept = minimum(wanted_bytes, visible_bytes / 4)
    if gpu_limit_bytes is None:
        return kept
    return maximum(visible_bytes - gpu_limit_bytes, kept)


def tight_limit_bytes(*, visible_bytes: Num, system_bytes: Num, unified: bool, capped: bool) -> Num:
    """The total above which a plan that fits is called tight [bytes].

    >>> round(tight_limit_bytes(visible_bytes=100, system_bytes=10, unified=True, capped=False), 6)
    75.0
    """
    if not unified:
        return DEVICE_TIGHT_SHARE * visible_bytes
    if capped:
        return CAPPED_TIGHT_SHARE * (visible_bytes - system_bytes)
    return UNIFIED_TIGHT_SHARE * visible_bytes - system_bytes


def verdict(*, total_bytes: float, usable_bytes: float, tight_above_bytes: float) -> str:
    """One plan's verdict: ``fits``, ``tight`` or ``does_not_fit``.

    >>> verdict(total_bytes=80, usable_bytes=90, tight_above_bytes=75)
    'tight'
    """
    if total_bytes > usable_bytes:
        return DOES_NOT_FIT
    return TIGHT if total_bytes > tight_above_bytes else FITS


RESERVE_STEP = 0.05


def reserve_fraction(*, total_bytes: float, visible_bytes: float, unified: bool) -> float:
    """The fraction of visible memory to give an engine that reserves, a multiple of 0.05 [-].

    The smallest that holds the plan, at most what leaves the system (unified) or the driver
    (device) its share.

    >>> reserve_fraction(total_bytes=47, visible_bytes=100, unified=True)
    0.5
    """
    ceiling = UNIFIED_TIGHT_SHARE if unified else DEVICE_TIGHT_SHARE
    # In steps before rounding up: 0.55 / 0.05 is a little more than 11 in binary.
    steps = ceil_div(round(total_bytes / visible_bytes / RESERVE_STEP, 9), 1)
    return round(min(steps * RESERVE_STEP, ceiling), 2)
