"""Which conditions may read what: effects only ever make a decision stricter.

A guard reads effects so that more of them can only make it fire; an allowing rule so that more of
them can only make it not apply, and only together with `effects.complete`; the rest of the flow
reads what the guards found, not effects. Risk and tool conditions come before all of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final

from callgate.lang.check_context import Context
from callgate.lang.scope import Read
from callgate.model.expr import And, CommandMatch, Expr, Not, Or, Quant
from callgate.model.syntax import PatternLiteral, Syntax

__all__ = ["Use", "judge", "with_strict_patterns"]


class Use(Enum):
    """What a condition is for.

    `DEFINITION`, `TEXT` (a reason, `show`) and `INVARIANT` decide nothing themselves. `DENY`: rules
    of the flow that deny, and `asks_become`; `FLOW`: those that ask or consult; `STEP`: whether a
    step or consult takes part, which may not be unknown; `VISIBILITY`: whether a tool is hidden.
    Exceptions loosen, as a rule that allows does: `GUARD_EXCEPTION` one of a guard, `EXCEPTION` one
    of a rule that denies, `ASK_EXCEPTION` one of a rule that asks.
    """

    GUARD = "a guard"
    ALLOW = "a rule that allows"
    EXCEPTION = "an exception"
    GUARD_EXCEPTION = "an exception of a guard"
    ASK_EXCEPTION = "an exception of a rule that asks"
    FLOW = "a flow rule that does not allow"
    DENY = "a flow rule that denies"
    STEP = "a step's condition"
    VISIBILITY = "a rule that hides tools"
    RISK = "the risk map"
    TOOLS = "the catalogue"
    DEFINITION = "a definition"
    INVARIANT = "an invariant"
    TEXT = "a text"


_FREE: Final = frozenset({Use.DEFINITION, Use.INVARIANT, Use.TEXT})
_LOOSENING: Final = frozenset({Use.ALLOW, Use.EXCEPTION, Use.GUARD_EXCEPTION})
_DIRECTION: Final = {Use.GUARD: 1, **dict.fromkeys(_LOOSENING, -1)}
_OPEN_LISTS: Final = {**_DIRECTION, Use.DENY: 1}
"""What more members of an open list must do to a condition: they only tighten. (A rule of the flow
that asks ends the walk, perhaps before one that denies.)"""
_WIDE: Final = {**_OPEN_LISTS, Use.FLOW: 1, Use.VISIBILITY: 1, Use.ASK_EXCEPTION: -1}
"""What a test that holds of more than it says must do to a condition."""
_LATER: Final = {
    "asks": frozenset({Use.GUARD, Use.GUARD_EXCEPTION, Use.RISK, Use.TOOLS, Use.VISIBILITY}),
    "risk": frozenset({Use.RISK, Use.TOOLS, Use.VISIBILITY}),
    "capabilities": frozenset({Use.TOOLS}),
}
_IN_GUARDS: Final = "a guard may say `any(…)` or `count(…) >= n` of effects, not `none(…)` or `not`"
_IN_ALLOWS: Final = "{} may say `none(…)` or `not any(…)` of effects, not `any(…)`"
_Error = Callable[[str, str, Syntax, str], object]


def judge(context: Context, use: Use) -> None:
    """Report what a condition reads that its use forbids: T001, T010 to T013, T022, T023."""
    if use in _FREE or not context.reads:
        return
    unguarded: tuple[Read, Syntax] | None = None
    for read, node in context.reads:
        if read.what in _LATER:
            if use in _LATER[read.what]:
                context.error(
                    "T001",
                    f"`{read.name}` is not known yet in {use.value}",
                    node,
                    "it is found out later: read it in a rule of the flow",
                )
        elif read.what == "closed":
            continue
        elif read.what == "list":
            _open_list(context, use, read, node)
        elif read.what == "wide":
            if read.direction != _WIDE.get(use, read.direction):
                context.error(
                    "T023",
                    f"{context.shown(node)} matches more than it says, and here a match lets "
                    "calls through",
                    node,
                    f"compare exactly, as in `{read.name}`",
                )
        elif use not in _DIRECTION:
            if read.what in ("effects", "complete"):
                context.error(
                    "T012", f"`{read.name}` can't be read in {use.value}", node, _elsewhere(use)
                )
        elif read.what == "pattern":
            if read.direction != _DIRECTION[use]:
                context.error("T013", *_open(read.name, node))
        elif read.direction != _DIRECTION[use] * (-1 if read.what == "complete" else 1):
            _direction(context, use, read, node)
        elif use in _LOOSENING and read.what == "effects" and not read.guarded:
            unguarded = unguarded or (read, node)
    if unguarded is not None and not context.failed:
        read, node = unguarded
        context.error(
            "T011",
            f"`{read.name}` says nothing of effects that were not understood",
            node,
            "write `effects.complete and …` around it",
        )


def _open_list(context: Context, use: Use, read: Read, node: Syntax) -> None:
    """Report an open list of which more members would not make a decision stricter (T022)."""
    direction = _OPEN_LISTS.get(use)
    if direction is not None and read.direction == direction:
        return
    if direction is None:
        message = f"the open list `{read.name}` can't be read in {use.value}"
        help = "only guards, rules that deny and rules that allow read open lists"
    elif direction > 0:
        message = f"with more members of `{read.name}`, {use.value} might not fire"
        help = "say `in`, `under` or `any(…)`, not `not in`, `not` or `none(…)`"
    else:
        message = f"with more members of `{read.name}`, {use.value} might apply"
        help = "say `not in` or `not … under`, or use a list that is not `open`"
    context.error("T022", message, node, help)


def _elsewhere(use: Use) -> str:
    if use in (Use.FLOW, Use.ASK_EXCEPTION, Use.DENY, Use.STEP):
        return "write a guard for it; the flow reads `guards.asks`"
    return "effects are found out after the tool and its risk: write a guard"


def _direction(context: Context, use: Use, read: Read, node: Syntax) -> None:
    if use is Use.GUARD:
        message = (
            f"with more effects this guard might not fire: `{read.name}` is read the wrong way"
        )
        help = _IN_GUARDS
        if read.what == "complete":
            message = "a guard can't require that every effect is understood"
            help = "leave `effects.complete` out; what is not understood is asked about anyway"
    else:
        might = "this rule might allow" if use is Use.ALLOW else "this exception might count"
        message = f"with more effects {might}: `{read.name}` is read the wrong way"
        help = _IN_ALLOWS.format(use.value)
        if read.what == "complete":
            message = f"{might} because effects were not understood"
            help = "write `effects.complete and …`"
    context.error("T010", message, node, help)


def _open(pattern: str, node: Syntax) -> tuple[str, Syntax, str]:
    """What is wrong with an open pattern, and what to do about it."""
    if not isinstance(node, PatternLiteral):
        message = f"`{pattern}` may be an open pattern, which lets through whatever begins so"
        return message, node, "declare the setting as a `list of closed_pattern`"
    closed = f"{pattern[:-1]} $`" if pattern.endswith("`") else pattern
    help = f"end it with `$` and name every option that may occur: {closed}"
    return f"{pattern} is open, and lets through whatever begins so", node, help


def with_strict_patterns(expr: Expr, use: Use) -> Expr:
    """The condition with its command patterns strict where a match lets a call through."""
    return _strict(expr, _DIRECTION.get(use, 0), 1) if use in _DIRECTION else expr


def _strict(expr: Expr, tightening: int, direction: int) -> Expr:
    match expr:
        case CommandMatch(run=run, pattern=pattern):
            return CommandMatch(run, pattern, strict=direction != tightening)
        case Not(item=item):
            return Not(_strict(item, tightening, -direction))
        case And(items=items):
            return And(_each(items, tightening, direction))
        case Or(items=items):
            return Or(_each(items, tightening, direction))
        case Quant(kind=kind, op=op):
            down = kind == "none" or op in ("lt", "le")
            here = 0 if op in ("eq", "ne") else -direction if down else direction
            where = _strict(expr.where, tightening, here)
            return Quant(kind, expr.var, expr.source, where, op, expr.bound)
    return expr


def _each(items: Iterable[Expr], tightening: int, direction: int) -> tuple[Expr, ...]:
    return tuple([_strict(item, tightening, direction) for item in items])
