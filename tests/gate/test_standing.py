"""A folder that another takes the place of, while somebody thinks or before the call runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from callgate.gate.gate import ApprovalGate
from callgate.gate.observe import LocalObserver
from callgate.gate.state import StateFolder
from tests.gate.chat import Chat, people_of
from tests.gate.gating import call, engine


def replaced(folder: Path) -> None:
    """Another folder, with the same in it."""
    folder.rename(folder.with_name("old"))
    folder.mkdir()
    (folder / "a").write_text("")


def renewed(folder: Path) -> None:
    """What is in the folder is another, and it is the same."""
    (folder / "a").unlink()
    (folder / "a").mkdir()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("cwd", "workspace"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("")
    return tmp_path.resolve()


def asked(place: Path, tool: str = "run", **args: str) -> dict[str, object]:
    context = {name: str(place / name) for name in ("cwd", "workspace")}
    return call(tool, context=context, **(args or {"command": "rm a"}))


def gate_of(place: Path, chat: Chat) -> ApprovalGate:
    state = StateFolder(place / "state")
    people = people_of(state, [chat])
    return ApprovalGate(engine(), state=state, observer=LocalObserver(), people=people)


@pytest.mark.parametrize("name", ["cwd", "workspace"])
@pytest.mark.parametrize(("change", "passes"), [(replaced, False), (renewed, True)])
def test_while_a_person_thinks(
    place: Path, name: str, change: Callable[[Path], None], passes: bool
) -> None:
    gate = gate_of(place, Chat("once", before=lambda _: change(place / name)))
    found = asyncio.run(gate.check(asked(place)))
    assert found.allowed is passes
    assert passes or found.reason.endswith("runs in is another one than before")


@pytest.mark.parametrize("answer", ["once", "session"])
def test_between_a_yes_and_the_run(place: Path, answer: str) -> None:
    async def story() -> tuple[str, str]:
        gate = gate_of(place, Chat(answer))
        found = await gate.check(asked(place))
        if answer == "session":
            found = await gate.check(asked(place))  # by the grant
            assert found.grant_id
        assert found.allowed
        before = await found.recheck()
        replaced(place / "cwd")
        return before, await found.recheck()

    assert asyncio.run(story()) == (
        "",
        "a folder that this call runs in is another one than before",
    )


def test_a_folder_that_goes_is_another(place: Path) -> None:
    gate = gate_of(place, Chat("once", before=lambda _: (place / "cwd").rename(place / "gone")))
    assert not asyncio.run(gate.check(asked(place))).allowed
