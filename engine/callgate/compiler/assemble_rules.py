"""Guards, invariants and masking: the rules that stand alone."""

from __future__ import annotations

from typing import Any, Final, Literal

from callgate.compiler.assemble_definitions import with_definitions
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_exceptions import build_exceptions, build_shadow
from callgate.compiler.assembly import Assembly
from callgate.lang.check import Binder
from callgate.lang.check_uses import Use
from callgate.lang.errors import ConditionError
from callgate.lang.regex import check_regex
from callgate.model.catalogue import Masking
from callgate.model.policy import (
    AskLevel,
    Example,
    Guard,
    GuardDecision,
    Invariant,
    RuleException,
    Verdict,
)

__all__ = ["build_guards", "build_invariants", "build_masking", "regexes"]


_DECISIONS: Final = {decision.value: decision for decision in GuardDecision}
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}


def build_guards(assembly: Assembly) -> tuple[Guard, ...]:
    """All guards, in bundle order."""
    guards: list[Guard] = []
    for document in assembly.of_kind("guards"):
        with with_definitions(assembly, document):
            found = [_guard(assembly, entry) for entry in document.elements("rules")]
        guards.extend(guard for guard in found if guard is not None)
    return tuple(guards)


def _guard(assembly: Assembly, entry: Entry) -> Guard | None:
    checker = assembly.checker
    id_ = entry.word("id")
    if id_:
        assembly.register(id_, entry.child("id"))
    tools = assembly.tools(entry)
    text = entry.text("each")
    each: Binder | None = checker.each(text) if text else None
    when = reason = None
    # Without its binder, what the rest of the rule says can't be judged.
    judged = text is None or each is not None
    if judged and (text := entry.text("when")):
        when = checker.condition(text, Use.GUARD, tools, each)
        judged = when is not None
    if each is not None or "each" not in entry:
        text = entry.text("reason")
        reason = checker.template(text, tools, each) if text else None
    exceptions: tuple[RuleException, ...] = ()
    if each is not None or "each" not in entry:
        exceptions = build_exceptions(assembly, entry, Use.GUARD_EXCEPTION, tools, each)
    examples = _examples(assembly, entry)
    decide = _DECISIONS.get(entry.word("decide"))
    if not judged or decide is None:
        return None
    return Guard(
        id_,
        entry.word("title", id_),
        decide,
        when,
        each,
        tools,
        AskLevel.PERSON if entry.word("approval") == "person" else AskLevel.ANY,
        _unresolved(entry),
        reason,
        examples,
        entry.span(),
        build_shadow(assembly, entry),
        exceptions,
    )


def _unresolved(entry: Entry) -> Literal["ask", "deny", "pass"]:
    data = entry.child("unresolved").data
    if isinstance(data, dict):
        return "pass"
    return "deny" if data == "deny" else "ask"


def _examples(assembly: Assembly, entry: Entry) -> tuple[Example, ...]:
    found: list[Example] = []
    examples = entry.child("examples")
    for key, fires in (("match", True), ("pass", False)):
        for item in examples.elements(key):
            call: dict[str, Any] | None = None
            if isinstance(item.data, dict):
                call = item.data
            elif isinstance(item.data, str):
                call = _call(assembly, item)
            if call is not None:
                found.append(Example(call, fires, item.span()))
    return tuple(found)


def _call(assembly: Assembly, item: Entry) -> dict[str, Any] | None:
    tool, argument = assembly.vocabulary.example_tool, assembly.vocabulary.example_argument
    if tool and argument:
        return {"tool": tool, "args": {argument: item.data}}
    if not any("examples" in document for document in assembly.of_kind("vocabulary")):
        assembly.diagnostics.error(
            "C011",
            "nothing says what an example that is a text stands for",
            item.span(),
            "write `examples: {tool: …, argument: …}` in the vocabulary, or the example as a call",
        )
    return None


def build_invariants(assembly: Assembly) -> tuple[Invariant, ...]:
    """All invariants."""
    found: list[Invariant] = []
    for document in assembly.of_kind("invariants"):
        for entry in document.elements("rules"):
            id_ = entry.word("id")
            if id_:
                assembly.register(id_, entry.child("id"))
            text = entry.text("when")
            when = assembly.checker.condition(text, Use.INVARIANT) if text else None
            never = _VERDICTS.get(entry.word("never"))
            if when is not None and never is not None:
                title = entry.word("title", id_)
                found.append(Invariant(id_, title, never, when, entry.span()))
    return tuple(found)


def build_masking(assembly: Assembly) -> Masking:
    """What all masking files say together."""
    names, weak = (
        dict.fromkeys(name for item in assembly.of_kind("masking") for name, _ in item.words(key))
        for key in ("names", "weak")
    )
    patterns = regexes(assembly, [entry for _, entry in assembly.merged("masking", "patterns")])
    return Masking(tuple(names), patterns, tuple(weak))


def regexes(assembly: Assembly, entries: list[Entry]) -> tuple[str, ...]:
    """RE2 patterns; one that can't be used is reported (P006) and left out."""
    found: list[str] = []
    for entry in entries:
        text = entry.own_text()
        if text is None or not isinstance(entry.data, str):
            continue
        try:
            check_regex(text.value)
        except ConditionError as error:
            place = text.span(error.start, error.end)
            assembly.diagnostics.error(error.code, error.message, place, error.help)
            continue
        found.append(text.value)
    return tuple(found)
