"""Calls to start from: the tests and examples that come nearest to something missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from callgate.policytest.coverage.plan import Item
from callgate.policytest.loaded import Loaded
from callgate.policytest.proposals.attempt import Attempt
from callgate.policytest.proposals.probe import Probe, Signature

__all__ = ["Seeds"]

_MOST: Final = 12
"""Calls kept for each item, each of which its condition tells from the others."""


class Seeds:
    """The calls of a bundle's tests and examples, by the items whose conditions they reach."""

    def __init__(self, loaded: Loaded, probe: Probe, items: Sequence[Item]) -> None:
        self._kept: dict[str, dict[Signature, Attempt]] = {item.key: {} for item in items}
        self._groups: dict[str, list[Attempt]] = {}
        self._steps: dict[str, dict[frozenset[str], Attempt]] = {}
        for group, attempt in _calls(loaded):
            if probe.decided(attempt) is None:
                continue
            if len(self._groups.setdefault(group, [])) < _MOST:
                self._groups[group].append(attempt)
            for step in probe.steps:
                reaching = self._steps.setdefault(step, {})
                if len(reaching) < _MOST:
                    reaching.setdefault(frozenset(probe.steps), attempt)
            for item in items:
                kept = self._kept[item.key]
                if len(kept) < _MOST or item.name == group:
                    signature = probe.signature(item)
                    if signature:
                        kept.setdefault(signature, attempt)

    def of(self, item: Item) -> list[Attempt]:
        """The calls to start from, the nearest first: those that have most of its parts true."""
        kept = sorted(self._kept[item.key].items(), key=lambda pair: -len(pair[0]))
        found = [attempt for _, attempt in kept]
        own = self._groups.get(item.name, []) + self._groups.get(item.name.rpartition(".")[0], [])
        near = [*found, *own, *self._steps.get(f"step:{item.group}", {}).values()]
        others = [] if near else [calls[0] for calls in self._groups.values() if calls]
        return list({attempt.key: attempt for attempt in (*near, *others)}.values())


def _calls(loaded: Loaded) -> Iterator[tuple[str, Attempt]]:
    """Every call of the examples of guards, by the guard, and of the tests, by the rule that they
    expect to decide."""
    for guard in loaded.usable().policy.guards:
        for example in guard.examples:
            call = dict(example.call)
            settings = call.pop("settings", None) or {}
            yield guard.id, Attempt(call, settings)
    for case in loaded.cases:
        rule = str(case.expect.get("rule", ""))
        yield rule, Attempt(case.call, case.settings, "shown" in case.expect)
