"""Reports to render: plausible constants that only have to look like answers, not be right."""

from __future__ import annotations

from typing import Any

from spark_plan import result
from spark_plan.result import Entry

GIB = 2**30
SPARK_VISIBLE = 130_663_710_720
SPARK_SYSTEM = 8 * GIB

GENERAL_TEXT = (
    "Speeds stand on first values for each class of machine and engine, not yet refitted on the "
    "measurements; ranges are meant to hold four times in five."
)
GENERAL = ("speeds-first-values", GENERAL_TEXT)


def memory(
    parts: tuple[float, float, float, float, float],
    *,
    visible: int = SPARK_VISIBLE,
    system: int = SPARK_SYSTEM,
    reserved: int = 0,
    pools: tuple[result.PoolResult, ...] | None = None,
) -> result.MemoryResult:
    """A budget of weights, cache, state, activations and engine [GiB]."""
    sizes = [int(part * GIB) for part in parts]
    total = sum(sizes)
    return result.MemoryResult(
        visible_bytes=visible,
        usable_bytes=visible - system,
        system_bytes=system,
        total_bytes=total,
        reserved_bytes=reserved or total,
        free_bytes=visible - system - total,
        weights_bytes=sizes[0],
        file_bytes=sizes[0] + 5_000_000,
        kv_cache_bytes=sizes[1],
        state_bytes=sizes[2],
        activations_bytes=sizes[3],
        engine_bytes=sizes[4],
        pools=pools,
    )


def decode(rate: float, spread: float, batch: int = 1) -> result.DecodeResult:
    """A decode rate with a symmetric range."""
    low, high = rate * (1 - spread), rate * (1 + spread)
    return result.DecodeResult(
        tokens_per_s=rate,
        low=low,
        high=high,
        tokens_per_s_per_request=rate / batch,
        tokens_per_s_per_request_low=low / batch,
        tokens_per_s_per_request_high=high / batch,
        burst_tokens_per_s=rate * 0.8,
        burst_tokens_per_s_low=low * 0.8,
        burst_tokens_per_s_high=high * 0.8,
        bound="memory",
    )


def prefill(rate: float, spread: float, tokens: int) -> result.PrefillResult:
    """A prefill rate and the first token of a prompt."""
    return result.PrefillResult(
        tokens_per_s=rate,
        low=rate * (1 - spread),
        high=rate * (1 + spread),
        ttft_s=tokens / rate,
        ttft_s_low=tokens / rate / (1 + spread),
        ttft_s_high=tokens / rate / (1 - spread),
        bound="compute",
    )


def plan(**changes: Any) -> result.PlanResult:
    """gpt-oss-120b on one Spark, with changes."""
    made = result.PlanResult(
        model="gpt-oss-120b",
        precision="mxfp4",
        precision_asked="auto",
        checkpoint=None,
        hardware="dgx-spark",
        devices=1,
        engine="llama.cpp",
        engine_version=None,
        kv_precision="f16",
        split=None,
        link=None,
        placement="device",
        load=result.LoadResult(32768, 1, 1024, 256, 0),
        verdict="fits",
        exit_code=0,
        targets=(),
        notes=("speeds-first-values",),
        memory=memory((59.02, 1.17, 0, 1.4, 0.45)),
        limits=result.LimitsResult(131072, 45),
        decode=decode(58.3, 0.07),
        decode_at_full=result.DecodeAtFullResult(41.2, 38.1, 44.4, 32512),
        prefill=prefill(1874.0, 0.12, 1024),
        spec_decode=result.SpecDecodeResult(),
        cost=result.CostResult(4699.0, 95.0, 58.3 / 95, 58.3 / 4699),
        evidence=result.EvidenceResult("hardware-engine", 211, None),
        details=Entry(
            model_name="gpt-oss-120b",
            hardware_name="DGX Spark",
            engine_name="llama.cpp",
            scheme_title="MXFP4",
            own_precision=True,
            how="native",
            weights_by_format=Entry(mxfp4=60_000_000_000, q8_0=3_200_000_000, f32=50_000_000),
            cache_layers=[
                Entry(kind="full", layers=18, window_tokens=None),
                Entry(kind="sliding", layers=18, window_tokens=128),
            ],
            state_layers=0,
            micro_batch_tokens=512,
            unified=True,
            headless=False,
            headless_saves_bytes=4 * GIB,
            params_total=116_829_156_672,
            max_model_context_tokens=131072,
            bytes_per_token=3.72e9,
            bandwidth_bytes_per_s=273e9,
            bandwidth_fraction=0.794,
            measured_rows=37,
            price_date="2026-06-01",
            power_kind="measured",
        ),
    )
    return made._replace(**changes)


