"""Derived facts of the vocabulary and the `define:`s of guards and flow: names for expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_names import report_name
from callgate.compiler.assembly import Assembly
from callgate.lang.check import Checker
from callgate.lang.definitions import Definition, add_definitions
from callgate.model.catalogue import Derived

__all__ = ["build_derived", "with_definitions"]


def build_derived(assembly: Assembly) -> dict[str, Derived]:
    """The derived facts of the vocabulary; they are added to the scope."""
    entries = assembly.merged("vocabulary", "facts")
    definitions = _definitions(assembly, entries, fact=True)
    return {
        name: Derived(name, meaning.expr, meaning.type, meaning.unknown, text)
        for name, (meaning, text) in add_definitions(assembly.checker, definitions).items()
    }


@contextmanager
def with_definitions(assembly: Assembly, document: Entry) -> Iterator[None]:
    """Check conditions of a file, in which its own `define:`s are known."""
    outer = assembly.checker
    if "define" in document:
        assembly.checker = Checker(outer.scope.child(), assembly.diagnostics)
        definitions = _definitions(assembly, document.mapping("define"), fact=False)
        add_definitions(assembly.checker, definitions)
    try:
        yield
    finally:
        assembly.checker = outer


def _definitions(
    assembly: Assembly, entries: Iterable[tuple[str, Entry]], fact: bool
) -> dict[str, Definition]:
    scope = assembly.checker.scope
    definitions: dict[str, Definition] = {}
    for name, entry in entries:
        text = entry.text("is") if fact else entry.own_text()
        if report_name(assembly, "fact" if fact else "define", name, entry):
            continue
        if scope.taken(name):
            assembly.diagnostics.error(
                "T018",
                f"`{name}` already means something",
                entry.name_span(),
                "choose another name",
            )
        elif text is None:
            scope.broken.add(name)
        else:
            definitions[name] = Definition(name, text, entry.name_span(), condition=not fact)
    return definitions
