"""The source of one condition, as a Python lambda."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, Final

from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
    Default,
    Expr,
    Fact,
    Get,
    Has,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.runtime import operators
from callgate.runtime.certainty import CERTAIN_FIELDS, Bound, Scope, certain
from callgate.stdlib import OPERATIONS

__all__ = ["Test", "Writer"]

Test = Callable[..., Any]
"""`test(frame)`, or `test(frame, effect)` for a guard with `each`."""

_INFIX: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OF_FRAME: Final = {
    "call.tool": "f.tool",
    "call.called_as": "f.called_as",
    "risk": "f.risk",
    "capabilities": "f.capabilities",
    "guards.asks": "f.asks",
    "effects.complete": "E(f).complete",
    "tool.needs": "N.get(f.tool, ())",
    "tool.reserved": "(f.tool in R)",
}
_MAX_DEPTH: Final = 16


class Writer:
    """Writes the source of one condition; `env` collects what the source names."""

    def __init__(self, defaults: Mapping[str, Any], env: dict[str, Any]) -> None:
        self.defaults = defaults
        self.env = env
        self.count = 0

    def function(self, expr: Expr, scope: Scope) -> Test:
        return self.lambda_(self.write(expr, scope, 0), scope)

    def lambda_(self, body: str, scope: Scope) -> Test:
        parameters = ", ".join(["f", *(bound.name for bound in scope.values())])
        function: Test = eval(_code(f"lambda {parameters}: {body}"), self.env)
        return function

    def name(self, value: Any) -> str:
        self.count += 1
        name = f"k{self.count}"
        self.env[name] = value
        return name

    def temp(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def write(self, expr: Expr, scope: Scope, depth: int) -> str:
        if depth > _MAX_DEPTH:
            inner = self.name(self.function(expr, scope))
            return f"{inner}({', '.join(['f', *(bound.name for bound in scope.values())])})"
        return self.forms(expr, scope, depth + 1)

    def forms(self, expr: Expr, scope: Scope, depth: int) -> str:
        match expr:
            case Const(value=value):
                return (
                    repr(value) if value is None or type(value) in (bool, int) else self.name(value)
                )
            case Fact(name=name):
                return self.fact(name)
            case Var(name=name):
                return scope[name].name
            case Get(base=base, field=field):
                return self.get(base, field, scope, depth)
            case Not(item=item):
                inner = self.write(item, scope, depth)
                if certain(item, scope):
                    return f"(not {inner})"
                t = self.temp()
                return f"(U if ({t} := {inner}) is U else not {t})"
            case And(items=items):
                return self.junction(items, scope, depth, "and", "False", "True")
            case Or(items=items):
                return self.junction(items, scope, depth, "or", "True", "False")
            case Has(item=item):
                inner = self.write(item, scope, depth)
                if certain(item, scope):
                    return f"({inner} is not None)"
                t = self.temp()
                return f"(U if ({t} := {inner}) is U else {t} is not None)"
            case Default(item=item, otherwise=otherwise):
                t, first = self.temp(), self.write(item, scope, depth)
                second = self.write(otherwise, scope, depth)
                return f"({t} if ({t} := {first}) is not None else {second})"
            case Quant():
                return self.quantifier(expr, scope, depth)
            case CommandMatch(run=run, pattern=pattern, strict=strict):
                return f"M({self.write(run, scope, depth)}, {self.name(pattern)}, {strict!r})"
            case Apply(op=op, args=args):
                return self.apply(op, args, scope, depth)
        raise TypeError(f"not a typed condition: {expr!r}")

    def fact(self, name: str) -> str:
        root, _, rest = name.partition(".")
        if name in _OF_FRAME:
            return _OF_FRAME[name]
        key = repr(rest)
        if root == "call":
            default = self.defaults.get(rest)
            plain = default is None or type(default) in (bool, int, str)
            shown = repr(default) if plain else self.name(default)
            return f"f.context.get({key}, {shown})"
        if root == "args":
            return f"f.args.get({key})"
        if root == "effects":
            return f"E(f).of({key})"
        if name in operators.FACTS:
            return f"{self.name(operators.FACTS[name])}(f)"
        raise ValueError(f"no such fact: {name}")

    def get(self, base: Expr, field: str, scope: Scope, depth: int) -> str:
        inner = self.write(base, scope, depth)
        if isinstance(base, Var) and scope[base.name].effect:
            return f"{inner}.{field}" if field in CERTAIN_FIELDS else f"{inner}.fields[{field!r}]"
        return f"{self.name(operators.field)}({inner}, {field!r})"

    def junction(
        self, items: tuple[Expr, ...], scope: Scope, depth: int, word: str, ends: str, else_: str
    ) -> str:
        if all(certain(item, scope) for item in items):
            return "(" + f" {word} ".join(self.write(item, scope, depth) for item in items) + ")"
        parts, maybe = [], []
        for item in items:
            t, inner = self.temp(), self.write(item, scope, depth)
            parts.append(f"{ends} if ({t} := {inner}) is {ends} else ")
            if not certain(item, scope):
                maybe.append(f"{t} is U")
        return f"({''.join(parts)}U if {' or '.join(maybe)} else {else_})"

    def quantifier(self, expr: Quant, scope: Scope, depth: int) -> str:
        source = self.write(expr.source, scope, depth)
        self.count += 1
        bound = Bound(f"v{self.count}", effect=_is_effects(expr.source))
        inner = {**scope, expr.var: bound}
        where = f"lambda {bound.name}: {self.write(expr.where, inner, depth)}"
        if expr.kind != "count":
            return f"{expr.kind}3(f, {source}, {where})"
        assert expr.bound is not None
        return f"count3(f, {source}, {where}, {expr.op!r}, {self.write(expr.bound, scope, depth)})"

    def apply(self, op: str, args: tuple[Expr, ...], scope: Scope, depth: int) -> str:
        if op == "in" and not certain(args[0], scope):
            # Nothing is in an empty list, whatever it is.
            item, items = self.temp(), self.temp()
            value, found = (self.write(arg, scope, depth) for arg in args)
            texts = operators.texts_of(args[1])
            if texts is not None:
                # Only a text equals a text; what else it may be might have no hash.
                known = self.name(texts)
                inside = f"type({item}) is str and {item} in {known}"
                return f"(U if ({item} := {value}) is U else {inside})" if texts else "False"
            inside = f"{self.name(OPERATIONS[op].implementation)}({item}, {items})"
            return (
                f"(U if ({items} := {found}) is U else False if not {items} "
                f"else U if ({item} := {value}) is U else {inside})"
            )
        written, unknown = [], []
        for arg in args:
            inner = self.write(arg, scope, depth)
            if not certain(arg, scope):
                t = self.temp()
                unknown.append(f"({t} := {inner}) is U")
                inner = t
            written.append(inner)
        result = self.operation(op, args, written)
        return f"(U if {' or '.join(unknown)} else {result})" if unknown else result

    def operation(self, op: str, args: tuple[Expr, ...], written: list[str]) -> str:
        if op in _INFIX and (op not in ("eq", "ne") or operators.has_text(args)):
            return f"({written[0]} {_INFIX[op]} {written[1]})"
        if op == "rank" and isinstance(args[1], Const):
            ranks = {member: rank for rank, member in enumerate(args[1].value)}
            return f"{self.name(ranks)}[{written[0]}]"
        if op == "under_path" and isinstance(args[1], Const):
            parts = operators.plain_roots(args[1].value)
            if parts is not None:
                exact, prefixes = map(self.name, parts)
                t = self.temp()
                return f"(({t} := {written[0]}) in {exact} or {t}.startswith({prefixes}))"
        if op == "expand_home" and isinstance(args[0], Apply) and args[0].op == "path":
            # One path, and rarely one that starts with the home folder.
            t, expand = self.temp(), self.name(OPERATIONS[op].implementation)
            return f"({t} if ({t} := {written[0]})[:1] != '~' else {expand}({t}, {written[1]}))"
        if ready := operators.prepared(op, args):
            return f"{self.name(ready)}({written[0]}, {self.fact('call.home')})"
        if fits := operators.fitting(op, args):
            return f"{self.name(fits)}({written[0]})"
        texts = operators.texts_of(args[1]) if op == "in" else None
        if texts is not None and isinstance(args[0], Fact):
            if args[0].name.partition(".")[0] in ("call", "risk"):
                return f"({written[0]} in {self.name(texts)})"
        return f"{self.name(OPERATIONS[op].implementation)}({', '.join(written)})"


@lru_cache(maxsize=4096)
def _code(source: str) -> CodeType:
    """What Python makes of a source: conditions of one shape share it."""
    return compile(source, "<condition>", "eval")


def _is_effects(source: Expr) -> bool:
    return isinstance(source, Fact) and source.name.startswith("effects.")
