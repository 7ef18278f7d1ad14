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
        "select 1 into x from " + "(" * 10_000,
        "delete from t where " + "not " * 5_000 + "x",
        "drop table x; " + "-- " * 30_000,
        "drop table x;" * 4_000,
    ],
)
def test_what_is_too_much_is_a_bound(text: str) -> None:
    found = effects_of(text, "sql").by_kind.get("opaque", [])
    assert any(effect.fields["bound"] for effect in found)
