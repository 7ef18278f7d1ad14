"""Entries go to the end of a file that has such entries, or into a file of their own."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from callgate.scaffold.adding import Addition, Member, planned, write
from callgate.scaffold.entries import new_program, new_rule, new_tool

MANIFEST = "kind: bundle\nname: shop\nversion: '1'\ntitle: Shop\nfiles: [{}]\n"
GUARDS = """\
# Ours.
kind: guards
rules:
  - id: shop.a
    title: A
    decide: deny
    each: w in effects.write
    reason: no # yet
"""


def rule(id_: str = "shop.b") -> Addition:
    return new_rule(id_, "B", "ask", "delete", "", "b", ["rm b"], [])


def add(folder: Path, additions: list[Addition | Member]) -> list[Path]:
    texts = planned(folder, additions)
    write(texts)
    return list(texts)


def bundle(folder: Path, **files: str) -> Path:
    names = {name.replace("_", "/") + ".yaml": dedent(text) for name, text in files.items()}
    for name, text in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "bundle.yaml").write_text(MANIFEST.format(", ".join(names)))
    return folder


ADDED = """\

  - id: shop.b
    title: B
    decide: ask
    each: d in effects.delete
    reason: b
    examples:
      match: [rm b]
"""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("guards_shop", GUARDS),
        ("rules", GUARDS),
        ("rules", GUARDS.rstrip()),
        ("rules", GUARDS + "\n\n"),
    ],
)
def test_a_rule_joins_those_of_its_first_word(file: str, text: str, tmp_path: Path) -> None:
    folder = bundle(tmp_path, **{file: text})
    before = (folder / "bundle.yaml").read_text()
    (written,) = add(folder, [rule()])
    assert written.read_text() == GUARDS + ADDED
    assert (folder / "bundle.yaml").read_text() == before


def test_a_rule_of_another_word_gets_a_file(tmp_path: Path) -> None:
    folder = bundle(tmp_path, rules=GUARDS)
    written = add(folder, [rule("files.b")])
    assert [path.relative_to(folder) for path in written] == [
        Path("guards/files.yaml"),
        Path("bundle.yaml"),
    ]
    assert written[0].read_text() == "kind: guards\n\nrules:" + ADDED.replace("shop.b", "files.b")
    assert written[1].read_text() == MANIFEST.format("rules.yaml, guards/files.yaml")


def test_a_file_that_goes_on_after_its_list_is_left_alone(tmp_path: Path) -> None:
    rules = "[{id: shop.a, title: A, decide: deny, each: w in effects.write, reason: n}]"
    text = f"rules: {rules}\nkind: guards\n"
    folder = bundle(tmp_path, rules=text)
    add(folder, [rule()])
    assert (folder / "rules.yaml").read_text() == text
    assert (folder / "guards" / "shop.yaml").is_file()


@pytest.mark.parametrize(
    ("files", "longer"),
    [
        ("files: [a.yaml]\n", "files: [a.yaml, tools.yaml]\n"),
        (
            "files:\n  - a.yaml  # first\ntags: []\n",
            "files:\n  - a.yaml  # first\n  - tools.yaml\ntags: []\n",
        ),
        ("files:\n- 'a.yaml'", "files:\n- 'a.yaml'\n- tools.yaml"),
        ("files: [\n  a.yaml,\n]\n", "files: [\n  a.yaml, tools.yaml,\n]\n"),
    ],
)
def test_manifests_keep_their_layout(files: str, longer: str, tmp_path: Path) -> None:
    head = "kind: bundle\nname: shop\nversion: '1'\ntitle: Shop\n"
    files, longer = (
        files.replace("tags: []\n", "description: d\n"),
        longer.replace("tags: []\n", "description: d\n"),
    )
    (tmp_path / "bundle.yaml").write_text(head + files)
    (tmp_path / "a.yaml").write_text(GUARDS)
    add(tmp_path, [new_tool("t", "T", [], {}, {})])
    assert (tmp_path / "bundle.yaml").read_text() == head + longer


def test_a_tool_and_its_risk(tmp_path: Path) -> None:
    folder = bundle(tmp_path, risk="kind: risk-map\ntools:\n  low: [look]\n")
    for name, level in (("save", "low"), ("send", "high")):
        tool = new_tool(name, name, ["fs.write"], {"to": "string"}, {"write": {"path": "args.to"}})
        add(folder, [tool, Member("risk-map", "tools", level, name, "risk.yaml")])
    assert (folder / "risk.yaml").read_text() == (
        "kind: risk-map\ntools:\n  low: [look, save]\n  high: [send]\n"
    )
    assert (folder / "tools.yaml").read_text().count("- write: {path: args.to}") == 2


def test_what_is_there_already_changes_nothing(tmp_path: Path) -> None:
    folder = bundle(tmp_path, rules=GUARDS)
    with pytest.raises(ValueError, match=r"`shop.a` is there already, in .*rules.yaml"):
        add(folder, [new_program("p", {}), rule("shop.a")])
    assert sorted(path.name for path in folder.iterdir()) == ["bundle.yaml", "rules.yaml"]


def test_a_file_in_the_way(tmp_path: Path) -> None:
    folder = bundle(tmp_path, rules=GUARDS)
    (folder / "tools.yaml").write_text("kind: tools\n")
    with pytest.raises(ValueError, match="choose another file"):
        add(folder, [new_tool("t", "T", [], {}, {})])
    assert (folder / "tools.yaml").read_text() == "kind: tools\n"
