"""Write profiles/efficiency/first-values.yaml: the first speed terms, until a refit replaces them.

The values are those of a study of public measurements (November 2026): fractions of bandwidth for
each kernel width, fixed times, and fractions of the matrix peak. For machines other than the Spark
the study gives a fraction and a time for each class of machine, and factors for the kernel and the
engine; this script multiplies them out, so that the planner only ever looks a term up.

    python tools/first_terms.py           write the file
    python tools/first_terms.py --check   exit 1 when the file differs
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).resolve().parent.parent / "profiles" / "efficiency" / "first-values.yaml"

SPARK_PEAK_FLOPS_PER_S = 125e12  # the dense 16-bit peak the study's TFLOP/s are divided by

# term -> (value, low, high); low and high are the study's range over its fits, None where it has
# none. Fractions of peak bandwidth (f_*), seconds (t_*), shares of the dense 16-bit peak (share_*).
Terms = dict[str, tuple[float, float | None, float | None]]


def tflops(value: float, low: float | None = None, high: float | None = None) -> Any:
    """A matrix rate the study states in TFLOP/s, as a share of the Spark's 16-bit peak."""
    return tuple(
        None if x is None else round(x * 1e12 / SPARK_PEAK_FLOPS_PER_S, 4)
        for x in (value, low, high)
    )


SPARK_LLAMA_CPP: Terms = {
    "f_q4_k": (0.72, 0.715, 0.77),
    "f_q5_k": (0.72, 0.715, 0.77),
    "f_q6_k": (0.72, 0.715, 0.77),
    "f_q3_k": (0.60, None, None),  # Q3_K reads 17 % slower than Q4_K on other machines
    "f_q2_k": (0.60, None, None),
    "f_iq": (0.60, None, None),
    "f_q4_0": (0.75, 0.72, 0.75),
    "f_mxfp4": (0.845, 0.84, 0.85),
    "f_q8_0": (0.845, 0.83, 0.85),
    "f_f16": (0.845, None, None),
    "f_w16": (0.845, None, None),
    "f_w8": (0.845, None, None),
    "f_w4": (0.72, None, None),
    "f_kv": (0.71, None, None),
    "f_kv_wide": (0.71, None, None),
    "f_state": (0.21, None, None),
    "narrow_extra": (0.0, None, None),
    "t_layer_s": (23e-6, None, None),
    "t_expert_layer_s": (23e-6, None, None),
    "t_state_layer_s": (0.0, None, None),
    "t_step_s": (0.2e-3, None, None),
    # From one row to a few the kernels change.
    "batch_t_layer_s": (84e-6, None, None),
    "batch_t_expert_layer_s": (56e-6, None, None),
    "batch_t_step_s": (0.2e-3, None, None),
    "batch_f_expert": (0.66, None, None),
    "batch_f_kv": (0.70, None, None),
    "batch_f_state": (0.115, None, None),
    "batch_share_dense": tflops(26),
    "batch_share_expert": tflops(33),
    "share_dense_q8_0": tflops(34),
    "share_dense_q4_0": tflops(48),
    "share_dense_q4_k": tflops(53, 47, 60),
    "share_dense": tflops(40),
    "share_expert_mxfp4": tflops(32, 23, 32),
    "share_expert_q8_0": tflops(25),
    "share_expert_q4_0": tflops(22),
    "share_expert_q4_k": tflops(14),
    "share_expert": tflops(20),
    "share_attention": tflops(35, 34, 37),
    "share_attention_wide": tflops(35),
    "share_recurrence": tflops(1),
    "f_stream": (0.95, None, None),
    "t_request_s": (6e-3, None, None),
    "burst_share": (0.90, 0.89, 0.93),
    "expert_spread": (1.0, 0.5, 1.0),
}
SPARK_VLLM: Terms = {
    "f_w16": (0.83, 0.80, 0.83),
    "f_w8": (0.805, 0.79, 0.805),
    "f_w4": (0.77, 0.76, 0.89),
    "f_mxfp4": (0.77, 0.76, 0.89),
    "f_f16": (0.83, 0.80, 0.83),
    "f_kv": (0.80, None, None),
    "f_kv_wide": (0.33, None, None),
    "f_state": (1.0, None, None),
    "narrow_extra": (0.22, None, None),
    "t_layer_s": (17e-6, None, None),
    "t_expert_layer_s": (15e-6, 0.0, 30e-6),
    "t_state_layer_s": (0.0, None, None),
    "t_step_s": (1.4e-3, None, None),
    "batch_t_layer_s": (20e-6, None, None),
    "batch_t_expert_layer_s": (32e-6, None, None),
    "batch_t_step_s": (2.0e-3, None, None),
    "batch_f_w16": (0.80, None, None),
    "batch_f_w8": (0.79, None, None),
    "batch_f_w4": (0.89, None, None),
    "batch_f_mxfp4": (0.89, None, None),
    "batch_f_kv": (0.97, None, None),
    "batch_f_kv_wide": (0.63, None, None),
    "batch_f_state": (1.0, None, None),
    "batch_share_dense": tflops(150),
    "batch_share_expert": tflops(150),
    "share_dense_w16": tflops(73),
    "share_dense_fp8_per_tensor": tflops(105),
    "share_dense_fp8_block128": tflops(34),
    "share_dense_nvfp4": tflops(80, 70, 90),
    "share_dense_mxfp4": tflops(57, 45, 69),
    "share_dense": tflops(60),
    "share_expert_w16": tflops(62),
    "share_expert_nvfp4": tflops(48),
    "share_expert_fp8_per_tensor": tflops(75),
    "share_expert": tflops(50),
    "share_attention": tflops(72),
    "share_attention_wide": tflops(12),
    "share_recurrence": tflops(2),
    "f_stream": (0.675, 0.65, 0.70),
    "t_request_s": (50e-3, None, None),
    "burst_share": (0.90, 0.89, 0.93),
    "expert_spread": (1.0, 0.5, 1.0),
}

