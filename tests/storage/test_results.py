"""Results that are kept: what is damaged, foreign or old is as good as not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callgate.compiler.cache import GraphCache
from callgate.storage import results as module
from callgate.storage.results import Results, bundle_key, engine_stamp, key_of

KEY = key_of("lint", "a")


def test_a_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    store = Results(tmp_path / "cache")
    assert store.read(KEY) is None
    store.write(KEY, {"a": [1, None, "ü"]})
    assert Results(tmp_path / "cache").read(KEY) == {"a": [1, None, "ü"]}
    assert store.read(key_of("lint", "b")) is None


def test_keys_tell_their_parts_apart() -> None:
    parts = [("a", "bc"), ("ab", "c"), ("abc",), ("a", "b", "c"), ("abc", "")]
    assert len({key_of(*item) for item in parts}) == len(parts)
    files = [[("a", b"bc")], [("ab", b"c")], [("a", b"b"), ("c", b"")], [("c", b""), ("a", b"b")]]
    assert len({bundle_key(item) for item in files}) == len(files)


def damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))


def moved(path: Path) -> None:
    path.rename(path.with_name(f"{key_of('lint', 'b')}.result"))


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def cut(path: Path) -> None:
    path.write_bytes(b"")


def foreign(path: Path) -> None:
    path.chmod(0o666)


def of_another(path: Path) -> None:
    path.parent.chmod(0o777)


@pytest.mark.parametrize("do", [damaged, moved, linked, cut, foreign, of_another])
def test_what_can_not_be_trusted_is_not_read(tmp_path: Path, do: object) -> None:
    assert callable(do)
    store = Results(tmp_path / "cache")
    store.write(KEY, [1])
    assert store.read(KEY) == [1]
    (path,) = store.folder.iterdir()
    do(path)
    assert store.read(KEY) is None
    assert store.read(key_of("lint", "b")) is None
    assert bool(store.refused) is (do in (linked, foreign, of_another))


def test_a_folder_in_the_repository_worked_in_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "policies").mkdir(parents=True)
    (tmp_path / "here" / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    store = Results(tmp_path / "here" / "cache")
    store.write(KEY, [1])
    assert store.read(KEY) == [1]  # whoever works elsewhere has put it there
    monkeypatch.chdir(tmp_path / "here" / "policies")
    assert store.read(KEY) is None
    assert "in the repository" in store.refused
    monkeypatch.setenv("HOME", str(tmp_path / "here"))  # a home may be kept in a repository
    assert store.read(KEY) == [1]


def test_where_results_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for value, folder in (
        (str(tmp_path / "cache"), tmp_path / "cache" / "callgate"),
        ("cache", tmp_path / "home" / ".cache" / "callgate"),
        ("", tmp_path / "home" / ".cache" / "callgate"),
    ):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert (Results().folder, GraphCache().folder) == (folder, folder)


def test_a_folder_that_can_not_be_written_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Results(tmp_path / "file" / "cache")
    store.write(KEY, 1)
    assert store.read(KEY) is None


def test_what_was_used_longest_ago_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_ENTRIES", 3)
    store = Results(tmp_path / "cache")
    keys = [key_of(str(number)) for number in range(3)]
    for number, key in enumerate(keys):
        store.write(key, number)
        os.utime(store.folder / f"{key}.result", ns=(number, number))
    assert store.read(keys[0]) == 0  # used just now
    (store.folder / "of-the-engine.graph").write_text("stays")
    store.write(key_of("new"), "new")
    assert [store.read(key) for key in [*keys, key_of("new")]] == [0, None, 2, "new"]
    assert (store.folder / "of-the-engine.graph").exists()
    monkeypatch.setattr(module, "_MOST_BYTES", 0)
    store.write(KEY, 1)
    assert [path.suffix for path in store.folder.iterdir()] == [".graph"]


def test_the_engine_is_stamped_by_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "code.py").write_text("a = 1")
    monkeypatch.setattr(module, "packaged_folders", lambda: (str(tmp_path), "bundles"))
    stamps = []
    for text in ("a = 1", "a = 12", None):
        engine_stamp.cache_clear()
        if text is None:
            os.utime(tmp_path / "inner" / "code.py", ns=(1, 1))
        else:
            (tmp_path / "inner" / "code.py").write_text(text)
        stamps.append(engine_stamp())
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "code.pyc").write_text("")
    engine_stamp.cache_clear()
    stamps.append(engine_stamp())
    engine_stamp.cache_clear()
    site = tmp_path.with_name(f"{tmp_path.name}-site")
    monkeypatch.syspath_prepend(str(site))
    for name in ("pyyaml-6.0", "pyyaml-6.1"):
        (site / f"{name}.dist-info").mkdir(parents=True)
        engine_stamp.cache_clear()
        stamps.append(engine_stamp())
    engine_stamp.cache_clear()
    assert stamps[2] == stamps[3]
    assert len(set(stamps)) == 5
