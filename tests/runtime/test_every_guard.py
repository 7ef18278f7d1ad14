"""What every guard comes to on every effect, and that a guard is compiled once."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.model.condition import Condition
from callgate.model.effect import Effect, EffectSet
from callgate.model.expr import Apply, Const, Get, Var
from callgate.model.policy import Guard, GuardDecision, Step
from callgate.model.values import UNKNOWN
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program
from tests.small import policy, program


def small() -> Program:
    """One guard that denies the deletion of `/a`, and a step that asks the guards."""
    when = Apply("eq", (Get(Var("d"), "path"), Const("/a")))
    guard = Guard("g", "G", GuardDecision("deny"), Condition("g", when), ("d", "delete"))
    return program(policy(guards=(guard,), steps=(Step("guards", "Guards", guards=True),)))


def deletes(*paths: object) -> EffectSet:
    found = EffectSet()
    for path in paths:
        found.add(Effect("delete", {"path": path, "recursive": False}))
    return found


def frame(of: Program) -> Frame:
    made = of.checker.frame({"tool": "exec"})
    of.classifier.classify(made)
    return made


def test_a_deny_ends_nothing() -> None:
    source = small()
    effects = deletes("/b", "/a", UNKNOWN, "/a")
    effects.add(Effect("opaque", {"reason": "x", "bound": False}))
    effects.add(Effect("opaque", {"reason": "x", "bound": True}))
    told = [
        (effects.all.index(match.effect), match.guard, match.decide, match.unresolved)
        for match in source.guards.every(frame(source), effects)
    ]
    assert told == [
        (1, 0, "deny", False),
        (2, 0, "ask", True),
        (3, 0, "deny", False),
        (4, -1, "ask", False),
        (5, -1, "deny", False),
    ]


def test_a_guard_is_compiled_once_for_many_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    source = small()
    compile_ = source.codegen.compile
    compiled: list[Any] = []

    def counted(*args: Any) -> Any:
        compiled.append(args)
        return compile_(*args)

    monkeypatch.setattr(source.codegen, "compile", counted)
    effects = deletes(*[f"/x{i}" for i in range(50)])
    assert list(source.guards.every(frame(source), effects)) == []
    assert len(compiled) == 1
