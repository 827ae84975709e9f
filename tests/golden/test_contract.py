"""The command line and JSON contract, key by key: what a script written today may rely on.

Commands run in this process; tests/contract runs the program itself.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spark_plan
from spark_plan.cli import main

ENVELOPE = ["schema_version", "command", "exit_code", "data_version", "request", "results",
            "notes", "citations"]  # fmt: skip
RESULT = {
    "model", "precision", "precision_asked", "checkpoint", "hardware", "devices", "engine",
    "engine_version", "kv_precision", "split", "link", "placement", "load", "verdict", "exit_code",
    "targets", "notes", "memory", "limits", "decode", "decode_at_full", "prefill", "spec_decode",
    "cost", "evidence",
}  # fmt: skip
INTERVAL = ("tokens_per_s", "low", "high")
NESTED = {
    "load": {"context_tokens", "batch", "prompt_tokens", "output_tokens", "depth_tokens"},
    "memory": {
        "visible_bytes", "usable_bytes", "system_bytes", "total_bytes", "reserved_bytes",
        "free_bytes", "weights_bytes", "file_bytes", "kv_cache_bytes", "state_bytes",
        "activations_bytes", "engine_bytes",
    },
    "limits": {"max_context_tokens", "max_batch"},
    "decode": {
        *INTERVAL, "tokens_per_s_per_request", "tokens_per_s_per_request_low",
        "tokens_per_s_per_request_high", "burst_tokens_per_s", "burst_tokens_per_s_low",
        "burst_tokens_per_s_high", "bound",
    },
    "decode_at_full": {*INTERVAL, "depth_tokens"},
    "prefill": {*INTERVAL, "ttft_s", "ttft_s_low", "ttft_s_high", "bound"},
    "spec_decode": {*INTERVAL, "kind", "draft_tokens", "acceptance"},
    "cost": {"price_usd", "power_w", "tokens_per_joule", "tokens_per_s_per_usd"},
    "evidence": {"level", "rows", "nearest"},
}  # fmt: skip
REQUEST = {
    "model", "precision", "hardware", "devices", "engine", "context_tokens", "batch",
    "prompt_tokens", "output_tokens", "depth_tokens", "kv_precision", "targets",
}  # fmt: skip
CITATION = {"quantity", "value", "kind", "url", "seen", "profile", "origin"}
ERROR = {"code", "message", "hint", "suggestions", "where"}
# Keys that may stand beside the contract's where nothing of the kind applies.
MAY_BE_ABSENT = {"pools", "remedies", "why", "error", "details"}


@pytest.fixture(autouse=True)
def _nobody_elses_profiles(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPARK_PLAN_PROFILES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def run(capsys, monkeypatch):
    def runner(command, stdin=None):
        if stdin is not None:
            raw = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
            monkeypatch.setattr(sys, "stdin", raw)
        code = main(command if isinstance(command, list) else command.split())
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return runner


@pytest.fixture
def told(run):
    """One envelope, alone on standard output, with nothing on standard error."""

    def runner(command, stdin=None):
        words = command if isinstance(command, list) else command.split()
        code, out, err = run([*words, "--json"], stdin)
        assert err == ""
        envelope = json.loads(out)
        assert envelope["exit_code"] == code
        assert envelope["schema_version"] == 1
        return envelope

    return runner


def check_result(result):
    assert set(result) >= RESULT
    assert set(result) - RESULT <= MAY_BE_ABSENT
    for key, inner in NESTED.items():
        if result[key] is not None:
            assert set(result[key]) - MAY_BE_ABSENT == inner, key


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("fit llama-70b -p fp4", 0),
        ("fit llama-3.1-405b -p fp4", 3),
        ("fit gpt-oss-120b -n 2", 0),
        ("fit bge-m3", 0),
        ("compare llama-70b -p fp4", 0),
        ("compare llama-3.1-405b -p fp4 --on dgx-spark,rtx-5090", 3),
    ],
)
def test_a_plan_has_every_key_of_the_contract(told, command, code):
    envelope = told(command)

    assert list(envelope) == ENVELOPE
    assert envelope["exit_code"] == code
    assert envelope["command"] == command.split()[0]
    for result in envelope["results"]:
        check_result(result)
    for note in envelope["notes"]:
        assert set(note) == {"code", "text", "results"}
    for citation in envelope["citations"]:
        assert set(citation) - {"note"} == CITATION


def test_fit_repeats_the_question_with_everything_resolved(told):
    envelope = told("fit llama-70b -p fp4 --min-tps 3")
    request, result = envelope["request"], envelope["results"][0]

    assert set(request) >= REQUEST
    assert request["model"] == result["model"] == "llama-3.3-70b-instruct"
    assert (request["precision"], result["precision_asked"]) == ("nvfp4", "fp4")
    assert (request["hardware"], request["devices"], request["engine"]) == ("dgx-spark", 1, "vllm")
    assert request["kv_precision"] == "bf16"
    assert {k: request[k] for k in result["load"]} == result["load"] == {
        "context_tokens": 8192, "batch": 1, "prompt_tokens": 1024, "output_tokens": 256,
        "depth_tokens": 0,
    }  # fmt: skip
    assert request["targets"] == [{"name": "min_tps", "value": 3}]


def test_compare_repeats_the_question_as_it_was_asked(told):
    request = told("compare llama-70b -p fp4 -c 4k --on dgx-spark,m3-ultra")["request"]

    assert request["model"] == "llama-70b"
    assert request["precision"] == "fp4"
    assert request["hardware"] == ["dgx-spark", "m3-ultra"]


@pytest.mark.parametrize("command", ["hardware list", "models list", "formats list", "links list",
                                     "engines list"])  # fmt: skip
def test_a_list_has_an_id_and_a_name_for_each_entry(told, command):
    envelope = told(command)

    assert list(envelope) == ENVELOPE
    assert len(envelope["results"]) > 5
    assert all({"id", "name"} <= set(row) for row in envelope["results"])
    assert len({row["id"] for row in envelope["results"]}) == len(envelope["results"])


def test_a_model_is_shown_with_its_numbers(told):
    (shown,) = told("models show gpt-oss-120b")["results"]

    assert {
        "id", "params_total", "params_mtp", "params_towers", "params_active", "layers",
        "kv_elements_per_token", "kv_elements_windowed", "window_tokens",
        "index_elements_per_token", "state_elements_per_sequence",
        "conv_state_elements_per_sequence", "weights_bytes", "weights_bytes_by_engine",
    } <= set(shown)  # fmt: skip
    assert shown["params_total"] == 116_829_156_672
    assert shown["kv_elements_per_token"] == 18 * 2 * 8 * 64
    assert (shown["kv_elements_windowed"], shown["window_tokens"]) == (18 * 2 * 8 * 64, 128)
    by_engine = shown["weights_bytes_by_engine"]
    # The rest beside the experts is Q8_0 in a GGUF and BF16 in the checkpoint.
    assert by_engine["llama.cpp"]["mxfp4"] < by_engine["vllm"]["mxfp4"]


def test_a_system_is_shown_with_its_numbers(told):
    (shown,) = told("hardware show dgx-spark")["results"]

    assert {
        "memory", "flops_per_s", "load_power_w", "idle_power_w", "max_power_w", "price_usd",
        "price_date", "links",
    } <= set(shown)  # fmt: skip
    (pool,) = shown["memory"]
    assert set(pool) == {"kind", "bytes", "visible_bytes", "system_bytes", "bandwidth_bytes_per_s"}
    assert pool["kind"] == "unified"
    assert pool["bytes"] == 128 * 2**30
    assert pool["visible_bytes"] == round(121.69 * 2**30)
    assert pool["system_bytes"] == 8 * 2**30
    assert pool["bandwidth_bytes_per_s"] == 273e9


def test_where_names_a_file_and_its_origin(told):
    (found,) = told("hardware where dgx-spark")["results"]

    assert set(found) == {"id", "path", "origin"}
    assert found["id"] == "dgx-spark"
    assert found["origin"] == "shipped"


def test_check_has_one_entry_for_each_fault(told, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("id: broken\nextends: dgx-spark\nnaem: x\n")

    envelope = told(["hardware", "check", str(broken)])

    assert envelope["exit_code"] == 2
    assert envelope["results"]
    for fault in envelope["results"]:
        assert set(fault) == {"file", "line", "path", "message"}
    assert envelope["results"][0]["line"] == 3


@pytest.mark.parametrize(
    ("command", "error_code"),
    [
        ("fit", "usage"),
        ("fit gpt-oss-120b --nonsense", "usage"),
        ("nonsense", "usage"),
        ("fit gpt-os-120b", "unknown-name"),
        ("fit gpt-oss-120b --on nosuchbox", "unknown-name"),
        ("fit gpt-oss-120b -p nosuchformat", "unknown-name"),
        ("fit gpt-oss-120b -e nosuchengine", "unknown-name"),
        ("fit gpt-oss-120b -n 2 --link nosuchlink", "unknown-name"),
        ("fit gpt-oss-120b --kv-precision nosuch", "unknown-name"),
        ("fit gpt-oss-120b -c lots", "bad-number"),
        ("fit gpt-oss-120b -c -1", "bad-number"),
        ("fit gpt-oss-120b -c nan", "bad-number"),
        ("fit gpt-oss-120b --min-tps nan", "bad-number"),
        ("fit gpt-oss-120b --max-ttft 0", "bad-number"),
        ("fit gpt-oss-120b --memory-fraction 1.5", "bad-number"),
        ("fit gpt-oss-120b --visible 128", "bad-number"),
        ("fit gpt-oss-120b -b 0", "usage"),
        ("fit gpt-oss-120b -b 1.5", "usage"),
        ("fit gpt-oss-120b -n 0", "usage"),
        ("fit gpt-oss-120b --split sideways", "usage"),
        ("fit gpt-oss-120b --prompt -5", "bad-number"),
        ("fit gpt-oss-120b --output 0", "bad-number"),
        ("fit gpt-oss-120b -c 1m", "context-above-maximum"),
        ("fit gpt-oss-120b --on m3-ultra@100", "usage"),
        ("compare gpt-oss-120b --sort beauty", "usage"),
        ("compare gpt-oss-120b --on dgx-spark,nosuchbox", "unknown-name"),
        ("hardware show nosuchbox", "unknown-name"),
        ("models where nosuchmodel", "unknown-name"),
        ("hardware check nosuchfile.yaml", "bad-file"),
        ("batch nosuchfile.csv", "bad-file"),
    ],
)
def test_a_usage_error_is_one_envelope_or_one_line(told, run, command, error_code):
    envelope = told(command)

    assert envelope["exit_code"] == 2
    assert set(envelope) == {*ENVELOPE, "error"}
    assert envelope["results"] == []
    assert set(envelope["error"]) == ERROR
    assert envelope["error"]["code"] == error_code

    if command == "fit":
        return  # a bare command shows its help
    code, out, err = run(command)
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert lines[0].startswith("spark-plan: ")
    assert len(lines) <= 2
    assert all(line.startswith(" ") for line in lines[1:])


def test_a_question_nothing_can_answer_is_5_with_what_runs(told):
    envelope = told("fit llama-70b -p fp4 --on m3-ultra")

    assert envelope["exit_code"] == 5
    assert envelope["error"]["code"] == "format-not-supported"
    assert {"q4_k_m", "mlx_4bit", "bf16"} <= set(envelope["error"]["suggestions"])


def test_a_broken_profile_says_where(told, tmp_path):
    folder = tmp_path / "mine" / "hardware"
    folder.mkdir(parents=True)
    (folder / "box.yaml").write_text("id: box\nextends: dgx-spark\nidle_power_w: {value: low}\n")

    envelope = told(["fit", "gpt-oss-120b", "--on", "box", "--profiles", str(tmp_path / "mine")])

    assert envelope["exit_code"] == 2
    assert envelope["error"]["code"] == "bad-profile"
    where = envelope["error"]["where"]
    assert set(where) == {"file", "line", "path"}
    assert where["file"].endswith("box.yaml")
    assert where["line"] == 3
    assert where["path"].startswith("$.idle_power_w")


def test_names_are_told_apart_from_their_system(told):
    error = told("fit gpt-os-120b")["error"]

    assert "gpt-oss-120b" in error["suggestions"]
    assert error["where"] is None


def test_json_is_json_wherever_it_is_asked_for(run):
    for words in (["--format", "json"], ["--format=json"], ["--json"]):
        for command in (["fit", "nosuch", *words], ["fit", *words, "nosuch"]):
            code, out, err = run(command)
            assert (code, err) == (2, "")
            assert json.loads(out)["error"]["code"] == "unknown-name"


def test_json_lines_are_results_or_one_error(run):
    code, out, err = run("compare llama-70b -p fp4 --on dgx-spark,rtx-5090 --format jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert (code, err, len(rows)) == (0, "", 2)
    assert [row["verdict"] for row in rows] == ["fits", "does_not_fit"]

    code, out, err = run("fit nosuch --format jsonl")
    assert (code, err) == (2, "")
    (line,) = out.splitlines()
    assert list(json.loads(line)) == ["error"]


def test_fit_answers_tight_with_0_and_with_3_if_strict(told):
    # 47 GiB of weights and more against 52 GiB visible: 8 GiB are the system's.
    question = "fit llama-70b -p fp4 --visible"
    sizes = {}
    for gib in range(40, 70):
        envelope = told(f"{question} {gib}GiB")
        sizes[envelope["results"][0]["verdict"]] = gib

    assert sizes.keys() == {"does_not_fit", "tight", "fits"}
    assert told(f"{question} {sizes['tight']}GiB")["exit_code"] == 0
    assert told(f"{question} {sizes['tight']}GiB --strict")["exit_code"] == 3
    assert told(f"{question} {sizes['fits']}GiB --strict")["exit_code"] == 0


def test_a_verdict_follows_from_its_numbers(told):
    for gib in (40, 52, 55, 60, 120):
        (result,) = told(f"fit llama-70b -p fp4 --visible {gib}GiB")["results"]
        memory = result["memory"]
        assert memory["visible_bytes"] == gib * 2**30
        assert memory["usable_bytes"] == memory["visible_bytes"] - memory["system_bytes"]
        assert memory["free_bytes"] == memory["usable_bytes"] - memory["total_bytes"]
        used = memory["total_bytes"] + memory["system_bytes"]
        tight = used > 0.85 * memory["visible_bytes"]
        expected = "does_not_fit" if memory["free_bytes"] < 0 else "tight" if tight else "fits"
        assert result["verdict"] == expected


@pytest.mark.parametrize(
    ("options", "code", "met"),
    [
        ("--min-tps 3", 0, [True]),
        ("--min-tps 10", 4, [False]),
        ("--max-ttft 60", 0, [True]),
        ("--max-ttft 0.001", 4, [False]),
        ("--min-tps 3 --max-ttft 0.001", 4, [True, False]),
    ],
)
def test_a_missed_target_is_4(told, options, code, met):
    envelope = told(f"fit llama-70b -p fp4 {options}")
    result = envelope["results"][0]

    assert envelope["exit_code"] == result["exit_code"] == code
    assert [target["met"] for target in result["targets"]] == met
    assert all(set(t) == {"name", "value", "actual", "met"} for t in result["targets"])
    actual = {"min_tps": result["decode"]["tokens_per_s_per_request"],
              "max_ttft": result["prefill"]["ttft_s"]}  # fmt: skip
    assert all(target["actual"] == actual[target["name"]] for target in result["targets"])


def test_a_rate_target_is_for_each_request_not_for_the_batch(told):
    result = told("fit llama-70b -p fp4 -b 8 --min-tps 8")["results"][0]

    assert result["decode"]["tokens_per_s"] > 8 > result["decode"]["tokens_per_s_per_request"]
    assert result["exit_code"] == 4


def test_what_does_not_fit_is_3_before_it_misses_a_target(told):
    result = told("fit llama-3.1-405b -p fp4 --min-tps 1")["results"][0]

    assert result["exit_code"] == 3
    assert result["targets"][0]["met"] is False
    assert result["decode"]["tokens_per_s"] is None
    assert result["prefill"]["ttft_s"] is None
    assert "no-speed" in result["notes"]


@pytest.mark.parametrize(
    ("options", "load"),
    [
        ("", (8192, 1024, 256, 0)),
        ("--prompt 10k", (10240 + 256, 10240, 256, 0)),
        ("--depth 32k", (32768 + 1024 + 256, 1024, 256, 32768)),
        ("--output 16k", (1024 + 16384, 1024, 16384, 0)),
        ("-c 1000", (1000, 800, 200, 0)),  # output 1000 // 5, prompt the rest
        ("-c 1k --depth 500", (1024, 1024 - 500 - 204, 204, 500)),
        ("-c 5", (5, 4, 1, 0)),
        ("-c 2k --output 1000", (2048, 1024, 1000, 0)),
        ("-c 2k --prompt 1900 --output 148", (2048, 1900, 148, 0)),
        ("--prompt 0", (8192, 0, 256, 0)),
        ("--depth 0", (8192, 1024, 256, 0)),
        ("-c 1.5k", (1536, 1024, 256, 0)),
        # At most the model's maximum of 131,072: prompt shrinks, it was left at its default.
        ("--depth 130048", (131072, 768, 256, 130048)),
    ],
)
def test_what_was_left_at_its_default_shrinks_to_the_context(told, options, load):
    found = told(f"fit gpt-oss-120b {options}")["results"][0]["load"]

    assert (found["context_tokens"], found["prompt_tokens"], found["output_tokens"],
            found["depth_tokens"]) == load  # fmt: skip


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ("-c 100 --prompt 90 --output 20", ("100", "0", "90", "20")),
        ("-c 8k --depth 9k", ("8,192", "9,216")),
        ("-c 4k --depth 3k --prompt 1000 --output 500", ("4,096", "3,072", "1,000", "500")),
        ("-c 4", ("4",)),
        ("-c 2k --prompt 2k", ("2,048",)),
    ],
)
def test_a_context_too_small_is_2_with_its_numbers(told, options, numbers):
    error = told(f"fit gpt-oss-120b {options}")["error"]

    assert error["code"] == "usage"
    for number in numbers:
        assert number in error["message"]
    assert all(word in error["message"] for word in ("depth", "prompt", "output"))


def test_more_than_the_maximum_is_2_naming_it_and_a_note_if_wanted(told):
    refused = told("fit llama-70b -c 256k")
    assert refused["exit_code"] == 2
    assert "131,072" in refused["error"]["message"]

    allowed = told("fit llama-70b -c 256k --beyond-max")
    assert allowed["results"][0]["load"]["context_tokens"] == 262_144
    assert "context-above-maximum" in allowed["results"][0]["notes"]


def test_a_comparison_marks_a_context_above_the_maximum(told):
    envelope = told("compare llama-70b -p fp4 -c 256k --on dgx-spark,h200")

    assert envelope["exit_code"] == 5
    for result in envelope["results"]:
        assert result["verdict"] is None
        assert result["notes"] == ["context-above-maximum"]


@pytest.mark.parametrize(
    ("asked", "full"),
    [
        ("m3-ultra-80c-819@96", "m3-ultra-80c-819@96"),
        ("m3-ultra-80c-819@256", "m3-ultra-80c-819@256"),
        ("m3-ultra@512", "m3-ultra-80c-819@512"),
        ("dgx-spark", "dgx-spark"),
    ],
)
def test_a_system_is_named_with_its_memory_size(told, asked, full):
    result = told(f"fit gpt-oss-20b --on {asked}")["results"][0]

    assert result["hardware"] == full


def test_a_price_and_the_memory_belong_to_the_size(told):
    small, large = (
        told(f"fit gpt-oss-20b --on m3-ultra@{size}")["results"][0] for size in (96, 512)
    )

    assert small["memory"]["visible_bytes"] < large["memory"]["visible_bytes"]
    prices = small["cost"]["price_usd"], large["cost"]["price_usd"]
    assert None in prices or prices[0] < prices[1]


def test_a_size_that_is_not_sold_lists_those_that_are(told):
    error = told("fit gpt-oss-20b --on m3-ultra-80c-819@100")["error"]

    for size in ("96", "256", "512"):
        assert size in error["message"] + error["hint"]


def test_two_devices_share_weights_cache_and_bill(told):
    one, two = (told(f"fit llama-70b -p fp4 -n {n}")["results"][0] for n in (1, 2))

    assert (two["devices"], two["split"]) == (2, "tensor")
    assert two["link"] is not None
    assert one["link"] is None
    assert two["memory"]["weights_bytes"] == pytest.approx(
        one["memory"]["weights_bytes"] / 2, rel=0.01
    )
    assert two["memory"]["kv_cache_bytes"] == one["memory"]["kv_cache_bytes"] / 2
    assert two["memory"]["file_bytes"] == one["memory"]["file_bytes"]
    assert two["cost"]["price_usd"] == 2 * one["cost"]["price_usd"]
    assert two["cost"]["power_w"] == 2 * one["cost"]["power_w"]
    assert one["decode"]["tokens_per_s"] < two["decode"]["tokens_per_s"]
    assert two["decode"]["tokens_per_s"] < 2 * one["decode"]["tokens_per_s"]


def test_a_note_says_which_results_it_is_about(told):
    envelope = told("compare llama-70b -p fp4")
    results = envelope["results"]

    assert len(results) == 9
    codes = {note["code"]: note["results"] for note in envelope["notes"]}
    assert len(codes) == len(envelope["notes"])
    for code, about in codes.items():
        having = [index for index, result in enumerate(results) if code in result["notes"]]
        assert having == (list(range(9)) if about is None else about), code
    assert {code for result in results for code in result["notes"]} == set(codes)


def test_rates_and_their_intervals_agree(told):
    for batch in (1, 8):
        result = told(f"fit gpt-oss-120b -b {batch}")["results"][0]
        decode, prefill = result["decode"], result["prefill"]

        assert decode["tokens_per_s_per_request"] == pytest.approx(decode["tokens_per_s"] / batch)
        for rates, names in (
            (decode, ("low", "tokens_per_s", "high")),
            (decode, tuple(f"tokens_per_s_per_request{end}" for end in ("_low", "", "_high"))),
            (decode, tuple(f"burst_tokens_per_s{end}" for end in ("_low", "", "_high"))),
            (prefill, ("low", "tokens_per_s", "high")),
            (prefill, ("ttft_s_low", "ttft_s", "ttft_s_high")),
        ):
            low, middle, high = (rates[name] for name in names)
            assert 0 < low < middle < high
        if batch > 1:  # decoding waits for the prompts
            assert decode["burst_tokens_per_s"] < decode["tokens_per_s"]
        assert prefill["ttft_s"] == pytest.approx(batch * 1024 / prefill["tokens_per_s"])
        assert result["decode_at_full"]["depth_tokens"] == 8192 - 256
        assert decode["bound"] in {"memory", "compute", "link", "overhead"}
        assert result["cost"]["tokens_per_joule"] == pytest.approx(
            decode["tokens_per_s"] / result["cost"]["power_w"]
        )


def test_csv_flattens_with_underscores_and_joins_notes(run, told):
    _, out, err = run("compare llama-70b -p fp4 --on dgx-spark,rtx-5090 --format csv")
    first, second = csv.DictReader(io.StringIO(out))
    results = told("compare llama-70b -p fp4 --on dgx-spark,rtx-5090")["results"]

    assert err == ""
    flat = {f"{key}_{leaf}" for key in NESTED for leaf in NESTED[key] if leaf != "nearest"}
    assert flat | (RESULT - set(NESTED)) <= set(first)
    assert first["memory_total_bytes"] == str(results[0]["memory"]["total_bytes"])
    assert float(first["decode_tokens_per_s"]) == results[0]["decode"]["tokens_per_s"]
    assert first["notes"].split(";") == results[0]["notes"]
    assert second["decode_tokens_per_s"] == ""


def test_every_citation_leads_somewhere(told):
    for command in (
        "fit gpt-oss-120b",
        "fit llama-70b -p fp4 -n 2",
        "fit llama-70b --visible 120GiB",
        "compare qwen3.5-35b-a3b",
    ):
        citations = told(command)["citations"]
        assert citations
        for citation in citations:
            kind = citation["kind"]
            assert kind in {"spec", "measured", "fitted", "derived", "assumed", "flag"}
            if kind not in {"assumed", "flag"}:
                assert str(citation["url"]).startswith("https://"), citation["quantity"]
                assert len(citation["seen"]) == len("2026-11-30")
            assert citation["origin"] in {"shipped", "flag"}


def test_a_stated_size_is_cited_as_the_users(told):
    citations = told("fit llama-70b --visible 120GiB")["citations"]

    (cited,) = [c for c in citations if c["quantity"] == "hardware.memory[0].visible_bytes"]
    assert (cited["kind"], cited["origin"], cited["value"]) == ("flag", "flag", 120 * 2**30)


def test_the_sparks_bandwidth_is_cited(told):
    quantities = {c["quantity"]: c for c in told("fit gpt-oss-120b")["citations"]}

    bandwidth = quantities["hardware.memory[0].bandwidth_bytes_per_s"]
    assert (bandwidth["value"], bandwidth["kind"]) == (273e9, "spec")
    assert bandwidth["profile"] == "hardware/dgx-spark.yaml"


def test_kv_precision_is_echoed_resolved_and_changes_the_cache(told):
    auto, narrow = (
        told(f"fit gpt-oss-120b --kv-precision {name}")["results"][0] for name in ("fp16", "q8_0")
    )

    assert (auto["kv_precision"], narrow["kv_precision"]) == ("f16", "q8_0")
    assert narrow["memory"]["kv_cache_bytes"] == auto["memory"]["kv_cache_bytes"] * 8.5 / 16
    assert told("fit llama-70b -p fp4 --kv-precision q8_0")["exit_code"] == 5


def test_a_desktop_costs_memory_that_a_headless_system_has(told):
    desktop, plain, headless = (
        told(f"fit llama-70b -p fp4 {flag}")["results"][0]["memory"]
        for flag in ("--desktop", "", "--headless")
    )

    assert desktop == plain
    assert desktop["system_bytes"] - headless["system_bytes"] == 4 * 2**30


def test_a_memory_fraction_is_what_is_reserved_and_what_a_plan_has_to_fit(told):
    result = told("fit llama-70b -p fp4 --memory-fraction 0.6")["results"][0]
    assert result["memory"]["reserved_bytes"] == round(0.6 * result["memory"]["visible_bytes"])

    result = told("fit llama-70b -p fp4 --memory-fraction 0.3")["results"][0]
    assert result["verdict"] == "does_not_fit"


def test_what_an_engine_reserves_is_the_next_twentieth_of_what_is_visible(told):
    memory = told("fit llama-70b -p fp4")["results"][0]["memory"]
    share = memory["reserved_bytes"] / memory["visible_bytes"]

    assert round(share / 0.05, 6) == round(share / 0.05)
    assert memory["total_bytes"] <= memory["reserved_bytes"]
    assert memory["reserved_bytes"] - memory["total_bytes"] < 0.05 * memory["visible_bytes"]

    memory = told("fit gpt-oss-120b")["results"][0]["memory"]  # llama.cpp takes what it needs
    assert memory["reserved_bytes"] == memory["total_bytes"]


def test_table_output_has_no_colour_codes_and_no_line_too_long(run, monkeypatch):
    for columns in (20, 40, 60, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        for command in ("fit gpt-oss-120b", "compare llama-70b -p fp4", "fit llama-3.1-405b"):
            _, out, err = run(command)
            assert "\x1b" not in out
            assert err == ""
            if columns >= 60:
                assert max(map(len, out.splitlines())) <= columns


def test_quiet_leaves_notes_out(run):
    _, loud, _ = run("fit gpt-oss-120b")
    _, quiet, _ = run("fit gpt-oss-120b --quiet")

    assert "first values" in " ".join(loud.split())
    assert "first values" not in " ".join(quiet.split())


def test_a_closed_pipe_is_no_failure():
    """The reader goes away before the first byte is written."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    source = str(Path(spark_plan.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "spark_plan", "models", "list", "--json"],
        stdout=write_end, stderr=subprocess.PIPE, check=False,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    os.close(write_end)

    assert (done.returncode, done.stderr) == (0, b"")


