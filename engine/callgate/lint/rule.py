"""A rule of the lint catalogue, and what it finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from callgate.model.codes import CODES
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["Edit", "Finding", "Rule"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of a span by another."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found. `fix`: edits that put it right and change no decision; empty where there
    are none that are safe."""

    diagnostic: Diagnostic
    fix: tuple[Edit, ...] = ()


class Rule(ABC):
    """A rule of the catalogue: one kind of mistake.

    `code` is a key of `CODES` and never changes its meaning; its page is docs/rules/<code>.md.
    `name` stands for it in configurations and comments. `severity` is its level where the
    configuration says nothing; None is off. `needs_policy`: it looks at the typed policy, and is
    not applied to a bundle that does not load.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity | None] = Severity.WARNING
    needs_policy: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """What the rule is about, in a few words."""
        return CODES[self.code]

    @abstractmethod
    def check(self, subject: Subject) -> Iterator[Finding]:
        """What is found in a bundle. Findings in files that it inherits are left out later."""

    def found(
        self,
        message: str,
        span: Span | None,
        help: str,
        *,
        related: tuple[tuple[str, Span], ...] = (),
        fix: tuple[Edit, ...] = (),
    ) -> Finding:
        """A finding of this rule. `related`: other places that take part, with their roles."""
        severity = self.severity or Severity.WARNING
        return Finding(Diagnostic(self.code, message, span, help, severity, related), fix)
