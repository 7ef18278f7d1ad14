"""What many tests of the gate begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from callgate.gate.database import Database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A database of its own, new."""
    database = Database(tmp_path / "state.db")
    yield database
    database.close()
