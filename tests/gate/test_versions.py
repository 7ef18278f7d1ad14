"""Versions of the past: kept by digest, checked when they are read, and run without YAML."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from callgate.gate.state import StateError, StateFolder
from callgate.gate.versions import VersionError, Versions
from callgate.model.graph import DecisionGraph
from callgate.runtime.interpreter import Program
from callgate.storage.files import locked
from tests.small import SETTINGS, policy, program, rule
from tests.small import eq as equal

CALL = {"tool": "exec"}


def graph(word: str) -> DecisionGraph:
    return program(policy(rule(word, equal("call.tool", "exec"), "deny")), SETTINGS).graph


GRAPHS = {word: graph(word) for word in ("one", "two", "three", "four")}
ONE, TWO = GRAPHS["one"], GRAPHS["two"]


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


@pytest.fixture
def versions(folder: StateFolder) -> Versions:
    return Versions(folder)


def file_of(folder: StateFolder, kept: DecisionGraph) -> Path:
    return folder.versions / f"{kept.digest.removeprefix('sha256:')}.json"


def test_what_is_kept_comes_back(folder: StateFolder, versions: Versions) -> None:
    versions.store(ONE)
    found = Versions(folder).load(ONE.digest)
    assert found.digest == ONE.digest
    assert found.to_json() == ONE.to_json()
    assert Program(found).decide(CALL).to_dict()["rule"] == "one"
    assert stat.S_IMODE(file_of(folder, ONE).stat().st_mode) == 0o600
    assert [path.name for path in folder.versions.iterdir()] == [file_of(folder, ONE).name]


def test_the_list_begins_with_the_latest(versions: Versions) -> None:
    assert versions.all() == []
    for kept in (ONE, TWO, GRAPHS["three"], ONE):
        versions.store(kept)
    found = [version.digest for version in versions.all()]
    assert found == [ONE.digest, GRAPHS["three"].digest, TWO.digest]
    versions.mark(TWO.digest)
    assert versions.all()[0].digest == TWO.digest
    versions.mark("sha256:" + "0" * 64)


def test_other_files_are_no_versions(folder: StateFolder, versions: Versions) -> None:
    versions.store(ONE)
    for name in ("README", "x.json", file_of(folder, TWO).name + ".new", "A" * 64 + ".json"):
        (folder.versions / name).write_text("{}")
    assert [version.digest for version in versions.all()] == [ONE.digest]


def test_only_the_last_ones_stay(folder: StateFolder) -> None:
    versions = Versions(folder, kept=2)
    for kept in GRAPHS.values():
        versions.store(kept)
    found = [version.digest for version in versions.all()]
    assert found == [GRAPHS["four"].digest, GRAPHS["three"].digest]


# -- what a person types


def test_the_first_digits_will_do(versions: Versions) -> None:
    versions.store(ONE)
    versions.store(TWO)
    for text in (ONE.digest, ONE.digest[7:], ONE.digest[:15], ONE.digest[7:15].upper()):
        assert versions.find(f" {text} ") == ONE.digest


def test_what_is_not_kept_says_what_may_be_meant(versions: Versions) -> None:
    with pytest.raises(VersionError, match="no version is kept"):
        versions.find(ONE.digest)
    versions.store(ONE)
    versions.store(TWO)
    typo = ONE.digest[:20] + ("0" if ONE.digest[20] != "0" else "1") + ONE.digest[21:]
    with pytest.raises(VersionError, match="did you mean") as caught:
        versions.find(typo)
    assert [version.digest for version in caught.value.near] == [ONE.digest]
    assert re.search(rf"{ONE.digest} of \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC", str(caught.value))
    for text in ("", "latest", "sha256:", "deadbeef", ONE.digest[7:10], "../state", "x" * 500):
        with pytest.raises(VersionError) as caught:
            versions.find(text)
        assert caught.value.near == ()
        assert [version.digest for version in caught.value.kept] == [TWO.digest, ONE.digest]
        assert "the versions are: " in str(caught.value)
        assert "did you mean" not in str(caught.value)
        assert len(str(caught.value)) < 500
    with pytest.raises(VersionError, match="is not kept; the versions are: "):
        versions.load(GRAPHS["three"].digest)


def test_a_start_that_several_have(folder: StateFolder, versions: Versions) -> None:
    for last in "ab":
        (folder.versions / ("0" * 63 + last + ".json")).write_text("{}")
    with pytest.raises(VersionError, match="several versions begin") as caught:
        versions.find("00000000")
    assert len(caught.value.near) == 2


@pytest.mark.parametrize(
    "text", ["", "x", "../control", "sha256:../../etc/passwd", "sha256:" + "g" * 64, "a" * 63]
)
def test_no_other_file_can_be_asked_for(versions: Versions, text: str) -> None:
    with pytest.raises(VersionError, match="is no digest"):
        versions.load(text)


# -- what was tampered with


def one_letter(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"deny"', b'"allow"', 1))


def another(path: Path) -> None:
    path.write_bytes(TWO.to_json())


def half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def no_graph(path: Path) -> None:
    path.write_bytes(b"{}")


@pytest.mark.parametrize("spoiled", [one_letter, another, half, empty, no_graph])
def test_what_was_changed_is_refused(
    folder: StateFolder, versions: Versions, spoiled: Callable[[Path], None]
) -> None:
    versions.store(ONE)
    spoiled(file_of(folder, ONE))
    with pytest.raises(VersionError, match="not what it was"):
        versions.load(ONE.digest)
    versions.store(ONE)  # made anew from source
    assert versions.load(ONE.digest).digest == ONE.digest


def link(path: Path) -> None:
    target = path.with_name("elsewhere")
    path.rename(target)
    path.symlink_to(target)


def second_name(path: Path) -> None:
    os.link(path, path.with_name("other"))


def shared(path: Path) -> None:
    path.chmod(0o606)


def folder_shared(path: Path) -> None:
    path.parent.chmod(0o770)


def folder_link(path: Path) -> None:
    target = path.parent.with_name("moved")
    path.parent.rename(target)
    path.parent.symlink_to(target)


def foreign(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, 12_345, -1)


@pytest.mark.parametrize(
    "spoiled", [link, second_name, shared, folder_shared, folder_link, foreign]
)
def test_what_others_could_write_is_refused(
    folder: StateFolder, versions: Versions, spoiled: Callable[[Path], None]
) -> None:
    versions.store(ONE)
    spoiled(file_of(folder, ONE))
    with pytest.raises(StateError):
        versions.load(ONE.digest)


@pytest.mark.parametrize("spoiled", [folder_shared, folder_link])
def test_nothing_is_kept_where_others_could_write(
    folder: StateFolder, versions: Versions, spoiled: Callable[[Path], None]
) -> None:
    spoiled(file_of(folder, ONE))
    with pytest.raises(StateError):
        versions.store(ONE)


# -- failures


def test_a_process_killed_in_the_middle_leaves_no_half_version(folder: StateFolder) -> None:
    code = """
