"""A small catalogue of its own: the rules of the catalogue, apart from the data that ships."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_plan.catalog import Catalog, index

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = """\
sources:
  sheet: {url: 'https://example.com/sheet', seen: '2026-11-30', title: Data sheet}
  talk: {url: null, seen: '2026-11-30', title: A talk nobody recorded}
"""
BOX = f"""\
id: box
name: The Box
vendor: nvidia
family: nvidia-sm121
class: spark
status: shipping
aliases: [the-box, gb10]
{SOURCES}memory:
  - kind: unified
    technology: LPDDR5X
    capacity_bytes: {{value: 137438953472, kind: spec, source: sheet}}
    visible_bytes: {{value: 130663784939, kind: measured, source: sheet}}
    bandwidth_bytes_per_s: {{value: 273e9, kind: spec, source: sheet, note: peak, low: 270e9}}
flops_per_s:
  bf16: {{value: 125e12, kind: spec, source: sheet}}
device_links: [{{link: cable}}]
max_power_w: {{value: 240, kind: assumed, source: talk}}
prices:
  - {{usd: {{value: 3999, kind: spec, source: sheet}}, date: '2025-10-15'}}
  - {{usd: {{value: 4699, kind: spec, source: sheet}}, date: '2026-06-01'}}
"""
STUDIO = f"""\
id: studio
name: Studio
vendor: apple
family: apple-m3
class: apple
status: shipping
{SOURCES}memory:
  - kind: unified
    gpu_limit_fraction: {{value: 0.84, kind: measured, source: sheet}}
    bandwidth_bytes_per_s: {{value: 819e9, kind: spec, source: sheet}}
memory_options:
  - gb: 48
    capacity_bytes: {{value: 51539607552, kind: spec, source: sheet}}
    gpu_limit_fraction: {{value: 0.75, kind: measured, source: sheet}}
  - {{gb: 96, capacity_bytes: {{value: 103079215104, kind: spec, source: sheet}}}}
  - {{gb: 256, capacity_bytes: {{value: 274877906944, kind: spec, source: sheet}}}}
default_memory_gb: 256
flops_per_s: {{}}
prices:
  - {{usd: {{value: 3999, kind: spec, source: sheet}}, date: '2025-03-01', memory_gb: 96}}
  - {{usd: {{value: 5599, kind: spec, source: sheet}}, date: '2025-03-01', memory_gb: 256}}
"""
CABLE = f"""\
id: cable
name: Cable
aliases: [wire]
{SOURCES}bandwidth_bytes_per_s: {{value: 25e9, kind: spec, source: sheet}}
"""
ENGINE = f"""\
id: engine
name: Engine
aliases: [eng]
{SOURCES}containers: [safetensors]
kv_default: model
kv_formats: [bf16]
runs:
  - {{families: [nvidia-sm121], schemes: [bf16], how: native, source: sheet}}
  - {{families: [nvidia-sm121, apple-m3], schemes: [bf16, wide], how: emulated, source: sheet}}
memory: {{context_bytes: {{value: 0, kind: assumed, source: talk}}}}
parallel: [tensor]
"""
FORMATS = f"""\
{SOURCES}number_formats:
  bf16: {{bits_per_weight: {{value: 16, kind: spec, source: sheet}}, block_elements: 1,
         block_bytes: 2, kernel: w16}}
schemes:
  bf16: {{title: BF16, container: safetensors, bits: 16, default: bf16, source: sheet}}
  wide: {{title: Wide, container: gguf, bits: 16, default: bf16, source: sheet, aliases: [broad]}}
kv_formats:
  bf16: {{value: 16, kind: spec, source: sheet}}
"""
EFFICIENCY = """\
id: first
sources:
  talk: {url: null, seen: '2026-11-30', title: A talk nobody recorded}
terms:
  - {scope: 'hardware:box', engine: engine, term: f_w16, value: 0.9, low: 0.8, high: 0.95,
     kind: assumed, source: talk}
  - {scope: 'class:spark', engine: engine, term: f_w16, value: 0.8, kind: assumed, source: talk}
  - {scope: 'class:spark', engine: parent, term: f_w8, value: 0.7, kind: assumed, source: talk}
  - {scope: engine, engine: engine, term: f_w8, value: 0.6, kind: assumed, source: talk}
  - {scope: engine, engine: any, term: f_w4, value: 0.5, kind: assumed, source: talk}
spreads:
  - {scope: 'class:spark', engine: any, metric: decode, low: 0.1, high: 0.2, n: 7, kind: assumed,
     source: talk}
measured:
  - {hardware: box, rows: 12}
