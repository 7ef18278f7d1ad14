"""Policy and settings → DecisionGraph and its SourceMap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    as_json,
)
from callgate.model.policy import Guard, Policy, Rule
from callgate.runtime.guard_index import index_of

__all__ = ["Settled", "compile_policy", "recompile_guards", "settings_fold", "settle"]

_FOLDED: Final = frozenset({"settings", "profiles", "security_profiles"})


@dataclass(frozen=True, slots=True)
class Settled:
    """What of a policy's graphs is the same under all settings, as plain JSON: `sections` of the
    document, and the forms of guards by their ids, None for one that never fires."""

    sections: Mapping[str, Any]
    guards: Mapping[str, dict[str, Any] | None]


def settle(policy: Policy) -> Settled:
    """What is the same under all settings."""
    found: dict[str, Any] = {}
    for guard in policy.guards:
        if not _read(guard) & _FOLDED:
            found[guard.id] = _form(guard, _nothing)
    return Settled(*as_json([fixed_sections(policy), found]))


def _nothing(_name: str) -> None:
    return None


def compile_policy(
    policy: Policy,
    settings: Mapping[str, Any],
    settled: Settled | None = None,
    secrets: Sequence[Any] = (),
) -> tuple[DecisionGraph, SourceMap]:
    """The graph that decides as `policy` does under `settings` (dotted names with all defaults).

    `settled`: its `settle`, where that is at hand. `secrets`: the values of secret settings, which
    are masked where the source map shows other settings.
    """
    if settled is None:
        settled = settle(policy)
    fold = settings_fold(policy, settings)
    guards = _guards(policy, fold, settled)
    builder = FlowBuilder(policy, settings, fold, can_ask=_can_ask(policy, guards), secrets=secrets)
    entries = [builder.flow(policy.flow)]
    flows = [policy.flow]
    if policy.visibility is not None:
        flows.append(policy.visibility.flow)
        entries.append(builder.flow(policy.visibility.flow, VISIBLE))
    nodes, order = number_nodes(builder.nodes, *entries)
    fresh = {
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
        **folded_sections(policy, fold),
    }
    document = {**as_json(fresh), **settled.sections, "guards": guards}
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
    return DecisionGraph.of_json(document), SourceMap(
        tuple(map(builder.origin_of, order)), rules, tuple(builder.folded)
    )


def recompile_guards(
    policy: Policy, settings: Mapping[str, Any], graph: DecisionGraph, settled: Settled
) -> DecisionGraph:
    """`graph` with the guards, tools and risks of other settings, to try guards on: its flow and
    its digest are not theirs."""
    fold = settings_fold(policy, settings)
    parts = {"guards": _guards(policy, fold, settled), **folded_sections(policy, fold)}
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


def _read(guard: Guard) -> frozenset[str]:
    """The first names of the facts that a guard reads."""
    exprs = [] if guard.when is None else [guard.when.expr]
    exprs += [item.when.expr for item in guard.exceptions if item.when is not None]
    exprs += [] if guard.reason is None else [p for p in guard.reason.parts if isinstance(p, Expr)]
    return frozenset(name.partition(".")[0] for expr in exprs for name in facts_of(expr))


def _guards(policy: Policy, fold: Fold, settled: Settled) -> list[dict[str, Any]]:
    """The guards that these settings leave, in bundle order."""
    known = settled.guards
    made = as_json([_form(guard, fold) for guard in policy.guards if guard.id not in known])
    others = iter(made)
    forms = [known[g.id] if g.id in known else next(others) for g in policy.guards]
    return [form for form in forms if form is not None]


def _form(guard: Guard, fold: Fold) -> dict[str, Any] | None:
    """A guard as it stands in the graph; None for one that never fires."""
    when = TRUE if guard.when is None else simplify(guard.when.expr, fold)
    if when == FALSE:
        return None
    return {
        "id": guard.id,
        "decide": guard.decide.value,
        "approval": guard.approval.value,
        "unresolved": guard.unresolved,
        "tools": None if guard.tools is None else list(guard.tools),
        "each": None if guard.each is None else list(guard.each),
        "when": encode_expr(when),
        "index": index_of(when, guard.each),
        "reason": encode_template(fold_template(guard.reason, fold)),
        "shadow": guard.shadow,
        "exceptions": [[item.id, encode_expr(test)] for item, test in exceptions_of(guard, fold)],
    }
