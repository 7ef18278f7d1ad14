"""Subjects of calls, under the embedded policy."""

from __future__ import annotations

from functools import cache
from typing import Any

from callgate.engine import Engine
from callgate.gate.subject import Subject, subject_of
from callgate.runtime.frame import Frame

CWD = "/srv/app"


@cache
def engine() -> Engine:
    """The embedded policy under its defaults."""
    return Engine.load("echo")


def frame_of(
    tool: str,
    args: dict[str, Any],
    *,
    declared: dict[str, Any] | None = None,
    observed: dict[str, Any] | None = None,
    live: bool = False,
    **context: Any,
) -> Frame:
    """The frame of a call that was walked."""
    call: dict[str, Any] = {
        "tool": tool,
        "args": args,
        "context": {"cwd": CWD, "workspace": CWD, "home": "/home/me", **context},
    }
    if declared is not None:
        call["declared"] = declared
    if observed is not None:
        call["observed"] = observed
    frame = engine().program.decide(call, live=live).frame
    assert isinstance(frame, Frame), call
    return frame


def of_call(tool: str, args: dict[str, Any], declaration: str = "", **rest: Any) -> Subject:
    """The subject of a call."""
    return subject_of(engine().program, frame_of(tool, args, **rest), declaration)


def of(command: str, **rest: Any) -> Subject:
    """The subject of a shell text."""
    return of_call("exec", {"command": command}, **rest)
