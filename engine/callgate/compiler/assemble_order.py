"""Rules about the order of a flow: nothing is allowed before the guards, and nothing lifts an ask
that can't be there, or seems to lift one and does not."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly

__all__ = ["check_order"]

_LIFTS_PERSON = ("grant", "human")


def check_order(assembly: Assembly) -> None:
    """Report allows before the guards (C004), what acts on asks where none can be carried (C012),
    people who can't lift an ask (C018), and a last word that leaves open what becomes of a carried
    ask (C002)."""
    steps = [step for flow in assembly.flows() for step in flow.elements("steps")]
    guarded = [step for step in steps if "guards" in step]
    for step in guarded[1:]:
        assembly.diagnostics.error(
            "C001",
            "the guards are walked twice",
            step.child("guards").name_span(),
            "keep `guards: all` in one step",
            (("they are walked here first", guarded[0].child("guards").name_span()),),
        )
    guards = any(document.elements("rules") for document in assembly.of_kind("guards"))
    early: list[Entry] = []
    before = True
    for step in steps:
        if "guards" in step:
            before = False
        for outcome, who in _outcomes(step):
            if before and guards and outcome.word("decide") == "allow":
                early.append(outcome)
            else:
                _check_despite(assembly, outcome, who, before)
        if not before:
            _check_people(assembly, step)
    for flow in assembly.flows():
        outcome = flow.child("otherwise")
        if outcome.word("decide") != "allow":
            continue
        if guarded:
            _report_open_end(assembly, outcome)
        elif guards:
            early.append(outcome)
    if early:
        _report_early(assembly, early, guarded)


def _rules(step: Entry) -> Iterator[Entry]:
    """Everything in a step that may decide or consult somebody; the step itself is like a rule."""
    yield step
    yield from step.elements("rules")


def _outcomes(step: Entry) -> Iterator[tuple[Entry, str]]:
    """Everything that may decide in a step, and who was asked for it."""
    for rule in _rules(step):
        if "decide" in rule:
            yield rule, ""
        else:
            who = rule.word("consult")
            for _, answer in rule.mapping("answers"):
                yield answer, who
    if "otherwise" in step:
        yield step.child("otherwise"), ""


def _report_early(assembly: Assembly, early: list[Entry], guarded: list[Entry]) -> None:
    """One report for all of them: one step at the wrong place is one mistake."""
    them = "it" if len(early) == 1 else "them"
    if guarded:
        help = f"move {them} behind the step `{guarded[0].word('id')}`, which walks the guards"
    else:
        help = "begin the flow with a step that says `guards: all`"
    message = "this allows before the guards have seen the call"
    if len(early) > 1:
        others = f"{len(early) - 1} others" if len(early) > 2 else "another"
        message += f", and so {'do' if len(early) > 2 else 'does'} {others}"
    assembly.diagnostics.error("C004", message, early[0].span("decide"), help)


def _report_open_end(assembly: Assembly, outcome: Entry) -> None:
    assembly.diagnostics.error(
        "C002",
        "the flow's last word allows, but not a call for which a guard asked",
        outcome.span("decide"),
        "let it deny or ask, and allow in a step before it",
    )


def _check_despite(assembly: Assembly, outcome: Entry, who: str, before: bool) -> None:
    if "despite" not in outcome:
        return
    message = help = ""
    if outcome.word("decide") != "allow":
        message = f"`despite` says nothing about {outcome.word('decide') or 'this'}"
        help = "leave it out: only an allow lifts asks"
    elif before:
        message = "`despite` lifts nothing: no guards are walked before this"
        help = "leave it out, or move the rule behind the step with `guards: all`"
    elif outcome.word("despite") == "person" and who not in _LIFTS_PERSON:
        message = "`despite: person` is for the answer of a grant or a person"
        help = "write `despite: asks`, or consult `grant` or `human`"
    if message:
        assembly.diagnostics.error("C012", message, outcome.span("despite"), help)


def _check_people(assembly: Assembly, step: Entry) -> None:
    """Report a person who is asked where asks may be carried, and whose yes lifts none of them."""
    for rule in _rules(step):
        if rule.word("consult") != "human":
            continue
        if any("guards.asks" in entry.word("when") for entry in (step, rule)):
            continue  # the flow itself sees to it that there are none, or some
        answers = [answer for _, answer in rule.mapping("answers")]
        allows = [answer for answer in answers if answer.word("decide") == "allow"]
        if allows and not any("despite" in answer for answer in allows):
            assembly.diagnostics.warning(
                "C018",
                "no answer of this person lifts an ask of the guards",
                rule.child("consult").span(),
                "write `despite: person` beside `decide: allow` in the answers that may",
            )
