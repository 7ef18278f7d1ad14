"""Small bundles for tests of lint rules: tests/cases/acme with some files replaced or added."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Final

from callgate.lint.catalogue import find_rule
from callgate.lint.rule import Finding, Rule
from callgate.lint.run import apply
from callgate.lint.subject import Subject
from callgate.policytest.loaded import load

__all__ = ["NOW", "Found", "findings", "found", "subject", "write_files"]

ACME: Final = Path(__file__).parents[1] / "cases" / "acme"
NOW: Final = datetime(2026, 12, 1, 9, tzinfo=UTC)

Found = tuple[str, str, int, str]
"""Code, file within the bundle, line, message."""


def write_files(folder: Path, files: Mapping[str, str | None]) -> Path:
    """Write a bundle below a folder and give its root.

    `files`: text by name, such as `guards.yaml` or `more/guards.yaml`, taken as dedented. They
    replace those of tests/cases/acme of the same name; None leaves one out. Tests and invariants
    of acme are not taken, and its manifest lists what is written unless one is given.
    """
    root = folder / "policies" / "acme"
    texts: dict[str, str] = {
        path.name: path.read_text("utf-8")
        for path in sorted(ACME.glob("*.yaml"))
        if path.stem not in {"bundle", "tests", "invariants"}
    }
    for name, text in files.items():
        texts.pop(name, None)
        if text is not None:
            texts[name] = dedent(text)
    if "bundle.yaml" not in texts:
        lines = [f"  - {name}\n" for name in texts]
        head = "kind: bundle\nname: acme\nversion: '1'\ntitle: Acme\nfiles:\n"
        texts["bundle.yaml"] = head + "".join(lines)
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    return root


def subject(
    folder: Path,
    files: Mapping[str, str | None] | None = None,
    *,
    now: datetime = NOW,
    loads: bool = True,
    **named: str | None,
) -> Subject:
    """A bundle as lint rules get it.

    `files`: see `write_files`; `named` are more of them, without `.yaml` in their names. It has to
    load without errors unless `loads` is false.
    """
    given = {**(files or {}), **{f"{name}.yaml": text for name, text in named.items()}}
    loaded = load(write_files(folder, given))
    if loads:
        assert loaded.policy is not None, [item.line for item in loaded.findings]
    return Subject(loaded, now)


def findings(subject: Subject, rule: Rule | type[Rule] | str) -> list[Finding]:
    """What a rule, given by itself, its class, its code or its name, finds."""
    if isinstance(rule, str):
        rule = find_rule(rule)
    return apply(subject, [rule if isinstance(rule, Rule) else rule()])[0]


def found(subject: Subject, rule: Rule | type[Rule] | str) -> list[Found]:
    """The same in short: code, file within the bundle, line, message."""
    told: list[Found] = []
    for item in findings(subject, rule):
        diagnostic = item.diagnostic
        span = diagnostic.span
        file = re.sub(r"^.*?policies/acme/", "", span.file) if span else ""
        told.append((diagnostic.code, file, span.line if span else 0, diagnostic.message))
    return told
