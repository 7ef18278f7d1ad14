"""The bundle `tests/cases/acme`: small, but with every kind of step."""

from __future__ import annotations

import os
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

from callgate.engine import Engine

__all__ = ["BUNDLE", "CALLS", "acme", "golden"]

CASES = Path(__file__).parent / "cases"
BUNDLE = CASES / "acme"

CALLS: dict[str, dict[str, Any]] = {
    "look": {"tool": "cat", "args": {"path": "/srv/a"}},
    "private": {"tool": "save", "args": {"path": "/etc/hosts"}},
    "temporary": {"tool": "save", "args": {"path": "/tmp/a"}, "answers": {"human": "once"}},
    "held": {"tool": "look", "args": {"path": "/srv/a"}, "context": {"unattended": True}},
    "night": {"tool": "save", "args": {"path": "/srv/a"}, "context": {"origin": "cron"}},
    "team": {"tool": "start", "context": {"channel": "ops", "sender_id": "ben"}},
    "blocked": {"tool": "start", "settings": {"approval": {"blocked": ["start", "save"]}}},
    "off": {
        "tool": "save",
        "args": {"path": "/tmp/a"},
        "settings": {"approval": {"mode": "off"}},
    },
    "unknown": {"tool": "fly"},
    "secret": {"tool": "save", "args": {"path": "/srv/a", "api_key": "hunter2hunter2"}},
    "broken": {"tool": "start", "args": {"count": "3"}},
}
"""Calls that together end in every step, by name."""


@cache
def acme() -> Engine:
    """The engine under default settings; its files are shown as paths from the repository."""
    with chdir(CASES.parent.parent):
        return Engine.load(BUNDLE)


def golden(path: str, actual: str) -> str:
    """The text of a golden file below `tests/cases`.

    With UPDATE_GOLDEN=1 in the environment, `actual` becomes that text: look at the difference.
    """
    file = CASES / path
    if os.environ.get("UPDATE_GOLDEN") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(actual, encoding="utf-8")
    return file.read_text(encoding="utf-8")
