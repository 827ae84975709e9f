"""Every fault of a profile is one line that says where it is and what to do."""

from __future__ import annotations

import pytest

from spark_plan.catalog.check import Fault, check
from spark_plan.errors import InputFileError, ProfileError, UnknownNameError, Where

CHECKPOINT = "checkpoints: [{repo: a/b, scheme: "
ODD_MODULE = "modules: [{tensors: [attn_q], format: odd}]"
NO_MODULE = "modules: [{format: bf16}]"
# (the line to change, what it becomes, the message after "box.yaml:LINE: ")
BOX_FAULTS = [
    ("bandwidth_bytes_per_s", "bandwith_bytes_per_s",
     "$.memory[0].bandwith_bytes_per_s: unknown key (did you mean bandwidth_bytes_per_s?)"),
    ("vendor: nvidia", "vendor: nvidea", "$.vendor: 'nvidea' is none of nvidia, amd, intel"),
    ("status: shipping", "status: sold", "$.status: 'sold' is none of shipping, announced"),
    ("id: box", "id: bax", "$.id: must be the file's name, 'box'"),
    ("name: The Box", "name: 5090", "$.name: must be text: put it in quotes"),
    ("aliases: [the-box", "aliases: [5090", "$.aliases[0]: must be text: put it in quotes"),
    ("[the-box, gb10]", "[gb10, gb10]", "$.aliases[1]: 'gb10' stands here twice"),
    ("[the-box, gb10]", "['-']", "$.aliases[0]: an alias needs a letter or a digit"),
    ("[the-box, gb10]", "the-box", "$.aliases: must be a list"),
    ("kind: unified", "kind: shared", "$.memory[0].kind: 'shared' is none of unified, device"),
    ("kind: unified", "kind: host", "$.memory[0].kind: the fastest pool comes first"),
    ("value: 130663784939", "value: 230663784939",
     "$.memory[0].visible_bytes: is more than capacity_bytes"),
    ("{value: 137438953472, kind: spec, source: sheet}", "137438953472",
     "$.memory[0].capacity_bytes: a bare number has no source: write {value, kind, source}"),
    ("{value: 137438953472, kind: spec, source: sheet}", "128 GB",
     "$.memory[0].capacity_bytes: must be a figure {value, kind, source}"),
    ("value: 137438953472", "value: -1", "$.memory[0].capacity_bytes.value: -1 is out of range"),
    ("value: 137438953472", "value: 0", "$.memory[0].capacity_bytes.value: 0 is out of range"),
    ("value: 137438953472", "value: 1e31", "$.memory[0].capacity_bytes.value: 1e+31 is out of"),
    ("value: 137438953472", "value: '1'", "$.memory[0].capacity_bytes.value: must be a number"),
    ("value: 137438953472", "value: null", "$.memory[0].capacity_bytes: null needs a note"),
    ("{value: 137438953472, ", "{", "$.memory[0].capacity_bytes: value is missing"),
    ("125e12, kind: spec", "125e12", "$.flops_per_s.bf16: kind is missing: one of spec, measured"),
    ("125e12, kind: spec", "125e12, kind: sure", "$.flops_per_s.bf16.kind: must be one of spec"),
    ("125e12, kind: spec, source: sheet", "125e12, kind: spec",
     "$.flops_per_s.bf16: source is missing: no figure without one"),
    ("125e12, kind: spec, source: sheet", "125e12, kind: spec, source: shet",
     "$.flops_per_s.bf16.source: source 'shet' is not declared (did you mean sheet?)"),
    ("125e12, kind: spec, source: sheet", "125e12, kind: spec, source: []",
     "$.flops_per_s.bf16.source: must name a source, or a list of them"),
    ("125e12, kind: spec, source: sheet", "125e12, kind: spec, source: talk",
     "$.flops_per_s.bf16: no source of it has an address: kind must be assumed"),
    ("125e12, kind", "125e12, unit: TFLOPS, kind", "$.flops_per_s.bf16.unit: unknown key"),
    ("  bf16: {", "  fp7: {", "$.flops_per_s.fp7: unknown key (did you mean fp"),
    ("low: 270e9", "low: 280e9",
     "$.memory[0].bandwidth_bytes_per_s: value lies outside its own low and high"),
    ("date: '2025-10-15'", "date: last year", "$.prices[0].date: 'last year' is not a date"),
    ("date: '2025-10-15'", "date: '2025-13-15'", "$.prices[0].date: '2025-13-15' is not a date"),
    ("date: '2025-10-15'", "date: '2025-10-15', memory_gb: 64",
     "$.prices[0].memory_gb: 64 GB is no size of memory_options"),
    ("url: 'https://example.com/sheet'", "url: example.com",
     "$.sources.sheet.url: 'example.com' is not an http(s) address"),
    ("title: Data sheet", "name: Data sheet", "$.sources.sheet.name: unknown key"),
    ("class: spark", "clazz: spark", "$.clazz: unknown key (did you mean class?)"),
    ("link: cable", "link: cabel", "$.device_links[0].link: 'cabel' is no link (did you mean cab"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BOX_FAULTS)
def test_a_fault_of_a_machine_is_told(small, put, texts, old, new, message):
    assert old in texts["box"]
    text = texts["box"].replace(old, new, 1)
    path = put("hardware", "box", text)
    faults = check("hardware", path, small)
    shown = [f"{fault.path}: {fault.message}" for fault in faults]
    assert any(line.startswith(message) for line in shown), shown
    assert {fault.file for fault in faults} == {str(path)}


def test_the_message_is_exactly_file_line_path_and_advice(with_own, put, texts):
    put("hardware", "mymachine", texts["box"].replace("id: box", "id: mymachine").replace(
        "bandwidth_bytes_per_s", "bandwith_bytes_per_s"))  # fmt: skip
    with pytest.raises(ProfileError) as caught:
        with_own().hardware("mymachine")
    lines = texts["box"].splitlines()
    line = 1 + next(i for i, text in enumerate(lines) if "bandwidth_bytes_per_s" in text)
    place = f"mymachine.yaml:{line}: $.memory[0].bandwith_bytes_per_s: "
    advice = "unknown key (did you mean bandwidth_bytes_per_s?)"
    assert caught.value.message == place + advice
    assert caught.value.where[1:] == (line, "$.memory[0].bandwith_bytes_per_s")


def test_every_fault_of_a_file_is_told_in_the_order_of_its_lines(small, put, texts):
    text = texts["box"].replace("vendor: nvidia", "vendor: acme").replace("125e12", "fast")
    path = put("hardware", "box", text)
    found = check("hardware", path, small)
    assert [fault.path for fault in found] == ["$.vendor", "$.flops_per_s.bf16.value"]
    assert found[0] == Fault(
        str(path), 3, "$.vendor",
        "'acme' is none of nvidia, amd, intel, apple, google, generic",
    )  # fmt: skip


def test_unified_and_device_memory_do_not_mix(small, put, texts):
    text = texts["box"].replace(
        "flops_per_s:",
        "  - {kind: device, bandwidth_bytes_per_s: {value: 1e12, kind: spec, source: sheet}}\n"
        "flops_per_s:",
    )
    (fault,) = check("hardware", put("hardware", "box", text), small)
    assert fault.message == "a machine has unified memory or device memory, not both"


def test_a_default_size_must_be_one_of_the_sizes(small, put, texts):
    text = texts["studio"].replace("default_memory_gb: 256", "default_memory_gb: 128")
    (fault,) = check("hardware", put("hardware", "studio", text), small)
    assert (fault.path, fault.message) == (
        "$.default_memory_gb", "must be one of the sizes: 48, 96, 256",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("own_schemes: [bf16]", "own_schemes: [bf61]",
         "$.own_schemes[0]: 'bf61' is no scheme (did you mean bf16?)"),
        ("own_schemes: [bf16]", "own_schemes: []", "$.own_schemes: needs the precision"),
        ("config: {model_type: llama, hidden_size: 8}", "config: [1]", "$.config: must be a map"),
        ("base: null", "base: nobody", "$.base: 'nobody' is no model id"),
        ("base: null", "base: phi-4", "$.base: a model is no derivative of itself"),
        ("task: llm", "task: text", "$.task: 'text' is none of llm, vlm"),
        ("published:", f"{CHECKPOINT}odd, maker: a}}]\npublished:",
         "$.checkpoints[0].scheme: 'odd' is no scheme"),
        ("published:", f"{CHECKPOINT}bf16, maker: a, {ODD_MODULE}}}]\npublished:",
         "$.checkpoints[0].modules[0].format: 'odd' is no number format"),
        ("published:", f"{CHECKPOINT}bf16, maker: a, {NO_MODULE}}}]\npublished:",
         "$.checkpoints[0].modules[0]: needs tensors or roles"),
    ],
)  # fmt: skip
def test_a_fault_of_a_model_is_told(small, put, texts, old, new, message):
    assert old in texts["phi-4"]
    path = put("models", "phi-4", texts["phi-4"].replace(old, new))
    shown = [f"{fault.path}: {fault.message}" for fault in check("models", path, small)]
    assert any(line.startswith(message) for line in shown), shown


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kv_default: model", "kv_default: f16", "$.kv_default: 'f16' is none of kv_formats"),
        ("schemes: [bf16, wide]", "schemes: [bf16, wyde]", "$.runs[1].schemes[1]: 'wyde' is no"),
        ("kv_formats: [bf16]", "kv_formats: [fb16]", "$.kv_formats[0]: 'fb16' is no cache format"),
        ("parallel: [tensor]", "parallel: [data]", "$.parallel[0]: 'data' is none of tensor"),
        ("how: native", "how: fast", "$.runs[0].how: 'fast' is none of native, emulated"),
        ("name: Engine", "name: Engine\nparent: none", "$.parent: 'none' is no engine"),
        ("name: Engine", "name: Engine\nreserves: true", "$.reserves: an engine that reserves"),
        ("name: Engine", "name: Engine\nreserves: yes", "$.reserves: must be true or false"),
    ],
)
def test_a_fault_of_an_engine_is_told(small, put, texts, old, new, message):
    assert old in texts["engine"]
    path = put("engines", "engine", texts["engine"].replace(old, new))
    shown = [f"{fault.path}: {fault.message}" for fault in check("engines", path, small)]
    assert any(line.startswith(message) for line in shown), shown


