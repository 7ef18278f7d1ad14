"""docs/records.md: its commands print what it shows, its code runs, and its tables are complete."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import orjson
import pytest

from callgate.record import JsonLines, Retention, open_store, telemetry
from callgate.record.finding import Code
from callgate.record.line import NO_HASH, line_hash
from callgate.record.record import Answer, Mark, Records
from callgate.record.values import canonical, encode
from callgate.record.verify import verify
from tests.docs.markdown import tables
from tests.docs.test_docs import console
from tests.record import chains
from tests.record.calls import KEY, engine
from tests.record.chains import grow, lines_of, put, rehashed, segment, tampered

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "records.md"
SHOWN_ID = "019ad9a8a33214d7"
"""The record that the page looks at, in its commands."""

_CHANGING = (
    (r"\b[0-9a-f]{12,64}\b", "#"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{6}Z?)?", "TIME"),
    (r"[A-Za-z0-9+/]{43}=", "KEY"),
    (r" +[\d,.]+ (µs|ms|s)\b", " DURATION"),
)
"""What is another one each time: ids and hashes, times, keys, durations."""


def plain(text: str) -> str:
    for pattern, word in _CHANGING:
        text = re.sub(pattern, word, text)
    return text


def block(heading: str, language: str) -> str:
    """The first block of a language after a heading."""
    line = PAGE.read_text("utf-8").splitlines().index(heading)
    return next(
        found.text
        for found in console.blocks(PAGE)
        if found.line > line and found.language == language
    )


# -- commands


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    console.write_files(PAGE, tmp_path)
    ran = 0
    for found in console.blocks(PAGE):
        for command, shown in console._commands(found) if found.language == "console" else ():
            if SHOWN_ID in command:
                command = command.replace(SHOWN_ID, the_id(tmp_path / "records"))
            actual = console.shell(command, tmp_path)
            told = console.Ran(found.line, command, plain(shown), plain(actual))
            assert told.agrees, f"{found.line}: $ {command}\n{shown}\n--- actual\n{actual}"
            ran += 1
    assert ran > 15
    check_chain(tmp_path)


def the_id(records: Path) -> str:
    found = console.shell(
        f"callgate log query --records {records} --rule files.credential-read --format json",
        records.parent,
    )
    (record,) = json.loads(found)
    return str(record["decision_id"])


def check_chain(folder: Path) -> None:
    """The page's own program finds the head of a chain, and what was changed."""
    store = open_store(folder / "records", create=False)
    (chain,) = store.chains()
    head = store.head(chain)[1]
    store.close()

    def run(name: str) -> Any:
        place = folder / name / chain
        return subprocess.run(
            [sys.executable, folder / "check_chain.py", place],
            capture_output=True,
            text=True,
            check=False,
        )

    assert run("records").stdout == f"{head}\n"
    assert "AssertionError" in run("edited").stderr


# -- code


def test_the_program_that_records(tmp_path: Path) -> None:
    state = tmp_path / "state"
    found = subprocess.run(
        [sys.executable, "-c", block("## Switching it on", "python")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(state)},
        check=False,
        timeout=120,
    )
    assert (found.returncode, found.stderr) == (0, "")
    told = console.shell(
        f"callgate log query --records {state}/callgate/records --format json", tmp_path
    )
    (record,) = json.loads(told)
    assert (record["source"], record["decision"]) == ("gate", "allow")
    assert record["gate"]["walked"] == "allow"


# -- records


@cache
def example() -> dict[str, Any]:
    """The record that the page shows, made anew."""
    shown = json.loads(block("## A record in full", "json"))["record"]
    program = engine().program
    given = json.loads(block("## Try it", "jsonl").splitlines()[1])
    context = {**given["context"], "session_key": "telegram:42"}
    call = {**given, "context": context, "id": "turn-7/2", "observed": {"links": {}}}
    decision = program.decide(call, True)
    mark = Mark(
        shown["decision_id"],
        shown["timestamp"],
        shown["settings_digest"],
        shown["duration_us"],
        (shown["trace_id"], shown["span_id"]),
    )
    answer = Answer(False, decision.reason, kind="policy", digest=shown["gate"]["digest"])
    made = Records(program, source="gate", key=KEY).of(decision, mark, answer)
    found: dict[str, Any] = orjson.loads(made)
    return found


