"""The type of a tool argument, from the catalogue's `parameters`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from callgate.lang.check_context import BROKEN, Context, Typed
from callgate.model.expr import Const, Default, Fact
from callgate.model.syntax import Syntax
from callgate.model.types import BOOL, INT, JSON, STRING, ListOf, Optional, Type

__all__ = ["argument", "parameter_type"]

_TYPES: Final[Mapping[str, Type]] = {"string": STRING, "integer": INT, "boolean": BOOL}
_ABSENT: Final = object()


def parameter_type(schema: Any) -> Type:
    """The type of a parameter's JSON Schema; `json` for what the language has no type for."""
    if not isinstance(schema, Mapping):
        return JSON
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        strings = isinstance(items, Mapping) and items.get("type") == "string"
        return ListOf(STRING) if strings else JSON
    return _TYPES.get(kind, JSON) if isinstance(kind, str) else JSON


def argument(context: Context, name: str, node: Syntax) -> Typed:
    """An argument of the call.

    Where the rule or the condition says which tools it is about, it has the type that all of them
    give it; it is there when all require it, or give the same default. Tools that the catalogue
    does not know may have any arguments. Elsewhere it is `optional json`.
    """
    fact = Fact(f"args.{name}")
    tools = context.known.tools
    if not tools:
        return Typed(fact, Optional(JSON))
    if not context.scope.unsure.isdisjoint(tools):
        context.failed = True
        return BROKEN
    parameters = context.scope.parameters
    if parameters.keys().isdisjoint(tools):
        return Typed(fact, JSON)
    schemas = [parameters[tool] for tool in sorted(tools) if tool in parameters]
    having = [schema for schema in schemas if name in _properties(schema)]
    described = all(isinstance(schema.get("properties"), Mapping) for schema in schemas)
    if not having:
        if described and len(schemas) == len(tools):
            return _unknown(context, name, node, schemas, tools)
        return Typed(fact, Optional(JSON))
    if len(having) < len(tools):
        return Typed(fact, Optional(JSON))
    types = {parameter_type(_properties(schema)[name]) for schema in having}
    type_ = types.pop() if len(types) == 1 else JSON
    if all(name in schema.get("required", ()) for schema in having):
        return Typed(fact, type_)
    default = _default(name, having, type_)
    if default is _ABSENT:
        return Typed(fact, Optional(type_))
    return Typed(Default(fact, Const(default)), type_)


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _default(name: str, schemas: Iterable[Mapping[str, Any]], type_: Type) -> Any:
    """The one default that all the schemas give, when it is of the type; else `_ABSENT`."""
    found = []
    for schema in schemas:
        entry = _properties(schema)[name]
        found.append(entry.get("default", _ABSENT) if isinstance(entry, Mapping) else _ABSENT)
    first = found[0]
    if any(type(other) is not type(first) or other != first for other in found):
        return _ABSENT
    python = {STRING: str, INT: int, BOOL: bool}.get(type_)  # type: ignore[call-overload]
    return first if python is not None and type(first) is python else _ABSENT


def _unknown(
    context: Context,
    name: str,
    node: Syntax,
    schemas: Iterable[Mapping[str, Any]],
    tools: frozenset[str],
) -> Typed:
    words = {word for schema in schemas for word in _properties(schema)}
    which = ", ".join(f"`{tool}`" for tool in sorted(tools)[:4]) + (" …" if len(tools) > 4 else "")
    shown = ", ".join(f"`{word}`" for word in sorted(words)[:8])
    otherwise = f"arguments are {shown}" if shown else "the catalogue gives it no arguments"
    return context.unknown(
        "T020",
        f"{which} {'has' if len(tools) == 1 else 'have'} no argument `{name}`",
        node,
        name,
        words,
        otherwise,
        name=True,
    )
