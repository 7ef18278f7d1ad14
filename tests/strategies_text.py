"""The small world's vocabulary and tools as they stand in rule files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callgate.model.catalogue import Tool
from callgate.model.types import Enum, ListOf, MapOf, Optional, Type
from tests.strategies_world import CALL_FIELDS, ENUMS, LISTS, SETTINGS, TOOLS

__all__ = ["tools_form", "vocabulary_form"]


def _type_text(kind: Type) -> str:
    match kind:
        case Enum(name):
            return name
        case ListOf(item):
            return f"list of {_type_text(item)}"
        case MapOf(value):
            return f"map of {_type_text(value)}"
        case Optional(item):
            return f"optional {_type_text(item)}"
    return str(kind)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def vocabulary_form(facts: Mapping[str, str]) -> dict[str, Any]:
    """The vocabulary, with these derived facts."""
    return {
        "enums": {
            name: {
                "members": list(enum.members),
                **({"ordered": True} if enum.ordered else {}),
                **({"open": True} if enum.open else {}),
            }
            for name, enum in ENUMS.items()
        },
        "call": {
            name: {"type": _type_text(field.type), "default": field.default, "doc": field.doc}
            for name, field in CALL_FIELDS.items()
        },
        "settings": {
            setting.name: {
                "type": _type_text(setting.field.type),
                "default": _plain(setting.field.default),
                "doc": setting.name,
            }
            for setting in SETTINGS.values()
        },
        "facts": {name: {"is": text, "doc": name} for name, text in facts.items()},
        "lists": {
            name: {"type": str(kind), "doc": name, "items": list(items)}
            for name, (kind, items) in LISTS.items()
        },
        "examples": {"tool": "exec", "argument": "command"},
    }


def tools_form(dynamic: Mapping[str, Any]) -> dict[str, Any]:
    """The catalogue, with these dynamic tools."""
    capabilities = [name for tool in TOOLS.values() for name in tool.capabilities]
    return {
        "capabilities": {name: name for name in (*capabilities, "can.call", "can.fly")},
        "tools": {tool.name: _tool_form(tool) for tool in TOOLS.values()},
        "dynamic": dict(dynamic),
    }


def _tool_form(tool: Tool) -> dict[str, Any]:
    effects = [
        {effect.kind: {name: _source(*source) for name, source in effect.fields.items()}}
        for effect in tool.effects
    ]
    return {
        "description": tool.description,
        "capabilities": list(tool.capabilities),
        "parameters": dict(tool.parameters),
        "effects": effects or "none",
        **({"aliases": list(tool.aliases)} if tool.aliases else {}),
    }


def _source(shape: str, value: Any, default: Any = None) -> Any:
    if shape == "const":
        return value
    return f"args.{value}" if default is None else {"arg": value, "default": default}
