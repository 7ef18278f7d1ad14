"""`kind: tests` documents → cases: single ones, one per row of a table, one per combination of a
matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from callgate.load.document import Document
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.policytest.case import EXPECTED, Case
from callgate.policytest.entry import Entry
from callgate.policytest.matrices import combinations_of
from callgate.policytest.tables import rows_of

__all__ = ["EXPECTED", "Case", "read_cases"]


def read_cases(documents: Iterable[Document], diagnostics: Diagnostics) -> list[Case]:
    """The cases of all `kind: tests` documents, in order; what can't be read is reported, and so
    are names that two of them have (C026)."""
    cases: list[Case] = []
    taken: dict[str, Span] = {}
    for document in documents:
        if document.kind != "tests":
            continue
        for index, data in enumerate(document.data.get("cases", ())):
            entry = Entry(document, index, diagnostics)
            key = next(key for key in ("table", "matrix", "name") if key in data)
            _name(data[key], entry.span(key), taken, diagnostics)
            found = list(_cases(entry, key))
            for case in found if key != "name" else ():
                _name(case.name, case.span, taken, diagnostics)
            cases += found
    return cases


def _name(name: str, span: Span, taken: dict[str, Span], diagnostics: Diagnostics) -> None:
    """Report a name that another case or table has."""
    first = taken.setdefault(name, span)
    if first is not span:
        diagnostics.error(
            "C026",
            f"the test name `{name}` is taken",
            span,
            "tests are told apart, and replaced, by their names: choose another",
            (("it is used here first", first),),
        )


def _cases(entry: Entry, key: str) -> Iterator[Case]:
    if key == "table":
        yield from rows_of(entry)
    elif key == "matrix":
        yield from combinations_of(entry)
    elif "call" not in entry.data and "use" not in entry.data:
        entry.error("S002", "`call` is missing", "write the call, or `use` a fixture that has one")
    else:
        call, settings = entry.base("call")
        yield entry.case(entry.data["name"], call, settings, entry.data["expect"])
