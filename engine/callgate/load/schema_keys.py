"""Schema findings about keys: unknown ones, missing ones, ones that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from callgate.load import schema_words
from callgate.load.document import Document
from callgate.load.findings import Finding
from callgate.load.nodes import Mapping as MappingNode
from callgate.load.nodes import Scalar, to_data
from callgate.load.words import any_of, did_you_mean, shown
from callgate.load.yaml_errors import in_quotes
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest

__all__ = ["Path", "Report", "alternatives", "excluding", "missing", "partners", "unknown"]

_SYNONYMS: Final = {"if": "when"}

Path = tuple[str | int, ...]
"""Keys and list indexes that lead to a value."""


@dataclass(slots=True)
class Report:
    """What the findings on one document come to.

    `offending`: paths of what has to go for the rest to be valid. `meant`: paths of keys that an
    unknown key was probably meant to be, so that they are not reported as missing as well.
    """

    document: Document
    diagnostics: Diagnostics
    offending: list[Path] = field(default_factory=list)
    meant: set[Path] = field(default_factory=set)

    def error(self, code: str, message: str, path: Path, help: str) -> None:
        """Report an error at the value at a path."""
        self.diagnostics.error(code, message, self.document.span(*path), help)

    def lost(self, path: Path) -> bool:
        """Whether something in the mapping or list there was refused before, so that what seems
        missing may not be."""
        node = self.document.node(*path)
        return not isinstance(node, Scalar) and node.lost


def unknown(report: Report, finding: Finding) -> None:
    """S001 for every key that the schema does not know."""
    known = list(finding.schema.get("properties", ()))
    free = [name for name in known if name not in finding.value]
    cut = _cut_off(report.document, finding.path, known)
    for key in finding.value:
        if key not in known:
            path = (*finding.path, key)
            report.offending.append(path)
            if key in cut:
                if help := cut[key]:
                    span = report.document.span(*path, key=True)
                    report.diagnostics.error("S001", f"unknown key {shown(key)}", span, help)
                continue
            meant = _SYNONYMS.get(key)
            meant = meant if meant in free else closest(key, free)
            if meant:
                report.meant.add((*finding.path, meant))
            help = did_you_mean(meant) or f"the keys here are {any_of(known, last='and')}"
            span = report.document.span(*path, key=True)
            report.diagnostics.error("S001", f"unknown key {shown(key)}", span, help)


def _cut_off(document: Document, path: Path, known: list[str]) -> dict[str, str]:
    """The keys that are what a comma cut off from a text without quotes, in `{reason: a, b}`; the
    first of several with the help, the others with an empty text."""
    node = document.node(*path)
    text = document.source.text
    found: dict[str, str] = {}
    if not isinstance(node, MappingNode) or not text.startswith("{", node.start):
        return found
    begun: int | None = None  # where the text begins
    first = ""
    for key, (name, value) in node.entries.items():
        bare = isinstance(value, Scalar) and not value.style
        if (
            begun is not None
            and bare
            and not to_data(value)
            and key not in known
            and not name.style
        ):
            first = first or key
            found[key] = ""
            whole = in_quotes(" ".join(text[begun : name.end].split()))
            found[first] = f"the comma ended the text before it: {whole}"
            continue
        begun = value.start if bare and isinstance(to_data(value), str) else None
        first = ""
    return found


def missing(report: Report, finding: Finding) -> None:
    """S002 for every required key that is not there."""
    report.offending.append(finding.path)
    _missing(report, finding, finding.argument)


def _missing(report: Report, finding: Finding, keys: list[str], why: str = "") -> None:
    for key in keys:
        if (
            key in finding.value
            or (*finding.path, key) in report.meant
            or report.lost(finding.path)
        ):
            continue
        about: Mapping[str, Any] = finding.schema.get("properties", {}).get(key, {})
        sample = schema_words.example(about)
        wanted = schema_words.expected(about, report.document.kind)
        help = f"for example `{key}: {sample}`" if sample else f"add `{key}`, {wanted}"
        place = _place(report.document, finding.path)
        report.diagnostics.error("S002", f"`{key}` is missing{why}", place, help)


def _place(document: Document, path: Path) -> Span:
    """Where something is missing in a mapping: the key that it stands under, or its first key."""
    if not path or isinstance(path[-1], int):
        node = document.node(*path)
        if isinstance(node, MappingNode) and node.entries:
            return document.span(*path, next(iter(node.entries)), key=True)
    return document.span(*path, key=True)


def partners(report: Report, finding: Finding) -> None:
    """S002 for keys that another key needs. The other form of `dependencies`, with a schema,
    makes findings of its own."""
    report.offending.append(finding.path)
    for key, needed in finding.argument.items():
        if key in finding.value and isinstance(needed, list):
            _missing(report, finding, needed, f", which `{key}` needs")


def excluding(report: Report, finding: Finding) -> None:
    """S006 for keys that may not stand together (`not: {required: […]}`)."""
    report.offending.append(finding.path)
    _exclusive(report, finding, finding.argument["required"])


def _exclusive(report: Report, finding: Finding, keys: list[str]) -> None:
    there = [key for key in finding.value if key in keys]
    spans = [report.document.span(*finding.path, key, key=True) for key in there]
    report.diagnostics.error(
        "S006",
        f"{any_of(there, last='and')} exclude each other",
        spans[-1],
        "keep one of them",
        related=(("the other one", spans[0]),),
    )


def alternatives(report: Report, finding: Finding) -> None:
    """`oneOf` several sets of required keys: none of them is complete (S002), or more than one
    is (S006)."""
    if not isinstance(finding.value, dict):
        return  # which is a finding of its own
    report.offending.append(finding.path)
    groups: list[list[str]] = [part["required"] for part in finding.argument]
    there = [sum(key in finding.value for key in group) for group in groups]
    whole = [group for group, count in zip(groups, there, strict=True) if count == len(group)]
    if len(whole) > 1:
        _exclusive(report, finding, [key for group in whole for key in group])
    elif any(there) or max(map(len, groups)) > 1:
        _missing(report, finding, groups[there.index(max(there))])
    elif not report.lost(finding.path) and not any(
        (*finding.path, group[0]) in report.meant for group in groups
    ):
        names = any_of(group[0] for group in groups)
        place = _place(report.document, finding.path)
        report.diagnostics.error("S002", f"one of {names} is missing", place, "write one of them")