import os, signal, sys
from pathlib import Path
from callgate.gate.state import StateFolder
from callgate.gate.versions import Versions
from tests.gate.test_versions import ONE
def killed(event, args):
    if event == "os.rename":
        os.kill(os.getpid(), signal.SIGKILL)
versions = Versions(StateFolder(Path(sys.argv[1])))
sys.addaudithook(killed)
versions.store(ONE)
"""
    done = subprocess.run([sys.executable, "-c", code, str(folder.path)], check=False)
    assert done.returncode == -9
    versions = Versions(folder)
    assert versions.all() == []
    versions.store(ONE)
    assert [path.name for path in folder.versions.iterdir()] == [file_of(folder, ONE).name]


def test_a_disk_that_refuses(folder: StateFolder) -> None:
    code = """
import resource, sys
from pathlib import Path
from callgate.gate.state import StateError, StateFolder
from callgate.gate.versions import Versions
from tests.gate.test_versions import ONE
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    Versions(StateFolder(Path(sys.argv[1]))).store(ONE)
except StateError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder.path)], capture_output=True, text=True, check=False
    )
    assert "file too large" in done.stdout, done.stderr
    assert list(folder.versions.iterdir()) == []


def test_whoever_waits_for_a_lock_gives_up(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = pytest.raises(StateError, match="held by another process")
    with locked(path), held, locked(path, patience=0):
        pass
    with locked(path, patience=0):
        pass
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(StateError, match="can't be opened"), locked(link):
        pass


def test_a_version_runs_without_yaml(folder: StateFolder, versions: Versions) -> None:
    versions.store(ONE)
    code = """
import sys
from pathlib import Path
from callgate.gate.state import StateFolder
from callgate.gate.versions import Versions
from callgate.runtime.interpreter import Program
graph = Versions(StateFolder(Path(sys.argv[1]))).load(sys.argv[2])
print(Program(graph).decide({"tool": "exec"}).to_dict()["rule"])
print(sorted({"yaml", "lark", "jsonschema"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder.path), ONE.digest],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split("\n")[:2] == ["one", "[]"], done.stderr
