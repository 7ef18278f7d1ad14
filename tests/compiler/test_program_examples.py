"""The examples of a bundle's programs: where their mistakes are reported, and that loading a policy
does not look at them."""

from __future__ import annotations

import pytest

from callgate.compiler.program_examples import check_program_examples
from callgate.model.diagnostic import Diagnostics
from tests.check.standard import bundle_of
from tests.compiler.assembling import BASE, found_at, policy_of

GOOD = """\
kind: programs
programs:
  "*": {trusted: [/bin]}
  rm:
    operands: FILE...
    effects: [{delete: {path: FILE}}]
    examples:
      match:
        - rm a: [{delete: a}]
        - rm b c: [{delete: c}]
        - rm -- -d: [{delete: -d}]
      pass: [rm, rm --help, rm -f]
"""


@pytest.mark.parametrize(
    ("good", "bad", "code"),
    [
        ("  rm:", "  ⟦rm⟧:", "C030"),
        ("rm a: [{delete: a}]", "rm a: [⟦{delete: b}⟧]", "C031"),
        ("[rm, rm --help", "[⟦rm x⟧, rm --help", "C031"),
    ],
)
def test_mistakes_are_reported_where_they_are(good: str, bad: str, code: str) -> None:
    text = GOOD.replace(good, bad)
    if code == "C030":
        text = text.replace("        - rm a: [{delete: a}]\n", "")
    files, place = found_at({"programs": text})
    found = Diagnostics()
    bundle = bundle_of({f"{name}.yaml": part for name, part in files.items()}, found)
    assert bundle is not None
    check_program_examples(bundle.documents, found)
    (item,) = found
    assert item.span is not None
    assert (item.code, f"{item.span}-{item.span.end_column}") == (code, place)
    assert item.help


def test_good_examples_are_no_finding() -> None:
    found = Diagnostics()
    bundle = bundle_of({"programs.yaml": GOOD}, found)
    assert bundle is not None
    check_program_examples(bundle.documents, found)
    assert not found.items


def test_what_can_not_be_used_is_left_out() -> None:
    found = Diagnostics()
    bundle = bundle_of({"programs.yaml": GOOD.replace("path: FILE", "path: FIL")}, found)
    assert bundle is not None
    check_program_examples(bundle.documents, found)
    assert not found.items


def test_loading_neither_tries_nor_keeps_examples() -> None:
    policy = policy_of({**BASE, "programs": GOOD.replace("delete: a}", "write: a}")})
    assert "examples" not in policy.programs["rm"]
    inner = "    commands: {x: {examples: {pass: [rm x]}}}\n"
    policy = policy_of({**BASE, "programs": GOOD + inner})
    assert policy.programs["rm"]["commands"] == {"x": {}}
