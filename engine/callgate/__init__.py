"""Callgate decides whether an AI agent's tool call may run: allow, ask a person, or deny.

`Engine.load(bundle, settings)` compiles a policy; `Engine.decide(call)` gives a `Decision`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callgate.engine import Engine
    from callgate.model.decision import Decision
    from callgate.model.diagnostic import Diagnostic, PolicyError, Severity
    from callgate.model.span import Span

__all__ = ["Decision", "Diagnostic", "Engine", "PolicyError", "Severity", "Span", "__version__"]

__version__ = "0.1.0"

_HOMES = {
    "Decision": "callgate.model.decision",
    "Diagnostic": "callgate.model.diagnostic",
    "Engine": "callgate.engine",
    "PolicyError": "callgate.model.diagnostic",
    "Severity": "callgate.model.diagnostic",
    "Span": "callgate.model.span",
}


def __getattr__(name: str) -> Any:
    # On first use, so that a part of the package can be imported without all of it.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
