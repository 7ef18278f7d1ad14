"""Why not another decision: the smallest change of a call's facts that would have given it.

Changes of one fact are tried first, then of two; every one that is told was confirmed by deciding
the changed call. At most `MAX_WALKS` calls are decided, so "none found" means none within that.
A change that breaks the call is no advice: one that leaves out what the tool needs, or that makes
its text hard to understand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from callgate.analysis.candidates import ABSENT, OTHER, Candidate, candidates, changed, current
from callgate.analysis.explanation import Alternative, Change, WhyNot
from callgate.analysis.reads import Reads
from callgate.model.catalogue import Tool
from callgate.model.decision import Decision
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program
from callgate.runtime.render import View

__all__ = ["MAX_WALKS", "why_not"]

MAX_WALKS: Final = 6000
"""Calls decided in one search."""

MAX_SINGLES: Final = 600
MOST_TOLD: Final = 3
"""Alternatives told of one decision."""

_ORDER: Final = ("allow", "ask", "deny")

Decide = Callable[[Mapping[str, Any]], Decision]
_NOTHING: Final[Mapping[str, Tool]] = {}
_Tried = list[tuple[Candidate, Decision]]


def why_not(
    decide: Decide,
    call: Mapping[str, Any],
    decision: Decision,
    catalogue: Mapping[str, Tool] = _NOTHING,
) -> tuple[WhyNot, ...]:
    """For each other decision that the graph can make: the smallest changes that lead there.

    `decide` decides a changed call as `decision` was made. `catalogue`: the policy's tools, whose
    parameters say which arguments another tool needs. Empty when the call could not be judged.
    """
    if decision.failure is not None:
        return ()
    return _Search(decide, call, decision, catalogue).run()


class _Search:
    def __init__(
        self,
        decide: Decide,
        call: Mapping[str, Any],
        decision: Decision,
        catalogue: Mapping[str, Tool],
    ) -> None:
        self.decide = decide
        self.catalogue = catalogue
        self.call = call
        self.base = decision
        self.program = cast("Program", decision.source)
        self.view = View(self.program, decision)
        self.opaque = self._opaque(decision)
        self.walks = 0
        self.found: dict[str, list[Alternative]] = {
            value: [] for value in _ORDER if value != decision.decision and self._possible(value)
        }

    def run(self) -> tuple[WhyNot, ...]:
        tried: _Tried = []
        for item in candidates(self.program, self.call, self.base)[:MAX_SINGLES]:
            decision = self._walk(item)
            if decision is not None:
                tried.append((item, decision))
                self._keep(decision, item)
        self._pairs(tried)
        return tuple(
            WhyNot(value, tuple(alternatives), self.walks)
            for value, alternatives in self.found.items()
        )

    def _possible(self, value: str) -> bool:
        """Whether any node of the graph decides so."""
        document = self.program.graph.document
        return any(
            (node[0] == "decide" and node[3] == value) or (node[0] == "consult" and value == "ask")
            for node in document["nodes"]
        ) or any(guard["decide"] == value and not guard["shadow"] for guard in document["guards"])

    def _walk(self, *changes: Candidate) -> Decision | None:
        """The decision of the changed call; None when that is no advice."""
        self.walks += 1
        call = changed(self.call, *changes)
        decision = self.decide(call)
        if decision.failure is not None or self._opaque(decision) > self.opaque:
            return None
        if any(change.path == ("tool",) for change in changes) and self._lacks(decision.frame):
            return None
        return decision

    def _opaque(self, decision: Decision) -> int:
        """How much of a call is not understood."""
        effects = self.program.safe_effects(decision.frame)
        return 0 if effects is None else len(effects.by_kind.get("opaque", ()))

    def _lacks(self, frame: Frame) -> bool:
        """Whether an argument is missing that the tool needs, or that its effects come from."""
        known = self.catalogue.get(frame.tool)
        if known is not None and set(known.parameters.get("required", ())) - frame.args.keys():
            return True
        tool = self.program.graph.document["tools"].get(frame.tool)
        return tool is not None and any(
            source[0] == "arg" and source[2] is None and source[1] not in frame.args
            for _, fields, when in tool["effects"]
            if when is None
            for source in fields.values()
        )

    def _keep(self, decision: Decision, *changes: Candidate) -> None:
        """Remember a change that leads elsewhere; of one fact, the first value will do."""
        told = self.found.get(decision.decision)
        if told is None or len(told) >= MOST_TOLD:
            return
        names = {change.name for change in changes}
        if any({change.fact for change in other.changes} == names for other in told):
            return
        alternative = Alternative(
            decision.decision,
            tuple(self._change(change) for change in changes),
            decision.rule,
            View(self.program, decision).reason(),
            tuple((change.path, change.value) for change in changes),
        )
        told.append(alternative)

    def _change(self, change: Candidate) -> Change:
        actual = current(self.program.graph, self.call, change.path)
        return Change(
            change.name,
            self._show(change.path, actual),
            self._show(change.path, change.value),
            change.value == OTHER,
        )

    def _show(self, path: tuple[str, ...], value: Any) -> str:
        if value is ABSENT or value is None:
            return "absent"
        if any(self.view.masker.is_secret(key) for key in path[1:]):
            return "***"
        return '""' if value == "" else self.view.show(value)

    # -- two changes

    def _pairs(self, tried: _Tried) -> None:
        """Try pairs for the decisions that no single change gave; one for each will do."""
        missing = {value for value, told in self.found.items() if not told}
        if not missing:
            return
        for one, two in self._ordered(tried):
            decision = self._walk(one, two)
            if decision is not None and decision.decision in missing:
                self._keep(decision, one, two)
                missing.discard(decision.decision)
            if not missing or self.walks >= MAX_WALKS:
                return

    def _ordered(self, tried: _Tried) -> Iterator[tuple[Candidate, Candidate]]:
        """Pairs that can matter, natural ones first: what neither walk reads changes nothing."""
        reads = Reads(self.program.graph)
        base = reads.of(self.base)
        read = [base | reads.of(decision) for _, decision in tried]
        by_rank: dict[int, list[tuple[int, int]]] = {}
        for i, (one, _) in enumerate(tried):
            for j in range(i + 1, len(tried)):
                two = tried[j][0]
                if one.path != two.path and (
                    reads.covers(read[i], two.path) or reads.covers(read[j], one.path)
                ):
                    by_rank.setdefault(one.rank + two.rank, []).append((i, j))
        for rank in sorted(by_rank):
            yield from ((tried[i][0], tried[j][0]) for i, j in by_rank[rank])
