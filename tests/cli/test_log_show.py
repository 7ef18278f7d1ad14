"""`callgate log show`: one decision in full."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from callgate.record.json_lines import JsonLines
from callgate.record.line import line_hash
from callgate.record.recorder import Recorder
from tests.acme import CALLS, acme
from tests.cli.conftest import Run
from tests.record.chains import lines_of, segment, tampered
from tests.record.decisions import POLICY, filled, id_of, made, match

HOSTILE = "\x1b[2J\u202eevil\nline"


def rows(text: str) -> dict[str, str]:
    """The rows of a card: label → text."""
    found: dict[str, str] = {}
    last = ""
    for line in text.splitlines()[1:]:
        label, rest = line[2:14].strip(), line[14:]
        if not line.strip():
            continue
        last = label or last
        found[last] = f"{found.get(last, '')} {rest}".strip() if not label else rest
    return found


def test_a_decision(run: Run, tmp_path: Path) -> None:
    gate = {
        "walked": "ask",
        "kind": "approval_denied",
        "request_id": "q7",
        "grant_id": "g1",
        "by": "local:ann",
        "break_glass": True,
        "notice": "Not now.",
        "digest": "f00",
    }
    record = made(
        5,
        decision="deny",
        approval_source=None,
        approved_actions=[],
        matched=[match("a.b")],
        answers={"human": "deny", "reviewer": {"reply": "DENY"}},
        gate=gate,
        rewalk=False,
        rewalk_why="a secret was replaced",
    )
    folder = filled(tmp_path / "records", [record])
    result = run("log", "show", id_of(5)[:8], "--records", folder)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "✕ deny  bash → exec"
    told = rows(result.stdout)
    (chain,) = JsonLines(folder).chains()
    line = lines_of(segment(folder, chain))[1]
    assert told == {
        "reason": "reason 5",
        "rule": "tiers.write",
        "step": "tiers",
        "risk": "exec",
        "can": "process.exec",
        "ask": "a.b: a.b it is",
        "effects": "deletes /srv/x with everything below it",
        "policy": "acme 1.2.0 sha256:dddddddddddd",
        "decided": "2099-11-01 09:05:00.000000 UTC, in 1,500 µs, by gate",
        "id": id_of(5),
        "args": '{"command":"make target-5"}',
        "declared": '{"mcp_server":"builder"}',
        "context": '{"channel":"cli","sender_id":"user_2","session_key":"s:1"}',
        "observed": '{"time":"2099-11-01T09:05:00.000000Z"}',
        "answered": 'reviewer: {"reply":"DENY"}',
        "walk gave": "ask",
        "kind": "approval_denied",
        "notice": "Not now.",
        "request": "q7",
        "grant": "g1",
        "digest": "f00",
        "break-glass": "let it pass",
        "chain": f"{chain} seq 1",
        "hash": line_hash(line),
        "graph": f"{POLICY['digest']}, not kept here",
        "settings": "sha256:" + "e" * 64,
        "versions": '{"engine":"0.1.0","parsers":{}}',
        "walk": "can't be walked again: a secret was replaced",
    }
    assert "  answered    human: deny, by local:ann\n" in result.stdout
    result = run("log", "show", id_of(5).upper(), "--records", folder, "--format", "json")
    about = {"chain": chain, "seq": 1, "hash": line_hash(line)}
    assert json.loads(result.stdout) == {**record, **about}


@pytest.mark.parametrize("name", CALLS)
def test_what_was_recorded_in_earnest(run: Run, tmp_path: Path, name: str) -> None:
    store = JsonLines(tmp_path / "records")
    recorder = Recorder(store)
    decision = acme().decide(CALLS[name])
    id_ = recorder.record(decision, duration_us=12)
    recorder.close()
    store.close()
    result = run("log", "show", id_, "--records", store.folder)
    assert result.exit_code == 0
    told = rows(result.stdout)
    # A reason is broken where it is long.
    assert re.sub(r"\s+", " ", decision.to_dict()["reason"]) == told["reason"]
    assert told["graph"].endswith(", kept")
    assert told["walk"].startswith("can")
    assert "hunter2" not in result.stdout
    for words in (["query"], ["tail"], ["stats"], ["export", "--format", "ocsf"]):
        result = run("log", *words, "--records", store.folder)
        assert (result.exit_code, result.stderr) == (0, "")
        assert decision.decision in result.stdout or words == ["stats"]


def test_several_are_listed(run: Run, tmp_path: Path) -> None:
    same = [made(n, decision_id=f"0123456789abcdef{n:016x}") for n in range(30)]
    folder = filled(tmp_path / "records", same)
    result = run("log", "show", "0123456789", "--records", folder)
    assert result.exit_code == 1
    assert result.stderr == "callgate: more than 20 decisions begin so: give more digits\n"
    assert len(result.stdout.splitlines()) == 21
    prefix = f"0123456789abcdef{1:015x}"
    result = run("log", "show", prefix, "--records", folder, "--format", "json")
    assert (result.exit_code, len(json.loads(result.stdout))) == (1, 14)
    assert result.stderr == "callgate: 14 decisions begin so: give more digits\n"
    assert run("log", "show", same[3]["decision_id"], "--records", folder).exit_code == 0


def test_none(run: Run, tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", [made(1)])
    result = run("log", "show", "ffffffff", "--records", folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "callgate: no decision begins so\n"
    for wrong in ("", "1234567", "xyzxyzxyz", "0" * 33):
        result = run("log", "show", wrong, "--records", folder)
        assert result.exit_code == 1
        assert "8 to 32 hex digits" in result.stderr


def test_a_damaged_one(run: Run, tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", [made(1)])
    (chain,) = JsonLines(folder).chains()
    tampered(
        segment(folder, chain), lambda x: [x[0], x[1].replace(b'"rule":', b'"ruler":'), *x[2:]]
    )
    result = run("log", "show", id_of(1), "--records", folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"error[incomplete]: chain {chain} seq 1: `rule` is missing" in result.stderr


_ODD: list[dict[str, Any]] = [
    {"effects": [{"kind": "delete"}]},
    {"effects": "many"},
    {"effects": [{"kind": "no kind", "certain": 5}]},
    {"matched": [{"rule": "x"}]},
    {"capabilities": [1]},
    {"pending": {}},
    {"assumed": 5},
    {"policy": {}},
    {"policy": {"bundle": 1, "version": [], "digest": {}}},
    {"step": 5, "risk": []},
    {"versions": "x", "observed": [1], "settings_digest": 7},
    {"error": {"code": 1}, "trace_id": 5, "rewalk": "yes", "rewalk_why": 5},
    {"gate": {"by": 5, "request_id": [1]}, "answers": {"human": 5, "x\x1b": "\x1b"}},
    {"call": None},
    {"call": [HOSTILE]},
    {"call": {"args": HOSTILE, "context": HOSTILE, "declared": {HOSTILE: HOSTILE}}},
    dict.fromkeys(("tool", "called_as", "rule", "reason", "step", "risk", "source"), HOSTILE),
    {"gate": {"by": HOSTILE, "notice": HOSTILE}, "answers": {"human": HOSTILE}},
    {"reason": "x" * 1_000_000, "call": {"args": {"x": "y" * 1_000_000}}},
]


@pytest.mark.parametrize("more", _ODD)
def test_odd_and_hostile_records_are_shown(run: Run, tmp_path: Path, more: dict[str, Any]) -> None:
    folder = filled(tmp_path / "records", [made(1, **more)])
    for format_ in ("pretty", "json"):
        result = run("log", "show", id_of(1), "--records", folder, "--format", format_)
        assert (result.exit_code, result.stderr) == (0, "")
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
        if format_ == "pretty":
            assert len(result.stdout) < 10_000
            assert rows(result.stdout)["id"] == id_of(1)
