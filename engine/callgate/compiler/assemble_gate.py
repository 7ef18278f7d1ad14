"""What the live gate has to know: the files of kind `gate`."""

from __future__ import annotations

from typing import Any, Final

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.check_types import a
from callgate.lang.check_uses import Use
from callgate.model.condition import Condition
from callgate.model.expr import Const, Expr, facts_of
from callgate.model.gate import GateRules, ReviewerRules
from callgate.model.types import BOOL, INT, STRING, ListOf, Type

__all__ = ["build_gate"]

_KNOWN: Final = frozenset({"settings", "profiles", "security_profiles"})
"""The first words of what is known before there is a call."""

_VALUES: Final = {
    "wait_seconds": INT,
    "approvers": ListOf(STRING),
    "signed_answers": BOOL,
}
_REVIEWER: Final = {
    "base_url": STRING,
    "model": STRING,
    "key_from": STRING,
    "timeout_seconds": INT,
    "retries": INT,
}


def build_gate(assembly: Assembly) -> GateRules:
    """What all gate files say together; what two of them say is reported (C015)."""
    found: dict[str, Any] = {}
    for key, type_ in _VALUES.items():
        entry = _said(assembly, key)
        if entry is not None and (value := _value(assembly, entry, key, type_)) is not None:
            found[key] = value
    entry = _said(assembly, "grants", "days")
    if entry is not None and (value := _value(assembly, entry, "days", INT)) is not None:
        found["grant_days"] = value
    entry = _said(assembly, "reviewer")
    if entry is not None:
        found["reviewer"] = _reviewer(assembly, entry)
    found["lasting"] = _lasting(assembly)
    found["families"] = _families(assembly)
    return GateRules(**found)


def _said(assembly: Assembly, *path: str) -> Entry | None:
    """The value at a path of the first gate file that has it; others are reported."""
    found: Entry | None = None
    for entry in assembly.of_kind("gate"):
        for key in path[:-1]:
            entry = entry.child(key)
        if path[-1] not in entry:
            continue
        entry = entry.child(path[-1])
        if found is not None:
            what = f"`{'.'.join(path)}` of the gate"
            assembly.clash(what, entry.name_span(), found.name_span())
        else:
            found = entry
    return found


def _value(assembly: Assembly, entry: Entry, key: str, type_: Type) -> Expr | None:
    """An expression of a type that settings decide; what is wrong with it is reported (C060)."""
    if isinstance(entry.data, list):
        return Const(tuple(word for word in entry.data if isinstance(word, str)))
    text = entry.own_text()
    typed = assembly.checker.expression(text) if text else None
    if typed is None:
        return None
    for name in sorted(facts_of(typed.expr)):
        if name.partition(".")[0] not in _KNOWN:
            assembly.diagnostics.error(
                "C060",
                f"`{name}` is not known before there is a call",
                entry.span(),
                "what the gate must know may read `settings` and the profiles",
            )
            return None
    # An empty list fits any list.
    empty = isinstance(type_, ListOf) and typed.expr == Const(())
    if typed.unknown or not (typed.type == type_ or empty):
        message = f"`{key}` is {a(type_)}, and this is {a(typed.type)}"
        assembly.diagnostics.error("C060", message, entry.span(), "read a setting of that type")
        return None
    return typed.expr


def _reviewer(assembly: Assembly, entry: Entry) -> ReviewerRules:
    found: dict[str, Expr] = {}
    for key, type_ in _REVIEWER.items():
        value = _value(assembly, entry.child(key), key, type_) if key in entry else None
        if value is not None:
            found[key] = value
    return ReviewerRules(**found)


def _lasting(assembly: Assembly) -> Condition | None:
    """The calls of which a person's word may last: like a rule that allows, it may read effects
    only so that more of them can't make it true."""
    entry = _said(assembly, "grants", "lasting")
    text = entry.own_text() if entry is not None else None
    return assembly.checker.condition(text, Use.ALLOW) if text else None


def _families(assembly: Assembly) -> dict[str, tuple[str, ...]]:
    entry = _said(assembly, "grants", "families")
    families: dict[str, tuple[str, ...]] = {}
    first: dict[str, tuple[str, Entry]] = {}
    for family, _ in entry.items() if entry is not None else ():
        tools: list[str] = []
        for word, place in entry.words(family) if entry is not None else ():
            tool = assembly.tool(word, place)
            if tool is None:
                continue
            other, where = first.setdefault(tool, (family, place))
            if where is not place:
                assembly.diagnostics.error(
                    "C001",
                    f"`{tool}` is in the family `{other}` already",
                    place.span(),
                    "keep it in one family: a grant covers all tools of its own",
                    (("it is listed here first", where.span()),),
                )
                continue
            tools.append(tool)
        families[family] = tuple(tools)
    return families
