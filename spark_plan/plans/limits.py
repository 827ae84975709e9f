"""How far a plan can go: the largest context and batch that still fit, by bisection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.plans.memory import memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_plan.scenario import Scenario

LARGEST_BATCH = 1 << 20


def largest(fits: Callable[[int], bool], ceiling: int) -> int:
    """The largest whole number up to `ceiling` that fits, 0 when none does.

    `fits` never becomes true again once it is false.

    >>> largest(lambda n: n * 7 <= 100, 1000)
    14
    """
    if not fits(1):
        return 0
    low, high = 1, 2
    while high <= ceiling and fits(high):
        low, high = high, high * 2
    high = min(high, ceiling + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def capacity_bytes(scenario: Scenario) -> float:
    """What a plan's total may reach without being does_not_fit [bytes]."""
    machine = scenario.machine
    if machine.memory_fraction is None:
        return machine.usable_bytes
    return min(machine.usable_bytes, machine.memory_fraction * machine.visible_bytes)


def max_context_tokens(scenario: Scenario) -> int:
    """The largest context at the plan's batch, whole blocks up to the model's maximum [tokens]."""
    capacity, block = capacity_bytes(scenario), int(scenario.engine_memory.block_tokens)
    ceiling = scenario.architecture.max_context_tokens
    batch = scenario.load.batch

    def fits(blocks: int) -> bool:
        context = min(blocks * block, ceiling)
        return memory(scenario, context_tokens=context, batch=batch).total_bytes <= capacity

    return min(largest(fits, -(-ceiling // block)) * block, ceiling)


def max_batch(scenario: Scenario) -> int:
    """The most sequences at the plan's context [sequences]."""
    capacity, context = capacity_bytes(scenario), scenario.load.context_tokens

    def fits(batch: int) -> bool:
        return memory(scenario, context_tokens=context, batch=batch).total_bytes <= capacity

    return largest(fits, LARGEST_BATCH)
