"""What conditions on protected places become: the home folder, and what homes look like, put in."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from callgate.model.expr import Apply, Const, Expr, Fact, Get, Var
from tests.check.standard import check, marked

HOME, HOMES = Fact("call.home"), Const(("/home/*", "/root"))
PATH = Get(Var("w"), "path")


def place(op: str, where: Expr) -> Apply:
    return Apply(op, (PATH, where, HOME, HOMES))


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ("touches(w.path, paths.private)", place("touches", Const(("~/.ssh", "/root")))),
        ("holds(w.path, paths.system)", place("holds", Const(("/", "/etc", "/usr")))),
        ('touches(w.path, "~/.ssh")', place("touches", Const("~/.ssh"))),
        ('holds(w.path, ["~/a", "/b"])', place("holds", Const(("~/a", "/b")))),
        ("touches(w.path, settings.roots)", place("touches", Fact("settings.roots"))),
        (
            'touches(w.path, path("docs", call.workspace))',
            place("touches", Apply("path", (Const("docs"), Fact("call.workspace")))),
        ),
        (
            'has_part(w.path, [".git/hooks"])',
            Apply("has_part", (PATH, Const((".git/hooks",)))),
        ),
        ("named(w.path, people.admins)", Apply("named", (PATH, Const(("ann", "ben"))))),
    ],
)
def test_what_they_become(text: str, expr: Expr) -> None:
    found, problems = check(text, Use.GUARD, each=("w", "write"))
    assert found is not None, problems
    assert found.expr == expr


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("touches(w.path)", "T008"),
        ('touches(w.path, "~/.ssh", call.home)', "T008"),
        ("touches(w.path, people.admins)", "T008"),
        ('has_part(w.path, ".git")', "T008"),
        ('touches(w.path, "docs")', "T019"),
        ('touch(w.path, "/etc")', "T007"),
    ],
)
def test_what_they_do_not_take(text: str, code: str) -> None:
    _, problems = check(text, Use.GUARD, each=("w", "write"))
    assert [problem.code for problem in problems] == [code]


OF = "any(w in effects.write where {})"
WRONG = [
    (Use.GUARD, OF.format("not ⟦touches(w.path, paths.private)⟧"), "w.path under paths.private"),
    (Use.GUARD, OF.format('not ⟦holds(w.path, "/srv")⟧'), 'w.path covers "/srv"'),
    (Use.GUARD, OF.format('⟦has_part(w.path, [".git"])⟧ == false'), "w.path under …"),
    (Use.GUARD, OF.format('true == ⟦named(w.path, ["a"])⟧'), "w.path under …"),
    (Use.ALLOW, '⟦touches(call.cwd, "/srv")⟧', 'call.cwd under "/srv"'),
    (Use.ALLOW, '⟦holds(call.cwd, "/srv/a")⟧', 'call.cwd covers "/srv/a"'),
    (Use.ALLOW, 'interactive and (risky or ⟦named(call.cwd, ["a"])⟧)', ""),
    (Use.ALLOW, "⟦at_home⟧", 'call.cwd under "~"'),
    (Use.ALLOW, 'any(r in settings.roots where ⟦touches(r, "/srv")⟧)', 'r under "/srv"'),
    (
        Use.ALLOW,
        f"effects.complete and not {OF.format('not ⟦touches(w.path, settings.roots)⟧')}",
        "w.path under settings.roots",
    ),
    (Use.EXCEPTION, '⟦touches(call.cwd, "/srv")⟧', ""),
    (Use.GUARD_EXCEPTION, '⟦has_part(call.cwd, ["a"])⟧', ""),
    (Use.ASK_EXCEPTION, '⟦touches(call.cwd, "/srv")⟧', ""),
    (Use.DENY, 'not ⟦touches(call.cwd, "/srv")⟧', ""),
    (Use.FLOW, 'not ⟦touches(call.cwd, "/srv")⟧', ""),
    (Use.VISIBILITY, 'none(r in settings.roots where ⟦touches(r, "/srv")⟧)', ""),
]


@pytest.mark.parametrize(("use", "text", "help"), WRONG, ids=[row[1] for row in WRONG])
def test_they_let_nothing_through(use: Use, text: str, help: str) -> None:
    plain, columns = marked(text)
    _, problems = check(plain, use)
    assert [problem.code for problem in problems] == ["T023"], problems
    (problem,) = problems
    assert problem.span is not None
    assert (problem.span.column, problem.span.end_column) == columns
    assert "here a match lets calls through" in problem.message
    assert help in problem.help


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (Use.GUARD, OF.format("touches(w.path, paths.private)")),
        (Use.GUARD, 'touches(call.cwd, "/srv") and not call.cwd under "/srv/a"'),
        (Use.GUARD, "at_home"),
        (Use.ALLOW, 'not touches(call.cwd, "/srv")'),
        (Use.ALLOW, 'call.cwd under "/srv" and not at_home'),
        (Use.ALLOW, f"effects.complete and not {OF.format('touches(w.path, paths.private)')}"),
        (Use.EXCEPTION, 'none(r in settings.roots where touches(r, "/srv"))'),
        (Use.ASK_EXCEPTION, 'not holds(call.cwd, "/srv")'),
        (Use.DENY, 'touches(call.cwd, "/srv")'),
        (Use.FLOW, 'has_part(call.cwd, ["a"])'),
        (Use.INVARIANT, 'not touches(call.cwd, "/srv")'),
    ],
)
def test_they_may_always_hold_a_call_back(use: Use, text: str) -> None:
    _, problems = check(text, use)
    assert not problems
