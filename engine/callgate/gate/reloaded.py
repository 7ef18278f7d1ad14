"""What came of a reload, and telling it: to the log, to the record of events, to the host."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.state import StateError, StateFolder
from callgate.model.diagnostic import Diagnostic, Severity

__all__ = ["Cause", "Reloaded", "tell"]

Cause = Literal["reload", "rollback", "control", "watch"]
"""Who wanted it: this process (`policy.reload`, `policy.rollback`), an operator or another process
through the state folder, or files that changed."""

_LOG: Final = logging.getLogger("callgate.gate")
_MOST_TOLD: Final = 3
_LONGEST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What came of a reload.

    `ok`: whether the version that was wanted is in force. `digest`: the version in force now, the
    old one where it is not. `diagnostics`: what compiling found, sorted. `why`: why not, in one
    line; "" when `ok`. As text it is one line, with the first errors.
    """

    ok: bool
    digest: str
    diagnostics: tuple[Diagnostic, ...] = ()
    why: str = ""
    cause: Cause = "reload"

    def __str__(self) -> str:
        if self.ok:
            return f"the policy {self.digest} is in force"
        errors = [item for item in self.diagnostics if item.severity is Severity.ERROR]
        told = [item.line for item in errors[:_MOST_TOLD]]
        if len(errors) > _MOST_TOLD:
            told.append(f"{len(errors) - _MOST_TOLD} more")
        more = f" ({'; '.join(told)})" if told else ""
        return f"the policy {self.digest} stays in force: {self.why}{more}"[:_LONGEST]


def tell(
    report: Reloaded, state: StateFolder | None, on_report: Callable[[Reloaded], None] | None
) -> None:
    """Tell what came of a reload. What can't be told in one way is told in the others; nothing is
    raised."""
    _LOG.log(logging.INFO if report.ok else logging.ERROR, "%s", report)
    if state is not None:
        try:
            _record(report, state)
        except StateError as error:
            _LOG.warning("the reload is not recorded: %s", error)
    if on_report is not None:
        try:
            on_report(report)
        except Exception as error:
            _LOG.error("the host can't be told of the reload: %s", type(error).__name__)


def _record(report: Reloaded, state: StateFolder) -> None:
    # One that is missing is not made anew: whoever works with it must notice.
    database = Database(state.database, create=False)
    try:
        kind = "policy.loaded" if report.ok else "policy.refused"
        Events(database).add(kind, digest=report.digest, cause=report.cause, told=str(report))
    finally:
        database.close()
