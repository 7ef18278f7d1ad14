"""The type checker: conditions, expressions and reasons of rule files, as typed expressions.

    checker = Checker(scope, diagnostics)
    condition = checker.condition(document.text("rules", 0, "when"), Use.GUARD)

Mistakes go to `diagnostics`, all of them, each at its place; the result is then None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from callgate.lang import (
    check_calls,
    check_compare,
    check_literals,
    check_logic,
    check_names,
    check_quantifiers,
    check_relations,
)
from callgate.lang.canonical import canonical_text
from callgate.lang.check_context import (
    BROKEN,
    Context,
    Known,
    Located,
    Rules,
    Typed,
    did_you_mean,
)
from callgate.lang.check_uses import Use, judge, with_strict_patterns
from callgate.lang.errors import ConditionError
from callgate.lang.measure import MAX_DEPTH, MAX_SIZE, Measure
from callgate.lang.parser import ParsedCondition, ParsedEach, parse_condition, parse_each
from callgate.lang.printer import print_syntax
from callgate.lang.scope import Name, Scope
from callgate.lang.template import parse_template
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics
from callgate.model.effect import EFFECT_SOURCES
from callgate.model.expr import Var
from callgate.model.syntax import (
    Binary,
    BoolOp,
    Choice,
    FunctionCall,
    HasTest,
    ListLiteral,
    Lookup,
    Member,
    NotTest,
    Otherwise,
    PatternLiteral,
    Quantifier,
    RegexLiteral,
    Syntax,
    Value,
    Word,
)
from callgate.model.template import Template
from callgate.model.types import Type

__all__ = ["Binder", "Checker"]

Binder = tuple[str, str]
"""What a guard's `each:` binds: the name, and the kind of effect."""

_OF_RULES: Final = (
    Use.GUARD,
    Use.ALLOW,
    Use.DENY,
    Use.FLOW,
    Use.EXCEPTION,
    Use.GUARD_EXCEPTION,
    Use.ASK_EXCEPTION,
)
_RELATIONS: Final[Mapping[str, Callable[[Context, Binary], Typed]]] = {
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), check_compare.comparison),
    **dict.fromkeys(("in", "not in"), check_compare.membership),
    **dict.fromkeys(("under", "covers"), check_relations.inside),
    **dict.fromkeys(("like", "matches"), check_relations.text_match),
    "is": check_relations.command,
}


def _binary(context: Context, node: Binary, expected: Type | None) -> Typed:
    return _RELATIONS[node.op](context, node)


_RULES: Final[Rules] = {
    Binary: _binary,
    BoolOp: check_logic.both,
    Choice: check_literals.choice,
    FunctionCall: check_calls.call,
    HasTest: check_logic.has,
    ListLiteral: check_literals.many,
    Lookup: check_names.lookup,
    Member: check_names.member,
    NotTest: check_logic.negation,
    Otherwise: check_logic.otherwise,
    PatternLiteral: check_literals.stray,
    Quantifier: check_quantifiers.quantifier,
    RegexLiteral: check_literals.stray,
    Value: check_literals.value,
    Word: check_names.word,
}