def without_versions(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what changes with every release, with every line of the policy, and with
    the key of a store."""
    policy = {**record["policy"], "digest": "", "engine": "", "version": ""}
    trace = [{**node, "node": 0, "line": 0} for node in record["trace"]]
    versions = {"engine": "", "parsers": dict.fromkeys(record["versions"]["parsers"], "")}
    gate = {**record["gate"], "digest": len(record["gate"]["digest"])}
    return {**record, "gate": gate, "policy": policy, "trace": trace, "versions": versions}


def test_the_record_shown_is_made_so() -> None:
    shown = json.loads(block("## A record in full", "json"))
    assert list(shown) == ["chain", "prev", "record", "seq"]
    assert without_versions(shown["record"]) == without_versions(example())
    assert list(shown["record"]) == sorted(shown["record"])


def test_every_key_is_in_the_table() -> None:
    rows = tables(PAGE, "A record in full")
    named = [key.strip("` ") for row in rows if len(row) == 3 for key in row[0].split(",")]
    own = set(engine().decide({"tool": "exec", "args": {"command": "ls"}}).to_dict())
    assert sorted(named) == sorted(set(example()) - own)
    (gate,) = [row[2] for row in rows if row[0] == "`gate`"]
    for key in example()["gate"]:
        assert f"`{key}`" in gate


@pytest.mark.parametrize(
    ("value", "kept"), [row for row in tables(PAGE, "A record in full") if len(row) == 2]
)
def test_values(value: str, kept: str) -> None:
    assert canonical(encode(json.loads(value.strip("`")))).decode() == kept.strip("`")


def test_every_finding_is_in_the_table() -> None:
    rows = [row[0] for row in tables(PAGE, "The chain")]
    assert sorted(name.strip("` ") for row in rows for name in row.split(",")) == sorted(
        Code.__args__
    )


# -- what is proven


class Tampering:
    """A store with two chains and a head that was kept elsewhere; what an attacker does to it, each
    by the beginning of its row in the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        both = [JsonLines(folder, segment_bytes=4096) for _ in range(2)]
        self.first, self.second = (store.lane().chain for store in both)
        for number in range(40):
            for store in both:
                store.lane().append(chains.record(number))
        for store in both:
            store.close()
        self.noted = folder / "checkpoints.jsonl"
        self.head = line_hash(lines_of(self.noted)[-1])
        self.last = sorted((folder / self.second).glob("*.jsonl"))[-1]

    def damage(self) -> None:
        tampered(segment(self.folder, self.first), lambda of: [*of[:2], of[2][:-9], *of[3:]])

    def a_record_changed(self) -> None:
        changed = lambda of: [*of[:2], of[2].replace(b"no ", b"on "), *of[3:]]  # noqa: E731
        tampered(segment(self.folder, self.first), changed)

    def the_last_line(self) -> None:
        tampered(self.last, lambda of: [*of[:-1], of[-1].replace(b"no ", b"on ")])

    def the_end_of_a_chain(self) -> None:
        tampered(self.last, lambda of: of[:-1])

    def the_end_cut_off(self) -> None:
        tampered(self.last, lambda of: of[:-1])
        tampered(self.noted, lambda of: of[:-1])

    def everything(self) -> None:
        def changed(record: bytes) -> bytes:
            # Segments name checkpoints, which get other hashes.
            unnamed = re.sub(rb'"checkpoint":"[0-9a-f]+"', b'"checkpoint":"%b"' % zeros, record)
            return unnamed.replace(b"no 9 ", b"on 9 ")

        zeros = NO_HASH.encode()
        hashes = {
            **rehashed(self.folder, self.first, changed),
            **rehashed(self.folder, self.second, changed),
        }
        noted = []
        for line in lines_of(self.noted):
            form = orjson.loads(line)
            for chain, (seq, hash) in form["heads"].items():
                form["heads"][chain] = [seq, hashes.get(hash, hash)]
            form["prev"] = line_hash(noted[-1]) if noted else NO_HASH
            noted.append(canonical(form))
        put(self.noted, noted)

    def a_whole_chain(self) -> None:
        rmtree(self.folder / self.second)
        for file in sorted((self.folder / self.first).glob("*.jsonl"))[1:]:
            file.unlink()  # they name checkpoints that know the other chain
        heads = {self.first: [len(lines_of(segment(self.folder, self.first))) - 1]}
        heads[self.first].append(line_hash(lines_of(segment(self.folder, self.first))[-1]))
        form = orjson.loads(lines_of(self.noted)[0])
        put(self.noted, [canonical({**form, "heads": heads})])

    def the_first_segments_of_a_chain(self) -> None:
        store = JsonLines(self.folder)
        assert store.prune(Retention(total_bytes=20_000))
        store.close()

    def other_records_removed(self) -> None:
        *_, last = lines_of(self.last)
        tampered(self.last, lambda of: of[:-1])
        noted = lines_of(self.noted)
        told = {
            "chain": self.second,
            "first": orjson.loads(last)["seq"],
            "hash": line_hash(last),
            "last": orjson.loads(last)["seq"],
            "segment": int(self.last.stem),
        }
        form = orjson.loads(noted[-1])
        note = {
            "at": form["at"],
            "prev": line_hash(noted[-1]),
            "removed": told,
            "seq": form["seq"] + 1,
        }
        put(self.noted, [*noted, canonical(note)])

    def what_was_recorded_since(self) -> None:
        files = {file: file.read_bytes() for file in self.folder.rglob("*.jsonl")}
        grow(self.folder, 3, first=40)
        for file in self.folder.rglob("*.jsonl"):
            if file in files:
                put(file, files[file].split(b"\n")[:-1])
            else:
                file.unlink()


@pytest.mark.parametrize(
    ("done", "alone", "with_head"),
    tables(PAGE, "What is proven, and what is not"),
    ids=lambda cell: cell[:24],
)
def test_what_is_found(done: str, alone: str, with_head: str, tmp_path: Path) -> None:
    made = Tampering(tmp_path / "records")
    assert found(made) == found(made, made.head) == "not found"
    (attack,) = [
        getattr(made, name)
        for name in vars(Tampering)
        if done.replace("*", "").startswith(name.replace("_", " "))
    ]
    attack()
    assert alone.strip("*").startswith(found(made))
    assert with_head.strip("*").startswith(found(made, made.head))


def found(made: Tampering, head: str = "") -> str:
    store = JsonLines(made.folder)
    report = verify(store, head)
    store.close()
    if not report.whole:
        return "found"
    unsure = head and any("retention" in told for told in report.unproven)
    return "told as not proven" if unsure else "not found"


# -- JSON


def test_the_keys_of_json_are_in_the_table(tmp_path: Path) -> None:
    console.write_files(PAGE, tmp_path)
    shell = partial(console.shell, folder=tmp_path)
    shell("callgate eval --record records calls.jsonl")
    shell("callgate approvals keygen auditor -o auditor.pem")
    written: dict[str, dict[str, Any]] = {}

    def run(name: str, *options: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(
            shell(f"callgate log {name} {' '.join(options)} --records records --format json")
        )
        written[f"`{name}`"] = told
        return told

    written["`stats`: `rows[]`"] = run("stats", "--by", "rule")["rows"][0]
    run("checkpoint", "--key", "auditor.pem")
    (segment,) = (tmp_path / "records").glob("*/000001.jsonl")
    text = segment.read_text("utf-8")
    changed = text.replace('"rule":"tiers.read","settings', '"rule":"tiers.write","settings')
    assert changed != text
    segment.write_text(changed, "utf-8")
    written["`verify`: `findings[]`"] = run("verify")["findings"][0]
    written["`check`: `differing[]`"] = run("check")["differing"][0]
    rows = {row[0]: row[1] for row in tables(PAGE, "As JSON")}
    assert rows.keys() == written.keys()
    for name, form in written.items():
        named = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)|a key named like `by`;", "", rows[name]))
        assert named == [key for key in form if name != "`stats`: `rows[]`" or key != "rule"], name
    (shown,) = json.loads(
        shell("callgate log query --rule human.once --records records --format json")
    )
    assert sorted(shown) == sorted({**example(), "chain": "", "seq": 0, "hash": ""})


# -- telemetry


def test_what_opentelemetry_is_told_is_in_the_tables() -> None:
    rows = tables(PAGE, "OpenTelemetry")
    words = {name for row in rows for cell in row for name in re.findall(r"`([\w.]+)`", cell)}
    named = {name for name in words if name.startswith(("callgate.", "gen_ai."))}
    source = Path(telemetry.__file__).read_text("utf-8")
    told = set(re.findall(r'"((?:callgate|gen_ai)\.[\w.]+)"', source))
    told -= {telemetry.EVENT, "callgate.record"}  # the event's own name, and a logger's
    assert named == told


def test_the_page_is_wrapped() -> None:
    inside = False
    for line in PAGE.read_text("utf-8").splitlines():
        inside ^= line.startswith("```")
        assert inside or line.startswith("|") or len(line) <= 130, line
