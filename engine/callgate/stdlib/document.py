"""The tables of functions and operators for docs/language.md, made from the declarations."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from callgate.model.types import TIME
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS
from callgate.stdlib.operation import Example, Operation, Signature

__all__ = ["function_table", "operator_table"]


def function_table() -> str:
    """The functions, by name: a Markdown table that ends in a line break."""
    functions = sorted(
        (entry for entry in OPERATIONS.values() if entry.kind == "function"), key=lambda f: f.name
    )
    return _table(
        ("function", "meaning", "example"),
        (
            (
                "<br>".join(f"`{_call(entry, overload)}`" for overload in entry.signatures),
                entry.documentation,
                "<br>".join(f"`{_shown(entry, case)}`" for case in entry.examples),
            )
            for entry in functions
        ),
    )


def operator_table() -> str:
    """The operators, in the order of their declaration: a Markdown table that ends in a line
    break."""
    operators = [entry for entry in OPERATIONS.values() if entry.kind == "operator"]
    return _table(
        ("operator", "operands", "meaning"),
        (
            (
                f"`{entry.symbol}`",
                "<br>".join(
                    ", ".join(f"`{type_}`" for _, type_ in overload.parameters)
                    for overload in entry.signatures
                ),
                entry.documentation,
            )
            for entry in operators
        ),
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n" for row in lines
    )


def _call(entry: Operation, overload: Signature) -> str:
    parameters = ", ".join(f"{name}: {type_}" for name, type_ in entry.written(overload))
    return f"{entry.name}({parameters}) → {overload.result}"


def _shown(entry: Operation, case: Example) -> str:
    parameters = entry.written(entry.signatures[0])
    shown = [
        _time(value) if type_ == TIME else _value(value)
        for value, (_, type_) in zip(case.arguments, parameters, strict=False)
    ]
    return f"{entry.name}({', '.join(shown)}) → {_value(case.result)}"


def _time(value: int) -> str:
    moment = datetime.fromtimestamp(value // 1_000_000, UTC)
    return f'time("{moment:%Y-%m-%dT%H:%M:%SZ}")'


def _value(value: Any) -> str:
    if value is UNKNOWN:
        return "unknown"
    if value is None:
        return "absent"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
