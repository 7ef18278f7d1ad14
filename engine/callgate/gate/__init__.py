"""The live gate: decides, in the world as it is, whether a tool call may run, and asks people.

`ApprovalGate.check(call)` gives an `Approval`. Everything is imported on first use: a program that
asks nobody needs neither a database nor HTTP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callgate.gate.approval import Approval
    from callgate.gate.clock import Clock
    from callgate.gate.control import Control
    from callgate.gate.cron import CronGrants
    from callgate.gate.database import Database
    from callgate.gate.events import Events
    from callgate.gate.gate import ApprovalGate
    from callgate.gate.grants import Grant, Grants
    from callgate.gate.live_policy import LivePolicy
    from callgate.gate.observe import LocalObserver, Observations, Observer
    from callgate.gate.openai_reviewer import OpenAIReviewer
    from callgate.gate.people import Answered, Channel, People
    from callgate.gate.requests import ApprovalRequest, Requests
    from callgate.gate.reviewer import Brief, Reviewer, Unavailable
    from callgate.gate.state import StateError, StateFolder, default_state
    from callgate.gate.terminal import TerminalPrompt

__all__ = [
    "Answered",
    "Approval",
    "ApprovalGate",
    "ApprovalRequest",
    "Brief",
    "Channel",
    "Clock",
    "Control",
    "CronGrants",
    "Database",
    "Events",
    "Grant",
    "Grants",
    "LivePolicy",
    "LocalObserver",
    "Observations",
    "Observer",
    "OpenAIReviewer",
    "People",
    "Requests",
    "Reviewer",
    "StateError",
    "StateFolder",
    "TerminalPrompt",
    "Unavailable",
    "default_state",
]

_HOMES = {
    "approval": ("Approval",),
    "clock": ("Clock",),
    "control": ("Control",),
    "cron": ("CronGrants",),
    "database": ("Database",),
    "events": ("Events",),
    "gate": ("ApprovalGate",),
    "grants": ("Grant", "Grants"),
    "live_policy": ("LivePolicy",),
    "observe": ("LocalObserver", "Observations", "Observer"),
    "openai_reviewer": ("OpenAIReviewer",),
    "people": ("Answered", "Channel", "People"),
    "requests": ("ApprovalRequest", "Requests"),
    "reviewer": ("Brief", "Reviewer", "Unavailable"),
    "state": ("StateError", "StateFolder", "default_state"),
    "terminal": ("TerminalPrompt",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"callgate.gate.{_MODULES[name]}"), name)
