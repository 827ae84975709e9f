"""A system's profile and the options about it -> the plain numbers a plan needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spark_plan.core import budget
from spark_plan.errors import NoAnswerError, NumberError
from spark_plan.records import NamedTuple
from spark_plan.units import GIB, parse, parse_rate

if TYPE_CHECKING:
    from spark_plan.catalog.hardware import HardwareProfile, Pool
    from spark_plan.options import Options
    from spark_plan.scenario.evidence import Evidence

# Where nobody measured what the driver or the operating system reports (the contract's rule): cards
# lose about 2 % to ECC and firmware, unified systems about 5 % (121.69 of the Spark's 128 GiB).
DEVICE_VISIBLE_SHARE = 0.977
UNIFIED_VISIBLE_SHARE = 0.95
# A desktop session holds about 8 GiB of an idle Spark (MemTotal - MemAvailable 7.97 to 8.63 GiB,
# github.com/Syllo/nvtop/issues/449); half of it without one.
SYSTEM_DESKTOP_BYTES = 8 * GIB
SYSTEM_HEADLESS_BYTES = 4 * GIB


class Machine(NamedTuple):
    """One device of the plan, in base units [bytes, bytes/s, FLOP/s].

    `peak_flops_per_s` is the dense 16-bit matrix peak (32-bit where there is none): shares of it
    are what the efficiency terms state. Infinite where nobody published one: multiplying then
    takes no time in what decoding waits for, and there is no prefill to state.
    """

    visible_bytes: int
    system_bytes: int
    tight_above_bytes: float
    unified: bool
    capped: bool
    headless: bool
    bandwidth_bytes_per_s: float
    peak_flops_per_s: float
    memory_fraction: float | None

    @property
    def usable_bytes(self) -> int:
        """What a plan may use."""
        return self.visible_bytes - self.system_bytes


def resolve_machine(hardware: HardwareProfile, options: Options, evidence: Evidence) -> Machine:
    """The machine as numbers, every input cited.

    Raises:
        NoAnswerError: the profile lacks a figure without which there is no answer.
        NumberError: a bad --visible or --memory-fraction.
    """
    if not hardware.pools:
        raise NoAnswerError(f"{hardware.name}: its memory is not known", hint="see --profiles")
    pool = hardware.pools[0]
    unified = pool.kind != "device"
    visible = _visible(hardware, pool, options, evidence)
    limit = _gpu_limit(hardware, pool, evidence)
    headless = bool(options.headless)
    system = 0
    if unified:
        wanted = _system_wanted(hardware, pool, evidence, headless=headless)
        system = round(
            budget.system_reserve_bytes(
                visible_bytes=visible, wanted_bytes=wanted, gpu_limit_bytes=limit
            )
        )
    tight = budget.tight_limit_bytes(
        visible_bytes=visible, system_bytes=system, unified=unified, capped=limit is not None
    )
    bandwidth = evidence.use(
        "hardware.memory[0].bandwidth_bytes_per_s", pool.bandwidth_bytes_per_s, hardware
    )
    return Machine(
        visible_bytes=visible,
        system_bytes=system,
        tight_above_bytes=tight,
        unified=unified,
        capped=limit is not None,
        headless=headless,
        bandwidth_bytes_per_s=bandwidth,
        peak_flops_per_s=_peak(hardware, evidence),
        memory_fraction=_fraction(options),
    )


def _visible(hardware: HardwareProfile, pool: Pool, options: Options, evidence: Evidence) -> int:
    quantity = "hardware.memory[0].visible_bytes"
    if options.visible_bytes is not None:
        stated = parse(str(options.visible_bytes), "size", name="--visible")
        evidence.flag(quantity, stated)
        return stated
    if pool.visible_bytes is not None and pool.visible_bytes.value is not None:
        return round(evidence.use(quantity, pool.visible_bytes, hardware))
    if pool.capacity_bytes is None or pool.capacity_bytes.value is None:
        raise NoAnswerError(
            f"{hardware.name} is sold with any memory: say how much it has",
            hint="add --visible 128GiB, or a profile of your own that extends it",
        )
    capacity = evidence.use("hardware.memory[0].capacity_bytes", pool.capacity_bytes, hardware)
    device = pool.kind == "device"
    share = DEVICE_VISIBLE_SHARE if device else UNIFIED_VISIBLE_SHARE
    known = not device or hardware.vendor == "nvidia"
    evidence.rule(
        quantity,
        round(capacity * share),
        "derived" if known else "assumed",
        hardware,
        f"{share} x capacity: nobody published what this system reports",
        pool.capacity_bytes,
    )
    return round(capacity * share)


def _gpu_limit(hardware: HardwareProfile, pool: Pool, evidence: Evidence) -> float | None:
    if pool.gpu_limit_bytes is not None and pool.gpu_limit_bytes.value is not None:
        return evidence.use("hardware.memory[0].gpu_limit_bytes", pool.gpu_limit_bytes, hardware)
    if pool.gpu_limit_fraction is not None and pool.gpu_limit_fraction.value is not None:
        share = evidence.use(
            "hardware.memory[0].gpu_limit_fraction", pool.gpu_limit_fraction, hardware
        )
        return share * evidence.use(
            "hardware.memory[0].capacity_bytes", pool.capacity_bytes, hardware
        )
    return None


def _system_wanted(
    hardware: HardwareProfile, pool: Pool, evidence: Evidence, *, headless: bool
) -> float:
    key = "system_headless_bytes" if headless else "system_desktop_bytes"
    figure = pool.system_headless_bytes if headless else pool.system_desktop_bytes
    quantity = f"hardware.memory[0].{key}"
    if figure is not None and figure.value is not None:
        return evidence.use(quantity, figure, hardware)
    value = SYSTEM_HEADLESS_BYTES if headless else SYSTEM_DESKTOP_BYTES
    evidence.rule(
        quantity, value, "assumed", hardware, "an idle system's share, as on a Spark", None
    )
    return value


def _peak(hardware: HardwareProfile, evidence: Evidence) -> float:
    for name in ("bf16", "fp16", "fp32"):
        figure = hardware.flops_per_s.get(name)
        if figure is not None and figure.value is not None:
            return evidence.use(f"hardware.flops_per_s.{name}", figure, hardware)
    evidence.note(
        "no-matrix-rate",
        "No matrix rate of this machine is known: there is no prefill to state, and a batch's "
        "decode rate leaves multiplying out.",
    )
    return math.inf


def _fraction(options: Options) -> float | None:
    if options.memory_fraction is None:
        return None
    value = parse_rate(options.memory_fraction, name="--memory-fraction")
    if value > 1:
        raise NumberError(f"--memory-fraction: {value:g} is not between 0 and 1")
    return value
