"""Values as records hold them: what `encode` takes `decode` gives back, and the bytes are those of
RFC 8785."""

from __future__ import annotations

import enum
import json
import math
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.record.values import canonical, decode, encode

# A busy machine is no mistake.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Halves of surrogate pairs and control characters among them.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
KEYS = TEXTS | st.sampled_from(["$float", "$int", "$utf8", "$pairs", "$", "a", "é", "\ud800"])
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**53 - 2, 2**53 + 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)


def same(one: Any, other: Any) -> bool:
    """Equal, and of the same types: 1 is not 1.0 or True, and 0.0 is not -0.0."""
    if type(one) is not type(other):
        return False
    if type(one) is list:
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if type(one) is float:
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return bool(one == other)


@UNTIMED
@given(VALUES)
def test_what_is_encoded_comes_back_also_over_bytes(value: Any) -> None:
    assert same(decode(json.loads(canonical(encode(value)))), value)


@UNTIMED
@given(VALUES)
def test_the_bytes_are_canonical(value: Any) -> None:
    restricted = encode(value)
    assert canonical(restricted) == rfc8785.dumps(restricted)


@UNTIMED
@given(VALUES)
def test_what_is_restricted_stays_as_it_is(value: Any) -> None:
    restricted = encode(value)
    if "$" not in json.dumps(restricted):
        assert encode(restricted) is restricted


@pytest.mark.parametrize(
    "value",
    [
        "".join(map(chr, range(0x80))),
        "\x7f\x80\u2028\u2029\ufeff\uffff",
        "Grüße, 世界, ‮",
        "😀\U0010ffff",
        {"": "", " ": 1, "a": 2, "A": 3, "aa": 4, "\x00": 5, "\x7f": 6, '"\\': 7},
        [2**53 - 1, -(2**53) + 1, 0],
        {"a": [{"b": [[], {}, [None, True, False]]}] * 50, "c": {f"k{i}": "é" for i in range(500)}},
    ],
)
def test_bytes_of_odd_values(value: Any) -> None:
    assert encode(value) == value
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("value", "restricted"),
    [
        (0.1, {"$float": "0.1"}),
        (-0.0, {"$float": "-0.0"}),
        (1e300, {"$float": "1e+300"}),
        (2**53, {"$int": "9007199254740992"}),
        (-(2**53), {"$int": "-9007199254740992"}),
        ("a\ud83d", {"$utf8": "61eda0bd"}),
        ("\ud83d\ude00", {"$utf8": "eda0bdedb880"}),
        ({"é": 1, "a": 0.5}, {"$pairs": [["a", {"$float": "0.5"}], ["é", 1]]}),
        ({"$float": "0.1"}, {"$pairs": [["$float", "0.1"]]}),
        ({"\ud800": None}, {"$pairs": [[{"$utf8": "eda080"}, None]]}),
    ],
)
def test_forms(value: Any, restricted: Any) -> None:
    assert encode(value) == restricted
    assert same(decode(restricted), value)


class Word(enum.StrEnum):
    A = "a"


class Number(int):
    pass


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        b"a",
        (1, 2),
        {1, 2},
        object(),
        Word.A,
        Number(1),
        {1: 2},
        {None: 1},
        {"é": 1, 2: 3},
        [{"a": [(1,)]}],
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_values(value: Any) -> None:
    with pytest.raises(ValueError, match="no value for a record"):
        encode(value)


def test_too_deep() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    with pytest.raises(ValueError, match="nested too deeply"):
        encode(value)
    with pytest.raises(ValueError, match="no value for a record"):
        canonical(value)


@pytest.mark.parametrize("value", [2**53, -(2**53), "\ud800", b"", Number(1), {1: 2}], ids=repr)
def test_what_is_not_restricted_has_no_bytes(value: Any) -> None:
    with pytest.raises(ValueError, match="no value for a record"):
        canonical(value)


@pytest.mark.parametrize(
    "value",
    [
        {"$float": "0.10"},
        {"$float": "nan"},
        {"$float": "1"},
        {"$float": 0.5},
        {"$int": "1"},
        {"$int": "09007199254740993"},
        {"$int": "x"},
        {"$utf8": "61"},
        {"$utf8": "zz"},
        {"$utf8": "EDA080"},
        {"$pairs": []},
        {"$pairs": [["a", 1]]},
        {"$pairs": [["é", 1], ["a", 1]]},
        {"$pairs": [["é", 1], ["é", 1]]},
        {"$pairs": {"é": 1}},
        {"$pairs": 1},
        {"$other": 1},
        {"$float": "0.1", "a": 1},
        [{"a": {"$": 1}}],
    ],
    ids=str,
)
def test_one_value_has_one_form(value: Any) -> None:
    with pytest.raises(ValueError, match="that no record holds"):
        decode(value)
