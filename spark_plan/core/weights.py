"""How many bytes of weights exist, and how many of them a step reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_plan.core.num import Num


def distinct_experts(*, experts: Num, experts_per_token: Num, tokens: Num, spread: Num) -> Num:
    """Experts of one layer that a step of several tokens touches [experts].

    E (1 - (1 - k/E)^(T^a)): each of T tokens draws k of E experts at random; `spread` a is 1 for
    independent prompts and below 1 where the tokens of a batch resemble one another, which makes
    them share experts. Neither k (as for one token) nor E (all of them) is right in between.

    Args:
        experts: routed experts in a layer, E.
        experts_per_token: chosen for each token, k.
        tokens: tokens in the step, T.
        spread: exponent a [-], 0 < a <= 1.

    >>> round(distinct_experts(experts=128, experts_per_token=4, tokens=1, spread=1), 6)
    4.0
    >>> round(distinct_experts(experts=128, experts_per_token=4, tokens=32, spread=1), 1)
    81.7
    """
    untouched: Num = (1 - experts_per_token / experts) ** (tokens**spread)
    return experts * (1 - untouched)


def tensor_parallel_bytes(*, sharded_bytes: Num, replicated_bytes: Num, devices: Num) -> Num:
    """Weights one device holds when every matrix is cut over all devices [bytes].

    >>> tensor_parallel_bytes(sharded_bytes=80, replicated_bytes=2, devices=2)
    42.0
    """
    return sharded_bytes / devices + replicated_bytes


def pipeline_parallel_bytes(*, layer_bytes: Num, layers: Num, devices: Num, edge_bytes: Num) -> Num:
    """Weights of the fullest device when whole layers are dealt out [bytes].

    The fullest has ceil(layers / devices) layers and one of the ends: the embedding or the head.

    Args:
        layer_bytes: all layers together.
        layers: how many there are.
        devices: how many share them.
        edge_bytes: the larger of embedding and head.

    >>> pipeline_parallel_bytes(layer_bytes=90, layers=9, devices=2, edge_bytes=5)
    55.0
    """
    on_fullest = -(-layers // devices)
    return layer_bytes / layers * on_fullest + edge_bytes
