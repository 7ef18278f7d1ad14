"""Coverage by lines of files: what each line has to reach, and what of it was never reached."""

from __future__ import annotations

from dataclasses import dataclass, field

from callgate.policytest.coverage.counts import Tally
from callgate.policytest.coverage.coverage import Coverage
from callgate.policytest.coverage.plan import Item
from callgate.policytest.coverage.summary import missing

__all__ = ["Branch", "File", "Line", "files_of"]


@dataclass(slots=True)
class Branch:
    """A condition or a part of one, with what it was. `number`: 0 is the whole."""

    item: Item
    number: int
    text: str
    tally: Tally


@dataclass(slots=True)
class Line:
    """A line that has something to reach. `nodes`: items with how often they were reached;
    `notes`: what never happened."""

    nodes: list[tuple[Item, int]] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def hits(self) -> int:
        """How often anything on the line was reached."""
        looked = [b.tally.true + b.tally.false + b.tally.unknown for b in self.branches]
        return max((*(count for _, count in self.nodes), *looked), default=0)

    @property
    def state(self) -> str:
        """covered, partly, or never."""
        return "never" if not self.hits else "partly" if self.notes else "covered"


@dataclass(slots=True)
class File:
    """A file of the policy: its text, its items, and those of its lines that are counted."""

    name: str
    text: str
    items: list[Item] = field(default_factory=list)
    lines: dict[int, Line] = field(default_factory=dict)

    def line(self, number: int) -> Line:
        """A line, from now on a counted one."""
        return self.lines.setdefault(number, Line())


def files_of(coverage: Coverage) -> list[File]:
    """The files that have something to reach, in the order of the policy."""
    found: dict[str, File] = {}
    for item in coverage.plan.items.values():
        name = item.place[0]
        file = found.setdefault(name, File(name, coverage.texts.get(name, "")))
        file.items.append(item)
        if not item.excluded:
            _lines(coverage, item, file)
    for one in missing(coverage):
        notes = found[one.place[0]].line(one.place[1]).notes
        what = f"`{one.text}`" if one.kind == "part" else f"{one.item.name}"
        note = f"{what}: {one.words}"
        if note not in notes:
            notes.append(note)
    return list(found.values())


def _lines(coverage: Coverage, item: Item, file: File) -> None:
    counts = coverage.counts
    if item.node:
        file.line(item.place[1]).nodes.append((item, counts.nodes.get(item.key, 0)))
    if item.branch:
        text = item.root.text if item.root is not None else ""
        tally = counts.branches.get(item.key, Tally())
        file.line(item.place[1]).branches.append(Branch(item, 0, text, tally))
    for part in item.counted:
        number = part.place[1] or item.place[1]
        tally = counts.parts.get((item.key, part.number), Tally())
        file.line(number).branches.append(Branch(item, part.number, part.text, tally))
