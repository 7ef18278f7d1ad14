"""The search for calls that come to what is missing.

From each call to start from, one thing is changed at a time. A change after which the condition
comes out in a way not seen before is kept and changed further, so that what takes several changes
is found step by step, without trying all of their combinations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from time import process_time
from typing import Final

from callgate.model.expr import Expr, Fact
from callgate.model.policy import ANSWERS, Guard, Policy, Rule
from callgate.policytest.coverage.parts import Part
from callgate.policytest.coverage.plan import Item
from callgate.policytest.proposals.attempt import ABSENT, Attempt, Change, Path
from callgate.policytest.proposals.changes import Changes
from callgate.policytest.proposals.probe import Judge, Probe, Signature, Target

__all__ = ["Search"]

_DEEPEST: Final = 4
"""Changes of one call."""

_SECOND: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FORM: Final = "%Y-%m-%dT%H:%M:%SZ"
_MOST_KEPT: Final = 60
_NEAREST: Final = 3
_MOST_DIRECT: Final = 60

Found = tuple[Attempt, list[Target]]


class Search:
    """Searches for calls, item by item. `walks`: how many calls may be tried for each thing that is
    missing; `seconds`: of the processor's time that one item may take."""

    def __init__(self, policy: Policy, probe: Probe, walks: int = 400, seconds: float = 10) -> None:
        self._policy = policy
        self.probe = probe
        self._changes = Changes(policy)
        self._walks = walks
        self._seconds = seconds
        self._end = 0
        self._last = 0.0
        self._seen: set[bytes] = set()
        self._judged: Judge = probe.decided

    def find(
        self, item: Item, wanted: set[Target], seeds: list[Attempt], judged: Judge | None = None
    ) -> Iterator[Found]:
        """Calls with the targets that each comes to; what was found is taken out of `wanted`. It
        ends when nothing of the item is wanted any more, or after its walks and seconds. `judged`:
        how calls are tried; by default they are decided."""
        self._judged = judged or self.probe.decided
        own = [target for target in wanted if target[1] == item.key]
        self._end = self.probe.walks + self._walks * len(own)
        self._last = process_time() + self._seconds
        self._seen = {seed.key for seed in seeds}
        yield from self._directly(item, wanted, seeds)
        yield from self._further(item, wanted, seeds)

    def _over(self, item: Item, wanted: set[Target]) -> bool:
        if self.probe.walks >= self._end or process_time() > self._last:
            return True
        return not any(target[1] == item.key for target in wanted)

    def _directly(self, item: Item, wanted: set[Target], seeds: list[Attempt]) -> Iterator[Found]:
        """What one change for each part that is missing comes to."""
        for part in () if item.root is None else item.root.all():
            for seed in seeds[:_NEAREST]:
                for change in islice(self._of_part(part, seed), _MOST_DIRECT):
                    if not any(
                        key == item.key and number == part.number for _, key, number, _ in wanted
                    ):
                        break
                    tried = seed.with_(change)
                    found = self._try(tried, wanted)
                    if found:
                        yield tried, found
                    if self._over(item, wanted):
                        return

    def _further(self, item: Item, wanted: set[Target], seeds: list[Attempt]) -> Iterator[Found]:
        """What several changes come to, one after the other."""
        todo = deque((seed, 0) for seed in seeds)
        signatures: set[tuple[Signature, Path]] = set()
        while todo:
            attempt, depth = todo.popleft()
            for change in self._of(item, wanted, attempt):
                tried = attempt.with_(change)
                found = self._try(tried, wanted)
                if found is None:
                    continue
                if found:
                    yield tried, found
                # Whoever got the call may have tried others.
                signature = self._signature(item, tried) if found else self.probe.signature(item)
                # The first change may only prepare for the second.
                new = signature, change.path if depth == 0 else ()
                if new not in signatures and len(signatures) < _MOST_KEPT:
                    signatures.add(new)
                    if depth + 1 < _DEEPEST:
                        todo.append((tried, depth + 1))
                if self._over(item, wanted):
                    return

    def _signature(self, item: Item, attempt: Attempt) -> Signature:
        self._judged(attempt)
        return self.probe.signature(item)

    def _try(self, attempt: Attempt, wanted: set[Target]) -> list[Target] | None:
        """What a call comes to; None for one that was tried before or can't be judged."""
        key = attempt.key
        if key in self._seen:
            return None
        self._seen.add(key)
        if self._judged(attempt) is None:
            return None
        found = list(self.probe.came_to(wanted))
        wanted.difference_update(found)
        return found

    def _of_part(self, part: Part, attempt: Attempt) -> Iterator[Change]:
        for leaf in part.all():
            if not leaf.children:
                yield from self._changes.of(leaf.expr, attempt)

    def _of(self, item: Item, wanted: set[Target], attempt: Attempt) -> Iterator[Change]:
        """The changes to try: for the parts that are wanted first, then for all others."""
        if item.kind in ("answer", "consult"):
            yield from _answers()
        if item.kind == "exception":
            yield from self._times(item)
        numbers = {number for _, key, number, _ in wanted if key == item.key}
        parts = [] if item.root is None else list(item.root.all())
        leaves = [part for part in parts if not part.children]
        first = [part for part in leaves if part.number in numbers]
        inside = [
            leaf
            for part in parts
            if part.number in numbers
            for leaf in part.all()
            if not leaf.children
        ]
        for expr in _each_once([*first, *inside, *leaves]):
            yield from self._changes.of(expr, attempt)
        for expr in self._around(item):
            yield from self._changes.of(expr, attempt)

    def _around(self, item: Item) -> Iterator[Expr]:
        """The other conditions that decide whether a call comes to an item: those of its step, and
        of the steps before it."""
        flows = [self._policy.flow]
        if self._policy.visibility is not None:
            flows.append(self._policy.visibility.flow)
        for flow in flows:
            ids = [step.id for step in flow.steps]
            if item.group in ids or item.name in ("otherwise", "visible"):
                last = ids.index(item.group) if item.group in ids else len(ids) - 1
                yield Fact("call.tool")
                for step in reversed(flow.steps[: last + 1]):
                    found = [step.when, *(rule.when for rule in step.rules)]
                    yield from (when.expr for when in found if when is not None)

    def _times(self, item: Item) -> Iterator[Change]:
        """Just before and at the end of an exception."""
        rules: list[Guard | Rule] = [*self._policy.guards]
        rules.extend(rule for step in self._policy.flow.steps for rule in step.rules)
        for rule in rules:
            for exception in rule.exceptions:
                if exception.id == item.name:
                    for moment in (exception.until - _SECOND, exception.until):
                        text = (_EPOCH + timedelta(microseconds=moment)).strftime(_FORM)
                        yield Change(("call", "observed", "time"), text)


def _answers() -> Iterator[Change]:
    for who, answers in ANSWERS.items():
        path = ("call", "answers", who.value)
        yield Change(path, ABSENT)
        values = {"grant": (True, False), "reviewer": ("APPROVE", "DENY", "ESCALATE", None)}
        yield from (Change(path, value) for value in values.get(who.value, answers))


def _each_once(parts: list[Part]) -> Iterator[Expr]:
    seen: set[int] = set()
    for part in parts:
        if id(part) not in seen:
            seen.add(id(part))
            yield part.expr
