"""Who may answer for a call: never the agent, and never just anybody."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from callgate.gate.signatures import ApproverKeys
from callgate.runtime.masking import escape
from callgate.storage.signing_keys import SignatureError

if TYPE_CHECKING:
    from callgate.gate.question import Question
    from callgate.gate.request_rows import ApprovalRequest

__all__ = [
    "LOCAL",
    "RequestError",
    "Rules",
    "answerers",
    "check_answer",
    "local_operator",
    "may_answer",
]

LOCAL: Final = "local:"
"""What the names of people at this machine's own command line begin with."""

_DENY: Final = "deny"


class RequestError(Exception):
    """A request that can't be made or answered; the message says why."""


class Rules(NamedTuple):
    """What a policy says of answers: `approvers`, who may give them where not the user, and
    whether only those count that are `signed`."""

    approvers: tuple[str, ...]
    signed: bool


def check_answer(
    request: ApprovalRequest,
    answer: str,
    by: str,
    signature: str,
    keys: ApproverKeys,
    rules: Rules | None = None,
) -> None:
    """Raises RequestError unless this person may give this answer, with this signature ("" for
    none), to a request that asks for it. `rules`: those in force, where they may be others than
    when it was asked; by default the request's own."""
    if rules is None:
        rules = Rules(request.approvers, request.signed)
    levels = [choice.level for choice in request.choices]
    if answer != _DENY and answer not in levels:
        offered = ", ".join(f"`{level}`" for level in levels)
        raise RequestError(f"this request offers {offered} or `{_DENY}`")
    if not _may(by, rules.approvers, request.user):
        raise RequestError(f"only {_names(rules.approvers, request.user)} may answer this")
    if not rules.signed:
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
    return _may(by, question.approvers, question.user)


def _may(by: str, approvers: Sequence[str], user: str) -> bool:
    if not by:
        return False
    if approvers:
        return by in approvers
    if user:
        return by == user
    return by.startswith(LOCAL)


def answerers(question: Question) -> str:
    """Who may answer, in words, escaped."""
    return _names(question.approvers, question.user)


def _names(approvers: Sequence[str], user: str) -> str:
    if approvers:
        return " or ".join(f"`{escape(name)}`" for name in approvers)
    if user:
        return f"`{escape(user)}`"
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
