"""Which rules the tests put to use: decided, held, did not hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from callgate.model.decision import Decision
from callgate.model.policy import Guard, Policy
from callgate.runtime.frame import Frame
from callgate.runtime.guards import OPAQUE_RULE
from callgate.runtime.interpreter import Program

__all__ = ["Coverage", "RuleCoverage"]


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


class Coverage:
    """Counts per rule: those of the flow in order, then the guards."""

    def __init__(self, policy: Policy) -> None:
        flow = [
            (rule.id, rule.when is not None) for step in policy.flow.steps for rule in step.rules
        ]
        guards = [
            (guard.id, guard.when is not None or guard.each is not None or guard.tools is not None)
            for guard in policy.guards
        ]
        self.rules = {name: RuleCoverage(name, holds) for name, holds in (*flow, *guards)}
        for guard in policy.guards:
            self._examples(guard)

    def _examples(self, guard: Guard) -> None:
        entry = self.rules[guard.id]
        for example in guard.examples:
            if example.fires:
                entry.held += 1
            else:
                entry.passed += 1

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
            elif node[0] == "switch":
                passed.update(self._switched(program, node[3]))
        if isinstance(decision.frame, Frame):
            held.update(self._fired(program, decision.frame))
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
            yield node[2] if node[0] == "decide" else program.sources.nodes[target - 1].rule

    @staticmethod
    def _fired(program: Program, frame: Frame) -> Iterable[str]:
        for match in frame.matches:
            yield OPAQUE_RULE if match.guard < 0 else program.guards.forms[match.guard]["id"]
