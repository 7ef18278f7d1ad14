"""Policy and settings → DecisionGraph and its SourceMap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callgate.compiler.data import data_sections
from callgate.compiler.flow import FlowBuilder, place
from callgate.compiler.numbering import number_nodes
from callgate.compiler.simplify import FALSE, TRUE, Fold, fold_template, simplify
from callgate.model.codec import encode_expr, encode_template
from callgate.model.expr import Const, Expr
from callgate.model.graph import GRAPH_SCHEMA, DecisionGraph, RuleOrigin, SourceMap
from callgate.model.policy import Guard, Policy, Rule

__all__ = ["compile_policy", "settings_fold"]


def compile_policy(policy: Policy, settings: Mapping[str, Any]) -> tuple[DecisionGraph, SourceMap]:
    """The graph that decides as `policy` does under `settings` (dotted names with all defaults)."""
    fold = settings_fold(policy, settings)
    guards = _guards(policy, fold)
    builder = FlowBuilder(policy, settings, fold, can_ask=_can_ask(policy, guards))
    entry = builder.flow(policy.flow)
    nodes, order = number_nodes(builder.nodes, entry)
    document = {
        "schema": GRAPH_SCHEMA,
        "bundle": {"name": policy.name, "version": policy.version},
        "steps": [[step.id, step.title] for step in policy.flow.steps]
        + [["otherwise", "Otherwise"]],
        "nodes": nodes,
        "guards": guards,
        **data_sections(policy, fold),
    }
    named: list[Guard | Rule] = [*policy.guards, *(r for s in policy.flow.steps for r in s.rules)]
    rules = {
        item.id: RuleOrigin(
            item.title, *place(item.span), "" if item.when is None else item.when.text
        )
        for item in named
    }
    return DecisionGraph.of(document), SourceMap(
        tuple(map(builder.origin_of, order)), rules, tuple(builder.folded)
    )


def settings_fold(policy: Policy, settings: Mapping[str, Any]) -> Fold:
    """What is constant under these settings: every setting and the profiles."""
    constants: dict[str, Const] = {
        "profiles": Const(dict(policy.profiles)),
        "security_profiles": Const({k: dict(v) for k, v in policy.security_profiles.items()}),
    }
    for name, value in settings.items():
        constants[f"settings.{name}"] = Const(value)
    return constants.get


def _can_ask(policy: Policy, guards: Sequence[Any]) -> bool:
    """Whether an ask can be carried at all: an opaque effect is one, so any effect will do."""
    return any(step.guards for step in policy.flow.steps) and (
        bool(guards)
        or any(tool.effects for tool in policy.tools.values())
        or any(tools.effects for tools in policy.dynamic)
    )


def _guards(policy: Policy, fold: Fold) -> list[dict[str, Any]]:
    """The guards that these settings leave, in bundle order."""
    kept = []
    for guard in policy.guards:
        when = TRUE if guard.when is None else simplify(guard.when.expr, fold)
        if when != FALSE:
            kept.append(_guard(guard, when, fold))
    return kept


def _guard(guard: Guard, when: Expr, fold: Fold) -> dict[str, Any]:
    return {
        "id": guard.id,
        "decide": guard.decide.value,
        "approval": guard.approval.value,
        "unresolved": guard.unresolved,
        "tools": None if guard.tools is None else list(guard.tools),
        "each": None if guard.each is None else list(guard.each),
        "when": encode_expr(when),
        "reason": encode_template(fold_template(guard.reason, fold)),
    }
