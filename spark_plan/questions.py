"""The plan commands as functions: options in, a Report out. Shell, Python and batch alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_plan import answer, errors, result
from spark_plan.core.budget import DOES_NOT_FIT, TIGHT
from spark_plan.errors import NoAnswerError, SparkPlanError, UsageError
from spark_plan.planning import plan
from spark_plan.remedies import hardware_id
from spark_plan.result import Entry
from spark_plan.scenario.load import resolve_load
from spark_plan.scenario.precision import fold_precision

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spark_plan.catalog.catalog import Catalog
    from spark_plan.options import Options
    from spark_plan.planning import Plan

# What `compare` weighs the Spark against unless told otherwise (the contract's list).
COMPARED = (
    "dgx-spark", "rtx-pro-5000-72", "rtx-pro-6000", "rtx-5090", "dgx-station-gb300",
    "m3-ultra-80c-819@256", "strix-halo", "jetson-thor", "h200-sxm",
)  # fmt: skip
SORTS = ("decode", "prefill", "price", "power", "memory")

FIRST_VALUES = (
    "speeds-first-values",
    (
        "Speeds stand on first values for each class of machine and engine, not yet refitted on "
        "the measurements; ranges are meant to hold four times in five."
    ),
)


class Notes:
    """The notes of a report, each once, with the results it concerns."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._results: dict[str, list[int]] = {}

    def add(self, code: str, text: str, index: int) -> None:
        """Note something about one result."""
        self._texts.setdefault(code, text)
        self._results.setdefault(code, []).append(index)

    def all(self, count: int) -> tuple[result.Note, ...]:
        """The notes; those about every one of `count` results name none."""
        return tuple(
            result.Note(code, text, None if len(set(where)) == count else tuple(sorted(set(where))))
            for code, text in self._texts.items()
            for where in (self._results[code],)
        )


def fit(catalog: Catalog, options: Options, *, brief: bool = False) -> result.Report:
    """Does it fit on one system, how fast, and what limits it.

    Args:
        catalog: where names are looked up.
        options: what was asked.
        brief: leave out what would make a plan fit (it costs more than the plan).
    """
    if options.hardware and "," in options.hardware:
        raise UsageError(
            f"--on {options.hardware}: one system at a time",
            hint=f"spark-plan compare {options.model} --on {options.hardware}",
        )
    planned, answered, notes = _answer(catalog, options, brief=brief)
    gathered = Notes()
    for code, text in notes:
        gathered.add(code, text, 0)
    return result.Report(
        command="fit",
        request=_request(planned, answered),
        results=(answered,),
        notes=gathered.all(1),
        citations=planned.scenario.evidence.citations,
        exit_code=answered.exit_code,
        data_version=catalog.data_version,
    )


def _answer(
    catalog: Catalog, options: Options, *, substitute: bool = False, brief: bool = False
) -> tuple[Plan, result.PlanResult, list[tuple[str, str]]]:
    planned = plan(catalog, options, substitute=substitute)
    evidence = planned.scenario.evidence
    _common_notes(catalog, options, planned)
    answered = answer.build(catalog, options, planned, brief=brief)
    if planned.verdict == DOES_NOT_FIT and options.precision in {None, "auto"}:
        evidence.note("lower-precision", _lower_precision(answered, brief=brief))
    notes = list(evidence.notes.items())
    return planned, answered._replace(notes=tuple(code for code, _ in notes)), notes


def _lower_precision(answered: result.PlanResult, *, brief: bool) -> str:
    """What is said where the ladder of precisions holds nothing that fits."""
    if brief:
        return "No precision of the ladder fits; `fit` on that system names a lower one that would."
    lower = next((entry for entry in answered.remedies or () if entry.kind == "precision"), None)
    if lower is None:
        return "No precision of the ladder fits, nor does a lower one."
    return (
        f"No precision of the ladder fits; {lower.value} would, at a loss of quality: it is "
        "listed, not taken."
    )


def _common_notes(catalog: Catalog, options: Options, planned: Plan) -> None:
    scenario = planned.scenario
    note, hardware = scenario.evidence.note, scenario.subject.hardware
    resolved, how = catalog.resolve_model(options.model)
    if how is not None:
        note("name-resolved", f"'{options.model}' is taken for {resolved}.")
    if scenario.choice.substituted:
        note(
            "precision-substituted",
            f"Nothing is known to run {scenario.choice.asked} on some systems: the row names the "
            "precision used instead.",
        )
    if planned.verdict == TIGHT and scenario.machine.unified:
        note(
            "tight-unified",
            "Tight on memory shared with the operating system: running out hangs the whole "
            "machine, not only the program. Leave room, or run headless.",
        )
    if hardware.status != "shipping":
        note("not-shipping", f"{hardware.name} is {hardware.status}: its figures may change.")
    if catalog.efficiency().measured.get(hardware.id, 0) == 0:
        note(
            "no-measurement",
            "No public measurement of this machine: its speeds rest on its class alone.",
        )
    note(*FIRST_VALUES)


def _request(planned: Plan, answered: result.PlanResult) -> Entry:
    """The resolved question of a one-plan command."""
    load = answered.load
    return Entry(
        model=answered.model,
        precision=answered.precision,
        hardware=answered.hardware,
        devices=answered.devices,
        engine=answered.engine,
        context_tokens=load.context_tokens,
        batch=load.batch,
        prompt_tokens=load.prompt_tokens,
        output_tokens=load.output_tokens,
        depth_tokens=load.depth_tokens,
        kv_precision=answered.kv_precision,
        headless=planned.scenario.machine.headless,
        targets=[Entry(name=t.name, value=t.value) for t in answered.targets],
    )


