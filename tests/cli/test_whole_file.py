"""Files are written whole or not at all, and never where a link leads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from click.testing import Result

from callgate.cli.whole_file import add_text, replace_text, write_report
from tests.acme import BUNDLE

Run = Callable[..., Result]
Write = Callable[[Path, str], None]

WRITERS: list[Write] = [replace_text, write_report]


@pytest.mark.parametrize("write", WRITERS)
def test_a_text_takes_the_place_of_another(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "a"
    write(path, "ü\n")
    path.chmod(0o640)
    write(path, "b\r\n")
    assert path.read_bytes() == b"b\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", [*WRITERS, add_text])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_replaced(tmp_path: Path, write: Write, there: bool) -> None:
    (tmp_path / "a").symlink_to("b")
    if there:
        (tmp_path / "b").write_text("mine")
    write(tmp_path / "a", "new")
    assert not (tmp_path / "a").is_symlink()
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "b").exists() is there
    assert not there or (tmp_path / "b").read_text() == "mine"


def test_a_text_is_added(tmp_path: Path) -> None:
    for text in ("a\n", "b\n"):
        add_text(tmp_path / "a", text)
    assert (tmp_path / "a").read_text() == "a\nb\n"


@pytest.mark.parametrize("write", [write_report, add_text])
def test_a_pipe_is_written_to(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    write(path, "text")
    reader.join(10)
    assert read == ["text"]


@pytest.mark.parametrize("write", WRITERS)
def test_what_can_not_be_written_leaves_nothing(tmp_path: Path, write: Write) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="a"):
        write(tmp_path / "a", "x")
    with pytest.raises(OSError, match="nowhere/a"):
        write(tmp_path / "nowhere" / "a", "x")
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


@pytest.mark.parametrize(
    ("args", "name"),
    [
        (("test", "--coverage-html", "out"), "out/index.html"),
        (("test", "--coverage-annotate", "out"), "out/acme__flow.yaml.txt"),
        (("test", "--coverage-lcov", "out/a"), "out/a"),
        (("test", "--format", "junit", "-o", "out/a"), "out/a"),
        (("lint", "--format", "sarif", "-o", "out/a"), "out/a"),
        (("ci", "--junit", "out/a"), "out/a"),
        (("ci", "--sarif", "out/a"), "out/a"),
        (("ci", "--lcov", "out/a"), "out/a"),
        (("ci", "--summary", "out/a"), "out/a"),
        (("graph", "-o", "out/a.json"), "out/a.json"),
    ],
)
def test_reports_do_not_go_where_a_link_leads(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out").mkdir()
    shutil.copytree(BUNDLE, tmp_path / "acme")
    link = tmp_path / name
    link.symlink_to("../mine")
    bundle = ("--bundle", "./acme") if args[0] == "graph" else ("./acme",)
    run(*args, *bundle)
    assert (tmp_path / "mine").read_text() == "mine"
    assert not link.is_symlink()
    assert link.stat().st_size
