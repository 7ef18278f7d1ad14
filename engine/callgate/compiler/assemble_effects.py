"""The catalogue's effects: arguments as fields, and constants that are not meant as such."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_types import MisfitError, read_value
from callgate.compiler.assembly import Assembly
from callgate.lang.check_types import a
from callgate.lang.check_uses import Use
from callgate.model.catalogue import ToolEffect
from callgate.model.effect import EFFECT_KINDS
from callgate.model.suggest import closest
from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    PATH,
    STRING,
    URL,
    ListOf,
    Optional,
    Type,
)

__all__ = ["build_effects"]

_TEXTS: Final[Mapping[str, Mapping[str, Type]]] = {
    "shell": {"text": STRING, "cwd": PATH},
    "code": {"text": STRING, "language": STRING},
    "patch": {"text": STRING, "path": PATH},
}
_ARGUMENT: Final = re.compile(
    r"(?:call\.)?(?:args?|arguments?)(?:\.|\[\"?|$)(?P<name>[\w-]*)\"?\]?"
)
_JSON_TYPES: Final[Mapping[Type, tuple[str, ...]]] = {
    BOOL: ("boolean",),
    INT: ("integer", "number"),
}
_NAMED: Final = {"boolean": "a bool", "integer": "an integer", "number": "a number"}
_SINGLE: Final = (PATH, URL, HOST)
"""Fields in which a bare word is rather an argument's name than a value."""


def build_effects(assembly: Assembly, entry: Entry, tool: str | None) -> tuple[ToolEffect, ...]:
    """The effects of a tool; None are tools outside the catalogue, whose arguments nobody knows."""
    effects: list[ToolEffect] = []
    for item in entry.elements("effects"):
        text = item.text("when")
        tools = None if tool is None else (tool,)
        when = assembly.checker.condition(text, Use.TOOLS, tools) if text else None
        for kind, fields in item.items():
            if kind != "when" and isinstance(fields.data, dict):
                reader = _Reader(assembly, tool, item.word("when"))
                values = {key: reader.value(kind, key, value) for key, value in fields.items()}
                effects.append(ToolEffect(kind, values, when))
    return tuple(effects)


class _Reader:
    """Reads the fields of one effect of a tool. `when`: the condition under which it has it."""

    def __init__(self, assembly: Assembly, tool: str | None, when: str) -> None:
        self.assembly = assembly
        self.tool = tool
        self.when = when
        schema = assembly.scope.parameters.get(tool, {}) if tool is not None else {}
        known = schema.get("properties")
        self.known: Mapping[str, Any] | None = known if isinstance(known, dict) else None
        self.required = schema.get("required")

    def value(self, kind: str, field: str, entry: Entry) -> tuple[Any, ...]:
        """A field's value: an argument with its default, or a constant."""
        type_ = _type_of(kind, field)
        data = entry.data
        if isinstance(data, dict):
            name, default = str(data.get("arg", "")), data.get("default")
            if default is not None and type_ is not None and default != "":
                self.fits(default, type_, field, entry.child("default"))
        elif isinstance(data, str) and data.startswith("args."):
            name, default = data.removeprefix("args."), None
        else:
            if type_ is not None and self.is_meant(data, type_, field, entry):
                self.fits(data, type_, field, entry)
            return ("const", data)
        self.argument(name, default, type_, field, entry)
        return ("arg", name, default)

    def argument(
        self, name: str, default: Any, type_: Type | None, field: str, entry: Entry
    ) -> None:
        """Report an argument that the tool does not have, that has another type, or that may be
        left out."""
        if self.known is None:
            return
        if name not in self.known:
            message, help = f"`{self.tool}` has no argument `{name}`", "list it under `parameters`"
            place, known = entry.span(), self.known
            self.assembly.missing("T020", message, place, name, known, "tools", help)
            return
        schema = self.known[name]
        found = schema.get("type") if isinstance(schema, dict) else None
        if type_ is not None and isinstance(found, str):
            wanted = _JSON_TYPES.get(_present(type_), ("string", "array"))
            if found not in wanted:
                shown = _NAMED.get(found, f"of type `{found}`")
                message = f"`{field}` is {a(_present(type_))}, and the argument `{name}` is {shown}"
                help = "name another argument, or correct its type under `parameters`"
                self.assembly.diagnostics.error("S003", message, entry.span(), help)
                return
        # A schema that says of no argument that it is required says nothing of this one.
        may_lack = self.required is not None and name not in self.required and default is None
        if may_lack and not re.search(rf"\bargs(\.|\[\"){re.escape(name)}\b", self.when):
            self.assembly.diagnostics.warning(
                "C043",
                f"`{self.tool}` may be called without `{name}`, and then a person is asked",
                entry.span(),
                f"give it a default, `{{arg: {name}, default: …}}`; list it as `required`; or let "
                f"the effect depend on it: `when: has args.{name}`",
            )

    def is_meant(self, data: Any, type_: Type, field: str, entry: Entry) -> bool:
        """Whether a constant is one, and no argument whose name is written in another way."""
        if not isinstance(data, str):
            return True
        names = self.known or {}
        written = _ARGUMENT.match(data)
        if written:
            name = closest(written["name"], names) or written["name"] or "NAME"
        elif data in names and (_present(type_) in _SINGLE or _present(type_) in (BOOL, INT)):
            name = data
        elif _present(type_) in _SINGLE and re.fullmatch(r"[\w-]{4,}", data):
            name = closest(data, names, 1) or ""
        else:
            name = ""
        if not name:
            return True
        self.assembly.diagnostics.error(
            "S004",
            f"`{data}` would be the text itself as `{field}`, no argument",
            entry.span(),
            f"did you mean `args.{name}`?",
        )
        return False

    def fits(self, data: Any, type_: Type, field: str, entry: Entry) -> None:
        """Report a constant of another type than the field's."""
        wanted = _present(type_)
        if isinstance(wanted, ListOf):
            wanted = wanted.item
        try:
            read_value(data, wanted, literal=wanted in (HOST, URL))
        except MisfitError as error:
            help = error.help
            if isinstance(data, int | float) and not isinstance(data, bool) and wanted == STRING:
                help = f'put it in quotes: `"{data}"`'
            elif wanted == BOOL:
                help = "write `true` or `false` without quotes, or an argument: `args.NAME`"
            message = error.message.replace("this must be", f"`{field}` is")
            self.assembly.diagnostics.error(error.code, message, entry.span(), help)


def _type_of(kind: str, field: str) -> Type | None:
    """The type of a field; None where there is no such field, which the schema reports."""
    if kind in _TEXTS:
        return _TEXTS[kind].get(field)
    record = EFFECT_KINDS.get(kind)
    found = record.fields.get(field) if record else None
    return found.type if found else None


def _present(type_: Type) -> Type:
    return type_.item if isinstance(type_, Optional) else type_
