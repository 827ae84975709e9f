"""Whatever numbers and names a report holds, every format shows it within the page."""

from __future__ import annotations

import csv
import io
import json
import re

from golden_samples import WHY, report
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_plan import result
from spark_plan.render import render
from spark_plan.render.blocks import bar
from spark_plan.render.layout import Cell, Look, columns_of, grid, wrap
from spark_plan.result import Entry

ANSI = re.compile(r"\x1b\[[0-9;]*m")

# Letters, what separates words, what steers terminals, wide and combining characters.
NAMES = st.text(st.sampled_from("ab7-_./@ \t\n\x1b\x07\u202e|*漢é\u0301"), min_size=1, max_size=60)
RATES = st.none() | st.floats(1e-6, 1e9)
SIZES = st.integers(0, 2**53)
COUNTS = st.integers(1, 10**6)


def record(kind, /, **fields):
    """A record of rates, some of its fields otherwise."""
    return st.builds(kind, **{name: fields.get(name, RATES) for name in kind._fields})


MEMORY = st.none() | st.builds(
    result.MemoryResult,
    **{name: SIZES for name in result.MemoryResult._fields if name not in {"pools", "free_bytes"}},
    free_bytes=st.integers(-(2**53), 2**53),
    pools=st.none()
    | st.tuples(
        st.builds(
            result.PoolResult,
            st.sampled_from(["device", "host"]),
            SIZES,
            SIZES,
            SIZES,
            st.floats(1, 1e14),
        )
    ),
)
DETAILS = st.fixed_dictionaries(
    {},
    optional={
        "hardware_name": NAMES,
        "memory_gb": COUNTS,
        "engine_name": NAMES,
        "own_precision": st.booleans(),
        "how": st.sampled_from(["native", "emulated"]),
        "weights_by_format": st.dictionaries(NAMES, SIZES, max_size=4),
        "cache_layers": st.lists(
            st.builds(Entry, kind=NAMES, layers=COUNTS, window_tokens=st.none() | COUNTS),
            max_size=3,
        ),
        "state_layers": COUNTS,
        "micro_batch_tokens": COUNTS,
        "unified": st.booleans(),
        "headless": st.booleans(),
        "headless_saves_bytes": SIZES,
        "bytes_per_token": st.floats(0, 1e15),
        "bandwidth_bytes_per_s": st.floats(1, 1e14),
        "bandwidth_fraction": st.floats(0, 2),
        "measured_rows": st.integers(0, 9999),
        "price_date": NAMES,
    },
).map(Entry)
ERRORS = st.builds(result.ErrorResult, NAMES, NAMES, NAMES | st.just(""), st.just(()), st.none())
PLANS = st.builds(
    result.PlanResult,
    **dict.fromkeys(("model", "precision_asked", "hardware"), NAMES),
    **dict.fromkeys(
        ("precision", "checkpoint", "engine", "engine_version", "kv_precision", "split", "link"),
        st.none() | NAMES,
    ),
    devices=st.integers(1, 9),
    placement=st.sampled_from(["device", "offload"]),
    load=st.builds(result.LoadResult, SIZES, COUNTS, SIZES, SIZES, SIZES),
    verdict=st.sampled_from(["fits", "tight", "does_not_fit", None]),
    exit_code=st.sampled_from([0, 3, 4, 5]),
    targets=st.lists(
        st.builds(
            result.TargetResult,
            st.sampled_from(["min_tps", "max_ttft", "other"]),
            st.floats(1e-3, 1e6),
            RATES,
            st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
    notes=st.lists(st.sampled_from(["no-format", "precision-substituted", "x"]), max_size=2).map(
        tuple
    ),
    memory=MEMORY,
    limits=st.none() | st.builds(result.LimitsResult, st.none() | SIZES, st.none() | SIZES),
    decode=record(result.DecodeResult, bound=st.none() | NAMES),
    decode_at_full=record(result.DecodeAtFullResult, depth_tokens=SIZES),
    prefill=record(result.PrefillResult, bound=st.none() | NAMES),
    spec_decode=record(
        result.SpecDecodeResult,
        kind=NAMES,
        draft_tokens=COUNTS,
        acceptance=st.none() | st.floats(0, 1),
    ),
    cost=record(result.CostResult),
    evidence=st.builds(
        result.EvidenceResult,
        st.sampled_from(["hardware-engine", "family", "engine", "none", "new"]),
        st.integers(0, 9999),
        st.none()
        | st.builds(result.NearestResult, st.floats(1e-3, 1e6), NAMES, NAMES, st.floats(0.01, 99)),
    ),
    details=DETAILS,
    remedies=st.none()
    | st.lists(
        st.builds(
            Entry,
            kind=st.sampled_from(["devices", "precision", "context", "hardware", "batch", "new"]),
            value=NAMES | SIZES,
            verdict=st.sampled_from(["fits", "tight", "does_not_fit"]),
            tokens_per_s=RATES,
            low=RATES,
            high=RATES,
        ),
        max_size=3,
    ).map(tuple),
    why=st.none() | st.just(WHY),
    error=st.none() | ERRORS,
)
WIDTHS = st.integers(20, 200)
# Trees such as profiles are, to show and to list.
TREES = st.recursive(
    st.none() | st.booleans() | SIZES | st.floats(-1e12, 1e12) | NAMES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            NAMES | st.sampled_from(["bytes", "price_usd", "flops_per_s"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)
ENTRIES = st.lists(
    st.dictionaries(NAMES | st.sampled_from(["id", "memory_bytes"]), TREES, max_size=5).map(Entry),
    max_size=4,
)


def widest(text):
    return max((columns_of(line) for line in ANSI.sub("", text).splitlines()), default=0)


@settings(max_examples=150, deadline=None)
@given(plan=PLANS, width=WIDTHS, color=st.booleans(), why=st.booleans())
def test_the_page_of_any_plan_stays_within_its_width(plan, width, color, why):
    shown = render(report(plan), width=width, color=color, ascii=False, why=why)
    assert widest(shown) <= width


@settings(max_examples=60, deadline=None)
@given(plans=st.lists(PLANS, min_size=2, max_size=4), width=WIDTHS, color=st.booleans())
def test_the_table_of_any_plans_stays_within_its_width(plans, width, color):
    made = report(*plans, command="compare")
    assert widest(render(made, width=width, color=color, ascii=False)) <= width


@settings(max_examples=80, deadline=None)
@given(
    rows=ENTRIES,
    command=st.sampled_from(["hardware list", "hardware show", "check", "where", "new"]),
    width=WIDTHS,
)
def test_any_entries_stay_within_the_width(rows, command, width):
    made = result.Report(command, Entry(), tuple(rows))
    assert widest(render(made, width=width, color=False, ascii=False)) <= width


@settings(max_examples=80, deadline=None)
@given(plans=st.lists(PLANS, min_size=1, max_size=3), rows=ENTRIES)
def test_json_csv_and_markdown_hold_every_result(plans, rows):
    for made in (report(*plans), result.Report("hardware list", Entry(), tuple(rows))):
        count = len(made.results)
        assert len(json.loads(render(made, format="json"))["results"]) == count
        assert len(render(made, format="jsonl").splitlines()) >= count
        table = list(csv.reader(io.StringIO(render(made, format="csv"), newline="")))
        assert not table or len({len(row) for row in table}) == 1
        assert render(made, format="markdown").endswith("\n")


@given(text=NAMES, width=st.integers(2, 60))
def test_wrapping_loses_no_word_and_no_letter(text, width):
    lines = wrap(text, width)
    assert max(map(columns_of, lines)) <= width
    kept = "".join(text.split()).replace("\x1b", "?").replace("\x07", "?").replace("\u202e", "?")
    assert "".join("".join(lines).split()) == kept


@given(
    rows=st.lists(st.tuples(NAMES, NAMES, NAMES | st.just("")), max_size=4),
    width=st.integers(20, 99),
)
def test_a_grid_stays_within_its_width(rows, width):
    cells = [[Cell(text) for text in row] for row in rows]
    assert widest("\n".join(grid(cells, "<><", Look(width)))) <= width


@given(value=st.floats(0, 1e18), whole=st.floats(1e-3, 1e18), width=st.integers(0, 50))
def test_a_bar_never_leaves_its_room_and_shows_what_is_there(value, whole, width):
    drawn = bar(value, whole, width)
    assert len(drawn) <= width
    assert bool(drawn) == (value > 0 and width > 0)
