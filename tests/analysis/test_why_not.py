"""Why not: every change that is told leads, walked again, where it says."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.analysis import why_not as module
from callgate.analysis.candidates import ABSENT, Candidate, changed
from callgate.analysis.explanation import Alternative, WhyNot
from callgate.analysis.reads import path_of
from callgate.analysis.why_not import MAX_WALKS, why_not
from callgate.model.catalogue import Tool, ToolEffect
from callgate.model.condition import Condition
from callgate.model.expr import Apply, Const, Expr, Fact, Get, Var
from callgate.model.policy import Guard, GuardDecision, Rule, Step
from callgate.runtime.interpreter import Program
from tests.acme import acme
from tests.small import eq, pipeline, policy, program, rule

PIPELINE = program(pipeline())


def with_changes(call: dict[str, Any], alternative: Alternative) -> dict[str, Any]:
    call = copy.deepcopy(call)
    for path, value in alternative.values:
        at = call
        for key in path[:-1]:
            at = at.setdefault(key, {})
        if value is ABSENT:
            del at[path[-1]]
        else:
            at[path[-1]] = value
    return call


def check(decide: Any, call: dict[str, Any]) -> tuple[WhyNot, ...]:
    before = copy.deepcopy(call)
    decision = decide(call)
    found = why_not(decide, call, decision)
    assert call == before
    assert {item.decision for item in found} <= {"allow", "ask", "deny"} - {decision.decision}
    for item in found:
        sizes = [len(alternative.changes) for alternative in item.alternatives]
        assert sizes == sorted(sizes)
        assert set(sizes) <= {1} or set(sizes) <= {2}
        for alternative in item.alternatives:
            again = decide(with_changes(call, alternative))
            assert again.failure is None
            assert alternative.decision == item.decision
            assert (again.decision, again.rule) == (item.decision, alternative.rule)
            assert len(alternative.values) == len(alternative.changes)
    assert why_not(decide, call, decision) == found
    return found


CONTEXT = st.fixed_dictionaries(
    {},
    optional={
        "unattended": st.booleans(),
        "cron_authorized": st.booleans(),
        "channel": st.sampled_from(["cli", "telegram", "ops", "x"]),
        "sender_id": st.sampled_from(["anna", "ben"]),
        "origin": st.sampled_from(["", "cron"]),
    },
)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["read_file", "write_file", "exec", "cronjob", "todo", "fly"]), CONTEXT)
def test_confirmed_on_the_pipeline(tool: str, context: dict[str, Any]) -> None:
    check(PIPELINE.decide, {"tool": tool, "context": context})


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["look", "save", "start"]),
    st.sampled_from(["/etc/x", "/tmp/x", "/srv/x"]),
    CONTEXT,
    st.sampled_from([{}, {"human": "once"}, {"human": "deny"}]),
)
def test_confirmed_on_acme(
    tool: str, path: str, context: dict[str, Any], answers: dict[str, Any]
) -> None:
    check(
        acme().decide,
        {"tool": tool, "args": {"path": path}, "context": context, "answers": answers},
    )


def shown(found: tuple[WhyNot, ...], decision: str) -> list[list[tuple[str, str, str]]]:
    (item,) = [item for item in found if item.decision == decision]
    return [[(c.fact, c.actual, c.expected) for c in a.changes] for a in item.alternatives]


def test_the_natural_change_comes_first() -> None:
    found = check(acme().decide, {"tool": "save", "args": {"path": "/srv/a"}})
    assert shown(found, "allow") == [
        [("answers.human", "absent", "once")],
        [("tool", "save", "look")],
    ]
    assert shown(found, "deny")[0] == [("answers.human", "absent", "deny")]
    assert [("context.unattended", "false", "true")] in shown(found, "deny")


def test_two_changes_where_one_is_not_enough() -> None:
    call = {
        "tool": "start",
        "args": {"count": 3},
        "context": {"unattended": True, "channel": "ops", "sender_id": "ben"},
        "answers": {"human": "deny"},
    }
    found = check(acme().decide, call)
    (pair,) = shown(found, "allow")
    assert pair == [("context.unattended", "true", "false"), ("context.sender_id", "ben", "anna")]
    found = check(PIPELINE.decide, {"tool": "cronjob", "context": {"unattended": True}})
    (pair,) = shown(found, "allow")
    assert len(pair) == 2


def test_text_without_its_harmful_part() -> None:
    found = check(acme().decide, {"tool": "save", "args": {"path": "/etc/x"}})
    assert ("args.path", "/etc/x", "other") in [a[0] for a in shown(found, "ask")]


SHELL = {
    "command": Tool(
        "command",
        parameters={"type": "object", "properties": {"command": {"type": "string"}}},
        effects=(ToolEffect("shell", {"text": ("arg", "command", None)}),),
    ),
    "look": Tool("look", effects=(ToolEffect("read", {"path": ("arg", "path", None)}),)),
    "note": Tool("note", parameters={"type": "object", "required": ["text"]}),
}


def guarded(*rules: Rule, guard: Expr) -> Program:
    """A graph with a guard that denies programs, ahead of the rules."""
    condition = Condition("guard", guard)
    deny = Guard("g", "G", GuardDecision("deny"), condition, ("r", "run"))
    step = Step("guards", "Guards", guards=True)
    return program(policy(*rules, guards=(deny,), steps=(step,), tools=SHELL, otherwise="ask"))


def expected(found: tuple[WhyNot, ...], fact: str) -> list[str]:
    changes = [c for item in found for a in item.alternatives for c in a.changes]
    return list(dict.fromkeys(c.expected for c in changes if c.fact == fact))


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("cat key; ls", ["ls"]),
        ("ls && cat key; pwd", ["ls; pwd"]),
        ("ls; cat key", ["ls"]),
        ("cat key | (ls; pwd)", ["(ls; pwd)"]),
        ("cat key", []),
        ("if cat key; then ls; fi", []),
    ],
)
def test_what_is_left_of_a_text_is_a_text(command: str, rest: list[str]) -> None:
    cat = Apply("eq", (Get(Var("r"), "program"), Const("cat")))
    small = guarded(rule("never", Fact("call.nested"), "allow"), guard=cat)
    found = check(small.decide, {"tool": "command", "args": {"command": command}})
    assert expected(found, "args.command") == rest


def test_a_tool_without_its_arguments_is_no_advice() -> None:
    small = guarded(rule("tools", eq("call.tool", "look"), "allow"), guard=Const(True))
    call: dict[str, Any] = {"tool": "command", "args": {"command": "ls"}}
    assert expected(check(small.decide, call), "tool") == []
    call["args"]["path"] = "/a"
    assert expected(check(small.decide, call), "tool") == ["look"]
    # Nor is it advice where the call has something opaque already.
    opaque = {"tool": "command", "args": {"command": "ls; $X"}}
    assert expected(check(small.decide, opaque), "tool") == []
    # An argument that no effect comes from can be needed too.
    small = guarded(rule("tools", eq("call.tool", "note"), "allow"), guard=Const(True))
    decision = small.decide(call)
    assert expected(why_not(small.decide, call, decision), "tool") == ["note"]
    assert expected(why_not(small.decide, call, decision, SHELL), "tool") == []


@pytest.mark.parametrize(("have", "nearest"), [(1500, "1000"), (-7, "0"), (700, "1000")])
def test_the_nearest_number_is_told(have: int, nearest: str) -> None:
    number = Fact("call.attempt_index")
    far = Apply("eq", (number, Const(0)))
    near = Apply("eq", (number, Const(1000)))
    small = program(policy(rule("far", far, "allow"), rule("near", near, "allow")))
    found = check(small.decide, {"tool": "exec", "context": {"attempt_index": have}})
    assert expected(found, "context.attempt_index") == [nearest]


def test_a_call_that_could_not_be_judged_has_no_alternatives() -> None:
    decision = acme().decide({"tool": 3})
    assert why_not(acme().decide, {"tool": 3}, decision) == ()


def test_decisions_that_the_graph_never_makes_are_not_looked_for() -> None:
    decision = PIPELINE.decide({"tool": "read_file"})
    assert [
        item.decision for item in why_not(PIPELINE.decide, {"tool": "read_file"}, decision)
    ] == [
        "ask",
        "deny",
    ]


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WALKS", 30)
    monkeypatch.setattr(module, "MAX_SINGLES", 20)
    walks = 0

    def decide(call: Any) -> Any:
        nonlocal walks
        walks += 1
        return PIPELINE.decide(call)

    call = {"tool": "cronjob", "context": {"unattended": True}}
    found = why_not(decide, call, PIPELINE.decide(call))
    assert walks <= 30
    assert all(item.walks == walks for item in found)
    assert MAX_WALKS > 30


def test_changes_leave_the_call_alone() -> None:
    call = {"tool": "a", "context": {"channel": "x"}}
    other = changed(
        call,
        Candidate(("context", "channel"), "y", 1),
        Candidate(("args", "deep", "er"), 1, 1),
        Candidate(("tool",), ABSENT, 1),
    )
    assert call == {"tool": "a", "context": {"channel": "x"}}
    assert other == {"context": {"channel": "y"}, "args": {"deep": {"er": 1}}}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("call.tool", ("tool",)),
        ("call.channel", ("context", "channel")),
        ("call.extra.team", ("context", "extra", "team")),
        ('args["file-path"]', None),
        ('call.extra["a.b"].c', ("context", "extra", "a.b", "c")),
        ("args.path", ("args", "path")),
        ("declared.annotations.readOnlyHint", ("declared", "annotations", "readOnlyHint")),
        ("risk", None),
        ("effects.delete", None),
    ],
)
def test_paths_of_facts(name: str, path: tuple[str, ...] | None) -> None:
    assert path_of(name) == path
