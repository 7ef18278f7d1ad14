"""Small policies as model objects, for tests of the compiler and the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callgate.compiler.build import compile_policy
from callgate.model.catalogue import Risk, Tool, Vocabulary
from callgate.model.condition import Condition
from callgate.model.expr import And, Apply, Const, Expr, Fact, Not
from callgate.model.policy import AskLevel, Decide, Flow, Guard, Policy, Rule, Step, Verdict
from callgate.model.template import Template
from callgate.model.types import Enum
from callgate.runtime.interpreter import Program

LEVELS = Enum("risk", ("read_only", "write", "exec", "dangerous"), ordered=True)
TOOLS = {"read_file": "read_only", "write_file": "write", "exec": "exec", "cronjob": "dangerous"}
SETTINGS: Mapping[str, Any] = {
    "auto_deny": ("skill_install",),
    "auto_approve": ("todo", "notify"),
    "trusted": ("telegram", "cli"),
}


def eq(fact: str, value: Any) -> Expr:
    return Apply("eq", (Fact(fact), Const(value)))


def among(fact: str, *values: Any) -> Expr:
    return Apply("in", (Fact(fact), Const(values)))


def listed(fact: str, setting: str) -> Expr:
    return Apply("in", (Fact(fact), Fact(f"settings.{setting}")))


def rule(
    id_: str, when: Expr | None, effect: str, despite: AskLevel = AskLevel.NONE, text: str = ""
) -> Rule:
    condition = None if when is None else Condition(text or id_, when)
    outcome = Decide(Verdict(effect), Template((f"because of {id_}",)), despite)
    return Rule(id_, f"Rule {id_}", condition, outcome)


def policy(
    *rules: Rule,
    guards: tuple[Guard, ...] = (),
    steps: tuple[Step, ...] = (),
    tools: Mapping[str, Tool] | None = None,
    otherwise: str = "ask",
) -> Policy:
    all_steps = (*steps, Step("rules", "Rules", rules)) if rules else steps
    return Policy(
        "small",
        "1",
        "Small",
        Vocabulary(),
        Flow(all_steps, Decide(Verdict(otherwise), Template(("nothing decided",)))),
        tools=tools or {name: Tool(name) for name in TOOLS},
        risk=Risk(LEVELS, TOOLS, "dangerous"),
        guards=guards,
    )


def program(source: Policy, settings: Mapping[str, Any] | None = None) -> Program:
    graph, sources = compile_policy(source, SETTINGS if settings is None else settings)
    return Program(graph, sources, "test")


def pipeline() -> Policy:
    """The seven rules of the benchmark."""
    unattended = Fact("call.unattended")
    return policy(
        rule("denied", listed("call.tool", "auto_deny"), "deny"),
        rule("dangerous", And((unattended, eq("risk", "dangerous"))), "deny"),
        rule("tiers", And((Not(unattended), among("risk", "read_only", "write"))), "allow"),
        rule(
            "cron",
            And((unattended, Fact("call.cron_authorized"), among("risk", "write", "exec"))),
            "allow",
        ),
        rule("approved", listed("call.tool", "auto_approve"), "allow"),
        rule("trusted", And((eq("risk", "exec"), listed("call.channel", "trusted"))), "allow"),
    )
