"""Chains of comparisons with one value."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.chains import ChainedEquals
from tests.lint.bundles import ACME, findings, subject
from tests.lint.fixes import fixed

GUARD = """\
kind: guards
rules:
  - id: jobs.some
    title: Some jobs
    decide: ask
    {}when: {}
    reason: these jobs wait for a person
"""


def chained(tmp_path: Path, when: str, each: str = "") -> str | None:
    """The condition that the fix writes; "" where it writes none, None where nothing is found."""
    guard = GUARD.format(f"each: {each}\n    " if each else "", when)
    made = subject(tmp_path, guards=guard)
    told = findings(made, ChainedEquals)
    if not told:
        return None
    text = fixed(made, told).get("guards.yaml", "")
    if not text:
        return ""
    assert subject(tmp_path / "again", guards=text).policy
    (line,) = [line for line in text.splitlines() if line.lstrip().startswith("when: ")]
    return line.strip().removeprefix("when: ")


@pytest.mark.parametrize(
    ("when", "plain"),
    [
        ('call.channel == "a" or call.channel == "b"', 'call.channel in "a"|"b"'),
        ('call.channel != "a" and call.channel != "b"', 'not (call.channel in "a"|"b")'),
        ("call.tool == look or call.tool == save", "call.tool in look|save"),
        (
            'call.tool == look or call.tool in save|start or call.tool == "x"',
            'call.tool in look|save|start|"x"',
        ),
        (
            'call.nested or call.channel == "a" or call.channel == "b" or call.unattended',
            'call.nested or call.channel in "a"|"b" or call.unattended',
        ),
        (
            '(call.channel == "a" or call.channel == "b") and call.nested',
            '(call.channel in "a"|"b") and call.nested',
        ),
        (
            "(call.channel == \"a\") or (call.channel == \"b\") or call.nested",
            '(call.channel in "a"|"b") or call.nested',
        ),
        (
            "settings.approval.mode == off or settings.approval.mode == manual",
            "settings.approval.mode in off|manual",
        ),
        ('declared.mcp_server == "a" or declared.mcp_server == "b"',
         'declared.mcp_server in "a"|"b"'),
    ],
)  # fmt: skip
def test_chains_become_one_test(tmp_path: Path, when: str, plain: str) -> None:
    assert chained(tmp_path, when) == plain


def test_fields_of_effects_are_known(tmp_path: Path) -> None:
    when = 'r.program == "a" or r.program == "b"'
    assert chained(tmp_path / "1", when, "r in effects.run") == 'r.program in "a"|"b"'
    inside = f"any(r in effects.run where {when})"
    assert chained(tmp_path / "2", inside) == 'any(r in effects.run where r.program in "a"|"b")'


@pytest.mark.parametrize(
    ("when", "each"),
    [
        # Another operator joins them, or another value is compared.
        ('call.channel == "a" and call.sender_id == "b"', ""),
        ('call.channel == "a" or call.sender_id == "b"', ""),
        ('call.channel != "a" or call.channel != "b"', ""),
        ('call.channel == "a" or call.nested or call.channel == "b"', ""),
        # Compared with no constant.
        ("call.sender_id == call.user_id or call.sender_id == call.agent_id", ""),
        # Paths, hosts and numbers are no texts.
        ('w.path == "/a" or w.path == "/b"', "w in effects.write"),
        ('c.host == "a.example" or c.host == "b.example"', "c in effects.connect"),
        ("call.attempt_index == 1 or call.attempt_index == 2", ""),
        # Written once already.
        ('call.channel in "a"|"b"', ""),
    ],
)
def test_what_is_no_chain(tmp_path: Path, when: str, each: str) -> None:
    assert chained(tmp_path, when, each) is None


def test_brackets_that_close_elsewhere_are_left_alone(tmp_path: Path) -> None:
    when = 'call.nested or (call.channel == "a") or call.channel == "b"'
    assert chained(tmp_path, when) == ""


def test_a_fact_is_no_constant(tmp_path: Path) -> None:
    vocabulary = (ACME / "vocabulary.yaml").read_text("utf-8")
    facts = vocabulary.replace(
        "facts:\n", "facts:\n  owner: {is: call.user_id, doc: whose it is}\n"
    )
    when = 'call.sender_id == owner or call.sender_id == "b"'
    made = subject(tmp_path, vocabulary=facts, guards=GUARD.format("", when))
    assert findings(made, ChainedEquals) == []
