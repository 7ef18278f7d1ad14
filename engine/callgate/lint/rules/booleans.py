"""Comparisons with `true` and `false`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.lint.domains import domains
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.trees import chain
from callgate.lint.written import Written
from callgate.model.diagnostic import Severity
from callgate.model.effect import EFFECT_SOURCES
from callgate.model.syntax import Binary, NotTest, Quantifier, Syntax, Value
from callgate.model.types import BOOL

__all__ = ["BooleanComparison"]

_OPERATORS: Final = frozenset({"==", "!="})
_TWO: Final = frozenset({True, False})


class BooleanComparison(Rule):
    """`call.nested == true`, `d.recursive != false`: what is true or false says so by itself.

    What is unknown stays unknown either way, so that the plain form decides the same.
    """

    code = "L322"
    name = "boolean-comparison"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        known = domains(subject.policy)
        facts = {name for name, values in known.items() if set(values) == _TWO}
        for written in subject.written:
            binders: dict[str, str] | None = None
            denied = {id(node.item) for node in written.nodes if isinstance(node, NotTest)}
            for node in written.nodes:
                if not isinstance(node, Binary) or node.op not in _OPERATORS:
                    continue
                if not isinstance(node.right, Value) or type(node.right.value) is not bool:
                    continue
                if binders is None:
                    binders = _binders(written)
                if chain(node.left) in facts or _is_flag(node.left, binders):
                    yield self._compared(written, node, node.right.value, id(node) in denied)

    def _compared(self, written: Written, node: Binary, value: bool, denied: bool) -> Finding:
        plain = written.piece(node.left)
        if value is not (node.op == "=="):
            plain = f"not {plain}"
        fix = () if denied and plain.startswith("not ") else written.replaced(node, node, plain)
        return self.found(
            f"`{written.piece(node)}` compares what is true or false already",
            written.span(node),
            f"write `{plain}`, which is the same",
            fix=fix,
        )


def _binders(written: Written) -> dict[str, str]:
    """The names that are bound in a condition and by its rule, and the effects that they go
    over."""
    found: dict[str, str] = {}
    holder: Any = written.document.data
    for step in written.path:
        each = holder.get("each") if isinstance(holder, dict) else None
        if isinstance(each, str) and " in " in each:
            binder, source = each.split(" in ", 1)
            found[binder.strip()] = source.strip()
        holder = holder[step]
    for node in written.nodes:
        if isinstance(node, Quantifier):
            source = chain(node.source)
            # One name for two things: neither can be told.
            found[node.binder] = source if found.get(node.binder, source) == source else ""
    return found


def _is_flag(left: Syntax, binders: dict[str, str]) -> bool:
    binder, _, name = chain(left).partition(".")
    kind = EFFECT_SOURCES.get(binders.get(binder, "").removeprefix("effects."))
    field = kind.fields.get(name) if kind else None
    return field is not None and field.type == BOOL
