"""Comparisons on values of every type: what random conditions are put together from."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callgate.model.expr import Apply, Const, Default, Fact, Has, Not, Quant, Var
from callgate.model.policy import AskLevel
from tests.strategies_pick import Pick
from tests.strategies_scope import LITERALS, TIMES, Scope, Term, literal

__all__ = [
    "COMPARE",
    "SCALARS",
    "about_absent",
    "about_asks",
    "about_capability",
    "about_enum",
    "about_json",
    "about_need",
    "about_time",
]

_ZONES: Final = ("UTC", "Europe/Berlin", "Pacific/Apia")
_HOURS: Final = ("Mon-Fri 09:00-18:00", "Tue 10:00-06:00, 00:00-00:30", "Sat-Tue 08:00-09:01")
_GLOBS: Final = ("*", "a*", "*n*", "b?b", "*.org", "")
_REGEXES: Final = ("", "a.*", "[ab].+", "(?i)ANN", "bob|git")
COMPARE: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
"""Operators and their operations."""


def _literals(pick: Pick, kind: str) -> Term:
    return literal(pick.of(LITERALS[kind]), kind)


def _operand(pick: Pick, scope: Scope, kind: str) -> Term:
    """A fact of the type; one that may be absent with a default."""
    pool = [("plain", term) for term in scope.terms(kind)]
    pool += [("optional", term) for term in scope.optional.get(kind, ())]
    pool += [("map", term) for term in scope.maps.get(kind, ())]
    shape, term = pick.of(pool)
    if shape == "plain":
        return term
    if shape == "map":
        key = pick.of(("a", "b", "cli"))
        term = Term(f'{term.text}["{key}"]', Apply("item", (term.expr, Const(key))))
    default = _literals(pick, kind)
    return Term(f"({term.text} ?? {default.text})", Default(term.expr, default.expr))


def _side(pick: Pick, scope: Scope, kind: str) -> Term:
    """The right side of a comparison: mostly a literal."""
    return _literals(pick, kind) if pick.number(0, 3) else _operand(pick, scope, kind)


def _side_or_list(pick: Pick, scope: Scope, kind: str) -> Term:
    """The right side of `under` and `covers`: one or a list of them."""
    lists = scope.lists.get(kind, ())
    if lists and pick.flip():
        return pick.of(lists)
    return _side(pick, scope, kind)


def _compared(op: str, left: Term, right: Term) -> Term:
    return Term(f"{left.text} {op} {right.text}", Apply(COMPARE[op], (left.expr, right.expr)))


def _applied(word: str, op: str, left: Term, right: Term) -> Term:
    test = Apply(op, (left.expr, right.expr))
    return Term(f"{left.text} {word} {right.text}", Not(test) if word == "not in" else test)


# --- scalars and enums ----------------------------------------------------------------------


def _about_bool(pick: Pick, scope: Scope) -> Term:
    left = _operand(pick, scope, "bool")
    if pick.number(0, 3):
        return left
    return _compared(pick.of(("==", "!=")), left, _literals(pick, "bool"))


def _about_int(pick: Pick, scope: Scope) -> Term:
    left = _operand(pick, scope, "int")
    return _compared(pick.of(list(COMPARE)), left, _side(pick, scope, "int"))


def _about_string(pick: Pick, scope: Scope) -> Term:
    left = _operand(pick, scope, "string")
    shape = pick.of(("==", "!=", "in", "not in", "like", "matches"))
    if shape == "like":
        return _applied("like", "like", left, literal(pick.of(_GLOBS)))
    if shape == "matches":
        regex = pick.of(_REGEXES)
        return _applied("matches", "matches", left, Term(f'r"{regex}"', Const(regex)))
    if shape in ("in", "not in"):
        lists = scope.lists.get("string", ())
        if lists and pick.flip():
            return _applied(shape, "in", left, pick.of(lists))
        words = pick.some(LITERALS["string"], 1, 3)
        text = ", ".join(literal(word).text for word in words)
        return _applied(shape, "in", left, Term(f"[{text}]", Const(tuple(words))))
    return _compared(shape, left, _side(pick, scope, "string"))


def _about_path(pick: Pick, scope: Scope) -> Term:
    left = _operand(pick, scope, "path")
    shape = pick.of(("relation", "place", "name") if scope.places == "up" else ("relation",))
    if shape == "name":
        op = pick.of(("has_part", "named"))
        parts = pick.of((".ssh", "data/a", "*h", "A"))
        right = Term(f'["{parts}"]', Const((parts,)))
        return Term(f"{op}({left.text}, {right.text})", Apply(op, (left.expr, right.expr)))
    right = _side_or_list(pick, scope, "path")
    if shape == "place":
        op = pick.of(("touches", "holds"))
        place = right.expr
        if isinstance(place, Apply) and place.op == "expand_home":
            place = place.args[0]
        args = (left.expr, place, Fact("call.home"), Const(scope.homes))
        return Term(f"{op}({left.text}, {right.text})", Apply(op, args))
    word, op = pick.of((("under", "under_path"), ("covers", "covers")))
    return _applied(word, op, left, right)


def _about_host(pick: Pick, scope: Scope) -> Term:
    left = _operand(pick, scope, "host")
    return _applied("under", "under_host", left, _side_or_list(pick, scope, "host"))


def about_time(pick: Pick, scope: Scope) -> Term:
    shape = pick.of(("order", "order", "during", "weekday", "hour"))
    if shape == "order":
        return _time_order(pick, scope)
    moment, zone = pick.of(scope.terms("time")), literal(pick.of(_ZONES))
    if shape == "during":
        hours = literal(pick.of(_HOURS))
        text = f"during({moment.text}, {hours.text}, {zone.text})"
        return Term(text, Apply("during", (moment.expr, hours.expr, zone.expr)))
    found = Term(f"{shape}({moment.text}, {zone.text})", Apply(shape, (moment.expr, zone.expr)))
    if shape == "hour":
        return _compared(pick.of(list(COMPARE)), found, Term("9", Const(9)))
    days = pick.some(("mon", "tue", "wed", "thu", "sat"), 2, 3)
    return _applied("in", "in", found, Term("|".join(days), Const(tuple(days))))


def _time_order(pick: Pick, scope: Scope) -> Term:
    moment = literal(pick.of(TIMES))
    right = Term(f"time({moment.text})", Apply("time", (moment.expr,)))
    op = pick.of(("<", "<=", ">", ">="))
    return _compared(op, pick.of(scope.terms("time")), right)


SCALARS: Final = {
    "bool": _about_bool,
    "int": _about_int,
    "string": _about_string,
    "path": _about_path,
    "host": _about_host,
}


def about_enum(pick: Pick, scope: Scope, name: str) -> Term:
    """Comparison with members, as bare words or in quotes."""
    words = scope.enums[name]
    left = pick.of(scope.terms(name))
    shapes = ["==", "!=", "in", "not in", *(["<", "<=", ">", ">="] if words.ordered else [])]
    shapes += ["list"] if scope.lists.get(name) else []
    shape = pick.of(shapes)
    if shape == "list":
        return _applied("in", "in", left, pick.of(scope.lists[name]))
    if shape in ("in", "not in"):
        some = pick.some(words.members, 2, 3)
        return _applied(shape, "in", left, Term("|".join(some), Const(tuple(some))))
    member = pick.of(words.members)
    text = member if pick.flip() else f'"{member}"'
    if shape in ("==", "!="):
        return _compared(shape, left, Term(text, Const(member)))
    rank = Term(left.text, Apply("rank", (left.expr, Const(words.members))))
    return _compared(shape, rank, Term(text, Const(words.members.index(member))))


# --- what may be absent, and facts of their own ---------------------------------------------


def about_capability(pick: Pick, scope: Scope) -> Term:
    """Whether the tool has a capability."""
    word = literal(pick.of(("can.exec", "can.fly", "can.read_file")))
    return _applied("in", "in", word, scope.lists["capability"][0])


def about_need(pick: Pick, scope: Scope) -> Term:
    """Whether the tool needs something, or something of it is missing."""
    needs = scope.lists["need"][0]
    if scope.binders < 2 and pick.flip():
        binder = f"x{scope.binders}"
        missing = Term("observed.missing", Fact("observed.missing"))
        where = _applied("in", "in", Term(binder, Var(binder)), missing)
        text = f"any({binder} in {needs.text} where {where.text})"
        return Term(text, Quant("any", binder, needs.expr, where.expr))
    return _applied("in", "in", literal(pick.of(("git", "net", "nothing"))), needs)


def about_absent(pick: Pick, scope: Scope, kind: str) -> Term:
    """`has x`, or `has x and …x…`."""
    term = pick.of(scope.optional[kind])
    there = Term(f"has {term.text}", Has(term.expr))
    if pick.flip():
        return there
    only = replace(scope, present={kind: (term,)}, doubtful={}, optional={}, maps={})
    return there.and_(SCALARS[kind](pick, only))


def about_json(pick: Pick, scope: Scope) -> Term:
    """A value of any shape may be compared."""
    term = pick.of(scope.json["json"])
    there = Term(f"has {term.text}", Has(term.expr))
    word = literal(pick.of(LITERALS[pick.of(("string", "string", "int", "bool"))]))
    return there.and_(_compared(pick.of(("==", "==", "!=")), term, word))


def about_asks(pick: Pick, scope: Scope) -> Term:
    """What the guards asked, read in the direction that the scope allows."""
    up = scope.asks == "up"
    op, level = pick.of(
        ((">=", "any"), (">", "none"), (">=", "person"), ("!=", "none"))
        if up
        else (("==", "none"), ("<", "person"), ("<=", "any"), ("<", "any"))
    )
    asks = Term("guards.asks", Fact("guards.asks"))
    if op in ("==", "!="):
        return _compared(op, asks, Term(level, Const(level)))
    levels = tuple(AskLevel)
    rank = Term("guards.asks", Apply("rank", (asks.expr, Const(tuple(map(str, levels))))))
    return _compared(op, rank, Term(level, Const(levels.index(AskLevel(level)))))
