"""Apply the rules of the catalogue to a bundle, as its configuration and comments ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from time import perf_counter

from callgate.compiler.collector import without_collector
from callgate.lint.catalogue import all_rules, find_rule
from callgate.lint.config import LintConfig
from callgate.lint.ignores import Ignores, code_of
from callgate.lint.report import Report
from callgate.lint.rule import Finding, Rule
from callgate.lint.rules.ignores import UnusedIgnore
from callgate.lint.subject import Subject
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.policytest.loaded import Loaded

__all__ = ["apply", "lint"]


def apply(
    subject: Subject, rules: Iterable[Rule] | None = None
) -> tuple[list[Finding], dict[str, float]]:
    """What the rules (None: all that are on by default) find in the bundle's own files, and how
    many seconds each of them took, by code. Ignores are not looked at."""
    chosen = [r for r in all_rules() if r.severity is not None] if rules is None else list(rules)
    findings: list[Finding] = []
    seconds: dict[str, float] = {}
    for rule in chosen:
        if not _applies(rule, subject):
            continue
        start = perf_counter()
        for finding in rule.check(subject):
            span = finding.diagnostic.span
            if span is None or subject.own(span):
                findings.append(finding)
        seconds[rule.code] = perf_counter() - start
    return sorted(findings, key=lambda item: item.diagnostic.sort_key), seconds


@without_collector()
def lint(loaded: Loaded, now: datetime, config: LintConfig | None = None) -> Report:
    """Everything to tell of a bundle at a moment (with a zone): what loading it found and what the
    rules find, at the configured levels, without what is to be ignored. Of files that it inherits,
    only errors are told."""
    config = config or LintConfig()
    subject = Subject(loaded, now)
    own = loaded.own_files
    inherited = {file for layer in loaded.files for file, _ in layer} - own
    findings = [Finding(item) for item in loaded.findings if _is_told(item, inherited, config)]
    found, seconds = apply(subject, config.rules)
    findings.extend(found)
    root = f"{_folder(loaded)}/"
    ignores = Ignores(subject.documents, config.ignores, root, now.date())
    kept = ignores.keep(findings)
    vain = list(_unused(ignores, config, subject))
    kept_vain = ignores.keep(vain)
    ignored = len(findings) - len(kept) + len(vain) - len(kept_vain)
    levelled = [_at_level(item, config) for item in (*kept, *kept_vain)]
    told = {item.diagnostic: item for item in levelled}
    return Report(
        tuple(sorted(told.values(), key=lambda item: item.diagnostic.sort_key)),
        ignored,
        frozenset(ignores.used_entries),
        seconds,
    )


def _applies(rule: Rule, subject: Subject) -> bool:
    return not rule.needs_policy or subject.loaded.policy is not None


def _is_told(item: Diagnostic, inherited: set[str], config: LintConfig) -> bool:
    if _keeps_from_loading(item):
        return True
    off = config.levels.get(item.code, item.severity) is None
    return not off and (item.span is None or item.span.file not in inherited)


def _keeps_from_loading(item: Diagnostic) -> bool:
    return item.severity is Severity.ERROR and not item.code.startswith("L")


def _folder(loaded: Loaded) -> str:
    manifest = loaded.files[0][0][0] if loaded.files and loaded.files[0] else loaded.where
    return manifest.rpartition("/")[0]


def _at_level(item: Finding, config: LintConfig) -> Finding:
    found = item.diagnostic
    level = config.levels.get(found.code)
    if level is None or level is found.severity or _keeps_from_loading(found):
        return item
    return replace(item, diagnostic=replace(found, severity=level))


def _unused(ignores: Ignores, config: LintConfig, subject: Subject) -> Iterator[Finding]:
    """What L503 finds. A rule that was not applied could have found what is ignored."""
    rule = find_rule("L503")
    if config.level(rule) is None or not isinstance(rule, UnusedIgnore):
        return
    applied = {r.code for r in config.rules if _applies(r, subject)}
    loads = subject.loaded.policy is not None
    for index, comment in enumerate(ignores.comments):
        if not comment.counts(ignores.today):
            continue
        vain = []
        for position, (word, _) in enumerate(comment.words):
            code = code_of(word)
            looked_for = code in applied if code and code.startswith("L") else code and loads
            if looked_for and (index, position) not in ignores.used_words:
                vain.append(position)
        if vain:
            yield from rule.unused(comment, vain)
