"""Examples of guards."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.examples import NoExamples, OneSidedExamples, SameExample
from tests.lint.bundles import findings, found, subject
from tests.lint.fixes import fixed

GUARD = """\
kind: guards
rules:
  - id: files.etc
    title: Writing system settings
    decide: deny
    {rest}
    reason: this belongs to the system
"""
EACH = 'each: w in effects.write\n    when: w.path under "/etc"'


def guards(rest: str, examples: str = "") -> str:
    return GUARD.format(rest=rest) + (f"    examples: {examples}\n" if examples else "")


@pytest.mark.parametrize(
    ("rest", "examples", "none", "one_sided"),
    [
        (EACH, "", True, ""),
        (EACH, "{}", True, ""),
        (EACH, "{match: [], pass: []}", True, ""),
        (EACH, "{match: [/etc/x], pass: [/srv/x]}", False, ""),
        (EACH, "{match: [/etc/x]}", False, "pass"),
        (EACH, "{pass: [/srv/x], match: []}", False, "match"),
        # A guard that holds for every call passes none.
        ("when: true", "{match: [/etc/x]}", False, "pass"),
        ("severity: low", "{match: [/etc/x]}", False, ""),
        ("tools: [save]", "{match: [/etc/x]}", False, "pass"),
    ],
)
def test_examples_on_both_sides(
    tmp_path: Path, rest: str, examples: str, none: bool, one_sided: str
) -> None:
    made = subject(tmp_path, guards=guards(rest, examples))
    assert bool(found(made, NoExamples)) is none
    told = [message for *_, message in found(made, OneSidedExamples)]
    assert told == ([f"no example says what `files.etc` must {one_sided}"] if one_sided else [])


@pytest.mark.parametrize(
    ("examples", "mended"),
    [
        ("{match: [/etc/x, /etc/x], pass: []}", "{match: [/etc/x], pass: []}"),
        (
            "{match: [/etc/x, /etc/y , /etc/x, /etc/z]}",
            "{match: [/etc/x, /etc/y, /etc/z]}".replace("/etc/y,", "/etc/y,"),
        ),
        # A text and the call that it stands for.
        (
            "\n      match:\n        - /etc/x\n        - {tool: save, args: {path: /etc/x}}\n"
            "        - /etc/y",
            "\n      match:\n        - /etc/x\n        - /etc/y",
        ),
        (
            "\n      match:\n        - /etc/x\n"
            "        - tool: save\n          args: {path: /etc/x}\n"
            "      pass:\n        - /srv/x",
            "\n      match:\n        - /etc/x\n      pass:\n        - /srv/x",
        ),
        # A comment beside it might be lost.
        ("\n      match:\n        - /etc/x\n        - /etc/x # why\n      pass: []", None),
        ("\n      match: [/etc/x, # why\n              /etc/x]", None),
    ],
)
def test_examples_that_stand_twice(tmp_path: Path, examples: str, mended: str | None) -> None:
    made = subject(tmp_path, guards=guards(EACH, examples))
    told = findings(made, SameExample)
    assert [item.diagnostic.message for item in told] == [
        "this example of `files.etc` stands above already"
    ]
    assert bool(told[0].fix) is (mended is not None)
    if mended is not None:
        text = fixed(made, told)["guards.yaml"]
        assert text.replace(" ,", ",") == guards(EACH, mended)


def test_different_examples(tmp_path: Path) -> None:
    examples = "{match: [/etc/x, {tool: save, args: {path: /etc/x, text: a}}], pass: [/srv/x]}"
    assert found(subject(tmp_path, guards=guards(EACH, examples)), SameExample) == []
