"""The flow: steps, rules and what they decide."""

from __future__ import annotations

from callgate.compiler.assemble_definitions import with_definitions
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_outcomes import build_consult, build_decide
from callgate.compiler.assembly import Assembly
from callgate.lang.check_uses import Use
from callgate.model.condition import Condition
from callgate.model.policy import Consult, Decide, Flow, Rule, Step

__all__ = ["build_flow"]


def build_flow(assembly: Assembly) -> Flow | None:
    """The flow of all flow files together; None when it has errors."""
    documents = assembly.of_kind("flow")
    steps: list[Step] = []
    places: dict[str, Entry] = {}
    otherwise: Decide | None = None
    for document in documents:
        with with_definitions(assembly, document):
            for entry in document.elements("steps"):
                _register_step(assembly, entry, places)
                steps.append(_step(assembly, entry))
            otherwise = _otherwise(assembly, document, otherwise)
    _check_otherwise(assembly)
    if otherwise is None:
        return None
    last = next(document for document in documents if "otherwise" in document)
    return Flow(tuple(steps), otherwise, last.child("otherwise").name_span())


def _register_step(assembly: Assembly, entry: Entry, places: dict[str, Entry]) -> None:
    id_ = entry.word("id")
    first = places.setdefault(id_, entry)
    if id_ and first is not entry:
        assembly.diagnostics.error(
            "C001",
            f"the step id `{id_}` is taken",
            entry.span("id"),
            "give the step an id of its own",
            (("it is used here first", first.span("id")),),
        )


def _otherwise(assembly: Assembly, document: Entry, found: Decide | None) -> Decide | None:
    """The flow's last word: the first that a file has."""
    if "otherwise" not in document or found is not None:
        return found
    entry = document.child("otherwise")
    assembly.register("otherwise", entry, name=True)
    return build_decide(assembly, entry)


def _check_otherwise(assembly: Assembly) -> None:
    """Report that no file has a last word (C002), or that two have one (C015)."""
    documents = assembly.of_kind("flow")
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


def _step(assembly: Assembly, entry: Entry) -> Step:
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
        become = assembly.checker.condition(text, Use.FLOW)
        assembly.register(f"{id_}.asks-become-deny", asks_become.child("deny"))
    rules = [_rule(assembly, rule) for rule in entry.elements("rules")]
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


def _condition(
    assembly: Assembly, entry: Entry, key: str, use: Use, tools: tuple[str, ...] | None = None
) -> Condition | None:
    text = entry.text(key)
    return assembly.checker.condition(text, use, tools) if text else None


def _rule(assembly: Assembly, entry: Entry) -> Rule | None:
    id_ = entry.word("id")
    if id_:
        assembly.register(id_, entry.child("id"))
    tools = assembly.tools(entry)
    then: Decide | Consult | None
    if "consult" in entry:
        use = Use.STEP
        then = build_consult(assembly, entry, id_, tools)
    else:
        use = Use.ALLOW if entry.word("decide") == "allow" else Use.FLOW
        then = build_decide(assembly, entry, tools)
    when = _condition(assembly, entry, "when", use, tools)
    if then is None:
        return None
    return Rule(id_, entry.word("title", id_), when, then, tools, entry.span())
