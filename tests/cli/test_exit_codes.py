"""The table of exit codes in docs/formats.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acme import BUNDLE
from tests.cli.conftest import Run

LOOK = '{"tool": "look", "args": {"path": "/srv/a"}}'
ASK = '{"tool": "start"}'
DENY = '{"tool": "save", "args": {"path": "/etc/x"}}'
BAD = '{"tool": "look", "args": {"path": "/a"}, "tool": "save"}'
NO_CALL = '{"tool": "look", "contxt": {}}'


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["eval", "--tool", "look", "--arg", "path=/srv/a"], 0),
        (["eval", "--tool", "start"], 4),
        (["eval", "--tool", "save", "--arg", "path=/etc/x"], 2),
        (["eval", "--tool", "save", "--context", "nonsense=1"], 2),
        (["eval", LOOK], 0),
        (["eval", ASK], 4),
        (["eval", DENY], 2),
        (["eval", BAD], 2),
        (["explain", LOOK], 0),
        (["explain", ASK], 4),
        (["explain", DENY], 2),
        (["explain", "--tool", "start"], 4),
        (["explain", NO_CALL], 2),
        (["explain", BAD], 1),
        (["eval"], 1),
        (["eval", "--arg", "a=1"], 1),
        (["eval", "--tool", "look", LOOK], 1),
        (["eval", "--tool", "look", "--arg", "a"], 1),
        (["eval", "--format", "yaml", LOOK], 1),
        (["eval", "no-such-file.jsonl"], 1),
        (["explain"], 1),
        (["explain", "no-such-file.jsonl"], 1),
        (["explain", "no-such-file.jsonl:3"], 1),
        (["eval", "--nonsense"], 1),
        (["--nonsense"], 1),
        (["nonsense"], 1),
        ([], 1),
        (["--help"], 0),
        (["--version"], 0),
        (["graph"], 0),
        (["graph", "-o", "no-such-folder/x.svg"], 1),
        (["graph", "-o", "x.png"], 1),
        (["graph", "ops"], 1),
    ],
)
def test_one_call_and_usage(run: Run, args: list[str], code: int) -> None:
    bundle = ["--bundle", str(BUNDLE)] if args and args[0] in ("eval", "explain", "graph") else []
    result = run(*args[:1], *bundle, *args[1:])
    assert result.exit_code == code, result.output
    if code == 1:
        assert result.stderr


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        ([], [], 0),
        ([LOOK], [], 0),
        ([DENY, ASK], [], 0),
        ([LOOK, BAD], [], 1),
        ([LOOK, NO_CALL], [], 1),
        ([LOOK, "nonsense"], ["--exit-on", "deny"], 1),
        ([DENY, NO_CALL], ["--exit-on", "deny"], 1),
        ([LOOK, ASK], ["--exit-on", "deny"], 0),
        ([ASK, DENY], ["--exit-on", "deny"], 2),
        ([LOOK], ["--exit-on", "ask"], 0),
        ([LOOK, ASK], ["--exit-on", "ask"], 4),
        ([ASK, DENY], ["--exit-on", "ask"], 2),
    ],
)
@pytest.mark.parametrize("source", ["file", "-"])
def test_many_calls(
    run: Run, tmp_path: Path, source: str, lines: list[str], options: list[str], code: int
) -> None:
    text = "".join(line + "\n" for line in lines)
    if source == "file":
        source = str(tmp_path / "calls.jsonl")
        Path(source).write_text(text)
    result = run("eval", "--bundle", BUNDLE, *options, source, input=text)
    assert result.exit_code == code, result.output


@pytest.mark.parametrize("command", ["eval", "explain", "graph", "lint", "test"])
def test_a_policy_that_cannot_be_used(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "bundle.yaml").write_text("kind: bundle\nname: x\n")
    if command in ("lint", "test"):
        result = run(command, tmp_path)
    else:
        call = [] if command == "graph" else [LOOK]
        result = run(command, "--bundle", tmp_path, *call)
    assert result.exit_code == 3
    assert "bundle.yaml:1:1: error[" in (result.stdout if command == "lint" else result.stderr)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ("approval: {mode: manual}\n", 0),
        ("approval: {mode: 3}\n", 3),
        ("approval: [\n", 3),
        (None, 3),
    ],
)
def test_settings(run: Run, tmp_path: Path, settings: str | None, code: int) -> None:
    path = tmp_path / "config.yaml"
    if settings is not None:
        path.write_text(settings)
    assert run("lint", BUNDLE, "--settings", path).exit_code == code
    result = run("eval", "--bundle", BUNDLE, "--settings", path, LOOK)
    assert result.exit_code == code
    assert (code == 3) == ("error[" in result.stderr)
