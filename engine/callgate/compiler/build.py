"""Policy and settings → DecisionGraph and its SourceMap."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from callgate.compiler.data import fixed_sections, folded_sections
from callgate.compiler.exceptions import exception_text, exceptions_of
from callgate.compiler.flow import FlowBuilder, place
from callgate.compiler.numbering import number_nodes
from callgate.compiler.simplify import FALSE, TRUE, Fold, fold_template, simplify
from callgate.model.codec import encode_expr, encode_template
from callgate.model.expr import Const, Expr, facts_of
from callgate.model.graph import (
    GRAPH_SCHEMA,
    VISIBILITY,
    VISIBLE,
    DecisionGraph,
    RuleOrigin,
    SourceMap,
)
from callgate.model.policy import Guard, Policy, Rule

__all__ = ["compile_policy", "recompile_guards", "settings_fold", "settled_guards"]

_FOLDED: Final = frozenset({"settings", "profiles", "security_profiles"})


def compile_policy(
    policy: Policy,
    settings: Mapping[str, Any],
    fixed: Mapping[str, Any] | None = None,
    secrets: Sequence[Any] = (),
) -> tuple[DecisionGraph, SourceMap]:
    """The graph that decides as `policy` does under `settings` (dotted names with all defaults).

    `fixed`: its `fixed_sections`, where they are at hand. `secrets`: the values of secret settings,
    which are masked where the source map shows other settings.
    """
    fold = settings_fold(policy, settings)
    guards = _guards(policy, fold)
    builder = FlowBuilder(policy, settings, fold, can_ask=_can_ask(policy, guards), secrets=secrets)
    entries = [builder.flow(policy.flow)]
    flows = [policy.flow]
    if policy.visibility is not None:
        flows.append(policy.visibility.flow)
        entries.append(builder.flow(policy.visibility.flow, VISIBLE))
    nodes, order = number_nodes(builder.nodes, *entries)
    document = {
        "schema": GRAPH_SCHEMA,
        "bundle": {"name": policy.name, "version": policy.version},
        "steps": [list(step) for step in builder.steps],
        "nodes": nodes,
        VISIBILITY: None
        if policy.visibility is None
        else {
            "entry": order.index(entries[1]) + 1,
            "step": len(policy.flow.steps) + 1,
            "codes": dict(policy.visibility.codes),
        },
        "guards": guards,
        **(fixed_sections(policy) if fixed is None else fixed),
        **folded_sections(policy, fold),
    }
    rules_of_flows = (rule for flow in flows for step in flow.steps for rule in step.rules)
    named: list[Guard | Rule] = [*policy.guards, *rules_of_flows]
    rules = {
        item.id: RuleOrigin(
            item.title, *place(item.span), "" if item.when is None else item.when.text
        )
        for item in named
    }
    rules |= {
        item.id: RuleOrigin(item.reason, *place(item.span), exception_text(item))
        for rule in named
        for item in rule.exceptions
    }
    return DecisionGraph.of(document), SourceMap(
        tuple(map(builder.origin_of, order)), rules, tuple(builder.folded)
    )


def recompile_guards(
    policy: Policy, settings: Mapping[str, Any], graph: DecisionGraph, settled: Collection[str]
) -> DecisionGraph:
    """`graph` with the guards, tools and risks of other settings, to try guards on: its flow and
    its digest are not theirs. `settled`: the guards that are the same under all settings."""
    fold = settings_fold(policy, settings)
    kept = {form["id"]: form for form in graph.document["guards"] if form["id"] in settled}
    parts = {"guards": _guards(policy, fold, kept), **folded_sections(policy, fold)}
    return DecisionGraph({**graph.document, **parts}, graph.digest)


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


def settled_guards(policy: Policy) -> frozenset[str]:
    """The guards that read nothing that settings decide."""
    return frozenset(guard.id for guard in policy.guards if not _read(guard) & _FOLDED)


def _read(guard: Guard) -> frozenset[str]:
    """The first names of the facts that a guard reads."""
    exprs = [] if guard.when is None else [guard.when.expr]
    exprs += [item.when.expr for item in guard.exceptions if item.when is not None]
    exprs += [] if guard.reason is None else [p for p in guard.reason.parts if isinstance(p, Expr)]
    return frozenset(name.partition(".")[0] for expr in exprs for name in facts_of(expr))


def _guards(
    policy: Policy, fold: Fold, ready: Mapping[str, dict[str, Any]] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """The guards that these settings leave, in bundle order; `ready`: those that are made."""
    kept = []
    for guard in policy.guards:
        if guard.id in ready:
            kept.append(ready[guard.id])
            continue
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
        "shadow": guard.shadow,
        "exceptions": [[item.id, encode_expr(test)] for item, test in exceptions_of(guard, fold)],
    }