def test_formats_must_agree_among_themselves(small, own, texts):
    path = own / "formats.yaml"
    text = texts["formats"].replace("default: bf16, source: sheet}", "default: b16, source: sheet}")
    path.write_text(text.replace("aliases: [broad]", "aliases: [BF-16]"))
    shown = [f"{fault.path}: {fault.message}" for fault in check("formats", path, small)]
    assert shown == [
        "$.schemes.bf16.default: 'b16' is no number format (did you mean bf16?)",
        "$.schemes.wide.aliases[0]: 'BF-16' already means bf16",
    ]


def test_a_folder_is_checked_whole_and_for_names_that_mean_two(small, own, put, texts):
    put("hardware", "box", texts["box"])
    second = texts["box"].replace("id: box", "id: crate").replace("gb10", "The Box!!").replace(
        "the-box", "box")  # fmt: skip
    put("hardware", "crate", second)
    (fault,) = check("hardware", own, small)
    assert (fault.path, fault.message) == ("$.aliases[0]", "'box' already means box")
    assert check("hardware", own / "hardware", small) == [fault]


def test_a_sound_file_has_no_faults(small, put, texts):
    for kind, key in (("hardware", "box"), ("models", "phi-4"), ("engines", "engine")):
        assert check(kind, put(kind, key, texts[key]), small) == []


