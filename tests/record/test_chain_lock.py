"""One process holds a chain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callgate.record.chain_lock import hold, leave
from callgate.record.errors import RecordError


def test_one_holds_it(tmp_path: Path) -> None:
    first = hold(tmp_path / "lock")
    assert first is not None
    assert hold(tmp_path / "lock") is None
    copy = os.dup(first)  # as a child of a fork has it
    leave(first)
    second = hold(tmp_path / "lock")
    assert second is not None
    leave(second)
    os.close(copy)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecordError, match="can't be opened"):
        hold(tmp_path / "lock")
    assert not (tmp_path / "elsewhere").exists()
