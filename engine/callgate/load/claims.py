"""The names that descriptions of programs claim: their own, those under `also`, and globs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from callgate.effects.programs import EVERY, overlap
from callgate.load.document import Document
from callgate.load.named import Named
from callgate.model.span import Span

__all__ = ["ProgramClaims", "claims_of"]

_Claim = tuple[str, Span]


def claims_of(name: str, document: Document) -> Iterator[_Claim]:
    """The names that a program of a document claims, each with its place."""
    if name == EVERY:
        return
    yield name, document.span("programs", name, key=True)
    also = document.data["programs"][name].get("also")
    for index, other in enumerate(also if isinstance(also, list) else ()):
        if isinstance(other, str):
            yield other, document.span("programs", name, "also", index)


@dataclass(slots=True)
class ProgramClaims:
    """Which names inherited programs claim, and the languages in which they run code."""

    names: dict[str, Named] = field(default_factory=dict)
    globs: list[tuple[str, Named]] = field(default_factory=list)
    languages: dict[str, Named] = field(default_factory=dict)

    @classmethod
    def by(cls, programs: Iterable[Named], gone: Iterable[Named]) -> ProgramClaims:
        """The claims of inherited programs; `gone`: those that are replaced, whose names are
        free."""
        found = cls()
        for item in programs:
            for name, _ in claims_of(item.name, item.document):
                if "*" in name:
                    found.globs.append((name, item))
                else:
                    found.names.setdefault(name, item)
            for language in _languages(item.document.data["programs"][item.name]):
                found.languages.setdefault(language, item)
        for item in gone:
            for name, _ in claims_of(item.name, item.document):
                found.languages.pop(name.lower(), None)
        return found

    def taken(self, program: Named) -> tuple[_Claim, str, Named] | None:
        """The first name of an own program that an inherited one has: the name and its place, what
        it is of a program (`a name of`), and which program."""
        for name, span in claims_of(program.name, program.document):
            what, first = "a name of", self.names.get(name)
            if first is None:
                fitting = (item for glob, item in self.globs if overlap(name, glob))
                first = next(fitting, None)
            if first is None and name.lower() in self.languages:
                what, first = "a language of code in", self.languages[name.lower()]
            if first is not None:
                return (name, span), what, first
        return None


def _languages(entry: Mapping[str, Any]) -> Iterator[str]:
    for effect in entry.get("effects") or ():
        code = effect.get("code") if isinstance(effect, dict) else None
        if isinstance(code, dict) and isinstance(code.get("language"), str):
            yield code["language"].lower()
    for inner in (entry.get("commands") or {}).values():
        if isinstance(inner, dict):
            yield from _languages(inner)
