"""The graph's tables: catalogue, risk, programs, masking, and what is checked of a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from callgate.compiler.gate import gate_section
from callgate.compiler.memo import Under
from callgate.compiler.simplify import FALSE, TRUE, Fold, simplify
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.catalogue import RiskRule, ToolEffect
from callgate.model.codec import encode_expr
from callgate.model.condition import Condition
from callgate.model.expr import Apply, Const, Expr, children, facts_of
from callgate.model.graph import as_json
from callgate.model.policy import Consult, Decide, Policy
from callgate.model.template import Template
from callgate.model.types import Enum, ListOf, MapOf, Optional, Scalar, Type
from callgate.stdlib.times import ZONED
from callgate.stdlib.zones import version

__all__ = ["fixed_sections", "folded_sections"]


def fixed_sections(policy: Policy) -> dict[str, Any]:
    """The sections of the graph's document that are the same under all settings."""
    return {
        "aliases": {alias: tool.name for tool in policy.tools.values() for alias in tool.aliases},
        "programs": policy.programs,
        "languages": policy.languages,
        "masking": {
            "names": list(policy.masking.names),
            "patterns": list(policy.masking.patterns),
            "weak": list(policy.masking.weak),
            "settings": [name for name, s in policy.vocabulary.settings.items() if s.field.secret],
        },
        "zones": _zones(policy),
        "context": _context(policy),
        "args": _args(policy),
    }


def folded_sections(policy: Policy, under: Under) -> dict[str, Any]:
    """Those that depend on settings, but for the flow and the guards, as plain JSON."""
    fold, risk = under.fold, policy.risk
    tools, dynamic = policy.tools.values(), policy.dynamic
    of_tools = (effect.when for tool in tools for effect in tool.effects)
    of_dynamic = (c for item in dynamic for c in (item.when, *(e.when for e in item.effects)))
    of_risk = (rule.when for rule in (*risk.declared, *risk.raises)) if risk else ()
    return {
        "tools": under.part("tools", _of(of_tools), lambda: as_json(_tools(policy, fold))),
        "dynamic": under.part("dynamic", _of(of_dynamic), lambda: as_json(_dynamic(policy, fold))),
        "risk": under.part("risk", _of(of_risk), lambda: as_json(_risk(policy, fold))),
        "gate": as_json(gate_section(policy.gate, fold)),
    }


def _tools(policy: Policy, fold: Fold) -> dict[str, Any]:
    return {
        tool.name: {
            "capabilities": sorted(tool.capabilities),
            "reserved": tool.reserved,
            "needs": list(tool.needs),
            "effects": _effects(tool.effects, fold),
        }
        for tool in policy.tools.values()
    }


def _dynamic(policy: Policy, fold: Fold) -> list[dict[str, Any]]:
    return [
        {
            "id": item.id,
            "when": encode_expr(simplify(item.when.expr, fold)),
            "capabilities": sorted(item.capabilities),
            "effects": _effects(item.effects, fold),
            "listed": item.listed,
        }
        for item in policy.dynamic
    ]


def _zones(policy: Policy) -> str | None:
    """The version of the zone data, where a condition reads it."""
    todo = list(_expressions(policy))
    while todo:
        expr = todo.pop()
        if isinstance(expr, Apply) and expr.op in ZONED:
            return version()
        todo.extend(children(expr))
    return None


def _effects(effects: Sequence[ToolEffect], fold: Fold) -> list[list[Any]]:
    found = []
    for effect in effects:
        when = TRUE if effect.when is None else simplify(effect.when.expr, fold)
        if when != FALSE:
            fields = {name: list(source) for name, source in effect.fields.items()}
            found.append([effect.kind, fields, None if when == TRUE else encode_expr(when)])
    return found


def _risk(policy: Policy, fold: Fold) -> dict[str, Any] | None:
    risk = policy.risk
    if risk is None:
        return None

    def rules(items: Iterable[RiskRule]) -> list[dict[str, Any]]:
        return [
            {
                "id": item.id,
                "when": encode_expr(when),
                "level": item.level,
                "tools": None if item.tools is None else list(item.tools),
                "quiet": _quiet(when, item.tools, policy),
            }
            for item in items
            if (when := simplify(item.when.expr, fold)) != FALSE
        ]

    return {
        "levels": list(risk.levels.members),
        "default": risk.default,
        "tools": dict(risk.tools),
        "declared": rules(risk.declared),
        "raises": rules(risk.raises),
    }


