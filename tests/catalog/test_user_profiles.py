"""A user's own files: where they are looked for, and what they may build on."""

from __future__ import annotations

import pytest

from spark_plan.catalog import Catalog
from spark_plan.errors import InputFileError, ProfileError, UnknownNameError, UsageError

SHORT = """\
name: My machine
vendor: nvidia
family: nvidia-sm120
class: geforce-rtx
status: shipping
aliases: [rig]
sources: {me: {url: null, seen: '2026-11-30', title: My own bench}}
default_source: me
default_kind: assumed
memory: [{kind: device, capacity_bytes: 34359738368, bandwidth_bytes_per_s: 1.792e12}]
flops_per_s: {bf16: 209e12}
"""


def test_a_ten_line_file_with_bare_numbers_is_a_machine(with_own, put):
    put("hardware", "mine", SHORT)
    mine = with_own().hardware("mine")
    figure = mine.pools[0].bandwidth_bytes_per_s
    assert (figure.value, figure.kind, figure.sources[0].title) == (
        1.792e12, "assumed", "My own bench",
    )  # fmt: skip


def test_a_user_profile_names_the_folder_it_came_from(with_own, put, own):
    path = put("hardware", "mine", SHORT)
    mine = with_own().hardware("rig")
    assert (mine.id, mine.file, mine.origin) == ("mine", "hardware/mine.yaml", f"user:{own}")
    assert with_own().where("hardware", "rig") == ("mine", path, f"user:{own}")


def test_a_user_file_of_a_shipped_name_wins(with_own, put, texts):
    put("hardware", "box", texts["box"].replace("The Box", "My Box"))
    catalog = with_own()
    assert catalog.hardware("box").name == "My Box"
    assert catalog.hardware("gb10").name == "My Box"
    assert catalog.ids("hardware") == ("box", "studio")
    assert [row["name"] for row in catalog.rows("hardware")] == ["My Box", "Studio"]


def test_a_user_alias_wins_over_a_shipped_alias_but_not_over_an_id(with_own, put):
    put("hardware", "mine", SHORT.replace("[rig]", "[gb10, box]"))
    catalog = with_own()
    assert catalog.hardware("gb10").id == "mine"
    assert catalog.hardware("box").id == "box"


def test_a_user_model_answers_to_its_repository_and_to_loose_names(with_own, put, texts):
    text = texts["phi-4"].replace("phi-4", "zebra-2-9b-instruct").replace("maker/", "me/")
    put("models", "zebra-2-9b-instruct", text)
    catalog = with_own()
    assert catalog.resolve_model("me/zebra-2-9b-instruct")[0] == "zebra-2-9b-instruct"
    assert catalog.resolve_model("zebra-9b") == ("zebra-2-9b-instruct", "name-resolved")


def test_folders_are_searched_nearest_first(shipped, tmp_path, texts):
    named = {}
    for name in ("option", "env", "work/.spark-plan/profiles", "xdg/spark-plan/profiles"):
        path = tmp_path / name / "hardware" / "box.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(texts["box"].replace("The Box", name))
        named[name] = path
    env = {
        "SPARK_PLAN_PROFILES": str(tmp_path / "env"),
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
        "HOME": str(tmp_path),
    }
    cwd = tmp_path / "work" / "deep" / "deeper"
    cwd.mkdir(parents=True)
    seen = []
    for path in named.values():
        seen.append(Catalog(tmp_path / "option", cwd, env, shipped).hardware("box").name)
        path.unlink()
    assert seen == list(named)
    assert Catalog(tmp_path / "option", cwd, env, shipped).hardware("box").name == "The Box"


def test_without_xdg_the_config_folder_of_the_home_counts(shipped, tmp_path, texts):
    path = tmp_path / ".config" / "spark-plan" / "profiles" / "hardware" / "box.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(texts["box"].replace("The Box", "At home"))
    catalog = Catalog(cwd=tmp_path, env={"HOME": str(tmp_path)}, shipped=shipped)
    assert catalog.hardware("box").name == "At home"


@pytest.mark.parametrize("named", ["--profiles", "$SPARK_PLAN_PROFILES"])
def test_a_folder_that_was_named_must_exist(shipped, tmp_path, named):
    absent = str(tmp_path / "absent")
    option = absent if named == "--profiles" else None
    env = {"SPARK_PLAN_PROFILES": absent} if option is None else {}
    with pytest.raises(UsageError) as caught:
        Catalog(option, cwd=tmp_path, env=env, shipped=shipped)
    assert caught.value.message == f"{named} {absent}: no such folder"


