"""What every part of the type checker shares: the condition at hand and what is known inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from callgate.lang.check_types import a
from callgate.lang.scope import Read, Scope
from callgate.lang.skeleton import Positions
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import Apply, Const, Expr, Fact
from callgate.model.span import Span
from callgate.model.suggest import closest
from callgate.model.syntax import Member, Syntax, Word
from callgate.model.types import BOOL, JSON, PATH, Optional, Scalar, Type

__all__ = [
    "BROKEN",
    "HOME",
    "NOTHING",
    "Context",
    "Known",
    "Located",
    "Rules",
    "Typed",
    "did_you_mean",
    "dotted",
    "with_home",
    "without_home",
]

_SHOWN: Final = 60
_TOOLS: Final = 4
HOME: Final = Fact("call.home")
"""The home folder that a call names."""


class Located(Protocol):
    """A text of a rule file: its value, and where parts of it stand."""

    @property
    def value(self) -> str:
        """The text."""
        ...

    def span(self, start: int, end: int) -> Span:
        """The place of the part between two offsets of `value`."""
        ...


@dataclass(slots=True, eq=False)
class Typed:
    """A typed expression. `unknown`: its value may be UNKNOWN. `outside`: paths in it may not be in
    normal form yet (see `Name`)."""

    expr: Expr
    type: Type
    unknown: bool = False
    outside: bool = False


BROKEN: Final = Typed(Const(None), Scalar("json"))
"""The result of what is in error and was reported; it is never reported again."""


@dataclass(frozen=True, slots=True)
class Known:
    """What holds where a part of a condition is evaluated: which values are present, and which
    tools the call can only be of (None: any)."""

    present: frozenset[Expr] = frozenset()
    tools: frozenset[str] | None = None

    def plus(self, other: Known) -> Known:
        """Both hold."""
        if other is NOTHING:
            return self
        if self.tools is None or other.tools is None:
            tools = other.tools if self.tools is None else self.tools
        else:
            tools = self.tools & other.tools
        return Known(self.present | other.present, tools)


NOTHING: Final = Known()


Rules = Mapping[type[Syntax], Callable[["Context", Any, Type | None], Typed]]
"""The typing rule of every kind of syntax node."""


@dataclass(slots=True)
class Context:
    """The state of checking one condition.

    `rules` has a function for every kind of node (see `infer`). `direction` says what more
    truth of the node at hand does to the whole condition (see `Read`). `of_rule`: it belongs to a
    rule, which may have `tools:`.
    """

    rules: Rules
    scope: Scope
    diagnostics: Diagnostics
    text: Located
    positions: Positions
    known: Known = NOTHING
    binders: dict[str, Typed] = field(default_factory=dict)
    direction: int = 1
    reads: list[tuple[Read, Syntax]] = field(default_factory=list)
    failed: bool = False
    inlined: bool = False
    of_rule: bool = False

    def error(
        self, code: str, message: str, node: Syntax, help: str = "", name: bool = False
    ) -> Typed:
        """Report an error at a node, or at what names it (`name`: a member's field, a function's
        name); gives BROKEN."""
        place = self.positions.name(node.at) if name else self.positions[node.at]
        self.diagnostics.error(code, message, self.text.span(*place), help)
        self.failed = True
        return BROKEN

    def warning(self, code: str, message: str, node: Syntax, help: str = "") -> None:
        """Report what is harmless, and surely not what was meant."""
        place = self.text.span(*self.positions[node.at])
        self.diagnostics.warning(code, message, place, help)

    def unknown(
        self,
        code: str,
        message: str,
        node: Syntax,
        word: str,
        candidates: Iterable[str],
        otherwise: str = "",
        name: bool = False,
        certain: bool = False,
    ) -> Typed:
        """Report a word that is none of the candidates, with the nearest of them as help, or else
        `otherwise`. Where a part of a file was refused, a word that is like none of them was
        probably in it, and is not reported, unless it is `certain` what there is."""
        near = closest(word, candidates)
        if near is None and self.scope.incomplete and not certain:
            self.failed = True
            return BROKEN
        help = f"did you mean `{near}`?" if near else otherwise
        return self.error(code, message, node, help, name)

    def shown(self, node: Syntax) -> str:
        """A node's text in backticks, on one line, cut."""
        start, end = self.positions[node.at]
        line = " ".join(self.text.value[start:end].split())
        return f"`{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'}`"

    def bare(self, node: Syntax) -> str:
        """A node's text for use in a proposed condition."""
        return self.shown(node)[1:-1]

    def infer(self, node: Syntax, expected: Type | None = None) -> Typed:
        """The type of a node. `expected` is the type of the other side, which decides what bare
        words and quoted texts mean."""
        return self.rules[type(node)](self, node, expected)

    def value(self, node: Syntax, expected: Type | None = None) -> Typed:
        """The type of an operand that must be there: reports T006 when it may be absent."""
        found = self.rules[type(node)](self, node, expected)
        if found.outside or type(found.type) is Optional:
            return self.required(found, node)
        return found

    def required(self, found: Typed, node: Syntax) -> Typed:
        """The same value, known to be there, paths in normal form; else reports T006."""
        type_ = found.type
        if type(type_) is Optional:
            type_ = type_.item
            if found.expr not in self.known.present:
                text = self.bare(node)
                help = f"give a default: `{text} ?? …`"
                if isinstance(node, Word | Member) or text.endswith("]"):
                    help = f"write `has {text} and …` before it, or {help}"
                help = self.with_tools(found, help)
                return self.error("T006", f"`{text}` may be absent", node, help)
            found = Typed(found.expr, type_, found.unknown, found.outside)
        return _normal(found) if found.outside else found

    def truth(self, node: Syntax) -> Typed:
        """The type of a condition: reports T009 when it is no bool."""
        found = self.value(node, BOOL)
        if found is BROKEN or found.type == BOOL:
            return found
        help = "compare it with something"
        if found.type == JSON:
            help = f"say what it should be: `as_bool({self.bare(node)}) ?? false`"
            help = self.with_tools(found, help)
        return self.error(
            "T009", f"{self.shown(node)} is {a(found.type)}, not a condition", node, help
        )

    @contextmanager
    def facing(self, direction: int) -> Iterator[None]:
        """Check parts whose truth acts on the condition so, relative to the node at hand."""
        before = self.direction
        self.direction = before * direction
        try:
            yield
        finally:
            self.direction = before

    def note(self, reads: Iterable[Read], node: Syntax) -> None:
        """Note what a name reads, at the node that uses it."""
        for read in reads:
            moved = Read(read.what, read.name, read.direction * self.direction, read.guarded)
            self.reads.append((moved, node))

    def mismatch(self, operator: str, found: Typed, node: Syntax, wanted: str, help: str) -> Typed:
        """Report an operand that an operator doesn't take (T005)."""
        return self.error(
            "T005",
            f"`{operator}` takes {wanted}, and {self.shown(node)} is {a(found.type)}",
            node,
            self.with_tools(found, help),
        )

    def with_tools(self, found: Typed, help: str) -> str:
        """The help for a value; of an argument without a type because nothing says which tools
        the condition is about, first that saying it gives it one."""
        expr = found.expr
        if self.known.tools or type(expr) is not Fact or not expr.name.startswith("args."):
            return help
        name = expr.name.removeprefix("args.")
        having = [tool for tool in self.scope.parameters if self._has(tool, name)]
        if not having:
            return help
        first, more = having[:_TOOLS], having[_TOOLS:]
        if self.of_rule:
            some = f"tools: [{', '.join(first)}{', …' if more else ''}]"
        elif len(having) == 1:
            some = f"call.tool == {first[0]} and …"
        else:
            some = f"call.tool in {'|'.join(first)}{'|…' if more else ''} and …"
        return f"say which tools it is about, which gives it a type: `{some}`; or else {help}"

    def _has(self, tool: str, argument: str) -> bool:
        properties = self.scope.parameters[tool].get("properties")
        return isinstance(properties, Mapping) and argument in properties


def _normal(found: Typed) -> Typed:
    if found.type == PATH:
        return Typed(with_home(Apply("path", (found.expr, Const("")))), PATH, unknown=True)
    return Typed(with_home(found.expr), found.type, found.unknown)


def with_home(expr: Expr) -> Expr:
    """A path expression with the home folder for `~`."""
    return Apply("expand_home", (expr, HOME))


def without_home(expr: Expr) -> Expr:
    """A path expression in which `~` still stands for the home folder."""
    match expr:
        case Apply(op="expand_home", args=(inner, Fact())):
            return inner
    return expr


def dotted(node: Syntax) -> str:
    """`a.b.c` for a chain of members on a bare word; empty for anything else."""
    if type(node) is Word:
        return node.name
    words: list[str] = []
    while type(node) is Member:
        words.append(node.name)
        node = node.base
    if type(node) is not Word:
        return ""
    words.append(node.name)
    return ".".join(reversed(words))


def did_you_mean(word: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """A help that names the nearest candidate; `otherwise` when none is near."""
    found = closest(word, candidates)
    return f"did you mean `{found}`?" if found else otherwise
