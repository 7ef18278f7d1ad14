"""Well-typed conditions at random: each as the text of a rule file and as the typed expression.

`conditions(scope)` is the strategy of conditions that the type checker accepts in that scope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
    Default,
    Fact,
    Get,
    Has,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern
from callgate.model.policy import AskLevel
from tests.strategies_pick import Pick, picked
from tests.strategies_scope import LITERALS, TIMES, Scope, Term, literal

__all__ = ["EFFECT_NAMES", "condition", "conditions", "effect_terms"]

_GLOBS: Final = ("*", "a*", "*n*", "b?b", "*.org", "")
_REGEXES: Final = ("", "a.*", "[ab].+", "(?i)ANN", "bob|git")
_COMPARE: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}

_git, _push = WordPattern(("git",)), WordPattern(("push",))
_force = OptionPattern(("--force", "-f"))
_OPEN: Final[Mapping[str, CommandPattern]] = {
    "git push": CommandPattern((_git,), ((_push,),)),
    "git push (--force|-f)": CommandPattern((_git,), ((_push,),), (_force,)),
    "rm": CommandPattern((WordPattern(("rm",)),)),
}
# Only these where a match may let something through.
_CLOSED: Final[Mapping[str, CommandPattern]] = {
    "git push $": CommandPattern((_git,), ((_push,),), closed=True),
}


def condition(pick: Pick, scope: Scope, depth: int = 2) -> Term:
    """A well-typed condition over what the scope names, nested at most so deep."""
    shapes = ["atom", "atom"]
    shapes += ["and", "or", "not"] if depth else []
    shapes += ["effects"] * 2 if scope.effects != "none" and scope.binders < 2 else []
    shapes += ["command"] if scope.terms("command") else []
    shape = pick.of(shapes)
    if shape == "atom":
        return _atom(pick, scope)
    if shape == "effects":
        return _about_effects(pick, scope)
    if shape == "command":
        return _about_command(pick, scope)
    if shape == "not":
        item = condition(pick, scope.flipped(), depth - 1)
        return Term(f"not ({item.text})", Not(item.expr))
    items = [condition(pick, scope, depth - 1) for _ in range(pick.number(2, 3))]
    text = f" {shape} ".join(f"({item.text})" for item in items)
    parts = tuple(item.expr for item in items)
    return Term(text, And(parts) if shape == "and" else Or(parts))


def _atom(pick: Pick, scope: Scope) -> Term:
    """A condition without `or`, `not`, and without effects."""
    choices = [("scalar", kind) for kind in LITERALS if scope.readable(kind)]
    choices += [("scalar", kind) for kind in scope.favoured if scope.terms(kind)] * 3
    choices += [("list", "string")] * 3 if scope.terms("command") and not scope.binders else []
    choices += [("enum", name) for name in scope.enums if scope.terms(name)]
    if scope.binders < 2:
        choices += [("list", kind) for kind in scope.lists if kind in LITERALS]
    choices += [("time", "")] if scope.terms("time") else []
    choices += [("capability", "")] if "capability" in scope.lists else []
    choices += [("has", kind) for kind in scope.optional if kind in LITERALS]
    choices += [("json", "")] if scope.json else []
    choices += [("asks", "")] if scope.asks != "none" else []
    shape, kind = pick.of(choices)
    if shape == "scalar":
        return _SCALARS[kind](pick, scope)
    if shape == "capability":
        word = literal(pick.of(("can.exec", "can.fly", "can.read_file")))
        return _applied("in", "in", word, scope.lists["capability"][0])
    if shape == "time":
        return _about_time(pick, scope)
    if shape == "asks":
        return _about_asks(pick, scope)
    if shape == "json":
        return _about_json(pick, scope)
    about = {"enum": _about_enum, "list": _about_list, "has": _about_absent}[shape]
    return about(pick, scope, kind)


def _about_absent(pick: Pick, scope: Scope, kind: str) -> Term:
    """`has x`, or `has x and …x…`."""
    term = pick.of(scope.optional[kind])
    there = Term(f"has {term.text}", Has(term.expr))
    if pick.flip():
        return there
    only = replace(scope, present={kind: (term,)}, doubtful={}, optional={}, maps={})
    return there.and_(_SCALARS[kind](pick, only))


def _about_json(pick: Pick, scope: Scope) -> Term:
    """A value of any shape may be compared."""
    term = pick.of(scope.json["json"])
    there = Term(f"has {term.text}", Has(term.expr))
    word = literal(pick.of(LITERALS[pick.of(("string", "string", "int", "bool"))]))
    return there.and_(_compared(pick.of(("==", "==", "!=")), term, word))


def _about_asks(pick: Pick, scope: Scope) -> Term:
    """What the guards asked, read in the direction that the scope allows."""
    up = pick.flip() if scope.liberal else scope.asks == "up"
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


# --- operands -------------------------------------------------------------------------------


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
    return Term(f"{left.text} {op} {right.text}", Apply(_COMPARE[op], (left.expr, right.expr)))


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
    return _compared(pick.of(list(_COMPARE)), left, _side(pick, scope, "int"))


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
    word, op = pick.of((("under", "under_path"), ("covers", "covers")))
    return _applied(word, op, left, _side_or_list(pick, scope, "path"))


def _about_host(pick: Pick, scope: Scope) -> Term:
    left = _operand(pick, scope, "host")
    return _applied("under", "under_host", left, _side_or_list(pick, scope, "host"))


def _about_time(pick: Pick, scope: Scope) -> Term:
    moment = literal(pick.of(TIMES))
    right = Term(f"time({moment.text})", Apply("time", (moment.expr,)))
    op = pick.of(("<", "<=", ">", ">="))
    return _compared(op, pick.of(scope.terms("time")), right)


_SCALARS: Final = {
    "bool": _about_bool,
    "int": _about_int,
    "string": _about_string,
    "path": _about_path,
    "host": _about_host,
}


def _about_enum(pick: Pick, scope: Scope, name: str) -> Term:
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


# --- lists, effects and commands ------------------------------------------------------------


def _quantified(
    pick: Pick, kind: str, binder: str, source: Term, where: Term, ops: Sequence[str]
) -> Term:
    """`any(b in source where c)`, `none(…)`, `count(…) >= 2`."""
    text = f"{kind}({binder} in {source.text} where {where.text})"
    if kind != "count":
        return Term(text, Quant(kind, binder, source.expr, where.expr))
    op, bound = pick.of(ops), pick.number(0, 3)
    quant = Quant("count", binder, source.expr, where.expr, _COMPARE[op], Const(bound))
    return Term(f"{text} {op} {bound}", quant)


def _about_list(pick: Pick, scope: Scope, kind: str) -> Term:
    """A quantifier over a list of plain values."""
    source = pick.of(scope.lists[kind])
    binder = f"x{scope.binders}"
    element = {kind: (Term(binder, Var(binder)),)}
    where = _SCALARS[kind](pick, scope.within().adding(present=element))
    shape = pick.of(("any", "none", "count"))
    return _quantified(pick, shape, binder, source, where, list(_COMPARE))


_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "read": {"path": "path"},
    "write": {"path": "path"},
    "delete": {"path": "path", "recursive": "bool"},
    "connect": {"host": "host", "scheme": "string"},
    "run": {"program": "string"},
    "permission": {"path": "path", "world_writable": "bool"},
    "interpret": {"language": "string"},
}
EFFECT_NAMES: Final = tuple(_FIELDS)
_OPTIONAL_FIELDS: Final = {"permission": {"mode": "string"}, "connect": {"port": "int"}}


def effect_terms(scope: Scope, kind: str, binder: str) -> Scope:
    """The scope in which `binder` is an effect of the kind."""
    doubtful: dict[str, tuple[Term, ...]] = {}
    optional: dict[str, tuple[Term, ...]] = {}
    for terms, fields in (
        (doubtful, {**_FIELDS[kind], "certain": "bool"}),
        (optional, _OPTIONAL_FIELDS.get(kind, {})),
    ):
        for name, type_name in fields.items():
            term = Term(f"{binder}.{name}", Get(Var(binder), name))
            terms[type_name] = (*terms.get(type_name, ()), term)
    lists: dict[str, tuple[Term, ...]] = {}
    if kind == "run":
        doubtful["command"] = (Term(binder, Var(binder)),)
        lists["string"] = (Term(f"{binder}.words", Get(Var(binder), "words")),)
    favoured = (*scope.favoured, *(name for name in doubtful if name in LITERALS))
    return replace(scope, favoured=favoured).adding(
        doubtful={name: known * 3 for name, known in doubtful.items()},
        optional=optional,
        lists={name: known * 3 for name, known in lists.items()},
    )


def _about_effects(pick: Pick, scope: Scope) -> Term:
    """Something about effects that more of them make true, or false, as the scope allows."""
    up = pick.flip() if scope.liberal else scope.effects == "up"
    if pick.number(0, 3) == 0:
        complete = Term("effects.complete", Fact("effects.complete"))
        return Term(f"not {complete.text}", Not(complete.expr)) if up else complete
    kind = pick.of(EFFECT_NAMES)
    binder = f"e{scope.binders}"
    where = condition(pick, effect_terms(scope.within(), kind, binder), depth=1)
    source = Term(f"effects.{kind}", Fact(f"effects.{kind}"))
    shape = pick.of(("any" if up else "none", "count"))
    return _quantified(pick, shape, binder, source, where, (">", ">=") if up else ("<", "<="))


def _about_command(pick: Pick, scope: Scope) -> Term:
    """`` r is `git push` ``."""
    run = pick.of(scope.terms("command"))
    patterns = _OPEN if scope.effects == "up" and not scope.liberal else _CLOSED
    text = pick.of(list(patterns))
    return Term(f"{run.text} is `{text}`", CommandMatch(run.expr, patterns[text]))


conditions = picked(condition)
