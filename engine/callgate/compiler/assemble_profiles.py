"""Tool profiles and security profiles."""

from __future__ import annotations

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.scope import Name
from callgate.model.expr import Fact
from callgate.model.types import Field, ListOf, MapOf, Record

__all__ = ["build_profiles", "build_security_profiles"]

EVERY_TOOL = "*"


def build_profiles(assembly: Assembly) -> dict[str, tuple[str, ...]]:
    """Every profile with the tools it includes, and the fact `profiles`."""
    if not assembly.of_kind("profiles"):
        return {}
    entries = dict(assembly.merged("profiles", "profiles"))
    found = {name: _tools_of(assembly, name, entries) for name in entries}
    type_ = MapOf(ListOf(assembly.enums["tool"]))
    assembly.scope.add("profiles", Name(Fact("profiles"), type_))
    assembly.scope.keys = {**assembly.scope.keys, "profiles": frozenset(found)}
    for name, entry in entries.items():
        _check_includes(assembly, name, entry, entries)
        _check_tools(assembly, entry, "tools")
    return found


def _tools_of(assembly: Assembly, name: str, entries: dict[str, Entry]) -> tuple[str, ...]:
    """The tools of a profile and of all that it includes, in the order of the files."""
    tools: dict[str, None] = {}
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        if current in seen or current not in entries:
            continue
        seen.add(current)
        entry = entries[current]
        known = assembly.scope.members(assembly.enums["tool"])
        tools |= {
            tool: None for tool, _ in entry.words("tools") if tool == EVERY_TOOL or tool in known
        }
        todo.extend(reversed([other for other, _ in entry.words("includes")]))
    return tuple(tools)


def _check_includes(assembly: Assembly, name: str, entry: Entry, entries: dict[str, Entry]) -> None:
    for other, place in entry.words("includes"):
        if other not in entries:
            message = f"there is no profile `{other}`"
            assembly.missing("C013", message, place.span(), other, entries, "profiles")
        elif _reaches(other, name, entries):
            way = "" if other == name else f", by way of `{other}`"
            assembly.diagnostics.error(
                "C013", f"`{name}` includes itself{way}", place.span(), "take it out of the list"
            )


def _reaches(start: str, goal: str, entries: dict[str, Entry]) -> bool:
    seen: set[str] = set()
    todo = [start]
    while todo:
        current = todo.pop()
        if current == goal:
            return True
        if current not in seen and current in entries:
            seen.add(current)
            todo.extend(other for other, _ in entries[current].words("includes"))
    return False


def _check_tools(assembly: Assembly, entry: Entry, key: str) -> None:
    for tool, place in entry.words(key):
        if tool != EVERY_TOOL:
            assembly.tool(tool, place)


def build_security_profiles(assembly: Assembly) -> dict[str, dict[str, tuple[str, ...]]]:
    """Every security profile, and the fact `security_profiles`."""
    if not assembly.of_kind("security-profiles"):
        return {}
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, entry in assembly.merged("security-profiles", "profiles"):
        found[name] = {
            "deny_tools": assembly.tools(entry, "deny_tools") or (),
            "deny_capabilities": assembly.capabilities(entry, "deny_capabilities"),
            "keep": assembly.tools(entry, "keep") or (),
        }
    tools = ListOf(assembly.enums["tool"])
    record = Record(
        "security_profile",
        {
            "deny_tools": Field(tools, "tools it denies"),
            "deny_capabilities": Field(
                ListOf(assembly.enums["capability"]), "capabilities it denies"
            ),
            "keep": Field(tools, "tools it keeps in spite of their capabilities"),
        },
    )
    assembly.scope.add("security_profiles", Name(Fact("security_profiles"), MapOf(record)))
    assembly.scope.keys = {**assembly.scope.keys, "security_profiles": frozenset(found)}
    return found
