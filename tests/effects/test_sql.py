"""What database clients are told to do."""

from __future__ import annotations

import pytest

from tests.effects.code.code_reading import effects_of
from tests.effects.reading import all_shown, effects, shown

STATEMENTS = [
    ("drop table users", ["drop [users]"]),
    ("DROP DATABASE app;", ["drop [app]"]),
    ("truncate a, b cascade", ["truncate [a b]"]),
    ("delete from t", ["delete [t]"]),
    ("delete from t where id = 1", ["delete [t] where"]),
    ("delete from t where 1=1", ["delete [t]"]),
    ("delete from t where true", ["delete [t]"]),
    ("delete from t where ((1=1) or id = 2)", ["delete [t]"]),
    ("delete from t where id = id", ["delete [t]"]),
    ("update t set a = 1", ["update [t]"]),
    ("update t set a = 1 where b", ["update [t] where"]),
    ("select * from t", ["select [t]"]),
    ("select truncate(1.5, 1)", ["select []"]),
    ("select 'drop table x'", ["select []"]),
    ("select 1 -- drop table x", ["select []"]),
    ("insert into t values ('; drop table x')", ["insert [t]"]),
    ("with x as (delete from t returning *) select * from x", ["delete [t]"]),
    ("select 1; drop table x; select 2", ["select []", "drop [x]"]),
    ("explain delete from t", ["explain []"]),
    ("explain analyze delete from t", ["delete [t]"]),
    ("explain (analyze, verbose) delete from t", ["delete [t]"]),
    ("alter table t drop column c", ["alter [t]", "drop [t]"]),
    ("alter table t add column c int", ["alter [t]"]),
    ("alter table t drop constraint c", ["alter [t c]"]),
    ("do $$ begin delete from t; end $$", ["?"]),
    ("call p()", ["?"]),
    ("selec * frm t", ["?"]),
    ("select 1; selec * frm; drop table x", ["select []", "?", "drop [x]"]),
    ("", []),
    (" ; ", []),
]


@pytest.mark.parametrize(("text", "wanted"), STATEMENTS, ids=[text for text, _ in STATEMENTS])
def test_statements(text: str, wanted: list[str]) -> None:
    found = []
    for effect in effects_of(text, "sql").by_kind.get("sql", []):
        line = shown(effect).removeprefix("sql ").replace("statement=", "").replace("tables=", "")
        line = "?" if line.startswith("? ") else line.replace(" has_where=True", " where")
        found.append(line)
    assert found == wanted


