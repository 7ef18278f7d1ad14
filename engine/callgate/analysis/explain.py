"""Tell a decision step by step, from the trace of the very walk that made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from callgate.analysis.explanation import Explanation, StepState, StepStory, TestStory, WhyNot
from callgate.analysis.flow_view import view_of
from callgate.analysis.texts import counted
from callgate.analysis.walked import Walked
from callgate.analysis.wording import WAITS
from callgate.model.decision import Decision
from callgate.model.graph import VISIBILITY, RuleOrigin
from callgate.runtime.interpreter import Program
from callgate.runtime.masking import MASK
from callgate.runtime.render import View

__all__ = ["explain"]

MOST_ARGUMENTS: Final = 8
_NOTHING: Final[Mapping[str, Any]] = {}
_OF_RULES: Final = ("rule", "held", "shadow", "exception", "answer")


def explain(
    decision: Decision,
    settings: Mapping[str, Any] = _NOTHING,
    why_not: Sequence[WhyNot] = (),
) -> Explanation:
    """The story of a decision that `callgate.engine` made.

    `settings`: dotted names with values, to be shown where conditions name them (no secrets).
    """
    return _Teller(decision, settings).tell(tuple(why_not))


class _Teller:
    def __init__(self, decision: Decision, settings: Mapping[str, Any]) -> None:
        self.decision = decision
        self.program = cast("Program", decision.source)
        self.view = View(self.program, decision)
        self.told = self.view.to_dict()
        self.walked = Walked(self.program, self.view, settings, self.told["error"])
        failure = decision.failure
        failed = (failure.node,) if failure is not None and failure.node else ()
        self.trace = (*decision.trace, *failed)
        nodes, second = self.program.graph.nodes, self.program.graph.steps_of(VISIBILITY)
        start = nodes[abs(self.trace[0]) - 1][1] if self.trace else 0
        self.flow = VISIBILITY if start in second else ""
        steps = view_of(self.program.graph, self.program.sources, self.flow).steps
        rules = (rule.id for step in steps for rule in step.rules)
        self.guards = {form["id"] for form in self.program.guards.forms}
        self.excepted = self.walked.excepted
        self.order = {rule: place for place, rule in enumerate(rules)}

    def tell(self, why_not: tuple[WhyNot, ...]) -> Explanation:
        return Explanation(
            self.told, self._call(), self._place(), self._steps(), why_not, self.walked.risk
        )

    def _call(self) -> str:
        """The call in one line: the tool and its arguments."""
        name, called_as = self.told["tool"], self.told["called_as"]
        words = [name if name == called_as else f"{called_as} → {name}"]
        frame = self.view.frame
        for key, value in list(frame.args.items())[:MOST_ARGUMENTS] if frame else ():
            secret = self.view.masker.is_secret(key)
            words.append(f"{self.view.show(key)}={MASK if secret else self.view.show(value)}")
        return " ".join(words)

    def _place(self) -> str:
        """Where the rule that decided stands."""
        rules, origins = self.program.sources.rules, self.program.sources.nodes
        if self.decision.rule in rules:
            _, file, line, _ = rules[self.decision.rule]
        elif self.trace:
            origin = origins[abs(self.trace[-1]) - 1]
            file, line = origin.file, origin.line
        else:
            return ""
        return f"{file}:{line}" if file else ""

    def _steps(self) -> tuple[StepStory, ...]:
        nodes = self.program.graph.nodes
        walked: dict[int, list[int]] = {}
        for number in self.trace:
            walked.setdefault(nodes[abs(number) - 1][1], []).append(number)
        used = {node[1] for node in nodes}
        steps = self.program.graph.steps
        return tuple(
            self._step(*steps[index], walked.get(index), index in used)
            for index in self.program.graph.steps_of(self.flow)
        )

    def _step(self, id_: str, title: str, trace: list[int] | None, used: bool) -> StepStory:
        off = tuple(
            (item.title or item.rule or title, item.why)
            for item in self.program.sources.folded
            if item.step == id_
        )
        if not used:
            why = "off in these settings" if off else "nothing to do in these settings"
            return StepStory(id_, title, "off", why, (), off)
        if trace is None:
            return StepStory(id_, title, "not reached", "not reached", (), off)
        tests = self._ordered([test for number in trace for test in self.walked.at(number)])
        if trace[-1] == self.trace[-1]:
            state, summary = self._end()
            return StepStory(id_, title, state, summary, (*tests, *self._always(tests)), off)
        if tests and tests[0].kind == "step" and tests[0].value is False:
            return StepStory(id_, title, "skipped", "does not apply", tuple(tests), off)
        return StepStory(id_, title, "passed", _summary(tests), tuple(tests), off)

    def _ordered(self, tests: list[TestStory]) -> list[TestStory]:
        """The tests in the order of the policy's text, without rules below the one that decided."""
        decided = self._rank(self.decision.rule)
        ranks = [
            self._rank(test.rule)
            if test.kind in _OF_RULES and test.rule not in self.guards
            else (decided if test.kind == "more" else -1)
            for test in tests
        ]
        pairs = sorted(zip(ranks, range(len(tests)), strict=True))
        return [tests[index] for rank, index in pairs if rank <= decided]

    def _rank(self, rule: str) -> int:
        """A rule's place in the policy; an answer counts as its consult's rule, an exception as the
        rule it is of."""
        rule = self.excepted.get(rule, rule)
        owner = rule if rule in self.order else rule.rpartition(".")[0]
        return self.order.get(owner, len(self.order))

    def _always(self, tests: Sequence[TestStory]) -> tuple[TestStory, ...]:
        """The rule that decided, when it has no condition that could have been shown."""
        nodes, rule = self.program.graph.nodes, self.decision.rule
        node = nodes[abs(self.trace[-1]) - 1]
        if node[0] != "decide" or any(
            (test.rule == rule and test.value is True) or test.kind == "answer" for test in tests
        ):
            return ()
        origin = self.program.sources.nodes[abs(self.trace[-1]) - 1]
        title, file, line, _ = self.program.sources.rules.get(
            rule, RuleOrigin("", origin.file, origin.line)
        )
        text = "otherwise" if rule.rpartition(".")[2] == "otherwise" else "always"
        return (TestStory("rule", text, True, rule, title, (), "", file, line),)

    def _end(self) -> tuple[StepState, str]:
        decision = self.decision
        if decision.failure is not None:
            return "failed", "failed, so the call is denied"
        if decision.pending is not None:
            return "pending", f"waits for {WAITS.get(decision.pending, decision.pending)}"
        return "decided", f"decides {decision.decision}"


def _summary(tests: Sequence[TestStory]) -> str:
    """Why a step that was walked did not decide."""
    shows = next((test for test in tests if test.kind == "shows"), None)
    if any(test.kind == "held" and test.value is not True for test in tests):
        return "an allow was held back by an ask"
    asks = sum(test.kind == "guard" and test.value == "ask" for test in tests)
    would = [test for test in tests if test.kind in ("shadow", "exception")]
    if asks:
        return f"{counted(asks, 'ask')} carried on"
    if would:
        kind = "a shadow" if would[0].kind == "shadow" else "but for an exception, a rule"
        return f"{kind} would have decided {would[0].value}"
    if shows is not None:
        return f"{shows.text} is {shows.value}"
    if any(test.kind == "answer" for test in tests):
        return "the answer decides nothing"
    if any(test.kind == "rule" for test in tests):
        return "no rule holds"
    return "nothing to object to"
