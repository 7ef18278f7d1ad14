"""One database file: real processes, real failures."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

from callgate.gate.database import SCHEMA_VERSION, Database, StateError
from callgate.gate.events import Events
from tests.gate.processes import other


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    database = Database(path)
    yield database
    database.close()


def kinds(db: Database) -> list[str]:
    return [event.kind for event in Events(db).list()]


def test_it_is_made_and_opened_again(path: Path) -> None:
    first = Database(path)
    Events(first).add("one")
    first.close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert kinds(Database(path)) == ["one"]
    assert [item.name for item in path.parent.iterdir() if item.name.endswith(".db")]


def test_it_is_kept_as_the_contract_says(db: Database) -> None:
    def pragma(name: str) -> object:
        return db.read().execute(f"PRAGMA {name}").fetchone()[0]

    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2
    assert pragma("busy_timeout") == 5000
    assert pragma("user_version") == SCHEMA_VERSION


def test_a_transaction_is_whole_or_nothing(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction() as connection:
        connection.execute("INSERT INTO events (at, kind, detail) VALUES (1, 'gone', '{}')")
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt), db.transaction():
        raise KeyboardInterrupt
    assert kinds(db) == []
    Events(db).add("kept")
    assert kinds(db) == ["kept"]


def test_there_is_no_transaction_inside_another(db: Database) -> None:
    with db.transaction(), pytest.raises(StateError, match="middle of a transaction"):
        Events(db).add("nested")
    assert kinds(db) == []


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        ("SELECT * FROM nothing", ()),
        ("INSERT INTO events VALUES (?, ?, ?, ?)", (1, None, "s3cret-kind", "{}")),
        ("SELECT ?", ("s3cret\ud800",)),
        ("SELECT ?", (2**80,)),
        ("SELECT ?", (object(),)),
        ("SELECT s3cret FROM events", ()),
        ("SELECT json_extract('s3cret', '$')", ()),
    ],
)
def test_every_failure_is_told_without_values(
    db: Database, sql: str, parameters: tuple[object, ...]
) -> None:
    with pytest.raises(StateError) as told:
        db.read().execute(sql, parameters).fetchall()
    assert "s3cret" not in str(told.value)
    with pytest.raises(StateError):
        db.read().executemany("INSERT INTO nothing VALUES (?)", [(1,)])


# -- what is there is not what it should be


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no such file or directory"):
        Database(tmp_path / "none" / "state.db")


def test_a_missing_file_is_not_made_for_looking(path: Path) -> None:
    with pytest.raises(StateError, match="is missing"):
        Database(path, create=False)
    assert not path.exists()


@pytest.mark.parametrize(
    "text", [b"", b"not a database at all", b"\0" * 8192, b"SQLite format 3\0"]
)
def test_a_file_that_is_no_database(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    path.chmod(0o600)
    with pytest.raises(StateError, match="damaged"):
        Database(path)
    assert path.read_bytes() == text


def test_a_damaged_page(path: Path) -> None:
    db = Database(path)
    for number in range(200):
        Events(db).add(f"kind-{number}", text="x" * 100)
    db.close()
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\x7f" * 512)
    with pytest.raises(StateError, match="damaged"):
        Database(path)


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1])
def test_another_version(path: Path, version: int) -> None:
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version={version}")
    connection.close()
    with pytest.raises(StateError, match=f"of version {version}, not {SCHEMA_VERSION}"):
        Database(path)


def test_a_link_a_folder_and_a_shared_file_are_refused(path: Path) -> None:
    Database(path).close()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with pytest.raises(StateError, match="is no file"):
        Database(link)
    with pytest.raises(StateError, match="is no file"):
        Database(path.parent)
    dangling = path.with_name("dangling.db")
    dangling.symlink_to(path.with_name("elsewhere.db"))
    with pytest.raises(StateError, match="is no file"):
        Database(dangling)
    path.chmod(0o666)
    with pytest.raises(StateError, match="other users may write"):
        Database(path)


def test_a_file_that_vanishes_is_not_made_anew(db: Database, path: Path) -> None:
    Events(db).add("one")
    path.unlink()
    for use in (db.read, lambda: Events(db).add("two")):
        with pytest.raises(StateError, match="is missing"):
            use()
    assert not path.exists()
    # Nor by another process, while the log says that there was one.
    with pytest.raises(StateError, match="its log is there"):
        Database(path)


def test_a_file_that_is_replaced_is_not_used(db: Database, path: Path, tmp_path: Path) -> None:
    Events(db).add("one")
    Database(tmp_path / "new.db").close()
    (tmp_path / "new.db").replace(path)
    with pytest.raises(StateError, match="was replaced"):
        db.read()

    def in_a_thread() -> None:
        with pytest.raises(StateError, match="was replaced"):
            db.read()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(in_a_thread).result()


@pytest.mark.parametrize("size", [0, 100, 5000])
def test_a_file_that_is_cut_while_it_is_used_is_damaged(db: Database, size: int) -> None:
    for number in range(50):
        Events(db).add("one", number=number, text="x" * 500)
    db.read().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(db.path, size)

    def look() -> None:
        with pytest.raises(StateError, match="damaged"):
            Events(db).list()

    if size < 4096:
        look()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(look).result()
    with pytest.raises(StateError, match="damaged"):
        Database(db.path)


def test_a_log_that_is_left_alone_is_not_a_new_beginning(path: Path) -> None:
    path.with_name("state.db-wal").write_bytes(b"what somebody wrote")
    with pytest.raises(StateError, match="its log is there"):
        Database(path)


# -- the disk


def test_a_full_disk_undoes_what_was_begun(db: Database) -> None:
    Events(db).add("before")
    pages = db.read().execute("PRAGMA page_count").fetchone()[0]
    db.read().execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StateError, match="disk is full"):
        for _ in range(1000):
            Events(db).add("filler", text="x" * 4000)
    assert not db.read().in_transaction
    found = kinds(db)
    assert found[0] == "before"
    db.read().execute("PRAGMA max_page_count=1000000")
    Events(db).add("after")
    assert kinds(db) == [*found, "after"]


def test_a_file_that_may_not_grow(path: Path) -> None:
    """The system itself refuses to write: in a process whose files are limited."""
    Database(path).close()
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
wrote = 0
try:
    for wrote in range(1000):
        Events(db).add("filler", number=wrote, text="x" * 4000)
except StateError as error:
    print(wrote, error)
print(len(Events(db).list()))
"""
    with other(path, code) as process:
        told, left = process.end().split("\n")
    count, _, why = told.partition(" ")
    assert why.startswith("the gate's database can't")
    assert 0 < int(count) < 1000
    assert left == count
    db = Database(path)
    assert [event.detail["number"] for event in Events(db).list()] == list(range(int(count)))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 300_000


