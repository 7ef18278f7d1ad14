"""The walk: what decides, what is traced, what a failure does, and the graph's JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.compiler.build import compile_policy
from callgate.model.catalogue import Tool, ToolEffect
from callgate.model.condition import Condition
from callgate.model.expr import And, Apply, Const, Expr, Fact, Get, Or, Quant, Var
from callgate.model.graph import DecisionGraph, GraphError
from callgate.model.policy import (
    AskLevel,
    Consult,
    Consultant,
    Decide,
    Guard,
    GuardDecision,
    Next,
    Rule,
    Step,
    Verdict,
)
from callgate.model.template import Template
from callgate.runtime.interpreter import Program
from tests.small import SETTINGS, eq, pipeline, policy, program, rule

PIPELINE = program(pipeline())


@pytest.mark.parametrize(
    ("call", "decision", "by"),
    [
        ({"tool": "skill_install"}, "deny", "denied"),
        ({"tool": "cronjob", "context": {"unattended": True}}, "deny", "dangerous"),
        ({"tool": "read_file"}, "allow", "tiers"),
        (
            {"tool": "exec", "context": {"unattended": True, "cron_authorized": True}},
            "allow",
            "cron",
        ),
        ({"tool": "todo"}, "allow", "approved"),
        ({"tool": "exec", "context": {"channel": "cli"}}, "allow", "trusted"),
        ({"tool": "exec"}, "ask", "otherwise"),
        ({"tool": "unheard-of"}, "ask", "otherwise"),
    ],
)
def test_seven_rules(call: dict[str, Any], decision: str, by: str) -> None:
    found = PIPELINE.decide(call)
    assert (found.decision, found.rule) == (decision, by)


def test_the_trace_tells_conditions_and_values() -> None:
    told = PIPELINE.decide({"tool": "exec", "context": {"channel": "cli"}}).to_dict()
    assert [(entry["condition"], entry["value"]) for entry in told["trace"]] == [
        ("denied", False),
        ("risk", "exec"),
        ("cron", False),
        ("approved", False),
        ("trusted", True),
    ]
    assert told["reason"] == "because of trusted"
    assert json.loads(json.dumps(told)) == told


def test_a_failure_while_walking_denies_and_says_where() -> None:
    broken = rule(
        "broken", Apply("no_such_operation", (Fact("call.tool"),)), "allow", text="broken()"
    )
    told = program(policy(broken)).decide({"tool": "exec"}).to_dict()
    assert (told["decision"], told["rule"], told["step"]) == ("deny", "builtin.error", "rules")
    assert told["error"]["code"] == "R006"
    assert told["trace"][-1]["condition"] == "broken()"


@given(st.sampled_from(("exec", "read_file", "cronjob")), st.booleans(), st.booleans())
def test_the_graph_read_back_decides_the_same(tool: str, unattended: bool, cron: bool) -> None:
    graph, sources = compile_policy(pipeline(), SETTINGS)
    again = Program(DecisionGraph.from_json(graph.to_json(), graph.digest), sources, "test")
    call = {"tool": tool, "context": {"unattended": unattended, "cron_authorized": cron}}
    assert again.decide(call).to_dict() == PIPELINE.decide(call).to_dict()


def test_a_graph_alone_decides_and_tells() -> None:
    graph, _ = compile_policy(pipeline(), SETTINGS)
    told = Program(DecisionGraph.from_json(graph.to_json())).decide({"tool": "exec"}).to_dict()
    assert (told["decision"], told["rule"]) == ("ask", "otherwise")
    assert {entry["step"] for entry in told["trace"]} == {"rules"}


def test_settings_change_the_digest_and_places_do_not() -> None:
    graph, _ = compile_policy(pipeline(), SETTINGS)
    assert compile_policy(pipeline(), SETTINGS)[0].digest == graph.digest
    assert compile_policy(pipeline(), {**SETTINGS, "trusted": ()})[0].digest != graph.digest


def test_what_settings_switch_off_is_left_out_and_named() -> None:
    graph, sources = compile_policy(pipeline(), {**SETTINGS, "auto_deny": ()})
    assert [(item.rule, item.why) for item in sources.folded] == [("denied", "auto_deny is []")]
    assert not any(node[0] == "decide" and node[2] == "denied" for node in graph.nodes)


# -- damaged graphs

GRAPH = compile_policy(pipeline(), SETTINGS)[0]


def edited(**changes: Any) -> bytes:
    document = json.loads(GRAPH.to_json())
    document.update(changes)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        edited(schema="callgate.graph/1"),
        edited(nodes=[]),
        edited(nodes=[["decide", 9, "r", "allow", None]]),
        edited(nodes=[["decide", 0, "r", "perhaps", None]]),
        edited(nodes=[["jump", 0, 1]]),
        edited(nodes=[["guards", 0, 1]]),
        edited(nodes=[["branch", 0, ["const", True], 1, 1, "then"]]),
        edited(
            nodes=[["branch", 0, ["const", True], 3, 2, "then"], ["decide", 0, "r", "deny", None]]
        ),
        edited(guards={}),
        edited(tools=[]),
    ],
)
def test_what_is_no_graph_is_refused(text: bytes) -> None:
    with pytest.raises(GraphError):
        DecisionGraph.from_json(text)


def test_a_graph_with_another_digest_is_refused() -> None:
    with pytest.raises(GraphError, match="expected sha256:00"):
        DecisionGraph.from_json(GRAPH.to_json(), "sha256:00")


@pytest.mark.parametrize("part", ["risk", "tools", "context", "args", "guards", "dynamic"])
def test_parts_that_do_not_fit_make_no_program(part: str) -> None:
    document = json.loads(GRAPH.to_json())
    document[part] = [{"id": "x"}] if isinstance(document[part], list) else {"exec": {"x": 1}}
    with pytest.raises(GraphError, match="can't run"):
        Program(DecisionGraph.of(document))


def test_a_malformed_condition_denies() -> None:
    document = json.loads(GRAPH.to_json())
    document["nodes"][0] = ["branch", 0, ["apply", "eq", ["fact", "nothing"]], 2, 3, "then"]
    graph = DecisionGraph.of(document)
    decision = Program(graph, compile_policy(pipeline(), SETTINGS)[1], "test").decide(
        {"tool": "exec"}
    )
    assert decision.decision == "deny"
    assert decision.failure is not None


# -- guards, asks and consults

TOOLS = {
    "write_file": Tool(
        "write_file", effects=(ToolEffect("write", {"path": ("arg", "path", None)}),)
    ),
    "exec": Tool("exec"),
}


def written(root: str) -> Expr:
    return Apply("under_path", (Get(Var("w"), "path"), Const(root)))


def guard(id_: str, decide: str, root: str, approval: AskLevel = AskLevel.ANY) -> Guard:
    return Guard(
        id_,
        id_,
        GuardDecision(decide),
        Condition(id_, written(root)),
        each=("w", "write"),
        approval=approval,
        reason=Template(("writes ", Get(Var("w"), "path"))),
    )


GUARDS = (
    guard("etc", "deny", "/etc"),
    guard("home", "ask", "/home"),
    guard("vault", "ask", "/vault", AskLevel.PERSON),
    guard("tmp", "note", "/tmp"),
)
HUMAN = Consult(
    Consultant.HUMAN,
    {
        answer: Decide(
            Verdict.DENY if answer in ("deny", "timeout") else Verdict.ALLOW, None, AskLevel.PERSON
        )
        for answer in ("once", "session", "session-all", "always", "deny", "timeout")
    },
)
GRANT = Consult(
    Consultant.GRANT, {"granted": Decide(Verdict.ALLOW, None, AskLevel.PERSON), "none": Next()}
)
GUARDED = program(
    policy(
        guards=GUARDS,
        tools=TOOLS,
        steps=(
            Step("guards", "Guards", guards=True),
            Step("tiers", "Tiers", (rule("plain", None, "allow"),)),
            Step(
                "auto",
                "Auto",
                (rule("operator", eq("call.channel", "auto"), "allow", AskLevel.ANY),),
            ),
            Step("grants", "Grants", (Rule("grants", "Grants", None, GRANT),)),
            Step("human", "Human", (Rule("human", "Human", None, HUMAN),)),
        ),
    )
)


def write(path: str, **call: Any) -> Any:
    return GUARDED.decide({"tool": "write_file", "args": {"path": path}, **call})


AUTO = {"context": {"channel": "auto"}}


@pytest.mark.parametrize(
    ("path", "more", "decision", "by"),
    [
        ("/srv/x", {}, "allow", "plain"),
        ("/tmp/x", {}, "allow", "plain"),
        ("/etc/x", {}, "deny", "etc"),
        ("/etc/x", AUTO, "deny", "etc"),
        ("/home/x", {}, "ask", "grants.pending"),
        ("/home/x", AUTO, "allow", "operator"),
        ("/vault/x", AUTO, "ask", "grants.pending"),
        ("/vault/x", {"answers": {"grant": True}}, "allow", "grants.granted"),
        ("/vault/x", {"answers": {"grant": False}}, "ask", "human.pending"),
        ("/vault/x", {"answers": {"grant": False, "human": "once"}}, "allow", "human.once"),
        ("/vault/x", {"answers": {"grant": False, "human": "timeout"}}, "deny", "human.timeout"),
    ],
)
def test_asks_are_carried(path: str, more: dict[str, Any], decision: str, by: str) -> None:
    found = write(path, **more)
    assert (found.decision, found.rule) == (decision, by)


def test_a_missing_argument_asks_a_person() -> None:
    told = GUARDED.decide({"tool": "write_file", **AUTO}).to_dict()
    assert told["pending"] == {"consult": "grant", "outcomes": ["allow", "deny"]}
    matched = [(m["rule"], m["approval"]) for m in told["matched"]]
    assert ("builtin.opaque", "person") in matched
    # What is written, nobody knows: neither do guards that look at its path.
    assert {("etc", "person"), ("home", "any")} <= set(matched)


def test_who_approved() -> None:
    by_hand = write("/home/x", answers={"grant": False, "human": "once"}).to_dict()
    assert (by_hand["approval_source"], by_hand["approved_actions"]) == (
        "human",
        ["write_file", "home"],
    )
    by_grant = write("/home/x", answers={"grant": True}).to_dict()
    assert by_grant["approval_source"] == "auto"
    assert write("/etc/x").to_dict()["approved_actions"] == []


def test_a_guard_says_what_it_saw() -> None:
    assert write("/home/x").to_dict()["matched"][0]["reason"] == "writes /home/x"
    assert write("/etc/x").reason == "writes /etc/x"


def test_an_id_is_echoed_without_secrets_and_tricks() -> None:
    told = PIPELINE.decide({"tool": "exec", "id": "a\x1b[2J\u202e"}).to_dict()
    assert told["id"] == "a\\e[2J\\u202e"
    assert PIPELINE.decide({"tool": "exec", "id": 3}).to_dict()["id"] is None


def test_too_many_parts_for_a_quantifier_deny() -> None:
    inner = Quant("any", "y", Fact("call.groups"), Apply("eq", (Var("x"), Var("y"))))
    outer = Quant("any", "x", Fact("call.groups"), And((inner, Fact("call.nested"))))
    many = {"tool": "exec", "context": {"groups": [f"g{i}" for i in range(2000)]}}
    decision = program(policy(rule("slow", outer, "allow"))).decide(many)
    assert decision.decision == "deny"
    assert decision.failure is not None
    assert decision.failure.code == "R004"


def test_unknown_counts_against_an_allow_and_for_a_deny() -> None:
    unknown = Apply("lt", (Fact("observed.time"), Const(0)))
    for effect, by in (("allow", "otherwise"), ("deny", "doubt"), ("ask", "doubt")):
        test = Or((unknown, eq("call.tool", "other")))
        assert program(policy(rule("doubt", test, effect))).decide({"tool": "exec"}).rule == by