# class -> (fraction for Q4_K in llama.cpp, time per layer [s]) with the study's range.
CLASSES = {
    "thor": ((0.78, None, None), (26e-6, None, None)),
    "jetson-orin": ((0.78, None, None), (26e-6, None, None)),
    "geforce-rtx": ((0.83, 0.76, 0.90), (22e-6, 19e-6, 25e-6)),
    "datacentre": ((0.69, 0.67, 0.72), (41e-6, 38e-6, 44e-6)),
    "strix-halo": ((0.82, None, None), (32e-6, None, None)),
    "radeon": ((0.80, 0.74, 0.85), (42e-6, 28e-6, 57e-6)),
    "instinct": ((0.69, 0.67, 0.72), (41e-6, 38e-6, 44e-6)),
    "arc": ((0.77, 0.72, 0.82), (137e-6, 85e-6, 190e-6)),
    "gaudi": ((0.69, 0.67, 0.72), (41e-6, 38e-6, 44e-6)),
    "tpu": ((0.69, 0.67, 0.72), (41e-6, 38e-6, 44e-6)),
    "apple": ((0.78, 0.65, 0.89), (45e-6, 33e-6, 58e-6)),
    "cpu": ((0.765, 0.71, 0.82), (430e-6, 215e-6, 640e-6)),
}
# Machines whose own fraction the study states.
MACHINES = {
    "rtx-3090": ("geforce-rtx", 0.76),
    "rtx-4090": ("geforce-rtx", 0.90),
    "rtx-5090": ("geforce-rtx", 0.79),
    "m1": ("apple", 0.65),
    "m1-pro": ("apple", 0.65),
    "m1-max": ("apple", 0.65),
    "m1-ultra": ("apple", 0.65),
    "m5": ("apple", 0.815),
    "m5-pro": ("apple", 0.815),
    "m5-max-32c": ("apple", 0.815),
    "m5-max-40c": ("apple", 0.815),
}
# kernel -> factor on the class's Q4_K fraction.
KERNELS = {
    "q4_k": 1.0,
    "q5_k": 1.0,
    "q6_k": 1.0,
    "q4_0": 1.0,
    "w4": 1.0,
    "q3_k": 0.83,
    "q2_k": 0.83,
    "iq": 0.83,
    "q8_0": 1.07,
    "w8": 1.07,
    "w16": 1.07,
    "f16": 1.07,
    "mxfp4": 1.12,
}
# engine -> factor, llama.cpp being the measure (0.96 of all in the study).
ENGINES = {"llama.cpp": 1.0, "vllm": 0.79 / 0.96, "trt-llm": 1.16 / 0.96, "mlx": 1.07 / 0.96}
EXPERT_LAYERS = 1.3  # a layer with experts costs 1 + 1.3 layers of fixed time
STATE_LAYERS = 0.4  # a linear layer 1 + 0.4
LARGEST_FRACTION = 0.95

