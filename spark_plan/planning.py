"""From options to one plan: walk the choices of precision and engine, keep the first that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.core import budget
from spark_plan.errors import NoAnswerError
from spark_plan.plans import limits, llm
from spark_plan.plans.memory import memory
from spark_plan.records import NamedTuple
from spark_plan.scenario import look_up, resolve
from spark_plan.scenario.precision import choices

if TYPE_CHECKING:
    from spark_plan.catalog.catalog import Catalog
    from spark_plan.options import Options
    from spark_plan.scenario import Scenario, Subject

TEXT_TASKS = frozenset({"llm", "vlm", "embedding", "reranker"})


class Plan(NamedTuple):
    """A resolved question with its numbers and verdict."""

    scenario: Scenario
    estimate: llm.Estimate
    verdict: str


def verdict_of(scenario: Scenario) -> str:
    """Whether a scenario's load fits its machine: fits, tight or does_not_fit."""
    load, machine = scenario.load, scenario.machine
    total = memory(scenario, context_tokens=load.context_tokens, batch=load.batch).total_bytes
    return budget.verdict(
        total_bytes=total,
        usable_bytes=limits.capacity_bytes(scenario),
        tight_above_bytes=machine.tight_above_bytes,
    )


def plan(catalog: Catalog, options: Options, *, substitute: bool = False) -> Plan:
    """The plan an options record asks for.

    Of a ladder of precisions the first that fits, else the first that is tight, else the last.

    Args:
        catalog: where names are looked up.
        options: what was asked.
        substitute: replace a precision that nothing runs on the machine (many-plan commands).

    Raises:
        SparkPlanError: as `look_up`, `choices` and `resolve` do.
    """
    subject = look_up(catalog, options)
    _refuse_other_tasks(subject)
    tight: Scenario | None = None
    last: Scenario | None = None
    for choice in choices(
        catalog,
        subject.model,
        subject.hardware,
        subject.asked,
        subject.engine,
        substitute=substitute,
    ):
        scenario = resolve(catalog, options, subject, choice)
        verdict = verdict_of(scenario)
        if verdict == budget.FITS:
            return Plan(scenario, llm.estimate(scenario), verdict)
        if verdict == budget.TIGHT:
            tight = tight or scenario
        last = scenario
    picked = tight or last
    if picked is None:  # choices() yields at least one or raises
        raise NoAnswerError(f"nothing runs {subject.model.id} on {subject.hardware.name}")
    return Plan(picked, llm.estimate(picked), verdict_of(picked))


def _refuse_other_tasks(subject: Subject) -> None:
    if subject.model.task not in TEXT_TASKS:
        raise NoAnswerError(
            f"{subject.model.id} is a {subject.model.task} model: this version plans text models",
            hint="`spark-plan models list` shows each model's task",
        )
