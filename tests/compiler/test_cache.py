"""The cache of compiled graphs: nobody else's, never damaged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callgate.compiler.build import compile_policy
from callgate.compiler.cache import CacheRefusedError, GraphCache, cache_key
from callgate.model.graph import DecisionGraph, RuleOrigin, SourceMap
from tests.small import SETTINGS, pipeline

KEY = "0" * 64


@pytest.fixture
def compiled() -> tuple[DecisionGraph, SourceMap]:
    return compile_policy(pipeline(), SETTINGS)


@pytest.fixture
def cache(tmp_path: Path) -> GraphCache:
    return GraphCache(tmp_path / "callgate")


def test_what_was_written_is_read(
    cache: GraphCache, compiled: tuple[DecisionGraph, SourceMap]
) -> None:
    graph, sources = compiled
    assert cache.read(KEY) is None
    cache.write(KEY, graph, sources, ["extra"])
    entry = cache.read(KEY)
    assert entry is not None
    assert (entry[0].digest, entry[0].to_json()) == (graph.digest, graph.to_json())
    assert entry[1] == sources
    assert entry[1].rules["denied"].condition == "denied"
    assert all(type(origin) is RuleOrigin for origin in entry[1].rules.values())
    assert entry[2] == ["extra"]
    assert cache.folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("position", [0, 10, 70, 200, -1])
def test_a_damaged_entry_is_none(
    cache: GraphCache, compiled: tuple[DecisionGraph, SourceMap], position: int
) -> None:
    cache.write(KEY, *compiled, None)
    path = cache.folder / f"{KEY}.graph"
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)
    assert cache.read(KEY) is None
    path.write_bytes(data[: len(data) // 2])
    assert cache.read(KEY) is None
    path.write_bytes(b"")
    assert cache.read(KEY) is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
@pytest.mark.parametrize("target", ["file", "folder", "above"])
def test_what_others_could_write_is_refused(
    cache: GraphCache, compiled: tuple[DecisionGraph, SourceMap], target: str
) -> None:
    cache.write(KEY, *compiled, None)
    path = {"file": cache.folder / f"{KEY}.graph", "folder": cache.folder}.get(
        target, cache.folder.parent
    )
    path.chmod(path.stat().st_mode | 0o002)
    with pytest.raises(CacheRefusedError, match=r"other users may write"):
        cache.read(KEY)
    if target != "file":
        with pytest.raises(CacheRefusedError):
            cache.write(KEY, *compiled, None)


def test_a_link_in_place_of_an_entry_is_not_followed(
    cache: GraphCache, compiled: tuple[DecisionGraph, SourceMap], tmp_path: Path
) -> None:
    cache.write(KEY, *compiled, None)
    path = cache.folder / f"{KEY}.graph"
    elsewhere = path.rename(tmp_path / "elsewhere")
    path.symlink_to(elsewhere)
    assert cache.read(KEY) is None


def test_a_folder_that_cannot_be_made_is_no_cache(
    compiled: tuple[DecisionGraph, SourceMap], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    cache = GraphCache(tmp_path / "file" / "callgate")
    cache.write(KEY, *compiled, None)
    assert cache.read(KEY) is None


def test_every_input_is_in_the_key() -> None:
    base = [("a.yaml", b"one"), ("b.yaml", b"two")]
    keys = {
        cache_key("1", base),
        cache_key("2", base),
        cache_key("1", base[::-1]),
        cache_key("1", [("a.yaml", b"onet"), ("b.yaml", b"wo")]),
        cache_key("1", [("a.yamlo", b"ne"), ("b.yaml", b"two")]),
        cache_key("1", base[:1]),
    }
    assert len(keys) == 6
