"""Test cases that expect little, stand twice, or wait for somebody."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.cases import SameTest, UnconfirmedTest, VagueTest
from tests.lint.bundles import found, subject

HEAD = "kind: tests\ncases:\n"
CASE = "  - {{name: {}, call: {{tool: look, args: {{path: /srv/a}}}}, settings: {}, expect: {}}}\n"


def cases(*pairs: tuple[str, str]) -> str:
    return HEAD + "".join(
        CASE.format(f"t{number}", settings, expect)
        for number, (settings, expect) in enumerate(pairs)
    )


@pytest.mark.parametrize(
    ("expect", "vague"),
    [
        ("{decision: allow}", True),
        ("{decision: allow, rule: tiers.look}", False),
        ("{rule: tiers.look}", False),
        ("{risk: low}", False),
        ("{decision: allow, matched: []}", False),
    ],
)
def test_vague(tmp_path: Path, expect: str, vague: bool) -> None:
    told = found(subject(tmp_path, tests=cases(("{}", expect))), VagueTest)
    assert bool(told) is vague


ALLOW = "{decision: allow}"
OFF = '{approval: {mode: "off"}}'


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("{}", ALLOW), ("{}", ALLOW)], ["the test `t1` is `t0` once more"]),
        ([("{}", ALLOW), (OFF, ALLOW)], []),
        ([("{approval: {wait: 99999999999999999999999}}", ALLOW), ("{}", ALLOW)], []),
        ([("{}", ALLOW), ("{}", "{risk: low}")], []),
        (
            [(OFF, ALLOW), ("{}", ALLOW), (OFF, ALLOW), (OFF, ALLOW)],
            ["the test `t2` is `t0` once more", "the test `t3` is `t0` once more"],
        ),
    ],
)
def test_same(tmp_path: Path, pairs: list[tuple[str, str]], told: list[str]) -> None:
    made = subject(tmp_path, tests=cases(*pairs))
    assert [message for *_, message in found(made, SameTest)] == told


def test_rows_of_tables_are_tests(tmp_path: Path) -> None:
    text = (
        cases(("{}", ALLOW))
        + "  - table: rows\n    columns: [tool, args.path, decision, name]\n"
        + "    rows: [[look, /srv/b, allow, b], [look, /srv/a, allow, a]]\n"
    )
    told = found(subject(tmp_path, tests=text), SameTest)
    assert [message for *_, message in told] == ["the test `rows: a` is `t0` once more"]


@pytest.mark.parametrize(
    ("rows", "more", "told"),
    [
        ("[[/srv/a, a], [/srv/a, b]]", "", ["the test `one: b` is `one: a` once more"]),
        ("[[/srv/a, a]]", "[[/srv/a, a], [/srv/b, b]]", []),
        (
            "[[/srv/a, a]]",
            "[[/srv/b, a], [/srv/b, b]]",
            ["the test `two: b` is `two: a` once more"],
        ),
    ],
)
def test_tables_may_share_rows(tmp_path: Path, rows: str, more: str, told: list[str]) -> None:
    text = HEAD
    for name, given in (("one", rows), ("two", more)):
        if given:
            text += f"  - table: {name}\n    with: {{tool: look}}\n"
            text += f"    columns: [args.path, name]\n    rows: {given}\n"
            text += "    expect: {decision: allow}\n"
    made = subject(tmp_path, tests=text)
    assert [message for *_, message in found(made, SameTest)] == told


@pytest.mark.parametrize(
    ("confirmed", "told"), [("confirmed: false, ", 1), ("", 0), ("confirmed: true, ", 0)]
)
def test_unconfirmed(tmp_path: Path, confirmed: str, told: int) -> None:
    text = cases(("{}", ALLOW)).replace("{name", f"{{{confirmed}name")
    assert len(found(subject(tmp_path, tests=text), UnconfirmedTest)) == told
