"""What linked machines say to each other in a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_plan.core.num import Num


def all_reduce_s(
    *,
    calls: Num,
    latency_s: Num,
    message_bytes: Num,
    bandwidth_bytes_per_s: Num,
    devices: Num,
) -> Num:
    """Time of a step's all-reduces over a ring [s].

    calls x (latency + 2 (n - 1)/n x message / bandwidth). A decode step of L layers has 2 L + 1 of
    them (attention, feed-forward, head), each of batch x hidden elements.

    >>> round(all_reduce_s(calls=161, latency_s=75e-6, message_bytes=16384,
    ...                    bandwidth_bytes_per_s=25e9, devices=2) * 1e3, 2)
    12.18
    """
    ring = 2 * (devices - 1) / devices * message_bytes / bandwidth_bytes_per_s
    return calls * (latency_s + ring)


def pipeline_hop_s(*, devices: Num, hop_s: Num) -> Num:
    """Time of handing a step's state from stage to stage [s].

    >>> pipeline_hop_s(devices=3, hop_s=2e-3)
    0.004
    """
    return (devices - 1) * hop_s
