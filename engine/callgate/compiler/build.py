"""Policy and settings → DecisionGraph and its SourceMap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callgate.compiler.data import fixed_sections, folded_sections
from callgate.compiler.exceptions import exception_text, exceptions_of
from callgate.compiler.flow import FlowBuilder, place
from callgate.compiler.memo import Memo, Under
from callgate.compiler.numbering import number_nodes
from callgate.compiler.simplify import FALSE, TRUE, Fold, fold_template, simplify
from callgate.model.codec import encode_expr, encode_template
from callgate.model.expr import Const, Expr
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
from callgate.runtime.masking import Masker

__all__ = ["Settled", "compile_policy", "guard_form", "recompile_guards", "settings_fold", "settle"]


@dataclass(frozen=True, slots=True)
class Settled:
    """What of one policy's graphs is the same under all settings: `sections` of the document as
    plain JSON, where its rules come from, and what shows settings. `memo`: what is the same under
    some."""

    sections: Mapping[str, Any]
    rules: Mapping[str, RuleOrigin]
    masker: Masker
    memo: Memo = field(default_factory=Memo)


def settle(policy: Policy) -> Settled:
    """What is the same under all settings."""
    flows = [policy.flow, *([policy.visibility.flow] if policy.visibility else [])]
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
    masking = policy.masking
    return Settled(as_json(fixed_sections(policy)), rules, Masker(masking.names, masking.patterns))


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
    under = Under(settled.memo, settings, settings_fold(policy, settings))
    guards = _guards(policy, under)
    can_ask = _can_ask(policy, guards)
    builder = FlowBuilder(policy, settings, under, can_ask, settled.masker, secrets)
    entries = [builder.flow(policy.flow)]
    if policy.visibility is not None:
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
    }
    rest = folded_sections(policy, under)
    document = {**as_json(fresh), **rest, **settled.sections, "guards": guards}
    return DecisionGraph.of_json(document), SourceMap(
        tuple(map(builder.origin_of, order)), settled.rules, tuple(builder.folded)
    )


def recompile_guards(
    policy: Policy, settings: Mapping[str, Any], graph: DecisionGraph, settled: Settled
) -> DecisionGraph:
    """`graph` with the guards, tools and risks of other settings, to try guards on: its flow and
    its digest are not theirs."""
    under = Under(settled.memo, settings, settings_fold(policy, settings))
    parts = {"guards": _guards(policy, under), **folded_sections(policy, under)}
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


def _read(guard: Guard) -> Iterator[Expr]:
    """The expressions of a guard."""
    if guard.when is not None:
        yield guard.when.expr
    yield from (item.when.expr for item in guard.exceptions if item.when is not None)
    if guard.reason is not None:
        yield from (part for part in guard.reason.parts if isinstance(part, Expr))


def _guards(policy: Policy, under: Under) -> list[dict[str, Any]]:
    """The guards that these settings leave, in bundle order."""
    read = (expr for guard in policy.guards for expr in _read(guard))
    forms: list[dict[str, Any]] = under.part("guards", read, lambda: _forms(policy, under))
    return forms


def _forms(policy: Policy, under: Under) -> list[dict[str, Any]]:
    """The same list for all settings that agree on what guards read: who makes it ready may go by
    that."""
    fold = under.fold
    forms = [
        under.part(("guard", guard.id), _read(guard), lambda g=guard: as_json(guard_form(g, fold)))  # type: ignore[misc]
        for guard in policy.guards
    ]
    return [form for form in forms if form is not None]


def guard_form(guard: Guard, fold: Fold) -> dict[str, Any] | None:
    """A guard as it stands in the graph, before it is plain JSON; None for one that never fires.
    `fold`: what settings make constant."""
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
