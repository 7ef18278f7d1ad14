"""Calls that pass because of what a tool declares of itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.lint.locating import distinct
from callgate.lint.parts import Part, deciding, each_node, parts_of
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Place, Subject
from callgate.model.catalogue import RiskRule
from callgate.model.condition import Condition
from callgate.model.expr import Apply, Const, Default, Expr, Fact, Get, facts_of

__all__ = ["TrustedDeclaration"]

_DECLARED: Final = "declared."
_SETTINGS: Final = "settings."


class TrustedDeclaration(Rule):
    """What a tool or its server declares of itself lets a call through, or lowers its risk."""

    code = "L205"
    name = "trusted-declaration"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._allowing(subject))
        yield from self._lowering(subject)

    def _allowing(self, subject: Subject) -> Iterator[Finding]:
        for part in deciding(subject):
            name = _trusted(part)
            if name:
                yield self.found(
                    f"`{name}` lets the call through, and the tool itself says it",
                    part.place.span,
                    "a declaration may only make a decision stricter; join it with `and` to a list "
                    "of the settings that names whom the operator trusts",
                )

    def _lowering(self, subject: Subject) -> Iterator[Finding]:
        risk = subject.policy.risk
        if risk is None:
            return
        order = {level: number for number, level in enumerate(risk.levels.members)}
        for index, rule in enumerate(risk.declared):
            worst = max((later for later in risk.declared[index:]), key=lambda r: order[r.level])
            if order[worst.level] <= order[rule.level] or not subject.own(rule.when.span):
                continue
            known = {_declared(node) for node in each_node(worst.when.expr)}
            names = (_trusted(part) for part in _risk_parts(rule))
            name = next((name for name in names if name and name not in known), None)
            if name and worst.when.span is not None:
                yield self.found(
                    f"`{name}` lowers the risk to `{rule.level}`, and the tool itself says it",
                    rule.when.span,
                    "a declaration may only raise a risk; join it with `and` to a list of the "
                    "settings that names whom the operator trusts",
                    related=((f"without it the risk is `{worst.level}`", worst.when.span),),
                )


def _declared(expr: Expr) -> str:
    """The declaration that an expression reads, as it is written."""
    for node in each_node(expr):
        if isinstance(node, Get) and isinstance(node.base, Fact):
            name, key = node.base.name, f".{node.field}"
        elif isinstance(node, Apply) and node.op == "item" and isinstance(node.args[0], Fact):
            name, inner = node.args[0].name, node.args[1]
            key = f".{inner.value}" if isinstance(inner, Const) else ""
        elif isinstance(node, Fact):
            name, key = node.name, ""
        else:
            continue
        if name.startswith(_DECLARED):
            return name + key
    return ""


def _trusted(part: Part) -> str:
    """The declaration without which a part would not loosen; "" where there is none, or where the
    operator's settings say whom to believe."""
    name = _declared(part.expr)
    if not name or part.loosens == _true_if_absent(part.expr):
        return ""
    items = [part.expr, *(item for group in part.within for item in group.items)]
    told = any(_declared(item) and _SETTINGS in " ".join(facts_of(item)) for item in items)
    return "" if told else name


def _true_if_absent(expr: Expr) -> bool:
    """Whether a test of a declaration is true where nothing is declared."""
    if isinstance(expr, Default):
        return expr.otherwise == Const(True)
    if not isinstance(expr, Apply) or expr.op not in {"eq", "ne"}:
        return False
    # A text that nobody declares is "".
    return (expr.args[1] == Const("")) == (expr.op == "eq")


def _risk_parts(rule: RiskRule) -> Iterator[Part]:
    condition: Condition = rule.when
    yield from parts_of(Place("rule", rule.id, condition, True))
