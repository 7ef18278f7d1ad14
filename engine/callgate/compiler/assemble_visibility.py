"""The second flow, `visibility`: which tools the model gets to see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from callgate.compiler.assemble_definitions import with_definitions
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.check_uses import Use
from callgate.model.condition import Condition
from callgate.model.expr import And, facts_of
from callgate.model.graph import VISIBILITY, VISIBLE
from callgate.model.policy import Decide, Flow, Rule, Step, Verdict, Visibility

__all__ = ["build_visibility", "check_denials", "denials", "report_hiding"]

_STEP_KEYS: Final = frozenset({"id", "title", "description", "when", "rules"})
_OF_APPROVAL: Final = (
    "decide",
    "consult",
    "despite",
    "answers",
    "unavailable_when",
    "enforce",
    "exceptions",
)
_OF_VISIBILITY: Final = ("hide", "calls")
_HIDES: Final = "a rule there says `hide: CODE`, and `calls: pass` where it denies no calls"


def build_visibility(assembly: Assembly) -> Visibility | None:
    """The second flow of all its files together; None when the bundle has none."""
    documents = assembly.flows(VISIBILITY)
    if not documents:
        return None
    steps: list[Step] = []
    codes: dict[str, str] = {}
    passing: set[str] = set()
    for document in documents:
        with with_definitions(assembly, document):
            for entry in document.elements("steps"):
                assembly.register_step(entry)
                steps.append(_step(assembly, entry, codes, passing))
    _check_last(assembly, documents)
    last = next((d for d in documents if "otherwise" in d), documents[-1])
    flow = Flow(tuple(steps), Decide(Verdict.ALLOW), last.child("otherwise").name_span())
    return Visibility(flow, codes, frozenset(passing))


def denials(visibility: Visibility) -> tuple[Rule, ...]:
    """The rules that deny a call of what is hidden: each holds where its step does, too."""
    return tuple(
        Rule(rule.id, rule.title, _both(step.when, rule.when), rule.then, rule.tools, rule.span)
        for step in visibility.flow.steps
        for rule in step.rules
        if rule.id not in visibility.passing
    )


def check_denials(assembly: Assembly, visibility: Visibility | None) -> None:
    """Report that no step denies calls of what is hidden (C042), or that two do (C001)."""
    steps = [step for flow in assembly.flows() for step in flow.elements("steps")]
    denying = [step for step in steps if step.word("flow") == VISIBILITY]
    for other in denying[1:]:
        assembly.diagnostics.error(
            "C001",
            "calls of hidden tools are denied twice",
            other.child("flow").name_span(),
            "keep `flow: visibility` in one step",
            (("they are denied here first", denying[0].child("flow").name_span()),),
        )
    if steps and not denying and visibility is not None and denials(visibility):
        assembly.diagnostics.warning(
            "C042",
            "tools are hidden, and calls of them are not denied",
            assembly.flows(VISIBILITY)[0].span("flow"),
            "say `flow: visibility` in a step of the approval flow, or `calls: pass` in the rules "
            "that hide",
        )


def report_hiding(assembly: Assembly, entry: Entry) -> None:
    """Report what a rule of the approval flow says of hiding (C040)."""
    for key in _OF_VISIBILITY:
        if key in entry:
            why = "is for rules of the second flow, `visibility`"
            help = "say `decide:`; what hides tools stands in a file that says `flow: visibility`"
            assembly.diagnostics.error("C040", f"`{key}` {why}", entry.child(key).name_span(), help)


def _both(first: Condition | None, second: Condition | None) -> Condition | None:
    if first is None or second is None:
        return first or second
    text = f"({first.text}) and ({second.text})"
    expr = And((first.expr, second.expr))
    return Condition(text, expr, first.unknown or second.unknown, second.span)


def _step(assembly: Assembly, entry: Entry, codes: dict[str, str], passing: set[str]) -> Step:
    id_ = entry.word("id")
    for key, _ in entry.items():
        if key not in _STEP_KEYS:
            _misplaced(assembly, entry, key, "a step there has rules, and perhaps a `when`")
    when = _condition(assembly, entry, Use.STEP, None)
    rules = tuple(_rules(assembly, entry, codes, passing))
    return Step(id_, entry.word("title", id_), rules, when, span=entry.span())


def _rules(
    assembly: Assembly, step: Entry, codes: dict[str, str], passing: set[str]
) -> Iterator[Rule]:
    for entry in step.elements("rules"):
        id_ = entry.word("id")
        if id_:
            assembly.register(id_, entry.child("id"))
        for key in _OF_APPROVAL:
            if key in entry:
                _misplaced(assembly, entry, key, _HIDES)
        tools = assembly.tools(entry)
        when = _condition(assembly, entry, Use.VISIBILITY, tools)
        text = entry.text("reason")
        reason = assembly.checker.template(text, tools) if text else None
        if entry.word("hide"):
            codes[id_] = entry.word("hide")
            if entry.word("calls") == "pass":
                passing.add(id_)
            then = Decide(Verdict.DENY, reason)
            yield Rule(id_, entry.word("title", id_), when, then, tools, entry.span())


def _condition(
    assembly: Assembly, entry: Entry, use: Use, tools: tuple[str, ...] | None
) -> Condition | None:
    """The condition of a rule or step. A tool is shown before anybody calls it: there are no
    arguments to read."""
    text = entry.text("when")
    found = assembly.checker.condition(text, use, tools) if text else None
    for name in sorted(facts_of(found.expr)) if found is not None else ():
        if name.startswith("args."):
            assembly.diagnostics.error(
                "T001",
                f"`{name}` is not known yet in {Use.VISIBILITY.value}",
                entry.span("when"),
                "a tool is shown or hidden before anybody calls it",
            )
    return found


def _misplaced(assembly: Assembly, entry: Entry, key: str, help: str) -> None:
    message = f"`{key}` has no place in the second flow, `visibility`"
    assembly.diagnostics.error("C040", message, entry.child(key).name_span(), help)


def _check_last(assembly: Assembly, documents: Sequence[Entry]) -> None:
    """Report that no file says `otherwise: show` (C002), that two do (C015), or another word."""
    saying = [document.child("otherwise") for document in documents if "otherwise" in document]
    for other in saying[1:]:
        assembly.clash("`otherwise` of the second flow", other.name_span(), saying[0].name_span())
    if saying:
        assembly.register(VISIBLE, saying[0], name=True)
        if saying[0].data != "show":
            what = "the last word of the second flow, `visibility`, is `show`"
            assembly.diagnostics.error(
                "C040", what, saying[0].span(), "write `otherwise: show`, and hide in a rule"
            )
    elif "flow" not in assembly.incomplete:
        assembly.diagnostics.error(
            "C002",
            "the second flow does not say what becomes of a tool that no rule hides",
            documents[-1].span("kind"),
            "end it with `otherwise: show`",
        )
