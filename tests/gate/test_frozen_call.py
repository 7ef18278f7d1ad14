"""What is too large to be judged is refused before it is written out."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.gate.frozen_call import MAX_CALL, MAX_VALUES, CallRefusedError, freeze


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
    ],
    ids=["lists", "dicts", "wide", "texts", "keys", "values"],
)
def test_what_would_be_endless_is_refused(args: Any) -> None:
    with pytest.raises(CallRefusedError) as found:
        freeze({"tool": "a", "args": {"x": args}}, {})
    assert found.value.code == "R004"


def test_what_is_there_twice_may_be_there() -> None:
    args = {"x": doubled(["a"], 10)}
    frozen = freeze({"tool": "a", "args": args}, {})
    assert frozen.call["args"] == args
    assert frozen.call["args"]["x"][0] is not frozen.call["args"]["x"][1]


def test_as_much_as_may_be() -> None:
    for args in ({"x": [0] * (MAX_VALUES - 10)}, {"x": "y" * (MAX_CALL - 100)}):
        assert freeze({"tool": "a", "args": args}, {}).call["args"] == args
