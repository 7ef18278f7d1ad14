"""Every row of docs/paths.md holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callgate.effects import Surroundings
from callgate.model.values import UNKNOWN
from callgate.runtime.reference_values import apply
from callgate.stdlib import OPERATIONS
from tests.docs.markdown import tables
from tests.effects.reading import EXTRACTOR

PAGE = Path(__file__).parents[2] / "docs/paths.md"
READ = [("read", {"path": ("arg", "path", None)})]
LINKS = {
    "/srv/app/notes.md": "/etc/hosts",
    "/srv/app/out": "/data",
    "/srv/app/copy": "/home/u/.ssh/id_rsa",
}
HERE = Surroundings("/srv/app", "/srv/app", "/home/u", LINKS)
HOMES = ("/home/*", "/Users/*", "/root", "/var/root", "/private/var/root", "/var/home/*")
PLACES = ("~/.ssh", "/etc/shadow")


def code(cell: str) -> str:
    """What stands between the backticks of a cell."""
    assert cell[0] == cell[-1] == "`", cell
    return cell[1:-1]


def meant(cell: str) -> list[object]:
    return [UNKNOWN if text == "unknown" else code(text) for text in cell.split(", ")]


def paths(text: str, place: Surroundings) -> list[object]:
    found = EXTRACTOR.extract(READ, {"path": text}, place)
    assert set(found.by_kind) <= {"read"}
    return [effect.fields["path"] for effect in found.all]


@pytest.mark.parametrize(("argument", "means", "why"), tables(PAGE, "What a path means"))
def test_what_a_path_means(argument: str, means: str, why: str) -> None:
    assert paths(json.loads(code(argument)), HERE) == meant(means)
    assert why


@pytest.mark.parametrize(
    ("argument", "means", "why"), tables(PAGE, "Where the folders are not known")
)
def test_where_the_folders_are_not_known(argument: str, means: str, why: str) -> None:
    assert paths(json.loads(code(argument)), Surroundings()) == meant(means)
    assert why


@pytest.mark.parametrize(
    ("path", "home", "touched"),
    [row for row in tables(PAGE, "Protected places") if len(row) == 3],
)
def test_protected_places(path: str, home: str, touched: str) -> None:
    args = (code(path), PLACES, code(home) if home else "", HOMES)
    assert OPERATIONS["touches"].implementation(*args) is (touched == "yes")
    assert apply("touches", args) is (touched == "yes")


@pytest.mark.parametrize("text", ["docs/a.md", ".ssh/id_rsa"])
def test_a_relative_path_without_a_folder_is_assumed_or_unknown(text: str) -> None:
    place = Surroundings()
    assert "cwd" in EXTRACTOR.extract(READ, {"path": text}, place).assumed
    assert paths(text, Surroundings(strict=True)) == [UNKNOWN]


def test_the_tables_are_there() -> None:
    for heading, least in (("What a path means", 25), ("Protected places", 20)):
        assert len(tables(PAGE, heading)) >= least