def details(**changes: Any) -> Entry:
    """The details of the first plan, with changes."""
    return Entry(plan().details | changes)


def report(*plans: result.PlanResult, command: str = "fit", **changes: Any) -> result.Report:
    """A report over plans."""
    first = plans[0]
    made = result.Report(
        command=command,
        request=Entry(
            model=first.model,
            precision=first.precision_asked,
            hardware=[p.hardware for p in plans] if len(plans) > 1 else first.hardware,
            context_tokens=first.load.context_tokens,
            batch=first.load.batch,
            sort="decode",
        ),
        results=plans,
        notes=(result.Note(*GENERAL),),
        citations=(
            result.Citation(
                "hardware.memory[0].bandwidth_bytes_per_s", 273_000_000_000, "spec",
                "https://docs.nvidia.com/dgx/dgx-spark/hardware.html", "2026-11-30",
                "hardware/dgx-spark.yaml", "shipped",
            ),
            result.Citation(
                "hardware.memory[0].system_bytes", 8 * GIB, "assumed", None, None,
                "hardware/dgx-spark.yaml", "shipped", "what a desktop keeps on unified memory",
            ),
            result.Citation("memory.visible_bytes", 96 * GIB, "flag", None, None, "", "flag"),
        ),
        exit_code=first.exit_code,
        data_version="2026.12.1",
    )  # fmt: skip
    return made._replace(**changes)


WHY = (
    Entry(group="memory", name="weights", formula="60,000,000,000 in mxfp4 + 3,200,000,000 in q8_0",
          value=63_250_000_000.0, unit="bytes"),
    Entry(group="memory", name="KV cache, full layers",
          formula="18 layers x 1,024 elements x 16 bits / 8 for each token", value=36864.0,
          unit="bytes/token"),
    Entry(group="decode", name="memory",
          formula="3,720,000,000 bytes over 273,000,000,000 bytes/s x (mxfp4 0.845, q8_0 0.845, "
                  "cache 0.71)", value=0.0161, unit="s"),
    Entry(group="decode", name="overhead",
          formula="36 layers x t_layer + 36 expert layers x t_expert_layer + t_step", value=0.00103,
          unit="s"),
    Entry(group="decode", name="total", formula="the sum", value=0.01715, unit="s"),
)  # fmt: skip

NO_SPEED: dict[str, Any] = {
    "decode": result.DecodeResult(),
    "decode_at_full": result.DecodeAtFullResult(),
    "prefill": result.PrefillResult(),
}


def fits() -> result.Report:
    """The plainest answer."""
    return report(plan())