def _quiet(when: Expr, tools: tuple[str, ...] | None, policy: Policy) -> list[str]:
    """The catalogue's tools for which a risk rule can't hold when a call declares nothing."""
    bare = simplify(when, _NOTHING_DECLARED.get)
    quiet = []
    for tool in policy.tools.values():
        if bare == FALSE or (tools is not None and tool.name not in tools):
            quiet.append(tool.name)
            continue
        called = [
            {"call.tool": Const(tool.name), "call.called_as": Const(name)}
            for name in (tool.name, *tool.aliases)
        ]
        if all(simplify(bare, names.get) == FALSE for names in called):
            quiet.append(tool.name)
    return quiet


def _context(policy: Policy) -> dict[str, list[Any]]:
    """Field → [type, members of a closed enum or null, default]."""
    table: dict[str, list[Any]] = {}
    for name, field in {**CONTEXT_FIELDS, **policy.vocabulary.call}.items():
        members = list(_members(field.type)) or None
        default = field.default
        if isinstance(field.type, MapOf):
            default = {}
        table[name] = [
            _type_name(field.type),
            members,
            list(default) if isinstance(default, tuple) else default,
        ]
    return table


def _members(type_: Type) -> Iterator[str]:
    if isinstance(type_, Optional | ListOf):
        yield from _members(type_.item)
    elif isinstance(type_, Enum) and not type_.open:
        yield from type_.members


def _type_name(type_: Type) -> str:
    match type_:
        case Optional(item=item):
            return f"optional {_type_name(item)}"
        case ListOf():
            return "list"
        case MapOf():
            return "map"
        case Scalar(name="bool" | "int" as name):
            return name
    return "string"


_NOTHING_DECLARED = {
    "declared.risk_level": Const(""),
    "declared.capabilities": Const(()),
    "declared.mcp_server": Const(""),
    "declared.annotations": Const({}),
}

_JSON_TYPES = {"string": "string", "integer": "int", "boolean": "bool", "array": "list"}


def _args(policy: Policy) -> dict[str, dict[str, list[Any]]]:
    """Tool → argument that a condition reads → [type, required]; only of checkable types."""
    read = {name.partition(".")[2] for name in _facts(policy) if name.startswith("args.")}
    table: dict[str, dict[str, list[Any]]] = {}
    for tool in policy.tools.values():
        properties: Mapping[str, Any] = tool.parameters.get("properties", {})
        required = tool.parameters.get("required", ())
        checked = {
            name: [_JSON_TYPES[kind], name in required]
            for name in sorted(read & properties.keys())
            if isinstance(kind := properties[name].get("type"), str) and kind in _JSON_TYPES
        }
        if checked:
            table[tool.name] = checked
    return table


def _facts(policy: Policy) -> set[str]:
    found: set[str] = set()
    for expr in _expressions(policy):
        found |= facts_of(expr)
    return found


def _expressions(policy: Policy) -> Iterator[Expr]:
    """Every typed expression of a policy."""
    yield from _of(guard.when for guard in policy.guards)
    for guard in policy.guards:
        yield from _of(item.when for item in guard.exceptions)
        yield from _slots(guard.reason)
    for step in policy.flow.steps:
        yield from _of((step.when, step.asks_become_deny, *(rule.when for rule in step.rules)))
        if step.show is not None:
            yield step.show
        for rule in step.rules:
            yield from _of(item.when for item in rule.exceptions)
            if isinstance(rule.then, Consult):
                for answer in rule.then.answers.values():
                    if isinstance(answer, Decide):
                        yield from _slots(answer.reason)
            else:
                yield from _slots(rule.then.reason)
    for tool in policy.tools.values():
        yield from _of(effect.when for effect in tool.effects)
    yield from _of(item.when for item in policy.dynamic)
    yield from _of((policy.gate.lasting,))
    if policy.risk is not None:
        yield from _of(rule.when for rule in (*policy.risk.declared, *policy.risk.raises))


def _of(conditions: Iterable[Condition | None]) -> Iterator[Expr]:
    for condition in conditions:
        if condition is not None:
            yield condition.expr


def _slots(template: Template | None) -> Iterator[Expr]:
    for part in template.parts if template else ():
        if not isinstance(part, str):
            yield part