# Half-widths of the 80 % intervals: metric -> (below, above), as shares of the rate.
SPARK_SPREADS = {
    "llama.cpp": {"decode": (0.10, 0.10), "batch": (0.20, 0.20), "prefill": (0.32, 0.32)},
    "vllm": {
        "decode": (0.11, 0.11),
        "decode_unknown_modules": (0.35, 0.40),
        "batch": (0.20, 0.20),
        "prefill": (0.22, 0.22),
    },
}
KNOWN_SPREADS = {"decode": (0.22, 0.22), "batch": (0.30, 0.30), "prefill": (0.53, 0.53)}
CLASS_SPREADS = {"decode": (0.29, 0.29), "batch": (0.40, 0.40), "prefill": (0.88, 0.88)}

# Machines without rows of their own in ROWS need no class here.
CLASS_OF = {
    "thor": ("jetson-thor", "jetson-t4000"),
    "datacentre": (
        "a100-pcie-80",
        "a100-sxm-80",
        "a40",
        "b200-sxm",
        "gb200",
        "h100-pcie",
        "h100-sxm",
        "h200-sxm",
    ),
    "strix-halo": ("strix-halo",),
    "radeon": ("rx-7900-xt", "rx-7900-xtx", "ai-pro-r9700"),
    "arc": ("arc-b580", "arc-pro-b60", "arc-pro-b70", "lunar-lake-288v"),
    "cpu": ("ampereone-a192", "epyc-9554", "ryzen-7950x", "xeon-6454s-2s"),
    "apple": (
        "m1-max",
        "m3-max-40c",
        "m3-pro",
        "m3-ultra-80c-819",
        "m4",
        "m4-max-40c",
        "m5-max-40c",
        "m5-pro",
    ),
    "geforce-rtx": (
        "rtx-3060-12",
        "rtx-3070",
        "rtx-3080",
        "rtx-3080-ti",
        "rtx-3090",
        "rtx-3090-ti",
        "rtx-4000-ada",
        "rtx-4060",
        "rtx-4070-ti",
        "rtx-4080",
        "rtx-4090",
        "rtx-5000-ada",
        "rtx-5080",
        "rtx-5090",
        "rtx-a6000",
        "rtx-pro-6000",
        "rtx-pro-6000-maxq",
        "rtx-pro-6000-server",
    ),
}

