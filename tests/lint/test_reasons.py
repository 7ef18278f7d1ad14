"""Reasons: missing, styled as sentences, printing what the agent wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.leaks import LeakingReason
from callgate.lint.rules.reasons import NoReason, ReasonStyle
from tests.lint.bundles import findings, found, subject
from tests.lint.fixes import fixed

FLOW = """\
kind: flow
steps:
  - id: guards
    title: Guards
    guards: all
  - id: blocked
    title: Blocked tools
    rules:
      - id: blocked.listed
        title: Listed
        when: call.tool in settings.approval.blocked
        {rule}
  - id: human
    title: A person
    consult: human
    answers:
      once: {{decide: allow, despite: person}}
      session: {{decide: allow, despite: person}}
      session-all: next
      always: {{decide: allow, despite: person}}
      deny: {deny}
      timeout: {{decide: deny, reason: nobody answered}}
otherwise:
  decide: deny
  reason: nothing decided
"""


@pytest.mark.parametrize(
    ("rule", "deny", "told"),
    [
        ("decide: deny", "next", ["the `deny` of `blocked.listed` gives no reason"]),
        ("decide: ask", "next", ["the `ask` of `blocked.listed` gives no reason"]),
        ("decide: allow", "next", []),
        ("decide: deny\n        reason: listed", "next", []),
        ("decide: allow", "{decide: deny}", ["the answer `deny` of `human` gives no reason"]),
        ("decide: allow", "{decide: deny, reason: refused}", []),
        ("decide: allow", "{decide: allow}", []),
    ],
)
def test_reasons_of_flows(tmp_path: Path, rule: str, deny: str, told: list[str]) -> None:
    made = subject(tmp_path, flow=FLOW.format(rule=rule, deny=deny))
    assert [message for *_, message in found(made, NoReason)] == told


def test_what_hides_tools_says_why(tmp_path: Path) -> None:
    visibility = """
    kind: flow
    flow: visibility
    steps:
      - id: lists
        title: Lists
        rules:
          - {id: lists.blocked, title: Blocked, calls: pass, hide: blocked,
             when: call.tool in settings.approval.blocked}
    otherwise: show
    """
    made = subject(tmp_path, visibility=visibility)
    assert [m for *_, m in found(made, NoReason)] == [
        "the `hide` of `lists.blocked` gives no reason"
    ]


GUARD = """\
kind: guards
rules:
  - id: jobs.some
    title: Some jobs
    decide: ask
    {}
    reason: {}
"""


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("the disk is full", []),
        ("GitHub is where it goes", []),
        ("{call.tool} is blocked", []),
        ("Docker runs it", []),
        ("`The` is quoted", []),
        ("HTTP is not encrypted", []),
        ("I/O on this disk", []),
        ("I asked for it", []),
        ("A/B tests run here", []),
        ("see example.org, v1.2, etc.", []),
        ("wait ...", []),
        ("This is one. And this is two.", ["capital"]),
        ("The disk is full", ["capital"]),
        ("A disk is full", ["capital"]),
        ("the disk is full.", ["stop"]),
        ("Nobody looked.", ["capital", "stop"]),
    ],
)
def test_style(tmp_path: Path, reason: str, told: list[str]) -> None:
    quoted = "'" + reason + "'"
    made = subject(tmp_path, guards=GUARD.format("when: call.nested", quoted))
    messages = [message for *_, message in found(made, ReasonStyle)]
    assert ["capital" if "capital" in m else "stop" for m in messages] == told


def test_a_word_that_is_written_small_elsewhere_is_no_name(tmp_path: Path) -> None:
    text = GUARD.format("when: call.nested", "Jobs wait")
    assert found(subject(tmp_path / "1", guards=text), ReasonStyle) == []
    other = GUARD.format("when: call.nested", "so many jobs wait").replace("jobs.some", "jobs.many")
    made = subject(tmp_path / "2", guards=text, others=other)
    assert len(found(made, ReasonStyle)) == 1


@pytest.mark.parametrize(
    ("reason", "mended"),
    [
        ("the disk is full.", "the disk is full"),
        ('"the disk is full."', '"the disk is full"'),
        ("'it is full.'", "'it is full'"),
        (">-\n      the disk\n      is full.", ">-\n      the disk\n      is full"),
        ("|\n      the disk is full.", None),
    ],
)
def test_full_stops_are_taken_out(tmp_path: Path, reason: str, mended: str | None) -> None:
    made = subject(tmp_path, guards=GUARD.format("when: call.nested", reason))
    told = findings(made, ReasonStyle)
    if mended is None:  # its text ends in a line feed
        assert told == []
    else:
        assert fixed(made, told)["guards.yaml"] == GUARD.format("when: call.nested", mended)


RISK = """
kind: risk-map
levels: [low]
combine: strictest
default: low
tools: {low: [sh, look, save, start]}
"""
TOOLS = """
kind: tools
capabilities: {fs.read: reads, run: runs}
tools:
  sh:
    description: Run a command
    capabilities: [run]
    parameters:
      type: object
      properties:
        command: {type: string}
        cwd: {type: string}
        note: {type: string}
        size: {type: string, enum: [small, large]}
        name: {type: string, maxLength: 40}
        api_key: {type: string, maxLength: 40}
        count: {type: integer}
      required: [command, cwd, note, size, name, api_key, count]
    effects: [{shell: {text: args.command, cwd: args.cwd}}]
    aliases: [bash]
  look: {description: Look, capabilities: [fs.read], effects: none}
  save: {description: Save, capabilities: [fs.read], effects: none}
  start: {description: Start, capabilities: [fs.read], effects: none}
