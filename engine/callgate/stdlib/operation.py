"""How an operation of the condition language is declared: one place for all that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from callgate.model.types import Type

__all__ = [
    "Anything",
    "Example",
    "Literally",
    "Operation",
    "Signature",
    "example",
    "operation",
    "signature",
]

Kind = Literal["function", "operator", "internal"]

Literally = Callable[[str], tuple[str, str] | None]
"""What is wrong with a text, and what to write instead; None where nothing is."""


@dataclass(frozen=True, slots=True)
class Anything(Type):
    """A type variable of a signature: the same name stands for the same type."""

    name: str = "T"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters in order, each a name and a type, and the type of the result."""

    parameters: tuple[tuple[str, Type], ...]
    result: Type


@dataclass(frozen=True, slots=True)
class Example:
    """Arguments, and what the operation makes of them; shown in the documentation and run by a
    test."""

    arguments: tuple[Any, ...]
    result: Any


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its name in `Apply`, its overloads, what it means, and what it does.

    `kind`: a `function` is called by its name in conditions, an `operator` is written as `symbol`,
    an `internal` one only the type checker puts into a condition. `unknown`: the result may be
    UNKNOWN although no argument is. `supplied`: so many of the last parameters nobody writes: the
    checker puts in `call.home` and the vocabulary's `homes`. `rising`: the places of parameters,
    from 0, that are lists of which more members only make the result true. `exactly`: of a test
    that holds of more than it says, to be on the safe side, how to write one that does not, with
    `{}` for the arguments. `literals`: by parameter, what is wrong with a text that a condition
    gives for it. The implementation is total on arguments of the declared types, and linear in
    their size; it is never given UNKNOWN, except as an element of a list.
    """

    name: str
    kind: Kind
    symbol: str
    unknown: bool
    signatures: tuple[Signature, ...]
    documentation: str
    examples: tuple[Example, ...]
    implementation: Callable[..., Any]
    supplied: int = 0
    rising: tuple[int, ...] = ()
    exactly: str = ""
    literals: Mapping[str, Literally] = field(default_factory=dict)

    def written(self, overload: Signature) -> tuple[tuple[str, Type], ...]:
        """The parameters of an overload that a condition gives arguments for."""
        return overload.parameters[: len(overload.parameters) - self.supplied]


def signature(result: Type, /, **parameters: Type) -> Signature:
    """An overload: the result's type first, then the parameters by name, in order."""
    return Signature(tuple(parameters.items()), result)


def example(*arguments: Any, gives: Any) -> Example:
    """An example: arguments, and the result."""
    return Example(arguments, gives)


def operation(
    *signatures: Signature,
    examples: tuple[Example, ...],
    symbol: str = "",
    internal: bool = False,
    unknown: bool = False,
    supplied: int = 0,
    rising: tuple[int, ...] = (),
    exactly: str = "",
    literals: Mapping[str, Literally] | None = None,
) -> Callable[[Callable[..., Any]], Operation]:
    """Declare the decorated function as an operation; its docstring is the documentation.

    A final underscore of the function's name, there to keep clear of Python's words, is dropped.
    """

    def declare(implementation: Callable[..., Any]) -> Operation:
        text = " ".join((implementation.__doc__ or "").split())
        return Operation(
            name=implementation.__name__.rstrip("_"),
            kind="internal" if internal else "operator" if symbol else "function",
            symbol=symbol,
            unknown=unknown,
            signatures=signatures,
            documentation=text,
            examples=examples,
            implementation=implementation,
            supplied=supplied,
            rising=rising,
            exactly=exactly,
            literals=literals or {},
        )

    return declare
