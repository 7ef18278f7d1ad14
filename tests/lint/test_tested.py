"""Rules, decisions and answers that no test expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.tested import UnexpectedDecision, UngivenAnswer, UntestedRule
from tests.lint.bundles import findings, found, subject

FLOW = """\
kind: flow
steps:
  - id: lists
    title: Lists
    flow: visibility
  - id: guards
    title: Guards
    guards: all
    asks_become: {deny: settings.approval.mode == off}
  - id: night
    title: At night
    when: at_night
    otherwise: {decide: deny, reason: nobody is there}
  - id: tiers
    title: Tiers
    rules:
      - {id: tiers.look, title: Looking, when: risk == low, decide: allow}
  - id: grant
    title: Approved before
    consult: grant
    answers:
      granted: {decide: allow, despite: asks}
      none: {decide: ask, reason: nobody approved this}
otherwise: {decide: deny, reason: nothing decided}
"""
VISIBILITY = """\
kind: flow
flow: visibility
steps:
  - id: hidden
    title: Hidden
    rules:
      - {id: hidden.blocked, title: Blocked, hide: blocked, reason: it is blocked,
         when: call.tool in settings.approval.blocked}
otherwise: show
"""
GUARDS = """\
kind: guards
rules:
  - id: files.private
    title: Private files
    decide: deny
    each: w in effects.write
    when: w.path under paths.private
    reason: private
    exceptions:
      - {id: files.private.move, when: call.agent_id == "mover", until: 2027-06-01,
         owner: me, reason: moving}
    examples: {match: [/etc/x], pass: [/srv/x]}
  - id: files.boot
    title: Boot files
    decide: deny
    each: w in effects.write
    when: w.path under "/boot"
    reason: boot
