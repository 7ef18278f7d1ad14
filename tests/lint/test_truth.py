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
    (
        'w.path != "/a" or w.path != "/b"',
        "L101",
        '`w.path != "/a" or w.path != "/b"` is never false: it is true, or unknown',
    ),
    (
        'not (w.path under "/a/c") or not (w.path under "/a/b")',
        "L101",
        '`not (w.path under "/a/c") or not (w.path under "/a/b")` is never false: it is true, or '
        "unknown",
    ),
    (
        'call.channel == "a" and (w.path under "/a" or not (w.path under "/a"))',
        "L101",
        '`w.path under "/a" or not (w.path under "/a")` is never false: it is true, or unknown',
    ),
    (
        'call.channel like "a*" and call.channel like "b*"',
        "L108",
        '`call.channel like "b*"` and `call.channel like "a*"` can\'t both be true',
    ),
    (
        'call.channel like "mail*" or call.channel like "mail-*"',
        "L114",
        '`call.channel like "mail-*"` changes nothing: it is true only where '
        '`call.channel like "mail*"` is',
    ),
    (
        'touches(w.path, ["~/.ssh"]) or touches(w.path, ["~/.ssh/id_rsa"])',
        "L114",
        '`touches(w.path, ["~/.ssh/id_rsa"])` changes nothing: it is true only where '
        '`touches(w.path, ["~/.ssh"])` is',
    ),
    (
        'touches(w.path, "/etc/ssh") or w.path under "/etc/ssh/keys"',
        "L114",
        '`w.path under "/etc/ssh/keys"` changes nothing: it is true only where '
        '`touches(w.path, "/etc/ssh")` is',
    ),
    (
        'basename(w.path) == ".env" and extension(w.path) == "pem"',
        "L108",
        '`extension(w.path) == "pem"` and `basename(w.path) == ".env"` can\'t both be true',
    ),
    # Each tells callers apart.
    ('basename(w.path) == "a.pem" and extension(w.path) == "pem"', "", ""),
    ('basename(w.path) in "a"|"a.pem" and extension(w.path) like "p*"', "", ""),
    ('w.path != "/a" or call.channel != "/b"', "", ""),
    ('w.path under "/a" or not (w.path under "/a/b/c") and call.unattended', "", ""),
    ('call.channel like "a*" and call.channel like "*b"', "", ""),
    ('call.channel like "a*b" or call.channel like "b*"', "", ""),
    ('w.path under "/etc/ssh" or touches(w.path, "/etc/ssh/keys")', "", ""),
    ('touches(w.path, "/etc/ssh") and touches(w.path, "/srv")', "", ""),
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
    ("when", "code"),
    [
        ("r is `git push` or r is `git push --force`", "L114"),
        ("r is `rm (-r|--recursive)` or r is `rm -r build`", "L114"),
        ('r.program == "git" or r is `git push`', "L114"),
        ('r.program == "rm" and r is `git push`', "L108"),
        ("r is `git push` and r is `rm -r`", "L108"),
        ("r is `(rm|rm) -r`", "L116"),
        # `push` may be the value of an option before `pull`.
        ("r is `git push` and r is `git pull`", ""),
        # The program's name is the quicker test.
        ('r.program == "git" and (r is `git push` or r is `git pull`)', ""),
        ("r is `git push --force` or r is `git push --all`", ""),
        ('r.program == "git" or r is `(git|hg) push`', ""),
        ("r is `rm -r` or r is `rm -rf`", ""),
    ],
)
def test_command_patterns(tmp_path: Path, when: str, code: str) -> None:
    text = guards(("deny", when)).replace("w in effects.write", "r in effects.run")
    loaded = subject(tmp_path, guards=text)
    told = [item[0] for known in (*CODES, "L109", "L116") for item in found(loaded, known)]
    assert told == ([code] if code else [])


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
