"""Definitions, lists, facts and settings that nothing uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.unused import UnreadSetting, UnusedDefine, UnusedList
from tests.lint.bundles import found, subject

GUARD = """\
kind: guards
define:
  chat: call.channel == "chat"
  alone: call.nested and chat
rules:
  - id: files.some
    title: Some files
    decide: ask
    each: w in effects.write
    when: {}
    reason: {}
"""
VOCABULARY = """\
kind: vocabulary
enums:
  mode: {{doc: who approves, members: {{"off": nobody, manual: a person}}}}
settings:
  approval.mode: {{type: mode, default: manual, doc: who approves}}
  approval.blocked: {{type: list of tool, default: [], doc: tools that are never called}}
  approval.wait: {{type: int, default: 10, doc: seconds}}
  api.key: {{type: string, default: "", doc: the key of the reviewer, secret: true}}
facts:
  at_night: {{is: dark, doc: nobody is there}}
  dark: {{is: call.unattended, doc: it is dark}}
{}
lists:
  paths.private: {{type: path, open: true, doc: what nobody may touch, items: [/etc]}}
examples: {{tool: save, argument: path}}
"""


@pytest.mark.parametrize(
    ("when", "reason", "told"),
    [
        ("alone", "no", []),
        ("chat", "no", ["alone"]),
        ("call.nested", "no", ["alone"]),  # `chat` is used by what is not used
        ("call.nested", "it is {alone}", []),
        ("call.channel == \"chat\"", "chat alone", ["alone"]),
    ],
)  # fmt: skip
def test_definitions(tmp_path: Path, when: str, reason: str, told: list[str]) -> None:
    made = subject(
        tmp_path, guards=GUARD.format(f"{when} and w.path under paths.private", f"'{reason}'")
    )
    expected = [f"nothing in this file uses `{name}`" for name in told]
    assert [message for *_, message in found(made, UnusedDefine)] == expected


def test_definitions_count_in_their_file_only(tmp_path: Path) -> None:
    one = GUARD.format("chat", "no")
    other = one.replace("files.some", "files.other").replace("when: chat", "when: alone")
    assert len(found(subject(tmp_path, guards=one, others=other), UnusedDefine)) == 1


def guards(when: str, reason: str = "no") -> str:
    return GUARD.format(when, f"'{reason}'").replace("  alone: call.nested and chat\n", "")


@pytest.mark.parametrize(
    ("text", "more", "told"),
    [
        (guards("chat and w.path under paths.private"), "", []),
        (guards("chat"), "", ["the list `paths.private`"]),
        (guards("chat", "not in {length(paths.private)}"), "", []),
        (guards("chat", "not in paths.private"), "", ["the list `paths.private`"]),
        (
            guards("chat"),
            '  secret: {is: "path(call.cwd, call.workspace) under paths.private", doc: secret}',
            ["the fact `secret`"],
        ),
    ],
)
def test_lists_and_facts(tmp_path: Path, text: str, more: str, told: list[str]) -> None:
    made = subject(tmp_path, guards=text, vocabulary=VOCABULARY.format(more))
    expected = [f"nothing reads {name}" for name in told]
    assert sorted(message for *_, message in found(made, UnusedList)) == expected


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("w.path under paths.private and chat", ["paths.mine"]),
        ("chat", ["paths.mine", "paths.private"]),
    ],
)
def test_what_is_added_to_an_inherited_list(tmp_path: Path, when: str, told: list[str]) -> None:
    subject(tmp_path / "base", guards=guards(when))
    manifest = """
    kind: bundle
    name: more
    version: "1"
    title: More
    extends: ../base
    files: [vocabulary.yaml]
    """
    vocabulary = """
    kind: vocabulary
    lists:
      paths.private: {add: [/boot]}
      paths.mine: {type: path, doc: mine, items: [/srv]}
    """
    base = tmp_path / "base" / "policies" / "acme"
    own = tmp_path / "policies" / "acme"
    own.parent.mkdir()
    base.rename(own.parent / "base")
    text = (own.parent / "base" / "vocabulary.yaml").read_text()
    (own.parent / "base" / "vocabulary.yaml").write_text(
        text.replace("paths.private: {type", "paths.private: {open: true, type")
    )
    gone = dict.fromkeys(
        ("flow.yaml", "guards.yaml", "masking.yaml", "risk.yaml", "tools.yaml"), None
    )
    files = {**gone, "bundle.yaml": manifest, "vocabulary.yaml": vocabulary}
    made = subject(tmp_path, files)
    messages = sorted(message for *_, message in found(made, UnusedList))
    assert messages == [f"nothing reads the list `{name}`" for name in told]


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({}, False),
        ({"guards.yaml": guards("chat and settings.approval.wait > 9")}, True),
        ({"guards.yaml": guards("chat", "wait {settings.approval.wait} seconds")}, True),
        ({"gate.yaml": "kind: gate\nwait_seconds: settings.approval.wait\n"}, True),
        (
            {
                "vocabulary.yaml": VOCABULARY.format(
                    "  long: {is: settings.approval.wait > 9, doc: long}"
                )
            },
            True,
        ),
        (
            {
                "checks.yaml": """
                kind: settings-checks
                rules:
                  - id: settings.wait
                    title: Waiting
                    severity: warning
                    at: approval.wait
                    when: approval.wait in given
                    message: that is long
                    help: wait less
                    examples: {match: [{approval: {wait: 61}}], pass: [{}]}
                """
            },
            True,
        ),
    ],
)
def test_settings(tmp_path: Path, files: dict[str, str], read: bool) -> None:
    made = subject(tmp_path, {"vocabulary.yaml": VOCABULARY.format(""), **files})
    told = [message for *_, message in found(made, UnreadSetting)]
    assert told == ([] if read else ["nothing reads the setting `approval.wait`"])
