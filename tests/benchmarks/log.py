"""Figures of `callgate log`: how long whole processes take to read a store.

`python -m tests.benchmarks.log [RECORDS]`: of how many records of about 1.5 kB, a million by
default, in JSON lines. They are written to a folder below the temporary one and removed again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from callgate.record.json_lines import JsonLines
from callgate.record.values import canonical

__all__ = ["COMMANDS", "filled", "main"]

_RECORDS: Final = 1_000_000
_TOOLS: Final = ("exec", "read_file", "write_file", "web_fetch", "message")
_RULES: Final = ("tiers.read-only", "cli.interactive", "grants.granted", "human.denied")
_RARE: Final = 99_991
"""Every so many records one is of a tool of its own."""

COMMANDS: Final = {
    "query, a rare tool (11 hits in 1,000,000)": ["query", "--tool", "cronjob", "--all"],
    "query, a tool of every fifth, the newest 50": ["query", "--tool", "exec"],
    "query, one sender and rule, all (0.1 %)": [
        *["query", "--sender", "user_77", "--rule", "human.denied", "--all", "--format", "jsonl"]
    ],
    "query, the newest 50 of all": ["query"],
    "show": ["show", "{id}"],
    "tail": ["tail"],
    "stats by decision": ["stats", "--by", "decision"],
    "stats by rule": ["stats", "--by", "rule"],
    "export, OPA": ["export", "--format", "opa", "-o", "{out}"],
    "export, OCSF": ["export", "--format", "ocsf", "-o", "{out}"],
    "export, CloudEvents": ["export", "--format", "cloudevents", "-o", "{out}"],
}
"""What is timed: a label and the words behind `callgate log`."""


def _records(count: int) -> Iterator[bytes]:
    """Records of about 1.5 kB, each with an id, a time, a tool, a rule and a sender of its own."""
    mark = "@{}@".format
    names = ("id", "us", "time", "tool", "rule", "decision", "sender")
    template = canonical(_record({name: mark(name) for name in names}))
    template = template.replace(b"%", b"%%").replace(b'"@us@"', b"%(us)d")
    for name in names:
        template = template.replace(mark(name).encode(), b"%%(%b)b" % name.encode())
    for number in range(count):
        second, micro = divmod(number * 50_000, 1_000_000)
        rare = number % _RARE == _RARE - 1
        rule = _RULES[number * 7 // 5 % 4]
        yield template % {
            b"id": b"%032x" % ((number + 1) << 80),
            b"us": number % 997 + 5,
            b"time": b"2026-11-%02dT%02d:%02d:%02d.%06dZ"
            % (second // 86400 + 1, second // 3600 % 24, second // 60 % 60, second % 60, micro),
            b"tool": b"cronjob" if rare else _TOOLS[number % 5].encode(),
            b"rule": rule.encode(),
            b"decision": b"deny" if rule == "human.denied" else b"allow",
            b"sender": b"user_%d" % (number % 250),
        }


def _record(told: dict[str, str]) -> dict[str, Any]:
    """A decision as the gate records it, with what differs from record to record."""
    step = {"file": "policies/echo/flow.yaml", "node": 2, "step": "tiers", "value": False}
    return {
        "answers": {},
        "approval_source": None,
        "approved_actions": [],
        "assumed": [],
        "call": {
            "args": {"command": "git status --short --branch"},
            "context": {
                "channel": "telegram",
                "cwd": "/srv/app",
                "sender_id": told["sender"],
                "session_key": "telegram:1",
            },
            "declared": {},
            "tool": told["tool"],
        },
        "called_as": told["tool"],
        "capabilities": ["process.exec"],
        "decision": told["decision"],
        "decision_id": told["id"],
        "duration_us": told["us"],
        "effects": [],
        "error": None,
        "gate": None,
        "id": None,
        "kind": "decision",
        "live": True,
        "matched": [],
        "obligations": [],
        "observed": {"time": told["time"]},
        "pending": None,
        "policy": {
            "bundle": "echo",
            "digest": "sha256:" + "0" * 64,
            "engine": "0.1.0",
            "version": "1.0.0",
        },
        "reason": "the risk is not above what this channel may do",
        "rewalk": True,
        "rewalk_why": "",
        "risk": "exec",
        "rule": told["rule"],
        "settings_digest": "sha256:" + "1" * 64,
        "source": "gate",
        "span_id": "",
        "step": "tiers",
        "timestamp": told["time"],
        "tool": told["tool"],
        "trace": [{**step, "condition": f"risk == {name}", "line": 9} for name in ("low", "high")],
        "trace_id": "",
        "versions": {"engine": "0.1.0", "parsers": {"tree-sitter-bash": "0.25.1"}},
    }


def filled(folder: Path, count: int) -> None:
    """Make a store of so many records."""
    store = JsonLines(folder)
    lane = store.lane()
    for record in _records(count):
        lane.append(record)
    store.close()


def _timed(folder: Path, words: list[str]) -> tuple[float, float, int]:
    """Seconds of a whole process, its largest memory in MB, and how many lines it wrote."""
    begun = perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "callgate", "log", *words, "--records", str(folder)],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        lines = sum(1 for _ in process.stdout)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return perf_counter() - begun, usage.ru_maxrss / 1024, lines


def main(count: int) -> None:
    """Print the figures."""
    place = Path(tempfile.mkdtemp(prefix="callgate-log-"))
    try:
        folder = place / "records"
        begun = perf_counter()
        filled(folder, count)
        size = sum(file.stat().st_size for file in folder.rglob("*.jsonl"))
        print(f"{count:,} records, {size / 1e9:.2f} GB, made in {perf_counter() - begun:.1f} s")
        named = {"id": f"{(count // 2) << 80:032x}"[:16], "out": str(place / "out")}
        for label, words in COMMANDS.items():
            taken, memory, lines = _timed(folder, [word.format(**named) for word in words])
            print(f"  {label:<46}{taken:8.2f} s {memory:7.0f} MB {lines:10,} lines")
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _RECORDS)