"""
FLOW_RULES = [
    "flow.yaml tiers.look",
    "flow.yaml grant",
    "flow.yaml guards.asks-become-deny",
    "flow.yaml night.otherwise",
    "guards.yaml files.private.move",
    "visibility.yaml hidden.blocked",
]


def made_of(*expect: str, answers: str = "{}") -> str:
    cases = "".join(
        f"  - name: test {number}\n    call: {{tool: look, answers: {answers}}}\n"
        f"    expect: {{{text}}}\n"
        for number, text in enumerate(expect)
    )
    return f"kind: tests\ncases:\n{cases}" if cases else ""


@pytest.mark.parametrize(
    ("expect", "without"),
    [
        ([], FLOW_RULES),  # of all tests that are missing, L402 tells
        (["decision: allow"], []),
        (["rule: tiers.look"], ["tiers.look"]),
        (["rule: night.otherwise"], ["night.otherwise"]),
        (["rule: guards.asks-become-deny"], ["guards.asks-become-deny"]),
        # One of its answers, or that it was asked.
        (["rule: grant.granted"], ["grant"]),
        (["rule: grant.pending"], ["grant"]),
        (
            ["matched: [{rule: files.private, exception: files.private.move}]"],
            ["files.private.move"],
        ),
        (["shown: blocked"], ["hidden.blocked"]),
        (["rule: hidden.blocked"], ["hidden.blocked"]),
    ],
)
def test_rules(tmp_path: Path, expect: list[str], without: list[str]) -> None:
    files = {"tests.yaml": made_of(*expect)} if expect else {}
    made = subject(tmp_path, files, flow=FLOW, visibility=VISIBILITY, guards=GUARDS)
    told = [f"{file} {message.split('`')[1]}" for _, file, _, message in found(made, UntestedRule)]
    assert sorted(told) == sorted(
        r for r in FLOW_RULES if r not in without and r.split()[1] not in without
    )


def test_what_an_exception_needs_is_told(tmp_path: Path) -> None:
    tests = made_of("rule: tiers.look")
    made = subject(tmp_path, flow=FLOW, visibility=VISIBILITY, guards=GUARDS, tests=tests)
    (help,) = [
        f.diagnostic.help for f in findings(made, UntestedRule) if "move" in f.diagnostic.message
    ]
    assert "`matched: [{rule: files.private, exception: files.private.move}]`" in help


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        (["decision: allow", "decision: ask", "decision: deny"], []),
        (["decision: allow", "pending: grant", "decision: deny"], []),
        (["decision: allow", "decision: ask"], ["no test expects `deny`"]),
        (["rule: tiers.look"], ["no test expects `allow` or `ask` or `deny`"]),
        ([], ["the bundle has no tests"]),
    ],
)
def test_decisions(tmp_path: Path, expect: list[str], told: list[str]) -> None:
    files = {"tests.yaml": made_of(*expect)} if expect else {}
    made = subject(tmp_path, files, flow=FLOW, visibility=VISIBILITY, guards=GUARDS)
    assert [message for *_, message in found(made, UnexpectedDecision)] == told


def test_what_the_policy_can_not_come_to_needs_no_test(tmp_path: Path) -> None:
    text = """
    kind: flow
    steps: [{id: rest, title: Rest, rules: [{id: rest.all, title: All, decide: allow}]}]
    otherwise: {decide: deny, reason: never}
    """
    files = {"guards.yaml": None, "tests.yaml": made_of("decision: allow", "decision: deny")}
    assert found(subject(tmp_path, files, flow=text), UnexpectedDecision) == []


def test_a_question_that_waits_is_an_ask(tmp_path: Path) -> None:
    text = FLOW.replace("{decide: ask, reason: nobody approved this}", "next")
    files = {"guards.yaml": None, "tests.yaml": made_of("decision: allow", "decision: deny")}
    made = subject(tmp_path, files, flow=text, visibility=VISIBILITY)
    assert [message for *_, message in found(made, UnexpectedDecision)] == ["no test expects `ask`"]


@pytest.mark.parametrize(
    ("answers", "missing"),
    [
        ("{}", ["granted", "none"]),
        ("{grant: true}", ["none"]),
        ("{grant: false}", ["granted"]),
        ("{human: once}", ["granted", "none"]),
    ],
)
def test_answers(tmp_path: Path, answers: str, missing: list[str]) -> None:
    made = subject(
        tmp_path,
        flow=FLOW,
        visibility=VISIBILITY,
        tests=made_of("decision: allow", answers=answers),
    )
    lines = {"granted": 22, "none": 23}
    noun = "answer" if len(missing) == 1 else "answers"
    words = ", ".join(f"`{word}`" for word in missing)
    assert [(line, message) for _, _, line, message in found(made, UngivenAnswer)] == [
        (lines[missing[0]], f"no test gives the {noun} {words} of `grant`")
    ]


def test_a_bundle_without_tests_is_told_that_alone(tmp_path: Path) -> None:
    made = subject(tmp_path, {"tests.yaml": None}, flow=FLOW, visibility=VISIBILITY)
    assert found(made, UngivenAnswer) == []
    assert [message for *_, message in found(made, UnexpectedDecision)] == [
        "the bundle has no tests"
    ]


def test_a_reply_is_the_answer_that_it_means(tmp_path: Path) -> None:
    reviewer = FLOW.replace("consult: grant", "consult: reviewer\n    unavailable_when: ['^Error']")
    reviewer = reviewer.replace("granted:", "approve:").replace(
        "none: {", "escalate: next\n      unavailable: next\n      deny: {"
    )
    given = ["{reply: approve}", "{reply: 'Error 17'}", "{reply: hm}"]
    cases = [
        made_of("decision: allow", answers=f"{{reviewer: {a}}}").replace("test 0", f"test {n}")
        for n, a in enumerate(given)
    ]
    text = cases[0] + "".join(case.partition("cases:\n")[2] for case in cases[1:])
    made = subject(tmp_path, flow=reviewer, visibility=VISIBILITY, tests=text)
    assert [message for *_, message in found(made, UngivenAnswer)] == [
        "no test gives the answer `deny` of `reviewer`"
    ]


def test_inherited_tests_count(tmp_path: Path) -> None:
    subject(
        tmp_path,
        flow=FLOW,
        visibility=VISIBILITY,
        guards=GUARDS,
        tests=made_of("matched: [{rule: more.x, exception: more.x.now}]"),
    )
    (tmp_path / "policies" / "acme").rename(tmp_path / "policies" / "base")
    manifest = """
    kind: bundle
    name: more
    version: "1"
    title: More
    extends: ../base
    files: [guards.yaml]
    """
    guards = """
    kind: guards
    rules:
      - {id: more.x, title: X, decide: ask, when: call.nested, reason: x, exceptions: [
         {id: more.x.now, when: risk == low, until: 2027-06-01, owner: me, reason: moving}]}
      - {id: more.y, title: Y, decide: ask, when: call.nested, reason: y, exceptions: [
         {id: more.y.now, when: risk == low, until: 2027-06-01, owner: me, reason: moving}]}
    """
    gone = dict.fromkeys(
        ("flow.yaml", "masking.yaml", "risk.yaml", "tools.yaml", "vocabulary.yaml"), None
    )
    made = subject(tmp_path, {**gone, "bundle.yaml": manifest, "guards.yaml": guards})
    assert [message for *_, message in found(made, UntestedRule)] == [
        "no test expects the exception `more.y.now`"
    ]
