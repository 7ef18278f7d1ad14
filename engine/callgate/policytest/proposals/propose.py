"""Proposes test cases for what the tests of a bundle do not reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from callgate.model.policy import Guard
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.plan import Item
from callgate.policytest.coverage.summary import Missing, missing
from callgate.policytest.loaded import Loaded
from callgate.policytest.proposals.attempt import Attempt
from callgate.policytest.proposals.case_form import case_form
from callgate.policytest.proposals.minimal import minimal
from callgate.policytest.proposals.probe import Probe, Target, target_of
from callgate.policytest.proposals.search import Search
from callgate.policytest.proposals.seeds import Seeds

__all__ = ["Proposal", "Proposals", "ProposedExample", "propose"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A case in the form of a test file, and what it comes to that no test does, also in words."""

    case: dict[str, Any]
    covers: tuple[Missing, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProposedExample:
    """A call for the examples of a guard that another one hides from calls: one that it must match
    (`fires`), or pass."""

    guard: str
    fires: bool
    call: dict[str, Any]
    covers: tuple[Missing, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposals:
    """What was found, cases and examples, and what could not be reached with the attempts that were
    made: `walks`."""

    found: tuple[Proposal, ...]
    examples: tuple[ProposedExample, ...]
    unreached: tuple[Missing, ...]
    walks: int


def propose(
    loaded: Loaded,
    coverage: Coverage,
    limit: int | None = None,
    kinds: Iterable[str] = ("node", "branch", "part"),
    done: Callable[[int, int, int], None] = lambda done, all_, found: None,
    walks: int = 400,
    seconds: float = 10,
) -> Proposals:
    """Propose cases for what `coverage` says is missing in the bundle's own files: what it inherits
    is for the tests of the bundle that it extends.

    `limit`: how many at most; `kinds`: what they are for; `done` is told how many conditions of all
    were tried, and how many cases are found. `walks` bounds the calls tried for one thing that is
    missing, `seconds` the processor's time for one condition. Raises PolicyError where the bundle
    can't be used.
    """
    engine = loaded.usable()
    probe = Probe(engine, coverage)
    all_ = {
        target_of(one): one
        for one in missing(coverage)
        if one.kind in set(kinds) and one.item.place[0] in loaded.own_files
    }
    items = list({one.item.key: one.item for one in all_.values()}.values())
    if not items:
        return Proposals((), (), (), 0)
    seeds = Seeds(loaded, probe, items)
    search = Search(engine.policy, probe, walks, seconds)
    wanted = set(all_)
    names = {case.name for case in loaded.cases}
    found: list[Proposal] = []
    for number, item in enumerate(sorted(items, key=_order)):
        done(number, len(items), len(found))
        if limit is not None and len(found) >= limit:
            break
        if not any(key == item.key for _, key, _, _ in wanted):
            continue
        for attempt, targets in search.find(item, wanted, seeds.of(item)):
            proposal = _proposal(probe, attempt, targets, all_, names)
            if proposal is not None:
                found.append(proposal)
            if limit is not None and len(found) >= limit:
                break
    full = limit is not None and len(found) >= limit
    examples = [] if full else _examples(engine.policy.guards, items, wanted, all_, search, seeds)
    left = tuple(one for target, one in all_.items() if target in wanted)
    return Proposals(tuple(found), tuple(examples), left, probe.walks)


def _examples(
    guards: Iterable[Guard],
    items: Iterable[Item],
    wanted: set[Target],
    all_: Mapping[Target, Missing],
    search: Search,
    seeds: Seeds,
) -> list[ProposedExample]:
    """Calls on which guards, each alone, come to what no whole call does."""
    by_name = {guard.id: guard for guard in guards}
    found = []
    for item in items:
        guard = by_name.get(item.name) if item.kind == "guard" else None
        if guard is None or not any(key == item.key for _, key, _, _ in wanted):
            continue
        judged = partial(search.probe.alone, guard)
        for attempt, targets in search.find(item, wanted, seeds.of(item), judged):
            smallest = minimal(attempt, targets, search.probe, judged)
            fires = search.probe.alone(guard, smallest)
            if fires is not None:
                call = dict(smallest.call)
                if smallest.settings:
                    call["settings"] = dict(smallest.settings)
                covers = tuple(all_[target] for target in targets)
                words = tuple(map(_words, covers))
                found.append(ProposedExample(guard.id, fires, call, covers, words))
    return found


def _order(item: Item) -> int:
    """Conditions before definitions, which they use."""
    return item.kind == "definition"


def _proposal(
    probe: Probe,
    attempt: Attempt,
    targets: list[Target],
    all_: dict[Target, Missing],
    names: set[str],
) -> Proposal | None:
    smallest = minimal(attempt, targets, probe)
    decision = probe.decided(smallest)
    if decision is None:
        return None
    covers = tuple(all_[target] for target in targets)
    words = tuple(_words(one) for one in covers)
    name = base = f"proposed: {words[0]}"
    number = 2
    while name in names:
        name, number = f"{base} ({number})", number + 1
    names.add(name)
    shown = probe.shown(smallest) if smallest.shown else ""
    return Proposal(case_form(smallest, decision, shown, name), covers, words)


def _words(one: Missing) -> str:
    """What a case covers, in a few words."""
    if one.kind == "node":
        return f"{one.item.name}: {one.words.replace('never ', '')}"
    value = "true" if one.outcome else "false"
    if one.kind == "branch":
        return f"{one.item.name} is {value}"
    text = one.text if len(one.text) <= 60 else one.text[:59] + "…"
    return f"{one.item.name}: {text} is {value}"
