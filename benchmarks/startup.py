"""Start-up against an empty Python: the ratio of CPU minima over interleaved rounds, with limits.

python benchmarks/startup.py [ROUNDS]

Each round runs every command once, so that a busy moment of the machine meets them all; the minimum
over the rounds is what the command costs when nothing disturbs it. Only ratios are reported: they
mean the same on every machine. Exits 1 when a limit is passed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 25
PLAN = [sys.executable, "-m", "spark_plan"]
FIT = [*PLAN, "fit", "gpt-oss-120b"]
BATCH_ROWS = 1000
# (what, command, limit over `python -c pass`)
COMMANDS: list[tuple[str, list[str], float | None]] = [
    ("python -c pass", [sys.executable, "-c", "pass"], None),
    ("--help", [*PLAN, "--help"], 7.5),
    ("fit --json", [*FIT, "--json"], 8.5),
    ("fit (table)", FIT, 12.0),
    ("compare", [*PLAN, "compare", "gpt-oss-120b"], None),
]
BATCH_LIMIT = 25.0  # one batch of BATCH_ROWS over one `fit --json`


def cpu_s(command: list[str]) -> float:
    """User and system seconds of one run of a command, its children with it."""
    # An installed program has its byte code: a setting that keeps Python from writing it is ours.
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def minima(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The least CPU seconds of each command over interleaved rounds, after one to warm up."""
    for command in commands.values():
        cpu_s(command)
    taken = [{name: cpu_s(command) for name, command in commands.items()} for _ in range(rounds)]
    return {name: min(each[name] for each in taken) for name in commands}


def plans(path: Path) -> None:
    """Rows of a batch: four models, changing contexts and batches."""
    models = ("llama-70b", "gpt-oss-120b", "qwen3.5-35b-a3b", "qwen3-32b")
    rows = [f"{models[i % 4]},{1024 * (1 + i % 8)},{1 + i % 16}" for i in range(BATCH_ROWS)]
    path.write_text("\n".join(["model,context,batch", *rows]) + "\n", encoding="utf-8")


def main() -> int:
    """Measure, print one line for each command, and say whether all limits hold."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    least = minima({name: command for name, command, _ in COMMANDS}, rounds)
    base = least["python -c pass"]
    missed = False
    for name, _, limit in COMMANDS:
        ratio = least[name] / base
        missed |= limit is not None and ratio > limit
        print(f"{name:<18} {ratio:6.2f}" + (f"   limit {limit:g}" if limit else ""))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plans.csv"
        plans(path)
        batch = [*PLAN, "batch", str(path), "--format", "csv"]
        many = minima({"batch": batch}, max(rounds // 5, 1))["batch"] / least["fit --json"]
    print(
        f"{f'batch of {BATCH_ROWS:,}':<18} {many:6.2f}   limit {BATCH_LIMIT:g}, over one fit --json"
    )
    return int(missed or many > BATCH_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
