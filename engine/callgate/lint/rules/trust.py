"""Calls that pass because of a wildcard in the settings, or of an argument of the agent's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.lint.arguments import Arguments, tools_of
from callgate.lint.locating import distinct
from callgate.lint.parts import (
    Part,
    argument_in,
    deciding,
    each_node,
    loosening,
    texts_in,
)
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.expr import Apply, Const, Default, Expr, Fact, Has

__all__ = ["ArgumentAllows", "ElevatingWildcard"]

_EVERYBODY: Final = "*"
_SETTINGS: Final = "settings."
_SAID: Final = frozenset({"eq", "in", "like", "matches", "contains"})


class ElevatingWildcard(Rule):
    """`*` in the settings lets everybody through, by itself or by default."""

    code = "L204"
    name = "elevating-wildcard"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._alone(subject))
        yield from self._defaults(subject)

    def _alone(self, subject: Subject) -> Iterator[Finding]:
        for part in loosening(subject):
            test = part.expr
            if not isinstance(test, Apply) or test.op != "in" or part.within:
                continue
            setting = _setting(test.args[1])
            if setting and test.args[0] == Const(_EVERYBODY):
                yield self.found(
                    f"a `*` in `{setting}` alone lets every such call through",
                    subject.locator.span(part.place, _EVERYBODY),
                    "join it with `and` to something else that has to hold, or take names only",
                )

    def _defaults(self, subject: Subject) -> Iterator[Finding]:
        read = {_setting(node) for part in loosening(subject) for node in each_node(part.expr)}
        settings = subject.policy.vocabulary.settings
        for document in subject.of_kind("vocabulary"):
            for name, entry in (document.data.get("settings") or {}).items():
                if settings[name].wildcards and _SETTINGS + name in read:
                    if _holds_everybody(entry.get("default")):
                        yield self.found(
                            f"the default of `{name}` lets everybody through",
                            document.span("settings", name, "default"),
                            "give an empty default; who needs the `*` can write it",
                        )


class ArgumentAllows(Rule):
    """A call passes because of an argument that says nothing of what the call does."""

    code = "L216"
    name = "argument-allows"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._all(subject))

    def _all(self, subject: Subject) -> Iterator[Finding]:
        arguments = Arguments(subject.policy)
        for part in loosening(subject):
            argument, literal = _said(part)
            if argument and part.place.allows and _idle(arguments, part, argument):
                yield self._chosen(subject, part, argument, literal)
        for part in deciding(subject):
            argument = _left_out(part)
            if argument and part.place.allows and _idle(arguments, part, argument):
                yield self._chosen(subject, part, argument, "")

    def _chosen(self, subject: Subject, part: Part, argument: str, literal: str | bool) -> Finding:
        return self.found(
            f"the agent chooses `args.{argument}`, and it lets the call through",
            subject.locator.span(part.place, literal),
            "decide by what the call does, or say in the catalogue what the argument changes: in "
            "the tool's effects, or in the risk map",
        )


def _setting(expr: Expr) -> str:
    """The setting that an expression reads, perhaps an entry of it or its default."""
    while not isinstance(expr, Fact):
        if isinstance(expr, Default):
            expr = expr.item
        elif isinstance(expr, Apply) and expr.op == "item":
            expr = expr.args[0]
        else:
            return ""
    return expr.name if expr.name.startswith(_SETTINGS) else ""


def _holds_everybody(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_everybody(item) for pair in value.items() for item in pair)
    if isinstance(value, list):
        return any(_holds_everybody(item) for item in value)
    return bool(value == _EVERYBODY)


def _said(part: Part) -> tuple[str, str | bool]:
    """The argument that a part compares with a text of the policy's, or asks for as a yes."""
    test = _yes(part.expr)
    if isinstance(test, Apply):
        if test.op not in _SAID or len(test.args) < 2:
            return "", ""
        argument, texts = argument_in(test.args[0]), texts_in(part)
        if argument and test.op == "eq" and test.args[1] == Const(True):
            return argument, True
        return (argument, texts[0]) if argument and any(texts) else ("", "")
    return argument_in(test) or "", ""


def _yes(test: Expr) -> Expr:
    """An argument that is read as a yes or no, perhaps with a default, as it is."""
    while isinstance(test, Default) or (isinstance(test, Apply) and test.op == "as_bool"):
        test = test.item if isinstance(test, Default) else test.args[0]
    return test


def _left_out(part: Part) -> str:
    """The argument that must not be there for the call to pass; "" where none is."""
    if part.loosens or not isinstance(part.expr, Has):
        return ""
    return argument_in(part.expr.item) or ""


def _idle(arguments: Arguments, part: Part, argument: str) -> bool:
    """Whether no tool that the rule is about does anything with an argument, as far as the
    catalogue says."""
    names = tools_of(part)
    takers = arguments.takers(argument)
    if names is not None:
        takers = [tool for tool in takers if tool.name in names]
    return all(
        tool.effects
        and not arguments.looked_at(tool, argument)
        and "enum" not in arguments.schema(tool, argument)
        for tool in takers
    )
