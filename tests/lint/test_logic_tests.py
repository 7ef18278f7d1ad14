"""What is claimed of two tests of one value holds: held to the operations."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from callgate.lint.logic_forms import Test as Single
from callgate.lint.logic_forms import form
from callgate.lint.logic_tests import exclude, follows
from callgate.model.expr import Apply, Const, Expr, Fact
from callgate.stdlib import OPERATIONS
from tests.check.evaluate import evaluate
from tests.lint.worlds import CHANNEL, PLACE, at_home

_GLOBS = ("*", "a*", "*a", "ab*", "*ba", "a*b", "ab", "a*a*", "*b*", "")
_TEXTS = ("", "a", "b", "ab", "ba", "aa", "aab", "abab", "ba*", "aba")
_PLACES = ("/", "/etc", "/etc/ssh", "/etc/ssh/keys", "/ETC/ssh", "~", "~/a", "~/a/b", "/srv/*/x")
_PATHS = (
    *("/", "/etc", "/etc/ssh", "/ETC/SSH/keys/x", "/etc/ss*", "/etc/*/keys", "~", "~/A", "~/a/b/c"),
    *("/h", "/h/a", "/h/A/b", "/srv/a/x", "./etc/ssh", "./a", ".", "/home/u/a", "/h/**/b"),
)


def _single(expr: Expr) -> Single:
    found = form(expr)
    assert isinstance(found, Single)
    return found


def _places() -> list[Expr]:
    found: list[Expr] = []
    for place in _PLACES:
        touched = (PLACE, Const((place,)), Fact("call.home"), Const(("/home/*",)))
        found.append(Apply("touches", touched))
        found += [Apply(op, (PLACE, at_home((place,)))) for op in ("under_path", "covers")]
    return found


def _of_places() -> dict[Expr, list[Any]]:
    return {
        expr: [
            evaluate(expr, {"call.home": home}.__getitem__, {"w": {"path": path}})
            for path, home in product(_PATHS, ("", "/h"))
        ]
        for expr in _places()
    }


def _of_globs() -> dict[Expr, list[Any]]:
    like = OPERATIONS["like"].implementation
    return {
        Apply("like", (CHANNEL, Const(glob))): [like(text, glob) for text in _TEXTS]
        for glob in _GLOBS
    }


@pytest.mark.parametrize("truths", [_of_places(), _of_globs()], ids=["places", "globs"])
def test_what_is_claimed_of_two_tests_holds(truths: dict[Expr, list[Any]]) -> None:
    for (one, mine), (other, theirs) in product(truths.items(), repeat=2):
        if follows(_single(other), _single(one)):
            assert all(b is True for a, b in zip(mine, theirs, strict=True) if a is True)
        if exclude(_single(one), _single(other)):
            assert all(b is False for a, b in zip(mine, theirs, strict=True) if a is True)


def test_globs_are_compared_wherever_a_look_at_their_pieces_tells() -> None:
    truths = _of_globs()
    claimed = {(a, b) for a, b in product(truths, repeat=2) if follows(_single(b), _single(a))}
    assert len(claimed) > 2 * len(truths)
