"""Guards that another guard leaves nothing to decide, or that say what another says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callgate.lint.covering import Index
from callgate.lint.domains import logic
from callgate.lint.ends import where
from callgate.lint.logic import Logic, doubtful_in, plain_in_doubt
from callgate.lint.logic_forms import Form, Truth, form
from callgate.lint.order import Reason
from callgate.lint.renaming import renamed
from callgate.model.effect import EFFECT_GROUPS
from callgate.model.expr import Const, Expr
from callgate.model.policy import Guard, GuardDecision

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["LateGuard", "late_guards", "late_in"]

_IN_DOUBT: Final = {"pass": 0, "ask": 1, "deny": 2}
_ALWAYS: Final = Const(True)


@dataclass(frozen=True, slots=True)
class LateGuard:
    """A guard that decides nothing, and the one that decides before it. `same`: under the same
    condition."""

    reason: Reason
    item: Guard
    by: Guard
    same: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    at: int
    guard: Guard
    expr: Expr
    form: Form


def late_guards(subject: Subject) -> tuple[LateGuard, ...]:
    """Guards that decide nothing because of another one (for `Subject.once`)."""
    return tuple(late_in(subject.once(logic), subject.policy.guards))


def late_in(logic: Logic, guards: Iterable[Guard]) -> Iterator[LateGuard]:
    """Those of these guards, which are in the bundle's order."""
    by_kind: dict[str, list[_Placed]] = {}
    binders: dict[str, str] = {}
    wider = {kind: group for group, (_, kinds) in EFFECT_GROUPS.items() for kind in kinds}
    for at, guard in enumerate(guards):
        if guard.shadow:
            continue
        kind = guard.each[1] if guard.each else ""
        expr = where(guard) or _ALWAYS
        if guard.each:
            binder = binders.setdefault(kind, guard.each[0])
            if guard.each[0] != binder:
                expr = renamed(expr, guard.each[0], binder)
        by_kind.setdefault(kind, []).append(_Placed(at, guard, expr, form(expr)))
    finder = _Finder(logic)
    for kind, placed in by_kind.items():
        group = wider.get(kind, "")
        above = by_kind.get(group, ()) if group else ()
        names = binders.get(group, ""), binders.get(kind, "")
        yield from finder.of(placed, [_named(item, *names) for item in above])


def _named(item: _Placed, old: str, new: str) -> _Placed:
    """The same with another name for what is bound."""
    expr = renamed(item.expr, old, new)
    return _Placed(item.at, item.guard, expr, form(expr))


class _Finder:
    def __init__(self, logic: Logic) -> None:
        self._logic = logic

    def of(self, guards: list[_Placed], wider: list[_Placed]) -> Iterator[LateGuard]:
        """Of guards on one kind of effect. `wider`: those on a group that it is one of."""
        denying: Index[_Placed] = Index()
        for item in (*wider, *guards):
            if item.guard.decide is GuardDecision.DENY and not item.guard.exceptions:
                denying.add(item.form, item)
        first: dict[Expr, _Placed] = {}
        for item in guards:
            if item.form != Truth(True) and not self._logic.possible(item.form):
                continue  # told of the condition itself
            late = self._same(item, first) or self._covered(item, denying)
            if late is not None:
                yield late

    def _same(self, item: _Placed, first: dict[Expr, _Placed]) -> LateGuard | None:
        """What it is to the first guard with the same condition."""
        try:
            other = first.setdefault(item.expr, item)
        except TypeError:  # a constant map
            return None
        mine, theirs = item.guard, other.guard
        if other is item or theirs.exceptions or mine.exceptions:
            return None
        if GuardDecision.NOTE in (mine.decide, theirs.decide) and mine.decide != theirs.decide:
            return None
        if mine.decide is theirs.decide and mine.approval is theirs.approval:
            twice = self._as_strict_in_doubt(theirs, item)
            return LateGuard("twice", mine, theirs, same=True) if twice else None
        if mine.decide is GuardDecision.DENY:
            decides = self._as_strict_in_doubt(mine, other)
        else:
            decides = self._as_strict_in_doubt(theirs, item)
        return LateGuard("differs", mine, theirs, same=True) if decides else None

    def _covered(self, item: _Placed, denying: Index[_Placed]) -> LateGuard | None:
        """The guard that denies whatever it would decide."""
        guard = item.guard
        if guard.decide is GuardDecision.NOTE:
            return None
        for other in denying.candidates(item.form, whole=True):
            later = other.at > item.at
            if other is item or (other.expr == item.expr and other.guard.each == guard.each):
                continue
            if later and guard.decide is GuardDecision.DENY:
                continue  # its reason is the one that is given
            if not self._as_strict_in_doubt(other.guard, item):
                continue
            if self._logic.covers(item.form, other.expr):
                differs = guard.decide is not GuardDecision.DENY
                return LateGuard("differs" if differs else "shadowed", guard, other.guard)
        return None

    def _as_strict_in_doubt(self, other: Guard, item: _Placed) -> bool:
        """Whether a guard does no less than another where they can't tell."""
        if not doubtful_in(item.form):
            return True
        strict = _IN_DOUBT[other.unresolved] >= _IN_DOUBT[item.guard.unresolved]
        return strict and plain_in_doubt(item.form)
