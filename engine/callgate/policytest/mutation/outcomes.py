"""Operators on what rules lead to: decisions, how strong asks and allows are, answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from callgate.load.nodes import Mapping as MappingNode
from callgate.load.nodes import Node, Scalar
from callgate.policytest.mutation.page import Edit, Page

__all__ = ["Made", "answers", "decisions", "guard_outcomes"]

Made = tuple[str, str, tuple[Edit, ...]]
"""The operator, what was changed in words, and the edits."""

_GUARD: Final[Mapping[str, tuple[str, ...]]] = {
    "deny": ("ask", "note"),
    "ask": ("deny", "note"),
    "note": ("ask",),
}
_RULE: Final[Mapping[str, tuple[str, ...]]] = {
    "allow": ("ask", "deny"),
    "ask": ("allow", "deny"),
    "deny": ("allow", "ask"),
}
_ANSWER: Final[Mapping[str, tuple[str, ...]]] = {
    "allow": ("deny", "next"),
    "deny": ("allow", "next"),
    "ask": ("allow", "deny"),
    "next": ("allow", "deny"),
}
_DESPITE: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("asks",),
    "asks": ("", "person"),
    "person": ("", "asks"),
}


def _word(mapping: MappingNode, key: str) -> str:
    found = mapping.entries.get(key)
    return found[1].text if found is not None and isinstance(found[1], Scalar) else ""


def guard_outcomes(page: Page, rule: MappingNode, unknown: bool) -> Iterator[Made]:
    """Another decision of a guard, who lifts its ask, what it does where it can't tell (only where
    its condition may be `unknown`), whether it is in force."""
    decide = _word(rule, "decide")
    for other in _GUARD.get(decide, ()):
        edits = [page.word(rule.entries["decide"][1], other)]
        yield "decision", f"`decide: {decide}` is `{other}`", tuple(edits)
    if decide == "ask":
        if "approval" in rule.entries:
            node = rule.entries["approval"][1]
            was = _word(rule, "approval")
            other = "any" if was == "person" else "person"
            yield "decision", f"`approval: {was}` is `{other}`", (page.word(node, other),)
        else:
            edit = page.with_key(rule, "decide", "approval: person")
            yield "decision", "`approval` is `person`", (edit,)
    if unknown and decide != "note":
        yield from _unresolved(page, rule, decide)
    if "enforce" in rule.entries:
        yield "decision", "the shadow is in force", (page.without_key(rule, "enforce"),)


def _unresolved(page: Page, rule: MappingNode, decide: str) -> Iterator[Made]:
    found = rule.entries.get("unresolved")
    if found is None:
        edit = page.with_key(rule, "decide", "unresolved: {pass: a mutant}")
        yield "unresolved", "where it can't tell it passes", (edit,)
        if decide == "deny":
            edit = page.with_key(rule, "decide", "unresolved: deny")
            yield "unresolved", "where it can't tell it denies", (edit,)
    elif isinstance(found[1], Scalar) and found[1].text == "ask":
        yield "unresolved", "where it can't tell it passes", (page.word(found[1], "{pass: x}"),)
    else:
        yield "unresolved", "where it can't tell it asks", (page.without_key(rule, "unresolved"),)


def decisions(page: Page, rule: MappingNode, what: str = "") -> Iterator[Made]:
    """Another decision of a rule of the flow, of an answer or of a last word (`what` it is of), and
    which asks it lifts."""
    decide, despite = _word(rule, "decide"), _word(rule, "despite")
    of = f" of {what}" if what else ""
    for other in _RULE.get(decide, ()):
        edits = [page.word(rule.entries["decide"][1], other)]
        if despite:
            edits.append(page.without_key(rule, "despite"))
        yield "decision", f"`decide: {decide}`{of} is `{other}`", tuple(edits)
    if decide != "allow":
        return
    for other in _DESPITE[despite]:
        if not despite:
            edit = page.with_key(rule, "decide", f"despite: {other}")
        elif not other:
            edit = page.without_key(rule, "despite")
        else:
            edit = page.word(rule.entries["despite"][1], other)
        said = f"`despite` is `{other}`" if other else "`despite` left out"
        yield "despite", said + of, (edit,)
    if "enforce" in rule.entries:
        yield "decision", "the shadow is in force", (page.without_key(rule, "enforce"),)


def answers(page: Page, rule: MappingNode) -> Iterator[Made]:
    """What follows from an answer of a consult."""
    found = rule.entries.get("answers")
    if found is None or not isinstance(found[1], MappingNode):
        return
    for name, (_, node) in found[1].entries.items():
        was = node.text if isinstance(node, Scalar) else _decide(node)
        for other in _ANSWER.get(was, ()):
            new = "next" if other == "next" else f"{{decide: {other}, reason: a mutant}}"
            said = f"the answer `{name}` leads to `{other}`, not `{was}`"
            yield "answer", said, (_whole(page, node, new),)
        if isinstance(node, MappingNode):
            for operator, said, edits in decisions(page, node, f"the answer `{name}`"):
                if operator == "despite":
                    yield operator, said, edits


def _decide(node: Node) -> str:
    return _word(node, "decide") if isinstance(node, MappingNode) else ""


def _whole(page: Page, node: Node, new: str) -> Edit:
    """Another value behind the colon of a key, whatever stood there."""
    start = node.start
    if isinstance(node, MappingNode) and not page.is_flow(node):
        start = page.text.rindex(":", 0, start) + 1
        new = f" {new}"
    return Edit(start, page.end(node), new)