"""
VOCABULARY = """
kind: vocabulary
enums:
  mode: {doc: who approves, members: {"off": nobody, manual: a person}}
settings:
  approval.mode: {type: mode, default: manual, doc: who approves}
  approval.blocked: {type: list of tool, default: [], doc: tools that are never called}
  api.key_from: {type: string, default: "", doc: the variable with the key}
facts: {at_night: {is: call.unattended, doc: nobody is there}}
lists: {paths.private: {type: path, doc: private, items: [/etc]}}
examples: {tool: sh, argument: command}
"""


@pytest.mark.parametrize(
    ("slot", "why"),
    [
        ("args.command", "in which the agent may write anything"),
        ('args["command"]', "in which the agent may write anything"),
        ("args.note", "in which the agent may write anything"),
        ("args.api_key", "which is masked by its name"),
        ("settings.api.key_from", "which is masked by its name"),
        ("args.cwd", ""),
        ("args.size", ""),
        ("args.name", ""),
        ("args.count", ""),
        ("length(args.command)", ""),
        ("call.tool", ""),
        ("settings.approval.mode", ""),
    ],
)
def test_what_a_reason_shows(tmp_path: Path, slot: str, why: str) -> None:
    guard = GUARD.format("tools: [sh]", f"'{{{slot}}} is looked at'")
    files = {"tools.yaml": TOOLS, "vocabulary.yaml": VOCABULARY, "flow.yaml": FLOW_OF_SH,
             "risk.yaml": RISK}  # fmt: skip
    told = [message for *_, message in found(subject(tmp_path, files, guards=guard), LeakingReason)]
    assert bool(told) is bool(why)
    assert not why or told[0].endswith(why)


@pytest.mark.parametrize(
    ("each", "slot", "told"),
    [
        ("r in effects.run", "r.words", True),
        ("r in effects.run", "r.operands", True),
        ("r in effects.run", "length(r.words)", False),
        ("r in effects.run", "r.program", False),
        ("e in effects.environment", "e.value", True),
        ("e in effects.environment", "e.name", False),
        ("s in effects.schedule", "s.text", True),
        ("w in effects.write", "w.path", False),
    ],
)
def test_what_a_reason_shows_of_an_effect(each: str, slot: str, told: bool, tmp_path: Path) -> None:
    guard = GUARD.format(f"each: {each}", f"'{{{slot}}} is looked at'")
    assert bool(found(subject(tmp_path, guards=guard), LeakingReason)) is told


def test_without_tools_an_argument_is_that_of_any(tmp_path: Path) -> None:
    guard = GUARD.format("when: has args.note", "'{args.note ?? \"\"} is looked at'")
    files = {"tools.yaml": TOOLS, "vocabulary.yaml": VOCABULARY, "flow.yaml": FLOW_OF_SH,
             "risk.yaml": RISK}  # fmt: skip
    assert found(subject(tmp_path, files, guards=guard), LeakingReason)


FLOW_OF_SH = """
kind: flow
steps: [{id: guards, title: Guards, guards: all}]
otherwise: {decide: deny, reason: nothing decided}
"""
