"""Which rules the tests put to use: decided, held, did not hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from callgate.model.decision import Decision
from callgate.model.policy import Guard, Policy, Rule
from callgate.runtime.frame import Frame, IdleMatch
from callgate.runtime.guards import built_in_rule
from callgate.runtime.interpreter import Program

__all__ = ["RuleCounts", "RuleCoverage"]


@dataclass(slots=True)
class RuleCoverage:
    """How often a rule decided, its condition held, and it did not hold. One that is not
    `conditional` holds whenever it is looked at."""

    rule: str
    conditional: bool = True
    decided: int = 0
    held: int = 0
    passed: int = 0

    @property
    def covered(self) -> bool:
        """Whether the tests saw everything that the rule can do."""
        used = bool(self.held or self.decided)
        return used and bool(self.passed) if self.conditional else used


class RuleCounts:
    """Counts per rule: those of the flow in order, those that only hide tools, the guards, then
    exceptions."""

    def __init__(self, policy: Policy) -> None:
        flow = [
            (rule.id, rule.when is not None) for step in policy.flow.steps for rule in step.rules
        ]
        guards = [
            (guard.id, guard.when is not None or guard.each is not None or guard.tools is not None)
            for guard in policy.guards
        ]
        flow += _of_second(policy)
        rules: list[Guard | Rule] = [*policy.guards]
        rules.extend(rule for step in policy.flow.steps for rule in step.rules)
        exceptions = [(item.id, True) for rule in rules for item in rule.exceptions]
        named = (*flow, *guards, *exceptions)
        self.rules = {name: RuleCoverage(name, holds) for name, holds in named}

    def example(self, guard: Guard, fires: bool) -> None:
        """Count an example of a guard."""
        entry = self.rules[guard.id]
        if fires:
            entry.held += 1
        else:
            entry.passed += 1

    def merge(self, other: RuleCounts) -> None:
        """Add what another one counted."""
        for name, row in other.rules.items():
            own = self.rules[name]
            own.decided += row.decided
            own.held += row.held
            own.passed += row.passed

    def add(self, decision: Decision) -> None:
        """Count what a walk did."""
        program = cast("Program", decision.source)
        origins = program.sources.nodes
        held: set[str] = set()
        passed: set[str] = set()
        for number in decision.trace:
            node = program.graph.nodes[abs(number) - 1]
            if node[0] == "branch":
                (held if number > 0 else passed).add(origins[abs(number) - 1].rule)
            elif node[0] in ("decide", "consult"):
                held.add(node[2])
            elif node[0] == "note":
                held.update({node[2], node[7] or node[2]})
            elif node[0] == "switch":
                passed.update(self._switched(program, node[3]))
        if isinstance(decision.frame, Frame):
            held.update(self._fired(program, decision.frame))
            passed.update(self._not_excepted(program, decision.frame))
        for name in held & self.rules.keys():
            self.rules[name].held += 1
        for name in (passed - held) & self.rules.keys():
            self.rules[name].passed += 1
        decided = decision.rule
        for name in (decided, decided.rpartition(".")[0]):
            if name in self.rules:
                self.rules[name].decided += 1
                break

    @staticmethod
    def _switched(program: Program, table: Iterable[tuple[object, int]]) -> Iterable[str]:
        """The rules that a switch chooses among."""
        for _, target in table:
            node = program.graph.nodes[target - 1]
            yield (node[2] if node[0] == "decide" else program.sources.nodes[target - 1].rule)

    @staticmethod
    def _fired(program: Program, frame: Frame) -> Iterable[str]:
        for match in frame.matches:
            named = match.guard >= 0
            yield program.guards.forms[match.guard]["id"] if named else built_in_rule(match)
            if isinstance(match, IdleMatch) and match.exception is not None:
                yield match.exception

    @staticmethod
    def _not_excepted(program: Program, frame: Frame) -> Iterable[str]:
        """The exceptions of guards that fired nevertheless."""
        for match in frame.matches:
            held_back = isinstance(match, IdleMatch) and match.exception is not None
            if match.guard >= 0 and not held_back:
                yield from (id_ for id_, _ in program.guards.forms[match.guard]["exceptions"])


def _of_second(policy: Policy) -> list[tuple[str, bool]]:
    """The rules of the second flow that are no rules of the approval flow as well."""
    second = policy.visibility
    if second is None:
        return []
    rules = [rule for step in second.flow.steps for rule in step.rules]
    return [(r.id, r.when is not None) for r in rules if r.id in second.passing]