def compare(
    catalog: Catalog, options: Options, on: Sequence[str] | None = None, sort: str = "decode"
) -> result.Report:
    """The same question across systems, best first; those that do not fit keep their row.

    Raises:
        UsageError: an unknown --sort, or a name no system has.
    """
    if sort not in SORTS:
        raise UsageError(f"--sort {sort!s:.20}: use {', '.join(SORTS)}")
    systems = tuple(on) if on else COMPARED
    catalog.model(options.model)
    for name in systems:
        catalog.hardware(name)
    rows: list[tuple[result.PlanResult, list[tuple[str, str]]]] = []
    cited: dict[tuple[str, str], result.Citation] = {}
    for name in systems:
        asked = options._replace(hardware=name)
        try:
            planned, answered, notes = _answer(catalog, asked, substitute=True, brief=True)
        except (NoAnswerError, errors.ContextAboveMaximumError) as error:
            code = "no-format" if isinstance(error, errors.FormatNotSupportedError) else error.code
            rows.append((no_answer(catalog, asked, error, code), [(code, error.message)]))
            continue
        for citation in planned.scenario.evidence.citations:
            cited.setdefault((citation.quantity, citation.profile), citation)
        rows.append((answered, notes))
    rows.sort(key=lambda row: _sort_key(row[0], sort))
    gathered = Notes()
    for index, (_, notes) in enumerate(rows):
        for code, text in notes:
            gathered.add(code, text, index)
    results = tuple(row for row, _ in rows)
    return result.Report(
        command="compare",
        request=_asked(options, systems, sort),
        results=results,
        notes=gathered.all(len(results)),
        citations=tuple(cited.values()),
        exit_code=many_plans_exit_code(results),
        data_version=catalog.data_version,
    )


def _asked(options: Options, systems: Sequence[str], sort: str) -> Entry:
    """The question of a many-plan command, as it was put."""
    said: dict[str, Any] = {
        field: value
        for field, value in options._asdict().items()
        if value is not None and field not in {"hardware", "why", "strict", "beyond_max"}
    }
    return Entry(
        said
        | {"precision": options.precision or "auto", "hardware": list(systems)}
        | {"sort": sort}
    )


def no_answer(
    catalog: Catalog, options: Options, error: SparkPlanError, code: str
) -> result.PlanResult:
    """The row of a plan that has no answer, with the reason."""
    hardware = catalog.hardware(options.hardware or "dgx-spark")
    name = hardware.id if hardware.memory_gb is None else f"{hardware.id}@{hardware.memory_gb}"
    return result.PlanResult(
        model=catalog.model(options.model).id,
        precision=None,
        precision_asked=fold_precision(options.precision),
        checkpoint=None,
        hardware=name,
        devices=options.devices or 1,
        engine=None,
        engine_version=None,
        kv_precision=None,
        split=None,
        link=None,
        placement="device",
        load=_load(options, catalog.model(options.model).architecture.max_context_tokens),
        verdict=None,
        exit_code=errors.EXIT_NO_ANSWER,
        targets=(),
        notes=(code,),
        memory=result.MemoryResult.unknown(),
        limits=result.LimitsResult(None, None),
        decode=result.DecodeResult(),
        decode_at_full=result.DecodeAtFullResult(),
        prefill=result.PrefillResult(),
        spec_decode=result.SpecDecodeResult(),
        cost=result.CostResult(),
        evidence=result.EvidenceResult(),
        details=Entry(hardware_name=hardware.name, memory_gb=hardware.memory_gb),
        error=error_result(error),
    )


def _load(options: Options, max_context_tokens: int) -> result.LoadResult:
    """The load of a plan that has no answer, a context above the maximum included."""
    load, _ = resolve_load(options._replace(beyond_max=True), max_context_tokens)
    return result.LoadResult(*(int(value) for value in load))


def error_result(error: SparkPlanError) -> result.ErrorResult:
    """An error as the contract's object."""
    where = error.where
    return result.ErrorResult(
        code=error.code,
        message=error.message,
        hint=error.hint,
        suggestions=error.suggestions,
        where=Entry(where._asdict()) if where is not None else None,
    )


_LAST = float("inf")


def _sort_key(row: result.PlanResult, sort: str) -> tuple[int, float]:
    """Rows that fit first, best first; then those that do not; then those without an answer."""
    if row.verdict is None:
        return 2, 0.0
    if row.verdict == DOES_NOT_FIT:
        return 1, -(row.memory.free_bytes if row.memory else 0)
    value = {
        "decode": -(row.decode.tokens_per_s or 0),
        "prefill": -(row.prefill.tokens_per_s or 0),
        "price": _LAST if row.cost.price_usd is None else row.cost.price_usd,
        "power": _LAST if row.cost.power_w is None else row.cost.power_w,
        "memory": -(row.memory.free_bytes if row.memory else 0),
    }[sort]
    return 0, value


def many_plans_exit_code(results: Iterable[result.PlanResult]) -> int:
    """0 if any plan fits and meets the targets, 4 some fit, 3 none fits, 5 none has an answer."""
    codes = [row.exit_code for row in results]
    for code in (errors.EXIT_OK, errors.EXIT_MISSES_TARGET, errors.EXIT_DOES_NOT_FIT):
        if code in codes:
            return code
    return errors.EXIT_NO_ANSWER


__all__ = ["COMPARED", "SORTS", "compare", "error_result", "fit", "hardware_id", "no_answer"]
