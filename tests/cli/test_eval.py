"""`callgate eval`: what it writes, where, in which form."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from callgate.cli import card, writers
from tests.acme import BUNDLE, CALLS, acme, golden
from tests.cli.conftest import Run


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """A file with all sample calls and three lines that are none."""
    path = tmp_path / "calls.jsonl"
    lines = [json.dumps({"id": name, **call}) for name, call in CALLS.items()]
    lines[3:3] = ['{"tool": "look",', "", '{"tool": "look", "context": {"chanel": "x"}}', "[]"]
    path.write_text("\n".join(lines) + "\n")
    return path


def masked(text: str) -> str:
    return re.sub(r"sha256:[0-9a-f]+", "sha256:0", text)


def test_pretty_is_a_table(run: Run, calls: Path) -> None:
    result = run("eval", "--bundle", BUNDLE, calls)
    shown = masked(result.stdout)
    assert shown == golden("eval/table.txt", shown)
    problems = result.stderr.replace(str(calls), "calls.jsonl")
    assert problems == golden("eval/problems.txt", problems)


@pytest.mark.parametrize("name", ["look", "private", "team", "broken"])
def test_pretty_of_one_call_is_a_card(run: Run, name: str) -> None:
    shown = masked(run("eval", "--bundle", BUNDLE, json.dumps(CALLS[name])).stdout)
    assert shown == golden(f"eval/{name}.txt", shown)


def test_json_lines_are_the_decisions(run: Run, calls: Path) -> None:
    result = run("eval", "--bundle", BUNDLE, "--format", "jsonl", calls)
    decisions = {told["id"]: told for told in map(json.loads, result.stdout.splitlines())}
    for name, call in CALLS.items():
        expected = json.loads(json.dumps(acme().decide({"id": name, **call}).to_dict()))
        if expected["error"]:
            expected["error"] |= {"file": str(calls), "line": decisions[name]["error"]["line"]}
        assert decisions[name] == expected
    assert len(result.stdout.splitlines()) == len(CALLS) + 3


def test_an_invalid_line_is_denied_with_its_place(run: Run, calls: Path) -> None:
    result = run("eval", "--bundle", BUNDLE, "--format", "jsonl", calls)
    broken = [
        (told["decision"], told["rule"], told["error"]["code"], told["error"]["line"])
        for told in map(json.loads, result.stdout.splitlines())
        if told["id"] is None
    ]
    assert broken == [
        ("deny", "builtin.error", "R001", 4),
        ("deny", "builtin.error", "R002", 6),
        ("deny", "builtin.error", "R001", 7),
    ]
    assert [line.split(": ")[0].rsplit(":", 2)[1:] for line in result.stderr.splitlines()][:3] == [
        ["4", "17"],
        ["6", "1"],
        ["7", "1"],
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_json_is_one_object_or_an_array(run: Run, count: int) -> None:
    lines = '{"tool": "look", "args": {"path": "/a"}}\n' * count
    result = run("eval", "--bundle", BUNDLE, "--format", "json", "-", input=lines)
    document = json.loads(result.stdout)
    assert isinstance(document, dict) == (count == 1)
    if count != 1:
        assert len(document) == count


def test_calls_carry_their_own_settings(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("approval: {mode: off}\n")
    lines = '{"tool": "start"}\n{"tool": "start", "settings": {"approval": {"mode": "manual"}}}\n'
    result = run(
        "eval", "--bundle", BUNDLE, "--settings", config, "--format", "jsonl", "-", input=lines
    )
    rules = [json.loads(line)["rule"] for line in result.stdout.splitlines()]
    assert rules == ["off.all", "human.pending"]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["x"], ["1", "named", "3"]),
        (["x", "y"], ["x.jsonl:1", "named", "x.jsonl:3", "y.jsonl:1", "named", "y.jsonl:3"]),
        (["x", "x"], ["{0}/x.jsonl:1", "named", "{0}/x.jsonl:3"] * 2),
    ],
)
def test_calls_of_several_files_are_told_apart(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folders: list[str], names: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [Path(str(index)) / f"{name}.jsonl" for index, name in enumerate(folders)]
    for file in files:
        file.parent.mkdir()
        file.write_text('{"tool": "look"}\n{"id": "named", "tool": "look"}\n{"tool": "look"}\n')
    shown = run("eval", "--bundle", BUNDLE, *files).stdout.splitlines()[1:-2]
    assert [row.split()[0] for row in shown] == [
        name.format(index // 3) for index, name in enumerate(names)
    ]


def test_no_calls_are_counted_as_none(run: Run) -> None:
    assert run("eval", "--bundle", BUNDLE, "-", input="").stdout.splitlines()[-1] == "0 calls"


def test_what_is_wrong_comes_with_help(run: Run) -> None:
    result = run("eval", "--bundle", BUNDLE, "-", input='{"tool": "a", "tool": "b"}\n')
    assert result.stderr.splitlines()[1].startswith("  help: write each key once")


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ({"kind": "run", "program_path": "ls", "words": ["-l", None]}, "runs ls -l …"),
        ({"kind": "read", "path": None, "tree": True}, "reads (not known) and all below it"),
        (
            {"kind": "sql", "statement": "drop", "tables": ["a", None], "has_where": False},
            "SQL: drop on a, …",
        ),
        ({"kind": "read", "path": "/a", "tree": False, "certain": False}, "perhaps reads /a"),
    ],
)
def test_what_is_not_known_of_an_effect(form: dict[str, Any], shown: str) -> None:
    unknown = ["path"] if form.get("path", "") is None else []
    assert card._effect({"certain": True, **form, "unresolved": unknown}) == shown


def test_half_a_character_is_no_text(run: Run) -> None:
    line = '{"id": "a", "tool": "look\\ud800", "args": {"path": "/\\ud83d\\ude00"}}\n'
    result = run("eval", "--bundle", BUNDLE, "--format", "jsonl", "-", input=line)
    assert json.loads(result.stdout)["error"]["message"].startswith("half of a surrogate pair")
    whole = line.replace("\\ud800", "")
    assert run("eval", "--bundle", BUNDLE, "--format", "jsonl", "-", input=whole).exit_code == 0


def test_rows_of_a_block_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    from callgate.cli.paint import Painter

    table = writers.Table(Painter(), live=False)
    for tool in ("a", "日本語", "x" * 40):
        told = {"id": None, "decision": "deny", "called_as": tool, "rule": "r", "reason": "why"}
        table.write({**told, "error": None}, "1")
    table.close()
    head, *rows, _, total = capsys.readouterr().out.splitlines()
    assert total == "3 calls: 3 deny"
    assert {row.index("why") + sum(ord(char) > 0x2E7F for char in row) for row in rows} == {
        head.index("REASON")
    }


def test_the_command_line_says_how_to_write_what_is_no_text(run: Run) -> None:
    given = run("eval", "--bundle", BUNDLE, "--tool", "start", "--arg", "count=5")
    assert "`--arg count:=5`" in given.stderr
    call = {"tool": "start", "args": {"count": "5"}}
    assert ":=" not in run("eval", "--bundle", BUNDLE, json.dumps(call)).stderr
