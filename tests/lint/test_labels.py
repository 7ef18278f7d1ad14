"""Titles, owners and severities."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.labels import NoOwner, NoSeverity, SameTitle
from tests.lint.bundles import found, subject

FLOW = """\
kind: flow
{}steps:
  - id: guards
    title: Guards
    guards: all
  - id: one
    title: One
    rules:
      - {{id: one.low, title: Looking, when: risk == low, decide: allow}}
      - {{id: one.high, title: {}, when: risk == high, decide: deny, reason: no}}
  - id: two
    title: Two
    rules:
      - {{id: two.low, title: Looking, when: risk == low, decide: allow}}
otherwise: {{decide: deny, reason: nothing decided}}
"""


def guards(*rules: str, head: str = "") -> str:
    common = "decide: ask, when: call.nested, reason: no"
    return f"kind: guards\n{head}rules:\n" + "".join(f"  - {{{r}, {common}}}\n" for r in rules)


@pytest.mark.parametrize(
    ("bundle", "head", "rules", "flow", "told"),
    [
        # Nobody says anything of owners.
        ("", "", ["id: a.x, title: X"], "", []),
        ("", "", ["id: a.x, title: X, owner: me", "id: a.y, title: Y"], "owner: we\n", ["a.y"]),
        ("", "owner: us\n", ["id: a.x, title: X", "id: a.y, title: Y"], "owner: we\n", []),
        ("", "owner: us\n", ["id: a.x, title: X"], "", ["one.low", "one.high", "two.low"]),
        ("owner: all\n", "", ["id: a.x, title: X, owner: me", "id: a.y, title: Y"], "", []),
        ("owner: all\n", "", ["id: a.x, title: X"], "", []),
    ],
)
def test_owners(
    tmp_path: Path, bundle: str, head: str, rules: list[str], flow: str, told: list[str]
) -> None:
    files = "[flow.yaml, guards.yaml, masking.yaml, risk.yaml, tools.yaml, vocabulary.yaml]"
    manifest = f"kind: bundle\nname: a\nversion: '1'\ntitle: A\n{bundle}files: {files}\n"
    made = subject(
        tmp_path,
        bundle=manifest,
        guards=guards(*rules, head=head),
        flow=FLOW.format(flow, "Doing"),
    )
    messages = [message for *_, message in found(made, NoOwner)]
    assert messages == [f"nobody is named who answers for `{id_}`" for id_ in told]


@pytest.mark.parametrize(
    ("text", "title", "told"),
    [
        (guards("id: a.x, title: X", "id: a.y, title: Y"), "Doing", []),
        (guards("id: a.x, title: X", "id: a.y, title: X"), "Doing", ["a.y"]),
        (guards("id: a.x, title: X y", "id: a.y, title: 'x  Y'"), "Doing", ["a.y"]),
        # Steps tell rules of the flow apart; a guard is no rule of the flow.
        (guards("id: a.x, title: Looking"), "Looking", ["one.high"]),
    ],
)
def test_titles(tmp_path: Path, text: str, title: str, told: list[str]) -> None:
    made = subject(tmp_path, guards=text, flow=FLOW.format("", title))
    messages = [message for *_, message in found(made, SameTitle)]
    assert [message.split("`")[1] for message in messages] == told


@pytest.mark.parametrize(
    ("decide", "more", "count"),
    [("deny", "", 1), ("deny", ", severity: low", 0), ("ask", "", 0), ("note", "", 0)],
)
def test_severities(tmp_path: Path, decide: str, more: str, count: int) -> None:
    text = guards(f"id: a.x, title: X{more}").replace("decide: ask", f"decide: {decide}")
    assert len(found(subject(tmp_path, guards=text), NoSeverity)) == count