ROWS = """id,model,precision,on,context,batch,_team
a,llama-70b,fp4,dgx-spark,8k,1,blue
b,nosuchmodel,,,,,red
c,gpt-oss-120b,,,,0,
d,llama-3.1-405b,fp4,,,,
e,llama-70b,fp4,m3-ultra,,,
f,gpt-oss-120b,,rtx-pro-6000,4k,2,green
"""


def test_batch_answers_each_row_in_its_place(told):
    envelope = told("batch -", ROWS)

    assert list(envelope) == ENVELOPE
    assert envelope["exit_code"] == 2  # a row named no model there is
    results = envelope["results"]
    assert [row["row"] for row in results] == [1, 2, 3, 4, 5, 6]
    assert [row["id"] for row in results] == list("abcdef")
    assert [row["_team"] for row in results] == ["blue", "red", "", "", "", "green"]
    assert [row["exit_code"] for row in results] == [0, 2, 2, 3, 5, 0]
    assert [row["error"] and row["error"]["code"] for row in results] == [
        None, "unknown-name", "usage", None, "format-not-supported", None,
    ]  # fmt: skip
    for row in results:
        if row["error"] is None:
            check_result({k: v for k, v in row.items() if k not in {"row", "id", "_team"}})


def test_batch_is_0_when_every_row_has_an_answer(told):
    rows = ("llama-3.1-405b,fp4,,", "llama-70b,fp4,m3-ultra,", "llama-70b,fp4,,99")
    envelope = told("batch -", "\n".join(("model,precision,on,min_tps", *rows)) + "\n")

    assert [row["exit_code"] for row in envelope["results"]] == [3, 5, 4]
    assert envelope["exit_code"] == 0


