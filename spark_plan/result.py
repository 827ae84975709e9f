"""The one form every answer has: a Report, and what it is made of.

Renderers know nothing else. Values are in base units at full precision; a key that says how to
present something carries raw material (bytes by format, layers by kind), never finished text.
"""

from __future__ import annotations

from typing import Any

from spark_plan.records import NamedTuple

SCHEMA_VERSION = 1


class Entry(dict[str, Any]):
    """A JSON object whose keys are attributes too: what lists, requests and details are made of.

    >>> Entry(id="gb10").id
    'gb10'
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class LoadResult(NamedTuple):
    """What is run: the capacity reserved for each sequence, and what is timed [tokens]."""

    context_tokens: int
    batch: int
    prompt_tokens: int
    output_tokens: int
    depth_tokens: int


class PoolResult(NamedTuple):
    """One of a machine's two memory pools [bytes, bytes/s]."""

    kind: str
    visible_bytes: int
    usable_bytes: int
    used_bytes: int
    bandwidth_bytes_per_s: float


class MemoryResult(NamedTuple):
    """Memory of the fullest device, in the pool the plan is placed in [bytes]; files are of all."""

    visible_bytes: int
    usable_bytes: int
    system_bytes: int
    total_bytes: int
    reserved_bytes: int
    free_bytes: int
    weights_bytes: int
    file_bytes: int
    kv_cache_bytes: int
    state_bytes: int
    activations_bytes: int
    engine_bytes: int
    pools: tuple[PoolResult, ...] | None = None

    @classmethod
    def unknown(cls) -> MemoryResult:
        """Of a plan without an answer: every leaf is null."""
        nothing: Any = (None,) * (len(cls._fields) - 1)
        return cls(*nothing)


class LimitsResult(NamedTuple):
    """The largest that are not does_not_fit: context at this batch, batch at this context."""

    max_context_tokens: int | None
    max_batch: int | None


class DecodeResult(NamedTuple):
    """Decode rates of the whole plan with 80 % intervals [tokens/s]; None where it does not fit."""

    tokens_per_s: float | None = None
    low: float | None = None
    high: float | None = None
    tokens_per_s_per_request: float | None = None
    tokens_per_s_per_request_low: float | None = None
    tokens_per_s_per_request_high: float | None = None
    burst_tokens_per_s: float | None = None
    burst_tokens_per_s_low: float | None = None
    burst_tokens_per_s_high: float | None = None
    bound: str | None = None


class DecodeAtFullResult(NamedTuple):
    """The decode rate when the context is full [tokens/s]."""

    tokens_per_s: float | None = None
    low: float | None = None
    high: float | None = None
    depth_tokens: int | None = None


class PrefillResult(NamedTuple):
    """Reading the prompts of the whole batch [tokens/s], and the last one's first token [s]."""

    tokens_per_s: float | None = None
    low: float | None = None
    high: float | None = None
    ttft_s: float | None = None
    ttft_s_low: float | None = None
    ttft_s_high: float | None = None
    bound: str | None = None


class SpecDecodeResult(NamedTuple):
    """Decoding with drafted tokens; kind ``none`` without."""

    kind: str = "none"
    draft_tokens: int | None = None
    acceptance: float | None = None
    tokens_per_s: float | None = None
    low: float | None = None
    high: float | None = None


class CostResult(NamedTuple):
    """Price and power of all devices [USD, W], and what they buy."""

    price_usd: float | None = None
    power_w: float | None = None
    tokens_per_joule: float | None = None
    tokens_per_s_per_usd: float | None = None


class NearestResult(NamedTuple):
    """The nearest public measurement."""

    tokens_per_s: float
    url: str
    date: str
    predicted_over_measured: float


class EvidenceResult(NamedTuple):
    """What the speed stands on: the level its terms were found at, and the rows behind them."""

    level: str = "none"
    rows: int = 0
    nearest: NearestResult | None = None


class TargetResult(NamedTuple):
    """A stated target and whether the plan meets it."""

    name: str
    value: float
    actual: float | None
    met: bool


class ErrorResult(NamedTuple):
    """Why there is no answer; `where` is {file, line, path} or None."""

    code: str
    message: str
    hint: str
    suggestions: tuple[str, ...]
    where: Entry | None


class PlanResult(NamedTuple):
    """The answer to one plan."""

    model: str
    precision: str | None
    precision_asked: str
    checkpoint: str | None
    hardware: str
    devices: int
    engine: str | None
    engine_version: str | None
    kv_precision: str | None
    split: str | None
    link: str | None
    placement: str
    load: LoadResult
    verdict: str | None
    exit_code: int
    targets: tuple[TargetResult, ...]
    notes: tuple[str, ...]
    memory: MemoryResult | None
    limits: LimitsResult | None
    decode: DecodeResult
    decode_at_full: DecodeAtFullResult
    prefill: PrefillResult
    spec_decode: SpecDecodeResult
    cost: CostResult
    evidence: EvidenceResult
    details: Entry
    remedies: tuple[Entry, ...] | None = None
    why: tuple[Entry, ...] | None = None
    error: ErrorResult | None = None


class Note(NamedTuple):
    """Something the reader should know; `results` are the indices it concerns, None for all."""

    code: str
    text: str
    results: tuple[int, ...] | None = None


class Citation(NamedTuple):
    """An input that was used, and where it comes from."""

    quantity: str
    value: Any
    kind: str
    url: str | None
    seen: str | None
    profile: str
    origin: str
    note: str | None = None


class Report(NamedTuple):
    """An answer: what was asked, the results, what to know about them, and the exit code."""

    command: str
    request: Entry
    results: tuple[Any, ...]
    notes: tuple[Note, ...] = ()
    citations: tuple[Citation, ...] = ()
    exit_code: int = 0
    data_version: str = ""
    error: ErrorResult | None = None
    schema_version: int = SCHEMA_VERSION


# Keys that are left out rather than null: they belong to a command or a case.
_OMITTED_IF_NONE = frozenset({"pools", "remedies", "why", "error", "note"})


def plain(value: Any) -> Any:
    """A record as nested dicts and lists, ready for a JSON writer.

    >>> plain(LimitsResult(max_context_tokens=8192, max_batch=None))
    {'max_context_tokens': 8192, 'max_batch': None}
    """
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is None:
            return [plain(item) for item in value]
        pairs = zip(fields, value, strict=True)
        return {k: plain(v) for k, v in pairs if v is not None or k not in _OMITTED_IF_NONE}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


_ENVELOPE = ("schema_version", "command", "exit_code", "data_version", "request", "results")


def envelope(report: Report) -> dict[str, Any]:
    """The JSON object of a report, in the contract's order of keys."""
    head: dict[str, Any] = {key: plain(getattr(report, key)) for key in _ENVELOPE}
    head["notes"] = plain(report.notes)
    head["citations"] = plain(report.citations)
    if report.error is not None:
        head["error"] = plain(report.error)
    return head
