"""What the catalogue says of arguments: which effects they become, and which it never looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from callgate.lint.parts import Part, each_node
from callgate.model.catalogue import Tool, ToolEffect
from callgate.model.effect import EFFECT_KINDS
from callgate.model.expr import Apply, Const, Expr, Fact, facts_of
from callgate.model.policy import Policy
from callgate.model.types import PATH, Optional, Type

__all__ = ["TEXTS", "Arguments", "declared_type", "tools_of"]

TEXTS: Final = frozenset({"shell", "code"})
"""The kinds of a tool's effects that are read as code."""

_PATHS: Final = frozenset({"patch"})


class Arguments:
    """The arguments of a policy's tools."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._feeds: dict[str, dict[str, set[tuple[str, str]]]] = {}
        for tool in policy.tools.values():
            for effect in tool.effects:
                for field, value in effect.fields.items():
                    if value[0] == "arg":
                        tools = self._feeds.setdefault(value[1], {})
                        tools.setdefault(tool.name, set()).add((effect.kind, field))

    def fields(self, argument: str, tools: Iterable[str] | None) -> set[tuple[str, str]]:
        """The effect kinds and fields that an argument becomes, for some tools (None: all)."""
        fed = self._feeds.get(argument, {})
        names = fed if tools is None else tools
        return {field for name in names for field in fed.get(name, ())}

    def types(self, argument: str, tools: Iterable[str] | None) -> set[Type]:
        """The types of the effects' fields that an argument becomes."""
        found = set()
        for kind, field in self.fields(argument, tools):
            if kind in EFFECT_KINDS and field in EFFECT_KINDS[kind].fields:
                found.add(_plain(EFFECT_KINDS[kind].fields[field].type))
            elif kind in _PATHS and field == "path":
                found.add(PATH)
        return found

    def takers(self, argument: str) -> list[Tool]:
        """The tools that have an argument of this name."""
        return [t for t in self._policy.tools.values() if argument in _properties(t)]

    def looked_at(self, tool: Tool, argument: str) -> bool:
        """Whether the tool's effects or the risk map read an argument."""
        if any(_reads(effect, argument) for effect in tool.effects):
            return True
        risk = self._policy.risk
        return risk is not None and any(
            f"args.{argument}" in facts_of(rule.when.expr)
            and (rule.tools is None or tool.name in rule.tools)
            for rule in risk.raises
        )

    def schema(self, tool: Tool, argument: str) -> Mapping[str, object]:
        """What the tool's parameters say of an argument."""
        found = _properties(tool).get(argument)
        return found if isinstance(found, dict) else {}


def _properties(tool: Tool) -> Mapping[str, object]:
    found = tool.parameters.get("properties")
    return found if isinstance(found, dict) else {}


def _reads(effect: ToolEffect, argument: str) -> bool:
    named = any(v[0] == "arg" and v[1] == argument for v in effect.fields.values())
    when = effect.when
    return named or (when is not None and f"args.{argument}" in facts_of(when.expr))


def _plain(type_: Type) -> Type:
    return type_.item if isinstance(type_, Optional) else type_


def declared_type(part: Part, expr: Expr) -> Type | None:
    """The type of an effect's field (`d.path`), where the expression is one."""
    for node in each_node(expr):
        base = getattr(node, "base", None)
        source = part.source(base) if isinstance(base, Expr) else None
        if isinstance(source, Fact) and source.name.startswith("effects."):
            kind = EFFECT_KINDS.get(source.name.removeprefix("effects."))
            field = kind.fields.get(getattr(node, "field", "")) if kind else None
            return _plain(field.type) if field else None
    return None


def tools_of(part: Part) -> tuple[str, ...] | None:
    """The tools that a part is about, where the rule or what stands beside it says so."""
    if part.place.tools is not None:
        return part.place.tools
    names = tuple(name for node in part.beside for name in _tool_names(node))
    return names or None


def _tool_names(node: Expr) -> Iterator[str]:
    if isinstance(node, Apply) and node.op in {"eq", "in"} and node.args[0] == Fact("call.tool"):
        other = node.args[1]
        if isinstance(other, Const):
            yield from (other.value,) if isinstance(other.value, str) else other.value