# Public single-device decode rows of each machine that the study's data holds, by engine.
ROWS = {
    "dgx-spark": {"llama.cpp": 519, "vllm": 785, "sglang": 9, "ollama": 3},
    "rx-7900-xt": {"llama.cpp": 21},
    "a100-pcie-80": {"llama.cpp": 6},
    "a100-sxm-80": {"llama.cpp": 6},
    "a40": {"llama.cpp": 6},
    "ai-pro-r9700": {"llama.cpp": 24},
    "ampereone-a192": {"llama.cpp": 4},
    "arc-b580": {"llama.cpp": 2},
    "arc-pro-b60": {"vllm": 3},
    "arc-pro-b70": {"llama.cpp": 37},
    "b200-sxm": {"vllm": 8, "trt-llm": 19},
    "epyc-9554": {"llama.cpp": 4},
    "gb200": {"trt-llm": 23},
    "h100-pcie": {"llama.cpp": 6},
    "h100-sxm": {"vllm": 8, "trt-llm": 8},
    "h200-sxm": {"trt-llm": 17},
    "jetson-t4000": {"vllm": 1, "llama.cpp": 1},
    "jetson-thor": {"vllm": 23, "trt-llm": 14, "llama.cpp": 1},
    "lunar-lake-288v": {"llama.cpp": 3, "ollama": 2},
    "m1-max": {"ollama": 16, "llama.cpp": 20},
    "m3-max-40c": {"llama.cpp": 6},
    "m3-pro": {"ollama": 2},
    "m3-ultra-80c-819": {"llama.cpp": 7},
    "m4": {"llama.cpp": 1},
    "m4-max-40c": {"mlx": 28, "llama.cpp": 1},
    "m5-max-40c": {"ollama": 22},
    "m5-pro": {"ollama": 3, "mlx": 1},
    "rtx-3060-12": {"llama.cpp": 7},
    "rtx-3070": {"llama.cpp": 2},
    "rtx-3080": {"llama.cpp": 2},
    "rtx-3080-ti": {"llama.cpp": 3},
    "rtx-3090": {"llama.cpp": 21, "vllm": 3},
    "rtx-3090-ti": {"llama.cpp": 2},
    "rtx-4000-ada": {"llama.cpp": 4},
    "rtx-4060": {"llama.cpp": 1},
    "rtx-4070-ti": {"llama.cpp": 2},
    "rtx-4080": {"llama.cpp": 3},
    "rtx-4090": {"llama.cpp": 18, "vllm": 1},
    "rtx-5000-ada": {"llama.cpp": 4},
    "rtx-5080": {"llama.cpp": 5},
    "rtx-5090": {"vllm": 17, "llama.cpp": 22, "ollama": 5},
    "rtx-a6000": {"llama.cpp": 9, "trt-llm": 2},
    "rtx-pro-6000": {"vllm": 1, "sglang": 1},
    "rtx-pro-6000-maxq": {"vllm": 1},
    "rtx-pro-6000-server": {"trt-llm": 14},
    "rx-7900-xtx": {"llama.cpp": 15},
    "ryzen-7950x": {"llama.cpp": 6},
    "strix-halo": {"llama.cpp": 83},
    "xeon-6454s-2s": {"llama.cpp": 1},
}


