"""What keeps random rules from deciding, as written and as model objects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from callgate.model.condition import Condition
from callgate.model.expr import Const, Fact
from callgate.model.policy import RuleException
from tests.strategies_outcomes import Form
from tests.strategies_pick import Pick
from tests.strategies_scope import Direction, Scope, Term
from tests.strategies_terms import condition

__all__ = ["held_back"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ENDS: Final = ("2027-01-01", "2026-12-01T09:00:00.5Z", "2026-12-01", "2026-06-01T02:00:00+02:00")


def held_back(
    pick: Pick, form: Form, scope: Scope, *, effects: bool = True, asks: Direction = "none"
) -> Mapping[str, Any]:
    """Perhaps make a rule a shadow, and give it exceptions where it denies or asks: writes them
    into its form, and gives the model's fields. `effects`: whether exceptions may read effects."""
    shadow = pick.number(0, 4) == 0
    if shadow:
        form["enforce"] = "shadow"
    if form["decide"] not in ("deny", "ask") or pick.flip():
        return {"shadow": shadow}
    found = [
        _exception(pick, f"{form['id']}.x{n}", _when(pick, scope, effects, asks))
        for n in range(pick.number(1, 2))
    ]
    form["exceptions"] = [written for written, _ in found]
    return {"shadow": shadow, "exceptions": tuple(meant for _, meant in found)}


def _when(pick: Pick, scope: Scope, effects: bool, asks: Direction) -> Term:
    if pick.number(0, 2) == 0:
        return Term("true", Const(True))
    if scope.liberal:
        return condition(pick, scope, depth=1)
    if not effects or pick.flip():
        return condition(pick, scope.reading(asks=asks), depth=1)
    complete = Term("effects.complete", Fact("effects.complete"))
    return complete.and_(condition(pick, scope.reading("down", asks=asks), depth=1))


def _exception(pick: Pick, id: str, when: Term) -> tuple[Form, RuleException]:
    until = pick.of(_ENDS)
    moment = datetime.fromisoformat(until)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    micros = (moment - _EPOCH) // timedelta(microseconds=1)
    written = {"id": id, "when": when.text, "until": until, "owner": "ann", "reason": "for now"}
    meant = Condition(when.text, when.expr)
    return written, RuleException(id, meant, micros, until, "ann", "for now")
