"""What is too large to be judged is refused before it is written out."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from callgate.gate.frozen_call import (
    MAX_CALL,
    MAX_TEXTS,
    MAX_VALUES,
    CallRefusedError,
    freeze,
)


def doubled(part: Any, levels: int) -> Any:
    """Lists that each hold the one below twice."""
    for _ in range(levels):
        part = [part, part]
    return part


def mapped(part: Any, levels: int) -> Any:
    """The same of dicts."""
    for _ in range(levels):
        part = {"a": part, "b": part}
    return part


@pytest.mark.parametrize(
    "args",
    [
        doubled([], 55),
        mapped({}, 55),
        {"x": doubled([1] * 1000, 40)},
        [["x" * 100_000] * 100],
        {"x" * 100_000 + str(number): 1 for number in range(100)},
        {"x": [0] * (MAX_VALUES + 1)},
        ["x"] * (MAX_TEXTS + 1),
        {str(number): 1 for number in range(MAX_TEXTS + 1)},
        [{"x": "y"}] * (MAX_TEXTS // 2 + 1),
    ],
    ids=["lists", "dicts", "wide", "long", "keys", "values", "texts", "names", "nested"],
)
def test_what_would_be_endless_is_refused(args: Any) -> None:
    with pytest.raises(CallRefusedError) as found:
        freeze({"tool": "a", "args": {"x": args}}, {})
    assert found.value.code == "R004"


def test_arguments_are_counted_on_every_level() -> None:
    with pytest.raises(CallRefusedError, match=f"{MAX_TEXTS} texts"):
        freeze({"tool": "a", "args": {str(number): 1 for number in range(MAX_TEXTS + 1)}}, {})


def test_the_digest_is_that_of_what_was_frozen() -> None:
    aliases = {"also_a": "a"}
    one = freeze({"tool": "a", "args": {"x": 1, "y": [1.5]}}, aliases)
    two = freeze({"args": {"y": [1.5], "x": 1}, "tool": "also_a", "context": {}}, aliases)
    two.copy["args"]["x"] = 2
    assert one.digest == two.digest == one.call.digest
    assert one.digest == sha256(b'{"args":{"x":1,"y":[1.5]},"tool":"a"}').hexdigest()
    assert freeze({"tool": "also_a", "args": {"x": 1, "y": [1.5]}}, {}).digest != one.digest


def test_what_is_there_twice_may_be_there() -> None:
    args = {"x": doubled(["a"], 10)}
    frozen = freeze({"tool": "a", "args": args}, {})
    assert frozen.call["args"] == args
    assert frozen.call["args"]["x"][0] is not frozen.call["args"]["x"][1]


def test_as_much_as_may_be() -> None:
    for args in (
        {"x": [0] * (MAX_VALUES - 10)},
        {"x": "y" * (MAX_CALL - 100)},
        {str(number): 1 for number in range(MAX_TEXTS)},
    ):
        assert freeze({"tool": "a", "args": args}, {}).call["args"] == args
