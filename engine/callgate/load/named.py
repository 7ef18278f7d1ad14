"""What a rule file defines under a name: what a bundle that extends it may replace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.matrix import combination_name, combinations
from callgate.model.span import Span

__all__ = ["COMBINATIONS", "KINDS", "Named", "named", "row_name"]

KINDS: Final[Mapping[str, str]] = {
    "rule": "rule",
    "step": "step",
    "tool": "tool",
    "dynamic": "dynamic tool",
    "capability": "capability",
    "need": "need",
    "risk": "risk level of",
    "program": "program",
    "language": "language",
    "list": "list",
    "enum": "enum",
    "fact": "fact",
    "setting": "setting",
    "context": "context field",
    "profile": "profile",
    "security_profile": "security profile",
    "masking": "masking pattern",
    "gate": "gate key",
    "test": "test",
}
"""The words of an entry of `replaces`, and what each of them stands for."""

COMBINATIONS: Final = "combinations"
"""The key of a path to a case of a matrix."""

_MAPPINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "tools": {"tools": "tool", "dynamic": "dynamic", "capabilities": "capability", "needs": "need"},
    "programs": {"programs": "program"},
    "languages": {"languages": "language"},
    "vocabulary": {
        "lists": "list",
        "enums": "enum",
        "facts": "fact",
        "settings": "setting",
        "call": "context",
    },
    "profiles": {"profiles": "profile"},
    "security-profiles": {"profiles": "security_profile"},
    "masking": {"patterns": "masking"},
}
"""Kind of file → key → what the names in the mapping there are."""

_RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "guards": ("rules",),
    "invariants": ("rules",),
    "settings-checks": ("rules",),
    "risk-map": ("declared", "raise"),
}
"""Kind of file → keys with lists of rules."""


@dataclass(frozen=True, slots=True)
class Named:
    """A thing with a name: its kind (a key of `KINDS`), and its path in its document. `key`: the
    name is the key of that path; `at`: else where the name stands below it."""

    kind: str
    name: str
    document: Document
    path: tuple[str | int, ...]
    key: bool = False
    at: tuple[str | int, ...] = ()

    @property
    def span(self) -> Span:
        """Where the name stands."""
        return self.document.span(*self.path, *self.at, key=self.key)


def named(document: Document) -> Iterator[Named]:
    """Everything in a document that has a name; what holds other things comes before them."""
    kind, data = document.kind, document.data
    for key, what in _MAPPINGS.get(kind, {}).items():
        for name, value in (data.get(key) or {}).items():
            if not (what == "list" and "add" in value):
                yield Named(what, name, document, (key, name), key=True)
    for key in _RULES.get(kind, ()):
        yield from _rules(document, (key,), data.get(key))
    if kind == "flow":
        yield from _flow(document)
    elif kind == "risk-map":
        for level, tools in (data.get("tools") or {}).items():
            for index, tool in enumerate(tools):
                yield Named("risk", tool, document, ("tools", level, index))
    elif kind == "tests":
        yield from _tests(document)
    elif kind == "gate":
        for key in data:
            if key == "grants":
                for name in data[key] or ():
                    yield Named("gate", f"grants.{name}", document, (key, name), key=True)
            elif key != "kind":
                yield Named("gate", key, document, (key,), key=True)


def _rules(document: Document, path: tuple[str | int, ...], rules: Any) -> Iterator[Named]:
    for index, rule in enumerate(rules or ()):
        if "id" in rule:
            yield Named("rule", rule["id"], document, (*path, index), at=("id",))


def _flow(document: Document) -> Iterator[Named]:
    data = document.data
    for index, step in enumerate(data.get("steps") or ()):
        if "id" in step:
            yield Named("step", step["id"], document, ("steps", index), at=("id",))
        yield from _rules(document, ("steps", index, "rules"), step.get("rules"))
    if "otherwise" in data:
        flow = data.get("flow")
        name = "otherwise" if flow is None else f"{flow}.otherwise"
        yield Named("step", name, document, ("otherwise",), key=True)


def _tests(document: Document) -> Iterator[Named]:
    for index, case in enumerate(document.data.get("cases") or ()):
        if "name" in case:
            yield Named("test", case["name"], document, ("cases", index), at=("name",))
        elif "table" in case:
            yield Named("test", case["table"], document, ("cases", index), at=("table",))
            for number, row in enumerate(case.get("rows") or ()):
                if row is not None:
                    path = ("cases", index, "rows", number)
                    yield Named("test", row_name(case, number), document, path)
        elif "matrix" in case:
            yield Named("test", case["matrix"], document, ("cases", index), at=("matrix",))
            for number, values in enumerate(combinations(case)):
                # Nothing stands there: see `take_out`.
                path = ("cases", index, COMBINATIONS, number)
                yield Named("test", combination_name(case, values), document, path)


def row_name(table: Mapping[str, Any], number: int) -> str:
    """The name of a row of a table of tests: `TABLE: NAME` where it has a column `name`, and else
    `TABLE, row N`, from 1."""
    columns, row = table.get("columns") or [], table["rows"][number]
    at = columns.index("name") if "name" in columns else len(row)
    own = row[at] if at < len(row) else None
    return f"{table['table']}, row {number + 1}" if own is None else f"{table['table']}: {own}"