"""


def model(
    key: str,
    *,
    released: str = "2025-01-01",
    base: str | None = None,
    aliases: str = "[]",
    repo: str | None = None,
) -> str:
    """A model's file."""
    return f"""\
id: {key}
name: {key}
family: llama
repo: {repo or "maker/" + key}
task: llm
released: '{released}'
base: {base or "null"}
aliases: {aliases}
{SOURCES}config: {{model_type: llama, hidden_size: 8}}
config_source: sheet
config_kind: published
own_schemes: [bf16]
published: {{params_total: {{value: 8000000000, kind: spec, source: sheet}}}}
"""


MODELS = {
    "llama-3-70b-instruct": model("llama-3-70b-instruct", released="2024-04-18"),
    "llama-3.3-70b-instruct": model(
        "llama-3.3-70b-instruct",
        released="2024-12-06",
        aliases="[llama-70b]",
        repo="meta-llama/Llama-3.3-70B-Instruct",
    ),
    "llama-3.3-70b-tuned": model(
        "llama-3.3-70b-tuned", released="2025-09-01", base="llama-3.3-70b-instruct"
    ),
    "llama-3.1-8b-instruct": model("llama-3.1-8b-instruct", released="2024-07-23"),
    "codellama-70b-instruct": model("codellama-70b-instruct", released="2024-01-29"),
    "qwen3-30b-a3b": model("qwen3-30b-a3b", released="2025-04-28"),
    "qwen3-30b-a3b-instruct-2507": model("qwen3-30b-a3b-instruct-2507", released="2025-07-29"),
    "qwen3-30b-a3b-thinking-2507": model("qwen3-30b-a3b-thinking-2507", released="2025-07-29"),
    "qwen2.5-32b-instruct": model("qwen2.5-32b-instruct", released="2024-09-18"),
    "qwen3-32b": model("qwen3-32b", released="2025-04-28"),
    "qwen2-7b-instruct": model("qwen2-7b-instruct", released="2024-06-04", aliases="[qwen2-7b]"),
    "qwen3.5-27b": model("qwen3.5-27b", released="2026-02-01"),
    "qwen3.6-27b": model("qwen3.6-27b", released="2026-05-01"),
    "gpt-oss-20b": model("gpt-oss-20b", released="2025-08-05"),
    "gpt-oss-120b": model("gpt-oss-120b", released="2025-08-05", repo="openai/gpt-oss-120b"),
    "mixtral-8x7b-instruct-v0.1": model("mixtral-8x7b-instruct-v0.1", released="2023-12-11"),
    "mixtral-8x22b-instruct-v0.1": model("mixtral-8x22b-instruct-v0.1", released="2024-04-17"),
    "phi-4": model("phi-4", released="2024-12-12"),
    "phi-4-mini-instruct": model("phi-4-mini-instruct", released="2025-02-26"),
    "smollm3-3b": model("smollm3-3b", released="2025-07-08"),
}


def write(root: Path, kind: str, key: str, text: str) -> Path:
    """A profile in a folder of profiles."""
    path = root / kind / f"{key}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_all(root: Path) -> None:
    """The small catalogue's YAML."""
    write(root, "hardware", "box", BOX)
    write(root, "hardware", "studio", STUDIO)
    write(root, "links", "cable", CABLE)
    write(root, "engines", "engine", ENGINE)
    write(root, "efficiency", "first", EFFICIENCY)
    for key, text in MODELS.items():
        write(root, "models", key, text)
    (root / "formats.yaml").write_text(FORMATS, encoding="utf-8")
    (root / "version.yaml").write_text("data_version: '2026.1.1'\n", encoding="utf-8")


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small catalogue with its index."""
    root = tmp_path_factory.mktemp("shipped")
    write_all(root)
    built = index.build(root)
    assert [fault.message for fault in built.faults] == []
    index.write(root, built)
    return root


@pytest.fixture
def small(shipped: Path, tmp_path: Path) -> Catalog:
    """A catalogue of nothing but the small profiles."""
    return Catalog(cwd=tmp_path, env={}, shipped=shipped)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A user's folder of profiles, still empty."""
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


@pytest.fixture
def with_own(shipped: Path, own: Path, tmp_path: Path):
    """Makes a catalogue that sees the user's folder as it is by then."""
    return lambda: Catalog(own, cwd=tmp_path, env={}, shipped=shipped)


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """The small catalogue's files by id, to change a line of."""
    named = {"box": BOX, "studio": STUDIO, "cable": CABLE, "engine": ENGINE, "formats": FORMATS}
    return named | MODELS


@pytest.fixture
def put(own: Path):
    """Writes a profile into the user's folder: kind, id, text."""
    return lambda kind, key, text: write(own, kind, key, text)
