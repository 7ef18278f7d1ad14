"""A switch decides as walking its rules one by one would."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callgate.model.expr import And, Apply, Const, Expr, Fact, Or
from callgate.model.policy import Rule
from tests.small import among, eq, policy, program, rule

TOOLS = ("read_file", "write_file", "exec", "cronjob")
CHANNELS = ("cli", "telegram", "web")

TESTS = st.deferred(
    lambda: st.one_of(
        st.sampled_from(TOOLS).map(lambda name: eq("call.tool", name)),
        st.sets(st.sampled_from(TOOLS), min_size=1).map(
            lambda names: among("call.tool", *sorted(names))
        ),
        st.sampled_from(CHANNELS).map(lambda name: eq("call.channel", name)),
        st.sampled_from(("read_only", "exec")).map(lambda name: eq("risk", name)),
        st.just(Fact("call.unattended")),
        st.lists(TESTS, min_size=2, max_size=3).map(lambda items: And(tuple(items))),
        st.lists(TESTS, min_size=2, max_size=2).map(lambda items: Or(tuple(items))),
    )
)
CALLS = st.fixed_dictionaries(
    {
        "tool": st.sampled_from((*TOOLS, "other")),
        "context": st.fixed_dictionaries(
            {"channel": st.sampled_from((*CHANNELS, "")), "unattended": st.booleans()}
        ),
    }
)
RISK = {"read_file": "read_only", "write_file": "write", "exec": "exec"}


def holds(test: Expr, call: dict[str, Any]) -> bool:
    match test:
        case And(items=items):
            return all(holds(item, call) for item in items)
        case Or(items=items):
            return any(holds(item, call) for item in items)
        case Fact():
            return bool(call["context"]["unattended"])
        case Apply(op=op, args=(Fact(name=name), Const(value=value))):
            actual = {
                "call.tool": call["tool"],
                "call.channel": call["context"]["channel"],
                "risk": RISK.get(call["tool"], "dangerous"),
            }[name]
            return actual == value if op == "eq" else actual in value
    raise AssertionError(test)


@given(st.lists(st.tuples(TESTS, st.sampled_from(("allow", "deny", "ask"))), max_size=12), CALLS)
def test_the_first_rule_that_holds_decides(
    cases: list[tuple[Expr, str]], call: dict[str, Any]
) -> None:
    rules = [rule(f"r{i}", test, effect) for i, (test, effect) in enumerate(cases)]
    wanted = next((r.id for r in rules if r.when and holds(r.when.expr, call)), "otherwise")
    assert program(policy(*rules)).decide(call).rule == wanted


def numbered(count: int) -> list[Rule]:
    return [
        rule(f"r{i}", And((eq("call.tool", f"tool_{i}"), eq("call.channel", f"c{i % 7}"))), "allow")
        for i in range(count)
    ]


def test_many_rules_on_one_value_are_one_switch() -> None:
    made = program(policy(*numbered(500)))
    kinds = [node[0] for node in made.graph.nodes]
    assert kinds.count("switch") == 1
    decision = made.decide({"tool": "tool_400", "context": {"channel": "c1"}})
    assert decision.rule == "r400"
    assert len(decision.trace) == 3


def test_rules_without_a_common_value_stay_branches() -> None:
    rules = [rule("a", eq("call.tool", "x"), "deny"), rule("b", eq("call.channel", "y"), "deny")]
    assert [node[0] for node in program(policy(*rules)).graph.nodes].count("switch") == 0
