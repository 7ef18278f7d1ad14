"""Bundles that extend bundles: whose files are read, how they are shown, what can't be extended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from callgate.load.bundle import load_bundle
from callgate.load.files import read_bundle_bytes, read_layers
from callgate.model.diagnostic import Diagnostics, PolicyError

GUARDS = "kind: guards\nrules: []\n"


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, extends: str = "", files: str = "[a.yaml]", **texts: str) -> Path:
    """A bundle in the folder of this name, with one file of guards."""
    root = Path(name)
    root.mkdir(parents=True, exist_ok=True)
    said = f"extends: {extends}\n" if extends else ""
    head = f"kind: bundle\nname: {root.name}\nversion: '1'\ntitle: T\n"
    (root / "bundle.yaml").write_text(f"{head}{said}files: {files}\n")
    for file, text in (texts or {"a": GUARDS}).items():
        (root / f"{file}.yaml").write_text(text)
    return root


def problems(where: str) -> list[str]:
    diagnostics = Diagnostics()
    load_bundle(where, diagnostics)
    return [f"{d.span}: {d.code} {d.message} | {d.help}" for d in diagnostics.sorted()]


def test_the_files_of_the_base_follow_ones_own() -> None:
    write("one/base")
    write("one/mid", "../base")
    write("two/own", "../../one/mid")
    layers = read_layers("two/own")
    shown = [[file for file, _ in layer] for layer in layers]
    assert shown == [
        ["two/own/bundle.yaml", "two/own/a.yaml"],
        ["one/mid/bundle.yaml", "one/mid/a.yaml"],
        ["one/base/bundle.yaml", "one/base/a.yaml"],
    ]
    assert read_bundle_bytes("two/own") == [file for layer in layers for file in layer]


def test_an_embedded_bundle_is_extended_by_its_name() -> None:
    write("own", "echo")
    Path("echo").mkdir()
    own, base = read_layers("own")
    assert len(own) == 2
    assert base == read_bundle_bytes("echo")
    diagnostics = Diagnostics()
    bundle = load_bundle("own", diagnostics)
    assert bundle is not None
    assert [(b.name, b.version) for b in bundle.extends] == [("echo", "1.0.0")]
    assert not diagnostics.has_errors


@pytest.mark.parametrize(
    ("here", "where", "base"),
    [
        (".", "team/own", "team/base"),
        (".", "TMP/team/own", "team/base"),
        ("team", "own", "base"),
        ("team/own", "./", "../base"),
        ("other", "../team/own", "../team/base"),
        ("other", "TMP/team/own", "TMP/team/base"),
        # `own` is elsewhere, and so is what lies beside it.
        ("other", "./link", "TMP/team/base"),
    ],
)
def test_the_files_of_the_base_are_shown_as_if_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, where: str, base: str
) -> None:
    write("team/base")
    write("team/own", "../base")
    Path("other").mkdir()
    Path("other/link").symlink_to(tmp_path / "team" / "own")
    monkeypatch.chdir(tmp_path / here)
    _, files = read_layers(where.replace("TMP", str(tmp_path)))
    assert [file for file, _ in files] == [
        f"{base}/{name}.yaml".replace("TMP", str(tmp_path)) for name in ("bundle", "a")
    ]
    assert all(Path(file).read_bytes() == data for file, data in files)
    assert problems(where.replace("TMP", str(tmp_path))) == []


CIRCLE = "these bundles extend one another"


@pytest.mark.parametrize(
    ("extends", "message"),
    [
        ("../own", "5:10: Y017 the bundle extends itself | name another"),
        (".", "5:10: Y017 the bundle extends itself"),
        ("./in", "5:10: Y017 `./in` can't be extended: one of the two folders lies in the other"),
        ("..", "5:10: Y017 `..` can't be extended: one of the two folders lies in the other"),
        ("../bas", "5:10: Y016 there is no bundle or folder `../bas` | there is one in `base`"),
        ("../empty", "5:10: Y016 there is no `bundle.yaml` in `../empty` | give the folder"),
        ("../base/a.yaml", "5:10: Y016 `../base/a.yaml` is no folder"),
        ("ecco", "5:10: Y016 there is no bundle or folder `ecco` | did you mean `echo`?"),
        ("nowhere", "5:10: Y016 there is no bundle or folder `nowhere` | the embedded bundles are"),
        ('"\\0"', "5:10: Y016 "),
        ("../ring", f"5:10: Y017 `own` extends `ring` extends `own`: {CIRCLE}"),
        ("3", "5:10: S003 expected a string"),
        ('""', "5:10: S004 "),
    ],
)
def test_what_can_not_be_extended(extends: str, message: str) -> None:
    write("base")
    Path("empty").mkdir()
    write("own", extends)
    write("ring", "../own")
    if extends == "./in":
        write("own/in")
    if extends == "..":
        write(".")
    found = [line for line in problems("own") if " Y015 " not in line]
    where = "ring/bundle.yaml" if "ring" in extends else "own/bundle.yaml"
    assert len(found) == 1, found
    assert found[0].startswith(f"{where}:{message}")
    if "Y01" in message:
        with pytest.raises(PolicyError):
            read_layers("own")


def test_a_key_with_escapes_is_read_all_the_same() -> None:
    write("base")
    own = write("own")
    text = (own / "bundle.yaml").read_text()
    (own / "bundle.yaml").write_text(text + '"\\x65xtends": ../base\n')
    assert [layer[0][0] for layer in read_layers("own")] == ["own/bundle.yaml", "base/bundle.yaml"]


def test_what_a_line_seems_to_say_is_compared_with_the_manifest() -> None:
    write("base")
    write("other")
    own = write("own")
    text = (own / "bundle.yaml").read_text()
    # No key, but a part of a text.
    hidden = text.replace("title: T", 'title: "\nextends: ../base\n "')
    (own / "bundle.yaml").write_text(hidden)
    diagnostics = Diagnostics()
    bundle = load_bundle("own", diagnostics)
    assert bundle is not None
    assert (bundle.extends, diagnostics.items) == ((), [])
    (own / "bundle.yaml").write_text(hidden + '"extends": ../other\n')
    assert [line.partition(" | ")[0] for line in problems("own")] == [
        "own/bundle.yaml:8:12: Y016 the bundle `../other` was not read",
    ]


def test_a_base_that_was_not_read_is_an_error() -> None:
    write("base")
    write("own", "../base")
    diagnostics = Diagnostics()
    load_bundle("own", diagnostics, read_layers("own")[:1])
    assert [item.code for item in diagnostics] == ["Y016"]


def test_what_is_wrong_in_the_base_is_reported_once_and_there() -> None:
    write("base", files="[a.yaml, b.yaml]", a="kind: guards\nrules: [{id: 3}]\n", c=GUARDS)
    write("own", "../base", a="kind: guards\nrules: 3\n")
    found = [line.partition(" | ")[0] for line in problems("own")]
    assert [line.split()[:2] for line in found] == [
        ["base/a.yaml:2:10:", "S002"],
        ["base/a.yaml:2:10:", "S002"],
        ["base/a.yaml:2:10:", "S002"],
        ["base/a.yaml:2:14:", "S003"],
        ["base/bundle.yaml:5:1:", "Y015"],
        ["base/bundle.yaml:5:17:", "Y014"],
        ["own/a.yaml:2:8:", "S003"],
    ]


def test_a_base_without_a_usable_manifest(tmp_path: Path) -> None:
    write("base")
    (tmp_path / "base" / "bundle.yaml").write_text("kind: bundle\n")
    write("own", "../base")
    assert {line.partition(":")[0] for line in problems("own")} == {"base/bundle.yaml"}


def test_unlisted_files_of_both_are_reported() -> None:
    write("base", a=GUARDS, more=GUARDS)
    write("own", "../base", a=GUARDS, other=GUARDS)
    assert [line.partition(" | ")[0] for line in problems("own")] == [
        "base/bundle.yaml:5:1: Y015 `more.yaml` is there, but not listed",
        "own/bundle.yaml:6:1: Y015 `other.yaml` is there, but not listed",
    ]


def test_yaml_is_read_early_only_where_no_line_says_what_is_extended() -> None:
    write("own", "echo  # the runtime")
    write("quoted", '"echo"')
    for where, imported in (("echo", False), ("own", False), ("quoted", True)):
        code = (
            "import sys; from callgate.load.files import read_layers\n"
            f"assert read_layers('{where}')\n"
            "print('yaml' in sys.modules, 'jsonschema' in sys.modules)\n"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.stdout.split() == [str(imported), "False"], run.stderr
