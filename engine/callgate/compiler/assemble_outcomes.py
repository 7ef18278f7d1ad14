"""What rules and answers lead to: decisions, and consults with an outcome for every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_rules import regexes
from callgate.compiler.assembly import Assembly
from callgate.model.policy import (
    ANSWERS,
    Answer,
    AskLevel,
    Consult,
    Consultant,
    Decide,
    Next,
    Verdict,
)
from callgate.model.suggest import closest

__all__ = ["build_consult", "build_decide"]

_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}
_DESPITE: Final = {"asks": AskLevel.ANY, "person": AskLevel.PERSON}


def build_decide(
    assembly: Assembly, entry: Entry, tools: tuple[str, ...] | None = None
) -> Decide | None:
    """What a rule, an answer or an `otherwise` decides; None when that can't be read."""
    verdict = _VERDICTS.get(entry.word("decide"))
    if verdict is None:
        return None
    text = entry.text("reason")
    reason = assembly.checker.template(text, tools) if text else None
    return Decide(verdict, reason, _DESPITE.get(entry.word("despite"), AskLevel.NONE))


def build_consult(
    assembly: Assembly, entry: Entry, id_: str, tools: tuple[str, ...] | None = None
) -> Consult | None:
    """The consult of a step or rule, whose id its answers' ids begin with."""
    word = entry.word("consult")
    if word not in tuple(Consultant):
        return None
    who = Consultant(word)
    given = dict(entry.mapping("answers"))
    _check_answers(assembly, entry, who, given)
    answers: dict[str, Answer] = {}
    for answer in ANSWERS[who]:
        if answer not in given:
            continue
        place = given[answer]
        if place.data == "next":
            answers[answer] = Next()
            continue
        outcome = build_decide(assembly, place, tools)
        if outcome is not None:
            answers[answer] = outcome
            assembly.register(f"{id_}.{answer}", place, name=True)
    assembly.register(f"{id_}.pending", entry.child("consult"))
    patterns = regexes(assembly, entry.elements("unavailable_when"))
    return Consult(who, answers, patterns)


def _check_answers(
    assembly: Assembly, entry: Entry, who: Consultant, given: Mapping[str, Entry]
) -> None:
    missing = [answer for answer in ANSWERS[who] if answer not in given]
    all_ = ", ".join(f"`{word}`" for word in ANSWERS[who])
    for answer, place in given.items():
        if answer not in ANSWERS[who]:
            message = f"`{answer}` is none of {_whose(who)} answers"
            meant = closest(answer, missing)
            help = f"did you mean `{meant}`?" if meant else f"answers are {all_}"
            assembly.diagnostics.error("C003", message, place.name_span(), help)
            # The one that was meant is not missing as well.
            missing = [word for word in missing if word != meant]
    if missing and "answers" in entry and "flow" not in assembly.incomplete:
        shown = ", ".join(f"`{word}`" for word in missing)
        assembly.diagnostics.error(
            "C003",
            f"nothing follows from {_whose(who)} answer{'s' if len(missing) > 1 else ''} {shown}",
            entry.child("answers").name_span(),
            "write `next` where the flow just goes on",
        )


def _whose(who: Consultant) -> str:
    return {"grant": "a grant's", "reviewer": "the reviewer's", "human": "a person's"}[who.value]
