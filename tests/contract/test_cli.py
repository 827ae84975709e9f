"""What scripts rely on: exit codes, JSON on standard output, one line of error, quiet endings."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = [sys.executable, "-m", "spark_plan"]


def run(*command, stdin=None, cwd=None):
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [*PROGRAM, *command],
        capture_output=True, encoding="utf-8", env=environment, input=stdin, cwd=cwd, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("fit gpt-oss-120b", 0),
        ("fit llama-70b -p fp4", 0),
        ("fit llama-3.1-405b -p fp4", 3),
        ("fit deepseek-v3 -p fp4", 3),
        ("fit llama-70b -p fp4 --min-tps 10", 4),
        ("fit llama-70b -p fp4 --on m3-ultra", 5),
        ("fit qwen3-235b-a22b -p fp4 -n 2", 0),
        ("compare llama-70b -p fp4 --on dgx-spark,rtx-5090", 0),
        ("compare llama-70b -p fp4 --on dgx-spark,rtx-5090 --min-tps 900", 4),
        ("compare llama-3.1-405b -p fp4 --on dgx-spark,rtx-5090", 3),
        ("fit nosuchmodel", 2),
        ("fit gpt-oss-120b --on nosuchbox", 2),
        ("fit gpt-oss-120b --context lots", 2),
        ("fit gpt-oss-120b --context 1M", 2),
        ("fit gpt-oss-120b --context 1M --beyond-max", 0),
        ("fit gpt-oss-120b --batch 0", 2),
        ("fit gpt-oss-120b --precision fp5", 2),
        ("fit gpt-oss-120b --nonsense", 2),
        ("hardware list", 0),
        ("models show gpt-oss-120b", 0),
        ("models show nosuchmodel", 2),
        ("--version", 0),
    ],
)
def test_the_exit_code_is_the_answer_and_json_repeats_it(command, code):
    plain = run(*command.split())
    assert plain.returncode == code, plain.stderr
    assert "Traceback" not in plain.stderr + plain.stdout
    assert (plain.stderr.count("\n") >= 1) == (code in {2, 5})

    if command != "--version":
        told = run(*command.split(), "--json")
        assert told.returncode == code
        assert json.loads(told.stdout)["exit_code"] == code


def test_an_error_in_json_is_json_with_what_was_wrong_and_what_to_do():
    told = json.loads(run("fit", "llama-7ob", "--json").stdout)

    assert told["schema_version"] == 1
    assert told["error"]["code"] == "unknown-name"
    assert any("llama" in name for name in told["error"]["suggestions"])


def test_the_nearest_names_are_offered_for_a_typo():
    done = run("fit", "gpt-os-120b")

    assert "gpt-oss-120b" in done.stderr


def test_fit_takes_one_system_and_names_the_command_that_takes_more():
    done = run("fit", "gpt-oss-120b", "--on", "dgx-spark,rtx-5090")

    assert done.returncode == 2
    assert "spark-plan compare gpt-oss-120b --on dgx-spark,rtx-5090" in done.stderr


def test_lists_show_memory_and_price_on_a_narrow_page_first():
    head = run("hardware", "list").stdout.splitlines()[0].split()

    assert head[:5] == ["Id", "Memory", "Bandwidth", "Max", "power"]


def test_the_next_command_asks_the_same_question():
    done = run("fit", "llama-70b", "-p", "fp4", "-c", "16k", "-b", "4")

    assert "spark-plan compare llama-3.3-70b-instruct -p fp4 -c 16384 -b 4" in done.stdout


def test_the_table_of_a_batch_shows_verdict_need_and_rate():
    done = run("batch", "-", stdin="model,precision\nllama-70b,fp4\nllama-3.1-405b,fp4\n")
    page = subprocess.run(
        [*PROGRAM, "batch", "-", "--format", "table"], capture_output=True, encoding="utf-8",
        input="model,precision\nllama-70b,fp4\nnosuch,\n", check=False,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip

    assert done.returncode == 0
    assert page.stdout.splitlines()[0].split()[:4] == ["Row", "Model", "Verdict", "Needs"]
    assert "unknown model" in page.stdout


def test_weights_by_engine_are_sizes_whatever_their_scheme_is_called():
    page = run("models", "show", "qwen3.5-35b-a3b").stdout

    assert " min" not in page


def test_more_context_than_the_model_has_names_its_maximum():
    done = run("fit", "gpt-oss-120b", "--context", "1M")

    assert "131,072" in done.stderr


def test_a_json_answer_holds_the_keys_of_the_contract():
    told = json.loads(run("fit", "llama-70b", "-p", "fp4", "--json").stdout)

    assert list(told)[:4] == ["schema_version", "command", "exit_code", "data_version"]
    (result,) = told["results"]
    for key in ("model", "precision", "hardware", "devices", "engine", "kv_precision", "load",
                "verdict", "memory", "limits", "decode", "prefill", "notes"):  # fmt: skip
        assert key in result
    memory = result["memory"]
    assert memory["free_bytes"] == memory["usable_bytes"] - memory["total_bytes"]
    assert memory["total_bytes"] == sum(
        memory[part]
        for part in (
            "weights_bytes",
            "kv_cache_bytes",
            "state_bytes",
            "activations_bytes",
            "engine_bytes",
        )
    )


def test_compare_shows_what_does_not_fit_and_says_where_nobody_measured():
    done = run("compare", "llama-70b", "-p", "fp4", "--on",
               "dgx-spark,rtx-pro-5000,rtx-5090,dgx-station")  # fmt: skip

    assert "GiB short" in done.stdout
    assert "No public measurement of this machine" in done.stdout


@pytest.mark.parametrize("sort", ["decode", "prefill", "price", "power", "memory"])
def test_compare_sorts_best_first(sort):
    done = run("compare", "gpt-oss-120b", "--sort", sort, "--json", "--on",
               "dgx-spark,m3-ultra,strix-halo,h200")  # fmt: skip
    results = json.loads(done.stdout)["results"]
    read = {
        "decode": lambda r: -r["decode"]["tokens_per_s"],
        "prefill": lambda r: -r["prefill"]["tokens_per_s"],
        "price": lambda r: r["cost"]["price_usd"] or float("inf"),
        "power": lambda r: r["cost"]["power_w"] or float("inf"),
        "memory": lambda r: -r["memory"]["free_bytes"],
    }[sort]

    values = [read(r) for r in results if r["verdict"] != "does_not_fit"]
    assert values == sorted(values)


def test_batch_answers_in_order_and_reports_a_bad_row_in_its_place():
    rows = (
        "id,model,precision,batch",
        "a,llama-70b,fp4,1",
        "b,nosuchmodel,,1",
        "c,gpt-oss-120b,,x",
        "d,gpt-oss-120b,,8",
    )
    done = run("batch", "-", "--format", "csv", stdin="\n".join(rows))
    answers = list(csv.DictReader(io.StringIO(done.stdout)))

    assert done.returncode == 2
    assert [row["id"] for row in answers] == ["a", "b", "c", "d"]
    assert [bool(row["verdict"]) for row in answers] == [True, False, False, True]


def test_a_batch_of_a_hundred_rows_gives_what_each_fit_gives():
    rows = "model,precision,batch\n" + "llama-70b,fp4,4\ngpt-oss-120b,,2\n" * 50
    told = json.loads(run("batch", "-", "--json", stdin=rows).stdout)
    alone = json.loads(run("fit", "gpt-oss-120b", "-b", "2", "--json").stdout)["results"][0]

    assert len(told["results"]) == 100
    assert told["results"][99]["decode"] == alone["decode"]
    assert told["results"][99]["memory"] == alone["memory"]


def test_a_faulty_profile_is_one_line_with_file_line_path_and_advice(tmp_path):
    folder = tmp_path / ".spark-plan" / "profiles" / "hardware"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("id: mine\nextends: dgx-spark\nnaem: Mine\n")

    done = run("fit", "gpt-oss-120b", "--on", "mine", cwd=tmp_path)

    assert done.returncode == 2
    assert "mine.yaml:3: $.naem: unknown key (did you mean name?)" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes close differently there")
def test_a_closed_pipe_ends_quietly():
    shell = f"'{sys.executable}' -m spark_plan models list | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{shell}; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="signals differ there")
def test_ctrl_c_ends_quietly_with_130():
    process = subprocess.Popen(
        [*PROGRAM, "batch", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)

    assert process.returncode == 130
    assert b"Traceback" not in errors


HEAVY = ("numpy", "yaml", "pydantic", "hypothesis", "csv", "asyncio")


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        (["--help"], (*HEAVY, "json", "rich", "spark_plan.catalog", "spark_plan.core")),
        (["fit", "gpt-oss-120b", "--json"], (*HEAVY, "rich.console", "spark_plan.render.why")),
        (["fit", "gpt-oss-120b"], (*HEAVY, "spark_plan.render.why")),
    ],
)
def test_a_command_imports_only_what_it_needs(command, absent):
    code = (
        "import sys, atexit; from spark_plan.cli import main; sys.argv[1:] = sys.argv[1:]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=False
    )
    loaded = set(done.stderr.split())

    assert "spark_plan.cli.app" in loaded
    assert [name for name in absent if name in loaded] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell):
    environment = {**os.environ, "_SPARK_PLAN_COMPLETE": f"source_{shell}"}
    code = "import sys; sys.argv[0] = 'spark-plan'; from spark_plan.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )

    assert "_SPARK_PLAN_COMPLETE" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="the shell's redirections")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("fit gpt-oss-120b >&-", 1, "there is no standard output"),
        ("batch - <&-", 2, "standard input is closed"),
        ("fit nope 2>&-", 2, ""),
    ],
)
def test_a_missing_stream_is_one_line_and_a_code(command, code, said):
    done = subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -m spark_plan {command}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", '"\\ud800"'])
def test_what_json_cannot_say_is_a_fault_of_its_line(value):
    done = run("batch", "-", stdin=f'{{"model":"gpt-oss-120b","_x":{value}}}\n')

    assert done.returncode == 2
    assert done.stderr.startswith("spark-plan: standard input:1: ")
    assert "Traceback" not in done.stderr


def test_json_stays_json_where_the_terminal_is_ascii():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*PROGRAM, "fit", "größer", "--json"], capture_output=True, env=environment, check=False
    )

    assert "größer" in json.loads(done.stdout)["error"]["message"]


def test_a_system_without_a_link_has_a_row_in_a_comparison_of_several():
    told = json.loads(run("compare", "gpt-oss-120b", "-n", "2", "--json").stdout)

    rows = {row["hardware"]: row["verdict"] for row in told["results"]}
    assert rows["dgx-spark"] == "fits"
    assert rows["jetson-thor"] is None


def test_a_lower_precision_is_named_where_one_fits_and_not_promised_elsewhere():
    fit = json.loads(run("fit", "llama-3.1-405b", "--json").stdout)
    (note,) = [n for n in fit["notes"] if n["code"] == "lower-precision"]

    assert "iq2_xxs would" in note["text"]
