"""Double negations and comparisons written backwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rule import Rule
from callgate.lint.rules.spelling import BackwardsComparison, DoubleNegation
from tests.lint.bundles import findings, found, subject
from tests.lint.fixes import fixed

GUARD = """\
kind: guards
define:
  chat: call.channel == "chat"
rules:
  - id: jobs.guests
    title: A job of a guest
    tools: [start]
    decide: ask
    when: {}
    reason: guests start no jobs of their own
"""


def guards(when: str) -> str:
    return GUARD.format(when)


def turned(tmp_path: Path, rule: type[Rule], when: str) -> list[str]:
    """What the fixes make of a condition: [] where nothing is found, [""] where none is mended."""
    made = subject(tmp_path, guards=guards(when))
    told = findings(made, rule)
    if not told:
        return []
    text = fixed(made, told).get("guards.yaml", "")
    lines = text.splitlines()
    before, after = guards("").splitlines()[:8], guards("").splitlines()[9:]
    if not text:
        return [""]
    assert lines[:8] == before
    assert lines[-len(after) :] == after
    assert subject(tmp_path / "again", guards=text).policy
    assert findings(subject(tmp_path / "once more", guards=text), rule) == []
    return [line.strip().removeprefix("when: ") for line in lines[8 : -len(after)]]


DOUBLE = [
    ('not (call.sender_id != "guest")', ['call.sender_id == "guest"']),
    ("not (not call.nested)", ["call.nested"]),
    ("not not call.nested", ["call.nested"]),
    ("call.nested and not (not (call.unattended or chat))",
     ["call.nested and (call.unattended or chat)"]),
    ('not (call.tool not in save|look) and call.nested',
     ["call.tool in save|look and call.nested"]),
    ("not none(g in call.groups where g == \"dba\")", ['any(g in call.groups where g == "dba")']),
    ('not ((args.count ?? 1) != 3)', ["(args.count ?? 1) == 3"]),
    ('not (call.nested != (call.unattended or chat))',
     ["call.nested == (call.unattended or chat)"]),
    ('\'not (call.sender_id != "guest")\'', ['\'call.sender_id == "guest"\'']),
    ('>-\n      call.nested\n      and not (call.sender_id\n      != "guest")',
     [">-", "call.nested", 'and call.sender_id == "guest"']),
    ('"not (call.sender_id != \\"guest\\")"', ['"call.sender_id == \\"guest\\""']),
    ('"not (call.sender_id != \\"a\\\\\\"b\\")"', ['"call.sender_id == \\"a\\\\\\"b\\""']),
]  # fmt: skip


@pytest.mark.parametrize(("when", "plain"), DOUBLE)
def test_double_negation(tmp_path: Path, when: str, plain: list[str]) -> None:
    assert turned(tmp_path, DoubleNegation, when) == plain


@pytest.mark.parametrize(
    "when",
    [
        'not (call.sender_id == "guest")',
        "not call.nested",
        "not (call.nested and not chat)",
        "none(g in call.groups where g != \"dba\")",
        "not any(g in call.groups where g == \"dba\")",
        "(args.count ?? 1) != 3",
        "not ((args.count ?? 1) < 3)",
    ],
)  # fmt: skip
def test_one_negation_is_none_too_many(tmp_path: Path, when: str) -> None:
    assert found(subject(tmp_path, guards=guards(when)), DoubleNegation) == []


BACKWARDS = [
    ("'\"guest\" == call.sender_id'", ["'call.sender_id == \"guest\"'"]),
    ("call.nested and 9 < (args.count ?? 1)", ["call.nested and (args.count ?? 1) > 9"]),
    ("9 >= (args.count ?? 1)", ["(args.count ?? 1) <= 9"]),
    ("9 != length(call.groups)", ["length(call.groups) != 9"]),
    ("manual == settings.approval.mode", ["settings.approval.mode == manual"]),
    ('2 > count(g in call.groups where "x" != g)', ['count(g in call.groups where "x" != g) < 2']),
    ("true == (call.nested or chat)", ["(call.nested or chat) == true"]),
]


@pytest.mark.parametrize(("when", "plain"), BACKWARDS)
def test_backwards_comparison(tmp_path: Path, when: str, plain: list[str]) -> None:
    made = subject(tmp_path, guards=guards(when))
    told = findings(made, BackwardsComparison)
    text = fixed(made, told)["guards.yaml"]
    assert plain[0] in text
    assert subject(tmp_path / "again", guards=text).policy


@pytest.mark.parametrize(
    "when",
    [
        'call.sender_id == "guest"',
        "settings.approval.mode == manual",
        "call.sender_id == call.user_id",
        "call.nested == call.unattended",
        "chat == call.nested",
        "at_night == call.nested",
        "any(g in call.groups where g == call.user_id)",
        '"dba" in call.groups',
    ],
)
def test_what_comes_first_is_looked_at(tmp_path: Path, when: str) -> None:
    made = subject(tmp_path, guards=guards(when if when[0] != '"' else f"'{when}'"))
    assert found(made, BackwardsComparison) == []


def test_binders_are_no_constants(tmp_path: Path) -> None:
    text = """
    kind: settings-checks
    rules:
      - id: settings.twice
        title: A tool that is listed
        severity: warning
        at: approval.blocked
        each: t in settings.approval.blocked
        when: t == look
        message: "{t} is listed"
        help: take {t} out
        examples: {match: [{approval: {blocked: [look]}}], pass: [{}]}
    """
    assert found(subject(tmp_path, checks=text), BackwardsComparison) == []