def tight() -> result.Report:
    """Tight on unified memory, with the note the page says itself, and a vLLM reservation."""
    tight_plan = plan(
        model="glm-4.5-air",
        precision="nvfp4",
        verdict="tight",
        engine="vllm",
        engine_version="0.26",
        kv_precision="bf16",
        notes=("tight-unified", "speeds-first-values"),
        memory=memory((97.1, 5.75, 0, 2.1, 3.2), reserved=int(0.85 * SPARK_VISIBLE)),
        limits=result.LimitsResult(49152, 1),
        decode=decode(21.4, 0.11),
        evidence=result.EvidenceResult(
            "family",
            12,
            result.NearestResult(20.9, "https://example.org/spark-runs/glm", "2026-04-02", 1.024),
        ),
        details=details(
            own_precision=False,
            engine_name="vLLM",
            weights_by_format=Entry(nvfp4=88_000_000_000, bf16=16_200_000_000),
            cache_layers=[Entry(kind="full", layers=46, window_tokens=None)],
            micro_batch_tokens=2048,
        ),
    )
    note = result.Note(
        "tight-unified",
        "Tight on memory shared with the operating system: running out hangs the whole machine, "
        "not only the program. Leave room, or run headless.",
    )
    return report(tight_plan, notes=(note, result.Note(*GENERAL)))


def does_not_fit() -> result.Report:
    """Too large, with what would fit."""
    large = plan(
        model="llama-3.1-405b-instruct",
        precision="nvfp4",
        precision_asked="fp4",
        engine="vllm",
        kv_precision="bf16",
        load=result.LoadResult(8192, 1, 1024, 256, 0),
        verdict="does_not_fit",
        exit_code=3,
        notes=("no-speed",),
        memory=memory((206.3, 3.94, 0, 1.9, 3.2)),
        limits=result.LimitsResult(0, 0),
        cost=result.CostResult(4699.0, 95.0, None, None),
        details=details(
            own_precision=False,
            engine_name="vLLM",
            weights_by_format=Entry(nvfp4=213_000_000_000, bf16=8_500_000_000),
            cache_layers=[Entry(kind="full", layers=126, window_tokens=None)],
        ),
        remedies=(
            Entry(kind="precision", value="iq2_xxs", verdict="tight", precision="iq2_xxs",
                  tokens_per_s=1.9, low=1.6, high=2.3),
            Entry(kind="context", value=4096, verdict="tight"),
            Entry(kind="devices", value=2, verdict="tight", tokens_per_s=2.1, low=1.8, high=2.3),
            Entry(kind="hardware", value="dgx-station-gb300", verdict="fits", tokens_per_s=28.2,
                  low=23.1, high=34.0),
            Entry(kind="batch", value=4, verdict="fits", tokens_per_s=5.0, low=4.0, high=6.0),
        ),
        **NO_SPEED,
    )  # fmt: skip
    note = result.Note(
        "no-speed", "A plan that does not fit has no speed: what would fit is listed instead."
    )
    return report(large, notes=(note,))


def two_pools() -> result.Report:
    """A machine with device and host memory."""
    visible = 252 * GIB
    pools = (
        result.PoolResult("device", visible, visible, 62 * GIB, 7.1e12),
        result.PoolResult("host", 496 * GIB, 496 * GIB, 0, 396e9),
    )
    station = plan(
        hardware="dgx-station-gb300",
        memory=memory((59.02, 1.17, 0, 1.4, 0.9), visible=visible, system=0, pools=pools),
        decode=decode(402.0, 0.2),
        evidence=result.EvidenceResult("engine", 0, None),
        notes=("no-measurement", "speeds-first-values"),
        details=details(
            hardware_name="NVIDIA DGX Station GB300",
            unified=False,
            headless_saves_bytes=0,
            bandwidth_bytes_per_s=7.1e12,
            bandwidth_fraction=0.21,
            measured_rows=0,
        ),
    )
    note = result.Note(
        "no-measurement",
        "No public measurement of this machine: its speeds rest on its class alone.",
    )
    return report(station, notes=(note, result.Note(*GENERAL)))


def batch_32() -> result.Report:
    """Thirty-two sequences at once, recurrent state, a target that is missed."""
    many = plan(
        model="qwen3.6-35b-a3b",
        load=result.LoadResult(8192, 32, 1024, 256, 0),
        exit_code=4,
        targets=(result.TargetResult("min_tps", 25.0, 18.4, met=False),),
        memory=memory((21.4, 20.6, 1.9, 2.1, 1.2)),
        decode=decode(588.0, 0.16, 32),
        decode_at_full=result.DecodeAtFullResult(404.0, 340.0, 470.0, 7936),
        prefill=prefill(3120.0, 0.2, 32768),
        spec_decode=result.SpecDecodeResult("mtp", 3, 0.62, 702.0, 540.0, 860.0),
        details=details(state_layers=30, own_precision=False),
    )
    return report(many)


