"""Put nodes that were created from the flow's end into the order of the walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["number_nodes"]


def number_nodes(nodes: Sequence[list[Any]], *entries: int) -> tuple[list[list[Any]], list[int]]:
    """The nodes that the `entries` of flows can reach, renumbered from 1 in the order of the walk,
    flow by flow, and the old index of each. Flows share no nodes.

    A node's targets were created before it, so the reversed order of creation has forward edges
    only.
    """
    order: list[int] = []
    for entry in entries:
        reachable = {entry}
        for index in range(entry, -1, -1):
            if index in reachable:
                reachable.update(_targets(nodes[index]))
                order.append(index)
    number = {index: position for position, index in enumerate(order, start=1)}
    return [_renumbered(nodes[index], number) for index in order], order


def _targets(node: list[Any]) -> list[int]:
    match node:
        case ["branch", _, _, then, otherwise, _]:
            return [then, otherwise]
        case ["switch", _, _, table, default]:
            return [default, *(target for _, target in table)]
        case ["guards", _, after] | ["note", _, _, _, _, after, _, _]:
            return [after]
        case ["consult", _, _, _, answers, _]:
            return list(answers.values())
    return []


def _renumbered(node: list[Any], number: Mapping[int, int]) -> list[Any]:
    match node:
        case ["branch", step, test, then, otherwise, unknown]:
            return ["branch", step, test, number[then], number[otherwise], unknown]
        case ["switch", step, on, table, default]:
            rows = [[value, number[target]] for value, target in table]
            return ["switch", step, on, rows, number[default]]
        case ["guards", step, after]:
            return ["guards", step, number[after]]
        case ["note", step, rule, effect, reason, after, shadow, exception]:
            return ["note", step, rule, effect, reason, number[after], shadow, exception]
        case ["consult", step, rule, who, answers, patterns]:
            targets = {answer: number[target] for answer, target in answers.items()}
            return ["consult", step, rule, who, targets, patterns]
    return node
