"""Invariants that no test comes near."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.catalogue import Vocabulary
from callgate.model.expr import And, Apply, Const, Expr, Fact, Not, Or
from callgate.model.values import UNKNOWN
from callgate.policytest.cases import Case

__all__ = ["UnreachedInvariant"]


class UnreachedInvariant(Rule):
    """An invariant that holds because no test has a call that it is about.

    Judged by what a test's call and settings say; where the condition reads something else, such as
    effects, that part counts as met.
    """

    code = "L405"
    name = "unreached-invariant"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        policy = subject.policy
        places = {entry.id: entry.span() for entry in subject.entries}
        own = [item for item in policy.invariants if subject.own(item.span)]
        if not own:
            return
        aliases = {alias: name for name, tool in policy.tools.items() for alias in tool.aliases}
        frames = [_Frame(case, policy.vocabulary, aliases) for case in subject.cases]
        for item in own:
            if not any(_value(item.when.expr, frame) is not False for frame in frames):
                yield self.found(
                    f"no test has a call that the invariant `{item.id}` is about",
                    places.get(item.id, item.span),
                    "write a test with a call for which its condition holds",
                )


_TESTS: Final = frozenset({"eq", "ne", "in"})


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a case says of the facts that a condition reads."""

    case: Case
    vocabulary: Vocabulary
    aliases: Mapping[str, str]

    def fact(self, name: str) -> Any:
        """A fact's value; UNKNOWN where only deciding the call would tell."""
        root, _, rest = name.partition(".")
        if name == "call.tool":
            tool = self.case.call.get("tool", UNKNOWN)
            return self.aliases.get(tool, tool) if isinstance(tool, str) else UNKNOWN
        if root == "call":
            field = self.vocabulary.call.get(rest) or CONTEXT_FIELDS.get(rest)
            context = self.case.call.get("context") or {}
            if field is None or not isinstance(context, Mapping):
                return UNKNOWN
            return _plain(context.get(rest, field.default))
        if root == "settings" and rest in self.vocabulary.settings:
            value: Any = self.case.settings
            for key in rest.split("."):
                if not isinstance(value, Mapping) or key not in value:
                    return _plain(self.vocabulary.settings[rest].field.default)
                value = value[key]
            return _listed(value, self.aliases)
        return UNKNOWN


def _plain(value: Any) -> Any:
    """A value that is compared as it stands; UNKNOWN for any other."""
    if isinstance(value, list | tuple):
        return tuple(value) if all(isinstance(item, str) for item in value) else UNKNOWN
    return value if isinstance(value, str | bool | int) else UNKNOWN


def _listed(value: Any, aliases: Mapping[str, str]) -> Any:
    """A setting's value, in which an alias may stand for its tool."""
    value = _plain(value)
    if isinstance(value, tuple):
        return (*value, *(aliases[item] for item in value if item in aliases))
    return value


def _value(expr: Expr, frame: _Frame) -> Any:
    """What a condition comes to for a case, as far as that can be told without deciding it."""
    match expr:
        case Const(value=value):
            return value
        case Fact(name=name):
            return frame.fact(name)
        case Not(item=item):
            value = _value(item, frame)
            return UNKNOWN if value is UNKNOWN else not value
        case And(items=items):
            values = [_value(item, frame) for item in items]
            return False if False in values else UNKNOWN if UNKNOWN in values else True
        case Or(items=items):
            values = [_value(item, frame) for item in items]
            return True if True in values else UNKNOWN if UNKNOWN in values else False
        case Apply(op=op, args=(left, right)) if op in _TESTS:
            one, other = _value(left, frame), _value(right, frame)
            if one is UNKNOWN or other is UNKNOWN:
                return UNKNOWN
            if op == "in":
                return one in other if isinstance(other, tuple) else UNKNOWN
            return (one == other) is (op == "eq")
    return UNKNOWN
