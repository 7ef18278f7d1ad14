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
    Fact,
    Get,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern
from tests.strategies_atoms import (
    COMPARE,
    SCALARS,
    about_absent,
    about_asks,
    about_capability,
    about_enum,
    about_json,
    about_need,
    about_time,
)
from tests.strategies_pick import Pick, picked
from tests.strategies_scope import LITERALS, Direction, Scope, Term, literal

__all__ = ["EFFECT_NAMES", "PATTERN_TEXTS", "condition", "conditions", "effect_terms"]


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

PATTERN_TEXTS: Final[Mapping[str, CommandPattern]] = {
    **_OPEN,
    **_CLOSED,
    "rm [-r] * $": CommandPattern(
        (WordPattern(("rm",)),), ((WordPattern(("", "")),),), (), (OptionPattern(("-r",)),), True
    ),
}
"""Patterns that settings may hold."""


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
    choices += [("need", "")] if "need" in scope.lists else []
    choices += [("has", kind) for kind in scope.optional if kind in LITERALS]
    choices += [("json", "")] if scope.json else []
    choices += [("asks", "")] if scope.asks != "none" else []
    shape, kind = pick.of(choices)
    if shape == "scalar":
        return SCALARS[kind](pick, scope)
    if shape == "capability":
        return about_capability(pick, scope)
    if shape == "need":
        return about_need(pick, scope)
    if shape == "time":
        return about_time(pick, scope)
    if shape == "asks":
        return about_asks(pick, scope)
    if shape == "json":
        return about_json(pick, scope)
    about = {"enum": about_enum, "list": _about_list, "has": about_absent}[shape]
    return about(pick, scope, kind)


# --- lists, effects and commands ------------------------------------------------------------


def _quantified(
    pick: Pick, kind: str, binder: str, source: Term, where: Term, ops: Sequence[str]
) -> Term:
    """`any(b in source where c)`, `none(…)`, `count(…) >= 2`."""
    text = f"{kind}({binder} in {source.text} where {where.text})"
    if kind != "count":
        return Term(text, Quant(kind, binder, source.expr, where.expr))
    op, bound = pick.of(ops), pick.number(0, 3)
    quant = Quant("count", binder, source.expr, where.expr, COMPARE[op], Const(bound))
    return Term(f"{text} {op} {bound}", quant)


def _about_list(pick: Pick, scope: Scope, kind: str) -> Term:
    """A quantifier over a list of plain values."""
    source = pick.of(scope.lists[kind])
    binder = f"x{scope.binders}"
    element = {kind: (Term(binder, Var(binder)),)}
    shape = pick.of(("any", "none", "count"))
    more: Mapping[str, Direction] = {"any": "up", "none": "down", "count": "none"}
    where = SCALARS[kind](pick, scope.within(more[shape]).adding(present=element))
    return _quantified(pick, shape, binder, source, where, list(COMPARE))


_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "read": {"path": "path", "tree": "bool"},
    "write": {"path": "path", "tree": "bool"},
    "delete": {"path": "path", "recursive": "bool"},
    "connect": {"host": "host", "scheme": "string"},
    "run": {"program": "string"},
    "permission": {"path": "path", "world_writable": "bool"},
    "interpret": {"language": "string"},
    "changes": {"path": "path", "kind": "string"},
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
    kind = pick.of(scope.kinds or EFFECT_NAMES)
    binder = f"e{scope.binders}"
    where = condition(
        pick, effect_terms(scope.within("up" if up else "down"), kind, binder), depth=1
    )
    source = Term(f"effects.{kind}", Fact(f"effects.{kind}"))
    shape = pick.of(("any" if up else "none", "count"))
    return _quantified(pick, shape, binder, source, where, (">", ">=") if up else ("<", "<="))


def _about_words(pick: Pick, run: Term) -> Term:
    """Whether a command begins with some words."""
    words = literal(pick.of(("git push", " git  push ", "git", "rm -r", "", "git push --force")))
    text = f"begins({run.text}.program, {run.text}.words, {words.text})"
    fields = (Get(run.expr, "program"), Get(run.expr, "words"))
    return Term(text, Apply("begins", (*fields, words.expr)))


def _about_command(pick: Pick, scope: Scope) -> Term:
    """`` r is `git push` ``."""
    run = pick.of(scope.terms("command"))
    if pick.number(0, 3) == 0:
        return _about_words(pick, run)
    tightens = scope.effects == "up" and not scope.liberal
    if pick.number(0, 2) == 0:
        return _about_settings(pick, scope, run, tightens)
    patterns = _OPEN if tightens else _CLOSED
    text = pick.of(list(patterns))
    return Term(f"{run.text} is `{text}`", CommandMatch(run.expr, patterns[text]))


def _about_settings(pick: Pick, scope: Scope, run: Term, tightens: bool) -> Term:
    """Whether a command is one of the patterns of a setting."""
    name = f"settings.commands.{pick.of(('watched', 'known')) if tightens else 'known'}"
    binder = f"p{scope.binders}"
    text = f"any({binder} in {name} where {run.text} is {binder})"
    return Term(text, Quant("any", binder, Fact(name), CommandMatch(run.expr, Var(binder))))


conditions = picked(condition)
