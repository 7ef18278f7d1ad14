"""A call that isn't one is denied with a code and words about what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.catalogue import Tool
from callgate.model.expr import Fact, Has
from tests.small import policy, program, rule


def nested(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


PARAMETERS = {
    "type": "object",
    "properties": {
        "action": {"type": "string"},
        "count": {"type": "integer"},
        "names": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["action"],
}
READS = [rule(name, Has(Fact(f"args.{name}")), "allow") for name in ("action", "count", "names")]
PROGRAM = program(policy(*READS, tools={"process": Tool("process", parameters=PARAMETERS)}))

BAD: list[tuple[Any, str, str]] = [
    ([], "R001", "a call is an object, not a list"),
    ({}, "R001", "a call names its `tool`"),
    ({"tool": ""}, "R001", "a call names its `tool`"),
    ({"tool": 3}, "R001", "a call names its `tool`"),
    ({"tol": "x"}, "R002", "`tol` is not a key of a call; did you mean `tool`?"),
    ({"args": {}}, "R001", "a call names its `tool`"),
    ({"tool": "", "arg": {}}, "R001", "a call names its `tool`"),
    ({"tool": "x", "arg": {}}, "R002", "`arg` is not a key of a call; did you mean `args`?"),
    ({"tool": "x", "args": []}, "R003", "`args` is an object, not a list"),
    ({"tool": "x", "args": {"a": nested(40)}}, "R004", "`args` is nested deeper than 32 levels"),
    ({"tool": "x", "args": {"a": {1: 2}}}, "R003", "the keys of objects in `args` are strings"),
    ({"tool": "x", "args": {"a": b""}}, "R003", "`args` holds bytes, which is not JSON"),
    ({"tool": "x", "id": 1}, "R003", "`id` is a string, not an integer"),
    ({"tool": "x", "context": 1}, "R003", "`context` is an object, not an integer"),
    (
        {"tool": "x", "context": {"chanel": "cli"}},
        "R002",
        "`context.chanel` is not a key of a call; did you mean `context.channel`?",
    ),
    (
        {"tool": "x", "context": {"nested": 1}},
        "R003",
        "`context.nested` is true or false, not an integer",
    ),
    ({"tool": "x", "context": {"attempt_index": True}}, "R003", "an integer, not true or false"),
    ({"tool": "x", "context": {"groups": [1]}}, "R003", "`context.groups` is a list of strings"),
    ({"tool": "x", "context": {"allowed_tools": "exec"}}, "R003", "a list, not a string"),
    ({"tool": "x", "declared": {"risk": "exec"}}, "R002", "did you mean `declared.risk_level`?"),
    ({"tool": "x", "declared": {"capabilities": [1]}}, "R003", "is a list of strings"),
    (
        {"tool": "x", "declared": {"annotations": {"readOnlyHint": "false"}}},
        "R003",
        "`declared.annotations.readOnlyHint` is true or false",
    ),
    ({"tool": "x", "observed": {"dns": {"a": "1.1.1.1"}}}, "R003", "is a list of addresses"),
    ({"tool": "x", "observed": {"links": {"/a": 1}}}, "R003", "is a path"),
    ({"tool": "x", "observed": {"time": "noon"}}, "R003", "`observed.time` is a time like"),
    ({"tool": "x", "observed": {"missing": "vision"}}, "R003", "`observed.missing` is a list"),
    ({"tool": "x", "observed": {"missing": ["a", 1]}}, "R003", "is a list of strings"),
    ({"tool": "x", "answers": {"grant": "yes"}}, "R005", "`answers.grant` is true or false"),
    ({"tool": "x", "answers": {"human": "maybe"}}, "R005", "`answers.human` is one of"),
    ({"tool": "x", "answers": {"human": []}}, "R005", "`answers.human` is one of"),
    ({"tool": "x", "answers": {"reviewer": {"text": "APPROVE"}}}, "R005", "`answers.reviewer` is"),
    ({"tool": "x", "answers": {"boss": True}}, "R002", "`answers.boss` is not a key"),
    ({"tool": "process"}, "R003", "`process` needs the argument `action`"),
    (
        {"tool": "process", "args": {"count": 1, "acton": "list"}},
        "R003",
        "`process` needs the argument `action`; given: `acton`, did you mean `action`?",
    ),
    (
        {"tool": "process", "args": {"count": 1, "x": 1, "y": 1, "z": 1}},
        "R003",
        "`process` needs the argument `action`; given: `count`, `x`, `y`",
    ),
    (
        {"tool": "process", "args": {"action": None}},
        "R003",
        "`process` needs the argument `action`, which is null",
    ),
    ({"tool": "process", "args": {"action": 1}}, "R003", "is a string, not an integer"),
    ({"tool": "process", "args": {"action": "a", "count": True}}, "R003", "an integer, not true"),
    ({"tool": "process", "args": {"action": "a", "names": [1]}}, "R003", "a list of strings"),
    ({"tool": "process", "args": {"action": "x" * 2_000_000}}, "R004", "longer than 1048576"),
]


@pytest.mark.parametrize(("call", "code", "words"), BAD, ids=[str(row[2])[:50] for row in BAD])
def test_bad_calls_are_denied(call: Any, code: str, words: str) -> None:
    decision = PROGRAM.decide(call)
    told = decision.to_dict()
    assert (told["decision"], told["rule"]) == ("deny", "builtin.error")
    assert told["error"]["code"] == code
    assert words in told["error"]["message"] or words in decision.failure.message  # type: ignore[union-attr]


GOOD: list[Any] = [
    {
        "tool": "process",
        "args": {"action": "list", "names": ["a"], "extra": {"deep": [1, {"x": None}]}},
    },
    {
        "tool": "x",
        "args": None,
        "context": None,
        "declared": None,
        "observed": None,
        "answers": None,
    },
    {
        "tool": "x",
        "context": {"allowed_tools": None, "parent_execution_id": "p", "extra": {"a": [1]}},
    },
    {"tool": "x", "declared": {"annotations": {"destructiveHint": True, "other": 1}}},
]


@pytest.mark.parametrize("call", GOOD, ids=range(len(GOOD)))
def test_good_calls_are_judged(call: Any) -> None:
    assert PROGRAM.decide(call).failure is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["id", "tool", "args", "declared", "context", "observed", "answers", "settings", "other"]
)


@given(JSON | st.dictionaries(KEYS, JSON))
def test_any_json_gets_a_decision(call: Any) -> None:
    told = PROGRAM.decide(call).to_dict()
    assert told["decision"] in ("allow", "ask", "deny")


def test_the_snapshot_does_not_follow_the_caller() -> None:
    call = {"tool": "process", "args": {"action": "list", "deep": {"a": ["b"]}}, "context": {}}
    decision = PROGRAM.decide(call)
    before = decision.to_dict()
    call["args"]["action"] = "kill"  # type: ignore[index]
    call["args"]["deep"]["a"].append("c")  # type: ignore[index]
    call["context"]["channel"] = "cli"  # type: ignore[index]
    assert decision.to_dict() == before
    assert decision.frame.args["deep"] == {"a": ["b"]}
