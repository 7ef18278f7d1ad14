"""What a policy's settings checks find in settings, by folding their conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from callgate.compiler.assemble_checks import SELECTED
from callgate.compiler.build import settings_fold
from callgate.compiler.patterns import pattern_check
from callgate.compiler.settings_catalogue import SettingsCatalogue, recognises
from callgate.compiler.settings_places import SettingsPlaces
from callgate.compiler.simplify import TRUE, Fold, bound_to, fold_template, simplify
from callgate.load.document import Document
from callgate.load.settings import Settings, load_settings
from callgate.load.settings_entries import Checks
from callgate.model.diagnostic import Diagnostic, Diagnostics
from callgate.model.expr import Const, Expr, Var, facts_of
from callgate.model.policy import Members, Policy, SettingsCheck, SettingsExample
from callgate.model.template import Template
from callgate.runtime.masking import Masker

__all__ = ["MOST_FINDINGS", "SettingsFindings", "check_settings_examples", "settings_of"]

MOST_FINDINGS: Final = 200
"""How many findings of one check are shown."""


def settings_of(
    policy: Policy,
    raw: Mapping[str, Any] | None,
    diagnostics: Diagnostics,
    document: Document | None = None,
) -> Settings:
    """The settings in `raw` (see `load_settings`), as this policy reads them."""
    aliases = {alias: tool.name for tool in policy.tools.values() for alias in tool.aliases}
    checks = Checks(recognises(policy), pattern_check(policy.programs))
    return load_settings(raw, policy.vocabulary, aliases, diagnostics, document, checks)


class SettingsFindings:
    """Tries settings checks of one policy, by default all of them; what does not depend on settings
    is done once."""

    def __init__(self, policy: Policy, checks: Sequence[SettingsCheck] | None = None) -> None:
        self._policy = policy
        self._checks = policy.settings_checks if checks is None else checks
        self._catalogue = SettingsCatalogue(policy)

    @cached_property
    def _masker(self) -> Masker:
        return Masker(self._policy.masking.names, self._policy.masking.patterns)

    def of(
        self,
        settings: Settings,
        raw: Mapping[str, Any] | None = None,
        document: Document | None = None,
    ) -> Iterator[Diagnostic]:
        """Everything that the checks find, but for those that read what is wrong in the settings.
        `raw` and `document` say where things stand."""
        fold = self._fold(settings)
        places = SettingsPlaces(raw or {}, document, settings.aliases)
        known = settings.vocabulary.settings
        for check in self._checks:
            if settings.wrong and not all(map(settings.can_tell, self._reads(check))):
                continue
            secret = check.at in known and known[check.at].field.secret
            shown = 0
            for inner, entry in self._matches(check, fold):
                if shown >= MOST_FINDINGS:
                    place = places.of(check.at)[0][0]
                    message = f"{check.title}: there are more than {MOST_FINDINGS} of these"
                    help = "correct the first ones, then check again"
                    yield Diagnostic(check.id, message, place, help, check.severity)
                    break
                for span, written in places.of(check.at, entry, secret)[:MOST_FINDINGS]:
                    shown += 1
                    called = None if written == entry else (check.each, written)
                    message = self._filled(check.message, inner, called)
                    help = self._filled(check.help, inner, called)
                    yield Diagnostic(check.id, message, span, help, check.severity)

    def _reads(self, check: SettingsCheck) -> set[str]:
        """The settings, or sections of them, that a check depends on."""
        exprs = [
            part for part in (*check.message.parts, *check.help.parts) if isinstance(part, Expr)
        ]
        if check.when is not None:
            exprs.append(check.when.expr)
        for members in (check.each, check.select):
            if members is not None:
                exprs.append(members.source)
                exprs.extend(() if members.where is None else (members.where,))
        facts = set().union(*map(facts_of, exprs))
        read = {fact.removeprefix("settings.") for fact in facts if fact.startswith("settings.")}
        return {check.at, *read}.union(*map(self._catalogue.reads, exprs))

    def finds(self, check: SettingsCheck, settings: Settings) -> bool:
        """Whether a check finds anything in settings."""
        return next(self._matches(check, self._fold(settings)), None) is not None

    def _fold(self, settings: Settings) -> Fold:
        constants = settings_fold(self._policy, settings.values)
        given = Const(tuple(sorted(settings.given)))
        of_tools: dict[str, Const] = {}

        def fold(name: str) -> Const | None:
            if name == "given":
                return given
            if name in ("catalogue", "soft_blocks"):
                if not of_tools:
                    of_tools.update(self._catalogue.under(settings.values))
                return of_tools[name]
            return constants(name)

        return fold

    def _matches(self, check: SettingsCheck, fold: Fold) -> Iterator[tuple[Fold, Any]]:
        """The names under which a check holds, each with the entry that it is about."""
        if check.each is None:
            entries: Iterator[tuple[Fold, Any]] = iter([(fold, None)])
        else:
            entries = _bound(check.each, fold)
        for inner, entry in entries:
            if check.select is not None:
                found = tuple(item for _, item in _bound(check.select, inner))
                inner = bound_to(SELECTED, found, inner)
            if check.when is None or simplify(check.when.expr, inner) == TRUE:
                yield inner, entry

    def _filled(
        self, template: Template, fold: Fold, called: tuple[Members | None, str] | None = None
    ) -> str:
        """A text under these names. `called`: how the entry is written that it is about."""
        if called is not None and called[0] is not None:
            entry, written = Var(called[0].name), self._masker.show(called[1])
            tool = simplify(entry, fold)
            as_written = f"`{written}` ({self._shown(tool)})"
            template = Template(
                tuple(as_written if part == entry else part for part in template.parts)
            )
        parts = fold_template(template, fold)
        assert parts is not None
        return "".join(part if isinstance(part, str) else self._shown(part) for part in parts.parts)

    def _shown(self, value: Expr) -> str:
        if not isinstance(value, Const):
            return "unknown"
        if isinstance(value.value, tuple):
            return self._masker.show(", ".join(map(str, value.value[:20])))
        return self._masker.show(value.value)


def _bound(members: Members, fold: Fold) -> Iterator[tuple[Fold, Any]]:
    """Each member that counts, with its name bound to it."""
    source = simplify(members.source, fold)
    for item in (source.value or ()) if isinstance(source, Const) else ():
        inner = bound_to(members.name, item, fold)
        if members.where is None or simplify(members.where, inner) == TRUE:
            yield inner, item


def check_settings_examples(policy: Policy, diagnostics: Diagnostics) -> None:
    """Add C008 for every example of a settings check that does not behave."""
    findings = SettingsFindings(policy)
    defaults = settings_of(policy, None, Diagnostics())
    for check in policy.settings_checks:
        for example in check.examples:
            problem = _problem(findings, defaults, check, example)
            if problem:
                message, help_ = problem
                diagnostics.error("C008", message, example.span or check.span, help_)


def _problem(
    findings: SettingsFindings,
    defaults: Settings,
    check: SettingsCheck,
    example: SettingsExample,
) -> tuple[str, str] | None:
    mistakes = Diagnostics()
    settings = defaults.overlay(example.settings, mistakes)
    # Unknown tools and stars are what some checks are about.
    wrong = next((item for item in mistakes.sorted() if item.code not in ("E006", "E007")), None)
    if wrong is not None:
        message = f"an example of `{check.id}` is not right as settings: {wrong.message}"
        return message, wrong.help or "correct the example"
    if findings.finds(check, settings) is example.found:
        return None
    if example.found:
        return f"`{check.id}` finds nothing in this example", (
            "correct the check's condition, or move the example to `pass`"
        )
    return f"`{check.id}` finds something in this example, which it must pass", (
        "narrow the check's condition, or move the example to `match`"
    )
