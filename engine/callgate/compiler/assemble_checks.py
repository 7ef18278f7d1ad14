"""Settings checks: what a bundle has to say about an operator's settings."""

from __future__ import annotations

from typing import Any, Final

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.check_settings import SettingsChecker
from callgate.lang.scope import Name, Scope
from callgate.model.diagnostic import Severity
from callgate.model.expr import Fact
from callgate.model.policy import SettingsCheck, SettingsExample
from callgate.model.types import BOOL, INT, STRING, Enum, Field, ListOf, MapOf, Record

__all__ = ["SELECTED", "build_settings_checks"]

SELECTED: Final = "selected"
"""The name of what a check selects."""

_SEVERITIES: Final = {severity.value: severity for severity in Severity}


def build_settings_checks(assembly: Assembly) -> tuple[SettingsCheck, ...]:
    """All settings checks, in bundle order."""
    documents = assembly.of_kind("settings-checks")
    if not documents:
        return ()
    checker = SettingsChecker(_scope(assembly), assembly.diagnostics)
    found: list[SettingsCheck] = []
    for document in documents:
        for entry in document.elements("rules"):
            with checker.rule():
                check = _check(assembly, checker, entry)
            if check is not None:
                found.append(check)
    return tuple(found)


def _scope(assembly: Assembly) -> Scope:
    """The names of the bundle, and those that only settings checks have."""
    scope = assembly.scope.child()
    scope.resolved = {}
    names = Enum("setting", tuple(assembly.vocabulary.settings))
    scope.add("given", Name(Fact("given"), ListOf(names)))
    scope.add("soft_blocks", Name(Fact("soft_blocks"), ListOf(STRING)))
    fields = {
        "capabilities": Field(ListOf(assembly.enums["capability"]), "its capabilities"),
        "needs": Field(ListOf(assembly.enums["need"]), "what must be there for it to run"),
        "reserved": Field(BOOL, "whether it can't be called"),
        "soft_blocks": Field(INT, "how many guards may ask about it"),
        "hidden": Field(STRING, "the reason code of what hides it, or an empty text"),
        "denied": Field(STRING, "the rule that denies all its calls, or an empty text"),
    }
    if "risk" in assembly.enums:
        fields["risk"] = Field(assembly.enums["risk"], "its level in the risk map")
    scope.add("catalogue", Name(Fact("catalogue"), MapOf(Record("tool_entry", fields))))
    return scope


def _check(assembly: Assembly, checker: SettingsChecker, entry: Entry) -> SettingsCheck | None:
    id_ = entry.word("id")
    if id_:
        assembly.register(id_, entry.child("id"))
    if entry.word("at"):
        _check_place(assembly, entry)
    errors = len(assembly.diagnostics.items)
    text = entry.text("each")
    each = checker.members(text) if text else None
    text = entry.text("select")
    select = checker.selection(text, SELECTED) if text else None
    when = message = help_ = None
    # Without what is bound before, the rest can't be judged.
    if len(assembly.diagnostics.items) == errors:
        text = entry.text("when")
        when = checker.when(text) if text else None
    if len(assembly.diagnostics.items) == errors:
        message, help_ = (
            checker.text(text) if (text := entry.text(key)) else None for key in ("message", "help")
        )
    if message is None or help_ is None:
        return None
    return SettingsCheck(
        id_,
        entry.word("title", id_),
        _SEVERITIES.get(entry.word("severity"), Severity.WARNING),
        entry.word("at"),
        message,
        help_,
        each,
        select,
        when,
        _examples(entry),
        entry.span(),
    )


def _check_place(assembly: Assembly, entry: Entry) -> None:
    """Report an `at` that is neither a setting nor a section of settings."""
    at = entry.word("at")
    settings = assembly.vocabulary.settings
    sections = {
        name.removeprefix("settings.")
        for name in assembly.scope.groups
        if name.startswith("settings.")
    }
    if at in settings or at in sections or f"settings.{at}" in assembly.scope.broken:
        return
    message = f"`{at}` is not a setting"
    help_ = "name one of the vocabulary's `settings`, or a section of them"
    place = entry.span("at")
    assembly.missing("T003", message, place, at, (*settings, *sections), "vocabulary", help_)


def _examples(entry: Entry) -> tuple[SettingsExample, ...]:
    examples = entry.child("examples")
    found: list[SettingsExample] = []
    for key, matches in (("match", True), ("pass", False)):
        for item in examples.elements(key):
            if isinstance(item.data, dict):
                settings: dict[str, Any] = item.data
                found.append(SettingsExample(settings, matches, item.span()))
    return tuple(found)