def test_a_batch_gives_what_fit_gives(told):
    (row,) = told("batch -", "model,precision,context\nllama-70b,fp4,16k\n")["results"]
    (alone,) = told("fit llama-70b -p fp4 -c 16k")["results"]

    for key in RESULT:
        assert row[key] == alone[key], key


@pytest.mark.parametrize(
    "header",
    ["model,hardware,context_tokens,max_ttft_s", "model,on,context,max_ttft",
     "Model,--on,--context,--max-ttft"],
)  # fmt: skip
def test_a_column_has_either_spelling(told, header):
    (row,) = told("batch -", f"{header}\ngpt-oss-120b,rtx-pro-6000,4k,10\n")["results"]

    assert row["hardware"] == "rtx-pro-6000"
    assert row["load"]["context_tokens"] == 4096
    assert row["targets"][0]["name"] == "max_ttft"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("model,colour\ngpt-oss-120b,red\n", "unknown column 'colour'"),
        ("model,contxt\ngpt-oss-120b,4k\n", "did you mean context"),
        ("model,on,hardware\ngpt-oss-120b,dgx-spark,\n", "are the same option"),
        ("model,model\ngpt-oss-120b,x\n", "are the same option"),
        ('{"model": "gpt-oss-120b", "colour": 1}\n', "unknown column 'colour'"),
        ('{"model": "gpt-oss-120b", "on": "a", "hardware": "b"}\n', "are the same option"),
        ('{"model": "gpt-oss-120b"\n', "not a JSON object on one line"),
        ("", "the file is empty"),
    ],
)
def test_a_faulty_header_is_2_before_any_row_runs(told, rows, message):
    envelope = told("batch -", rows)

    assert envelope["exit_code"] == 2
    assert envelope["results"] == []
    assert message in envelope["error"]["message"]


