"""Files that change: noticed once they are at rest, and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.gate.places import Places
from callgate.gate.watch import Watch
from tests.gate.tiny import say, settings_file, write_bundle


class World:
    """Files and a clock that a test moves."""

    def __init__(self) -> None:
        self.files = "a"
        self.time = 0.0
        self.looks = 0

    def look(self) -> str:
        self.looks += 1
        return self.files

    def watch(self) -> Watch:
        return Watch(self.look, clock=lambda: self.time)


def polled(world: World, watch: Watch, files: str) -> bool:
    world.files = files
    world.time += 1.0
    return watch.changed()


def test_what_changed_counts_when_it_is_at_rest_and_once() -> None:
    world = World()
    watch = world.watch()
    told = [polled(world, watch, files) for files in "aabcddddeeaa"]
    #                                                 aabcddddeeaa
    assert told == [word == "!" for word in ".....!...!.!"]


def test_what_was_undone_is_no_change() -> None:
    world = World()
    watch = world.watch()
    assert not any(polled(world, watch, files) for files in "baaaa")


def test_between_two_looks_only_the_clock_is_read() -> None:
    world = World()
    watch = world.watch()
    looks = world.looks
    for _ in range(9):
        world.time += 0.1
        assert not watch.changed()
    assert world.looks == looks


def test_what_was_taken_is_no_news() -> None:
    world = World()
    watch = world.watch()
    world.files = "b"
    watch.take()
    assert not any(polled(world, watch, files) for files in "bbb")
    assert [polled(world, watch, files) for files in "cc"] == [False, True]


@pytest.mark.parametrize("change", ["text", "size", "new", "gone", "settings", "base"])
def test_stamps_show_every_change(tmp_path: Path, change: str) -> None:
    base = write_bundle(tmp_path / "base")
    bundle = tmp_path / "mine"
    bundle.mkdir()
    manifest = "kind: bundle\nname: mine\nversion: 1.0.0\ntitle: M\nextends: ../base\nfiles: []\n"
    (bundle / "bundle.yaml").write_text(manifest)
    (bundle / "notes.txt").write_text("no policy")
    settings = settings_file(tmp_path / "config.yaml")
    stamps = Places(bundle, settings).stamps
    before = stamps()
    assert len(before) == 5
    (bundle / "notes.txt").write_text("changed")
    assert stamps() == before
    match change:
        case "text":
            beside = bundle / "new.tmp"
            beside.write_text(manifest.replace("title: M", "title: N"))
            beside.replace(bundle / "bundle.yaml")
        case "size":
            (bundle / "bundle.yaml").write_text(manifest + "\n")
        case "new":
            (bundle / "more.yml").write_text("kind: risk\n")
        case "gone":
            (bundle / "bundle.yaml").unlink()
        case "settings":
            settings.unlink()
        case "base":
            say(base, "another")
    assert stamps() != before
