"""Tries calls, and says which of the things that are missing they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.model.diagnostic import PolicyError
from callgate.model.policy import Guard
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.plan import Item
from callgate.policytest.coverage.summary import Missing
from callgate.policytest.proposals.attempt import Attempt

__all__ = ["Judge", "Probe", "Signature", "Target", "target_of"]

_OF_FLOW: Final = frozenset(
    {"step", "rule", "consult", "answer", "otherwise", "exception", "becomes"}
)
_STEPS: Final = "step:"

Target = tuple[str, str, int, bool]
"""Kind, the item's key, the part's number, and the outcome."""

Judge = Callable[[Attempt], object]
"""Judges a call, which a probe then looks at; None where it can't be judged."""

Signature = frozenset[tuple[int, str]]
"""What the parts of one condition were."""


def target_of(one: Missing) -> Target:
    """What identifies something that is missing."""
    return one.kind, one.item.key, one.number, one.outcome


class Probe:
    """Decides calls of one engine's policy, and looks at what each comes to. `walks`: how many."""

    def __init__(self, engine: Engine, coverage: Coverage) -> None:
        self._engine = engine
        self._coverage = coverage.blank()
        self.walks = 0

    def decided(self, attempt: Attempt) -> Decision | None:
        """Decide a call, from now on the one that is looked at; None where its settings don't fit
        or it can't be judged."""
        under = self._begin(attempt)
        if under is None:
            return None
        decision = under.decide(dict(attempt.call))
        if decision.failure is not None:
            return None
        self._coverage.add(under, decision)
        if attempt.shown:
            shown = under.program.visibility(attempt.call)
            if shown is not None and shown.failure is None:
                self._coverage.add_shown(under, shown)
        return decision

    def alone(self, guard: Guard, attempt: Attempt) -> bool | None:
        """Try one guard on a call, from now on the one that is looked at: whether it fires; None
        where the call can't be judged."""
        under = self._begin(attempt)
        return None if under is None else self._coverage.add_alone(under, guard, attempt.call)

    def lacking(self, attempt: Attempt) -> int:
        """How many arguments a call lacks that its tool's parameters require."""
        policy = self._engine.policy
        name = attempt.call.get("tool")
        for tool in policy.tools.values():
            if name == tool.name or name in tool.aliases:
                required = tool.parameters.get("required", ())
                return len(set(required) - set(attempt.call.get("args") or ()))
        return 0

    def _begin(self, attempt: Attempt) -> Engine | None:
        """The engine under a call's settings, with nothing counted yet."""
        self.walks += 1
        counts = self._coverage.counts
        counts.nodes.clear()
        for tally in (*counts.branches.values(), *counts.parts.values()):
            tally.true = tally.false = tally.unknown = 0
        try:
            return self._engine.with_settings(attempt.settings)
        except PolicyError:
            return None

    def came_to(self, targets: Iterable[Target]) -> Iterator[Target]:
        """Those of some targets that the last call came to."""
        counts = self._coverage.counts
        for target in targets:
            kind, key, number, outcome = target
            if kind == "node":
                if counts.nodes.get(key):
                    yield target
                continue
            tallies = counts.branches.get(key), counts.parts.get((key, number))
            tally = tallies[kind == "part"]
            if tally is not None and (tally.true if outcome else tally.false):
                yield target

    def signature(self, item: Item) -> Signature:
        """What an item's condition and its parts were in the last call."""
        counts = self._coverage.counts
        found = {(-2, "reached")} if counts.nodes.get(item.key) else set()
        if item.kind in _OF_FLOW:  # how far it came
            found |= {(-3, key) for key in counts.nodes if key.startswith(_STEPS)}
        named = [(-1, counts.branches.get(item.key))]
        named += [(part.number, counts.parts.get((item.key, part.number))) for part in item.counted]
        for number, tally in named:
            if tally is not None:
                if tally.true:
                    found.add((number, "true"))
                if tally.false:
                    found.add((number, "false"))
                if tally.unknown:
                    found.add((number, "unknown"))
        return frozenset(found)

    @property
    def steps(self) -> list[str]:
        """The keys of the steps that the last call came to."""
        return [key for key in self._coverage.counts.nodes if key.startswith(_STEPS)]

    def shown(self, attempt: Attempt) -> str:
        """The reason code of whether a call's tool is shown."""
        under = self._engine.with_settings(attempt.settings)
        return under.program.unseen.code_of(under.program.visibility(attempt.call))
