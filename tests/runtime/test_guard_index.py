"""Guards that no effect of a call could set off are not looked at."""

from __future__ import annotations

import pytest

from callgate.compiler.build import compile_policy
from callgate.model.condition import Condition
from callgate.model.effect import Effect, EffectSet
from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
    Expr,
    Fact,
    Get,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.model.pattern import CommandPattern, WordPattern
from callgate.model.policy import Guard, GuardDecision, Step
from callgate.model.values import UNKNOWN
from callgate.runtime.codegen import Codegen
from callgate.runtime.frame import Frame
from callgate.runtime.guard_index import ProgramNames, kinds_needed, programs_named
from callgate.runtime.guard_left import by_program
from callgate.runtime.interpreter import Program
from tests.small import policy

R = Var("r")
NAME = Get(R, "program")


def is_(*names: str) -> Expr:
    return CommandMatch(R, CommandPattern(tuple(WordPattern((name,)) for name in names)))


PREFIX = CommandMatch(R, CommandPattern((WordPattern(("mkfs.", "")),)))
GIT = Apply("eq", (NAME, Const("git")))
SHELLS = Apply("in", (NAME, Const(("sh", "bash"))))
WORDS = Apply("in", (Const("push"), Get(R, "words")))


@pytest.mark.parametrize(
    ("when", "programs"),
    [
        (is_("git"), {"git"}),
        (is_("rm", "unlink"), {"rm", "unlink"}),
        (PREFIX, {"mkfs.*"}),
        (GIT, {"git"}),
        (SHELLS, {"sh", "bash"}),
        (Apply("eq", (Get(Var("x"), "program"), Const("git"))), None),
        (Apply("ne", (NAME, Const("git"))), None),
        (Not(GIT), None),
        (WORDS, None),
        (And((GIT, WORDS)), {"git"}),
        (And((WORDS, SHELLS)), {"sh", "bash"}),
        (And((GIT, SHELLS)), {"git"}),
        (Or((GIT, SHELLS)), {"git", "sh", "bash"}),
        (Or((GIT, WORDS)), None),
        (Or((And((GIT, WORDS)), is_("rm"))), {"git", "rm"}),
    ],
)
def test_programs(when: Expr, programs: set[str] | None) -> None:
    assert programs_named(when, "r") == (None if programs is None else frozenset(programs))


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        (is_("git"), {"git": True, "rm": False}),
        (Or((GIT, is_("rm"), PREFIX)), {"git": True, "rm": True, "mkfs.x": True, "ls": False}),
        (Or((And((GIT, WORDS)), SHELLS)), {"git": False, "sh": True, "ls": False}),
        (And((Not(GIT), Not(SHELLS))), {"git": False, "sh": False, "ls": True}),
        (Not(And((GIT, WORDS))), {"git": True, "ls": True}),
        (WORDS, {"git": False}),
    ],
)
def test_what_is_left_for_one_program(when: Expr, wanted: dict[str, bool]) -> None:
    def fits(effect: Effect, pattern: CommandPattern, strict: bool) -> bool:
        text = str(effect.fields["program"])
        return any(text.startswith(word.pieces[0]) for word in pattern.program)

    codegen = Codegen({}, lambda frame: frame.effects, fits)
    whole = codegen.compile(when, "r")
    parts = by_program(when, "r", lambda expr: codegen.compile(expr, "r"))
    for _ in range(2):
        for program, value in wanted.items():
            effect = run(program)
            assert parts(Frame(), effect) is whole(Frame(), effect) is value
        assert parts(Frame(), run(UNKNOWN)) is whole(Frame(), run(UNKNOWN))


@pytest.mark.parametrize(
    ("names", "name", "inside"),
    [
        (["git"], "git", True),
        (["git"], "gi", False),
        (["python3.*", "git"], "python3.12", True),
        (["python3.*", "git"], "python3", False),
        ([], "git", False),
        (["*"], UNKNOWN, False),
    ],
)
def test_names_with_stars(names: list[str], name: object, inside: bool) -> None:
    assert (name in ProgramNames(names)) is inside


def some(kind: str) -> Expr:
    return Quant("any", "e", Fact(f"effects.{kind}"), Const(True))


@pytest.mark.parametrize(
    ("when", "kinds"),
    [
        (some("read"), {"read"}),
        (some("changes"), {"write", "delete", "permission", "device"}),
        (And((GIT, some("sql"))), {"sql"}),
        (Or((some("sql"), some("read"))), {"sql", "read"}),
        (And((some("run"), some("connect"))), {"connect"}),
        (And((some("connect"), some("run"))), {"connect"}),
        (Or((some("sql"), GIT)), None),
        (Quant("none", "e", Fact("effects.read"), Const(True)), None),
        (Quant("any", "e", Fact("call.groups"), Const(True)), None),
    ],
)
def test_kinds(when: Expr, kinds: set[str] | None) -> None:
    assert kinds_needed(when) == (None if kinds is None else frozenset(kinds))


def run(program: object) -> Effect:
    fields = {"program": program, "program_path": program, "words": ()}
    return Effect(
        "run", {**fields, "subcommand": None, "options": (), "operands": (), "idle": False}
    )


@pytest.mark.parametrize(
    ("programs", "rule"),
    [
        (["git"], "g"),
        (["ls"], "otherwise"),
        (["ls", "git"], "g"),
        (["ls", "make"], "otherwise"),
        ([UNKNOWN], "guards"),
        (["ls", UNKNOWN], "guards"),
    ],
)
def test_an_unknown_program_may_be_any(programs: list[object], rule: str) -> None:
    guard = Guard("g", "g", GuardDecision.DENY, Condition("", GIT), ("r", "run"))
    source = policy(guards=(guard,), steps=(Step("guards", "guards", guards=True),))
    program = Program(*compile_policy(source, {}), "test")
    for _ in range(2):
        frame = program.checker.frame({"tool": "exec"})
        program.classifier.classify(frame)
        frame.effects = EffectSet()
        for name in programs:
            frame.effects.add(run(name))
        decision = program.walk(frame)
        matched = [match["rule"] for match in program.describe(decision)["matched"]]
        if rule == "guards":
            assert matched == ["g"] and decision.decision == "ask"
        else:
            assert decision.rule == rule
