"""Typed conditions as Python lambdas.

A condition becomes the source of one lambda over the frame, which Python compiles when the walk
first needs it. Constants and functions are passed in by name, never as text, so nothing that a
policy or a call says is ever part of the source.

Parts that can't be unknown are plain Python booleans; the others are written out in Kleene's
logic, with `U` for unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import orjson

from callgate.model.codec import decode_expr
from callgate.model.expr import Expr
from callgate.model.values import UNKNOWN
from callgate.runtime import operators
from callgate.runtime.certainty import Bound, Scope, certain
from callgate.runtime.condition_source import Test, Writer

__all__ = ["OTHER", "Codegen", "Test"]

OTHER: Final = object()
"""What the test of a switch gives for a value that is not in its table."""

_MOST_TESTS: Final = 4096


class Codegen:
    """Compiles conditions for one graph. `context_defaults`: the value of a context field that a
    call leaves out. `effects_of(frame)`: the call's effects. `shared`: what the source may name."""

    def __init__(
        self, context_defaults: Mapping[str, Any], effects_of: Callable[[Any], Any], matcher: Test
    ) -> None:
        self.context_defaults = context_defaults
        self._tests: dict[tuple[bytes, str | None, frozenset[Any] | None], Test] = {}
        self.shared: dict[str, Any] = {
            "U": UNKNOWN,
            "E": effects_of,
            "M": matcher,
            "any3": operators.any3,
            "none3": operators.none3,
            "count3": operators.count3,
        }

    def compile(
        self, expr: Expr, each: str | Scope | None = None, values: frozenset[Any] | None = None
    ) -> Test:
        """The function of a condition; with `each`, its second argument is that binder's effect,
        or what else a scope binds; with `values`, texts, it gives `OTHER` for every other value."""
        scope = each if isinstance(each, dict) else {each: Bound("e0", effect=True)} if each else {}
        writer = Writer(self.context_defaults, dict(self.shared))
        if values is None:
            return writer.function(expr, scope)
        # The value may be JSON of any shape, which may have no hash.
        inner, known, other = writer.write(expr, scope, 0), writer.name(values), writer.name(OTHER)
        body = f"t if type(t := {inner}) is str and t in {known} else {other}"
        return writer.lambda_(body, scope)

    def none_of(self, conditions: Sequence[tuple[Expr, str | None]]) -> Test:
        """The function that is true where all of some conditions are false; each is given with its
        binder, or None, and all of them have one, or none has."""
        writer = Writer(self.context_defaults, dict(self.shared))
        scope: Scope = {}
        parts = []
        for expr, each in conditions:
            scope = {each: Bound("e0", effect=True)} if each else {}
            inner = writer.write(expr, scope, 0)
            parts.append(f"not {inner}" if certain(expr, scope) else f"{inner} is False")
        return writer.lambda_(" and ".join(parts), scope)

    def later(self, form: Any, each: str | None = None) -> Test:
        """The function of a condition in its JSON form, compiled when it is first called."""
        compiled: list[Test] = []

        def test(*args: Any) -> Any:
            if not compiled:
                compiled.append(self.of_form(form, each))
            return compiled[0](*args)

        return test

    def of_form(
        self, form: Any, each: str | None = None, values: frozenset[Any] | None = None
    ) -> Test:
        """`compile` of a condition in its JSON form; graphs that share this share their tests."""
        key = (orjson.dumps(form), each, values)
        test = self._tests.get(key)
        if test is None:
            test = self.compile(decode_expr(form), each, values)
            if len(self._tests) >= _MOST_TESTS:
                self._tests.clear()
            self._tests[key] = test
        return test
