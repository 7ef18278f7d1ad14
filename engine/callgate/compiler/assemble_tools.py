"""The catalogue: capabilities, tools with their effects, and dynamic tools."""

from __future__ import annotations

from typing import Any

from callgate.compiler.assemble_effects import build_effects
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.check_uses import Use
from callgate.load.nodes import Mapping
from callgate.model.catalogue import DynamicTools, Tool
from callgate.model.types import Enum

__all__ = ["build_dynamic", "build_tools", "declare_tools"]


def declare_tools(assembly: Assembly) -> None:
    """Collect the names of tools, aliases and capabilities, and the tools' parameters."""
    entries = dict(assembly.merged("tools", "tools"))
    meanings = dict(assembly.merged("tools", "capabilities"))
    needs = dict(assembly.merged("tools", "needs"))
    assembly.enums["tool"] = Enum("tool", tuple(entries), open=True)
    assembly.enums["capability"] = Enum("capability", tuple(meanings), open=True)
    assembly.enums["need"] = Enum("need", tuple(needs), open=True)
    parameters: dict[str, Any] = {}
    for name, entry in entries.items():
        found = entry.child("parameters").data
        parameters[name] = found if isinstance(found, dict) else {}
        if "parameters" not in entry and isinstance(entry.node, Mapping) and entry.node.lost:
            assembly.scope.unsure.add(name)
        for alias, place in entry.words("aliases"):
            _declare_alias(assembly, alias, name, place, entries)
    assembly.scope.parameters = parameters
    assembly.scope.aliases = assembly.aliases


def _declare_alias(
    assembly: Assembly, alias: str, tool: str, place: Entry, entries: dict[str, Entry]
) -> None:
    if alias in entries:
        what, first = f"`{alias}` is the name of a tool", entries[alias].name_span()
    elif alias in assembly.aliases:
        first = entries[assembly.aliases[alias]].span("aliases")
        what = f"`{alias}` is an alias of `{assembly.aliases[alias]}` already"
    else:
        assembly.aliases[alias] = tool
        return
    assembly.diagnostics.error(
        "C001",
        f"{what}, and can't be an alias of `{tool}`",
        place.span(),
        "a name stands for one tool: remove one of them",
        (("it is used here first", first),),
    )


def build_tools(assembly: Assembly) -> dict[str, Tool]:
    """The tools, in the order of the files. Names that two files define were reported before."""
    tools: dict[str, Tool] = {}
    for document in assembly.of_kind("tools"):
        for name, entry in document.mapping("tools"):
            if name not in tools:
                tools[name] = _tool(assembly, name, entry)
    return tools


def _tool(assembly: Assembly, name: str, entry: Entry) -> Tool:
    return Tool(
        name,
        entry.word("description"),
        assembly.capabilities(entry, "capabilities"),
        assembly.scope.parameters[name],
        build_effects(assembly, entry, name),
        entry.word("status") == "reserved",
        _needs(assembly, entry),
        tuple(alias for alias, _ in entry.words("aliases") if assembly.aliases.get(alias) == name),
        entry.name_span(),
    )


def _needs(assembly: Assembly, entry: Entry) -> tuple[str, ...]:
    """What a tool needs; what is not declared under `needs` is reported (C041)."""
    known = assembly.enums["need"].members
    found = []
    for name, place in entry.words("needs"):
        if name in known:
            found.append(name)
            continue
        message = f"there is no `{name}` in `needs`"
        help = "say what it means under `needs`, beside `tools`"
        assembly.missing("C041", message, place.span(), name, known, "tools", help)
    return tuple(found)


def build_dynamic(assembly: Assembly) -> tuple[DynamicTools, ...]:
    """The tools that a condition recognises, most of them outside the catalogue."""
    found: list[DynamicTools] = []
    for id_, entry in assembly.merged("tools", "dynamic"):
        text = entry.text("when")
        when = assembly.checker.condition(text, Use.TOOLS) if text else None
        capabilities = assembly.capabilities(entry, "capabilities")
        effects = build_effects(assembly, entry, None)
        if when is not None:
            listed = entry.flag("listed")
            found.append(DynamicTools(id_, when, capabilities, effects, listed))
    return tuple(found)
