"""What a person is asked: a call, with everything they are shown of it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from callgate.gate.canonical import canonical

__all__ = ["Choice", "Question", "bound_to", "seal_of"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that let a call pass. `level`: how long it counts; `text`: what it grants,
    in one line."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A call that a person is asked about; see `callgate.gate.showing.question_of`.

    `tool`, `called_as`: its own name and the one that was used. `digest`: of the frozen call.
    `reasons`, `effects`: lines, and `text`: the call as a whole, in lines; all masked and escaped.
    `choices`: the answers that let it pass. `session`, `user`, `agent`, `channel`, `trace`: where
    it comes from. `cwd`, `workspace`: the folders, as they are shown. `bound`: sha256, in hex, of
    what else the call depends on; see `bound_to`. `wait_seconds`: how long an answer counts.
    `approvers`: who may answer, where not the user. `signed`: only answers with an approver's
    signature count.
    """

    tool: str
    called_as: str
    digest: str
    risk: str
    reasons: tuple[str, ...]
    effects: tuple[str, ...]
    text: str
    choices: tuple[Choice, ...]
    session: str = ""
    user: str = ""
    agent: str = ""
    channel: str = ""
    trace: str = ""
    wait_seconds: float = 300.0
    approvers: tuple[str, ...] = ()
    signed: bool = False
    cwd: str = ""
    workspace: str = ""
    bound: str = ""

    @property
    def seal(self) -> str:
        """sha256, in hex, of the call's digest, what it is bound to and all that a person sees. Two
        questions with the same seal are the same question, and it is what approvers sign."""
        return seal_of(self)


def seal_of(shown: Question) -> str:
    """The seal of a question, also of one that was read back."""
    return sha256(
        canonical(
            [
                "callgate.question/2",
                shown.tool,
                shown.called_as,
                shown.digest,
                shown.risk,
                shown.reasons,
                shown.effects,
                shown.text,
                [[choice.level, choice.text] for choice in shown.choices],
                [shown.session, shown.user, shown.agent, shown.channel],
                sorted(shown.approvers),
                shown.signed,
                [shown.cwd, shown.workspace, shown.bound],
            ]
        )
    ).hexdigest()


def bound_to(subject_key: str, declaration: str, declared: Any, folders: Any) -> str:
    """sha256, in hex, of what a call depends on beside its arguments.

    `subject_key`: of what a grant for it would be bound to. `declaration`, `declared`: the digest
    of what its tool's server declares, and what the call says of that. `folders`: those that it is
    made in. All of them JSON.
    """
    return sha256(canonical([subject_key, declaration, declared, folders])).hexdigest()
