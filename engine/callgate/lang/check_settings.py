"""The type checker for settings checks: what they go over, and what they may read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from callgate.lang.check import Checker
from callgate.lang.check_context import BROKEN, NOTHING, Context, Located, Typed
from callgate.lang.check_logic import known_if
from callgate.lang.check_uses import Use
from callgate.lang.parser import ParsedCondition
from callgate.lang.scope import Scope
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import Expr, Fact, Var, children
from callgate.model.policy import Members
from callgate.model.span import Span
from callgate.model.syntax import Binary, Quantifier, Syntax, Word
from callgate.model.template import Template
from callgate.model.types import STRING, ListOf, MapOf, Type

__all__ = ["SettingsChecker"]

_WRAP: Final = "any("
_ROOTS: Final = frozenset(
    {"settings", "given", "catalogue", "soft_blocks", "profiles", "security_profiles"}
)
_READABLE: Final = "it may read `settings`, `given`, `catalogue`, `soft_blocks` and the profiles"


class SettingsChecker(Checker):
    """Types the texts of one settings check, in the order `each`, `select`, `when`, texts: what is
    bound or known by the earlier ones holds in the later ones."""

    def __init__(self, scope: Scope, diagnostics: Diagnostics) -> None:
        super().__init__(scope, diagnostics)
        self._names: dict[str, Typed] = {}
        self._holds = NOTHING

    def members(self, text: Located) -> Members | None:
        """`NAME in LIST`, which binds the name from here on."""
        parsed = self._parsed(text)
        if parsed is None:
            return None
        tree = parsed.tree
        if not (isinstance(tree, Binary) and tree.op == "in" and isinstance(tree.left, Word)):
            self._misshaped(text, "write it as `x in LIST`, with a list or map of the settings")
            return None
        context = self._context(text, parsed, None, None)
        source = self._source(context, tree.left.name, tree.right, tree)
        if source is BROKEN or not self._decided(context, source, tree.right):
            return None
        self._names[tree.left.name] = Typed(Var(tree.left.name), _element(source.type))
        return Members(tree.left.name, source.expr)

    def selection(self, text: Located, name: str) -> Members | None:
        """`NAME in LIST where CONDITION`; the list of those is bound to `name` from here on."""
        wrapped = _Wrapped(text)
        parsed = self._parsed(wrapped)
        if parsed is None:
            return None
        tree = parsed.tree
        if not isinstance(tree, Quantifier):
            self._misshaped(text, "write it as `x in LIST where CONDITION`")
            return None
        context = self._context(wrapped, parsed, None, None)
        source = self._source(context, tree.binder, tree.source, tree)
        if source is BROKEN:
            return None
        element = _element(source.type)
        context.binders[tree.binder] = Typed(Var(tree.binder), element)
        where = context.truth(tree.where)
        if where is BROKEN or context.failed:
            return None
        if not all(
            self._decided(context, part, node)
            for part, node in ((source, tree.source), (where, tree.where))
        ):
            return None
        self._names[name] = Typed(Var(name), ListOf(element))
        return Members(tree.binder, source.expr, where.expr)

    def when(self, text: Located) -> Condition | None:
        """The condition; what it makes sure of is known in the texts."""
        found = self.condition(text, Use.DEFINITION)
        if found is None:
            return None
        if found.unknown or not _readable(found.expr):
            self._undecided(found.span, _stranger(found.expr))
            return None
        self._holds = known_if(found.expr, True)
        return found

    def text(self, text: Located) -> Template | None:
        """A message or help."""
        found = self.template(text)
        for part in found.parts if found else ():
            if not isinstance(part, str) and not _readable(part):
                self._undecided(text.span(0, len(text.value)), _stranger(part))
                return None
        return found

    @contextmanager
    def rule(self) -> Iterator[None]:
        """One check: what is bound in it is forgotten afterwards."""
        try:
            yield
        finally:
            self._names, self._holds = {}, NOTHING

    def _context(
        self,
        text: Located,
        parsed: ParsedCondition,
        tools: tuple[str, ...] | None,
        each: tuple[str, str] | None,
    ) -> Context:
        context = super()._context(text, parsed, tools, each)
        context.binders.update(self._names)
        context.known = context.known.plus(self._holds)
        return context

    def _source(self, context: Context, name: str, node: Syntax, whole: Syntax) -> Typed:
        """The list or map that a name goes over."""
        if name in self._names or self.scope.taken(name):
            return context.error(
                "T018",
                f"`{name}` already means something here",
                whole,
                "give the binder a name of its own",
            )
        found = context.value(node)
        if found is not BROKEN and not isinstance(found.type, ListOf | MapOf):
            return context.mismatch("in", found, node, "a list or a map", "")
        return BROKEN if context.failed else found

    def _decided(self, context: Context, found: Typed, node: Syntax) -> bool:
        if not found.unknown and _readable(found.expr):
            return True
        place = context.text.span(*context.positions[node.at])
        self._undecided(place, _stranger(found.expr))
        return False

    def _undecided(self, place: Span | None, stranger: str) -> None:
        what = f"`{stranger}` is" if stranger else "this may be"
        self.diagnostics.error(
            "T060",
            f"{what} not known when settings are checked",
            place,
            f"a settings check looks at no call: {_READABLE}",
        )

    def _misshaped(self, text: Located, help: str) -> None:
        self.diagnostics.error(
            "P001", "this names nothing to go over", text.span(0, len(text.value)), help
        )


class _Wrapped:
    """A selection's text inside `any(…)`, which is how the grammar knows it."""

    def __init__(self, text: Located) -> None:
        self._text = text
        self.value = f"{_WRAP}{text.value})"

    def span(self, start: int, end: int) -> Span:
        size = len(self._text.value)
        start, end = (min(max(at - len(_WRAP), 0), size) for at in (start, end))
        return self._text.span(start, end)


def _element(type_: Type) -> Type:
    """What a name is that goes over a list, or over the keys of a map."""
    return type_.item if isinstance(type_, ListOf) else STRING


def _readable(expr: Expr) -> bool:
    return not _stranger(expr)


def _stranger(expr: Expr) -> str:
    """A fact in an expression that no settings give; empty when there is none."""
    todo = [expr]
    while todo:
        node = todo.pop()
        if isinstance(node, Fact):
            if node.name.partition(".")[0] not in _ROOTS:
                return node.name
        else:
            todo.extend(children(node))
    return ""
