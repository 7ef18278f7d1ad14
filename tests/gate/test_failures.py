"""When something fails, nothing passes that should not: real files, real processes."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.approval import Approval
from callgate.gate.gate import ApprovalGate
from callgate.gate.state import StateError, StateFolder
from tests.gate.gating import Seen, call, engine

ASKED = call("deploy", version="1")
FREE = call("read_file", path="a")


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def gate_of(state: StateFolder, **rest: Any) -> ApprovalGate:
    return ApprovalGate(engine(), state=state, observer=Seen(), **rest)


def check(gate: ApprovalGate, asked: Any) -> Approval:
    return asyncio.run(gate.check(asked))


def broken(found: Approval) -> None:
    """Assert that a call was denied because something is out of order, and that it is said."""
    assert not found.allowed
    assert found.kind == "approval_unavailable"
    assert found.notice and found.reason


# -- the database


def _overwrite(state: StateFolder, data: bytes) -> None:
    """Fill the database and its log with something else. (What stands in shared memory is no file
    to write to.)"""
    for path in (state.database, state.path / "state.db-wal"):
        if path.exists():
            path.write_bytes(data * path.stat().st_size)


def test_a_database_that_is_gone_denies_and_is_not_made_anew(state: StateFolder) -> None:
    gate = gate_of(state)
    state.database.unlink()
    broken(check(gate, ASKED))
    assert not state.database.exists()
    assert check(gate, FREE).allowed


def test_a_database_that_was_replaced_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    other = StateFolder(state.path.with_name("other"))
    gate_of(other)
    other.database.replace(state.database)
    broken(check(gate, ASKED))


def test_a_damaged_database_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    _overwrite(state, b"\xff")
    broken(check(gate, ASKED))
    with pytest.raises(StateError):
        gate_of(state)


def test_an_emptied_database_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    _overwrite(state, b"")
    broken(check(gate, ASKED))


def test_a_database_that_others_may_write_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    state.database.chmod(0o666)
    broken(check(gate, ASKED))


def test_a_database_without_its_tables_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    with sqlite3.connect(state.database) as connection:
        connection.execute("DROP TABLE grants")
    connection.close()
    broken(check(gate, ASKED))
