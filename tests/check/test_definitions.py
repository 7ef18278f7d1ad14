"""Derived facts and `define:`s: order, cycles, size."""

from __future__ import annotations

from collections.abc import Mapping

from callgate.lang.check import Checker
from callgate.lang.check_uses import Use
from callgate.lang.definitions import Definition, add_definitions
from callgate.lang.measure import MAX_DEPTH, MAX_SIZE
from callgate.lang.scope import Scope, call_names
from callgate.model.diagnostic import Diagnostic, Diagnostics
from callgate.model.expr import And, Fact, Not
from callgate.model.types import Enum
from tests.check.standard import Text

NESTED = Fact("call.nested")


def defined(texts: Mapping[str, str], condition: bool = True) -> tuple[Checker, list[Diagnostic]]:
    """A checker in whose scope these definitions stand, and what is wrong with them."""
    scope = Scope()
    scope.add_all(call_names(Enum("tool", (), open=True), {}))
    checker = Checker(scope, Diagnostics())
    definitions = {
        name: Definition(name, Text(text), Text(name).span(number, number + 1), condition)
        for number, (name, text) in enumerate(texts.items())
    }
    add_definitions(checker, definitions)
    return checker, checker.diagnostics.sorted()


def test_they_may_use_each_other_in_any_order() -> None:
    checker, problems = defined({"a": "not b", "b": "c and c", "c": "call.nested"})
    assert not problems
    both = And((NESTED, NESTED))
    assert checker.scope.names["a"].expr == Not(both)
    assert checker.scope.names["b"].expr == both


def test_a_cycle_is_named_once() -> None:
    checker, problems = defined(
        {"a": "b", "b": "e and c", "c": "not a", "d": "a or call.nested", "e": "call.nested"}
    )
    (problem,) = problems
    assert problem.code == "T015"
    assert problem.message == "`a` uses itself: `a` → `b` → `c` → `a`"
    assert [place for place, _ in problem.related] == ["`b` is defined here", "`c` is defined here"]
    assert set(checker.scope.names) >= {"e"}
    assert checker.scope.broken == {"a", "b", "c", "d"}


def test_it_may_not_use_itself() -> None:
    _, (problem,) = defined({"a": "call.nested or a"})
    assert (problem.code, problem.message) == ("T015", "`a` uses itself")


def test_two_cycles() -> None:
    _, problems = defined({"a": "b", "b": "a", "c": "d", "d": "c and a"})
    assert [problem.code for problem in problems] == ["T015", "T015"]


def test_what_uses_a_broken_one_is_not_reported_again() -> None:
    checker, problems = defined({"a": "call.nestd", "b": "a and not a", "c": "b or call.nested"})
    assert [problem.code for problem in problems] == ["T003"]
    assert checker.condition(Text("c and call.nested"), Use.FLOW) is None
    assert len(checker.diagnostics.items) == 1


def test_a_define_is_a_condition_and_a_fact_may_be_anything() -> None:
    _, problems = defined({"a": "call.sender_id"})
    assert [problem.code for problem in problems] == ["T009"]
    checker, problems = defined({"a": "call.sender_id"}, condition=False)
    assert not problems
    assert checker.scope.names["a"].expr == Fact("call.sender_id")


def test_a_chain_of_a_thousand_is_refused_without_a_crash() -> None:
    texts = {f"d{n}": f"call.nested and not d{n + 1}" for n in range(1000)}
    _, problems = defined({**texts, "d1000": "call.nested"})
    assert [problem.code for problem in problems] == ["P005"]
    assert f"{MAX_DEPTH} levels" in problems[0].help


def test_doubling_is_refused_without_filling_the_memory() -> None:
    texts = {f"d{n}": f"d{n + 1} and d{n + 1}" for n in range(60)}
    _, problems = defined({**texts, "d60": "call.nested"})
    assert [problem.code for problem in problems] == ["P005"]
    assert f"{MAX_SIZE:,} parts" in problems[0].help


def test_a_rule_may_not_be_too_large_either() -> None:
    texts = {f"d{n}": f"d{n + 1} and d{n + 1}" for n in range(12)}
    checker, problems = defined({**texts, "d12": "call.nested"})
    assert not problems
    assert checker.condition(Text("d0"), Use.FLOW) is not None
    assert checker.condition(Text(" and ".join(["d0"] * 3)), Use.FLOW) is None
    assert [problem.code for problem in checker.diagnostics.items] == ["P005"]