def test_an_overlay_may_stand_on_its_neighbour(small, put, texts):
    put("hardware", "crate", texts["box"].replace("id: box", "id: crate"))
    path = put("hardware", "crate-2", "extends: crate\nname: Crate 2\n")
    assert check("hardware", path, small) == []


def test_what_ships_is_checked_with_its_index(shipped, small):
    for kind in ("hardware", "models", "engines", "links", "formats"):
        assert check(kind, None, small) == []
    assert check("hardware", "box", small) == []
    page = shipped / "index" / "hardware" / "box.json"
    text = page.read_text()
    try:
        page.write_text(text.replace("The Box", "A Box"))
        (fault,) = check("hardware", None, small)
        assert fault.file == "index/hardware/box.json"
        assert "run tools/build_index.py" in fault.message
        assert check("hardware", "box", small) == [fault]
        assert check("models", None, small) == []
    finally:
        page.write_text(text)


def test_a_path_of_nothing_is_an_error_with_its_place(small, tmp_path):
    with pytest.raises(InputFileError) as caught:
        check("hardware", tmp_path / "absent.yaml", small)
    assert caught.value.where == Where(str(tmp_path / "absent.yaml"))
    with pytest.raises(UnknownNameError):
        check("hardware", "absent", small)
    with pytest.raises(InputFileError, match=r"holds no hardware profiles"):
        check("hardware", tmp_path, small)
