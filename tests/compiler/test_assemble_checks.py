"""Settings checks: what they may say and read, and every mistake in them."""

from __future__ import annotations

import pytest

from callgate.model.diagnostic import Severity
from tests.compiler.assembling import BASE, assembled, found_at, policy_of

CHECK = """\
kind: settings-checks
rules:
  - id: settings.listed
    title: Listed twice
    severity: info
    at: approval.deny
    each: t in settings.approval.deny
    select: c in catalogue where has catalogue[c] and catalogue[c].risk == high
    when: has catalogue[t] and catalogue[t].risk == high and length(selected) > 0
    message: "{t} is {catalogue[t].risk}, as {selected} are"
    help: take {t} out
    examples: {match: [{approval: {deny: [exec]}}], pass: [{approval: {deny: []}}]}
"""


def test_everything_that_a_check_says() -> None:
    (check,) = policy_of({**BASE, "checks": CHECK}).settings_checks
    assert (check.id, check.title, check.severity) == ("settings.listed", "Listed twice", "info")
    assert check.at == "approval.deny"
    assert check.each is not None and check.each.name == "t" and check.each.where is None
    assert check.select is not None and check.select.name == "c" and check.select.where is not None
    assert [example.found for example in check.examples] == [True, False]
    assert check.span is not None and check.span.line == 3


def test_a_bundle_without_them() -> None:
    assert policy_of(BASE).settings_checks == ()


@pytest.mark.parametrize(
    "when",
    [
        "approval.deny in given",
        "approval.mode in given and settings.approval.mode == smart",
        'look in (profiles["small"] ?? [])',
        'has security_profiles["daemon"]',
        "length(soft_blocks) > 2",
        "has catalogue[t] and catalogue[t].reserved",
        "has catalogue[t] and fs.read in catalogue[t].capabilities",
        "has catalogue[t] and catalogue[t].soft_blocks > 1",
        "has catalogue[t] and any(x in catalogue[t].capabilities where x == fs.read)",
        "paths.system == paths.system",
    ],
)
def test_what_a_check_may_read(when: str) -> None:
    text = CHECK.replace(
        "when: has catalogue[t] and catalogue[t].risk == high and", f"when: {when} and"
    )
    text = text.replace("{catalogue[t].risk}", "x")
    _, problems = assembled({**BASE, "checks": text})
    if when.startswith("paths"):  # `~` in it stands for a call's home folder
        assert [item.code for item in problems] == ["T060"]
    else:
        assert problems == []


MISTAKES = [
    # What to replace, by what (with the place marked), code, part of message, of help.
    ("settings.listed", "⟦files.delete⟧", "C001", "`files.delete` is taken", "unique"),
    ("at: approval.deny", "at: ⟦approval.dny⟧", "T003", "is not a setting", "`approval.deny`?"),
    ("at: approval.deny", "at: ⟦elsewhere⟧", "T003", "`elsewhere`", "or a section of them"),
    ("each: t in", "each: ⟦call.tool⟧ in", "P001", "names nothing to go over", "write it as"),
    ("each: t in settings.approval.deny", "each: ⟦settings.approval.deny⟧", "P001", "", "`x in"),
    ("in settings.approval.deny\n", "in ⟦settings.approval.mode⟧\n", "T005", "a list or a map", ""),
    ("in settings.approval.deny\n", "in ⟦capabilities⟧\n", "T060", "`capabilities`", ""),
    ("in settings.approval.deny\n", "in settings.approval.⟦dny⟧\n", "T003", "`dny`", "`deny`?"),
    ("each: t in", "each: ⟦quiet in settings.approval.deny⟧ #", "T018", "`quiet` already", "own"),
    ("select: c in", "select: ⟦t⟧ in", "T018", "`t` already means", "own"),
    ("where has catalogue[c] and catalogue[c].risk == high", "where ⟦call.unattended⟧", "T060",
     "`call.unattended` is not", "no call"),
    ("c in catalogue where", "c in ⟦declared.capabilities⟧ where quiet and", "T060", "", ""),
    ("has catalogue[t] and catalogue[t].risk == high and l", "⟦catalogue[t]⟧.risk == low and l",
     "T006", "absent", "has"),
    ("catalogue[t].risk == high and l", "catalogue[t].risk == ⟦hgh⟧ and l", "T002", "", "`high`?"),
    ("when: has", "when: ⟦approval.dney⟧ in given and has", "T002", "", "`approval.deny`"),
    ("length(selected) > 0", "length(⟦slected⟧) > 0", "T001", "`slected`", "`selected`?"),
    ("when: has catalogue[t] and catalogue[t].risk == high and length(selected) > 0",
     "when: ⟦quiet⟧", "T060", "is not known when settings are checked", "no call"),
    ("help: take {t} out", "help: ⟦take {call.tool} out⟧", "T060", "`call.tool`", ""),
    ("help: take {t} out", "help: take {⟦s⟧} out", "T001", "`s` is not known", ""),
    ("help: take {t} out", "help: take ⟦{⟧t out", "P007", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "message", "help"), MISTAKES)
def test_mistakes(old: str, new: str, code: str, message: str, help: str) -> None:
    assert old in CHECK
    files, place = found_at({**BASE, "checks": CHECK.replace(old, new, 1)})
    _, problems = assembled(files)
    found = [item for item in problems if item.code == code]
    assert found and len(problems) == 1, problems
    assert found[0].severity is Severity.ERROR
    assert message in found[0].message
    assert help in found[0].help
    span = found[0].span
    assert span is not None
    shown = f"{span.file}:{span.line}:{span.column}-{span.end_column}"
    if place and not place.endswith("--1"):
        assert shown.rpartition("-")[0] == place.rpartition("-")[0]


def test_names_of_checks_are_known_to_checks_alone() -> None:
    for name in ("given", "catalogue", "soft_blocks", "selected"):
        rule = f"{{id: x.y, title: X, decide: note, when: {name} == 3, reason: r}}"
        _, problems = assembled({**BASE, "more": f"kind: guards\nrules: [{rule}]\n"})
        assert [item.code for item in problems] == ["T001"], name
