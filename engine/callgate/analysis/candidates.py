"""Changes of a call worth trying: for every fact that a graph reads, the values that its conditions
could tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from callgate.analysis.constants import Compared, compared_in
from callgate.analysis.moments import TIME, moments
from callgate.analysis.reads import path_of
from callgate.model.decision import Decision
from callgate.model.graph import DecisionGraph
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program

__all__ = ["ABSENT", "OTHER", "Candidate", "candidates", "changed", "current"]

Path = tuple[str, ...]

ABSENT: Final = object()
"""Stands for a fact that the call does not carry."""

OTHER: Final = "other"

MOST_VALUES: Final = 12
"""Values tried of one fact."""

MOST_TOOLS: Final = 200
"""Other tools tried."""

_BETWEEN: Final = " \t\n;&|"
"""What stands between the commands of a text."""

_PUBLIC: Final = "93.184.216.34"
_PRIVATE: Final = "10.0.0.1"
_NEUTRAL: Final = {"connect": "https://example.org/"}
_RANK: Final = {"context": 1, "observed": 2, "answers": 3, "declared": 4, "args": 5, "tool": 6}
_ANSWERS: Final[Mapping[str, tuple[Any, ...]]] = {
    "grant": (True, False),
    "reviewer": ("approve", "deny", "escalate"),
    "human": ("once", "deny"),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A new value of one fact, by its path in the call; natural changes have a low `rank`."""

    path: Path
    value: Any
    rank: int

    @property
    def name(self) -> str:
        """The fact as people write it: `context.channel`."""
        return ".".join(self.path)


def current(graph: DecisionGraph, call: Mapping[str, Any], path: Path) -> Any:
    """The value that a call has at a path: its own, or a context field's default, or ABSENT."""
    value: Any = call
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            known = graph.document["context"] if path[0] == "context" and len(path) == 2 else {}
            return known[path[1]][2] if path[-1] in known else ABSENT
        value = value[key]
    return value


def changed(call: Mapping[str, Any], *changes: Candidate) -> dict[str, Any]:
    """A copy of the call with the changes made."""
    copy = dict(call)
    for change in changes:
        at = copy
        for key in change.path[:-1]:
            inner = at.get(key)
            at[key] = dict(inner) if isinstance(inner, Mapping) else {}
            at = at[key]
        if change.value is ABSENT:
            at.pop(change.path[-1], None)
        else:
            at[change.path[-1]] = change.value
    return copy


def candidates(program: Program, call: Mapping[str, Any], decision: Decision) -> list[Candidate]:
    """All changes to try one by one, natural ones first; the same graph and call give the same."""
    graph = program.graph
    found: dict[Path, dict[tuple[type, str], Any]] = {}
    for path, value in _values(program, call, decision.frame):
        values = found.setdefault(path, {})
        have = current(graph, call, path)
        new = type(value) is not type(have) or value != have
        if new and len(values) < (MOST_TOOLS if path == ("tool",) else MOST_VALUES):
            values.setdefault((type(value), str(value)), value)
    items = [
        Candidate(path, value, 0 if path == ("answers", decision.pending) else _RANK[path[0]])
        for path, values in found.items()
        for value in values.values()
    ]
    return sorted(items, key=lambda item: (item.rank, _strangeness(item.value)))


def _strangeness(value: Any) -> int:
    """Flipping a flag is simpler than naming a value; taking something away is odd."""
    return 0 if type(value) is bool else 2 if value is ABSENT or value == [] else 1


def _values(program: Program, call: Mapping[str, Any], frame: Frame) -> Iterator[tuple[Path, Any]]:
    document = program.graph.document
    compared = compared_in(document)
    for name, seen in compared.items():
        yield from _of_fact(program.graph, call, frame, name, seen)
    for node in program.graph.nodes:
        if node[0] == "consult":
            for answer in (*_ANSWERS.get(node[3], ()), ABSENT):
                yield ("answers", node[3]), answer
    yield from _of_effects(program, frame)
    if document["risk"] is not None:
        yield from _of_risk(document["risk"], compared.get("risk"))


