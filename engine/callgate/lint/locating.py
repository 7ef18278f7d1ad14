"""Where the literals of typed conditions stand in the files.

Typed conditions hold what facts and definitions say where they use them; what is found there is
shown where it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from callgate.lint.rule import Finding
from callgate.lint.written import Written
from callgate.model.pattern import CommandPattern
from callgate.model.span import Span
from callgate.model.syntax import PatternLiteral, RegexLiteral, Syntax, Value, Word

if TYPE_CHECKING:
    from callgate.lint.subject import Place

__all__ = ["Locator", "distinct"]

Literal = bool | int | str | CommandPattern


class Locator:
    """Finds literals. `written`: all conditions of the bundle's own files."""

    def __init__(self, written: Iterable[Written]) -> None:
        self._written = tuple(written)

    def span(self, place: Place, literal: Literal) -> Span | None:
        """Where a literal stands: in the place's own condition, else in the first definition or
        fact that has it, else the whole condition."""
        whole: Span | None = place.span
        if whole is None:
            return None
        own = self._by_start.get((whole.file, whole.line, whole.column))
        candidates: list[Written] = [own] if own is not None else []
        for written in candidates + self._shared.get(literal, []):
            for node in written.nodes:
                if _literal(node) == literal:
                    return written.span(node)
        return whole

    @cached_property
    def _by_start(self) -> dict[tuple[str, int, int], Written]:
        found: dict[tuple[str, int, int], Written] = {}
        for written in self._written:
            span = written.text.span()
            found[span.file, span.line, span.column] = written
        return found

    @cached_property
    def _shared(self) -> dict[Literal, list[Written]]:
        found: dict[Literal, list[Written]] = {}
        for written in self._written:
            if written.path[0] in {"define", "facts"}:
                for node in written.nodes:
                    literal = _literal(node)
                    if literal is not None:
                        found.setdefault(literal, []).append(written)
        return found


def _literal(node: Syntax) -> Literal | None:
    match node:
        case Value():
            return node.value
        case RegexLiteral():
            return node.pattern
        case PatternLiteral():
            return node.pattern
        case Word():
            return node.name
    return None


def distinct(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, each place and message once: a definition is looked at wherever it is used."""
    seen: set[tuple[Span | None, str]] = set()
    for finding in findings:
        key = (finding.diagnostic.span, finding.diagnostic.message)
        if key not in seen:
            seen.add(key)
            yield finding
