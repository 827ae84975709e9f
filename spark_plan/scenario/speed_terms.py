"""Efficiency terms for one machine and engine, each looked up once and cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_plan.records import NamedTuple

if TYPE_CHECKING:
    from spark_plan.catalog.efficiency import Efficiency
    from spark_plan.catalog.engines import EngineProfile
    from spark_plan.catalog.hardware import HardwareProfile
    from spark_plan.scenario.evidence import Evidence

# Best first: what a level of the hierarchy is worth.
LEVELS = ("hardware-engine", "family", "engine", "none")


class Spread(NamedTuple):
    """An 80 % interval around a rate: multiply by these [-]."""

    low: float
    high: float


class SpeedTerms:
    """Looks terms up through hardware -> class -> engine -> any, and cites what was used."""

    def __init__(
        self,
        efficiency: Efficiency,
        hardware: HardwareProfile,
        engines: tuple[EngineProfile, ...],
        evidence: Evidence,
    ) -> None:
        self._efficiency = efficiency
        self._hardware = hardware
        self._engines = tuple(engine.id for engine in engines)
        self._evidence = evidence

    def term(self, *names: str) -> float:
        """The first of these names that has a value: the special before the general."""
        for name in names:
            found = self._efficiency.term(
                name, self._hardware.id, self._hardware.klass, self._engines
            )
            if found is not None:
                figure, _level = found
                return self._evidence.use(f"efficiency.{name}", figure, self._efficiency)
        raise KeyError(names)  # our bug: the terms ship with the program, a test walks them

    def spread(self, *metrics: str) -> Spread:
        """The interval of a rate, for the first of these metrics that has one."""
        for metric in metrics:
            found = self._efficiency.spread(
                metric, self._hardware.id, self._hardware.klass, self._engines
            )
            if found is not None:
                row, _level = found
                # A rate cannot fall by more than all of itself: wide half-widths are ratios.
                return Spread(1 / (1 + row.low), 1 + row.high)
        raise KeyError(metrics)

    def level(self) -> tuple[str, int]:
        """At which level this machine and engine are known, and the public rows behind it."""
        found = self._efficiency.spread(
            "decode", self._hardware.id, self._hardware.klass, self._engines
        )
        if found is None:
            return "none", 0
        row, level = found
        return level, row.n


class Pair(NamedTuple):
    """A term for one row at a time and for several: kernels change in between."""

    single: float
    batch: float


class Speed(NamedTuple):
    """Everything fitted that a plan's speed needs, as plain numbers.

    fractions of peak bandwidth: `dense` and `experts` by kernel, `cache`, `cache_wide` (heads of
    256 elements and more), `state`; `t_*` [s]; `share_*` of the machine's dense 16-bit peak, by
    number format where the multiplication depends on it.
    """

    dense: dict[str, Pair]
    experts: dict[str, Pair]
    cache: Pair
    cache_wide: Pair
    state: Pair
    narrow_extra: float
    t_layer_s: Pair
    t_expert_layer_s: Pair
    t_state_layer_s: float
    t_step_s: Pair
    share_batch_dense: float
    share_batch_expert: float
    share_dense: dict[str, float]
    share_experts: dict[str, float]
    share_attention: float
    share_attention_wide: float
    share_recurrence: float
    f_stream: float
    t_request_s: float
    burst_share: float
    expert_spread: float
    decode_spread: Spread
    batch_spread: Spread
    prefill_spread: Spread
    level: str
    rows: int


def resolve_speed(
    terms: SpeedTerms,
    *,
    dense: dict[str, str],
    experts: dict[str, str],
    modules_known: bool,
) -> Speed:
    """Look up every term of one plan.

    Args:
        terms: the look-up for the machine and the engine.
        dense: format id -> kernel class of what every step reads, head included.
        experts: the same for routed experts.
        modules_known: the checkpoint's list of unquantised modules is known; where it is not, the
            bytes themselves are uncertain and the interval is wider.
    """

    def pair(*names: str, batch: tuple[str, ...] = ()) -> Pair:
        single = terms.term(*names)
        return Pair(single, terms.term(*batch, *names) if batch else single)

    level, rows = terms.level()
    unknown = () if modules_known else ("decode_unknown_modules",)
    kernels = sorted(set(dense.values()))
    expert_kernels = sorted(set(experts.values()))
    return Speed(
        dense={k: pair(f"f_{k}", batch=(f"batch_f_{k}",)) for k in kernels},
        experts={
            k: pair(f"f_{k}", batch=("batch_f_expert", f"batch_f_{k}")) for k in expert_kernels
        },
        cache=pair("f_kv", batch=("batch_f_kv",)),
        cache_wide=pair("f_kv_wide", batch=("batch_f_kv_wide", "batch_f_kv")),
        state=pair("f_state", batch=("batch_f_state",)),
        narrow_extra=terms.term("narrow_extra"),
        t_layer_s=pair("t_layer_s", batch=("batch_t_layer_s",)),
        t_expert_layer_s=pair("t_expert_layer_s", batch=("batch_t_expert_layer_s",)),
        t_state_layer_s=terms.term("t_state_layer_s"),
        t_step_s=pair("t_step_s", batch=("batch_t_step_s",)),
        share_batch_dense=terms.term("batch_share_dense"),
        share_batch_expert=terms.term("batch_share_expert"),
        share_dense={
            name: terms.term(f"share_dense_{name}", f"share_dense_{kernel}", "share_dense")
            for name, kernel in dense.items()
        },
        share_experts={
            name: terms.term(f"share_expert_{name}", f"share_expert_{kernel}", "share_expert")
            for name, kernel in experts.items()
        },
        share_attention=terms.term("share_attention"),
        share_attention_wide=terms.term("share_attention_wide"),
        share_recurrence=terms.term("share_recurrence"),
        f_stream=terms.term("f_stream"),
        t_request_s=terms.term("t_request_s"),
        burst_share=terms.term("burst_share"),
        expert_spread=terms.term("expert_spread"),
        decode_spread=terms.spread(*unknown, "decode"),
        batch_spread=terms.spread(*unknown, "batch"),
        prefill_spread=terms.spread("prefill"),
        level=level,
        rows=rows,
    )
