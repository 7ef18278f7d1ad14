"""What conditions become: typed expressions, and whether they may be unknown."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from callgate.model.expr import (
    And,
    Apply,
    Const,
    Default,
    Expr,
    Fact,
    Get,
    Has,
    Not,
    Or,
    Quant,
    Var,
)
from tests.check.standard import check, expr_of

HOME = Fact("call.home")
LEVELS = Const(("read_only", "write", "exec", "dangerous"))
CWD = Apply("expand_home", (Apply("path", (Fact("call.cwd"), Const(""))), HOME))
DELETE, RUN = Fact("effects.delete"), Fact("effects.run")


def op(name: str, *args: Expr) -> Apply:
    return Apply(name, args)


def setting(name: str) -> Fact:
    return Fact(f"settings.{name}")


EXPRESSIONS: list[tuple[str, Expr]] = [
    ("true", Const(True)),
    ("call.unattended", Fact("call.unattended")),
    ("call.unattended == true", op("eq", Fact("call.unattended"), Const(True))),
    ('"ann" == call.sender_id', op("eq", Fact("call.sender_id"), Const("ann"))),
    ("3 < call.attempt_index", op("gt", Fact("call.attempt_index"), Const(3))),
    ("call.attempt_index != -3", op("ne", Fact("call.attempt_index"), Const(-3))),
    ("risk == exec", op("eq", Fact("risk"), Const("exec"))),
    ("exec == risk", op("eq", Fact("risk"), Const("exec"))),
    ("risk > write", op("gt", op("rank", Fact("risk"), LEVELS), Const(1))),
    ("write >= risk", op("le", op("rank", Fact("risk"), LEVELS), Const(1))),
    (
        "guards.asks <= any",
        op("le", op("rank", Fact("guards.asks"), Const(("none", "any", "person"))), Const(1)),
    ),
    ("risk in write|exec", op("in", Fact("risk"), Const(("write", "exec")))),
    ("risk not in write|exec", Not(op("in", Fact("risk"), Const(("write", "exec"))))),
    ('risk in ["write"]', op("in", Fact("risk"), Const(("write",)))),
    ('call.tool == "fly"', op("eq", Fact("call.tool"), Const("fly"))),
    ('call.channel == "irc"', op("eq", Fact("call.channel"), Const("irc"))),
    ('call.origin in ""|cron', op("in", Fact("call.origin"), Const(("", "cron")))),
    ("fs.read in capabilities", op("in", Const("fs.read"), Fact("capabilities"))),
    ("call.tool in settings.approval.deny", op("in", Fact("call.tool"), setting("approval.deny"))),
    ('"*" in settings.approval.deny', op("in", Const("*"), setting("approval.deny"))),
    ("call.sender_id in people.admins", op("in", Fact("call.sender_id"), Const(("ann", "ben")))),
    ("call.sender_id in call.groups", op("in", Fact("call.sender_id"), Fact("call.groups"))),
    ('call.groups == ["a", "b"]', op("eq", Fact("call.groups"), Const(("a", "b")))),
    ("call.channel == call.sender_id", op("eq", Fact("call.channel"), Fact("call.sender_id"))),
    # Paths: literals are normalised, `~` waits for the home, what comes from outside is normalised.
    ('call.cwd under "/a//b/../c/"', op("under_path", CWD, Const("/a/c"))),
    ('"/a" covers call.cwd', op("covers", Const("/a"), CWD)),
    ('call.cwd under "~/.ssh"', op("under_path", CWD, op("expand_home", Const("~/.ssh"), HOME))),
    (
        'call.cwd under ["/a", "~"]',
        op("under_path", CWD, op("expand_home", Const(("/a", "~")), HOME)),
    ),
    ("call.cwd under paths.system", op("under_path", CWD, Const(("/", "/etc", "/usr")))),
    (
        "call.cwd under paths.private",
        op("under_path", CWD, op("expand_home", Const(("~/.ssh", "/root")), HOME)),
    ),
    (
        "call.cwd under settings.roots",
        op("under_path", CWD, op("expand_home", setting("roots"), HOME)),
    ),
    (
        'path("docs", call.workspace) under settings.root',
        op(
            "under_path",
            op("expand_home", op("path", Const("docs"), Fact("call.workspace")), HOME),
            op("expand_home", op("path", setting("root"), Const("")), HOME),
        ),
    ),
    ('path("b/../c", "/a") == call.cwd', op("eq", CWD, Const("/a/c"))),
    ('basename("/a/b") == "b"', op("eq", Const("b"), Const("b"))),
    (
        "has settings.archive and call.cwd under settings.archive",
        And(
            (
                Has(setting("archive")),
                op(
                    "under_path",
                    CWD,
                    op("expand_home", op("path", setting("archive"), Const("")), HOME),
                ),
            )
        ),
    ),
    (
        "call.cwd under folder",
        op(
            "under_path",
            CWD,
            op("expand_home", op("path", Fact("call.workspace"), Const("/")), HOME),
        ),
    ),
    # Hosts, URLs, times.
    (
        'host(call.sender_id) under "Example.ORG."',
        op("under_host", op("host", Fact("call.sender_id")), Const("example.org")),
    ),
    (
        "host(url(call.sender_id)) under hosts.internal",
        op(
            "under_host",
            op("host", op("url", Fact("call.sender_id"))),
            Const(("corp.example", "localhost")),
        ),
    ),
    ('settings.deadline > "1970-01-01T00:00:01Z"', op("gt", setting("deadline"), Const(1_000_000))),
    (
        'settings.deadline > time("1970-01-01T00:00:01Z")',
        op("gt", setting("deadline"), Const(1_000_000)),
    ),
    # Text.
    ('call.sender_id like "a*"', op("like", Fact("call.sender_id"), Const("a*"))),
    ('call.channel like "t*"', op("like", Fact("call.channel"), Const("t*"))),
    ('call.cwd matches r"/[a-z]+"', op("matches", CWD, Const("/[a-z]+"))),
    ('contains(call.channel, "x")', op("contains", Fact("call.channel"), Const("x"))),
    ('lower("ÄB") == call.sender_id', op("eq", Fact("call.sender_id"), Const("äb"))),
    ("length(call.groups) > 1", op("gt", op("length", Fact("call.groups")), Const(1))),
    # Absent values.
    ('settings.note ?? "" == "x"', op("eq", Default(setting("note"), Const("")), Const("x"))),
    (
        'call.sender_id in (settings.allow_from["*"] ?? [])',
        op(
            "in",
            Fact("call.sender_id"),
            Default(op("item", setting("allow_from"), Const("*")), Const(())),
        ),
    ),
    (
        "has settings.allow_from[call.channel]",
        Has(op("item", setting("allow_from"), Fact("call.channel"))),
    ),
    ("has settings.keys.search", Has(setting("keys.search"))),
    (
        "declared.annotations.readOnlyHint ?? false",
        Default(Get(Fact("declared.annotations"), "readOnlyHint"), Const(False)),
    ),
    ("has args.a.b", Has(Get(Fact("args.a"), "b"))),
    ("args.a.b ?? 3 == 3", op("eq", Default(Get(Fact("args.a"), "b"), Const(3)), Const(3))),
    ('args.a["b c"] ?? 3 == 3', op("eq", Default(Get(Fact("args.a"), "b c"), Const(3)), Const(3))),
    ('has args["file-path"]', Has(Fact("args.file-path"))),
    (
        "as_int(args.n) ?? 0 > 3",
        op("gt", Default(op("as_int", Fact("args.n")), Const(0)), Const(3)),
    ),
    (
        'call.extra["a"] ?? "" == "b"',
        op("eq", Default(op("item", Fact("call.extra"), Const("a")), Const("")), Const("b")),
    ),
    (
        'has security_profiles["daemon"] and call.tool in security_profiles["daemon"].deny_tools',
        And(
            (
                Has(op("item", Fact("security_profiles"), Const("daemon"))),
                op(
                    "in",
                    Fact("call.tool"),
                    Get(op("item", Fact("security_profiles"), Const("daemon")), "deny_tools"),
                ),
            )
        ),
    ),
    # Definitions are written out.
    ("interactive", op("eq", Fact("call.channel"), Const("cli"))),
    ("retries > 2", op("gt", setting("limits.retries"), Const(2))),
    (
        'noted and settings.note == "x"',
        And((Has(setting("note")), op("eq", setting("note"), Const("x")))),
    ),
    # Quantifiers and commands.
    (
        "any(d in effects.delete where d.recursive and d.path covers paths.system)",
        Quant(
            "any",
            "d",
            DELETE,
            And(
                (
                    Get(Var("d"), "recursive"),
                    op("covers", Get(Var("d"), "path"), Const(("/", "/etc", "/usr"))),
                )
            ),
        ),
    ),
    (
        'none(g in call.groups where g == "x")',
        Quant("none", "g", Fact("call.groups"), op("eq", Var("g"), Const("x"))),
    ),
    (
        "count(d in effects.delete where true) > 2",
        Quant("count", "d", DELETE, Const(True), "gt", Const(2)),
    ),
    (
        "2 < count(d in effects.delete where true)",
        Quant("count", "d", DELETE, Const(True), "gt", Const(2)),
    ),
    (
        "count(d in effects.delete where true) == settings.limits.retries",
        Quant("count", "d", DELETE, Const(True), "eq", setting("limits.retries")),
    ),
    (
        'any(r in effects.run where r.program == "git")',
        Quant("any", "r", RUN, op("eq", Get(Var("r"), "program"), Const("git"))),
    ),
    (
        "any(c in effects.connect where c.address_class in private|metadata)",
        Quant(
            "any",
            "c",
            Fact("effects.connect"),
            op("in", Get(Var("c"), "address_class"), Const(("private", "metadata"))),
        ),
    ),
    (
        "any(c in effects.connect where has c.port and c.port > 1024)",
        Quant(
            "any",
            "c",
            Fact("effects.connect"),
            And((Has(Get(Var("c"), "port")), op("gt", Get(Var("c"), "port"), Const(1024)))),
        ),
    ),
]


@pytest.mark.parametrize(("text", "expr"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_expression(text: str, expr: Expr) -> None:
    assert expr_of(text) == expr


def test_a_default_of_the_catalogue_is_written_out() -> None:
    assert expr_of("args.timeout > 5", tools=("exec",)) == op(
        "gt", Default(Fact("args.timeout"), Const(30)), Const(5)
    )
    assert expr_of("args.force", tools=("exec",)) == Default(Fact("args.force"), Const(False))


def test_each_binds_an_effect() -> None:
    condition, problems = check("d.recursive", Use.GUARD, each=("d", "delete"))
    assert not problems
    assert condition is not None
    assert condition.expr == Get(Var("d"), "recursive")
    assert condition.unknown


def test_text_is_canonical() -> None:
    for text in ("call.nested   and (risk == exec)", "call.nested and (risk == exec)"):
        condition, _ = check(text)
        assert condition is not None
        assert condition.text == "call.nested and risk == exec"
    for text in ('call.channel == "{}" or call.nested', 'call.channel  == "{}" or (call.nested)'):
        for channel in ("a", "b", "c  d"):
            condition, _ = check(text.format(channel))
            assert condition is not None
            assert condition.text == f'call.channel == "{channel}" or call.nested'


def test_or_keeps_its_items() -> None:
    assert expr_of("call.nested or call.is_replay or (call.unattended or true)") == Or(
        (
            Fact("call.nested"),
            Fact("call.is_replay"),
            Or((Fact("call.unattended"), Const(True))),
        )
    )
