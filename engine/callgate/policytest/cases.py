"""`kind: tests` documents → cases: single ones, and one per row of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.named import row_name
from callgate.model.call import CALL_KEYS
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest

__all__ = ["EXPECTED", "Case", "read_cases"]

EXPECTED: Final = (
    "decision",
    "rule",
    "step",
    "risk",
    "called_as",
    "capabilities",
    "matched",
    "approval_source",
    "pending",
    "error",
    "effects",
    "shown",
)
"""What a case may expect of a decision, in the order in which it is compared."""

_SECTIONS: Final = sorted(CALL_KEYS - {"id", "tool"})


@dataclass(frozen=True, slots=True)
class Case:
    """A call under settings, and what is expected; `span` is where a person would mend it."""

    name: str
    call: Mapping[str, Any]
    settings: Mapping[str, Any]
    expect: Mapping[str, Any]
    span: Span


def read_cases(documents: Iterable[Document], diagnostics: Diagnostics) -> list[Case]:
    """The cases of all `kind: tests` documents, in order; what can't be read is reported, and so
    are names that two of them have (C026)."""
    cases: list[Case] = []
    taken: dict[str, Span] = {}
    for document in documents:
        if document.kind == "tests":
            for index, entry in enumerate(document.data.get("cases", ())):
                key = "table" if "table" in entry else "name"
                _name(entry[key], document.span("cases", index, key), taken, diagnostics)
                found = list(_cases(document, index, entry, diagnostics))
                for case in found if key == "table" else ():
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


def _cases(
    document: Document, index: int, entry: Mapping[str, Any], diagnostics: Diagnostics
) -> Iterator[Case]:
    if "table" in entry:
        yield from _table(document, index, entry, diagnostics)
    else:
        call, settings = _apart(entry["call"], entry.get("settings"))
        span = document.span("cases", index)
        yield Case(entry["name"], call, settings, entry["expect"], span)


def _apart(call: Mapping[str, Any], settings: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call without its own settings, and those laid over the case's."""
    rest = {key: value for key, value in call.items() if key != "settings"}
    return rest, _merged(settings or {}, call.get("settings") or {})


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(below, value) if both else value  # type: ignore[arg-type]
    return merged


def _table(
    document: Document, index: int, entry: Mapping[str, Any], diagnostics: Diagnostics
) -> Iterator[Case]:
    columns: Sequence[str] = entry["columns"]
    usable = [
        _usable(document, index, number, column, diagnostics)
        for number, column in enumerate(columns)
    ]
    if not all(usable):
        return
    base, given = _apart(entry.get("with") or {}, entry.get("settings"))
    for number, row in enumerate(entry["rows"]):
        if row is None:  # a bundle that extends this one replaces it
            continue
        span = document.span("cases", index, "rows", number)
        if len(row) not in (len(columns), len(columns) - (columns[-1] == "name")):
            message = f"a row of {len(row)} values under {len(columns)} columns"
            diagnostics.error("S003", message, span, "write one value per column")
            continue
        call, settings, expect = deepcopy(base), deepcopy(given), {}
        for column, value in zip(columns, row, strict=False):
            if column == "name":
                continue
            if column in EXPECTED:
                expect[column] = value
            elif column == "settings":
                settings = _merged(settings, value or {})
            elif column.startswith("settings."):
                _put(settings, column.split(".")[1:], value)
            elif value is not None:
                _put(call, column.split("."), value)
        yield Case(row_name(entry, number), call, settings, expect, span)


def _usable(
    document: Document, index: int, number: int, column: str, diagnostics: Diagnostics
) -> bool:
    root, _, rest = column.partition(".")
    if column == "name" or column in EXPECTED or column in CALL_KEYS:
        return True
    if rest and root in _SECTIONS:
        return True
    near = closest(root, _SECTIONS) if rest else closest(column, ("name", *EXPECTED, *CALL_KEYS))
    help = f"did you mean `{near + column.removeprefix(root)}`?" if near else ""
    diagnostics.error(
        "S004",
        f"`{column}` is no column",
        document.span("cases", index, "columns", number),
        help or "a part of a decision, a path into the call such as `args.path`, or `settings.KEY`",
    )
    return False


def _put(target: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    """Set a value below nested mappings, which are made where they are missing."""
    for key in keys[:-1]:
        inner = target.get(key)
        target[key] = dict(inner) if isinstance(inner, Mapping) else {}
        target = target[key]
    target[keys[-1]] = value