def figure(value: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    """A term's value with its range, as the file spells it."""
    bounds = {"low": low, "high": high}
    return {"value": float(value), **{k: float(v) for k, v in bounds.items() if v is not None}}


def entry(scope: str, engine: str, term: str, value: dict[str, Any]) -> dict[str, Any]:
    """One line of `terms`."""
    return {
        "scope": scope,
        "engine": engine,
        "term": term,
        **value,
        "kind": "assumed",
        "source": "study",
    }


def class_terms(scope: str, engine: str, name: str, own: float | None) -> list[dict[str, Any]]:
    """The terms of a class of machines (or of one machine with its own fraction) in one engine."""
    (base, low, high), (layer_s, layer_low, layer_high) = CLASSES[name]
    if own is not None:
        base, low, high = own, None, None
    rows = []
    for kernel, factor in KERNELS.items():
        scaled = [
            None if x is None else round(min(x * factor * ENGINES[engine], LARGEST_FRACTION), 4)
            for x in (base, low, high)
        ]
        rows.append(entry(scope, engine, f"f_{kernel}", figure(*scaled)))  # type: ignore[arg-type]
    if own is not None:
        return rows
    start = SPARK_LLAMA_CPP if engine in {"llama.cpp", "mlx"} else SPARK_VLLM
    kernel_change_s = start["batch_t_layer_s"][0] - start["t_layer_s"][0]
    fixed = {
        "t_layer_s": figure(layer_s, layer_low, layer_high),
        "t_expert_layer_s": figure(EXPERT_LAYERS * layer_s),
        "t_state_layer_s": figure(STATE_LAYERS * layer_s),
        "narrow_extra": figure(0.0),
        "batch_t_layer_s": figure(layer_s + kernel_change_s),
        "batch_t_expert_layer_s": figure(EXPERT_LAYERS * layer_s),
    }
    return rows + [entry(scope, engine, term, value) for term, value in fixed.items()]


def carried(table: Terms) -> Terms:
    """What of the Spark's terms stands in for a machine nobody measured.

    Not the fractions that change with the batch: beside another class's fraction for one stream
    they would make a batch of two read faster than one.
    """
    return {term: value for term, value in table.items() if not term.startswith("batch_f_")}


def terms() -> list[dict[str, Any]]:
    """Every term: the Spark's own, the classes', and what holds for an engine anywhere."""
    rows = []
    for engine, table in (("llama.cpp", SPARK_LLAMA_CPP), ("vllm", SPARK_VLLM)):
        rows += [entry("class:spark", engine, term, figure(*v)) for term, v in table.items()]
        # What the study gives for no other machine carries over as it is: shares of a peak,
        # kernels' changes, caches.
        rows += [entry("engine", engine, term, figure(*v)) for term, v in carried(table).items()]
    rows += [
        entry("engine", "any", term, figure(*v)) for term, v in carried(SPARK_LLAMA_CPP).items()
    ]
    for engine in ENGINES:
        for name in CLASSES:
            rows += class_terms(f"class:{name}", engine, name, None)
        for machine, (name, own) in MACHINES.items():
            rows += class_terms(f"hardware:{machine}", engine, name, own)
    return rows


def spreads() -> list[dict[str, Any]]:
    """Interval half-widths: the Spark's by engine, then machines with rows, then the rest."""
    rows: list[dict[str, Any]] = []

    def add(scope: str, engine: str, table: dict[str, tuple[float, float]], n: int) -> None:
        for metric, (low, high) in table.items():
            rows.append(
                {
                    "scope": scope,
                    "engine": engine,
                    "metric": metric,
                    "low": low,
                    "high": high,
                    "n": n,
                    "kind": "assumed",
                    "source": "study",
                }
            )

    for engine, table in SPARK_SPREADS.items():
        for scope in ("hardware:dgx-spark", "class:spark"):
            add(scope, engine, table, ROWS["dgx-spark"][engine])
    for machine, by_engine in ROWS.items():
        if machine == "dgx-spark":
            continue
        for engine, n in by_engine.items():
            add(f"hardware:{machine}", engine, KNOWN_SPREADS, n)
    for name, machines in CLASS_OF.items():
        add(f"class:{name}", "any", CLASS_SPREADS, sum(sum(ROWS[m].values()) for m in machines))
    add("engine", "any", CLASS_SPREADS, 0)
    return rows


def document() -> str:
    """The whole file as text."""
    data = {
        "id": "first-values",
        "sources": {
            "study": {
                "url": None,
                "seen": "2026-11-30",
                "title": "Study of an analytical speed model on public measurements, 2026-11-30",
                "note": "Not published: every value that rests on it alone is assumed.",
            }
        },
        "note": "speeds-first-values: written by tools/first_terms.py from a study of public "
        "measurements; a refit on the measurements themselves replaces it.",
        "terms": terms(),
        "spreads": spreads(),
        "measured": [
            {"hardware": machine, "rows": sum(by_engine.values())}
            for machine, by_engine in ROWS.items()
        ],
    }
    head = "# Generated by tools/first_terms.py; do not edit.\n"
    return head + yaml.safe_dump(data, sort_keys=False, width=160, default_flow_style=None)


def main() -> int:
    """Write the file, or with --check compare it."""
    text = document()
    if "--check" in sys.argv[1:]:
        fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        print(f"{TARGET.name}: {'fresh' if fresh else 'stale, run tools/first_terms.py'}")
        return 0 if fresh else 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET.name}: {len(terms())} terms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
