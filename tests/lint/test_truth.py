"""Conditions, and parts of them, that say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import found, subject
from tests.lint.written import flow, guards

ALWAYS = ("settings.approval.mode in off|manual", 'w.path under "/a"')
OF_GUARDS = [
    # condition, code, message
    (" and ".join(ALWAYS), "L101", f"`{ALWAYS[0]}` is always true"),
    (
        'w.path under "/a" or call.unattended or not call.unattended',
        "L101",
        '`w.path under "/a" or call.unattended or not call.unattended` is always true',
    ),
    ("length(call.channel) >= 0", "L101", "`length(call.channel) >= 0` is always true"),
    ("length(call.channel) < 0", "L102", "`length(call.channel) < 0` is never true"),
    (
        'w.path under "/a" and w.path under "/b"',
        "L108",
        '`w.path under "/b"` and `w.path under "/a"` can\'t both be true',
    ),
    (
        'any(t in w.through where t == "a" and t == "b")',
        "L108",
        '`t == "b"` and `t == "a"` can\'t both be true',
    ),
    (
        "call.attempt_index > 3 and (call.attempt_index < 2 or call.attempt_index == 3)",
        "L108",
        "`(call.attempt_index < 2 or call.attempt_index == 3)` and `call.attempt_index > 3` "
        "can't both be true",
    ),
    (
        'at_night and call.channel == "a" and call.unattended',
        "L114",
        "`at_night` changes nothing: it is true wherever `call.unattended` is",
    ),
    (
        'w.path under "/a" or w.path under "/a/b"',
        "L114",
        '`w.path under "/a/b"` changes nothing: it is true only where `w.path under "/a"` is',
    ),
    # Each tells callers apart.
    ('w.path under "/a" or not (w.path under "/a")', "", ""),  # the path may be unknown
    ('w.path under "/a" and w.path like "*.md"', "", ""),
    ('call.channel == "a" and call.sender_id == "b"', "", ""),
    ("has call.allowed_tools and call.tool in call.allowed_tools", "", ""),
    ("call.attempt_index > 3 and call.attempt_index < 5", "", ""),
    ('w.path under "~/a" and not (w.path under "~/a/b")', "", ""),
]
CODES = ("L101", "L102", "L108", "L114")


@pytest.mark.parametrize(("when", "code", "message"), OF_GUARDS)
def test_conditions_of_guards(tmp_path: Path, when: str, code: str, message: str) -> None:
    loaded = subject(tmp_path, guards=guards(("deny", when)))
    told = [item for known in CODES for item in found(loaded, known)]
    message = message.replace("`(", "`").replace(")`", "`") if code == "L108" else message
    assert [(item[0], item[3]) for item in told] == ([(code, message)] if code else [])


@pytest.mark.parametrize(
    ("when", "codes"),
    [
        ("risk >= low", ["L101"]),
        ('risk < low or call.channel == "ops"', ["L102"]),
        ("risk == low and risk == high", ["L108"]),
        ("risk == low or risk == high", ["L101"]),
        ("risk == high and risk > low", ["L114"]),
        ('call.channel == "a" and (as_int(args.count) ?? 0) > 3', []),
        ("call.tool in look|save and risk == low", []),
        # The loader tells these.
        ('call.channel == "ops" or true', []),
    ],
)
def test_conditions_of_a_flow(tmp_path: Path, when: str, codes: list[str]) -> None:
    loaded = subject(tmp_path, flow=flow(("deny", when), ("deny", 'call.channel == "web"')))
    assert [item[0] for code in CODES for item in found(loaded, code)] == codes


def test_what_a_definition_says_is_told_where_it_stands_and_once(tmp_path: Path) -> None:
    text = guards(("deny", "odd"), ("ask", 'odd and w.path under "/a"'))
    text = text.replace("rules:", "define:\n  odd: call.unattended and not call.unattended\nrules:")
    told = found(subject(tmp_path, guards=text), "L108")
    assert [item[1:] for item in told] == [
        ("guards.yaml", 3, "`not call.unattended` and `call.unattended` can't both be true")
    ]
