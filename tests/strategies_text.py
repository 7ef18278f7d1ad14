"""The small world as it stands in rule files, and the files of a bundle about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from callgate.model.catalogue import Tool
from callgate.model.types import Enum, ListOf, MapOf, Optional, Type
from tests.strategies_world import CALL_FIELDS, ENUMS, HOMES, LEVELS, LISTS, SETTINGS, TOOLS

__all__ = ["MCP", "Files", "forms_of"]

Form = dict[str, Any]

_SHOWN: Final = ("risk-map", "flow", "visibility", "guards")

MCP: Final = {
    "when": 'declared.mcp_server != ""',
    "listed": True,
    "capabilities": ["can.call"],
    "effects": [{"paths": {"as": "write"}}],
}
"""The tools that servers declare."""


@dataclass(frozen=True, repr=False)
class Files:
    """The files of a bundle: `forms` are their contents by kind."""

    forms: Mapping[str, Form]

    @property
    def texts(self) -> dict[str, str]:
        """File name → YAML."""
        files = [f"{kind}.yaml" for kind in self.forms]
        head = {"name": "generated", "version": "1.0.0", "title": "Generated", "files": files}
        forms = {"bundle": head, **self.forms}
        return {f"{kind}.yaml": _yaml(kind, form) for kind, form in forms.items()}

    def write(self, folder: Path) -> Path:
        """Write the files into a folder and return it."""
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def __repr__(self) -> str:
        """The rules, as they stand in files; the rest is the same in every bundle."""
        facts = f"facts: {self.forms['vocabulary']['facts']}"
        return "\n".join(
            [facts, *(_yaml(kind, self.forms[kind]) for kind in _SHOWN if kind in self.forms)]
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def _yaml(kind: str, form: Mapping[str, Any]) -> str:
    plain = {"kind": kind, **form}
    return yaml.dump(plain, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)


def forms_of(
    guards: Sequence[Form] = (),
    steps: Sequence[Form] = (),
    otherwise: str = "deny",
    risk: Form | None = None,
    facts: Mapping[str, str] | None = None,
    define: Mapping[str, str] | None = None,
    second: Form | None = None,
) -> dict[str, Form]:
    """The files of a bundle with these rules."""
    return {
        "vocabulary": _vocabulary_form(facts or {}),
        "tools": _tools_form({"mcp": MCP}),
        "risk-map": risk
        or {"levels": list(LEVELS), "default": "write", "tools": {"write": list(TOOLS)}},
        "guards": {"rules": list(guards)},
        "flow": {
            "define": dict(define or {}),
            "steps": list(steps),
            "otherwise": {"decide": otherwise, "reason": "no step decided"},
        },
        **({} if second is None else {"visibility": {"kind": "flow", **second}}),
    }


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


def _vocabulary_form(facts: Mapping[str, str]) -> dict[str, Any]:
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
        "homes": list(HOMES),
        "facts": {name: {"is": text, "doc": name} for name, text in facts.items()},
        "lists": {
            name: {"type": str(kind), "doc": name, "items": list(items)}
            for name, (kind, items) in LISTS.items()
        },
        "examples": {"tool": "exec", "argument": "command"},
    }


def _tools_form(dynamic: Mapping[str, Any]) -> dict[str, Any]:
    """The catalogue, with these dynamic tools."""
    capabilities = [name for tool in TOOLS.values() for name in tool.capabilities]
    return {
        "capabilities": {name: name for name in (*capabilities, "can.call", "can.fly")},
        "needs": {name: name for tool in TOOLS.values() for name in tool.needs},
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
        **({"needs": list(tool.needs)} if tool.needs else {}),
        **({"status": "reserved"} if tool.reserved else {}),
    }


def _source(shape: str, value: Any, default: Any = None) -> Any:
    if shape == "const":
        return value
    return f"args.{value}" if default is None else {"arg": value, "default": default}