def test_json_lines_are_read_and_answered_as_json_lines(run):
    rows = '\n{"model": "gpt-oss-120b", "id": 7, "batch": 2}\n{"model": "nosuch"}\n'
    code, out, err = run("batch -", rows)
    first, second = (json.loads(line) for line in out.splitlines())

    assert (code, err) == (2, "")
    assert (first["row"], first["id"], first["load"]["batch"]) == (1, 7, 2)
    assert (second["row"], second["exit_code"], second["error"]["code"]) == (2, 2, "unknown-name")


def test_a_csv_batch_is_answered_as_csv_with_messages(run):
    code, out, err = run("batch -", ROWS)
    answers = list(csv.DictReader(io.StringIO(out)))

    assert (code, err) == (2, "")
    assert [row["row"] for row in answers] == list("123456")
    assert answers[1]["error"].startswith("unknown model 'nosuchmodel'")
    assert answers[0]["error"] == ""
    assert answers[0]["memory_total_bytes"].isdigit()
    assert [row["exit_code"] for row in answers] == ["0", "2", "2", "3", "5", "0"]


def test_a_row_with_a_cell_too_many_is_a_bad_row(told):
    envelope = told("batch -", "model,batch\ngpt-oss-120b,1,9\ngpt-oss-120b,1\n")

    assert [row["exit_code"] for row in envelope["results"]] == [2, 0]


