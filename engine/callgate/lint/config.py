"""What the configuration says of lint: levels of rules, and findings that are not told."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from callgate.lint.catalogue import all_rules, find_code, find_rule
from callgate.lint.rule import Rule
from callgate.load.project import Project
from callgate.model.diagnostic import Diagnostic, Diagnostics, Severity
from callgate.model.span import Span

__all__ = ["Ignore", "LintConfig", "lint_config"]

_RENEW: Final = "remove it, or say until when it is needed"


@dataclass(frozen=True, slots=True)
class Ignore:
    """Findings of a code that are not told, because of `reason`.

    `files`: patterns of paths, in the bundle or from `folder`; `id`: only within what has this id;
    `until`: the day from which on they are told again.
    """

    code: str
    reason: str
    files: tuple[str, ...] = ()
    id: str | None = None
    until: date | None = None
    folder: Path = Path()
    span: Span | None = None

    def ended(self, today: date) -> bool:
        """Whether it counts no more."""
        return self.until is not None and self.until <= today

    def in_file(self, file: str, root: str) -> bool:
        """Whether it is about a file. `root`: the bundle's path and a `/`, as `file` begins."""
        if not self.files:
            return True
        paths = [file.removeprefix(root)]
        with suppress(OSError, ValueError):  # the bundle may stand elsewhere
            paths.append(Path(file).resolve().relative_to(self.folder.resolve()).as_posix())
        return any(fnmatchcase(path, pattern) for path in paths for pattern in self.files)


@dataclass(frozen=True, slots=True)
class LintConfig:
    """`levels`: by code, of rules and of warnings and notes of loading; None is off.
    `ignores`: what is not told."""

    levels: Mapping[str, Severity | None] = field(default_factory=dict)
    ignores: tuple[Ignore, ...] = ()

    def level(self, rule: Rule) -> Severity | None:
        """The level of a rule; None is off."""
        return self.levels.get(rule.code, rule.severity)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that are on."""
        return tuple(rule for rule in all_rules() if self.level(rule) is not None)

    def ended(self, today: date) -> Iterator[Diagnostic]:
        """A finding (L502) for each ignore that has ended."""
        for item in self.ignores:
            if item.ended(today):
                message = f"the ignore of `{item.code}` ended at {item.until}, and does not count"
                yield from self._told("L502", message, item, _RENEW)

    def unused(self, used: Collection[int], today: date) -> Iterator[Diagnostic]:
        """A finding (L503) for each ignore whose position is not in `used`."""
        for position, item in enumerate(self.ignores):
            rule = next((rule for rule in all_rules() if rule.code == item.code), None)
            level = self.levels.get(item.code, "") if rule is None else self.level(rule)
            looked_for = level is not None
            if looked_for and position not in used and not item.ended(today):
                message = f"there is no finding of `{item.code}` to ignore"
                yield from self._told("L503", message, item, "remove it")

    def _told(self, code: str, message: str, item: Ignore, help: str) -> Iterator[Diagnostic]:
        level = self.level(find_rule(code))
        if level is not None:
            yield Diagnostic(code, message, item.span, help, level)


def lint_config(project: Project, diagnostics: Diagnostics) -> LintConfig:
    """The configuration of lint. What is wrong in it is reported (S004), and left out."""
    said: dict[str, Any] = project.data.get("lint", {})
    levels: dict[str, Severity | None] = {}
    for word, level in said.get("levels", {}).items():
        code = _code(word, project, ("lint", "levels", word), diagnostics)
        if code is not None:
            levels[code] = None if level == "off" else Severity(level)
    ignores: list[Ignore] = []
    for index, item in enumerate(said.get("ignore", ())):
        path = ("lint", "ignore", index)
        code = _code(item["rule"], project, (*path, "rule"), diagnostics)
        until = _date(item.get("until"), project, (*path, "until"), diagnostics)
        if code is not None and (until is None) is ("until" not in item):
            document = project.document
            ignores.append(
                Ignore(
                    code,
                    item["reason"],
                    tuple(item.get("files", ())),
                    item.get("id"),
                    until,
                    project.folder,
                    document.span(*path, "rule") if document else None,
                )
            )
    return LintConfig(levels, tuple(ignores))


def _code(
    word: str, project: Project, path: tuple[str | int, ...], diagnostics: Diagnostics
) -> str | None:
    try:
        return find_code(word)
    except LookupError as error:
        message, _, help = str(error.args[0]).partition("; ")
        _report(message, help, project, path, diagnostics)
        return None


def _date(
    text: str | None, project: Project, path: tuple[str | int, ...], diagnostics: Diagnostics
) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        _report(f"`{text}` is no date", "for example 2027-01-01", project, path, diagnostics)
        return None


def _report(
    message: str,
    help: str,
    project: Project,
    path: tuple[str | int, ...],
    diagnostics: Diagnostics,
) -> None:
    on_key = path[-2] == "levels"
    span = project.document.span(*path, key=on_key) if project.document else None
    known = "see `callgate lint --rules`"
    diagnostics.error("S004", message, span, help or known)
