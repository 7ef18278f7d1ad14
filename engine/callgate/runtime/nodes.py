"""A graph's nodes, linked and ready to walk.

A branch and a switch are the same thing to the walk: a test and an edge for each of its values.
Conditions stay in their JSON form until the walk first meets them: then they become lambdas.
"""

from __future__ import annotations

from typing import Any

from callgate.model.decision import Outcome
from callgate.model.graph import DecisionGraph
from callgate.model.values import UNKNOWN
from callgate.runtime.codegen import OTHER, Codegen, Test
from callgate.runtime.frame import Frame

__all__ = ["Edge", "Node", "link"]

Edge = tuple[int, "Node"]
"""What the trace gets, and the next node."""


class Node:
    """A node. `test` is None for the kinds that don't look at a value: decide, guards, consult.

    `edges`: where each value of the test leads; of a note's, all. `outcome`: how the walk ends here
    (for a consult, while it is unanswered; for guards, None). `then`: what follows the guards.
    `answers`: the nodes that a consult's answers lead to.
    """

    __slots__ = (
        "answers",
        "edges",
        "errors",
        "kind",
        "number",
        "outcome",
        "step",
        "test",
        "then",
    )

    kind: str
    number: int
    step: str
    test: Test | None
    edges: dict[Any, Edge]
    outcome: Outcome | None
    then: Node
    answers: dict[str, Node]
    errors: list[Any]


def link(graph: DecisionGraph, codegen: Codegen) -> list[Node]:
    """The nodes by their numbers; element 0 is unused."""
    steps = [id_ for id_, _ in graph.steps]
    made: list[Any] = [None] * (len(graph.nodes) + 1)
    # Targets come later in the order, so they are made first.
    for number in range(len(graph.nodes), 0, -1):
        made[number] = _node(number, graph.nodes[number - 1], steps, made, codegen)
    return made


def _node(
    number: int, form: list[Any], steps: list[str], made: list[Any], codegen: Codegen
) -> Node:
    node = Node()
    node.kind = form[0]
    node.number = number
    node.step = steps[form[1]]
    node.test = node.outcome = None
    match form:
        case ["branch", _, test, then, otherwise, unknown]:
            yes, no = (number, made[then]), (-number, made[otherwise])
            node.edges = {
                True: yes,
                False: no,
                UNKNOWN: (-number, (yes if unknown == "then" else no)[1]),
            }
            node.test = _lazily(node, test, codegen)
        case ["switch", _, on, table, default]:
            node.edges = {value: (number, made[target]) for value, target in table}
            node.test = _lazily(node, on, codegen, frozenset(node.edges))
            node.edges[OTHER] = (number, made[default])
        case ["decide", _, rule, decision, _]:
            node.outcome = Outcome(decision, rule, node.step)
        case ["guards", _, after]:
            node.then = made[after]
        case ["note", _, _, _, _, after, _, _]:
            node.edges = {True: (number, made[after])}
            node.test = _always
        case ["consult", _, rule, who, answers, patterns]:
            node.outcome = Outcome("ask", f"{rule}.pending", node.step, who)
            node.answers = {answer: made[target] for answer, target in answers.items()}
            node.errors = _compiled(patterns)
    return node


def _lazily(node: Node, form: Any, codegen: Codegen, values: frozenset[Any] | None = None) -> Test:
    def compile_and_run(frame: Frame) -> Any:
        test = node.test = codegen.of_form(form, values=values)
        return test(frame)

    return compile_and_run


def _always(frame: Frame) -> bool:
    return True


def _compiled(patterns: list[str]) -> list[Any]:
    if not patterns:
        return []
    import re2

    return [re2.compile(pattern) for pattern in patterns]
