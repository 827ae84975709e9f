"""The README shows what the program prints, and its example profile works.

`pytest tests/golden --update-goldens` prints the outputs into the README again.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"<!-- output: (\d+) (.+?) -->\n```console\n(.*?)```\n", re.DOTALL)
PROFILE = re.compile(r"<!-- file: (.+?) -->\n```yaml\n(.*?)```\n", re.DOTALL)
LINES = README.read_text(encoding="utf-8")
SHELL = [
    line
    for block in re.findall(r"```sh\n(.*?)```", LINES, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("spark-plan") and "|" not in line
]


def run(command, *, width, folder):
    environment = {**os.environ, "COLUMNS": width, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "spark_plan", *command],
        capture_output=True, encoding="utf-8", env=environment, cwd=folder, check=False,
    )  # fmt: skip


def printed(width, command, folder):
    done = run(command.split(), width=width, folder=folder)
    assert done.returncode == 0, done.stderr
    return f"$ spark-plan {command}\n{done.stdout}"


def test_every_output_in_the_readme_is_what_the_program_prints(request, tmp_path):
    found = BLOCK.findall(LINES)
    fresh = {(width, command): printed(width, command, tmp_path) for width, command, _ in found}
    if request.config.getoption("--update-goldens"):
        text = BLOCK.sub(
            lambda m: f"<!-- output: {m[1]} {m[2]} -->\n```console\n{fresh[m[1], m[2]]}```\n", LINES
        )
        README.write_text(text, encoding="utf-8", newline="")
        found = BLOCK.findall(text)

    assert len(found) == 3
    assert {(width, command): text for width, command, text in found} == fresh


@pytest.mark.parametrize("line", SHELL)
def test_every_command_in_the_readme_answers(line, tmp_path):
    for name, text in PROFILE.findall(LINES):
        path = tmp_path / ".spark-plan" / "profiles" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    command = line.partition("#")[0].split()[1:]

    done = run(command, width="100", folder=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_readme_names_commands_to_try():
    assert len(SHELL) >= 7