def two_devices() -> result.Report:
    """Two linked Sparks."""
    linked = plan(
        devices=2,
        split="tensor",
        link="cx7-200g",
        memory=memory((33.1, 0.6, 0, 1.4, 1.9)),
        decode=decode(71.0, 0.18),
        cost=result.CostResult(9398.0, 190.0, 0.37, 0.0075),
    )
    return report(linked)


def compare() -> result.Report:
    """Nine machines: seven that fit, one that does not, one that nothing runs on."""
    rows = []
    for identifier, name, rate, spread, first, price, power, changes in (
        ("dgx-station-gb300", "DGX Station GB300", 118.0, 0.15, 21000, 96996.0, 1100.0, {}),
        ("h200-sxm", "NVIDIA H200 SXM", 96.0, 0.12, 17000, None, 700.0, {}),
        ("rtx-pro-6000", "RTX PRO 6000 Blackwell", 32.0, 0.09, 6200, 8565.0, 600.0, {}),
        ("rtx-pro-5000-72", "RTX PRO 5000 72 GB", 24.0, 0.14, 3900, 5000.0, 300.0, {}),
        ("m3-ultra-80c-819@256", "Apple M3 Ultra", 13.0, 0.1, 290, 5599.0, 270.0,
         {"precision": "q4_k_m", "notes": ("precision-substituted",), "memory_gb": 256}),
        ("jetson-thor", "Jetson AGX Thor", 5.2, 0.12, 1500, 3499.0, 130.0, {"verdict": "tight"}),
        ("dgx-spark", "DGX Spark", 4.91, 0.06, 1900, 4699.0, 95.0, {}),
    ):  # fmt: skip
        size = changes.pop("memory_gb", None)
        rows.append(
            plan(
                model="llama-3.3-70b-instruct",
                precision="nvfp4",
                precision_asked="fp4",
                hardware=identifier,
                load=result.LoadResult(8192, 1, 1024, 256, 0),
                decode=decode(rate, spread),
                prefill=prefill(first, 0.15, 1024),
                cost=result.CostResult(price, power, rate / power, rate / price if price else None),
                details=details(hardware_name=name, memory_gb=size),
            )._replace(**changes)
        )
    rows.append(
        rows[-1]._replace(
            hardware="rtx-5090",
            verdict="does_not_fit",
            exit_code=3,
            memory=memory((37.1, 2.5, 0, 1.2, 1.9), visible=31 * GIB, system=0),
            cost=result.CostResult(2600.0, 575.0, None, None),
            details=details(hardware_name="GeForce RTX 5090"),
            **NO_SPEED,
        )
    )
    rows.append(
        rows[-1]._replace(
            hardware="strix-halo",
            precision=None,
            engine=None,
            verdict=None,
            exit_code=5,
            notes=("no-format",),
            memory=None,
            limits=None,
            cost=result.CostResult(),
            load=result.LoadResult(0, 1, 0, 0, 0),
            details=Entry(hardware_name="Ryzen AI Max+ 395", memory_gb=None),
            error=result.ErrorResult(
                "format-not-supported", "nothing is known to run nvfp4 on Ryzen AI Max+ 395",
                "these run: q4_k_m, q8_0", ("q4_k_m", "q8_0"), None,
            ),
        )
    )  # fmt: skip
    notes = (
        result.Note("precision-substituted", "Nothing is known to run fp4 on some systems: the "
                    "row names the precision used instead.", (4,)),
        result.Note("no-format", "nothing is known to run nvfp4 on Ryzen AI Max+ 395", (8,)),
        result.Note(*GENERAL),
    )  # fmt: skip
    return report(*rows, command="compare", notes=notes)


