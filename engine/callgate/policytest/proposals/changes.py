"""Changes of a call that could make a part of a condition come out otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from callgate.model.expr import Expr, Fact, Has, children, facts_of
from callgate.model.policy import Policy
from callgate.model.types import INT, Enum, ListOf, MapOf, Optional, Scalar, Type
from callgate.policytest.proposals.attempt import ABSENT, Attempt, Change
from callgate.policytest.proposals.values import OTHER, commands_in, values_in

__all__ = ["Changes"]

_MOST_TOKENS: Final = 8
_MOST_TOOLS: Final = 30
_MOST_TEXTS: Final = 12
_MOST_OPTIONS: Final = 6
_TIMES: Final = ("2026-01-05T03:00:00Z", "2026-01-05T12:00:00Z", "2026-01-10T12:00:00Z")


class Changes:
    """Changes for the conditions of one policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        words = policy.vocabulary
        self._example = (words.example_tool, words.example_argument)
        self._words = _options(policy)
        self._levels: dict[str, str] = {}
        for tool, level in (policy.risk.tools if policy.risk else {}).items():
            self._levels.setdefault(level, tool)

    def of(self, expr: Expr, attempt: Attempt) -> Iterator[Change]:
        """Changes of a call for an expression, those of what it names first."""
        values = values_in(expr)
        names = sorted(facts_of(expr))
        for name in names:
            yield from self._of_fact(name, values, attempt, expr)
        if not names or any(name.startswith("effects.") for name in names):
            yield from self._of_texts(expr, values, attempt)

    # -- facts

    def _of_fact(
        self, name: str, values: list[Any], attempt: Attempt, expr: Expr
    ) -> Iterator[Change]:
        root, _, rest = name.partition(".")
        texts = [value for value in values if type(value) is str]
        if name in ("call.tool", "call.called_as", "tool.needs", "tool.reserved"):
            for tool in dict.fromkeys((*texts[:_MOST_TEXTS], *self._tools(), OTHER)):
                yield Change(("call", "tool"), tool)
        elif root == "call":
            field = self._policy.vocabulary.call.get(rest)
            type_ = field.type if field is not None else None
            yield from self._typed(("call", "context", rest), type_, values, attempt)
        elif root == "args":
            yield from self._typed(("call", "args", rest), None, values, attempt)
        elif root == "settings":
            known = self._policy.vocabulary.settings.get(rest)
            type_ = known.field.type if known is not None else None
            path = ("settings", *rest.split("."))
            yield from self._typed(path, type_, values, attempt)
        elif root in ("declared", "observed", "capabilities"):
            yield from self._surroundings(name, texts, values, attempt)
        elif root == "risk":
            for level, tool in self._levels.items():
                yield Change(("call", "declared", "risk_level"), level)
                yield Change(("call", "tool"), tool)
        if _asked(expr, name) and root in ("call", "args", "settings"):
            before = {"call": ("call", "context"), "args": ("call", "args")}
            yield Change((*before.get(root, ("settings",)), *rest.split(".")), ABSENT)

    def _tools(self) -> Iterable[str]:
        """One of every level of risk, then others."""
        return dict.fromkeys((*self._levels.values(), *list(self._policy.tools)[:_MOST_TOOLS]))

    def _surroundings(
        self, name: str, texts: list[str], values: list[Any], attempt: Attempt
    ) -> Iterator[Change]:
        if name == "observed.time":
            yield from (Change(("call", "observed", "time"), time) for time in _TIMES)
        elif name == "observed.missing":
            tool = str(attempt.call.get("tool"))
            for item in (*self._needs(tool), tool, *texts):
                yield Change(("call", "observed", "missing"), [item])
        elif name in ("capabilities", "declared.capabilities"):
            yield from (Change(("call", "declared", "capabilities"), [text]) for text in texts)
        elif name == "declared.annotations":
            for text in texts:
                for flag in (True, False):
                    yield Change(("call", "declared", "annotations", text), flag)
        elif name.startswith("declared."):
            yield from self._typed(("call", *name.split(".")), None, values, attempt)

    def _needs(self, tool: str) -> Iterable[str]:
        known = self._policy.tools.get(tool)
        return known.needs if known is not None else ()

    def _typed(
        self, path: tuple[str, ...], type_: Type | None, values: list[Any], attempt: Attempt
    ) -> Iterator[Change]:
        """Values of a type; where it is not known, of the types that the constants have."""
        type_ = type_.item if isinstance(type_, Optional) else type_
        kind = str(type_) if isinstance(type_, Scalar) else ""
        texts = [value for value in values if type(value) is str]
        have = attempt.get(path)
        if kind == "bool" or (type_ is None and not values):
            yield from (Change(path, flag) for flag in (True, False))
        elif isinstance(type_, Enum):
            members = [*type_.members, *([OTHER] if type_.open else [])]
            yield from (Change(path, member) for member in members)
        elif isinstance(type_, ListOf):
            yield Change(path, [])
            for text in (*_named(attempt), *texts):
                yield Change(path, [text])
        elif isinstance(type_, MapOf):
            yield from (Change((*path, text), True) for text in texts)
        elif kind == str(INT):
            numbers = [value for value in values if type(value) is int] or [0, 1]
            yield from (Change(path, number) for number in numbers)
        else:
            for value in (*texts, OTHER, ""):
                yield Change(path, value)
            if type(have) is str and have:
                yield Change(path, f"{have}/x")
            if type_ is None:
                yield from (Change(path, value) for value in values if type(value) is not str)
        yield Change(path, ABSENT)

    # -- texts that effects come from

    def _of_texts(self, expr: Expr, values: list[Any], attempt: Attempt) -> Iterator[Change]:
        tool, argument = self._example
        commands = list(dict.fromkeys(commands_in(expr)))
        texts = [value for value in values if type(value) is str and value]
        args = attempt.call.get("args") or {}
        for name, text in args.items() if isinstance(args, dict) else ():
            if not isinstance(text, str):
                continue
            path = ("call", "args", name)
            yield from (Change(path, command) for command in commands)
            yield from (Change(path, f"{text} && {command}") for command in commands)
            tokens = text.split(" ")
            for value in texts:
                if len(tokens) == 1:
                    yield Change(path, value)
                    continue
                for index in range(min(len(tokens), _MOST_TOKENS)):
                    changed = [*tokens[:index], value, *tokens[index + 1 :]]
                    yield Change(path, " ".join(changed))
                yield Change(path, f"{text} {value}")
                yield Change(path, f"{text} && {value} x")
            yield from (Change(path, f"{text} {word}") for word in self._words)
        if tool and attempt.call.get("tool") != tool:
            for command in (*commands, *(f"{text} x" for text in texts)):
                yield Change(("call",), {**attempt.call, "tool": tool, "args": {argument: command}})


def _options(policy: Policy) -> list[str]:
    """The options that most of the examples have, whatever the program: such as may end it."""
    argument = policy.vocabulary.example_argument
    found = Counter(
        word
        for guard in policy.guards
        for example in guard.examples
        for word in str((example.call.get("args") or {}).get(argument, "")).split()
        if word.startswith("--") and "=" not in word
    )
    return [word for word, _ in found.most_common(_MOST_OPTIONS)]


def _named(attempt: Attempt) -> Iterator[str]:
    """Texts of a call that a list in settings may have to hold; "" is what is not said."""
    yield str(attempt.call.get("tool"))
    yield ""
    context = attempt.call.get("context") or {}
    args = attempt.call.get("args") or {}
    for value in (*context.values(), *args.values()):
        if isinstance(value, str) and value:
            yield value
            yield from [word for word in value.split(" ") if word != value][:3]


def _asked(expr: Expr, name: str) -> bool:
    """Whether an expression asks if a fact is there."""
    if isinstance(expr, Has) and isinstance(expr.item, Fact) and expr.item.name == name:
        return True
    return any(_asked(child, name) for child in children(expr))
