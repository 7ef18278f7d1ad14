"""What is particular to records in SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from callgate.record import sqlite_segment
from callgate.record.errors import RecordError
from callgate.record.sqlite_store import SqliteStore
from callgate.record.store import Retention
from tests.record.stores import lines_of, numbers_in, record, sqlite


def ask(store: SqliteStore, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store.file)) as connection:
        return connection.execute(sql).fetchall()


def written(folder: Path, count: int) -> SqliteStore:
    store = sqlite(folder, small=True)
    for number in range(count):
        store.lane().append(record(number, rule=f"rule.{number}"))
    store.close()
    return store


def test_what_is_asked_for_most_has_a_column(tmp_path: Path) -> None:
    store = written(tmp_path, 6)
    asked = "SELECT tool, decision, rule, sender, time FROM lines WHERE tool = 'tool_3'"
    assert ask(store, asked) == [
        ("tool_3", "deny", "rule.3", "user_0", "2026-12-01T00:00:03.000000Z")
    ]
    assert ask(store, "SELECT count(*) FROM lines WHERE segment = 1") == [(7,)]
    assert ask(store, "SELECT count(*) FROM lines WHERE time IS NULL") == [(0,)]


@pytest.mark.parametrize("column", ["tool", "decision", "rule", "sender", "time", "decision_id"])
def test_every_column_has_an_index(tmp_path: Path, column: str) -> None:
    store = written(tmp_path, 1)
    ((*_, plan),) = ask(store, f"EXPLAIN QUERY PLAN SELECT line FROM lines WHERE {column} = 'x'")
    assert f"USING INDEX lines_{column}" in str(plan)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE lines SET line = '{}'",
        "UPDATE lines SET seq = 99 WHERE seq = 3",
        "DELETE FROM lines",
        "DELETE FROM lines WHERE seq = 3",
    ],
)
def test_a_mistake_changes_nothing(tmp_path: Path, sql: str) -> None:
    store = written(tmp_path, 6)
    with pytest.raises(sqlite3.IntegrityError, match="records are"):
        ask(store, sql)
    assert numbers_in(store) == [0, 1, 2, 3, 4, 5]


def test_the_log_is_of_the_writing_kind(tmp_path: Path) -> None:
    store = written(tmp_path, 1)
    assert ask(store, "PRAGMA journal_mode") == [("wal",)]
    assert store.file.stat().st_mode & 0o777 == 0o600


def test_retention_gives_space_back(tmp_path: Path) -> None:
    store = sqlite(tmp_path, small=True)
    for number in range(50):
        store.lane().append(record(number, 10_000))
    store.close()
    before = store.file.stat().st_size
    assert store.prune(Retention(age=timedelta(0)))
    assert ask(store, "SELECT * FROM removing") == []
    with closing(sqlite3.connect(store.file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert store.file.stat().st_size < before / 2


@pytest.mark.parametrize(
    "content", [b"no database at all", b"SQLite format 3\0" + b"\0" * 5000, None]
)
def test_another_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "records.db"
    if content is None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE mine (x)")
            connection.commit()
    else:
        file.write_bytes(content)
    file.chmod(0o600)
    before = file.read_bytes()
    with pytest.raises(RecordError):
        SqliteStore(file)
    assert file.read_bytes() == before


def test_a_file_that_others_could_write_or_a_link_is_refused(tmp_path: Path) -> None:
    store = written(tmp_path, 1)
    store.file.chmod(0o660)
    with pytest.raises(RecordError, match="other users may write"):
        sqlite(tmp_path)
    store.file.chmod(0o600)
    store.file.rename(tmp_path / "moved.db")
    store.file.symlink_to("moved.db")
    with pytest.raises(RecordError, match="no file"):
        sqlite(tmp_path)


def test_a_file_that_is_replaced_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_segment, "_LOOK_EVERY", 0.0)
    store = sqlite(tmp_path)
    lane = store.lane()
    lane.append(record(1))
    store.file.rename(tmp_path / "moved.db")
    with pytest.raises(RecordError, match="can't be used"):
        lane.append(record(2))
    store.file.write_bytes((tmp_path / "moved.db").read_bytes())
    store.file.chmod(0o600)
    for _ in range(2):
        with pytest.raises(RecordError, match="replaced"):
            lane.append(record(3))
    store.close()


def test_records_that_somebody_removed_are_noticed(tmp_path: Path) -> None:
    store = written(tmp_path, 5)
    (chain,) = store.chains()
    with closing(sqlite3.connect(store.file)) as connection:
        connection.execute("DROP TRIGGER lines_go")
        connection.execute("DELETE FROM lines WHERE seq = 2")
        connection.commit()
    with pytest.raises(AssertionError):
        numbers_in(store)
    with pytest.raises(AssertionError):
        lines_of(store, chain)


@pytest.mark.parametrize("size", [0, 3, -1])
def test_segments_have_a_size(tmp_path: Path, size: int) -> None:
    with pytest.raises(ValueError, match="segment_records"):
        SqliteStore(tmp_path / "records.db", segment_records=size)
