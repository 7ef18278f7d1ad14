"""Asking all guards at once is the same as asking them one by one."""

from __future__ import annotations

import pytest

from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
    Default,
    Expr,
    Fact,
    Get,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.model.pattern import CommandPattern, WordPattern
from callgate.model.values import UNKNOWN
from callgate.runtime.guard_index import programs_of_call, words_named
from callgate.runtime.guard_left import left_of, left_of_call
from callgate.runtime.quiet import Quiet
from tests.policies.guard_cases import CASES, decide

R = Var("r")
FALSE = Const(False)
SUB = Default(Get(R, "subcommand"), Const(""))
IDLE = Get(R, "idle")


def words(*items: str) -> tuple[WordPattern, ...]:
    return tuple(WordPattern(tuple(item.split("*"))) for item in items)


def git(*first: str) -> Expr:
    return CommandMatch(R, CommandPattern(words("git"), (words(*first),)))


GIT = Apply("eq", (Get(R, "program"), Const("git")))
PUSH = Apply("eq", (SUB, Const("push")))
PUSHES = Apply("in", (Get(R, "subcommand"), Const(("push", "send-pack"))))
REMOTE = Apply("eq", (SUB, Const("remote add")))


@pytest.mark.parametrize(
    ("when", "word", "left"),
    [
        (git("push"), "push", True),
        (git("push"), "status", False),
        (git("push"), None, False),
        (git("push"), "", True),
        (git("push", "p*"), None, True),
        (git("*"), None, True),
        (PUSH, "push", True),
        (PUSH, "pull", False),
        (PUSH, None, False),
        (PUSH, "", True),
        (PUSHES, "send-pack", True),
        (PUSHES, "log", False),
        (REMOTE, "remote", True),
        (REMOTE, "push", False),
        (Apply("eq", (SUB, Const(""))), "push", True),
        (And((GIT, PUSH)), "push", True),
        (And((GIT, PUSH)), "log", False),
        (And((GIT, IDLE)), None, True),
        (Or((And((GIT, PUSH)), git("fetch"))), "fetch", True),
        (Or((And((GIT, PUSH)), git("fetch"))), "log", False),
    ],
)
def test_what_is_left_for_a_first_word(when: Expr, word: str | None, left: bool) -> None:
    assert (left_of(when, "r", "git", word) != FALSE) is left


def test_what_is_false_inside_a_negation_stays_there() -> None:
    assert left_of(Not(git("push")), "r", "git", "log") == Not(FALSE)


def test_the_words_that_a_condition_mentions() -> None:
    assert words_named(And((Or((git("push", "p*"), PUSHES)), Not(REMOTE))), "r") == {
        "push",
        "send-pack",
        "remote",
    }


RUNS_SH = Quant("any", "r", Fact("effects.run"), Apply("eq", (Get(R, "program"), Const("sh"))))
RUNS_IDLE = Quant("any", "r", Fact("effects.run"), IDLE)
READS = Quant("any", "e", Fact("effects.read"), Const(True))


@pytest.mark.parametrize(
    ("when", "kinds", "programs", "left"),
    [
        (RUNS_SH, {"run"}, {"sh"}, True),
        (RUNS_SH, {"run"}, {"sh", None}, True),
        (RUNS_SH, {"run"}, {None}, False),
        (RUNS_SH, {"run"}, {UNKNOWN}, True),
        (RUNS_SH, set(), set(), False),
        (RUNS_IDLE, {"run"}, {None}, True),
        (RUNS_IDLE, set(), set(), False),
        (READS, {"run", "read"}, {None}, True),
        (READS, {"run"}, {None}, False),
        (And((READS, RUNS_SH)), {"run", "read"}, {None}, False),
        (Or((READS, RUNS_SH)), {"run", "read"}, {None}, True),
        (Apply("eq", (Fact("call.tool"), Const("x"))), set(), set(), True),
    ],
)
def test_what_is_left_for_a_call(
    when: Expr, kinds: set[str], programs: set[object], left: bool
) -> None:
    assert (left_of_call(when, kinds, programs) != FALSE) is left


def test_the_programs_that_a_condition_on_a_call_mentions() -> None:
    assert programs_of_call(Or((And((RUNS_SH, READS)), Not(RUNS_IDLE)))) == {"sh"}


def test_every_command_is_decided_as_by_asking_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told() -> list[tuple[object, ...]]:
        decisions = map(decide, CASES)
        return [(d.outcome, d.trace, _matches(d.frame)) for d in decisions]

    # Twice: what one call has left behind must not matter to another.
    first, second = told(), told()
    monkeypatch.setattr(Quiet, "surely", lambda *_: False)
    one_by_one = told()
    assert first == one_by_one
    assert second == one_by_one


def _matches(frame: object) -> list[tuple[object, ...]]:
    matches = getattr(frame, "matches", ())
    return [(match.guard, match.decide, match.unresolved, match.stands) for match in matches]
