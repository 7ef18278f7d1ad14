"""What another policy would change: decisions of the same calls by two programs, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from callgate.model.decision import Decision
from callgate.runtime.frame import Frame
from callgate.runtime.guards import built_in_rule
from callgate.runtime.render import View

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["KINDS", "Comparison", "Example", "Group", "Kind", "Side"]

Kind = Literal["allowed", "weaker", "stricter"]
"""`allowed`: it was not before; `weaker`: it is asked for, and was denied; else `stricter`."""

KINDS: Final[tuple[Kind, ...]] = ("allowed", "weaker", "stricter")
"""In the order in which somebody who reviews a change wants to see them."""

_MOST_GROUPS: Final = 1000


class Side(NamedTuple):
    """What one program decided: the rule that did, and the first guard that asked where it is an
    ask, or ""."""

    decision: str
    rule: str
    because: str


class Example(NamedTuple):
    """A call of a group. `name`: its id, or where it stands; `call`: what it is, in one masked
    line; `reason`: why it is decided as it is now."""

    name: str
    call: str
    reason: str


@dataclass(slots=True)
class Group:
    """Calls that went from the same rule to the same rule, the first of them as examples."""

    kind: Kind
    before: Side
    after: Side
    count: int = 0
    examples: list[Example] = field(default_factory=list)


class Comparison:
    """Collects what changes. `limit`: how many examples are kept of a group."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._groups: dict[tuple[Side, Side], Group] = {}
        self.calls = 0
        self.counts = dict.fromkeys(KINDS, 0)
        self.ungrouped = 0
        """Calls of too many groups to keep: only `counts` has them."""

    @property
    def changed(self) -> int:
        """How many calls are decided otherwise."""
        return sum(self.counts.values())

    def add(self, name: str, call: Any, before: Decision, after: Decision) -> None:
        """Add a call with its two decisions. `name`: what people know it by."""
        self.calls += 1
        if before.decision == after.decision:
            return
        kind = _kind(before.decision, after.decision)
        self.counts[kind] += 1
        key = (_side(before), _side(after))
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= _MOST_GROUPS:
                self.ungrouped += 1
                return
            group = self._groups[key] = Group(kind, *key)
        group.count += 1
        if len(group.examples) < self._limit:
            group.examples.append(_example(name, call, before, after))

    def groups(self) -> list[Group]:
        """The groups: by kind, the largest first."""
        return sorted(
            self._groups.values(),
            key=lambda group: (KINDS.index(group.kind), -group.count, group.after, group.before),
        )


def _kind(before: str, after: str) -> Kind:
    if after == "allow":
        return "allowed"
    return "weaker" if (before, after) == ("deny", "ask") else "stricter"


def _side(decision: Decision) -> Side:
    because = ""
    if decision.decision == "ask" and isinstance(decision.frame, Frame):
        asks = (m for m in decision.frame.matches if m.decide == "ask" and m.stands)
        first = next(asks, None)
        if first is not None:
            forms = cast("Program", decision.source).guards.forms
            because = forms[first.guard]["id"] if first.guard >= 0 else built_in_rule(first)
    return Side(decision.decision, decision.rule, because)


def _example(name: str, call: Any, before: Decision, after: Decision) -> Example:
    """Shown as both programs would: one of them may not mask what the other does."""
    views = [View(cast("Program", decision.source), decision) for decision in (before, after)]

    def shown(value: Any) -> str:
        return views[1].show(views[0].show(value))

    given = call if isinstance(call, Mapping) else {}
    args = given.get("args")
    parts = [shown(str(given.get("tool", ""))), shown(args) if args else ""]
    return Example(shown(name), " ".join(filter(None, parts)), shown(after.reason))
