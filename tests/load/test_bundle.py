"""Bundles: where they lie, what they list, what is left when something is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from callgate import resources
from callgate.load.bundle import Bundle, bundle_lines, load_bundle
from callgate.load.files import read_bundle_bytes
from callgate.load.one_file import MAX_BYTES
from callgate.load.schemas import kinds
from callgate.model.diagnostic import Diagnostics, PolicyError

GUARDS = "kind: guards\nrules: []\n"
MASKING = "kind: masking\nnames: [token]\n"


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(folder: Path, **files: str) -> Path:
    """A bundle `crew` that lists its files; `bundle` may stand for another manifest."""
    root = folder / "team" / "crew"
    listed = "".join(f"\n  - {name.replace('__', '/')}.yaml" for name in files if name != "bundle")
    manifest = f"kind: bundle\nname: crew\nversion: '1'\ntitle: Acme\nfiles:{listed}\n"
    for name, text in {"bundle": manifest, **files}.items():
        path = root / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def load(where: str | Path) -> tuple[Bundle | None, list[str]]:
    diagnostics = Diagnostics()
    bundle = load_bundle(where, diagnostics)
    return bundle, [f"{d.span}: {d.code} {d.message}" for d in diagnostics.sorted()]


def test_a_bundle(tmp_path: Path) -> None:
    root = write(tmp_path, z=GUARDS, guards__b=MASKING, guards__a=GUARDS)
    bundle, found = load(root)
    assert found == []
    assert bundle
    assert (bundle.name, bundle.version, bundle.title, bundle.description) == (
        "crew", "1", "Acme", "",
    )  # fmt: skip
    files = [document.file for document in bundle.documents]
    assert files == ["team/crew/z.yaml", "team/crew/guards/b.yaml", "team/crew/guards/a.yaml"]
    assert [d.file for d in bundle.of_kind("guards")] == [files[0], files[2]]
    assert bundle.incomplete == frozenset()


@pytest.mark.parametrize(
    ("directory", "where", "prefix"),
    [
        ("team", "crew", "crew"),
        ("team", "./crew/", "crew"),
        ("team", "TMP/team/crew", "crew"),
        ("team/crew", "./", "."),
        ("team/crew/guards", "..", ".."),
        ("other", "../team/crew/", "../team/crew"),
        ("other", "TMP/team/crew", "TMP/team/crew"),
        ("other", "./link", "link"),
    ],
)
def test_files_are_shown_as_paths_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: str, where: str, prefix: str
) -> None:
    root = write(tmp_path, z=GUARDS, guards__a=GUARDS)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "link").symlink_to(root)
    monkeypatch.chdir(tmp_path / directory)
    files = read_bundle_bytes(where.replace("TMP", str(tmp_path)))
    prefix = prefix.replace("TMP", str(tmp_path))
    assert [file for file, _ in files] == [
        f"{prefix}/{name}.yaml" for name in ("bundle", "guards/a", "z")
    ]
    assert all(Path(file).read_bytes() == data for file, data in files)
    assert load(where.replace("TMP", str(tmp_path)))[1] == []


def test_files_come_manifest_first_then_by_the_bytes_of_their_path(tmp_path: Path) -> None:
    root = write(tmp_path, b=GUARDS, a__z=GUARDS, a=GUARDS, é=GUARDS, B=GUARDS)
    (root / "notes.txt").write_text("no rule file")
    names = [file.removeprefix("team/crew/") for file, _ in read_bundle_bytes(root)]
    assert names == ["bundle.yaml", "B.yaml", "a.yaml", "a/z.yaml", "b.yaml", "é.yaml"]


def test_an_embedded_bundle_wins_over_a_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = resources.bundle_names()[0]
    (tmp_path / name).mkdir()
    (tmp_path / name / "bundle.yaml").write_text("kind: bundle\n")
    monkeypatch.chdir(tmp_path)
    assert len(read_bundle_bytes(name)) > 1
    assert len(read_bundle_bytes(f"./{name}")) == 1
    assert len(read_bundle_bytes(Path(name))) == 1


@pytest.mark.parametrize("name", resources.bundle_names())
def test_embedded_bundles_load(name: str) -> None:
    bundle, found = load(name)
    assert {line.split()[1] for line in found} <= {"C024"}
    assert bundle
    assert bundle.name == name
    bases = {"policies/" + base.name for base in bundle.extends}
    folders = {"/".join(d.file.split("/")[:2]) for d in bundle.documents}
    assert folders == {f"policies/{name}"} | bases


def test_files_missing_and_not_listed(tmp_path: Path) -> None:
    root = write(tmp_path, a=GUARDS, guards__shell=GUARDS)
    (root / "guards" / "shell.yaml").rename(root / "guards" / "shel.yaml")
    (root / "more.yml").write_text(MASKING)
    bundle, found = load(root)
    assert found == [
        "team/crew/bundle.yaml:5:1: Y015 `guards/shel.yaml` is there, but not listed",
        "team/crew/bundle.yaml:5:1: Y015 `more.yml` is there, but not listed",
        "team/crew/bundle.yaml:7:5: Y014 `guards/shell.yaml` is listed, but not there",
    ]
    assert bundle
    assert [d.file for d in bundle.documents] == ["team/crew/a.yaml"]
    assert bundle.incomplete == frozenset(kinds())


def test_what_is_incomplete_is_named(tmp_path: Path) -> None:
    root = write(tmp_path, a="kind: guards\nrules: [{}]\n", b="kind: flow\nsteps: [\n", c=MASKING)
    bundle, found = load(root)
    assert [line.split()[1] for line in found] == ["S002"] * 4 + ["Y001"]
    assert bundle
    assert bundle.incomplete == {"guards", "flow"}
    assert [d.kind for d in bundle.documents] == ["guards", "masking"]
    root = write(tmp_path / "2", a="kind: nope\n")
    bundle, _ = load(root)
    assert bundle
    assert bundle.incomplete == frozenset(kinds())


@pytest.mark.parametrize(
    ("manifest", "codes"),
    [
        ("", ["Y008"]),
        ("kind: bundle\n", ["S002"] * 4),
        ("kind: guards\nrules: []\n", ["S005"]),
        ("kind: bundle\nname: a\nversion: '1'\ntitle: t\nfiles: a.yaml\n", ["S003"]),
        ("kind: bundle\nname: a\nversion: 1\ntitle: t\nfiles: [a.yaml]\n", ["S003"]),
        ("kind: bundle\nname: a\nversion: '1'\ntitle: t\nfiles: [a.yaml, a.yaml]\n", ["S004"]),
        ("kind: bundle\nname: a\nversion: '1'\ntitle: t\nextend: b\nfiles: [a.yaml]\n", ["S001"]),
        ("kind: bundle\nfiles: [\n", ["Y001"]),
    ],
)
def test_manifests(tmp_path: Path, manifest: str, codes: list[str]) -> None:
    root = write(tmp_path, a="kind: guards\nrules: 3\n", bundle=manifest)
    bundle, found = load(root)
    assert found.pop(0).split()[1] == "S003"  # its files are read all the same
    assert bundle is None or "guards" in bundle.incomplete
    assert [line.split()[1] for line in found] == codes


def test_no_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("file").write_text("x")
    for where, message in [
        ("empty", "there is no `bundle.yaml` in `empty`"),
        ("file", "`file` is no folder"),
        ("eco", "there is no bundle or folder `eco`"),
        ("./eco", "there is no bundle or folder `./eco`"),
        ("\0", "there is no bundle or folder `\0`"),
        ("x" * 5000, "can't be read"),
        ("", "`bundle.yaml`"),
    ]:
        diagnostics = Diagnostics()
        assert load_bundle(where, diagnostics) is None
        (only,) = diagnostics.items
        assert only.code == "Y016"
        assert message in only.message
        assert read_bundle_bytes(where, Diagnostics()) == []
        with pytest.raises(PolicyError):
            read_bundle_bytes(where)
    diagnostics = Diagnostics()
    load_bundle("eco", diagnostics)
    assert diagnostics.items[0].help == "did you mean `echo`?"


def test_what_was_read_is_what_is_parsed(tmp_path: Path) -> None:
    root = write(tmp_path, a=MASKING)
    files = read_bundle_bytes(root)
    (root / "a.yaml").write_text("kind: nope\n")
    diagnostics = Diagnostics()
    bundle = load_bundle(root, diagnostics, [files])
    assert diagnostics.items == []
    assert bundle
    assert bundle.documents[0].data["names"] == ["token"]


def test_a_manifest_that_is_not_there_after_all() -> None:
    diagnostics = Diagnostics()
    assert load_bundle("x", diagnostics, [[("a/x/flow.yaml", b"kind: flow\n")]]) is None
    assert diagnostics.items == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_odd_files(tmp_path: Path) -> None:
    root = write(tmp_path, a=GUARDS, b=GUARDS, c=GUARDS, d=GUARDS)
    for name in "abc":
        (root / f"{name}.yaml").unlink()
    os.mkfifo(root / "a.yaml")
    (root / "b.yaml").symlink_to(root / "nowhere")
    (root / "c.yaml").symlink_to(root / "d.yaml")
    (root / "loop").symlink_to(root)
    bundle, found = load(root)
    assert [line.split(": ")[0] + line.split(": ")[1][:5] for line in found] == [
        "team/crew/a.yaml:1:1Y013 ",
        "team/crew/b.yaml:1:1Y013 ",
    ]
    assert bundle
    assert len(bundle.documents) == 2


def test_huge_files_are_not_read_to_their_end(tmp_path: Path) -> None:
    root = write(tmp_path, a=GUARDS)
    with (root / "a.yaml").open("wb") as stream:
        stream.truncate(MAX_BYTES * 4)
    assert len(dict(read_bundle_bytes(root))["team/crew/a.yaml"]) == MAX_BYTES + 1
    assert [line.split()[1] for line in load(root)[1]] == ["Y009"]


def test_reading_bytes_imports_no_parser() -> None:
    code = (
        "import sys; from callgate.load.files import read_bundle_bytes\n"
        "assert len(read_bundle_bytes('echo')) > 5\n"
        "print({'yaml', 'jsonschema', 'pydantic', 'lark'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_bundle_without_mistakes_needs_no_jsonschema() -> None:
    code = (
        "import sys; from callgate.load.bundle import load_bundle\n"
        "from callgate.model.diagnostic import Diagnostics\n"
        "load_bundle('echo', Diagnostics())\n"
        "print({'jsonschema', 'referencing', 'pydantic'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_lines_of_a_bundle() -> None:
    lines = bundle_lines([("a/b.yaml", b"\xef\xbb\xbfx: 1\r\ny: \xff\rz\n")])
    assert lines("a/b.yaml") == ["x: 1", "y: �", "z", ""]
    assert lines("a/c.yaml") is None
