"""Decide what was read: calls, and lines that are none."""

from __future__ import annotations

from typing import Any, Final

import click

from callgate.cli.calls import Item
from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.model.diagnostic import Diagnostic
from callgate.model.span import Span

__all__ = ["complain", "judge", "problem_of", "tell"]

_NO_CALL: Final = frozenset({"R001", "R002", "R003", "R004", "R005", "R009"})
"""Codes of what is wrong with the input; the others are failures of the walk."""


def judge(engine: Engine, item: Item) -> Decision:
    """The decision of a call; a line that holds none is denied."""
    if item.problem is not None:
        return engine.program.refuse(None, item.problem.code, item.problem.message)
    return engine.decide(item.value)


def problem_of(item: Item, told: dict[str, Any]) -> Diagnostic | None:
    """What is wrong with the input, when it isn't a valid call."""
    if item.problem is not None:
        return item.problem
    error = told["error"]
    if error is None or error["code"] not in _NO_CALL:
        return None
    place = Span(item.file, item.line, 1, item.line, 2)
    return Diagnostic(error["code"], error["message"], place)


def tell(item: Item, decision: Decision) -> dict[str, Any]:
    """The decision's JSON form; an error of the input points to the input."""
    told = decision.to_dict()
    error = told["error"]
    if error is not None and error["file"] is None:
        error["file"], error["line"] = item.file, item.line
    return told


def complain(problem: Diagnostic) -> None:
    """Say on standard error what is wrong with an input."""
    click.echo(f"{problem.span}: error[{problem.code}]: {problem.message}", err=True)
    if problem.help:
        click.echo(f"  help: {problem.help}", err=True)
