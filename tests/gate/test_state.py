"""The gate's folder: made for one user, refused where others can write."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from callgate.gate.state import StateError, StateFolder, default_state


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        state = StateFolder(tmp_path / "a" / "state")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a") == mode(state.path) == 0o700
    assert mode(state.versions) == 0o700
    assert state.database == tmp_path / "a" / "state" / "state.db"
    assert state.control.parent == state.path
    assert StateFolder(state.path).path == state.path


@pytest.mark.parametrize("shared", [0o770, 0o777, 0o1777])
def test_one_that_others_can_write_is_refused(tmp_path: Path, shared: int) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(shared)
    with pytest.raises(StateError, match="other users may write"):
        StateFolder(folder)


def test_one_below_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    above = tmp_path / "shared"
    above.mkdir()
    above.chmod(0o777)
    with pytest.raises(StateError, match=r"other users may write `.*shared`"):
        StateFolder(above / "state")


def test_a_link_is_looked_through(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "link").symlink_to(shared)
    StateFolder(tmp_path / "link")
    shared.chmod(0o777)
    with pytest.raises(StateError, match="refused"):
        StateFolder(tmp_path / "link")


def test_what_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="can't be used: not a directory"):
        StateFolder(tmp_path / "file" / "state")
    with pytest.raises(StateError, match="can't be used: file exists"):
        StateFolder(tmp_path / "file")


def test_a_missing_one_is_not_made_for_looking(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no such file"):
        StateFolder(tmp_path / "state", create=False)
    assert not (tmp_path / "state").exists()


def test_a_path_may_be_a_text(tmp_path: Path) -> None:
    assert StateFolder(str(tmp_path / "state")).path == tmp_path / "state"
    for wrong in (None, 5, b"/x"):
        with pytest.raises(TypeError, match="`path` is the path of a folder, not"):
            StateFolder(wrong)  # type: ignore[arg-type]
    with pytest.raises(StateError, match="no name"):
        StateFolder("")
    with pytest.raises(StateError, match="can't be used"):
        StateFolder("/x\0y")


def test_one_that_no_gate_has_used(tmp_path: Path) -> None:
    StateFolder(tmp_path / "state").check_used()
    (tmp_path / "other").mkdir()
    with pytest.raises(StateError, match="no gate has used this folder"):
        StateFolder(tmp_path / "other", create=False).check_used()
    assert list((tmp_path / "other").iterdir()) == []


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "/var/lib/me")
    assert default_state() == Path("/var/lib/me/callgate")
    for says_nothing in ("", "relative/place"):
        monkeypatch.setenv("XDG_STATE_HOME", says_nothing)
        assert default_state() == tmp_path / ".local" / "state" / "callgate"