def test_an_empty_cell_is_a_default(told):
    (row,) = told("batch -", "model,batch,context,headless\ngpt-oss-120b,,,\n")["results"]

    assert (row["load"]["batch"], row["load"]["context_tokens"]) == (1, 8192)


def test_a_blank_line_is_no_row(told):
    envelope = told("batch -", "model\ngpt-oss-20b\n\ngpt-oss-120b\n")

    assert [row["model"] for row in envelope["results"]] == ["gpt-oss-20b", "gpt-oss-120b"]
    assert [row["row"] for row in envelope["results"]] == [1, 2]


@pytest.mark.parametrize("value", [True, 1.5, [1], {"a": 1}, -1])
def test_a_json_value_of_the_wrong_kind_is_a_bad_row(told, value):
    rows = json.dumps({"model": "gpt-oss-120b", "batch": value}) + "\n"

    assert told("batch -", rows)["results"][0]["exit_code"] == 2


@pytest.mark.parametrize("value", [True, [1], {"a": 1}, -1, 1.5, 10**40, "x" * 10_000])
@pytest.mark.parametrize(
    "field", ["model", "precision", "on", "context", "engine", "kv_precision", "min_tps", "prompt"]
)
def test_no_json_value_breaks_a_batch(told, field, value):
    rows = json.dumps({"model": "gpt-oss-120b", field: value}) + "\n"

    (row,) = told("batch -", rows)["results"]
    assert row["exit_code"] in {0, 2, 3, 4, 5}
    if row["error"]:
        assert len(row["error"]["message"]) < 500


