"""The combinations of a matrix of tests, and their names."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.load.matrix import combination_name, combinations, size_of


def test_the_last_path_changes_first() -> None:
    matrix = {"matrix": "m", "over": {"a": [1, 2], "b": ["x", "y"]}}
    found = list(combinations(matrix))
    assert [combination_name(matrix, values) for values in found] == [
        "m: a=1, b=x",
        "m: a=1, b=y",
        "m: a=2, b=x",
        "m: a=2, b=y",
    ]


@pytest.mark.parametrize(
    ("over", "size", "made"),
    [
        ({}, 1, 0),
        ({"a": []}, 0, 0),
        ({"a": [0] * 4096}, 4096, 4096),
        ({"a": [0] * 4097}, 4097, 0),
        ({str(n): list(range(1000)) for n in range(20)}, 1000**20, 0),
    ],
)
def test_no_more_than_there_may_be_are_made(over: dict[str, Any], size: int, made: int) -> None:
    matrix = {"matrix": "m", "over": over}
    assert (size_of(matrix), sum(1 for _ in combinations(matrix))) == (size, made)
