"""`callgate new`: what it adds to a bundle, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

FOLDER = Path("policies/shop")
INSIDE = {"tool": "write_file", "args": {"path": "/srv/prices/a", "content": "x"}}
OUTSIDE = {"tool": "write_file", "args": {"path": "/srv/agent/notes/a", "content": "x"}}


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """A small bundle, which the configuration names."""
    monkeypatch.chdir(tmp_path)
    assert run("init", str(FOLDER), "--template", "minimal").exit_code == 0


def texts() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(FOLDER.rglob("*.yaml"))}


RULE = ["rule", "shop.prices", "--decide", "deny", "--severity", "high", "--each", "write"]
ADDED = [
    (
        [*RULE, "--when", 'w.path under "/srv/prices"', "--reason", "prices: made by others",
         "--match", json.dumps(INSIDE), "--pass", json.dumps(OUTSIDE)],
        "guards/shop.yaml",
        "next: callgate test",
    ),
    (["rule", "shop.all", "--each", "delete"], "guards/shop.yaml", "write its condition, its "
     "severity, its reason, calls that it must match and pass; see `callgate lint`"),
    (["rule", "notes.more", "--decide", "note", "--each", "d in effects.delete"], "guards.yaml",
     "its condition, its reason"),
    (["tool", "order.status", "--param", "order:string", "--risk", "look"], "risk.yaml",
     "describe its arguments; say what it does"),
    (["tool", "save", "--param", "to:string", "--effect", "write.path=to", "--risk", "danger"],
     "tools.yaml", "describe its arguments; add a test"),
    (["program", "shipctl", "--effect", "write=path"], "programs/shipctl.yaml", "its options"),
    (["program", "7z.2+x"], "programs/7z.2+x.yaml", "its options"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "file", "next_"), ADDED)
def test_what_is_added_loads_and_is_in_the_layout(
    args: list[str], file: str, next_: str, run: Run
) -> None:
    before = texts()
    result = run("new", *args)
    assert result.exit_code == 0, result.output
    assert next_ in result.stdout.splitlines()[1]
    changed = [path for path, data in texts().items() if before.get(path) != data]
    assert str(FOLDER / file) in changed
    assert sorted(result.stdout.splitlines()[0].partition(" to ")[2].split(", ")) == changed
    assert run("fmt", "--check", FOLDER).exit_code == 0
    assert "error" not in run("lint").stdout
    assert run("test", "-q").exit_code == 0


def test_what_is_not_in_the_layout_stays_as_it_is_written(run: Run) -> None:
    path = FOLDER / "guards.yaml"
    before = path.read_text().replace("kind: guards", "kind:   guards")
    path.write_text(before)
    assert run("new", "rule", "notes.more", "--each", "delete").exit_code == 0
    assert path.read_text().startswith(before)
    assert run("fmt", "policies").exit_code == 0
    assert path.read_text().startswith(before.replace("kind:   guards", "kind: guards"))
    assert path.read_text().endswith(path.read_text().removeprefix(before)[-200:])


def test_lint_tells_what_is_still_to_do(run: Run) -> None:
    assert run("new", "rule", "shop.prices", "--decide", "deny", "--each", "write").exit_code == 0
    found = run("lint").stdout
    for code in ("L301", "L317", "L321"):
        assert f"[{code}]" in found


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["rule", "notes.outside", "--each", "write"], "`notes.outside` is there already, in"),
        (["rule", "a b", "--each", "write"], "`a b` is not a valid id; a dotted name"),
        (["rule", "../x.y", "--each", "write"], "`../x.y` is not a valid id"),
        (["rule", "", "--each", "write"], "`` is not a valid id"),
        (["rule", "a.\x1b", "--each", "write"], "is not a valid id"),
        (["rule", "a.b", "--each", "wrte"], "`effects`; did you mean `write`?"),
        (["rule", "a.b", "--each", "write", "--decide", "den"],
         "`den` is not a decision of a guard; did you mean `deny`?"),
        (["rule", "a.b", "--each", "write", "--decide", "allow"], "there are deny, ask, note"),
        (["rule", "a.b", "--each", "write", "--severity", "hihg"], "did you mean `high`?"),
        (["rule", "a.b", "--each", "write", "--when", 'w.pth under "/x"'], "did you mean `path`?"),
        (["rule", "a.b", "--each", "write", "--when", "w.path under"], "a value is missing"),
        ([*RULE, "--when", 'w.path under "/srv/prices"', "--match", json.dumps(OUTSIDE)],
         "`shop.prices` does not fire on this example"),
        ([*RULE, "--match", "rm a"], "nothing says what an example that is a text stands for"),
        ([*RULE, "--match", "{a"], "`{a` is no JSON"),
        (["rule", "a.b"], "--each"),
        (["tool", "read_file"], "`read_file` is there already, in"),
        (["tool", "a b"], "`a b` can't be a tool's name"),
        (["tool", "a\x1b"], r"`a\e` can't be a tool's name"),
        (["tool", "a", "--param", "x:strin"], "a type of JSON; did you mean `string`?"),
        (["tool", "a", "--param", "x"], "`x`: say which type it has"),
        (["tool", "a", "--effect", "wrte.path=x", "--param", "x:string"], "did you mean `write`?"),
        (["tool", "a", "--effect", "write.pth=x", "--param", "x:string"], "did you mean `path`?"),
        (["tool", "a", "--effect", "write.path=y", "--param", "yy:string"], "did you mean `yy`?"),
        (["tool", "a", "--risk", "lok"], "there is no risk level `lok`; did you mean `look`?"),
        (["tool", "a", "--capability", "fs.raed"], "fs.read"),
        (["program", "../a"], "`../a` can't be a program's name"),
        (["program", "a b"], "`a b` can't be a program's name"),
        (["program", "a", "--effect", "wrte=path"], "did you mean `write`?"),
        (["program", "a", "--effect", "write=pth"], "did you mean `path`?"),
        (["rule", "a.b", "--each", "write", "--bundle", "."], "`.` is no bundle's folder"),
        (["tol", "a"], "did you mean `tool`?"),
    ],
)  # fmt: skip
def test_refused_with_one_message(args: list[str], told: str, run: Run) -> None:
    before = texts()
    result = run("new", *args)
    assert result.exit_code == 1, result.output
    lines = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1
    assert told in lines[0]
    assert result.stdout == ""
    assert texts() == before


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            ["rule", "notes.outside", "--each", "write"],
            "the rule `notes.outside` is inherited from",
        ),
        (["tool", "read_file"], "the tool `read_file` is inherited from"),
    ],
)
def test_what_is_inherited_is_refused(args: list[str], told: str, run: Run) -> None:
    ours = Path("policies/ours")
    ours.mkdir()
    manifest = (
        "kind: bundle\nname: ours\nversion: 0.1.0\ntitle: Ours\nextends: ../shop\nfiles: []\n"
    )
    (ours / "bundle.yaml").write_text(manifest)
    result = run("new", *args, "--bundle", ours)
    assert result.exit_code == 1
    assert told in result.stderr
    assert [path.name for path in ours.iterdir()] == ["bundle.yaml"]


def test_errors_of_others_do_not_keep_it_from_adding(run: Run) -> None:
    path = FOLDER / "guards.yaml"
    path.write_text(path.read_text().replace("w.path under", "w.pth under"))
    result = run("new", "tool", "save")
    assert result.exit_code == 3
    assert "the bundle had errors before" in result.stdout
    assert "  save:\n" in (FOLDER / "tools.yaml").read_text()
    refused = run("new", "rule", "notes.b", "--each", "wrte")
    assert refused.exit_code == 1
    assert "did you mean `write`?" in refused.stderr
    assert "pth" not in refused.stderr


def test_a_file_that_can_not_be_read_has_to_be_mended_first(run: Run) -> None:
    (FOLDER / "guards.yaml").write_text("kind: guards\nrules: [\n")
    result = run("new", "rule", "notes.b", "--each", "write")
    assert result.exit_code == 1
    assert "policies/shop has to be mended first: policies/shop/guards.yaml:" in result.stderr


def test_which_bundle_has_to_be_known(run: Run) -> None:
    Path(".callgate.yaml").write_text("bundles: [echo, policies/shop, policies/other]\n")
    result = run("new", "tool", "save")
    assert result.exit_code == 1
    assert "say which bundle: --bundle DIR" in result.stderr
    Path(".callgate.yaml").write_text("bundles: [echo, policies/shop]\n")
    assert run("new", "tool", "save").exit_code == 0