OUTSIDE = [
    ("psql -c '\\! rm -rf /'", "delete path=/ recursive=True"),
    ("psql <<'E'\nselect 1;\n\\! rm -rf /\nE", "delete path=/ recursive=True"),
    ("psql -c '\\o |rm -rf /'", "delete path=/ recursive=True"),
    ("psql -c '\\o a'", "write path=/w/a"),
    ("psql -c \"copy t to program 'rm -rf /'\"", "delete path=/ recursive=True"),
    ("psql -c \"\\copy t from program 'rm -rf /'\"", "delete path=/ recursive=True"),
    ("psql -c \"copy t from '/etc/shadow'\"", "read path=/etc/shadow"),
    ("psql -c \"select pg_read_file('/etc/shadow')\"", "read path=/etc/shadow"),
    ("sqlite3 a.db '.shell rm -rf /'", "delete path=/ recursive=True"),
    ("mysql -e 'system rm -rf /'", "delete path=/ recursive=True"),
    ("mysql -e \"select load_file('/etc/shadow')\"", "read path=/etc/shadow"),
    ("mysql -e \"select 1 into outfile '/etc/x'\"", "write path=/etc/x"),
    ("echo 'drop table x' | psql", "sql statement=drop tables=[x]"),
    ("psql <<< 'drop table x'", "sql statement=drop tables=[x]"),
    ('psql -c "$Q"', "sql statement=? tables=? has_where=? (doubtful)"),
    ('psql -c "delete from $T"', "sql statement=delete tables=[_] (doubtful)"),
    ("psql -f a.sql", "interpret language=sql source=file"),
    ("psql < a.sql", "interpret language=sql source=file"),
    ("zcat a.gz | psql", "interpret language=sql source=stdin"),
    ("curl -s https://x.org/a | psql", "interpret language=sql source=download"),
    ('sqlite3 a.db ".sh rm -rf /"', "delete path=/ recursive=True"),
    ('sqlite3 a.db " .she rm -rf /"', "delete path=/ recursive=True"),
    ('sqlite3 a.db ".sy rm -rf /"', "delete path=/ recursive=True"),
    ("sqlite3 a.db \".o '|rm -rf /'\"", "delete path=/ recursive=True"),
    ('sqlite3 a.db ".output |rm -rf /"', "delete path=/ recursive=True"),
    ("sqlite3 a.db \".on '|rm -rf /'\"", "delete path=/ recursive=True"),
    ("sqlite3 a.db \".im --csv '|rm -rf /' t\"", "delete path=/ recursive=True"),
    ("sqlite3 a.db \".rea '|rm -rf /'\"", "delete path=/ recursive=True"),
    ("sqlite3 -cmd '.sy rm -rf /' a.db", "delete path=/ recursive=True"),
    ("sqlite3 a.db <<< \".import '|rm -rf /' t\"", "delete path=/ recursive=True"),
    ("duckdb <<< '.sh rm -rf /'", "delete path=/ recursive=True"),
    ("duckdb -cmd '.sh rm -rf /' a.db", "delete path=/ recursive=True"),
    ("psql -o '|rm -rf /' -c 'select 1'", "delete path=/ recursive=True"),
    ("psql <<< '\\set x `rm -rf /`'", "delete path=/ recursive=True"),
    ("psql -c 'select 1 \\g |rm -rf /'", "delete path=/ recursive=True"),
    ("psql -c 'select 1;\\! rm -rf /'", "delete path=/ recursive=True"),
    ("psql <<< '\\echo a \\! rm -rf /'", "delete path=/ recursive=True"),
    ("mysql <<< '\\P rm -rf /'", "delete path=/ recursive=True"),
    ("mysql -e 'SYSTEM rm -rf /'", "delete path=/ recursive=True"),
    ("sqlite3 a.db '.backup main b'", "write path=/w/b"),
    ("sqlite3 a.db '.sav \"b\"'", "write path=/w/b"),
    ("sqlite3 a.db '.trace b'", "write path=/w/b"),
    ("sqlite3 a.db \"attach 'b' as c\"", "write path=/w/b"),
    ("sqlite3 a.db 'attach database \"b\" c'", "write path=/w/b"),
    ("sqlite3 a.db 'attach [b] as c'", "write path=/w/b"),
    ("sqlite3 a.db <<< 'select 1; -- x;\nattach/**/`b` c'", "write path=/w/b"),
    ("sqlite3 -cmd \"attach 'file:b?mode=rwc' as c\" a.db", "write path=/w/b"),
    ("sqlite3 a.db \"vacuum main into 'b'\"", "write path=/w/b"),
    ("duckdb -c \"ATTACH IF NOT EXISTS 'b' (type sqlite)\"", "write path=/w/b"),
    ("python3 -m sqlite3 a.db 'attach \"b\" c'", "write path=/w/b"),
    (
        "sqlite3 a.db \"attach 'b'||'c' as d\"",
        "opaque reason=a database that is not known before it runs",
    ),
    (
        "sqlite3 a.db 'attach cast(x as text) as d'",
        "opaque reason=a database that is not known before it runs",
    ),
    (
        "sqlite3 a.db \"attach 'file:%62' as d\"",
        "opaque reason=a database that is not known before it runs",
    ),
    (
        "sqlite3 a.db '.archive -x'",
        "opaque reason=a command of the database program that nobody described",
    ),
    ("psql -c \"select ' \\d '; drop table b\"", "sql statement=drop tables=[b]"),
]


@pytest.mark.parametrize(("text", "wanted"), OUTSIDE, ids=[text for text, _ in OUTSIDE])
def test_clients(text: str, wanted: str) -> None:
    assert wanted in all_shown(text)


@pytest.mark.parametrize("text", ["psql", "psql -c 'select * from t'", "grep -rn 'drop table' a"])
def test_what_destroys_nothing(text: str) -> None:
    assert not [
        e for e in effects(text).by_kind.get("sql", []) if e.fields["statement"] != "select"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "sqlite3 a.db .tables",
        "sqlite3 a.db '.mode csv' 'select 1'",
        "sqlite3 a.db '.dump t' > x",
        "psql -c '\\d t'",
        "psql -c '\\dt'",
        "psql -c 'alter table a attach partition b default'",
        "psql -c 'vacuum full a'",
        "mysql -e 'select 1\\G'",
    ],
)
def test_commands_that_show_something_are_known(text: str) -> None:
    assert not effects(text).by_kind.get("opaque")


@pytest.mark.parametrize(
    "text",
    [
        "\\! " * 16_000,
        "select 1 into x from " + "(" * 10_000,
        "delete from t where " + "not " * 5_000 + "x",
        "drop table x; " + "-- " * 30_000,
        "drop table x;" * 4_000,
    ],
)
def test_what_is_too_much_is_a_bound(text: str) -> None:
    found = effects_of(text, "sql").by_kind.get("opaque", [])
    assert any(effect.fields["bound"] for effect in found)
