"""What was reached of what there is: figures, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from callgate.policytest.coverage.counts import Tally
from callgate.policytest.coverage.coverage import Coverage
from callgate.policytest.coverage.places import Place
from callgate.policytest.coverage.plan import Item

__all__ = ["Figure", "Figures", "Missing", "figures", "missing"]

_NEVER: Final[Mapping[str, str]] = {
    "rule": "never decided",
    "consult": "never asked",
    "guard": "never fired",
    "exception": "never used",
    "becomes": "never became a deny",
    "step": "never entered",
    "otherwise": "never decided",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """How many of all were reached."""

    reached: int = 0
    total: int = 0

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.reached + other.reached, self.total + other.total)

    @property
    def percent(self) -> float:
        """From 0 to 100; 100 where there is nothing to reach, and only where all was."""
        return 100 * self.reached / self.total if self.total else 100.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Of some items: nodes; branches and parts of conditions, each with two outcomes; how many of
    the parts were unknown some time; how many nodes are left out because nothing can reach them."""

    nodes: Figure = Figure()
    branches: Figure = Figure()
    parts: Figure = Figure()
    unknown: int = 0
    excluded: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            self.nodes + other.nodes,
            self.branches + other.branches,
            self.parts + other.parts,
            self.unknown + other.unknown,
            self.excluded + other.excluded,
        )


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that no test comes to. `outcome`: of a branch or part, the value that it never
    had; `number`: the part's; `text`: as it was written; `words`: what never happened."""

    kind: Literal["node", "branch", "part"]
    item: Item
    place: Place
    words: str
    outcome: bool = True
    number: int = 0
    text: str = ""


def figures(coverage: Coverage, items: Iterable[Item] | None = None) -> Figures:
    """The figures of some items; of all by default."""
    found = Figures()
    for item in coverage.plan.items.values() if items is None else items:
        found += _of_item(coverage, item)
    return found


def _of_item(coverage: Coverage, item: Item) -> Figures:
    if item.excluded:
        return Figures(excluded=1)
    counts = coverage.counts
    nodes = Figure(bool(counts.nodes.get(item.key)), 1) if item.node else Figure()
    branches = Figure()
    if item.branch:
        branches = _both(counts.branches.get(item.key, Tally()))
    parts, unknown = Figure(), 0
    for part in item.counted:
        tally = counts.parts.get((item.key, part.number), Tally())
        parts += _both(tally)
        unknown += bool(tally.unknown)
    return Figures(nodes, branches, parts, unknown)


def _both(tally: Tally) -> Figure:
    return Figure(bool(tally.true) + bool(tally.false), 2)


def missing(coverage: Coverage, items: Iterable[Item] | None = None) -> Iterator[Missing]:
    """What no test comes to, in the order of the policy."""
    for item in coverage.plan.items.values() if items is None else items:
        if not item.excluded:
            yield from _missing(coverage, item)


def _missing(coverage: Coverage, item: Item) -> Iterator[Missing]:
    counts = coverage.counts
    if item.node and not counts.nodes.get(item.key):
        answer = item.name.rpartition(".")[2]
        words = f"answer `{answer}` never given" if item.kind == "answer" else _NEVER[item.kind]
        yield Missing("node", item, item.place, words)
    tally = counts.branches.get(item.key, Tally())
    text = item.root.text if item.root is not None else ""
    if item.branch:
        yield from (
            Missing("branch", item, item.place, words, outcome, 0, text)
            for outcome, words in _never(tally)
        )
    for part in item.counted:
        found = counts.parts.get((item.key, part.number), Tally())
        place = part.place if part.place[1] else item.place
        yield from (
            Missing("part", item, place, words, outcome, part.number, part.text)
            for outcome, words in _never(found)
        )


def _never(tally: Tally) -> Iterator[tuple[bool, str]]:
    """The outcomes that a condition did not have, with words for each."""
    if not (tally.true or tally.false):
        words = "never known" if tally.unknown else "never looked at"
        yield from ((True, words), (False, words))
    elif not tally.true:
        yield True, "never true"
    elif not tally.false:
        yield False, "never false"
