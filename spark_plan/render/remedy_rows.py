"""What would make a plan fit that does not, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan import units
from spark_plan.render import words
from spark_plan.render.fit_rows import RemedyRow
from spark_plan.render.words import pick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_plan.result import PlanResult

_VERDICTS = {"fits": "fits", "tight": "fits, tight", "does_not_fit": "does not fit either"}


def remedy_rows(plan: PlanResult) -> Iterator[RemedyRow]:
    """One row a remedy: the option that makes it, the verdict, the speed, what to know."""
    for entry in plan.remedies or ():
        option, comment = _change(str(pick(entry, "kind", "")), pick(entry, "value", ""), plan)
        verdict = str(pick(entry, "verdict", ""))
        speed, low, high = (pick(entry, name) for name in ("tokens_per_s", "low", "high"))
        text = f"{units.rate(speed)} tok/s" if speed is not None else ""
        if text and low is not None and high is not None:
            text += f" ({words.span(low, high)})"
        style = words.STYLES.get(verdict, "")
        yield RemedyRow(option, _VERDICTS.get(verdict, verdict), style, text, comment)


def _change(kind: str, value: Any, plan: PlanResult) -> tuple[str, str]:
    """The option and a word about it."""
    if kind == "devices":
        return f"--devices {value}", "linked, each as this one"
    if kind == "precision":
        return f"--precision {value}", "large loss of quality" if words.loses_much(value) else ""
    if kind == "context":
        return f"--context {value}", f"tokens, not {plan.load.context_tokens:,}"
    if kind == "batch":
        return f"--batch {value}", f"not {plan.load.batch:,}"
    if kind == "hardware":
        return f"--on {value}", ""
    return f"{kind} {value}", ""
