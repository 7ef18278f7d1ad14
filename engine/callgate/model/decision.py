"""The decision: what the walk leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

__all__ = ["Decision", "DecisionSource", "Failure", "Outcome", "decided"]


class Outcome(NamedTuple):
    """How a walk can end: known when the graph is made ready, shared by all decisions that end
    there. `pending`: who must be consulted before anything is decided."""

    decision: Literal["allow", "ask", "deny"]
    rule: str
    step: str
    pending: str | None = None


class Failure(NamedTuple):
    """What kept a call from being judged: an `R` code, a message, and the node number, or 0."""

    code: str
    message: str
    node: int = 0


class DecisionSource(Protocol):
    """What can tell a decision's story: a graph made ready to run."""

    def describe(self, decision: Decision) -> dict[str, Any]:
        """The decision in its JSON form (docs/formats.md), masked and cut."""
        ...


class Decision:
    """Allow, ask or deny, with the trace that led to it.

    The walk keeps what is cheap: the `outcome`, the `trace` (node numbers, from 1; negative where
    the condition was not true) and the `frame`, a snapshot of the call. `to_dict()` renders
    everything else on demand, so a later change of the caller's dict changes nothing. `failure`
    is set when something went wrong; the decision is then deny. `unasked`: why nobody was asked
    about this call, although a person's answer stands in it; "" otherwise.
    """

    # Without an __init__, which would be a third of what a decision costs: `decided` makes it.
    outcome: Outcome
    trace: Sequence[int]
    source: DecisionSource
    frame: Any
    failure: Failure | None = None
    unasked: str = ""

    @property
    def decision(self) -> Literal["allow", "ask", "deny"]:
        """The decision's value."""
        return self.outcome.decision

    @property
    def rule(self) -> str:
        """The id of the rule that decided."""
        return self.outcome.rule

    @property
    def step(self) -> str:
        """The id of the step that decided; empty when the call could not be judged."""
        return self.outcome.step

    @property
    def pending(self) -> str | None:
        """Who must be consulted: grant, reviewer, human; or None."""
        return self.outcome.pending

    @property
    def reason(self) -> str:
        """Why, in one line, rendered from the rule's template; secrets are masked."""
        return str(self.to_dict()["reason"])

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of docs/formats.md, with the trace, the effects and the policy's digest."""
        return self.source.describe(self)

    def __repr__(self) -> str:
        return f"<Decision {self.decision} by {self.rule}>"


def decided(
    outcome: Outcome,
    trace: Sequence[int],
    source: DecisionSource,
    frame: Any,
    failure: Failure | None = None,
) -> Decision:
    """A decision with these parts."""
    decision = Decision()
    decision.outcome = outcome
    decision.trace = trace
    decision.source = source
    decision.frame = frame
    decision.failure = failure
    return decision
