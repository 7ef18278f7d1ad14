"""Invariants that no test reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.invariants import UnreachedInvariant
from tests.lint.bundles import found, subject


def text(when: str) -> str:
    quoted = when.replace("'", "''")
    rule = f"{{id: never.that, title: That, never: allow, when: '{quoted}'}}"
    return f"kind: invariants\nrules:\n  - {rule}\n"


TESTS = """
kind: tests
cases:
  - name: one
    call: {tool: cat, context: {channel: chat, unattended: true}}
    expect: {decision: deny}
  - name: two
    call: {tool: save, args: {path: /srv/x}}
    settings: {approval: {mode: "off", blocked: [cat]}}
    expect: {decision: allow}
"""


@pytest.mark.parametrize(
    ("when", "reached"),
    [
        ("call.tool == start", False),
        ("call.tool in start|save", True),
        ("call.tool == look", True),  # by its alias
        ("call.tool == save and call.channel == \"chat\"", False),
        ("call.tool == look and call.channel == \"chat\"", True),
        ("call.unattended and call.tool == save", False),
        ("not call.unattended and call.tool == save", True),
        ("call.tool == start or call.unattended", True),
        ("settings.approval.mode == off", True),
        ("settings.approval.mode == off and call.tool != save", False),
        ("settings.approval.mode == manual and call.tool == look", True),
        ("look in settings.approval.blocked", True),
        ("start in settings.approval.blocked", False),
        ("call.channel in \"mail\"|\"web\"", False),
        # What only deciding would tell counts as met.
        ("risk == high and call.tool == start", False),
        ("risk == high and call.tool == save", True),
        ("call.sender_id like \"x*\"", True),
    ],
)  # fmt: skip
def test_by_what_tests_say(tmp_path: Path, when: str, reached: bool) -> None:
    made = subject(tmp_path, invariants=text(when), tests=TESTS)
    told = [message for *_, message in found(made, UnreachedInvariant)]
    assert told == (
        [] if reached else ["no test has a call that the invariant `never.that` is about"]
    )


def test_without_tests_nothing_is_reached(tmp_path: Path) -> None:
    assert found(subject(tmp_path, invariants=text("call.nested")), UnreachedInvariant)
