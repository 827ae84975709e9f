"""The one table of units: text from a person to base units, base units to text for a person.

Inside the package everything is in base units (bytes, seconds, tokens, FLOP/s, watts, dollars).
Only this module and the renderers know of GB, GiB, ms or TFLOPS.
"""

from __future__ import annotations

import math
import re

from spark_plan.errors import NumberError

KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40

# suffix -> factor, per kind of quantity; suffixes are matched without regard to case except where
# two would collide.
SIZE_BYTES = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": KIB,
    "mib": MIB,
    "gib": GIB,
    "tib": TIB,
}
# Context lengths are powers of two in every model card: 8k is 8,192, 1m is 1,048,576.
TOKENS = {"": 1, "k": KIB, "m": MIB}
# Parameter counts are decimal: 70b is 70e9.
PARAMETERS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}

_NUMBER = re.compile(r"^\s*([0-9][0-9_,]*(?:\.[0-9]+)?|\.[0-9]+)\s*([a-zA-Z]*)\s*$")
_LARGEST = 2**53  # the largest count a float64 sweep still holds exactly
_MAX_TEXT = 40


def parse(text: str, kind: str, *, name: str = "value") -> int:
    """Whole number of base units written by a person.

    Args:
        text: such as ``8k``, ``1.5k``, ``70b``, ``96 GiB``.
        kind: ``tokens``, ``parameters`` or ``size`` (a size needs its unit).
        name: what the number is, for the message.

    Returns:
        The count in base units [tokens, parameters or bytes], positive.

    Raises:
        NumberError: for anything else: negative, NaN, zero, fractions of a token, unknown suffix.

    >>> parse("1.5k", "tokens"), parse("70b", "parameters"), parse("2 GiB", "size")
    (1536, 70000000000, 2147483648)
    """
    table = {"tokens": TOKENS, "parameters": PARAMETERS, "size": SIZE_BYTES}[kind]
    match = _NUMBER.match(text) if len(text) <= _MAX_TEXT else None
    suffix = match.group(2).lower() if match else ""
    if match is None or suffix not in table:
        example = {"tokens": "8192 or 8k", "parameters": "70b", "size": "96GiB or 24GB"}[kind]
        raise NumberError(
            f"{name}: {_shown(text)} is not a number of {_MEANING[kind]}", hint=f"write {example}"
        )
    value = float(match.group(1).replace("_", "").replace(",", "")) * table[suffix]
    if kind == "size" and table[suffix] > 1:
        value = float(round(value))  # systems report GiB to two decimals
    if value != int(value):
        raise NumberError(f"{name}: {_shown(text)} is not a whole number of {_MEANING[kind]}")
    if not 0 < value <= _LARGEST:
        raise NumberError(f"{name}: {_shown(text)} is out of range")
    return int(value)


_MEANING = {"tokens": "tokens", "parameters": "parameters", "size": "bytes with a unit"}


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "...")


def parse_rate(text: str | float, *, name: str) -> float:
    """A positive finite number, such as tokens per second or seconds.

    Raises:
        NumberError: when it is none.

    >>> parse_rate("2.5", name="--max-ttft")
    2.5
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise NumberError(f"{name}: {_shown(str(text))} is not a positive number")
    return value


def gib(value_bytes: float) -> str:
    """Bytes in GiB, for a table [GiB], two decimals below 1,000.

    >>> gib(2**30 * 1.5), gib(-(2**29))
    ('1.50', '-0.50')
    """
    amount = value_bytes / GIB
    return f"{amount:,.2f}" if abs(amount) < 999.995 else f"{amount:,.0f}"


def gigabytes(value_bytes: float) -> str:
    """Bytes in GB (10^9), one decimal.

    >>> gigabytes(63_387_346_464)
    '63.4 GB'
    """
    return f"{value_bytes / 1e9:,.1f} GB"


def rate(value: float) -> str:
    """A rate to two or three significant figures, as people say it.

    >>> rate(4.913), rate(58.31), rate(1874.2)
    ('4.9', '58', '1,870')
    """
    if value <= 0:
        return "0"
    if value < 9.95:  # from there on one decimal would be three figures: 10.0
        return f"{value:.1f}" if value >= 1 else f"{value:.2g}"
    digits = -(math.floor(math.log10(value)) - 2)
    return f"{round(value, min(digits, 0)):,.0f}"


def seconds(value_s: float) -> str:
    """Seconds for a person: ms below a tenth, minutes above two.

    >>> seconds(0.0123), seconds(0.546), seconds(150)
    ('12 ms', '0.55 s', '2.5 min')
    """
    if value_s < 0.1:
        return f"{value_s * 1e3:.0f} ms" if value_s >= 0.001 else f"{value_s * 1e3:.2g} ms"
    if value_s < 120:
        return f"{value_s:.2f} s" if value_s < 10 else f"{value_s:.0f} s"
    return f"{value_s / 60:.1f} min"


def tokens(count: int) -> str:
    """A token count as model cards write it.

    >>> tokens(8192), tokens(131072), tokens(1000)
    ('8k', '128k', '1,000')
    """
    if count >= MIB and count % MIB == 0:
        return f"{count // MIB}m"
    return f"{count // KIB}k" if count >= KIB and count % KIB == 0 else f"{count:,}"


def parameters(count: float) -> str:
    """Parameters as people say them.

    >>> parameters(70_553_706_496), parameters(270_000_000)
    ('70.6B', '270M')
    """
    return f"{count / 1e9:.1f}B" if count >= 1e9 else f"{count / 1e6:.0f}M"
