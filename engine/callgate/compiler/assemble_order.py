"""Rules about the order of a flow: nothing is allowed before the guards, and nothing lifts an ask
that can't be there."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly

__all__ = ["check_order"]

_LIFTS_PERSON = ("grant", "human")


def check_order(assembly: Assembly) -> None:
    """Report allows before the guards (C004), what acts on asks where none can be carried (C012),
    and a last word that leaves open what becomes of a carried ask (C002)."""
    steps = [step for flow in assembly.of_kind("flow") for step in flow.elements("steps")]
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
    before = True
    for step in steps:
        if "guards" in step:
            before = False
        for outcome, who in _outcomes(step):
            _check_despite(assembly, outcome, who, before)
            if before and guards and outcome.word("decide") == "allow":
                _report_early(assembly, outcome, guarded)
    for flow in assembly.of_kind("flow"):
        outcome = flow.child("otherwise")
        if outcome.word("decide") != "allow":
            continue
        if guarded:
            _report_open_end(assembly, outcome)
        elif guards:
            _report_early(assembly, outcome, guarded)


def _outcomes(step: Entry) -> Iterator[tuple[Entry, str]]:
    """Everything that may decide in a step, and who was asked for it."""
    for rule in (step, *step.elements("rules")):
        if "decide" in rule:
            yield rule, ""
        else:
            who = rule.word("consult")
            for _, answer in rule.mapping("answers"):
                yield answer, who
    if "otherwise" in step:
        yield step.child("otherwise"), ""


def _report_early(assembly: Assembly, outcome: Entry, guarded: list[Entry]) -> None:
    if guarded:
        help = f"move it behind the step `{guarded[0].word('id')}`, which walks the guards"
    else:
        help = "begin the flow with a step that says `guards: all`"
    assembly.diagnostics.error(
        "C004", "this allows before the guards have seen the call", outcome.span("decide"), help
    )


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
