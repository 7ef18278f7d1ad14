"""What a policy says to the live gate: how long a person has, who may answer, what may last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from callgate.model.condition import Condition
from callgate.model.expr import Const, Expr

__all__ = ["GateRules", "ReviewerRules"]

_NONE: Final = Const("")
_NOBODY: Final = Const(())
_NO: Final = Const(False)
_ZERO: Final = Const(0)
_ONE: Final = Const(1)
_TIMEOUT: Final = Const(30)
_WAIT: Final = Const(300)


@dataclass(frozen=True, slots=True)
class ReviewerRules:
    """Where the reviewing model is reached; each is an expression that settings decide.

    `base_url`: text, empty where there is no reviewer. `model`: text. `key_from`: the name of the
    environment variable with the key, never the key itself. `timeout_seconds`: seconds for one
    attempt. `retries`: how often it is tried again.
    """

    base_url: Expr = _NONE
    model: Expr = _NONE
    key_from: Expr = _NONE
    timeout_seconds: Expr = _TIMEOUT
    retries: Expr = _ONE


@dataclass(frozen=True, slots=True)
class GateRules:
    """What the files of kind `gate` say; what none says has the value here.

    `wait_seconds`: seconds that a person has to answer. `approvers`: list of the senders who may
    answer; empty: who made the request. `signed_answers`: whether an answer must carry an
    approver's signature. `grant_days`: days after which a standing grant ends; 0: never. These are
    expressions that settings decide. `lasting`: of which calls a person's word may count for more
    than this one; None: of all. `families`: name → the tools that a grant for a whole session
    covers together.
    """

    wait_seconds: Expr = _WAIT
    approvers: Expr = _NOBODY
    signed_answers: Expr = _NO
    grant_days: Expr = _ZERO
    lasting: Condition | None = None
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reviewer: ReviewerRules | None = None
