"""`callgate test --watch`: what is shown of each run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from callgate.cli.paint import Painter
from callgate.cli.test_run import Choice
from callgate.cli.test_watch import watch
from tests.acme import BUNDLE

END = "waiting for changes; Ctrl-C ends it\n"
CLEAR = "\x1b[2J\x1b[H"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(BUNDLE, "mine")
    return Path("mine")


def changed(bundle: Path, old: str, new: str, count: int = 0) -> Callable[[], None]:
    """Something that changes a test file; its time changes even where two are quick."""

    def change() -> None:
        path = bundle / "tests.yaml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        os.utime(path, ns=(count, count))

    return change


def shown(bundle: Path, *steps: Callable[[], object], stream: StringIO | None = None) -> list[str]:
    """What a watch shows of each run; the steps happen between looks, then Ctrl-C is pressed."""
    todo = iter(steps)

    def wait() -> None:
        step = next(todo, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    stream = stream or StringIO()
    assert watch(["mine"], Choice(), Painter(stream), wait) == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    *runs, rest = plain.split(END)
    assert rest == "\n"
    return runs


def test_only_what_changes_is_shown(bundle: Path) -> None:
    runs = shown(
        bundle,
        changed(bundle, "rule: tiers.look,", "rule: tiers.team,", 1),
        changed(bundle, "allow, human.once", "deny, human.once", 2),
        lambda: None,
        changed(bundle, "rule: tiers.team,", "rule: tiers.look,", 3),
    )
    passed = "acme: 7 passed, 4 guard examples, 1 invariant held\n"
    assert runs[0] == passed
    head = "changed: mine/tests.yaml\n"
    assert all(run.startswith(head) for run in runs[1:])
    assert [run.count("FAILED ") for run in runs] == [0, 1, 1, 0]
    assert "FAILED mine/tests.yaml:3  looking is allowed\n" in runs[1]
    assert "FAILED mine/tests.yaml:12  saving by place, row 3\n" in runs[2]
    assert "1 case as before: not shown again\n" in runs[2]
    assert "PASSES NOW looking is allowed\n1 case as before: not shown again\n" in runs[3]
    assert runs[3].endswith("acme: 1 failed, 6 passed, 4 guard examples\n")


def test_a_bundle_that_cannot_be_used_for_a_while(bundle: Path) -> None:
    runs = shown(
        bundle,
        changed(bundle, "kind: tests", "kind: tets", 1),
        changed(bundle, "kind: tets", "kind: tests", 2),
    )
    assert "mine/tests.yaml:1:7: error[S005]: " in runs[1]
    assert runs[1].endswith("mine can't be used: 1 error\n")
    assert runs[2].endswith("acme: 7 passed, 4 guard examples, 1 invariant held (cached)\n")


def test_a_base_is_watched_as_well(bundle: Path, tmp_path: Path) -> None:
    bundle.rename("base")
    own = tmp_path / "mine"
    own.mkdir()
    (own / "bundle.yaml").write_text(
        "kind: bundle\nname: own\nversion: '1'\ntitle: T\nextends: ../base\nfiles: [m.yaml]\n"
    )
    (own / "m.yaml").write_text("kind: masking\n")
    runs = shown(bundle, changed(tmp_path / "base", "rule: tiers.look,", "rule: tiers.team,", 1))
    assert runs[1].startswith("changed: ") and "base/tests.yaml\n" in runs[1].splitlines(True)[0]
    assert runs[1].count("FAILED ") == 1


def test_a_terminal_is_cleared_for_each_run(bundle: Path) -> None:
    stream = Terminal()
    runs = shown(
        bundle, changed(bundle, "rule: tiers.look,", "rule: tiers.team,", 1), stream=stream
    )
    assert [run.startswith(CLEAR) for run in runs] == [True, True]
