"""What one part of a condition makes known to another, what may be unknown, and where command
patterns are strict."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from callgate.model.expr import CommandMatch, Expr, children
from tests.check.standard import check

NARROWING = [
    'has settings.note and settings.note == "x"',
    'not has settings.note or settings.note == "x"',
    'has settings.note and (interactive or settings.note == "x")',
    '(has settings.note and interactive) and settings.note == "x"',
    '(has settings.note and risky or has settings.note and asked) and settings.note == "x"',
    'not (not has settings.note or interactive) and settings.note == "x"',
    'not (has settings.note and interactive) or settings.note == "x"',
    'not (interactive or not has settings.note) and settings.note like "x"',
    "has settings.note and any(g in call.groups where g == settings.note)",
    'has settings.note and not (settings.note == "x")',
    'noted and settings.note == "x"',
    'not noted or settings.note == "x"',
    'has settings.allow_from["a"] and call.sender_id in settings.allow_from["a"]',
    'has settings.allow_from[call.channel] and "*" in settings.allow_from[call.channel]',
    "has settings.strict and settings.strict",
    'has args.a and args.a == "x"',
    'any(c in effects.connect where has c.url and host(c.url) under "example.org")',
    "any(c in effects.connect where not has c.port or c.port == 80)",
]


@pytest.mark.parametrize("text", NARROWING)
def test_narrowing(text: str) -> None:
    assert check(text)[1] == []


NOT_NARROWING = [
    'has settings.note or settings.note == "x"',
    'not has settings.note and settings.note == "x"',
    '(has settings.note or interactive) and settings.note == "x"',
    'not (has settings.note and interactive) and settings.note == "x"',
    'any(g in call.groups where has settings.note) and settings.note == "x"',
    'has settings.allow_from["a"] and call.sender_id in settings.allow_from["b"]',
    'has settings.note == true and settings.note == "x"',
    'interactive and settings.note == "x" and has settings.note',
]


@pytest.mark.parametrize("text", NOT_NARROWING)
def test_not_narrowing(text: str) -> None:
    assert [problem.code for problem in check(text)[1]][:1] in (["T006"], ["P001"]), text


UNKNOWN = [
    ("call.unattended and risk == exec", False),
    ("call.tool in settings.approval.deny", False),
    ('any(g in call.groups where g == "x")', False),
    ("effects.complete", False),
    ("any(d in effects.delete where d.certain)", False),
    ("any(i in effects.interpret where i.source == stdin)", False),
    ("any(d in effects.delete where d.recursive)", True),
    ("deletes", True),
    ("count(d in effects.delete where d.recursive) > 1", True),
    ("any(r in effects.run where r is `git push`)", True),
    ('any(r in effects.run where any(w in r.words where w == "-f"))', True),
    ("observed.time > settings.deadline", True),
    ('call.cwd under "/a"', True),
    ('path("a", call.workspace) under "/a"', True),
    ('path("/a", "/b") under "/a"', False),
    ('host(call.sender_id) == "a.b"', True),
    ("has settings.note", False),
    ('settings.note ?? "a" == "b"', False),
    ('lower(call.sender_id) == "b"', False),
]


@pytest.mark.parametrize(("text", "unknown"), UNKNOWN, ids=[text for text, _ in UNKNOWN])
def test_what_may_be_unknown(text: str, unknown: bool) -> None:
    condition, problems = check(text)
    assert not problems
    assert condition is not None
    assert condition.unknown is unknown


def strict(expr: Expr) -> list[bool]:
    own = [expr.strict] if isinstance(expr, CommandMatch) else []
    return own + [flag for part in children(expr) for flag in strict(part)]


STRICT = [
    (Use.GUARD, "any(r in effects.run where r is `git push`)", [False]),
    (Use.GUARD, "any(r in effects.run where not r is `git push $`)", [True]),
    (
        Use.GUARD,
        "any(r in effects.run where r is `a` and not (r is `b $` or r is `c $`))",
        [False, True, True],
    ),
    (Use.GUARD, "pushes", [False]),
    (Use.ALLOW, "effects.complete and not pushes", [False]),
    (Use.ALLOW, "effects.complete and none(r in effects.run where not r is `ls $`)", [True]),
    (Use.ALLOW, "effects.complete and count(r in effects.run where r is `rm`) < 1", [False]),
    (Use.ALLOW, "effects.complete and count(r in effects.run where not r is `ls $`) < 1", [True]),
    (Use.INVARIANT, "pushes", [False]),
]


@pytest.mark.parametrize(("use", "text", "flags"), STRICT, ids=[row[1] for row in STRICT])
def test_patterns_are_strict_where_a_match_lets_a_call_through(
    use: Use, text: str, flags: list[bool]
) -> None:
    condition, problems = check(text, use)
    assert not problems
    assert condition is not None
    assert strict(condition.expr) == flags
