"""`tools` and `status`: what they write, and what they refuse."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from callgate.analysis.tool_rows import known_tools, tool_rows
from callgate.cli.paint import Painter, cells
from callgate.cli.tool_table import table_of
from callgate.cli.writers import json_text
from tests.acme import golden
from tests.cli.conftest import Run
from tests.shop import BUNDLE, ROOT, shop

CONFIG = "tests/cases/tools/config.yaml"
ECHO_TOOLS = 41


@pytest.fixture(autouse=True)
def _from_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("tools", ["tools"]),
        ("tools-named", ["tools", "show", "mcp_git_push", "order", "--missing", "order"]),
        ("tools-settings", ["tools", "--settings", CONFIG, "--context", "channel=web"]),
        ("why-hidden", ["tools", "--why", "search"]),
        ("why-shown", ["tools", "--why", "show", "--context", "channel=web"]),
        ("why-person", ["tools", "--why", "label"]),
        ("status", ["status"]),
        ("status-settings", ["status", "--settings", CONFIG, "--missing", "printer"]),
    ],
)
def test_what_people_see(run: Run, name: str, args: list[str]) -> None:
    result = run(*args, "--bundle", BUNDLE)
    assert result.exit_code == 0
    assert all(cells(line) <= 100 for line in result.stdout.splitlines())
    plain = result.stdout.replace(shop().graph.digest[:23], "sha256:0000000000000000")
    lines = plain.splitlines()
    shown = [line if "digest" not in line else "  digest      …" for line in lines]
    text = "\n".join(shown) + "\n"
    assert text == golden(f"tools/{name}.txt", text)


def test_rows_as_json(run: Run) -> None:
    rows = json.loads(run("tools", "--bundle", BUNDLE, "--format", "json").stdout)
    engine = shop()
    assert rows == [row.to_dict() for row in tool_rows(engine.program, known_tools(engine.program))]
    one = json.loads(run("tools", "--bundle", BUNDLE, "--format", "json", "show").stdout)
    assert [(row["name"], row["called_as"]) for row in one] == [("page", "show")]


def test_the_way_of_one_tool_as_json(run: Run) -> None:
    told = json.loads(run("tools", "--bundle", BUNDLE, "--format", "json", "--why", "order").stdout)
    assert told["approval"] == "reviewer"
    assert [check["state"] for check in told["checks"]] == ["no", "off", "no", "off", "no", "no"]
    assert [step["step"] for step in told["steps"]][-1] == "otherwise"
    assert next(step for step in told["steps"] if step["state"] == "pending")["step"] == "review"


def test_status_as_json(run: Run) -> None:
    result = run("status", "--json", "--bundle", BUNDLE, "--settings", CONFIG)
    told = json.loads(result.stdout)
    assert list(told) == ["policy", "settings", "summary", "tools"]
    assert told["policy"]["bundle"] == "shop"
    assert told["policy"]["extends"] == []
    assert told["policy"]["digest"].startswith("sha256:")
    assert told["settings"] == {
        "file": CONFIG,
        "set": {"approval.mode": "manual", "search.key": "***", "tools.deny": ["page"]},
    }
    assert told["summary"] == {"visible": 3, "policy.deny": 1, "reserved": 1}
    assert len(told["tools"]) == 5
    assert "hunter2" not in result.stdout
    same = run("status", "--format", "json", "--bundle", BUNDLE, "--settings", CONFIG)
    assert same.stdout == result.stdout
    bare = json.loads(run("status", "--json", "--bundle", BUNDLE).stdout)
    assert bare["settings"] == {"file": None, "set": {}}


def test_a_second_run_comes_from_the_cache_and_says_the_same(run: Run) -> None:
    first = run("tools", "--bundle", BUNDLE).stdout
    assert run("tools", "--bundle", BUNDLE).stdout == first


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["tools", "--context", "chanel=web"], "did you mean `context.channel`?"),
        (["tools", "--context", "unattended=maybe"], "--context unattended is true or false"),
        (["tools", "--context", "channel"], "--context takes K=V"),
        (["tools", "--missing", "printr"], "nothing needs `printr`; did you mean `printer`?"),
        (["status", "--missing", "printr"], "nothing needs `printr`; did you mean `printer`?"),
        (["tools", "--why", "page", "order"], "--why takes one tool"),
        (["tools", ""], "TOOL takes a name"),
        (["tools", "--why", ""], "TOOL takes a name"),
        (["tools", "a\udcff"], "TOOL takes a name, as text in UTF-8"),
        (["tools", "--missing", ""], "--missing takes a name"),
        (["status", "page"], "unexpected extra argument"),
    ],
)
def test_usage_errors(run: Run, args: list[str], message: str) -> None:
    result = run(*args, "--bundle", BUNDLE)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""


def test_a_name_that_nobody_knows_is_told_of(run: Run) -> None:
    result = run("tools", "--bundle", BUNDLE, "serach", "mcp_a", "nobody")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "callgate: `serach` is not in the catalogue; did you mean `search`?",
        "callgate: `nobody` is not in the catalogue",
    ]
    assert "3 tools: 3 visible" in result.stdout


def test_an_entry_for_every_other_tool_makes_no_name_known(run: Run) -> None:
    result = run("tools", "read_flie", "mcp_a_b")
    assert result.stderr.splitlines() == [
        "callgate: `read_flie` is not in the catalogue; did you mean `read_file`?"
    ]


def test_no_control_characters_reach_the_terminal(run: Run) -> None:
    result = run("tools", "--bundle", BUNDLE, "a\x1b[31m\u202e")
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output


def test_bad_settings_are_diagnostics(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("approval: {mdoe: smart}\n")
    for command in ("tools", "status"):
        result = run(command, "--bundle", BUNDLE, "--settings", config)
        assert result.exit_code == 3
        assert "did you mean `approval.mode`?" in result.stderr


def test_every_tool_of_echo_has_a_row(run: Run) -> None:
    rows = json.loads(run("tools", "--format", "json").stdout)
    assert len(rows) == ECHO_TOOLS
    by_name = {row["name"]: row for row in rows}
    assert by_name["agents_list"]["reason"] == "reserved"
    assert by_name["web_search"]["reason"] == "missing.search_key"
    assert by_name["read_file"]["approval"] == "none"
    assert by_name["cronjob"]["approval"] == "person"
    lines = run("tools").stdout.splitlines()
    assert all(cells(line) <= 100 for line in lines)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    rows = tool_rows(shop().program, ["page", "refund"])
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        painter = Painter(stream)
        painter.write(table_of(rows, painter.width))
    assert "\x1b[" in terminal.getvalue()
    assert "\x1b" not in pipe.getvalue()


def test_long_names_are_cut_and_line_up() -> None:
    rows = tool_rows(shop().program, ["x" * 80, "page"])
    lines = ["".join(text for text, _ in line) for line in table_of(rows, 100)]
    assert all(cells(line) <= 100 for line in lines)
    assert lines[2].index("grave") == lines[3].index("low")


def test_the_second_flow_is_drawn(run: Run) -> None:
    for format_ in ("svg", "dot", "mermaid"):
        text = run("graph", "--bundle", BUNDLE, "--flow", "visibility", "--format", format_).stdout
        assert "Readiness" in text
        assert "HIDE" in text
        assert "SHOW" in text
        assert "missing.search_key: search.key is empty" in " ".join(text.split())
        main = run("graph", "--bundle", BUNDLE, "--format", format_).stdout
        assert "Readiness" not in main
        assert "HIDE" not in main


def test_a_bundle_without_a_second_flow_has_none_to_draw(run: Run) -> None:
    result = run("graph", "--bundle", "tests/cases/acme", "--flow", "visibility")
    assert result.exit_code == 1
    assert "has no flow `visibility`: it shows every tool" in result.stderr


def test_a_name_is_repeated_in_part(run: Run) -> None:
    result = run("tools", "--bundle", BUNDLE, "名" * 300)
    assert all(cells(line) <= 100 for line in result.stderr.splitlines())
    assert "…` is not in the catalogue" in result.stderr


def test_json_holds_nothing_that_acts_on_a_terminal() -> None:
    value = {"a": 'a\x7f\u202eb\U000e0001é"\\\x1b', "\u2066": []}
    for text in (json_text(value), json_text(value, indent=True)):
        assert json.loads(text) == value
        assert '"a\\u007f\\u202eb\\udb40\\udc01é\\"\\\\\\u001b"' in text and "\u2066" not in text
