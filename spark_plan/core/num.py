"""What arithmetic needs beyond operators, so that one formula serves a scalar and an array.

numpy is imported only when an argument is an array: a single question must not pay for it.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

# A float, an int, or a numpy array of them. Typed as float: arrays follow the same operators, and
# only the sweep, which makes the arrays, has to know.
Num: TypeAlias = float


def _scalar(value: object) -> bool:
    return isinstance(value, (int, float))


def maximum(first: Num, second: Num) -> Num:
    """The larger of two quantities, element by element for arrays.

    >>> maximum(3, 5)
    5
    """
    if _scalar(first) and _scalar(second):
        return max(first, second)
    import numpy as np

    return cast("Num", np.maximum(cast("Any", first), cast("Any", second)))


def minimum(first: Num, second: Num) -> Num:
    """The smaller of two quantities, element by element for arrays.

    >>> minimum(3, 5)
    3
    """
    if _scalar(first) and _scalar(second):
        return min(first, second)
    import numpy as np

    return cast("Num", np.minimum(cast("Any", first), cast("Any", second)))


def ceil_div(amount: Num, step: Num) -> Num:
    """How many whole steps cover an amount, for ints exactly.

    >>> ceil_div(257, 256)
    2
    """
    return -(-amount // step)


def select(condition: bool, then: Num, otherwise: Num) -> Num:
    """`then` where the condition (or an array of them) holds, `otherwise` elsewhere; both finite.

    >>> select(2 > 1, 10.0, 20.0)
    10.0
    """
    return then * condition + otherwise * (1 - condition)