def test_a_plan_without_an_answer_has_null_leaves_not_null_objects(told):
    (result,) = told("compare llama-70b -p fp4 --on m3-ultra -e vllm")["results"]

    assert result["verdict"] is None
    for key, leaves in NESTED.items():
        assert result[key] is not None, key
        assert set(result[key]) - MAY_BE_ABSENT == leaves
    assert set(result["memory"].values()) == {None}


def test_a_plan_without_an_answer_repeats_the_load_it_was_asked_for(told):
    (result,) = told("compare llama-70b -p fp4 --on m3-ultra -e vllm -c 16k -b 2")["results"]

    assert result["load"] == {
        "context_tokens": 16_384, "batch": 2, "prompt_tokens": 1024, "output_tokens": 256,
        "depth_tokens": 0,
    }  # fmt: skip


def test_a_model_called_jsonl_does_not_change_the_format(told):
    assert told("fit jsonl")["error"]["code"] == "unknown-name"


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_a_lone_surrogate_in_an_id_is_written_or_refused(run, monkeypatch, form):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    code, _, err = run(f"batch - --format {form}", '{"model": "gpt-oss-20b", "id": "\\ud800"}\n')

    assert code in {0, 2}
    assert "Traceback" not in err


def test_a_note_names_the_lower_schemes_that_would_fit(told):
    (note,) = [n for n in told("fit llama-3.1-405b")["notes"] if n["code"] == "lower-precision"]

    assert "iq2_xxs" in note["text"]
