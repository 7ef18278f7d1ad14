"""The one diagnostic type, from YAML to lint finding, and the error that carries a list of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from callgate.model.codes import CODES
from callgate.model.span import Span

__all__ = ["Diagnostic", "Diagnostics", "PolicyError", "Severity"]


class Severity(StrEnum):
    """How much a diagnostic matters: an `error` keeps the policy from loading."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for what matters most."""
        return list(Severity).index(self)


_RULE_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about an input.

    `code` is a key of `callgate.model.codes.CODES`, or the id of a settings check, whose finding
    it is. `message` is lower case, without a full stop,
    with the user's own words in backticks. `help` says what to do. `related` names other places
    that take part in the disagreement, each with a word about its role.
    """

    code: str
    message: str
    span: Span | None = None
    help: str = ""
    severity: Severity = Severity.ERROR
    related: tuple[tuple[str, Span], ...] = ()

    def __post_init__(self) -> None:
        if self.code not in CODES and not _RULE_ID.fullmatch(self.code):
            raise KeyError(f"undocumented diagnostic code {self.code}")

    @property
    def of_settings(self) -> bool:
        """Whether it is about an operator's settings, in which any line may hold a secret."""
        return self.code[0] == "E" or self.code not in CODES

    @property
    def line(self) -> str:
        """In one line: where, which, what, and what to do."""
        help = f" ({self.help})" if self.help else ""
        return f"{self.span or '-'}: {self.code}: {self.message}{help}"

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """Order of display: file, line, column, then severity and code."""
        span = self.span
        where = (span.file, span.line, span.column) if span else ("", 0, 0)
        return (*where, self.severity.rank, self.code, self.message)


class PolicyError(Exception):
    """Raised at the public API's edge when a policy or its settings can't be used.

    `diagnostics` holds every finding, sorted; at least one is an error.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(
            sorted(diagnostics, key=lambda d: d.sort_key)
        )
        super().__init__("; ".join(item.line for item in self.diagnostics))


@dataclass(slots=True)
class Diagnostics:
    """A collector that every stage writes to, so that all mistakes are shown together."""

    items: list[Diagnostic] = field(default_factory=list)

    def error(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        help: str = "",
        related: tuple[tuple[str, Span], ...] = (),
    ) -> None:
        """Add an error."""
        self.items.append(Diagnostic(code, message, span, help, Severity.ERROR, related))

    def warning(self, code: str, message: str, span: Span | None = None, help: str = "") -> None:
        """Add a warning."""
        self.items.append(Diagnostic(code, message, span, help, Severity.WARNING))

    def add(
        self, code: str, message: str, span: Span | None, help: str, severity: Severity
    ) -> None:
        """Add a finding of any severity."""
        self.items.append(Diagnostic(code, message, span, help, severity))

    def info(self, code: str, message: str, span: Span | None = None, help: str = "") -> None:
        """Add a note that needs no action."""
        self.items.append(Diagnostic(code, message, span, help, Severity.INFO))

    @property
    def has_errors(self) -> bool:
        """Whether any item is an error."""
        return any(d.severity is Severity.ERROR for d in self.items)

    def sorted(self) -> list[Diagnostic]:
        """All items without repeats, in order of display."""
        return sorted(dict.fromkeys(self.items), key=lambda d: d.sort_key)

    def raise_errors(self) -> None:
        """Raise `PolicyError` with all items when any is an error."""
        if self.has_errors:
            raise PolicyError(self.sorted())

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.items)
