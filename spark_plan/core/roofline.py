"""The two elementary times, streaming bytes and multiplying, and the name of the larger part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_plan.core.num import Num


def stream_s(*, size_bytes: Num, bandwidth_bytes_per_s: Num, fraction: Num) -> Num:
    """Time to read bytes at the share of peak bandwidth a kernel reaches [s].

    Args:
        size_bytes: bytes read.
        bandwidth_bytes_per_s: the data sheet's peak.
        fraction: achieved over peak [-].

    >>> stream_s(size_bytes=273e9, bandwidth_bytes_per_s=273e9, fraction=0.5)
    2.0
    """
    return size_bytes / (bandwidth_bytes_per_s * fraction)


def compute_s(*, flops: Num, flops_per_s: Num) -> Num:
    """Time to multiply at an achieved rate [s].

    >>> compute_s(flops=1e12, flops_per_s=50e12)
    0.02
    """
    return flops / flops_per_s


def bound(parts: dict[str, float]) -> str:
    """The name of the largest part of a time: what limits it.

    >>> bound({"memory": 3.0, "compute": 1.0, "link": 0.0, "overhead": 0.5})
    'memory'
    """
    return max(parts, key=lambda name: parts[name])
