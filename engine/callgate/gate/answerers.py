"""Who may answer for a call: never the agent, and never just anybody."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from callgate.gate.signatures import ApproverKeys, SignatureError
from callgate.runtime.masking import escape

if TYPE_CHECKING:
    from callgate.gate.question import Question
    from callgate.gate.request_rows import ApprovalRequest

__all__ = ["LOCAL", "RequestError", "answerers", "check_answer", "local_operator", "may_answer"]

LOCAL: Final = "local:"
"""What the names of people at this machine's own command line begin with."""

_DENY: Final = "deny"


class RequestError(Exception):
    """A request that can't be made or answered; the message says why."""


def check_answer(
    request: ApprovalRequest, answer: str, by: str, signature: str, keys: ApproverKeys
) -> None:
    """Raises RequestError unless this person may give this answer, with this signature ("" for
    none), to a request that asks for it."""
    levels = [choice.level for choice in request.choices]
    if answer != _DENY and answer not in levels:
        raise RequestError(f"only {', '.join([*levels, _DENY])} can be answered")
    if not may_answer(request, by):
        raise RequestError(f"only {answerers(request)} may answer this")
    if not request.signed:
        return
    if not signature:
        raise RequestError("the policy wants this answer signed by an approver's key")
    try:
        good = keys.accepts(request.id, request.seal, answer, by, signature)
    except SignatureError as error:
        raise RequestError(str(error)) from None
    if not good:
        raise RequestError("the signature is not by a key of whoever answers")


def may_answer(question: Question, by: str) -> bool:
    """Whether somebody may answer: an approver, where there are any; else the user whose call it
    is; and where nobody is known, only the operator of this machine."""
    if not by:
        return False
    if question.approvers:
        return by in question.approvers
    if question.user:
        return by == question.user
    return by.startswith(LOCAL)


def answerers(question: Question) -> str:
    """Who may answer, in words, escaped."""
    if question.approvers:
        return " or ".join(f"`{escape(name)}`" for name in question.approvers)
    if question.user:
        return f"`{escape(question.user)}`"
    return "the operator of this machine"


def local_operator() -> str:
    """Who sits at this machine's command line: `local:` and the name of the user that this process
    belongs to, whatever the environment says."""
    try:
        from pwd import getpwuid
    except ImportError:
        from getpass import getuser

        return f"{LOCAL}{getuser()}"
    user = os.getuid()
    try:
        return f"{LOCAL}{getpwuid(user).pw_name}"
    except KeyError:
        return f"{LOCAL}{user}"
