"""Random outcomes of rules: decisions and consults, as written and as model objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.model.policy import (
    Answer,
    AskLevel,
    Consult,
    Consultant,
    Decide,
    Next,
    Template,
    Verdict,
)
from tests.strategies_pick import Pick

__all__ = ["Form", "Written", "consult", "decide"]

Form = dict[str, Any]
"""A mapping of a rule file."""


@dataclass(frozen=True)
class Written:
    """Something as it stands in a rule file, and as a model object."""

    form: Form
    model: Any


def decide(pick: Pick, effects: Sequence[str], levels: Sequence[str]) -> tuple[Form, Decide]:
    """One of these decisions; an allow may be despite one of these levels of asks."""
    effect = pick.of(effects)
    form: Form = {"decide": effect}
    reason = None
    if pick.flip():
        form["reason"] = "so it is"
        reason = Template(("so it is",))
    despite = AskLevel.NONE
    if effect == "allow":
        word = pick.of(("", *levels))
        despite = {"": AskLevel.NONE, "asks": AskLevel.ANY, "person": AskLevel.PERSON}[word]
        if word:
            form["despite"] = word
    return form, Decide(Verdict(effect), reason, despite)


_ANSWERS: Final[Mapping[Consultant, tuple[str, ...]]] = {
    Consultant.GRANT: ("granted", "none"),
    Consultant.REVIEWER: ("approve", "deny", "escalate", "unavailable"),
    Consultant.HUMAN: ("once", "session", "session-all", "always", "deny", "timeout"),
}


def consult(pick: Pick, effects: Sequence[str], asks: bool) -> tuple[Form, Consult]:
    """A question to somebody; `asks`: whether there are any that an allow could be despite of."""
    who = pick.of(list(Consultant))
    levels = ("asks",) if who is Consultant.REVIEWER else ("asks", "person")
    answers: dict[str, Any] = {}
    model: dict[str, Answer] = {}
    for answer in _ANSWERS[who]:
        if pick.number(0, 3) == 0:
            answers[answer], model[answer] = "next", Next()
        else:
            answers[answer], model[answer] = decide(pick, effects, levels if asks else ())
    form: Form = {"consult": who.value, "answers": answers}
    patterns: tuple[str, ...] = ()
    if who is Consultant.REVIEWER and pick.flip():
        patterns = (pick.of(("^Error", "Error:")),)
        form["unavailable_when"] = list(patterns)
    return form, Consult(who, model, patterns)
