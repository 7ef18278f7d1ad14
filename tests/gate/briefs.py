"""Briefs of calls that the embedded policy hands to a reviewer."""

from __future__ import annotations

from functools import cache
from typing import Any

from callgate.engine import Engine
from callgate.gate.reviewer import Brief, brief_of
from callgate.model.decision import Decision
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program

CWD = "/srv/app"
_CONTEXT = {"channel": "chat", "cwd": CWD, "workspace": CWD, "home": "/home/me"}


@cache
def program() -> Program:
    """The embedded policy in mode smart."""
    return Engine.load("echo", {"permissions": {"approval": {"mode": "smart"}}}).program


def decide(tool: str, args: dict[str, Any], **context: str) -> Decision:
    """The decision of a call without a grant; `context`: what is other in it than usual."""
    about = {**_CONTEXT, **context}
    call = {"tool": tool, "args": args, "context": about, "answers": {"grant": False}}
    return program().decide(call)


def frame_of(tool: str, args: dict[str, Any]) -> Frame:
    """The frame of a call that was walked."""
    frame = decide(tool, args).frame
    assert isinstance(frame, Frame)
    return frame


def brief(tool: str, args: dict[str, Any], **context: str) -> Brief:
    """The brief of a call."""
    decision = decide(tool, args, **context)
    assert isinstance(decision.frame, Frame), decision.reason
    return brief_of(program(), decision.frame, decision)


def shell(text: str) -> Brief:
    """The brief of a shell text."""
    return brief("exec", {"command": text})
