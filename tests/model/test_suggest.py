"""Did-you-mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.suggest import closest, edit_distance

word = st.text("abc", max_size=6)


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("delete", "deletes", 1),
        ("decide", "dceide", 1),
        ("mode", "made", 1),
        ("kitten", "sitting", 3),
        ("ca", "abc", 3),
    ],
)
def test_distances(left: str, right: str, distance: int) -> None:
    assert edit_distance(left, right, 9) == distance
    assert edit_distance(left, right, distance) == distance
    if distance:
        assert edit_distance(left, right, distance - 1) == distance


def slow(left: str, right: str) -> int:
    """The definition: optimal string alignment, without a table."""
    if not left or not right:
        return len(left) + len(right)
    costs = [
        slow(left[:-1], right) + 1,
        slow(left, right[:-1]) + 1,
        slow(left[:-1], right[:-1]) + (left[-1] != right[-1]),
    ]
    if left[-2:] == right[-2:][::-1] and len(left) > 1 and len(right) > 1:
        costs.append(slow(left[:-2], right[:-2]) + 1)
    return min(costs)


@given(st.text("abc", max_size=5), st.text("abc", max_size=5), st.integers(0, 5))
def test_the_table_agrees_with_the_definition(left: str, right: str, limit: int) -> None:
    assert min(edit_distance(left, right, limit), limit + 1) == min(slow(left, right), limit + 1)


@pytest.mark.parametrize(
    ("given", "options", "meant"),
    [
        ("dney", ["deny", "allow", "ask"], "deny"),
        ("Deny", ["deny"], "deny"),
        ("deny-tools", ["deny_tools"], "deny_tools"),
        ("asks", ["ask", "mask"], "ask"),
        ("no", ["ask", "allow"], None),
        ("ask", ["env"], None),
        ("reason", [], None),
        ("b", ["a", "c"], "a"),
        ("severety_of_it", ["severity_of_it"], "severity_of_it"),
    ],
)
def test_suggestions(given: str, options: list[str], meant: str | None) -> None:
    assert closest(given, options) == meant


def test_a_limit_of_the_callers_own() -> None:
    assert closest("ab", ["abcd"], 2) == "abcd"
    assert closest("abcdefghij", ["abcdefghxx"], 1) is None


@given(word, st.lists(word, max_size=4), st.integers(0, 3))
def test_the_closest_is_the_closest(text: str, candidates: list[str], limit: int) -> None:
    """What is passed over without counting letters is too far away."""
    near = [(edit_distance(text, other, limit), other) for other in candidates]
    expected = min(
        ((distance, other) for distance, other in near if distance <= limit), default=None
    )
    assert closest(text, candidates, limit) == (expected and expected[1])
