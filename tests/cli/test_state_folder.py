"""A state folder that no gate uses: commands that would set something there say so, and make
nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.gate.tiny import write_bundle

SETTING = (
    ("freeze",),
    ("freeze", "--off"),
    ("break-glass", "--minutes", "5", "--why", "w"),
    ("break-glass", "--off"),
    ("reload", "--bundle", "tiny"),
    ("reload", "--list"),
    ("reload", "--to", "0" * 64),
)
LOOKING = (
    ("approvals", "list"),
    ("grants", "list"),
    ("grants", "revoke", "--all"),
    ("events",),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a policy and nothing else."""
    write_bundle(tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    return tmp_path


@pytest.mark.parametrize("args", [*SETTING, *LOOKING])
@pytest.mark.parametrize("where", [("--state", "nosuch"), ()])
def test_one_that_is_not_there(
    run: Run, folder: Path, args: tuple[str, ...], where: tuple[str, ...]
) -> None:
    result = run(*args, *where)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert str(folder / "nosuch" if where else folder / "xdg" / "callgate") in result.stderr
    assert "no gate has used this folder: name the gate's state folder" in result.stderr
    assert [item.name for item in folder.iterdir()] == ["tiny"]


@pytest.mark.parametrize("args", SETTING)
def test_one_that_is_something_else(run: Run, folder: Path, args: tuple[str, ...]) -> None:
    before = sorted(folder.rglob("*"))
    result = run(*args, "--state", folder)
    assert result.exit_code == 1
    assert "no gate has used this folder" in result.stderr
    assert sorted(folder.rglob("*")) == before


def test_status_too(run: Run, folder: Path) -> None:
    result = run("status", "--bundle", "tiny", "--state", "nosuch")
    assert result.exit_code == 1
    assert "no gate has used this folder" in result.stderr
