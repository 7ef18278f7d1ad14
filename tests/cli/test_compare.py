"""`callgate eval --compare`: what somebody who reviews a change of a policy gets to see."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.acme import BUNDLE, acme
from tests.cli.conftest import Run
from tests.record.decided import changed, record_all

CALLS: list[dict[str, Any]] = [
    {"id": "c1", "tool": "look", "args": {"path": "/srv/a"}},
    {"id": "c2", "tool": "save", "args": {"path": "/srv/a"}},
    {"id": "c3", "tool": "save", "args": {"path": "/tmp/a", "api_key": "hunter2hunter2"}},
    {"tool": "save", "args": {"path": "/etc/x"}},
    {"id": "c5", "tool": "start", "context": {"channel": "ops", "sender_id": "anna"}},
    {"id": "c6", "tool": "start", "args": {"count": 3}},
    {"id": "c7", "tool": "save", "args": {"path": "/etc/y"}, "answers": {"human": "once"}},
]


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """The policy with three changes: private files are asked for, /tmp is free, starting is not."""
    folder = tmp_path / "new"
    shutil.copytree(BUNDLE, folder)
    (folder / "tests.yaml").write_text(
        "kind: tests\ncases:\n  - {name: x, call: {tool: look}, expect: {decision: allow}}\n"
    )
    guards = (folder / "guards.yaml").read_text()
    private, temporary = guards.split("  - id: files.temporary")
    private = private.replace("decide: deny", "decide: ask")
    (folder / "guards.yaml").write_text(private)
    assert temporary
    flow = (folder / "flow.yaml").read_text()
    flow = flow.replace('call.sender_id == "anna"', 'call.sender_id == "ben"')
    free = "  - id: off\n"
    rule = (
        "  - id: tmp\n    title: Temporary files\n    rules:\n      - id: tmp.free\n"
        '        title: They are free\n        when: path(args.path ?? "/", "/") under "/tmp"\n'
        "        tools: [save]\n        decide: allow\n"
    )
    (folder / "flow.yaml").write_text(flow.replace(free, rule + free))
    return folder


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(call) + "\n" for call in CALLS))
    return path


def compared(run: Run, *args: object) -> dict[str, Any]:
    result = run("eval", "--bundle", BUNDLE, "--format", "json", "--compare", *args)
    assert result.exit_code == 0
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def groups(told: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            group["kind"],
            *(tuple(group[side].values()) for side in ("before", "after")),
            [example["name"] for example in group["examples"]],
        )
        for group in told["groups"]
    ]


PENDING = ("ask", "human.pending", "")


def test_what_changes_by_rule_and_what_becomes_allowed_first(
    run: Run, new: Path, calls: Path
) -> None:
    told = compared(run, new, calls)
    assert groups(told) == [
        ("allowed", ("deny", "files.private", ""), ("allow", "human.once", ""), ["c7"]),
        ("allowed", ("ask", "human.pending", "files.temporary"), ("allow", "tmp.free", ""), ["c3"]),
        (
            "weaker",
            ("deny", "files.private", ""),
            ("ask", "human.pending", "files.private"),
            ["line 4"],
        ),
    ]
    assert [told[key] for key in ("calls", "changed", "allowed", "weaker", "stricter")] == [
        7,
        3,
        2,
        1,
        0,
    ]
    assert told["before"]["digest"] == acme().graph.digest != told["after"]["digest"]
    assert "hunter2" not in json.dumps(told)


def test_pretty(run: Run, new: Path, calls: Path) -> None:
    result = run("eval", "--bundle", new, "--compare", BUNDLE, calls, "--limit", 1)
    assert result.stdout.splitlines() == [
        "Stricter: 3",
        "  ✓ allow tmp.free  →  ? ask human.pending (files.temporary)  1 call",
        "    c3  save {path: /tmp/a, api_key: ***}",
        "",
        "  ✓ allow human.once  →  ✕ deny files.private  1 call",
        "    c7  save {path: /etc/y}",
        "",
        "  ? ask human.pending (files.private)  →  ✕ deny files.private  1 call",
        "    line 4  save {path: /etc/x}",
        "",
        "7 calls, 3 decided otherwise: 3 stricter",
    ]
    result = run("eval", "--bundle", new, "--compare", new, calls)
    assert result.stdout == "7 calls: none is decided otherwise\n"


def test_a_call_writes_no_markdown_into_a_pull_request(run: Run, new: Path) -> None:
    call = {"tool": "save", "args": {"path": "/tmp/a`b``c @everyone\n# x"}}
    result = run(
        "eval", "--bundle", BUNDLE, "--compare", new, json.dumps(call), "--format", "markdown"
    )
    assert result.stdout.splitlines() == [
        "**1 call, 1 decided otherwise: 1 now allowed**",
        "",
        "### Now allowed: 1",
        "",
        "- ask by `human.pending` (`files.temporary`) → allow by `tmp.free`: 1 call",
        "  - `line 1` ```save {path: /tmp/a`b``c @everyone\\n# x}```",
    ]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-on", "allow"], 3),
        (["--fail-on", "any"], 3),
        ([], 0),
    ],
)
def test_exit_codes(run: Run, new: Path, calls: Path, options: list[str], code: int) -> None:
    assert run("eval", "--bundle", BUNDLE, "--compare", new, calls, *options).exit_code == code
    back = run("eval", "--bundle", new, "--compare", BUNDLE, calls, *options)
    assert back.exit_code == (3 if options[1:] == ["any"] else 0)
    assert run("eval", "--bundle", new, "--compare", new, calls, *options).exit_code == 0


def test_other_settings_for_the_other_policy(run: Run, tmp_path: Path, calls: Path) -> None:
    off = tmp_path / "off.yaml"
    off.write_text('approval: {mode: "off"}\n')
    told = compared(run, BUNDLE, "--compare-settings", off, calls)
    assert {group["after"]["rule"] for group in told["groups"]} == {"off.all"}
    told = compared(run, BUNDLE, "--compare-settings", off, "--settings", off, calls)
    assert told["changed"] == 0
    # Without settings of its own, the other policy is under the same.
    assert compared(run, BUNDLE, "--settings", off, calls)["changed"] == 0


def test_limit(run: Run, new: Path, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text('{"tool": "save", "args": {"path": "/tmp/a"}}\n' * 20)
    for limit, shown in (([], 5), (["--limit", 0], 0), (["--limit", 30], 20)):
        (group,) = compared(run, new, path, *limit)["groups"]
        assert (group["count"], len(group["examples"])) == (20, shown)
    text = run("eval", "--bundle", BUNDLE, "--compare", new, path).stdout
    assert "    … and 15 more\n" in text


@pytest.mark.parametrize("name", ["records", "records.db"])
def test_recorded_calls_without_their_answers(
    run: Run, new: Path, tmp_path: Path, name: str
) -> None:
    ids = record_all(tmp_path / name, acme(), CALLS)
    told = compared(run, new, tmp_path / name)
    assert [(kind, names) for kind, *_, names in groups(told)] == [
        ("allowed", [ids[2]]),
        ("weaker", [ids[3], ids[6]]),
    ]
    assert "hunter2" not in json.dumps(told)


def test_recorded_calls_that_ran_are_judged_as_such(run: Run, new: Path, tmp_path: Path) -> None:
    """What nobody looked at may be a link to anywhere."""
    call = {"tool": "save", "args": {"path": "/tmp/a"}}
    record_all(tmp_path / "live", acme(), [call], live=True)
    record_all(tmp_path / "dry", acme(), [call])
    live, dry = (compared(run, new, tmp_path / name) for name in ("live", "dry"))
    assert (live["calls"], live["changed"]) == (1, 0)
    assert (dry["calls"], dry["allowed"]) == (1, 1)


def test_records_that_can_not_be_walked_again_are_counted(
    run: Run, new: Path, tmp_path: Path
) -> None:
    record_all(tmp_path / "r", acme(), CALLS)

    def change(record: dict[str, Any]) -> None:
        if record["decision"] == "deny":
            record.update(rewalk=False, rewalk_why="it hung on a secret")

    changed(tmp_path / "r", change)
    told = compared(run, new, tmp_path / "r")
    assert told["skipped"] == [{"why": "it hung on a secret", "count": 2}]
    assert told["calls"] == 5
    shown = run("eval", "--bundle", BUNDLE, "--compare", new, tmp_path / "r").stdout
    assert shown.endswith("  2 decisions not compared: it hung on a secret\n")


def test_what_is_no_call_is_told_and_not_compared(run: Run, new: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"tool": "start"}\n{"tool": "look",\n{"tool": "look", "contxt": {}}\n')
    result = run("eval", "--bundle", BUNDLE, "--compare", new, path, "--fail-on", "allow")
    assert result.exit_code == 1
    assert result.stdout == (
        "1 call: none is decided otherwise\n  2 lines not compared: no valid call\n"
    )
    assert f"{path}:2:" in result.stderr
    assert f"{path}:3:1: error[R002]" in result.stderr


def test_damaged_records_are_told(run: Run, new: Path, tmp_path: Path) -> None:
    record_all(tmp_path / "r", acme(), CALLS)
    changed(tmp_path / "r", lambda record: record.pop("reason"))
    result = run("eval", "--bundle", BUNDLE, "--compare", new, tmp_path / "r")
    assert result.exit_code == 1
    assert "error[incomplete]" in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-on", "allow"],
        ["--limit", "3"],
        ["--compare-settings", "x"],
        ["--format", "markdown"],
        ["--compare", "echo", "--format", "jsonl"],
        ["--compare", "echo", "--exit-on", "deny"],
        ["--compare", "echo", "--limit", "-1"],
    ],
)
def test_options_that_do_not_go_together(run: Run, options: list[str]) -> None:
    result = run("eval", '{"tool": "look"}', *options)
    assert (result.exit_code, result.stdout) == (1, "")
