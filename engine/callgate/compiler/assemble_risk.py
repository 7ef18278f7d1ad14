"""The risk map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.check_uses import Use
from callgate.lang.scope import Name, Read
from callgate.model.catalogue import Risk, RiskRule, Tool
from callgate.model.expr import Fact
from callgate.model.types import Enum

__all__ = ["build_risk", "declare_risk"]


def declare_risk(assembly: Assembly) -> None:
    """The levels, as the enum `risk`, and the fact of that name."""
    documents = assembly.of_kind("risk-map")
    if not documents:
        return
    first = _saying(documents, "levels")
    _check_once(assembly, documents)
    levels = dict.fromkeys(level for level, _ in first.words("levels"))
    risk = Enum("risk", tuple(levels), ordered=True)
    assembly.enums["risk"] = risk
    assembly.scope.add("risk", Name(Fact("risk"), risk, reads=(Read("risk", "risk"),)))


def _saying(documents: Sequence[Entry], key: str) -> Entry:
    """The first document that has a key; the first of all where none has."""
    return next((document for document in documents if key in document), documents[0])


def _check_once(assembly: Assembly, documents: Sequence[Entry]) -> None:
    """Report that no risk map says its levels or default (S002), or that two do (C015)."""
    told = False
    for key, example in (("levels", "[low, high]"), ("default", "high")):
        saying = [document.child(key) for document in documents if key in document]
        if not saying and "risk-map" not in assembly.incomplete:
            place = documents[0].span("kind")
            help = f"for example `{key}: {example}`"
            assembly.diagnostics.error("S002", f"`{key}` is missing", place, help)
        for other in () if told else saying[1:]:
            told = True
            assembly.clash("the risk map", other.span(), saying[0].span())


def build_risk(assembly: Assembly, tools: Mapping[str, Tool]) -> Risk | None:
    """The risk map; None when the bundle has none, or its levels can't be read."""
    documents = assembly.of_kind("risk-map")
    if not documents or not assembly.enums["risk"].members:
        return None
    map_: dict[str, str] = {}
    places: dict[str, Entry] = {}
    for document in documents:
        for level, entry in document.mapping("tools"):
            _level(assembly, level, entry, name=True)
            for name, place in document.child("tools").words(level):
                tool = assembly.tool(name, place)
                if tool is not None and _once(assembly, tool, place, places):
                    map_[tool] = level
    _report_missing(assembly, map_, tools)
    said = _saying(documents, "default")
    default = said.word("default")
    if default:
        _level(assembly, default, said.child("default"))
    return Risk(
        assembly.enums["risk"],
        map_,
        default,
        _rules(assembly, documents, "declared", "level"),
        _rules(assembly, documents, "raise", "to"),
    )


def _level(assembly: Assembly, level: str, entry: Entry, name: bool = False) -> bool:
    members = assembly.enums["risk"].members
    if level in members:
        return True
    shown = ", ".join(f"`{member}`" for member in members)
    place = entry.name_span() if name else entry.span()
    message = f"there is no risk level `{level}`"
    assembly.missing("C007", message, place, level, members, "risk-map", f"levels are {shown}")
    return False


def _once(assembly: Assembly, tool: str, place: Entry, places: dict[str, Entry]) -> bool:
    first = places.setdefault(tool, place)
    if first is place:
        return True
    assembly.diagnostics.error(
        "C001",
        f"`{tool}` has a risk level already",
        place.span(),
        "keep it under one level",
        (("it is listed here first", first.span()),),
    )
    return False


def _report_missing(
    assembly: Assembly, levels: Mapping[str, str], tools: Mapping[str, Tool]
) -> None:
    if assembly.incomplete & {"risk-map", "tools"}:
        return
    for tool in tools.values():
        if tool.name not in levels and not tool.reserved:
            assembly.diagnostics.warning(
                "C014",
                f"`{tool.name}` has no risk level",
                tool.span,
                "list it in the risk map; until then it has the default level",
            )


def _rules(
    assembly: Assembly, documents: Sequence[Entry], key: str, target: str
) -> tuple[RiskRule, ...]:
    found: list[RiskRule] = []
    for entry in [entry for document in documents for entry in document.elements(key)]:
        id_, level = entry.word("id"), entry.word(target)
        if id_:
            assembly.register(id_, entry.child("id"))
        known = not level or _level(assembly, level, entry.child(target))
        tools = assembly.tools(entry)
        text = entry.text("when")
        when = assembly.checker.condition(text, Use.RISK, tools) if text else None
        if when is not None and known:
            found.append(RiskRule(id_, when, level, tools))
    return tuple(found)