def listing() -> result.Report:
    """`hardware list`."""
    rows = (
        Entry(id="dgx-spark", name="NVIDIA DGX Spark", memory_bytes=128 * GIB,
              bandwidth_bytes_per_s=273e9, load_power_w=95.0, price_usd=4699, status="shipping"),
        Entry(id="rtx-5090", name="NVIDIA GeForce RTX 5090", memory_bytes=32 * GIB,
              bandwidth_bytes_per_s=1792e9, load_power_w=None, price_usd=2600, status="shipping"),
        Entry(id="m3-ultra-80c-819", name="Apple M3 Ultra (80-core GPU)", memory_bytes=256 * GIB,
              bandwidth_bytes_per_s=819e9, load_power_w=270.0, price_usd=None, status="shipping"),
    )  # fmt: skip
    return result.Report("hardware list", Entry(kind="hardware"), rows, data_version="2026.12.1")


def show() -> result.Report:
    """`hardware show dgx-spark`."""
    shown = Entry(
        id="dgx-spark",
        name="NVIDIA DGX Spark",
        aliases=["gb10", "spark", "project-digits"],
        memory=[
            Entry(kind="unified", bytes=128 * GIB, visible_bytes=SPARK_VISIBLE,
                  system_bytes=8 * GIB, bandwidth_bytes_per_s=273e9),
        ],
        flops_per_s=Entry(bf16=125e12, fp8=250e12, fp4=500e12),
        load_power_w=95.0,
        price_usd=4699,
        price_date="2026-06-01",
        links=["cx7-200g"],
        note=None,
    )  # fmt: skip
    return result.Report("hardware show", Entry(id="dgx-spark"), (shown,))


def check() -> result.Report:
    """`hardware check mymachine.yaml` with faults."""
    faults = (
        Entry(file="mymachine.yaml", line=7, path="$.memory[0].bandwith_bytes_per_s",
              message="unknown key (did you mean bandwidth_bytes_per_s?)"),
        Entry(file="mymachine.yaml", line=None, path="$.prices", message="missing"),
    )  # fmt: skip
    return result.Report("hardware check", Entry(path="mymachine.yaml"), faults, exit_code=2)


def check_clean() -> result.Report:
    """`hardware check` with nothing to say."""
    return result.Report("hardware check", Entry(path=None), ())


def where() -> result.Report:
    """`hardware where`."""
    rows = (
        Entry(id="dgx-spark", path="/opt/spark-plan/profiles/hardware/dgx-spark.yaml",
              origin="shipped"),
        Entry(id="mymachine", path="/home/ada/.config/spark-plan/profiles/hardware/mymachine.yaml",
              origin="user:/home/ada/.config/spark-plan/profiles"),
    )  # fmt: skip
    return result.Report("hardware where", Entry(), rows)


def error() -> result.Report:
    """A name nobody knows."""
    return result.Report(
        "fit",
        Entry(),
        (),
        exit_code=2,
        error=result.ErrorResult(
            "unknown-name",
            "unknown model 'lama-70b'. Did you mean llama-70b, llama-3.3-70b-instruct?",
            "`spark-plan models list 70b` shows what the catalogue has; a path to a config.json or "
            ".gguf works too.",
            ("llama-70b", "llama-3.3-70b-instruct"),
            None,
        ),
    )


def why() -> result.Report:
    """The plainest answer with its formulas and sources."""
    return report(plan(why=WHY))


def no_answer() -> result.Report:
    """One plan nothing can run."""
    return report(compare().results[-1], notes=())


SAMPLES = {
    "fits": fits,
    "tight": tight,
    "does_not_fit": does_not_fit,
    "two_pools": two_pools,
    "batch_32": batch_32,
    "two_devices": two_devices,
    "compare": compare,
    "list": listing,
    "show": show,
    "check": check,
    "check_clean": check_clean,
    "where": where,
    "error": error,
    "why": why,
    "no_answer": no_answer,
}
