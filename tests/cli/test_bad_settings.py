"""Settings files that are no settings files: diagnostics, and never a traceback."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.acme import BUNDLE
from tests.cli.conftest import Run

STRANGERS = ", ".join(f"stranger_{number}" for number in range(1_000))
UNKNOWN = "".join(f"stranger_{number}: 1\n" for number in range(1_000))

BAD: dict[str, tuple[str | bytes, set[str]]] = {
    # A file, and the codes of what is found in it.
    "unknown keys": (UNKNOWN, {"E005"}),
    "too many unknown keys": (UNKNOWN + UNKNOWN.replace("r_", "s_"), {"E005"}),
    "unknown keys in a section": ("approval:\n" + UNKNOWN.replace("str", "  str"), {"E005"}),
    "unknown dotted keys": (UNKNOWN.replace("_", "."), {"E005"}),
    "unknown tools": (f"approval: {{blocked: [{STRANGERS}]}}", {"E006"}),
    "wrong types": (f"approval: {{blocked: [{'1, ' * 10_000}]}}", {"E002"}),
    "duplicate keys": ("approval: {}\n" * 10_000, {"Y002"}),
    "a cyclic alias": ("approval: &a\n  blocked: *a\n", {"Y005"}),
    "aliases of aliases": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{c}: &{c} [{f'*{b}, ' * 9}]\n" for b, c in zip("abcdefg", "bcdefgh", strict=True)
        ),
        {"Y005", "E005"},
    ),
    "an alias of nothing": ("approval: *a\n", {"Y005"}),
    "a list": ("- approval\n", {"E002"}),
    "a text": ("approval\n", {"E002"}),
    "a number": ("3\n", {"E002"}),
    "a list where a mapping is due": ("approval: [mode, manual]\n", {"E002"}),
    "a mapping where a list is due": ("approval: {blocked: {start: true}}\n", {"E002"}),
    "open brackets": ("approval: " + "[" * 5_000, {"Y012"}),
    "deep nesting": ("approval: " + "{a: " * 3_000 + "1" + "}" * 3_000, {"Y012"}),
    "deep indentation": (
        "".join("  " * depth + "a:\n" for depth in range(200)),
        {"Y012"},
    ),
    "5 MB": ("approval:\n  blocked:\n" + "    - start\n" * 420_000, {"Y009"}),
    "a long key": ("? " + "x" * 100_000 + "\n: 1\n", {"E005"}),
    "a long line": ("approval: {mode: " + "x" * 100_000 + "}\n", {"E003"}),
    "two documents": ("approval: {}\n---\napproval: {}\n", {"Y010"}),
    "nothing": ("", {"Y008"}),
    "a comment": ("# approval: {}\n", {"Y008"}),
    "null": ("~\n", {"Y008"}),
    "no UTF-8": (b"approval: \xff\n", {"Y007"}),
    "UTF-16": ("approval: {}\n".encode("utf-16"), {"Y007"}),
    "control characters": (bytes(range(32)), {"Y001", "E002"}),
    "tabs": ("approval:\n\tmode: manual\n", {"Y006"}),
    "keys that are no texts": ("approval: {1: a, true: b, [a]: c, ~: d}\n", {"Y011"}),
    "a tag": ("approval: !!python/object:os.system {}\n", {"Y003"}),
    "a merge key": ("approval: {<<: {mode: manual}}\n", {"Y004"}),
}


@pytest.mark.parametrize("name", BAD)
def test_lint_says_what_is_wrong(run: Run, tmp_path: Path, name: str) -> None:
    content, codes = BAD[name]
    file = tmp_path / "config.yaml"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    result = run("lint", BUNDLE, "--settings", file, "--format", "json")
    found = [item for item in json.loads(result.stdout) if item["file"] == str(file)]
    assert {item["code"] for item in found} == codes
    assert result.exit_code == (3 if any(item["severity"] == "error" for item in found) else 0)
    assert len(found) <= 1_001
    for item in found:
        assert item["line"] >= 1 and item["column"] >= 1
        assert len(item["message"]) < 300 and len(item["help"]) < 500
    pretty = run("lint", BUNDLE, "--settings", file)
    assert pretty.exit_code == result.exit_code
    assert max(map(len, pretty.stdout.splitlines())) < 600


@pytest.mark.parametrize("name", ["a cyclic alias", "a list", "open brackets", "wrong types"])
def test_other_commands_refuse_them(run: Run, tmp_path: Path, name: str) -> None:
    content, _ = BAD[name]
    assert isinstance(content, str)
    file = tmp_path / "config.yaml"
    file.write_text(content)
    for command in (["eval", "--tool", "look"], ["explain", "{}"], ["graph"]):
        result = run(command[0], "--bundle", BUNDLE, "--settings", file, *command[1:])
        assert result.exit_code == 3
        assert "the settings can't be used: " in result.stderr


def test_unknown_keys_are_no_obstacle(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(UNKNOWN)
    result = run("eval", "--bundle", BUNDLE, "--settings", file, "--tool", "look")
    assert "1000 warnings" in result.stderr
    assert result.exit_code in (0, 2, 4)


def test_scraps_of_settings(run: Run, tmp_path: Path) -> None:
    """Cut and shuffled pieces of a good file."""
    text = (Path(__file__).parents[2] / "docs/samples/config.yaml").read_text()
    file = tmp_path / "config.yaml"
    chance = random.Random(20261201)
    for _ in range(40):
        lines = text.splitlines(keepends=True)
        start = chance.randrange(len(lines))
        piece = lines[start : start + chance.randrange(1, 12)]
        chance.shuffle(piece)
        file.write_text("".join(piece)[chance.randrange(4) :])
        assert run("lint", BUNDLE, "--settings", file).exit_code in (0, 3)