def test_a_faulty_file_does_not_stand_in_the_way_of_other_names(with_own, put):
    put("hardware", "broken", "memory: [")
    catalog = with_own()
    assert catalog.hardware("box").id == "box"
    assert catalog.hardware("gb10").id == "box"
    with pytest.raises(ProfileError, match=r"broken.yaml:\d: "):
        catalog.hardware("broken")


def test_a_name_nobody_has_may_stand_in_a_file_that_cannot_be_read(with_own, put):
    put("hardware", "broken", "aliases: [my-rig]\nmemory: [")
    with pytest.raises(InputFileError, match=r"broken.yaml"):
        with_own().hardware("my-rig")


def test_an_overlay_says_only_what_differs(with_own, put):
    put(
        "hardware",
        "old-box",
        "name: Old Box\nextends: box\nmax_power_w: {value: 200, kind: spec, source: sheet}\n",
    )
    old = with_own().hardware("old-box")
    assert (old.id, old.name, old.max_power_w.value) == ("old-box", "Old Box", 200)
    assert old.pools[0].capacity_bytes.value == 128 * 2**30
    assert old.aliases == ()  # they mean its base


def test_an_overlays_maps_merge_and_its_lists_replace(with_own, put):
    put(
        "hardware",
        "other",
        "extends: box\nsources: {mine: {url: null, seen: '2026-01-01', title: Mine}}\n"
        "flops_per_s: {fp8: {value: 250e12, kind: assumed, source: mine}}\nprices: []\n",
    )
    other = with_own().hardware("other")
    assert sorted(other.flops_per_s) == ["bf16", "fp8"]
    assert other.prices == ()


def test_a_figure_is_replaced_whole(with_own, put):
    memory = (
        "extends: box\nmemory:\n  - kind: unified\n    bandwidth_bytes_per_s: "
        "{value: 300e9, kind: assumed, source: sheet}\n"
    )
    put("hardware", "fast", memory)
    figure = with_own().hardware("fast").pools[0].bandwidth_bytes_per_s
    assert (figure.note, figure.low) == ("", None)  # the note and the range were the old value's


def test_an_overlay_of_a_shipped_name_builds_on_the_shipped_one(with_own, put):
    put("hardware", "box", "name: Mine\nextends: box\n")
    assert with_own().hardware("box").name == "Mine"


def test_overlays_may_stand_on_overlays(with_own, put):
    put("hardware", "b1", "name: B1\nextends: box\nnote: first\n")
    put("hardware", "b2", "name: B2\nextends: b1\n")
    assert with_own().hardware("b2").note == "first"


def test_profiles_that_extend_each_other_are_refused(with_own, put):
    put("hardware", "one", "extends: two\n")
    put("hardware", "two", "extends: one\n")
    with pytest.raises(ProfileError, match="in a circle: one -> two -> one"):
        with_own().hardware("one")


def test_a_profile_that_extends_only_itself_is_refused(with_own, put):
    put("hardware", "self", "extends: self\n")
    with pytest.raises(ProfileError, match=r"self.yaml:1: \$.extends: there is no 'self'"):
        with_own().hardware("self")


def test_a_chain_of_more_than_eight_is_refused(with_own, put):
    put("hardware", "n0", "extends: box\n")
    for step in range(1, 12):
        put("hardware", f"n{step}", f"extends: n{step - 1}\n")
    catalog = with_own()
    assert catalog.hardware("n7").id == "n7"
    with pytest.raises(ProfileError, match="more than 8 profiles extend one another"):
        catalog.hardware("n11")


def test_what_an_overlay_cites_its_base_must_declare(with_own, put):
    put("hardware", "bad", "extends: box\nidle_power_w: {value: 9, kind: spec, source: shete}\n")
    with pytest.raises(ProfileError, match=r"source 'shete' is not declared \(did you mean sheet"):
        with_own().hardware("bad")


@pytest.mark.parametrize("key", ["../secret", "box/../../x", "/etc/passwd", "box\x00", "."])
def test_a_name_is_never_a_path(with_own, own, texts, key):
    (own.parent / "secret.yaml").write_text(texts["box"])
    with pytest.raises(UnknownNameError):
        with_own().hardware(key)


def test_what_is_extended_is_never_a_path(with_own, put):
    put("hardware", "bad", "extends: ../links/cable\n")
    with pytest.raises(ProfileError, match=r"\$.extends: '../links/cable' is not an id"):
        with_own().hardware("bad")
