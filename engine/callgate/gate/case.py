"""A call that somebody is asked about, with all that asking needs to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from callgate.gate.frozen_call import Frozen
from callgate.gate.judge import Judge
from callgate.gate.observe import Observer

if TYPE_CHECKING:
    from callgate.gate.control import Control

__all__ = ["Case", "Policy"]


class Policy(Protocol):
    """What is asked of the policy here: a live one, or one that never changes."""

    control: Control | None

    def refresh(self) -> None:
        """Notice what operators have set."""
        ...

    def settle(self) -> None:
        """Wait until a reload that was noticed is made."""
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """A call that somebody is asked about. `current` gives the judge of the policy in force."""

    frozen: Frozen
    declaration: str
    observer: Observer
    policy: Policy
    current: Callable[[], Judge]

    @property
    def context(self) -> dict[str, Any]:
        """The call's context; of another type than an object it would not have been judged."""
        return self.frozen.copy.get("context") or {}

    @property
    def frozen_by(self) -> str:
        """Why nothing passes without a person, by another look at what operators have set; ""
        where that is not so."""
        control = self.policy.control
        frozen = None if control is None else control.read().frozen
        if frozen is None:
            return ""
        return f"an operator has frozen everything: {frozen.why}".rstrip(": ")

    def text(self, name: str) -> str:
        """A text of the context, "" where it is not given."""
        value = self.context.get(name)
        return value if isinstance(value, str) else ""
