"""Whatever a config says, reading it gives a sound shape or names a fault."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_plan.catalog import Catalog
from spark_plan.catalog.architecture import read
from spark_plan.errors import ConfigError

CATALOG = Catalog(env={})
CONFIGS = [CATALOG.model(key).config for key in CATALOG.ids("models")]
# One config of each family is enough to start from.
FAMILIES = list({str(config.get("model_type")): config for config in CONFIGS}.values())
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.integers(0, 300),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["M" * 20_000, ["mamba"] * 20_000, [1] * 20_000, {"a": {}}, [[[]]]]),
    st.recursive(st.integers(0, 9), lambda inner: st.lists(inner, max_size=3), max_leaves=6),
)


def places(config, here=()):
    for key, value in config.items():
        yield (*here, key)
        if isinstance(value, dict):
            yield from places(value, (*here, key))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_garbled_config_is_a_named_fault_or_a_sound_shape(data):
    config = copy.deepcopy(data.draw(st.sampled_from(FAMILIES)))
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(list(places(config))))
        owner = config
        for key in path:
            owner = owner[key]
        if data.draw(st.booleans()):
            owner[last] = copy.deepcopy(data.draw(JUNK))
        else:
            del owner[last]
        if not config:
            break
    fault = shape = None
    try:
        shape = read(config)
    except ConfigError as error:
        fault = error.message
    if shape is None:
        assert fault.startswith("$")
        assert len(fault) < 500
    else:
        assert all(group.elements > 0 for group in shape.tensors)
        assert all(group.layers > 0 and group.key_elements > 0 for group in shape.caches)


@pytest.mark.parametrize("config", [None, [], "config", 7, {}, {"text_config": []}])
def test_what_is_no_config_is_a_named_fault(config):
    with pytest.raises(ConfigError, match=r"^\$"):
        read(config)


def test_a_config_nested_without_end_is_a_named_fault():
    config = json.loads('{"text_config":' * 500 + "{}" + "}" * 500)
    with pytest.raises(ConfigError, match="nested too deeply"):
        read(config)


@given(layers=st.integers(1, 200), heads=st.integers(1, 64), per_head=st.integers(1, 256))
def test_parameters_and_cache_grow_by_the_same_for_every_layer(layers, heads, per_head):
    def sized(count):
        return read(
            {
                "model_type": "llama",
                "hidden_size": heads * per_head,
                "intermediate_size": 100,
                "num_hidden_layers": count,
                "num_attention_heads": heads,
                "vocab_size": 100,
                "max_position_embeddings": 100,
            }
        )

    def size(shape):
        return sum(group.elements for group in shape.tensors)

    one, some, more = sized(1), sized(layers), sized(layers + 1)
    layer = 4 * (heads * per_head) ** 2 + (3 * 100 + 2) * heads * per_head
    assert size(more) - size(some) == layer
    assert some.caches[0]._replace(layers=1) == one.caches[0]
