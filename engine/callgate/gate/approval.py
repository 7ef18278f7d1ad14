"""What the gate answers: whether a call may run, exactly which one, and who said so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from callgate.gate.frozen_call import FrozenCall
from callgate.model.decision import Decision

__all__ = ["KINDS", "Approval", "Kind", "Source"]

Kind = Literal[
    "",
    "policy",
    "approval_pending",
    "approval_denied",
    "approval_timeout",
    "approval_unavailable",
    "dependency",
    "invalid",
]
"""Why a call may not run; empty where it may."""

Source = Literal["human", "auto", ""]
"""Who let it pass: a person who saw this very call, the policy, or nobody."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Every kind: allowed; the policy's deny; a question nobody has answered yet; a person's or the
reviewer's no; no answer in time; something needed to answer is out of order; a host's name that
could not be looked up; no valid call."""

_NOTHING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})


async def _unchanged() -> str:
    return ""


# A tuple takes a fifth of the time of a frozen dataclass, and one is made for every call.
class Approval(NamedTuple):
    """The gate's answer to one call; true only where that may run.

    `call` is the frozen call that was judged: run that, by `args()`, never what was handed in.
    `approved_actions`: the tool's name and the ids of the asks that were lifted. `approval_source`
    is `human` only if a person approved this very call. `reason`: why, in one line, masked, for the
    agent. `notice`: what the user should be told; "" if nothing. `terminal`: the agent should end
    its turn rather than try again. `addresses`: host → the addresses that were judged, for pinning.
    `request_id`, `grant_id`: what the answer came from, "" if from neither. `by`: the person who
    said yes or no, "" if nobody did. `break_glass`: it passed because of that, and nobody was
    asked. `walked`: where the gate itself said no, as while everything is frozen, what the policy
    came to.
    """

    allowed: bool
    decision: Decision
    call: FrozenCall
    approved_actions: frozenset[str] = frozenset()
    approval_source: Source = ""
    reason: str = ""
    notice: str = ""
    terminal: bool = False
    kind: Kind = ""
    request_id: str = ""
    grant_id: str = ""
    addresses: Mapping[str, tuple[str, ...]] = _NOTHING
    rechecker: Callable[[], Awaitable[str]] = _unchanged
    by: str = ""
    break_glass: bool = False
    walked: Decision | None = None

    def __bool__(self) -> bool:
        return self.allowed

    def __repr__(self) -> str:
        said = "allowed" if self.allowed else f"denied ({self.kind}): {self.reason}"
        return f"<Approval {said}>"

    @property
    def digest(self) -> str:
        """The sha256, in hex, of the call's canonical tool and arguments."""
        return self.call.digest

    def args(self) -> dict[str, Any]:
        """A fresh copy of the arguments that were judged; the caller may change it."""
        return deepcopy(self.call.get("args") or {})

    async def recheck(self) -> str:
        """Look again at what the call touches, right before it runs: "" when all is as it was
        judged, or else what changed, in one line. Never raises."""
        return await self.rechecker()
