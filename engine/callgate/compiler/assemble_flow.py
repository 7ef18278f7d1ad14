"""The flow: steps, rules and what they decide."""

from __future__ import annotations

from typing import Final

from callgate.compiler.assemble_definitions import with_definitions
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_exceptions import build_exceptions, build_shadow
from callgate.compiler.assemble_outcomes import build_consult, build_decide
from callgate.compiler.assemble_visibility import check_denials, denials, report_hiding
from callgate.compiler.assembly import Assembly
from callgate.lang.check_uses import Use
from callgate.model.condition import Condition
from callgate.model.graph import VISIBILITY
from callgate.model.policy import Consult, Decide, Flow, Rule, Step, Visibility

__all__ = ["build_flow"]


_USES: Final = {"allow": Use.ALLOW, "deny": Use.DENY}
"""What the condition of a rule is for, by what it decides."""


def build_flow(assembly: Assembly, visibility: Visibility | None) -> Flow | None:
    """The approval flow of all its files together; None when it has errors.

    `visibility`: the second flow; what it hides is denied where a step says `flow: visibility`.
    """
    documents = assembly.flows()
    steps: list[Step] = []
    otherwise: Decide | None = None
    for document in documents:
        with with_definitions(assembly, document):
            for entry in document.elements("steps"):
                assembly.register_step(entry)
                steps.append(_step(assembly, entry, visibility))
            otherwise = _otherwise(assembly, document, otherwise)
    _check_otherwise(assembly)
    check_denials(assembly, visibility)
    if otherwise is None:
        return None
    last = next(document for document in documents if "otherwise" in document)
    return Flow(tuple(steps), otherwise, last.child("otherwise").name_span())


def _otherwise(assembly: Assembly, document: Entry, found: Decide | None) -> Decide | None:
    """The flow's last word: the first that a file has."""
    if "otherwise" not in document or found is not None:
        return found
    entry = document.child("otherwise")
    assembly.register("otherwise", entry, name=True)
    return build_decide(assembly, entry)


def _check_otherwise(assembly: Assembly) -> None:
    """Report that no file has a last word (C002), or that two have one (C015)."""
    documents = assembly.flows()
    saying = [document.child("otherwise") for document in documents if "otherwise" in document]
    for other in saying[1:]:
        assembly.clash("`otherwise` of the flow", other.name_span(), saying[0].name_span())
    if documents and not saying and "flow" not in assembly.incomplete:
        assembly.diagnostics.error(
            "C002",
            "the flow does not say what is decided when no step decides",
            documents[-1].span("kind"),
            "end it with `otherwise: {decide: deny, reason: no step decided}`",
        )


def _step(assembly: Assembly, entry: Entry, visibility: Visibility | None) -> Step:
    id_ = entry.word("id")
    title = entry.word("title", id_)
    when = _condition(assembly, entry, "when", Use.STEP)
    show = None
    if text := entry.text("show"):
        shown = assembly.checker.expression(text)
        show = shown.expr if shown is not None else None
    become = None
    asks_become = entry.child("asks_become")
    if text := asks_become.text("deny"):
        become = assembly.checker.condition(text, Use.DENY)
        assembly.register(f"{id_}.asks-become-deny", asks_become.child("deny"))
    rules: list[Rule | None] = []
    if entry.word("flow") == VISIBILITY:
        rules.extend(_hidden(assembly, entry, visibility))
    rules.extend(_rule(assembly, rule) for rule in entry.elements("rules"))
    if "consult" in entry:
        consult = build_consult(assembly, entry, id_)
        if consult is not None:
            rules.append(Rule(id_, title, None, consult, None, entry.span()))
    otherwise = None
    if "otherwise" in entry:
        place = entry.child("otherwise")
        otherwise = build_decide(assembly, place)
        assembly.register(f"{id_}.otherwise", place, name=True)
    return Step(
        id_,
        title,
        tuple(rule for rule in rules if rule is not None),
        when,
        otherwise,
        "guards" in entry,
        become,
        show,
        entry.span(),
    )


def _hidden(assembly: Assembly, entry: Entry, visibility: Visibility | None) -> tuple[Rule, ...]:
    """The rules of the second flow, as they deny calls in this step."""
    if visibility is not None:
        return denials(visibility)
    if "flow" not in assembly.incomplete:
        assembly.diagnostics.error(
            "C011",
            "the bundle has no flow `visibility`",
            entry.span("flow"),
            "add a file of kind `flow` that says `flow: visibility`, or leave this out",
        )
    return ()


def _condition(
    assembly: Assembly, entry: Entry, key: str, use: Use, tools: tuple[str, ...] | None = None
) -> Condition | None:
    text = entry.text(key)
    return assembly.checker.condition(text, use, tools) if text else None


def _rule(assembly: Assembly, entry: Entry) -> Rule | None:
    id_ = entry.word("id")
    if id_:
        assembly.register(id_, entry.child("id"))
    report_hiding(assembly, entry)
    tools = assembly.tools(entry)
    then: Decide | Consult | None
    if "consult" in entry:
        use = Use.STEP
        then = build_consult(assembly, entry, id_, tools)
    else:
        use = _USES.get(entry.word("decide"), Use.FLOW)
        then = build_decide(assembly, entry, tools)
    when = _condition(assembly, entry, "when", use, tools)
    shadow = build_shadow(assembly, entry)
    loosen = Use.EXCEPTION if entry.word("decide") == "deny" else Use.ASK_EXCEPTION
    exceptions = build_exceptions(assembly, entry, loosen, tools)
    if then is None:
        return None
    title = entry.word("title", id_)
    return Rule(id_, title, when, then, tools, entry.span(), shadow, exceptions)
