"""Asks that nobody answers, exceptions that leave out too much, trials and doubts without end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import found, subject
from tests.lint.test_security_patterns import flow

HUMAN = """
  - id: human
    title: A person
    {consult}
    answers:
      once: {{decide: allow, despite: person}}
      session: {{decide: allow, despite: person}}
      session-all: {{decide: allow, despite: person}}
      always: {{decide: allow, despite: person}}
      deny: {{decide: deny, reason: a person refused}}
      timeout: {{decide: deny, reason: nobody answered}}
otherwise:"""
PERSON = HUMAN.format(consult="consult: human")
GRANT = """
  - id: grants
    title: Grants
    consult: grant
    answers:
      granted: {decide: allow, despite: person, reason: yes}
      none: next
otherwise:"""
END = "\notherwise:"


def asking(when: str = 'w.path under "/tmp"', decide: str = "ask") -> str:
    return f"""
    kind: guards
    rules:
      - id: g
        title: G
        decide: {decide}
        each: w in effects.write
        when: {when}
        reason: no
    """


@pytest.mark.parametrize(
    ("guard", "rest", "line"),
    [
        (asking(), END, 12),
        (asking(), GRANT, 18),
        (asking(), PERSON, None),
        (asking(decide="deny"), END, None),
    ],
)
def test_a_flow_without_a_person(guard: str, rest: str, line: int | None, tmp_path: Path) -> None:
    text = flow("risk == low").replace(END, rest)
    rows = found(subject(tmp_path, guards=guard, flow=text), "L206")
    assert [(file, at) for _, file, at, _ in rows] == ([("flow.yaml", line)] if line else [])


def test_a_flow_that_ends_in_an_ask_lets_another_program_ask(tmp_path: Path) -> None:
    text = flow("risk == low").replace("otherwise: {decide: deny", "otherwise: {decide: ask")
    assert not found(subject(tmp_path, guards=asking(), flow=text), "L206")


@pytest.mark.parametrize(
    ("when", "decide", "expected"),
    [
        ("call.unattended", "ask", 1),
        ("call.unattended and w.tree", "ask", 1),
        ("at_night and w.tree", "ask", 1),
        ("call.unattended or w.tree", "ask", 0),
        ("not call.unattended and w.tree", "ask", 0),
        ("call.unattended", "deny", 0),
    ],
)
def test_asks_about_unattended_calls(when: str, decide: str, expected: int, tmp_path: Path) -> None:
    text = flow("risk == low").replace(END, PERSON)
    rows = found(subject(tmp_path, guards=asking(when, decide), flow=text), "L206")
    assert len(rows) == expected


@pytest.mark.parametrize(
    ("step", "when", "expected"),
    [
        ('call.unattended or call.origin == "cron"', 'call.origin == "cron"', 1),
        ('call.unattended or call.origin == "cron"', 'call.origin == "cron" and w.tree', 1),
        ('call.unattended or call.origin in ["cron", "x"]', 'call.origin == "cron"', 1),
        ('call.unattended or call.origin == "cron"', 'call.origin == "user"', 0),
        ('call.unattended or call.origin == "cron"', 'call.origin != "cron"', 0),
        ('call.unattended or call.origin == "cron"', 'call.origin == "cron" or w.tree', 0),
        ("call.unattended", 'call.channel == "desk"', 0),
        ('call.unattended or call.channel == "desk"', 'call.channel == "desk"', 1),
        ('call.channel == "desk"', 'call.channel == "desk"', 0),
    ],
)
def test_the_policy_says_when_nobody_is_there(
    step: str, when: str, expected: int, tmp_path: Path
) -> None:
    alone = f"""
  - id: nobody
    title: Nobody is there
    when: '{step}'
    rules:
      - {{id: nobody.refuse, title: No, decide: deny, reason: nobody can be asked}}"""
    text = flow("risk == low").replace(END, alone + PERSON)
    rows = found(subject(tmp_path, guards=asking(f"'{when}'"), flow=text), "L206")
    assert len(rows) == expected


def test_steps_that_ask_about_unattended_calls(tmp_path: Path) -> None:
    text = flow("risk == low").replace(END, PERSON)
    asks = text.replace("    consult: human", "    when: call.unattended\n    consult: human")
    assert len(found(subject(tmp_path / "a", flow=asks), "L206")) == 1
    other = text.replace("    consult: human", "    when: not call.unattended\n    consult: human")
    assert not found(subject(tmp_path / "b", flow=other), "L206")


def excepted(when: str, until: str) -> str:
    return f"""
    kind: guards
    rules:
      - id: g
        title: G
        decide: deny
        when: call.channel == "ops"
        reason: no
        exceptions:
          - {{id: g.x, when: {when}, until: {until}, owner: ann, reason: for now}}
    """


@pytest.mark.parametrize(
    ("until", "expected"),
    [("2027-12-02", False), ("2027-12-04", True), ("2026-01-01", False), ("2030-01-01", True)],
)
def test_long_exceptions(until: str, expected: bool, tmp_path: Path) -> None:
    made = subject(tmp_path, guards=excepted('call.agent_id == "a"', until))
    assert bool(found(made, "L212")) == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [("true", True), ('call.channel == "ops"', True), ('call.agent_id == "a"', False)],
)
def test_bare_exceptions(when: str, expected: bool, tmp_path: Path) -> None:
    made = subject(tmp_path, guards=excepted(when, "2027-01-01"))
    assert bool(found(made, "L213")) == expected


@pytest.mark.parametrize(
    ("rule", "when", "expected"),
    [
        ('w.path under "/srv/a"', 'w.path under "/srv"', True),
        ('w.path under "/srv"', 'w.path under "/srv/a"', False),
        ('w.path under "/srv/a"', 'w.path under "/srv" and call.agent_id == "a"', False),
        ('w.path under "/srv/a"', 'call.agent_id == "a" or true', True),
        ('w.path under "/srv" and call.nested', "call.nested", True),
        ('w.path under "/srv" or call.nested', "call.nested", False),
    ],
)
def test_exceptions_of_more_than_their_rule(
    rule: str, when: str, expected: bool, tmp_path: Path
) -> None:
    text = asking(f"'{rule}'", "deny")
    text += f"""    exceptions:
          - {{id: g.x, when: '{when}', until: 2027-01-01, owner: ann, reason: for now}}
    """
    assert bool(found(subject(tmp_path, guards=text), "L213")) == expected


@pytest.mark.parametrize(
    ("decide", "description", "words"),
    [
        ("deny", "", "nothing says until when"),
        ("deny", "to see how often it holds", "nothing says until when"),
        ("deny", "until 2026-13-40, it says", "nothing says until when"),
        ("deny", "until 2026-11-30", "was to end on 2026-11-30"),
        ("deny", "since 2026-10-01 and until 2026-12-20", ""),
        ("ask", "", ""),
    ],
)
def test_trials(decide: str, description: str, words: str, tmp_path: Path) -> None:
    text = asking(decide=decide).replace(
        "title: G",
        f'title: G\n        enforce: shadow\n        description: "{description or "x"}"',
    )
    rows = found(subject(tmp_path, guards=text), "L214")
    assert [words in message for *_, message in rows] == ([True] if words else [])


def test_no_trial(tmp_path: Path) -> None:
    assert not found(subject(tmp_path, guards=asking(decide="deny")), "L214")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("not needed", True),
        ("todo", True),
        ("G is a guard of ours", False),
        ("what it says there", True),
        ("files.temporary asks where a path is not known", False),
    ],
)
def test_doubts_that_pass(reason: str, expected: bool, tmp_path: Path) -> None:
    text = asking(decide="deny").replace("reason: no", "reason: what it says there")
    text = text.replace("title: G", f"title: G\n        unresolved: {{pass: {reason}}}")
    assert bool(found(subject(tmp_path, guards=text), "L215")) == expected
