"""`callgate lint --explain`: what a finding means, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from callgate.cli import exits
from callgate.cli.page import page_lines
from callgate.cli.paint import Line, Painter
from callgate.cli.project import bundles_of
from callgate.cli.writers import json_text
from callgate.lint.catalogue import all_rules, find_rule
from callgate.model.codes import CODES
from callgate.model.policy import Policy, SettingsCheck
from callgate.model.suggest import closest
from callgate.resources import page_text

__all__ = ["explain_finding"]


def explain_finding(word: str, paths: Sequence[str]) -> int:
    """Write the page of a code or of a rule's name, or what a settings check of a bundle is about.
    Raises ClickException for anything else."""
    code = _code(word)
    painter = Painter()
    if code is not None:
        painter.write(page_lines(page_text(code)))
        return exits.OK
    check = _settings_check(word, paths) if "." in word or "-" in word else None
    if check is None:
        known = [*CODES, *(rule.name for rule in all_rules())]
        near = closest(word, known)
        hint = f"; did you mean `{near}`?" if near else "; see `callgate lint --rules`"
        raise click.ClickException(f"there is no code, rule or settings check `{word}`{hint}")
    painter.write(_check_lines(*check))
    return exits.OK


def _code(word: str) -> str | None:
    if word.upper() in CODES:
        return word.upper()
    try:
        return find_rule(word).code
    except LookupError:
        return None


def _settings_check(word: str, paths: Sequence[str]) -> tuple[Policy, SettingsCheck] | None:
    """A settings check of the bundles that would be linted."""
    from callgate.compiler.source import PolicySource
    from callgate.model.diagnostic import PolicyError

    for path in bundles_of(paths):
        try:
            policy = PolicySource(path).policy
        except PolicyError:
            continue
        for check in policy.settings_checks:
            if check.id == word:
                return policy, check
    return None


def _check_lines(policy: Policy, check: SettingsCheck) -> list[Line]:
    lines: list[Line] = [
        [(f"{check.id}: {check.title}", "strong")],
        [],
        [(f"A settings check of `{policy.name}`, told as {check.severity} at ", "")],
    ]
    lines[-1].append((f"`{check.at}`", "name"))
    if check.span is not None:
        lines += [[], [(f"It is defined at {check.span}.", "")]]
    for heading, examples in (("Found in", True), ("Not found in", False)):
        texts = [json_text(item.settings) for item in check.examples if item.found is examples]
        if texts:
            lines += [[], [(heading, "strong")], *([(f"    {text}", "")] for text in texts)]
    return lines
