"""What conditions on protected places become: the home folder, and what homes look like, put in."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from callgate.model.expr import Apply, Const, Expr, Fact, Get, Var
from tests.check.standard import check

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
