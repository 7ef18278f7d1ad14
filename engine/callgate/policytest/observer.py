"""What may look on while cases run: coverage, for one."""

from __future__ import annotations

from typing import Protocol, Self

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.policytest.cases import Case

__all__ = ["Observer"]


class Observer(Protocol):
    """Is told of every decided case. Where cases run in several processes, each has a `blank` one,
    which comes back pickled and is merged into the one that was given, in the cases' order."""

    def observe(
        self, case: Case, engine: Engine, decision: Decision, shown: Decision | None
    ) -> None:
        """A case was decided. `engine`: the policy under the case's settings; `shown`: the walk of
        the second flow, where the case expects one and the policy has it."""
        ...

    def blank(self) -> Self:
        """One for the same policy that has seen nothing."""
        ...

    def merge(self, other: Self) -> None:
        """Add what another one saw."""
        ...
