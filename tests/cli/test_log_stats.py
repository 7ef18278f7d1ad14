"""`callgate log stats`: counts, times and bars."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callgate.cli.log_stats_table import bar, duration
from callgate.record.json_lines import JsonLines
from callgate.record.recorder import Recorder
from tests.acme import CALLS, acme
from tests.cli.conftest import Run
from tests.cli.test_log_query import HOSTILE, on_terminal
from tests.record.chains import segment, tampered
from tests.record.decisions import filled, made, match, put, time_of


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Forty decisions, of which people answered ten."""
    folder = tmp_path / "records"
    return filled(
        folder,
        (
            made(
                number,
                decision="deny" if number % 4 == 1 else "allow",
                matched=[match("a.b")] if number < 5 else [],
                answers={"human": "once"} if number % 4 == 0 else {},
                duration_us=number * 1_000_000,
                rule="human.once" if number % 4 == 0 else "tiers.write",
            )
            for number in range(40)
        ),
    )


def test_the_table(run: Run, records: Path) -> None:
    result = run("log", "stats", "--records", records)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:4] == [
        "RULE           FIRED  ALLOWED    ASKED   DENIED               MEDIAN     95 %",
        "tiers.write       30       20        0       10  ##########",
        "human.once        10       10       10        0  ###            16 s     36 s",
        "a.b                5        4        2        1  ##             0 µs    4.0 s",
    ]
    assert lines[5] == "40 decisions, 2099-11-01 09:00:00 to 2099-11-01 09:39:00 UTC"
    assert lines[6].startswith("which rules never fired is not known: the graph")


def test_as_json(run: Run, records: Path) -> None:
    def told(*args: str) -> dict[str, object]:
        result = run("log", "stats", "--records", records, "--format", "json", *args)
        assert result.exit_code == 0
        form: dict[str, object] = json.loads(result.stdout)
        return form

    by_decision = told("--by", "decision", "--since", time_of(20))
    assert by_decision == {
        "by": "decision",
        "records": 20,
        "since": time_of(20),
        "until": time_of(39),
        "rows": [
            {
                "decision": "allow",
                "fired": 15,
                "decided": 15,
                "allowed": 15,
                "asked": 5,
                "denied": 0,
                "answered": 5,
                "median_us": 28_000_000,
                "p95_us": 36_000_000,
            },
            {
                "decision": "deny",
                "fired": 5,
                "decided": 5,
                "allowed": 0,
                "asked": 0,
                "denied": 5,
                "answered": 0,
                "median_us": None,
                "p95_us": None,
            },
        ],
        "others": 0,
        "policy": "sha256:" + "d" * 64,
        "never_fired": None,
        "never_fired_unknown": "",
    }
    rows = told("--by", "sender", "--decision", "deny")["rows"]
    assert isinstance(rows, list)
    assert [(row["sender"], row["fired"]) for row in rows] == [
        ("user_1", 4),
        ("user_0", 3),
        ("user_2", 3),
    ]


def test_rules_that_never_fired(run: Run, tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records")
    # One of another policy, which is the older one.
    put(store, [made(0, timestamp="2020-01-01T00:00:00.000000Z")])
    recorder = Recorder(store)
    decisions = [acme().decide(call) for call in CALLS.values() if "settings" not in call]
    for decision in decisions:
        recorder.record(decision)
    recorder.close()
    result = run("log", "stats", "--records", store.folder, "--format", "json")
    told = json.loads(result.stdout)
    assert told["policy"] == acme().program.graph.digest
    fired = {decision.rule for decision in decisions}
    assert told["never_fired"]
    assert not fired & set(told["never_fired"])
    assert {row["rule"] for row in told["rows"]} >= fired
    shown = run("log", "stats", "--records", store.folder).stdout
    count = len(told["never_fired"])
    assert f"{count} of the policy's rules never fired: {told['never_fired'][0]}" in shown


def test_nothing_recorded(run: Run, tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", [])
    assert run("log", "stats", "--records", folder).stdout == "no decisions\n"
    told = json.loads(run("log", "stats", "--records", folder, "--format", "json").stdout)
    assert (told["records"], told["rows"], told["since"]) == (0, [], "")


def test_what_is_damaged_is_told(run: Run, records: Path) -> None:
    (chain,) = JsonLines(records).chains()
    tampered(segment(records, chain), lambda x: [*x[:2], b"{", *x[3:]])
    result = run("log", "stats", "--records", records, "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["records"] == 39
    assert result.stderr.startswith("callgate: error[foreign]: chain ? seq ?: ")


def test_nothing_acts_on_a_terminal(run: Run, tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", [made(1, rule=HOSTILE, matched=[match(HOSTILE * 900)])])
    for format_ in ("table", "json"):
        result = run("log", "stats", "--records", folder, "--format", format_)
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
    assert max(map(len, run("log", "stats", "--records", folder).stdout.splitlines())) <= 100


def test_a_terminal_has_blocks(records: Path) -> None:
    lines = on_terminal(80, "log", "stats", "--records", records)
    assert max(map(len, lines)) <= 80
    assert "  ██████████" in lines[1]
    assert "  ███▍" in lines[2]


@pytest.mark.parametrize(
    ("count", "most", "blocks", "shown"),
    [
        (10, 10, True, "█" * 10),
        (5, 10, True, "█" * 5),
        (1, 80, True, "▏"),
        (1, 10_000, True, "▏"),
        (0, 5, True, ""),
        (79, 80, True, "█████████▉"),
        (10, 10, False, "#" * 10),
        (1, 10_000, False, "#"),
        (0, 1, False, ""),
        (1, 2, False, "#####"),
    ],
)
def test_bars(count: int, most: int, blocks: bool, shown: str) -> None:
    assert bar(count, most, blocks=blocks) == shown


@pytest.mark.parametrize(
    ("microseconds", "shown"),
    [
        (None, ""),
        (0, "0 µs"),
        (999, "999 µs"),
        (1_000, "1.0 ms"),
        (45_600, "46 ms"),
        (1_234_567, "1.2 s"),
        (90_000_000, "1.5 min"),
        (7_200_000_000, "2.0 h"),
        (2**53, "104250 d"),
    ],
)
def test_durations(microseconds: int | None, shown: str) -> None:
    assert duration(microseconds) == shown