def _of_fact(
    graph: DecisionGraph, call: Mapping[str, Any], frame: Frame, name: str, seen: Compared
) -> Iterator[tuple[Path, Any]]:
    root = name.partition(".")[0]
    if name == "call.tool":
        yield from ((("tool",), value) for value in seen.texts)
        return
    if root == "capabilities":
        have = tuple(frame.declared.get("capabilities") or ())
        yield from ((("declared", "capabilities"), [*have, text]) for text in seen.texts)
        return
    path = path_of(name)
    if path is None or path == ("tool",):
        return
    have = current(graph, call, path)
    if name == TIME:
        yield from ((path, value) for value in moments(graph.document, have))
        return
    yield from ((path, value) for value in _typed(graph, frame, path, have, seen))


def _typed(
    graph: DecisionGraph, frame: Frame, path: Path, have: Any, seen: Compared
) -> Iterator[Any]:
    """Values of the fact's type."""
    kind = _kind(graph, frame, path, have, seen)
    if kind == "bool":
        yield from (True, False)
    elif kind == "int":
        numbers = [number + step for number in seen.numbers for step in (0, 1, -1)]
        near = have if type(have) is int else None
        yield from numbers if near is None else sorted(numbers, key=lambda n: abs(n - near))
    elif kind == "list":
        yield from ([text] for text in seen.texts)
        yield []
    elif kind == "string":
        yield from seen.texts
        if seen.texts:
            yield OTHER
    if seen.optional:
        yield ABSENT


def _kind(graph: DecisionGraph, frame: Frame, path: Path, have: Any, seen: Compared) -> str:
    table = graph.document["context"] if path[0] == "context" else {}
    if path[0] == "args":
        table = graph.document["args"].get(frame.tool, {})
    if len(path) == 2 and path[1] in table:
        return str(table[path[1]][0]).removeprefix("optional ")
    for type_, word in ((bool, "bool"), (int, "int"), (str, "string"), (list, "list")):
        if type(have) is type_:
            return word
    if path == ("declared", "capabilities"):
        return "list"
    return "string" if seen.texts else "int" if seen.numbers else "bool" if seen.flag else ""


def _of_effects(program: Program, frame: Frame) -> Iterator[tuple[Path, Any]]:
    """Arguments without the part that an effect comes from, or with something harmless instead."""
    effects = program.safe_effects(frame)
    for effect in effects.all if effects else ():
        text = frame.args.get(effect.argument or "")
        if isinstance(text, str) and effect.span is not None:
            start, end = effect.span
            before, after = text[:start].rstrip(_BETWEEN), text[end:]
            rest = (before + after if before else after.lstrip(_BETWEEN)).strip()
            if rest:
                yield ("args", str(effect.argument)), rest
        host = effect.fields.get("host")
        if effect.kind == "connect" and isinstance(host, str):
            yield ("observed", "dns", host), [_PUBLIC]
            yield ("observed", "dns", host), [_PRIVATE]
    tool = program.graph.document["tools"].get(frame.tool)
    for kind, fields, _ in tool["effects"] if tool else ():
        for source in fields.values():
            if source[0] == "arg" and kind not in ("shell", "code", "patch", "sql"):
                if isinstance(frame.args.get(source[1]), str):
                    yield ("args", source[1]), _NEUTRAL.get(kind, OTHER)


def _of_risk(risk: Mapping[str, Any], seen: Compared | None) -> Iterator[tuple[Path, Any]]:
    """A tool of every level, and declarations that raise the level."""
    if seen is None:
        return
    for level in risk["levels"]:
        yield ("declared", "risk_level"), level
        tool = next((name for name, of in risk["tools"].items() if of == level), None)
        if tool is not None:
            yield ("tool",), tool
