"""What generated conditions may name: terms under their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from callgate.model.expr import And, Apply, Const, Expr, Fact

__all__ = [
    "LITERALS",
    "TIMES",
    "Direction",
    "EnumWords",
    "Scope",
    "Term",
    "literal",
    "normal",
    "with_home",
]

Direction = Literal["none", "up", "down"]

LITERALS: Final[Mapping[str, Sequence[Any]]] = {
    "bool": (True, False),
    "int": (-1, 0, 1, 2, 7),
    "string": ("", "ann", "bob", "git", "bob@x", "a*", "ünï"),
    "path": ("/", "/data", "/data/a", "/data/a/b", "/data-b", "/srv/app", "~/.ssh", "~"),
    "host": ("example.org", "org", "a.example.org", "notexample.org", "10.0.0.1"),
}
"""The constants that conditions, settings, calls and effects draw from, so that they meet."""

TIMES: Final = ("2026-01-01T00:00:00Z", "2026-12-01T10:00:00+01:00", "2026-12-01T09:00:00.5Z")


@dataclass(frozen=True)
class Term:
    """An expression: as text and typed."""

    text: str
    expr: Expr

    def and_(self, other: Term) -> Term:
        """Both conditions."""
        return Term(f"{self.text} and ({other.text})", And((self.expr, other.expr)))


@dataclass(frozen=True)
class EnumWords:
    """An enum's members; `ordered`: least first."""

    members: tuple[str, ...]
    ordered: bool = False


_FLIPPED: Final[Mapping[Direction, Direction]] = {"none": "none", "up": "down", "down": "up"}

Terms = Mapping[str, tuple[Term, ...]]


def _merge(old: Terms, new: Terms) -> Terms:
    return {kind: (*old.get(kind, ()), *new.get(kind, ())) for kind in {**old, **new}}


@dataclass(frozen=True)
class Scope:
    """What a condition may name.

    Terms stand under the name of their type: `bool`, `int`, `string`, `path`, `host`, `command`
    (a `run` effect) or an enum's name. `present` are there and known, `doubtful` may be UNKNOWN,
    `optional` may be absent, `lists` and `maps` hold values of the type; `json` are
    values of any shape, which may be absent.

    `effects`: in which direction effects may be read: not at all, so that more of them make the
    condition true (`up`), or so that more make it false (`down`); `asks`: the same for
    `guards.asks`; `places`: for `touches`, `holds`, `has_part` and `named`. `kinds`: only effects
    of these, if any. `favoured`: types that conditions should speak of. `unknown`: whether the
    condition may be unknown. `liberal`: read effects in any direction, as careless authors would.
    `homes`: what home folders look like.
    """

    present: Terms
    doubtful: Terms = field(default_factory=dict)
    optional: Terms = field(default_factory=dict)
    lists: Terms = field(default_factory=dict)
    maps: Terms = field(default_factory=dict)
    json: Terms = field(default_factory=dict)
    enums: Mapping[str, EnumWords] = field(default_factory=dict)
    effects: Direction = "none"
    asks: Direction = "none"
    places: Direction = "none"
    favoured: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    unknown: bool = True
    liberal: bool = False
    homes: tuple[str, ...] = ()
    binders: int = 0

    def terms(self, kind: str) -> tuple[Term, ...]:
        """The terms of a type that can be used without a guard against absence."""
        doubtful = self.doubtful.get(kind, ()) if self.unknown else ()
        return (*self.present.get(kind, ()), *doubtful)

    def readable(self, kind: str) -> bool:
        """Whether there is anything of a type, present or not."""
        return bool(self.terms(kind) or self.optional.get(kind) or self.maps.get(kind))

    def reading(
        self, effects: Direction = "none", asks: Direction = "none", unknown: bool = True
    ) -> Scope:
        """The scope of a condition that may read effects and asks in these directions, and so test
        protected places."""
        places = asks if effects == "none" else effects
        return replace(self, effects=effects, asks=asks, places=places, unknown=unknown)

    def adding(self, **more: Terms) -> Scope:
        """The scope with more terms: `present`, `doubtful`, `optional` or `lists`."""
        return replace(
            self, **{place: _merge(getattr(self, place), terms) for place, terms in more.items()}
        )

    def daring(self) -> Scope:
        """The scope of an author who reads effects in any direction."""
        return replace(self, effects="up", liberal=True)

    def flipped(self) -> Scope:
        """The scope under a `not`."""
        return replace(
            self,
            effects=_FLIPPED[self.effects],
            asks=_FLIPPED[self.asks],
            places=_FLIPPED[self.places],
        )

    def within(self, direction: Direction) -> Scope:
        """The scope inside a quantifier, which more items that are meant make true (`up`), false
        (`down`) or either (`none`)."""
        places: Direction = "none" if direction == "none" else self.places
        if direction == "down":
            places = _FLIPPED[places]
        return replace(self, effects="none", asks="none", places=places, binders=self.binders + 1)


def literal(value: Any, kind: str = "") -> Term:
    """A constant as it is written; a path that starts with `~` gets the home put in."""
    if isinstance(value, bool):
        return Term(str(value).lower(), Const(value))
    if isinstance(value, int):
        return Term(str(value), Const(value))
    home = kind == "path" and value.startswith("~")
    return Term(f'"{value}"', with_home(Const(value)) if home else Const(value))


def with_home(expr: Expr) -> Expr:
    """A path, or a list of them, with the home folder for `~`."""
    return Apply("expand_home", (expr, Fact("call.home")))


def normal(expr: Expr) -> Expr:
    """A path that comes from outside in its normal form."""
    return with_home(Apply("path", (expr, Const(""))))
