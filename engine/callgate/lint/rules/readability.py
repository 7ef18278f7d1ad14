"""Conditions that take more than one look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.trees import chain
from callgate.model.diagnostic import Severity
from callgate.model.syntax import Binary, BoolOp, NotTest, Otherwise, Quantifier, Syntax

__all__ = ["DeepCondition", "LongCondition"]

_CHARACTERS: Final = 1500
_TESTS: Final = 16
_LEVELS: Final = 4

_NAME_IT: Final = "give parts of it a name under `define:`, or make two rules of it"


class LongCondition(Rule):
    """A condition that nobody reads to its end.

    Alternatives for one value, such as a list of command patterns, are read as one test.
    """

    code = "L307"
    name = "long-condition"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for written in subject.written:
            size = len(written.value)
            if size <= _CHARACTERS and len(written.nodes) <= _TESTS:
                continue  # there are never more tests than nodes
            tests = _tests(written.tree)
            if size > _CHARACTERS or tests > _TESTS:
                yield self.found(
                    f"a condition of {size:,} characters with {tests} test{'s' * (tests != 1)}",
                    written.span(),
                    _NAME_IT,
                )


def _tests(tree: Syntax) -> int:
    """How many tests a condition is made of; alternatives for one value are one."""
    if isinstance(tree, BoolOp):
        alternatives = {_alternative(item) for item in tree.items} if tree.op == "or" else set()
        alone = (item for item in tree.items if tree.op == "and" or not _alternative(item))
        return len(alternatives - {None}) + sum(map(_tests, alone))
    if isinstance(tree, NotTest):
        return _tests(tree.item)
    if isinstance(tree, Quantifier):
        return 1 + _tests(tree.where)
    return 1


def _alternative(item: Syntax) -> tuple[str, str] | None:
    """What an item of an `or` asks of which value; None where it is no single test."""
    name = chain(item.left) if isinstance(item, Binary) else ""
    return (item.op, name) if isinstance(item, Binary) and name else None


class DeepCondition(Rule):
    """`and`, `or` and quantifiers inside one another, more levels than one keeps in mind."""

    code = "L312"
    name = "deep-condition"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for written in subject.written:
            if len(written.nodes) <= 2 * _LEVELS:
                continue
            levels = _depth(written.tree)
            if levels > _LEVELS:
                yield self.found(
                    f"`and`, `or` and quantifiers are nested {levels} deep",
                    written.span(),
                    _NAME_IT,
                )


def _depth(tree: Syntax) -> int:
    """How many of them lie inside one another."""
    if isinstance(tree, BoolOp):
        return 1 + max(_depth(item) for item in tree.items)
    if isinstance(tree, NotTest):
        return _depth(tree.item)
    if isinstance(tree, Quantifier):
        return 1 + _depth(tree.where)
    if isinstance(tree, Binary):
        return max(_depth(tree.left), _depth(tree.right))
    if isinstance(tree, Otherwise):
        return _depth(tree.base)
    return 0
