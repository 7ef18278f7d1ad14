"""Watching: what changed between two looks."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from callgate.policytest.watch import changes, snapshot


class EndedError(Exception):
    """The watch is over."""


def seen(folder: Path, *steps: Callable[[], object]) -> list[frozenset[str]]:
    """What a watch tells while these things happen, one between two looks."""
    todo = iter(steps)

    def wait() -> None:
        step = next(todo, None)
        if step is None:
            raise EndedError
        step()

    found = []
    with pytest.raises(EndedError):
        for changed in changes(lambda: [folder], wait):
            found.append(frozenset(Path(path).name for path in changed))
    return found


def test_what_changes_is_told(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "in" / "two.yaml"
    one.write_text("a")
    two.parent.mkdir()
    assert seen(
        tmp_path,
        lambda: None,
        lambda: one.write_text("ab"),
        lambda: two.write_text(""),
        lambda: None,
        lambda: two.rename(two.with_name("three.yaml")),
        lambda: one.unlink(),
    ) == [
        frozenset(),
        {"one.yaml"},
        {"two.yaml"},
        {"two.yaml", "three.yaml"},
        {"one.yaml"},
    ]


def test_a_file_of_the_same_size_with_another_time(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("a")
    assert len(seen(tmp_path, lambda: os.utime(tmp_path / "one.yaml", ns=(1, 1)))) == 2


def test_what_is_hidden_or_not_there_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("")
    (tmp_path / ".x.swp").write_text("")
    assert snapshot([tmp_path, tmp_path / "gone"]) == {}
