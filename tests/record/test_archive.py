"""Graphs are kept once, and only given out as they were."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from callgate.model.graph import DecisionGraph
from callgate.record.archive import GraphArchive
from callgate.record.errors import RecordError
from callgate.record.folder import use_folder
from tests.small import SETTINGS, eq, policy, program, rule


def graph(word: str) -> DecisionGraph:
    """A small one."""
    return program(policy(rule(word, eq("call.tool", "exec"), "deny")), SETTINGS).graph


@pytest.fixture
def archive(tmp_path: Path) -> GraphArchive:
    return GraphArchive(tmp_path / "graphs")


def file_of(archive: GraphArchive, kept: DecisionGraph) -> Path:
    return archive.folder / f"{kept.digest.removeprefix('sha256:')}.json.z"


def test_a_graph_comes_back_as_it_was(archive: GraphArchive) -> None:
    assert archive.digests() == []
    graphs = [graph("one"), graph("two")]
    for each in graphs:
        archive.keep(each)
        archive.keep(each)
    assert archive.digests() == sorted(each.digest for each in graphs)
    for each in graphs:
        loaded = GraphArchive(archive.folder).load(each.digest)
        assert (loaded.digest, loaded.to_json()) == (each.digest, each.to_json())
    assert len(list(archive.folder.iterdir())) == 2


def test_a_graph_is_written_once(archive: GraphArchive) -> None:
    kept = graph("one")
    archive.keep(kept)
    written = file_of(archive, kept).stat()
    archive.keep(kept)
    GraphArchive(archive.folder).keep(kept)
    assert file_of(archive, kept).stat().st_ino == written.st_ino
    assert written.st_mode & 0o777 == 0o600
    assert archive.folder.stat().st_mode & 0o777 == 0o700
    assert written.st_size < len(kept.to_json())


def test_a_graph_that_was_removed_is_written_again(archive: GraphArchive) -> None:
    kept = graph("one")
    archive.keep(kept)
    written = file_of(archive, kept).stat()
    archive.keep_again()
    assert file_of(archive, kept).stat().st_ino == written.st_ino
    shutil.rmtree(archive.folder)
    archive.keep_again()
    assert archive.load(kept.digest).digest == kept.digest


DAMAGES: list[Callable[[Path], object]] = [
    lambda file: file.write_bytes(b""),
    lambda file: file.write_bytes(b"no zlib"),
    lambda file: file.write_bytes(file.read_bytes()[:-1]),
    lambda file: file.write_bytes(file.read_bytes() + b"x"),
    lambda file: file.write_bytes(zlib.compress(b"{}")),
    lambda file: file.write_bytes(zlib.compress(b"[")),
    lambda file: file.write_bytes(zlib.compress(graph("other").to_json())),
    lambda file: file.write_bytes(zlib.compress(b" " * (300 * 2**20), 9)),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_graph_is_refused_and_written_anew(
    archive: GraphArchive, damage: Callable[[Path], object]
) -> None:
    kept = graph("one")
    archive.keep(kept)
    damage(file_of(archive, kept))
    with pytest.raises(RecordError, match="not what it was"):
        archive.load(kept.digest)
    GraphArchive(archive.folder).keep(kept)
    assert archive.load(kept.digest).digest == kept.digest


def test_what_others_could_write_is_refused(archive: GraphArchive) -> None:
    kept = graph("one")
    archive.keep(kept)
    file = file_of(archive, kept)
    file.chmod(0o666)
    with pytest.raises(RecordError, match="other users may write"):
        archive.load(kept.digest)
    file.chmod(0o600)
    file.rename(archive.folder / "elsewhere")
    file.symlink_to("elsewhere")
    with pytest.raises(RecordError, match="link"):
        archive.load(kept.digest)


def test_a_graph_that_is_not_kept(archive: GraphArchive) -> None:
    use_folder(archive.folder, create=True)
    with pytest.raises(RecordError, match="is not kept"):
        archive.load(graph("one").digest)
    for wrong in ("", "sha256:", "../key", "sha256:" + "g" * 64, "0" * 64):
        with pytest.raises(RecordError, match="no digest"):
            archive.load(wrong)


def test_where_no_graph_can_be_kept_that_is_told(archive: GraphArchive) -> None:
    archive.folder.write_bytes(b"no folder")
    with pytest.raises(RecordError):
        archive.keep(graph("one"))
    with pytest.raises(RecordError):
        archive.digests()
    archive.folder.unlink()
    archive.keep(graph("one"))
    assert archive.digests() == [graph("one").digest]
