"""Tests that say in a roundabout way what can be said plainly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.lang.scope import ROOTS
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import Written
from callgate.model.diagnostic import Severity
from callgate.model.syntax import (
    Binary,
    BoolOp,
    ListLiteral,
    NotTest,
    Quantifier,
    Syntax,
    Value,
    Word,
)

__all__ = ["BackwardsComparison", "DoubleNegation", "plain_words"]


class DoubleNegation(Rule):
    """`not (a != b)`, `not (not x)`, `not none(…)`: the opposite of an opposite.

    What is unknown stays unknown either way, so that the plain form decides the same.
    """

    code = "L313"
    name = "double-negation"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for written in subject.written:
            for node in written.nodes:
                if isinstance(node, NotTest) and (plain := _plain(written, node.item)):
                    yield self.found(
                        f"`{_short(written.piece(node))}` says no twice",
                        written.span(node),
                        f"write `{_short(plain)}`, which is the same",
                        fix=written.replaced(node, node, plain),
                    )


def _plain(written: Written, item: Syntax) -> str:
    """What the negation of a node says without one; "" where it is no negation itself."""
    match item:
        case NotTest(item=inner):
            text = written.piece(inner)
            return f"({text})" if isinstance(inner, BoolOp) else text
        case Binary(op="!=" | "not in" as op, left=left, right=right):
            plain = "==" if op == "!=" else "in"
            return f"{written.operand(left)} {plain} {written.operand(right)}"
        case Quantifier(kind="none"):
            return "any" + written.piece(item).removeprefix("none")
    return ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"


_TURNED: Final = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class BackwardsComparison(Rule):
    """`"x" == call.tool`: the constant first."""

    code = "L314"
    name = "backwards-comparison"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for written in subject.written:
            constants: frozenset[str] | None = None
            for node in written.nodes:
                if not isinstance(node, Binary) or node.op not in _TURNED:
                    continue
                if isinstance(node.left, Word):
                    if constants is None:
                        constants = plain_words(subject, written)
                    if node.left.name not in constants:
                        continue
                elif not isinstance(node.left, Value):
                    continue
                if isinstance(node.right, Value | ListLiteral):
                    continue
                left, right = written.piece(node.left), written.operand(node.right)
                turned = f"{right} {_TURNED[node.op]} {left}"
                yield self.found(
                    f"`{left}` stands before what is compared with it",
                    written.span(node),
                    f"write `{_short(turned)}`",
                    fix=written.replaced(node, node, turned),
                )


def plain_words(subject: Subject, written: Written) -> frozenset[str]:
    """The bare words of a condition that are members of enums: no facts, definitions, binders."""
    data = written.document.data
    taken = {*ROOTS, *subject.policy.vocabulary.derived, *(data.get("define") or ())}
    taken.update(node.binder for node in written.nodes if isinstance(node, Quantifier))
    holder: Any = data
    for step in written.path:
        if isinstance(holder, dict) and isinstance(each := holder.get("each"), str):
            taken.add(each.partition(" in ")[0].strip())
        if isinstance(holder, dict) and isinstance(select := holder.get("select"), str):
            taken.update({select.partition(" in ")[0].strip(), "selected"})
        holder = holder[step]
    if written.document.kind == "settings-checks":
        taken.update(("given", "catalogue", "soft_blocks"))
    words = {node.name for node in written.nodes if isinstance(node, Word)}
    return frozenset(words - taken)
