"""Counting decisions: by rule, tool, sender or decision."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final, Literal, get_args

from callgate.model.graph import DecisionGraph
from callgate.record.query import part_of

__all__ = ["BY", "By", "Stats", "Tally", "rules_of"]

By = Literal["rule", "tool", "sender", "decision"]
BY: Final[tuple[By, ...]] = get_args(By)
"""What decisions can be counted by."""

_MOST_KEYS: Final = 10_000
_PERSONS: Final = ("human", "reviewer")
_RULES: Final = ("decide", "note")
"""Kinds of nodes that a rule stands for. A question is none: its answers are."""
_RULE: Final = 2


@dataclass(slots=True)
class Tally:
    """What happened under one key, in numbers of decisions.

    `fired`: all of them. `allowed`, `denied`: how they ended. `asked`: those of them that somebody
    had to be asked for, however they ended. `decided`: those that the rule decided, of those it
    matched; by other keys the same as `fired`.
    """

    fired: int = 0
    decided: int = 0
    allowed: int = 0
    asked: int = 0
    denied: int = 0
    _times: array[int] = field(default_factory=lambda: array("q"))

    @property
    def answered(self) -> int:
        """How many were answered by a person or the reviewer."""
        return len(self._times)

    def time(self, share: float) -> int | None:
        """The microseconds within which this share of the answers came, such as 0.5 for the
        median; None without answers."""
        if not self._times:
            return None
        return sorted(self._times)[max(0, ceil(share * len(self._times)) - 1)]

    def add(self, decision: str, asked: bool, decided: bool, answered: int | None) -> None:
        """Count a decision. `answered`: the microseconds until somebody answered, or None."""
        self.fired += 1
        self.decided += decided
        self.asked += asked
        if decision == "allow":
            self.allowed += 1
        elif decision == "deny":
            self.denied += 1
        if answered is not None:
            self._times.append(answered)


class Stats:
    """Counts decisions by one thing. Beyond ten thousand keys, as hostile calls can make them, the
    decisions of further ones are counted in `others`.

    By rule, a decision counts for the rule that decided it and for every one that matched.
    """

    def __init__(self, by: By) -> None:
        self.by: By = by
        self.records = 0
        self.others = 0
        self.since = ""
        self.until = ""
        self.policy = ""
        self.tallies: dict[str, Tally] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a decision, a sound one."""
        time = record["timestamp"]
        self.records += 1
        if not self.since or time < self.since:
            self.since = time
        if time >= self.until:
            self.until = time
            digest = record["policy"].get("digest")
            self.policy = digest if type(digest) is str else ""
        decision, answers, gate = record["decision"], record["answers"], record["gate"]
        answered = None
        if answers and any(who in answers for who in _PERSONS):
            answered = min(max(record["duration_us"], 0), 2**53)
        asked = decision == "ask" or answered is not None or (gate is not None and _asked(gate))
        for key in self._keys(record):
            tally = self.tallies.get(key)
            if tally is None:
                if len(self.tallies) >= _MOST_KEYS:
                    self.others += 1
                    continue
                tally = self.tallies[key] = Tally()
            decided = self.by != "rule" or key == record["rule"]
            tally.add(decision, asked, decided, answered)

    def ordered(self) -> list[tuple[str, Tally]]:
        """The keys and what happened under them, the most frequent first."""
        return sorted(self.tallies.items(), key=lambda item: (-item[1].fired, item[0]))

    def never(self, rules: Iterable[str]) -> list[str]:
        """Those of the rules that fired in no decision, in their order."""
        return [rule for rule in rules if rule not in self.tallies]

    def _keys(self, record: Mapping[str, Any]) -> Iterable[str]:
        if self.by == "rule":
            matched = record["matched"]
            if not matched:
                return (record["rule"],)
            return {record["rule"], *(item["rule"] for item in matched)}
        if self.by == "sender":
            sender = part_of(record, "context").get("sender_id")
            return (sender if type(sender) is str else "",)
        return (record[self.by],)


def _asked(gate: Mapping[str, Any]) -> bool:
    """Whether the gate had to ask somebody."""
    return gate.get("walked") == "ask" or bool(gate.get("request_id"))


def rules_of(graph: DecisionGraph) -> list[str]:
    """The ids of the rules and guards of a graph's approval flow, in its order."""
    visibility = graph.document["visibility"]
    nodes = graph.nodes if visibility is None else graph.nodes[: visibility["entry"] - 1]
    rules = [guard["id"] for guard in graph.document["guards"]]
    rules += [node[_RULE] for node in nodes if node[0] in _RULES]
    return list(dict.fromkeys(rules))
