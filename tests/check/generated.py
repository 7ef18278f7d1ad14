"""Well-typed conditions at random, as text, and random values for the facts that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hypothesis import assume
from hypothesis import strategies as st

from callgate.model.effect import EFFECT_KINDS, EFFECT_SOURCES, Effect
from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    JSON,
    PATH,
    PATTERNS,
    STRING,
    TIME,
    URL,
    Enum,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
)
from callgate.model.values import UNKNOWN
from tests.check.standard import standard

__all__ = ["conditions", "facts"]

Draw = Callable[..., Any]

_LITERALS: Final[Mapping[Type, tuple[str, ...]]] = {
    BOOL: ("true", "false"),
    INT: ("0", "3", "-1"),
    STRING: ('""', '"ann"', '"a*"', '"/etc/x"', '"https://a.corp.example/x"'),
    PATH: ('"/"', '"/etc"', '"/srv/app/x"', '"~/.ssh"', '"~"'),
    HOST: ('"corp.example"', '"a.corp.example"', '"10.0.0.1"'),
    URL: ('"https://corp.example/x"',),
    TIME: ('"2026-12-01T09:00:00Z"', '"1970-01-01T00:00:00Z"'),
    JSON: ('"ann"', "3", "true"),
}
_COMPARE: Final = ("==", "!=")
_ORDER: Final = ("==", "!=", "<", "<=", ">", ">=")


class _Terms:
    """Texts of a type, by what may be read where: names of the standard scope and binders."""

    def __init__(self) -> None:
        self.by_type: dict[Type, list[str]] = {}

    def add(self, type_: Type, text: str) -> None:
        if getattr(type_, "item", type_) in PATTERNS:
            return  # there are no texts of these types
        self.by_type.setdefault(type_, []).append(text)
        if isinstance(type_, Record):
            for name, field in type_.fields.items():
                self.add(field.type, f"{text}.{name}")
        elif isinstance(type_, MapOf):
            key = {"profiles": "full", "security_profiles": "daemon"}.get(text, "a")
            self.add(Optional(type_.value), f'{text}["{key}"]')

    def with_binder(self, type_: Type, binder: str) -> _Terms:
        inner = _Terms()
        inner.by_type = {kind: list(texts) for kind, texts in self.by_type.items()}
        # Twice, so that what is bound is spoken of.
        inner.add(type_, binder)
        inner.add(type_, binder)
        return inner


def _standard() -> _Terms:
    terms = _Terms()
    for name, meaning in standard().scope.names.items():
        if not meaning.secret:
            terms.add(meaning.type, name)
    for name in ("a", "b"):
        terms.add(Optional(JSON), f"args.{name}")
    return terms


_STANDARD: Final = _standard()


@st.composite
def conditions(draw: Draw, depth: int = 3) -> str:
    """The text of a condition that the checker accepts as a definition."""
    text = _condition(draw, _STANDARD, depth, 0)
    # A test for one tool may leave the arguments to tools that don't have them (T020).
    assume("call.tool" not in text or "args." not in text)
    return text


def _condition(draw: Draw, terms: _Terms, depth: int, binders: int) -> str:
    shapes = ["compare"] * 4 + ["bool", "list", "has", "text"]
    if depth:
        shapes += ["and", "or", "not", "narrow", "quantifier", "quantifier"]
    shape = draw(st.sampled_from(shapes))
    if shape in ("and", "or"):
        parts = [
            _condition(draw, terms, depth - 1, binders) for _ in range(draw(st.integers(2, 3)))
        ]
        return f" {shape} ".join(f"({part})" for part in parts)
    if shape == "not":
        return f"not ({_condition(draw, terms, depth - 1, binders)})"
    if shape == "quantifier":
        return _quantifier(draw, terms, depth - 1, binders)
    return {
        "compare": _compare,
        "bool": lambda draw, terms: _term(draw, terms, BOOL),
        "list": _membership,
        "has": _has,
        "text": _about_text,
        "narrow": _narrowed,
    }[shape](draw, terms)


def _optionals(terms: _Terms) -> list[Type]:
    return [type_ for type_ in terms.by_type if isinstance(type_, Optional)]


def _has(draw: Draw, terms: _Terms) -> str:
    return f"has {draw(st.sampled_from(terms.by_type[draw(st.sampled_from(_optionals(terms)))]))}"


def _narrowed(draw: Draw, terms: _Terms) -> str:
    type_ = draw(st.sampled_from(_optionals(terms)))
    text = draw(st.sampled_from(terms.by_type[type_]))
    inner = _about(draw, terms, text, type_.item)
    return f"has {text} and {inner}" if draw(st.booleans()) else f"not has {text} or {inner}"


def _about(draw: Draw, terms: _Terms, text: str, type_: Type) -> str:
    """A condition on a value that is there."""
    if isinstance(type_, ListOf):
        return f"any(x9 in {text} where true)"
    if isinstance(type_, Record | MapOf):
        return f"has {text}"
    return f"{text} == {_side(draw, terms, type_)}"


def _term(draw: Draw, terms: _Terms, type_: Type) -> str:
    """A value of the type that is there; an optional one with a default."""
    plain = [(text, "") for text in terms.by_type.get(type_, ())]
    absent = [(text, "??") for text in terms.by_type.get(Optional(type_), ())]
    made = [(text, "") for text in _made(draw, terms, type_)]
    if not (pool := plain + absent + made):
        return _literal(draw, type_)
    text, default = draw(st.sampled_from(pool))
    return f"({text} ?? {_literal(draw, type_)})" if default else text


def _made(draw: Draw, terms: _Terms, type_: Type) -> list[str]:
    """Values that functions give."""
    if type_ == PATH:
        return [f"path({draw(st.sampled_from(terms.by_type[STRING]))}, call.workspace)"]
    if type_ == HOST:
        return [f"host({draw(st.sampled_from(terms.by_type[STRING]))})"]
    if type_ == URL:
        return [f"url({draw(st.sampled_from(terms.by_type[STRING]))})"]
    if type_ == STRING:
        path = draw(st.sampled_from(terms.by_type[PATH]))
        return [f"basename({path})", f"extension({path})", "lower(call.user_id)"]
    if type_ == INT:
        return [f"length({draw(st.sampled_from(terms.by_type[ListOf(STRING)]))})"]
    return []


def _literal(draw: Draw, type_: Type) -> str:
    if isinstance(type_, Enum):
        return f'"{draw(st.sampled_from(type_.members))}"'
    if isinstance(type_, ListOf):
        return "[]"
    return draw(st.sampled_from(_LITERALS[type_]))  # type: ignore[no-any-return]


def _side(draw: Draw, terms: _Terms, type_: Type) -> str:
    return _term(draw, terms, type_) if draw(st.booleans()) else _literal(draw, type_)


def _scalars(terms: _Terms) -> list[Type]:
    return [type_ for type_ in terms.by_type if isinstance(type_, Enum) or type_ in _LITERALS]


def _compare(draw: Draw, terms: _Terms) -> str:
    type_ = draw(st.sampled_from([type_ for type_ in _scalars(terms) if type_ != JSON]))
    ordered = type_ in (INT, TIME) or (isinstance(type_, Enum) and type_.ordered)
    op = draw(st.sampled_from(_ORDER if ordered else _COMPARE))
    return f"{_term(draw, terms, type_)} {op} {_side(draw, terms, type_)}"


def _membership(draw: Draw, terms: _Terms) -> str:
    lists = [type_ for type_ in terms.by_type if isinstance(type_, ListOf)]
    type_ = draw(st.sampled_from(lists))
    items = draw(st.sampled_from(terms.by_type[type_]))
    if isinstance(type_.item, Record):
        return f"length({items}) > 0"
    op = draw(st.sampled_from(("in", "not in")))
    return f"{_side(draw, terms, type_.item)} {op} {items}"


def _about_text(draw: Draw, terms: _Terms) -> str:
    if draw(st.booleans()):
        type_ = draw(st.sampled_from((PATH, HOST)))
        op = draw(st.sampled_from(("under", "covers") if type_ == PATH else ("under",)))
        right = _side(draw, terms, type_)
        if draw(st.booleans()):
            right = draw(st.sampled_from(terms.by_type[ListOf(type_)]))
        return f"{_term(draw, terms, type_)} {op} {right}"
    left = _term(draw, terms, draw(st.sampled_from((STRING, PATH, HOST))))
    return f'{left} like "a*"' if draw(st.booleans()) else f'{left} matches r"[a-z/]*"'


def _quantifier(draw: Draw, terms: _Terms, depth: int, binders: int) -> str:
    lists = [type_ for type_ in terms.by_type if isinstance(type_, ListOf)]
    type_ = draw(st.sampled_from(lists))
    source, binder = draw(st.sampled_from(terms.by_type[type_])), f"x{binders}"
    inner = terms.with_binder(type_.item, binder)
    where = _condition(draw, inner, depth, binders + 1)
    if type_.item is EFFECT_KINDS["run"] and draw(st.booleans()):
        where = f"{binder} is `git push` and ({where})"
    kind = draw(st.sampled_from(("any", "none", "count")))
    text = f"{kind}({binder} in {source} where {where})"
    return f"{text} {draw(st.sampled_from(_ORDER))} 1" if kind == "count" else text


# --- values ---------------------------------------------------------------------------------

_VALUES: Final[Mapping[Type, tuple[Any, ...]]] = {
    BOOL: (True, False),
    INT: (0, 3, -1),
    STRING: ("", "ann", "/etc/x", "../x", "~/.ssh", "https://a.corp.example/x", "a b", "\ud800"),
    PATH: ("/", "/etc", "/srv/app/x", "~/.ssh", "/etc/*"),
    HOST: ("corp.example", "a.corp.example", "10.0.0.1"),
    URL: ("https://corp.example/x",),
    TIME: (0, 1_796_115_600_000_000),
    JSON: ("ann", 3, True, 3.5, {"b": 1}, ["x"]),
}


def _value(draw: Draw, type_: Type, outside: bool = False) -> Any:
    match type_:
        case Optional(item=item):
            return _value(draw, item) if draw(st.booleans()) else None
        case ListOf(item=item):
            return [_value(draw, item) for _ in range(draw(st.integers(0, 2)))]
        case MapOf(value=value):
            keys = draw(st.sets(st.sampled_from(("a", "full", "daemon"))))
            return {key: _value(draw, value) for key in sorted(keys)}
        case Enum(members=members):
            return draw(st.sampled_from(members))
        case Record(fields=fields):
            return {name: _value(draw, field.type) for name, field in fields.items()}
    if type_ == PATH and outside:
        return draw(st.sampled_from(("", "docs", "/etc/../x", *_VALUES[PATH])))
    return draw(st.sampled_from(_VALUES[type_]))


def _effect(draw: Draw, kind: str) -> Effect:
    fields: dict[str, Any] = {}
    for name, field in EFFECT_SOURCES[kind].fields.items():
        if name not in ("certain", "through"):
            value = _value(draw, field.type)
            if field.unknown and draw(st.integers(0, 2)) == 0:
                value = [*value, UNKNOWN] if isinstance(value, list) else UNKNOWN
            fields[name] = value
    return Effect(kind, fields, certain=draw(st.booleans()))


@st.composite
def facts(draw: Draw) -> Callable[[str], Any]:
    """A function that gives every fact a value, the same each time."""
    known: dict[str, Any] = {}
    names = standard().scope.names

    def value(name: str) -> Any:
        if name not in known:
            root, _, rest = name.partition(".")
            if root == "effects" and rest != "complete":
                known[name] = [_effect(draw, rest) for _ in range(draw(st.integers(0, 2)))]
            elif name == "observed.time":
                known[name] = draw(st.sampled_from((UNKNOWN, 0)))
            elif root == "args":
                known[name] = _value(draw, Optional(JSON))
            elif name == "call.home":
                known[name] = draw(st.sampled_from(("", "/home/u")))
            else:
                known[name] = _value(draw, names[name].type, outside=True)
        return known[name]

    return value
