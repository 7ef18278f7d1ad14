"""Conditions over a few values, and every way in which those may turn out, doubt among them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from callgate.effects import Extractor, Surroundings, match
from callgate.lang import parse_pattern
from callgate.lint.logic import Logic
from callgate.model.effect import Effect
from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
    Expr,
    Fact,
    Get,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.model.pattern import CommandPattern
from callgate.model.values import UNKNOWN
from tests.check.evaluate import evaluate

__all__ = [
    "CHANNEL",
    "COUNT",
    "FLAG",
    "HOUR",
    "LEVELS",
    "LOGIC",
    "PLACE",
    "RISK",
    "at_home",
    "conditions",
    "counted",
    "truths",
]

RISK: Final = Fact("risk")
CHANNEL: Final = Fact("call.channel")
COUNT: Final = Fact("call.attempt_index")
FLAG: Final = Fact("call.unattended")
PLACE: Final = Get(Var("w"), "path")
HOUR: Final = Apply("hour", (Fact("observed.time"), Const("UTC")))
WORDS: Final = Get(Var("w"), "words")
LEVELS: Final = ("low", "mid", "high")
PATHS: Final = ("/srv", "/srv/a", "/etc", "~", "~/a")
RUN: Final = Var("r")
PROGRAM: Final = Get(RUN, "program")
_EXTRACTOR: Final = Extractor(
    {"git": {"commands": {"push": {"options": {"force": "-f|--force"}}, "pull": {}}}}
)
_COMMANDS: Final = (
    *("git push", "git push -f a", "git pull", "git --new push pull", "git $X", "git push $X"),
    *("rm x", "$X push", "git", "git push --forc $X"),
)


def _run(command: str) -> Effect:
    place = Surroundings(cwd="/w", workspace="/w", home="/h")
    source = [("shell", {"text": ("arg", "c", None)})]
    return _EXTRACTOR.extract(source, {"c": command}, place).by_kind["run"][0]


LOGIC: Final = Logic({"risk": LEVELS, "call.unattended": (True, False)})

VALUES: Final[dict[Expr, tuple[Any, ...]]] = {
    RISK: LEVELS,
    CHANNEL: ("", "ops", "opsx", "web"),
    COUNT: (0, 1, 2, 3, 4),
    FLAG: (True, False),
    PLACE: (
        UNKNOWN,
        "/",
        "/srv",
        "/srv/a/b",
        "/srv/A*",
        "/etc",
        "~",
        "~/a",
        "/h/a",
        "/h/A/b",
        "/a.b",
    ),
    RUN: (*map(_run, _COMMANDS), Effect("run", {"program": UNKNOWN}, None)),
    HOUR: (UNKNOWN, 0, 9, 23),
    WORDS: ((), ("a",), (UNKNOWN,), ("a", "b"), ("b", UNKNOWN)),
}
"""What conditions look at, with the values that make a difference."""


_MOST: Final = 300


def at_home(paths: tuple[str, ...]) -> Expr:
    """A list of paths, with the home folder for `~`."""
    found = Const(paths)
    if any(path[0] == "~" for path in paths):
        return Apply("expand_home", (found, Fact("call.home")))
    return found


def counted(op: str, number: int) -> Expr:
    """How often a word is there, compared with a number."""
    where = Apply("eq", (Var("x"), Const("a")))
    return Quant("count", "x", WORDS, where, op, Const(number))


_ORDER: Final = ("lt", "le", "gt", "ge")
_EQUAL: Final = ("eq", "ne")


def _matching(text: str, strict: bool) -> Expr:
    return CommandMatch(RUN, parse_pattern(text), strict)


_subsets = st.lists(st.sampled_from(PATHS), min_size=1, max_size=2).map(tuple)
_atoms: st.SearchStrategy[Expr] = st.one_of(
    st.builds(
        lambda op, at: Apply(op, (Apply("rank", (RISK, Const(LEVELS))), Const(at))),
        st.sampled_from(_ORDER),
        st.integers(0, 2),
    ),
    st.builds(
        lambda term, op, at: Apply(op, (term[0], Const(term[1][at]))),
        st.sampled_from([(RISK, LEVELS), (CHANNEL, ("", "ops", "web"))]),
        st.sampled_from(_EQUAL),
        st.integers(0, 2),
    ),
    st.lists(st.sampled_from(LEVELS), max_size=3).map(
        lambda of: Apply("in", (RISK, Const(tuple(of))))
    ),
    st.sampled_from(("ops*", "o*", "*", "web", "*x", "*sx")).map(
        lambda glob: Apply("like", (CHANNEL, Const(glob)))
    ),
    st.sampled_from(("ops.?", "[^w].*")).map(
        lambda regex: Apply("matches", (CHANNEL, Const(regex)))
    ),
    st.sampled_from(
        ("git", "git push", "git (push|pull)", "git pull", "git push -f", "(rm|git)")
    ).flatmap(lambda text: st.builds(_matching, st.just(text), st.booleans())),
    st.builds(
        lambda op, at: Apply(op, (PROGRAM, Const(at))),
        st.sampled_from(_EQUAL),
        st.sampled_from(("git", "rm")),
    ),
    st.builds(
        lambda term, op, at: Apply(op, (term, Const(at))),
        st.sampled_from((COUNT, HOUR, Apply("length", (CHANNEL,)))),
        st.sampled_from((*_ORDER, *_EQUAL)),
        st.integers(-1, 5),
    ),
    st.just(FLAG),
    st.builds(lambda op, at: Apply(op, (FLAG, Const(at))), st.sampled_from(_EQUAL), st.booleans()),
    st.builds(
        lambda op, of: Apply(op, (PLACE, at_home(of))),
        st.sampled_from(("under_path", "covers")),
        _subsets,
    ),
    _subsets.map(lambda of: Apply("touches", (PLACE, Const(of), Fact("call.home"), Const(())))),
    st.builds(counted, st.sampled_from((*_ORDER, *_EQUAL)), st.integers(0, 2)),
    st.builds(
        lambda kind, word: Quant(kind, "x", WORDS, Apply("in", (Var("x"), Const(word)))),
        st.sampled_from(("any", "none")),
        st.sampled_from((("a",), ("b",), ("a", "b"))),
    ),
    st.sampled_from(("a", "b")).map(lambda word: Apply("in", (Const(word), WORDS))),
    st.booleans().map(Const),
)


def conditions(leaves: int = 5) -> st.SearchStrategy[Expr]:
    """Conditions of so many tests at most."""
    return st.recursive(
        _atoms,
        lambda inner: st.one_of(
            inner.map(Not),
            st.lists(inner, min_size=2, max_size=3).map(lambda items: And(tuple(items))),
            st.lists(inner, min_size=2, max_size=3).map(lambda items: Or(tuple(items))),
        ),
        max_leaves=leaves,
    )


def _values(terms: list[Expr]) -> Iterable[tuple[Any, ...]]:
    """Values for each of these: all of them, or some where they are too many."""
    sets = [VALUES[term] for term in terms]
    if prod(map(len, sets)) <= _MOST:
        return product(*sets)
    draw = Random(len(terms))
    return [tuple(draw.choice(values) for values in sets) for _ in range(_MOST)]


def _matched(expr: Expr, run: Any) -> Expr:
    """The condition with what its command patterns are of a command."""
    if isinstance(expr, CommandMatch):
        assert isinstance(expr.pattern, CommandPattern)
        return Const(match(run, expr.pattern, expr.strict))
    if isinstance(expr, Not):
        return Not(_matched(expr.item, run))
    if isinstance(expr, And | Or):
        return type(expr)(tuple(_matched(item, run) for item in expr.items))
    return expr


def truths(*exprs: Expr) -> list[tuple[Any, ...]]:
    """What conditions are, for the values of what they look at."""
    text = repr(exprs)
    terms = [term for term in VALUES if repr(term) in text]
    found = []
    for values in _values(terms):
        known = dict(zip(terms, values, strict=True))
        for home in ("", "/h"):
            facts = {t.name: v for t, v in known.items() if isinstance(t, Fact)}
            facts["call.home"] = home
            hour = known.get(HOUR)
            facts["observed.time"] = hour if hour in (None, UNKNOWN) else hour * 3_600_000_000
            run = known.get(RUN)
            bound = {"w": {"path": known.get(PLACE), "words": known.get(WORDS)}, "r": run}
            found.append(
                tuple(evaluate(_matched(expr, run), facts.__getitem__, bound) for expr in exprs)
            )
    return found
