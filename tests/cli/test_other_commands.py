"""`explain`, `lint`, `test` and `graph`: what they write."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.acme import BUNDLE, CALLS, acme
from tests.cli.conftest import Run


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the bundle that a test may spoil."""
    return Path(shutil.copytree(BUNDLE, tmp_path / "acme"))


def spoil(bundle: Path, file: str, old: str, new: str) -> None:
    path = bundle / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_explain_takes_a_call_from_anywhere(run: Run, tmp_path: Path) -> None:
    call = json.dumps(CALLS["private"])
    path = tmp_path / "calls.jsonl"
    path.write_text('{"tool": "look"}\n\n' + call + "\n")
    one = tmp_path / "call.json"
    one.write_text(json.dumps(CALLS["private"], indent=2))
    inline = run("explain", "--bundle", BUNDLE, call)
    assert inline.stdout.startswith("✕ deny    save path=/etc/hosts\n")
    for source in (f"{path}:3", one):
        assert run("explain", "--bundle", BUNDLE, source).stdout == inline.stdout
    assert run("explain", "--bundle", BUNDLE, "-", input=call).stdout == inline.stdout


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("calls.jsonl", "holds several calls; name one as {path}:LINE"),
        ("calls.jsonl:2", "there is no call on line 2"),
        ("calls.jsonl:99", "there is no call on line 99"),
        ("empty.jsonl", "there is no call in"),
    ],
)
def test_explain_wants_one_call(run: Run, tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "calls.jsonl").write_text('{"tool": "look"}\n\n{"tool": "save"}\n')
    (tmp_path / "empty.jsonl").write_text("\n")
    result = run("explain", "--bundle", BUNDLE, tmp_path / source)
    assert result.exit_code == 1
    assert message.format(path=tmp_path / "calls.jsonl") in result.stderr


def test_explain_as_json(run: Run) -> None:
    result = run("explain", "--bundle", BUNDLE, "--format", "json", json.dumps(CALLS["blocked"]))
    told = json.loads(result.stdout)
    assert told["rule"] == "blocked.listed"
    assert told["steps"][0]["state"] == "decided"
    assert [item["decision"] for item in told["why_not"]] == ["allow", "ask"]


def test_the_tests_of_acme_pass(run: Run) -> None:
    result = run("test", BUNDLE, "--coverage")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith("cases/acme/tests.yaml .......")
    assert result.stdout.splitlines()[-1] == "acme: 7 passed, 4 guard examples, 1 invariant held"
    assert "  tiers.team " in result.stdout


def test_a_failing_test_is_shown_with_its_place(run: Run, copy: Path) -> None:
    spoil(
        copy, "tests.yaml", "rule: tiers.look, called_as: cat", "rule: tiers.team, called_as: cat"
    )
    result = run("test", copy)
    assert result.exit_code == 3
    assert "acme/tests.yaml F......" in result.stdout
    assert "/acme/tests.yaml:3  looking is allowed" in result.stdout
    assert "  rule            expected tiers.team   got tiers.look" in result.stdout
    assert "What anybody may do" in result.stdout
    told = json.loads(run("test", copy, "--format", "json").stdout)
    assert (told["passed"], told["failed"]) == (6, 1)
    assert told["failures"][0]["wrong"] == [
        {"key": "rule", "expected": "tiers.team", "actual": "tiers.look"}
    ]


def test_a_violated_invariant_fails(run: Run, copy: Path) -> None:
    spoil(copy, "invariants.yaml", "call.tool in settings.approval.blocked", "risk == low")
    result = run("test", copy)
    assert result.exit_code == 3
    assert "  invariant       never.private: What is private is never written" in result.stdout


def test_a_graph_goes_where_it_should(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    drawn = run("graph", "--bundle", BUNDLE).stdout
    assert drawn.startswith("<svg ")
    assert run("graph", "--bundle", BUNDLE, "-o", path).stdout == ""
    assert path.read_text("utf-8") == drawn
    text = run("graph", "--bundle", BUNDLE, "--format", "json").stdout
    assert text.encode() == acme().graph.to_json() + b"\n"


@pytest.mark.parametrize(
    ("name", "options", "start"),
    [
        ("x.svg", [], "<svg "),
        ("x.DOT", [], "digraph "),
        ("x.mmd", [], "flowchart "),
        ("x.mermaid", [], "flowchart "),
        ("x.json", [], '{"aliases":'),
        ("x", [], "<svg "),
        ("x.png", ["--format", "dot"], "digraph "),
        ("x.svg", ["--format", "dot"], "digraph "),
    ],
)
def test_a_graph_is_written_as_its_file_is_called(
    run: Run, tmp_path: Path, name: str, options: list[str], start: str
) -> None:
    run("graph", "--bundle", BUNDLE, "-o", tmp_path / name, *options)
    assert (tmp_path / name).read_text("utf-8").startswith(start)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["graph", "ops"], "`graph` takes no argument `ops`; did you mean `--bundle ops`?"),
        (["graph", "-o", "x.png"], "`.png` names no format (.svg, .dot, .mmd, .mermaid, .json)"),
        (["eval"], "no calls: name files, `-` for standard input, or a --tool"),
        (["eval", "--tool", "look", "-"], "give either CALLS or --tool, not both"),
        (["evl"], "`evl` is not a command; did you mean `eval`?"),
        (["Grpah", "x"], "did you mean `graph`?"),
        (
            ["nonsense"],
            "`nonsense` is not a command: eval, explain, tools, status, lint, fmt, test",
        ),
    ],
)
def test_usage_errors_say_what_to_do(run: Run, args: list[str], message: str) -> None:
    result = run(*args)
    assert result.exit_code == 1
    assert message in result.stderr


@pytest.mark.parametrize("command", ["eval", "explain", "lint", "test", "graph"])
def test_every_help_has_examples(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert f"  callgate {command}" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