class Checker:
    """Types the texts of one file in its scope."""

    def __init__(self, scope: Scope, diagnostics: Diagnostics) -> None:
        self.scope = scope
        self.diagnostics = diagnostics
        self._measure = Measure()

    def condition(
        self,
        text: Located,
        use: Use,
        tools: tuple[str, ...] | None = None,
        each: Binder | None = None,
    ) -> Condition | None:
        """A condition. `tools`: it is looked at only for calls of these; `each`: what is bound in
        it. None when it has errors, which are reported."""
        parsed = self._parsed(text)
        if parsed is None:
            return None
        context = self._context(text, parsed, tools, each)
        context.of_rule = use in _OF_RULES
        found = context.truth(parsed.tree)
        judge(context, use)
        if use is Use.STEP and found.unknown and not context.failed:
            context.error(
                "T016",
                "this may be unknown, and whether a step takes part must be certain",
                parsed.tree,
                "read in it what is always known, or move the condition into a rule that decides",
            )
        if found is BROKEN or context.failed or self._too_large(context, found, parsed.tree):
            return None
        expr = found.expr
        if any(read.what in ("pattern", "closed") for read, _ in context.reads):
            expr = with_strict_patterns(expr, use)
        place = text.span(0, len(text.value))
        return Condition(canonical_text(text.value, parsed), expr, found.unknown, place)

    def definition(self, text: Located, condition: bool = False) -> tuple[Name, str] | None:
        """A derived fact of any type, or a `define:`, which is a condition; with its text in
        canonical form. It is typed alone; what it reads is judged where it is used."""
        parsed = self._parsed(text)
        if parsed is None:
            return None
        context = self._context(text, parsed, None, None)
        tree = parsed.tree
        found = context.truth(tree) if condition else context.infer(tree)
        if found is BROKEN or context.failed or self._too_large(context, found, parsed.tree):
            return None
        reads = tuple(dict.fromkeys(read for read, _ in context.reads))
        name = Name(
            found.expr,
            found.type,
            found.unknown,
            outside=found.outside,
            defined=True,
            reads=reads,
        )
        return name, print_syntax(parsed.tree)

    def expression(self, text: Located) -> Typed | None:
        """An expression that is only shown (`show:`); of any type, it may be absent."""
        parsed = self._parsed(text)
        if parsed is None:
            return None
        context = self._context(text, parsed, None, None)
        found = context.infer(parsed.tree, None)
        return None if found is BROKEN or context.failed else found

    def template(
        self, text: Located, tools: tuple[str, ...] | None = None, each: Binder | None = None
    ) -> Template | None:
        """A reason with `{expression}` slots."""
        try:
            parts = parse_template(text.value)
        except ConditionError as error:
            self._report(text, error)
            return None
        found: list[Any] = []
        for part in parts:
            if isinstance(part, str):
                found.append(part)
                continue
            context = self._context(text, part, tools, each)
            typed = context.infer(part.tree, None)
            if typed is BROKEN or context.failed:
                return None
            found.append(typed.expr)
        return Template(tuple(found))

    def each(self, text: Located) -> Binder | None:
        """What a guard's `each:` binds."""
        try:
            parsed = parse_each(text.value)
        except ConditionError as error:
            self._report(text, error)
            return None
        return self._bound(text, parsed)

    def _bound(self, text: Located, parsed: ParsedEach) -> Binder | None:
        if parsed.kind not in EFFECT_SOURCES:
            known = ", ".join(f"`{kind}`" for kind in EFFECT_SOURCES)
            self.diagnostics.error(
                "T003",
                f"`{parsed.kind}` is not a field of `effects`",
                text.span(*parsed.positions[1]),
                did_you_mean(parsed.kind, EFFECT_SOURCES, f"it has {known}"),
            )
            return None
        if self.scope.taken(parsed.binder):
            self.diagnostics.error(
                "T018",
                f"`{parsed.binder}` already means something here",
                text.span(*parsed.positions[0]),
                "give the binder a name of its own",
            )
            return None
        return parsed.binder, parsed.kind

    def _too_large(self, context: Context, found: Typed, tree: Syntax) -> bool:
        if not context.inlined:
            return False
        size, depth = self._measure(found.expr)
        if size <= MAX_SIZE and depth <= MAX_DEPTH:
            return False
        what = f"has {size:,} parts" if size > MAX_SIZE else f"is nested {depth} deep"
        help = f"at most {MAX_SIZE:,} parts and {MAX_DEPTH} levels are read: use a list"
        context.error("P005", f"with its definitions written out this {what}", tree, help)
        return True

    def _parsed(self, text: Located) -> ParsedCondition | None:
        try:
            return parse_condition(text.value)
        except ConditionError as error:
            self._report(text, error)
            return None

    def _report(self, text: Located, error: ConditionError) -> None:
        place = text.span(error.start, error.end)
        self.diagnostics.error(error.code, error.message, place, error.help)

    def _context(
        self,
        text: Located,
        parsed: ParsedCondition,
        tools: tuple[str, ...] | None,
        each: Binder | None,
    ) -> Context:
        context = Context(_RULES, self.scope, self.diagnostics, text, parsed.positions)
        if tools is not None:
            context.known = Known(tools=frozenset(tools))
        if each is not None:
            binder, kind = each
            context.binders[binder] = Typed(Var(binder), EFFECT_SOURCES[kind])
        return context