# -- others


def test_a_locked_database_is_told(path: Path) -> None:
    db = Database(path, busy_seconds=0.05)
    with other(path, "with db.transaction(): wait('inside')") as process:
        assert process.read() == "inside"
        with pytest.raises(StateError, match="is locked by another process"):
            Events(db).add("late")
        assert kinds(db) == []  # reading goes on
        process.go()
        process.end()
    Events(db).add("now")
    assert kinds(db) == ["now"]


def test_a_process_that_is_killed_in_a_transaction_leaves_nothing(path: Path) -> None:
    code = """
Events(db).add("before")
with db.transaction() as connection:
    connection.execute("INSERT INTO events (at, kind, detail) VALUES (1, 'half', '{}')")
    wait("inside")
"""
    with other(path, code) as process:
        assert process.read() == "inside"
        process.process.send_signal(signal.SIGKILL)
        assert process.process.wait() == -signal.SIGKILL
    db = Database(path, busy_seconds=0.05)
    Events(db).add("after")
    assert kinds(db) == ["before", "after"]


def test_processes_that_start_together_make_one_database(path: Path) -> None:
    code = """
for number in range(20):
    Events(db).add("from", name=sys.argv[2], number=number)
"""
    with (
        other(path, code, "a") as a,
        other(path, code, "b") as b,
        other(path, code, "c") as c,
    ):
        for process in (a, b, c):
            process.end()
    found = Events(Database(path)).list()
    for name in "abc":
        assert [e.detail["number"] for e in found if e.detail["name"] == name] == list(range(20))
    assert [item.name for item in path.parent.iterdir() if ".db." in item.name] == []


def test_threads_have_a_connection_each(db: Database) -> None:
    seen = []

    def work(name: int) -> None:
        seen.append(id(db.read()))
        for _ in range(10):
            Events(db).add("from", name=name)

    threads = [Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Events(db).list()) == 80
    assert id(db.read()) not in seen


def test_a_fork_opens_its_own(db: Database) -> None:
    Events(db).add("before")
    connection = db.read()
    child = os.fork()
    if child == 0:
        try:
            Events(db).add("child")
            own = db.read() is not connection and db.read() is db.read()
            os._exit(0 if own and kinds(db) == ["before", "child"] else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    Events(db).add("parent")
    assert kinds(db) == ["before", "child", "parent"]


def test_it_can_be_closed_and_used_again(db: Database) -> None:
    Events(db).add("one")
    connection = db.read()
    db.close()
    with pytest.raises(StateError):
        connection.execute("SELECT 1")
    assert kinds(db) == ["one"]
