"""Names people type, and what they stand for."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_plan.catalog import Catalog
from spark_plan.errors import SparkPlanError, UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("llama-3.3-70b-instruct", "llama-3.3-70b-instruct"),
        ("Llama 3.3 70B Instruct", "llama-3.3-70b-instruct"),
        ("LLAMA_3.3_70B_INSTRUCT", "llama-3.3-70b-instruct"),
        ("llama-70b", "llama-3.3-70b-instruct"),
        ("Llama70B", "llama-3.3-70b-instruct"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"),
        ("GPT-OSS:120B", "gpt-oss-120b"),
        ("gptoss120b", "gpt-oss-120b"),
        ("qwen2 7b", "qwen2-7b-instruct"),
        ("qwen25-32b-instruct", "qwen2.5-32b-instruct"),  # digits run together: nothing else fits
    ],
)
def test_an_id_a_repository_or_an_alias_is_found_however_it_is_spelt(small, typed, meant):
    assert small.resolve_model(typed) == (meant, None)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("llama-8b", "llama-3.1-8b-instruct"),  # the only one
        ("llama3.3:70b", "llama-3.3-70b-instruct"),  # its fine-tune is newer, and not meant
        ("llama-3-70b", "llama-3-70b-instruct"),  # a version that is typed counts
        ("qwen-32b", "qwen3-32b"),  # the newest
        ("qwen-27b", "qwen3.6-27b"),  # never qwen2-7b
        ("qwen3-30b", "qwen3-30b-a3b-instruct-2507"),  # of two of one day the first by name
        ("mixtral-8x7b", "mixtral-8x7b-instruct-v0.1"),
        ("smollm", "smollm3-3b"),  # no size, but only one
        ("phi-4-mini", "phi-4-mini-instruct"),
    ],
)
def test_a_loose_name_is_the_newest_of_its_first_word_and_size_with_a_note(small, typed, meant):
    assert small.resolve_model(typed) == (meant, "name-resolved")


@pytest.mark.parametrize("typed", ["gpt-oss", "mixtral", "llama", "phi", "qwen3"])
def test_a_name_of_several_sizes_is_refused_with_the_candidates(small, typed):
    with pytest.raises(UnknownNameError, match=r"could be several models\. Did you mean") as caught:
        small.resolve_model(typed)
    assert len(caught.value.suggestions) > 1


@pytest.mark.parametrize(
    "typed", ["", "-", "///", "70b", "llama-9b", "x" * 5000, "oss-120b", "é", "\0"]
)
def test_a_name_of_nothing_is_refused(small, typed):
    with pytest.raises(UnknownNameError, match="unknown model"):
        small.resolve_model(typed)


def test_an_unknown_model_is_answered_with_near_names_and_where_to_look(small):
    with pytest.raises(UnknownNameError) as caught:
        small.model("lama-70b")
    error = caught.value
    assert error.message == (
        "unknown model 'lama-70b'. Did you mean llama-70b, llama-3-70b-instruct, "
        "llama-3.3-70b-instruct?"
    )
    assert error.hint == (
        "`spark-plan models list 70b` shows what the catalogue has; "
        "a profile of your own can add to it."
    )
    assert error.suggestions == ("llama-70b", "llama-3-70b-instruct", "llama-3.3-70b-instruct")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda c: c.hardware("bax"), "unknown system 'bax'. Did you mean box"),
        (lambda c: c.hardware("zzzzz"), "unknown system 'zzzzz'."),
        (lambda c: c.engine("engin"), "unknown engine 'engin'. Did you mean engine"),
        (lambda c: c.link("kable"), "unknown link 'kable'. Did you mean cable"),
        (lambda c: c.find("formats", "broadd"), "unknown precision 'broadd'"),
    ],
)
def test_each_kind_has_its_own_word_for_an_unknown_name(small, ask, message):
    with pytest.raises(UnknownNameError) as caught:
        ask(small)
    assert caught.value.message.startswith(message)
    assert "spark-plan" in caught.value.hint


def test_systems_engines_and_links_answer_to_their_aliases(small):
    assert small.hardware("GB 10").id == "box"
    assert small.engine("ENG").id == "engine"
    assert small.link("wire").id == "cable"
    assert small.find("formats", "Broad") == "wide"


def test_a_size_is_chosen_after_an_at_sign(small):
    studio = small.hardware("studio@96")
    assert studio.memory_gb == 96
    assert studio.pools[0].capacity_bytes.value == 96 * 2**30
    assert studio.pools[0].gpu_limit_fraction.value == 0.84


def test_a_size_may_have_its_own_limit(small):
    assert small.hardware("studio@48GB").pools[0].gpu_limit_fraction.value == 0.75


def test_without_a_size_the_default_one_is_meant(small):
    studio = small.hardware("studio")
    assert (studio.memory_gb, studio.pools[0].capacity_bytes.value) == (256, 256 * 2**30)


@pytest.mark.parametrize("size", ["512", "", "x", "-96", "96.0", "9" * 50])
def test_a_size_not_offered_is_refused_with_the_list(small, size):
    with pytest.raises(UsageError, match="sizes: 48, 96, 256") as caught:
        small.hardware(f"studio@{size}")
    assert caught.value.suggestions == ("studio@48", "studio@96", "studio@256")
    assert caught.value.hint == "use studio@256"


def test_a_system_of_one_size_has_none_to_choose(small):
    assert small.hardware("box").memory_gb is None
    with pytest.raises(UsageError, match="box is sold with one memory size"):
        small.hardware("box@128")


@given(st.one_of(st.text(max_size=60), st.text(alphabet="lama-370b.:@/_ 5x", max_size=30)))
def test_any_name_is_found_or_refused_politely(shipped, name):
    catalog = Catalog(cwd=Path("/"), env={}, shipped=shipped)
    for ask in (catalog.model, catalog.hardware, catalog.engine, catalog.link):
        with suppress(SparkPlanError):
            ask(name)
