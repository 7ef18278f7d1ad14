"""Rules, steps and guards that come too late."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import findings, found, subject
from tests.lint.written import flow, guards, steps

CODES = ("L103", "L104", "L105", "L106", "L109")
Rules = list[tuple[str, str]]
LOW, LOW_A = "risk == low", 'risk == low and call.channel == "a"'


def _told(folder: Path, **files: str) -> list[tuple[str, str]]:
    loaded = subject(folder, **files)
    return [(code, item[3].split("`")[1]) for code in CODES for item in found(loaded, code)]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (
            [("deny", "risk == low"), ("deny", 'risk == low and call.channel == "a"')],
            [("L105", "s.1")],
        ),
        (
            [("deny", "risk == low"), ("allow", 'risk == low and call.channel == "a"')],
            [("L106", "s.1")],
        ),
        ([("deny", "risk == low"), ("allow", "risk == low")], [("L106", "s.1")]),
        ([("deny", "risk == low"), ("deny", "risk == low")], [("L109", "s.1")]),
        # An allow is taken only while no ask is carried: what comes after it decides the others.
        ([("allow", "risk == low"), ("deny", "risk == low")], []),
        (
            [("allow", "risk == low"), ("allow", 'risk == low and call.channel == "a"')],
            [("L105", "s.1")],
        ),
        (
            [("deny", "risk == low"), ("deny", "risk > low"), ("allow", 'call.channel == "a"')],
            [("L103", "s.2")],
        ),
        (
            [
                ("deny", 'call.channel == "a" and call.unattended'),
                ("deny", 'call.channel == "a" and not call.unattended'),
                ("allow", 'call.channel == "a"'),
            ],
            [("L103", "s.2")],
        ),
        # Together with its complement, whatever that is of, a condition leaves nothing.
        (
            [
                ("deny", 'call.channel == "a"'),
                ("deny", 'call.channel != "a"'),
                ("allow", 'call.sender_id == "x"'),
            ],
            [("L103", "s.2")],
        ),
        (
            [
                ("deny", "call.attempt_index > 2"),
                ("deny", "call.attempt_index < 2"),
                ("allow", 'call.sender_id == "x"'),
            ],
            [],
        ),
        (
            [
                ("deny", 'call.channel like "a*"'),
                ("deny", 'not (call.channel like "a*") and call.unattended'),
                ("allow", 'call.sender_id == "x"'),
            ],
            [],
        ),
        # Texts, globs and regular expressions.
        (
            [("deny", 'call.channel like "m*"'), ("allow", 'call.channel == "mail"')],
            [("L106", "s.1")],
        ),
        (
            [("deny", 'call.channel like "m*"'), ("deny", 'call.channel like "m-*"')],
            [("L105", "s.1")],
        ),
        (
            [("deny", 'call.channel like "*b"'), ("deny", 'call.channel like "a*b"')],
            [("L105", "s.1")],
        ),
        (
            [("deny", 'call.channel matches r"g-.*"'), ("allow", 'call.channel == "g-1"')],
            [("L106", "s.1")],
        ),
        ([("deny", 'call.channel like "m-*"'), ("deny", 'call.channel like "m*"')], []),
        ([("deny", 'call.channel matches r"g-.*"'), ("deny", 'call.channel == "g"')], []),
        ([("deny", 'call.channel like "m*"'), ("deny", 'call.channel matches r"m-.*"')], []),
        ([("allow", 'risk == low and call.channel == "a"'), ("deny", "risk == low")], []),
        ([("deny", 'call.channel == "a"'), ("allow", 'call.channel == "b"')], []),
        # Whether it is afternoon may be unknown, and then the second one holds.
        (
            [
                ("allow", 'hour(observed.time, "UTC") > 12'),
                ("deny", 'hour(observed.time, "UTC") > 13'),
            ],
            [],
        ),
    ],
)
def test_rules_of_a_step(tmp_path: Path, rules: Rules, told: list[tuple[str, str]]) -> None:
    assert _told(tmp_path, flow=flow(*rules)) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([("risk == low", "deny"), ("risk > low", "deny"), ("at_night", "deny")], [("L104", "s2")]),
        ([("at_night", "deny"), ("call.unattended", "deny")], [("L104", "s1")]),
        (
            [
                ("has call.parent_execution_id", "deny"),
                ("not has call.parent_execution_id", "deny"),
                ("at_night", "deny"),
            ],
            [("L104", "s2")],
        ),
        (
            [
                ("call.attempt_index > 2", "deny"),
                ('call.attempt_index < 2 or call.channel == "a"', "deny"),
                ("call.attempt_index == 2", "deny"),
                ('call.sender_id == "x"', "deny"),
            ],
            [("L104", "s3")],
        ),
        (
            [("at_night", "deny"), ("true", ("deny", "call.unattended and risk == low"))],
            [("L103", "s1.0")],
        ),
        ([("risk == low", "deny"), ("at_night", "deny")], []),
        ([("risk == low", ("deny", "call.unattended")), ("risk == low", "deny")], []),
    ],
)
def test_steps(
    tmp_path: Path, given: list[tuple[str | tuple[str, str], ...]], told: list[tuple[str, str]]
) -> None:
    assert _told(tmp_path, flow=steps(*given)) == told


A, INSIDE = 'w.path under "/a"', 'w.path under "/a/b"'


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([("deny", A), ("deny", INSIDE)], [("L105", "g.1")]),
        ([("deny", INSIDE), ("deny", A)], []),  # the first gives its own reason
        ([("ask", INSIDE), ("deny", A)], [("L106", "g.0")]),
        ([("deny", A), ("ask", A)], [("L106", "g.1")]),
        ([("ask", A), ("ask", A)], [("L109", "g.1")]),
        ([("ask", A), ("ask", INSIDE)], []),  # both reasons are shown
        ([("note", A), ("deny", A)], []),
        ([("deny", 'w.path under "/c"'), ("deny", A)], []),
    ],
)
def test_guards(tmp_path: Path, rules: Rules, told: list[tuple[str, str]]) -> None:
    assert _told(tmp_path, guards=guards(*rules)) == told


@pytest.mark.parametrize(
    "change",
    [
        ("reason: no\n", "reason: no\n    enforce: shadow\n"),
        ("reason: no\n", "reason: no\n    unresolved: {pass: another layer looks}\n"),
        ("reason: no\n", "reason: no\n    tools: [save]\n"),
        ("w in effects.write", "w in effects.delete"),
    ],
)
def test_a_guard_that_does_less_covers_nothing(tmp_path: Path, change: tuple[str, str]) -> None:
    text = guards(("deny", A), ("deny", INSIDE)).replace(*change, 1)
    assert _told(tmp_path, guards=text) == []


def test_the_name_of_an_effect_makes_no_difference(tmp_path: Path) -> None:
    first, second = guards(("deny", A), ("deny", A)).split("  - id: g.1")
    text = f"{first}  - id: g.1{second.replace('w in', 'x in').replace('w.path', 'x.path')}"
    told = findings(subject(tmp_path, guards=text), "L109")
    assert [item.diagnostic.related[0][0] for item in told] == ["`g.0`"]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([("deny", "r is `git push`"), ("deny", "r is `git push --force`")], [("L105", "g.1")]),
        ([("deny", "r is `git push`"), ("ask", "r is `git push --force`")], [("L106", "g.1")]),
        (
            [("deny", "r is `rm (-r|--recursive)`"), ("deny", "r is `rm -r build`")],
            [("L105", "g.1")],
        ),
        ([("deny", 'r.program == "git"'), ("deny", "r is `git push`")], [("L105", "g.1")]),
        (
            [("deny", "r is `(git|hg) *`"), ("ask", "r is `git push` or r is `hg pull`")],
            [("L106", "g.1")],
        ),
        ([("deny", "r is `git push --force`"), ("deny", "r is `git push`")], []),
        ([("deny", "r is `git push`"), ("deny", "r is `git pull`")], []),
        ([("deny", "r is `git push`"), ("deny", "r is `git pu*`")], []),
        ([("ask", "r is `git push`"), ("deny", "r is `git push --force`")], []),
    ],
)
def test_guards_on_commands(tmp_path: Path, rules: Rules, told: list[tuple[str, str]]) -> None:
    text = guards(*rules).replace("w in effects.write", "r in effects.run")
    assert _told(tmp_path, guards=text) == told


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (("changes", "write"), [("L105", "g.1")]),
        (("changes", "delete"), [("L105", "g.1")]),
        (("write", "changes"), []),
        (("changes", "read"), []),
    ],
)
def test_a_guard_on_all_changes(
    tmp_path: Path, kinds: tuple[str, str], told: list[tuple[str, str]]
) -> None:
    text = guards(("deny", 'w.path under "/a"'), ("deny", 'w.path under "/a/b"'))
    for kind in kinds:
        text = text.replace("w in effects.write", f"v in effects.{kind}", 1)
    assert _told(tmp_path, guards=text.replace("w.path", "v.path")) == told
