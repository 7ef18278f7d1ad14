"""Verifying: whatever is done to the files of a store is named, or is known not to be noticed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.record.checkpoints import Checkpoints
from callgate.record.finding import Findings
from callgate.record.json_lines import JsonLines
from callgate.record.line import line_hash
from callgate.record.marks import seal_record
from callgate.record.sqlite_store import SqliteStore
from callgate.record.store import Removed, Retention, Segment
from callgate.record.verify import Report, verify
from callgate.record.verify_chain import ChainWalk
from callgate.record.verify_notes import Notes
from tests.record.chains import (
    A,
    B,
    C,
    chained,
    grow,
    lines_of,
    put,
    record,
    rehashed,
    segment,
    tampered,
)

# A busy machine is no mistake.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
Lines = list[bytes]


def checked(folder: Path, expect_head: str = "") -> Report:
    return verify(JsonLines(folder, create=False), expect_head)


def told(report: Report) -> list[tuple[str, str, int | None, int | None]]:
    assert report.more == 0
    return [(found.code, found.chain, found.seq, found.last) for found in report.findings]


def places(report: Report) -> list[tuple[str, int]]:
    return [(Path(found.place.file).name, found.place.line) for found in report.findings]


# -- one chain, without checkpoints: what the chain shows by itself


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two chains of ten records each."""
    tmp_path.chmod(0o700)
    for chain in (A, B):
        put(segment(tmp_path, chain), chained(chain, map(record, range(10))))
    return tmp_path


def test_a_good_store(folder: Path) -> None:
    report = checked(folder)
    assert report.whole
    assert (report.chains, report.segments, report.records) == (2, 2, 20)
    assert not report.notices
    assert ["nothing was cut off" in text for text in report.unproven] == [True]


def test_nothing_at_all(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / C).mkdir()
    put(segment(tmp_path, A), [])
    report = checked(tmp_path)
    assert report.whole
    assert (report.chains, report.records, report.since, report.until) == (1, 0, "", "")


def moved(lines: Lines, first: int, end: int, to: int) -> Lines:
    rest = lines[:first] + lines[end:]
    return rest[:to] + lines[first:end] + rest[to:]


def again(lines: Lines, number: int, data: bytes) -> Lines:
    """A line with another record, the others as they were."""
    (line,) = chained(A, [data], number, lines[number][52:116].decode())
    return [*lines[:number], line, *lines[number + 1 :]]


def with_prev(lines: Lines, number: int, digit: bytes = b"0") -> Lines:
    line = lines[number]
    return [*lines[:number], line[:52] + digit * 64 + line[116:], *lines[number + 1 :]]


TAMPERINGS: list[tuple[str, Callable[[Lines], Lines], list[tuple[str, int, int]], list[int]]] = [
    # what is done to ten lines; findings: code, first and last seq; the lines they stand on
    ("another record", lambda x: again(x, 4, record(99)), [("changed", 4, 4)], [5]),
    ("another first record", lambda x: again(x, 0, record(99)), [("changed", 0, 0)], [1]),
    ("the last but one", lambda x: again(x, 8, record(99)), [("changed", 8, 8)], [9]),
    ("the last record", lambda x: again(x, 9, record(99)), [], []),
    (
        "two records",
        lambda x: again(again(x, 2, record(99)), 6, record(99)),
        [("changed", 2, 2), ("changed", 6, 6)],
        [3, 7],
    ),
    (
        "two neighbours, each with the hash it had",
        lambda x: again(again(x, 4, record(99)), 5, record(98)),
        [("changed", 5, 5)],  # and the message tells that 4 may be changed too
        [6],
    ),
    (
        "three neighbours",
        lambda x: again(again(again(x, 4, record(99)), 5, record(98)), 6, record(97)),
        [("changed", 5, 5), ("changed", 6, 6)],
        [6, 7],
    ),
    ("another hash", lambda x: with_prev(x, 4), [("changed", 4, 4)], [5]),
    ("another hash in the first", lambda x: with_prev(x, 0, b"1"), [("changed", 0, 0)], [1]),
    (
        "another hash in the first, and nothing else",
        lambda x: with_prev(x, 0, b"1")[:1],
        [("changed", 0, 0)],
        [1],
    ),
    ("another hash in the second", lambda x: with_prev(x, 1), [("changed", 1, 1)], [2]),
    ("another hash in the last", lambda x: with_prev(x, 9), [("changed", 8, 8)], [9]),
    ("no record", lambda x: [*x[:4], b"{}", *x[5:]], [("changed", 4, 4)], [5]),
    ("an empty line", lambda x: [*x[:4], b"", *x[5:]], [("changed", 4, 4)], [5]),
    ("no records", lambda x: [*x[:4], b"{}", b"[]", *x[6:]], [("changed", 4, 5)], [5]),
    ("no last record", lambda x: [*x[:9], b"{}"], [("changed", 9, 9)], [10]),
    ("no first record", lambda x: [b"", *x[1:]], [("changed", 0, 0)], [1]),
    ("a line in two", lambda x: [*x[:4], x[4][:200], x[4][200:], *x[5:]], [("changed", 4, 4)], [5]),
    (
        "two lines in one",
        lambda x: [*x[:4], x[4] + b" " + x[5], *x[6:]],
        [("changed", 4, 4), ("removed", 5, 5)],
        [5, 6],
    ),
    ("a line removed", lambda x: x[:4] + x[5:], [("removed", 4, 4)], [5]),
    ("lines removed", lambda x: x[:4] + x[7:], [("removed", 4, 6)], [5]),
    ("the first removed", lambda x: x[1:], [("removed", 0, 0)], [1]),
    ("the last removed", lambda x: x[:-1], [], []),
    (
        "every other removed",
        lambda x: x[1::2],
        [("removed", number, number) for number in range(0, 10, 2)],
        [1, 2, 3, 4, 5],
    ),
    ("swapped", lambda x: moved(x, 4, 5, 5), [("re-ordered", 4, 4)], [6]),
    ("swapped at the start", lambda x: moved(x, 0, 1, 1), [("re-ordered", 0, 0)], [2]),
    ("swapped at the end", lambda x: moved(x, 8, 9, 9), [("re-ordered", 8, 8)], [10]),
    ("a line put earlier", lambda x: moved(x, 7, 8, 2), [("re-ordered", 2, 6)], [4]),
    ("a block put later", lambda x: moved(x, 2, 5, 6), [("re-ordered", 2, 4)], [7]),
    (
        "turned round",
        lambda x: x[::-1],
        [("re-ordered", number, number) for number in range(8, -1, -1)],
        list(range(2, 11)),
    ),
    (
        "put later, and changed",
        lambda x: moved(again(x, 4, record(99)), 4, 5, 6),
        [("changed", 4, 4)],
        [7],
    ),
    ("twice", lambda x: [*x[:5], x[4], *x[5:]], [("repeated", 4, 4)], [6]),
    ("twice, later", lambda x: [*x[:8], x[1], *x[8:]], [("repeated", 1, 1)], [9]),
    ("all twice", lambda x: x + x, [("repeated", 0, 9)], [11]),
    ("another's", lambda x: [*x[:4], *chained(B, [b"{}"], 4), *x[4:]], [("foreign", 4, 4)], [5]),
    (
        "another's after no record",
        lambda x: [*x[:4], b"{}", *chained(B, [b"{}"], 2), *x[5:]],
        [("foreign", 2, 2), ("changed", 4, 4)],
        [6, 5],
    ),
    ("a remark", lambda x: [*x[:4], b"# nothing", *x[4:]], [("foreign", -1, -1)], [5]),
    ("a remark at the end", lambda x: [*x, b"# nothing"], [("changed", 10, 10)], [11]),
]


@pytest.mark.parametrize(
    ("change", "expected", "where"), [row[1:] for row in TAMPERINGS], ids=[r[0] for r in TAMPERINGS]
)
def test_tampering(
    folder: Path,
    change: Callable[[Lines], Lines],
    expected: list[tuple[str, int, int]],
    where: list[int],
) -> None:
    tampered(segment(folder, A), change)
    report = checked(folder)
    found = [
        (code, -1 if seq is None else seq, -1 if last is None else last)
        for code, _, seq, last in told(report)
    ]
    assert found == expected, [finding.message for finding in report.findings]
    assert places(report) == [("000001.jsonl", line) for line in where]
    assert all(chain == A for _, chain, _, _ in told(report))


TEN = chained(A, map(record, range(10)))
CHANGED: dict[str, Callable[[bytes], bytes]] = {
    "record": lambda line: line.replace(b"no ", b"No ", 1),
    "prev": lambda line: line[:52] + b"1" * 64 + line[116:],
    "seq": lambda line: line[: line.rindex(b":") + 1] + b"5}",
    "chain": lambda line: line.replace(A.encode(), B.encode()),
    "none": lambda line: line[1:],
}
NUMBER = st.integers(0, 9)
CHANGE = st.sampled_from(list(CHANGED))


@UNTIMED
@given(
    st.integers(1, 10),
    st.lists(
        st.tuples(st.sampled_from(["change", "drop", "move", "copy"]), NUMBER, NUMBER, CHANGE),
        max_size=4,
    ),
)
def test_nothing_but_a_changed_end_goes_unnoticed(
    count: int, steps: list[tuple[str, int, int, str]]
) -> None:
    """Whatever lines stand there, in whatever order and however changed."""
    lines = TEN[:count]
    for step, one, other, change in steps:
        line = lines[one % len(lines)]
        if step == "change":
            lines[one % len(lines)] = CHANGED[change](line)
        elif step != "copy" and len(lines) > 1:
            del lines[one % len(lines)]
        if step in ("move", "copy"):
            lines.insert(other % (len(lines) + 1), line)
    findings = Findings()
    ChainWalk(Given(lines), A, findings, {}, Notes(())).walk(lambda count, size: None)
    *before, last = lines
    kept = before == TEN[: len(before)] and len(lines) <= 10
    kept = kept and last.replace(b"No ", b"no ") == TEN[len(before)]
    assert (len(findings) == 0) == kept, lines
    assert all(found.seq is None or found.seq >= 0 for found in findings.items)


class Given:
    """A store of one segment with given lines."""

    folder = Path("nowhere")

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def segments(self, chain: str) -> list[Segment]:
        return [Segment(chain, 1, False, 0, 0, "", "", 0)]

    def lines(self, segment: Segment) -> Lines:
        return self._lines

    def torn(self, segment: Segment) -> int:
        return 0


def test_each_bit_of_a_line_counts(folder: Path) -> None:
    good = lines_of(segment(folder, A))
    for at in range(len(good[4])):
        for bit in (1, 4, 128):
            bad = bytearray(good[4])
            bad[at] ^= bit
            put(segment(folder, A), [*good[:4], bytes(bad), *good[5:]])
            report = checked(folder)
            assert told(report) == [("changed", A, 4, 4)], (at, bit, bytes(bad))
            assert places(report) == [("000001.jsonl", 5)]


def test_each_bit_of_the_last_line_counts_where_its_hash_is_kept(folder: Path) -> None:
    Checkpoints(JsonLines(folder)).write()
    good = lines_of(segment(folder, A))
    for at in range(len(good[9])):
        bad = bytearray(good[9])
        bad[at] ^= 1
        put(segment(folder, A), [*good[:9], bytes(bad)])
        assert told(checked(folder)) == [("changed", A, 9, 9)], (at, bytes(bad))


def test_what_checkpoints_know_is_compared_after_a_finding(folder: Path) -> None:
    lines = lines_of(segment(folder, A))
    for count in (5, 10):
        put(segment(folder, A), lines[:count])
        Checkpoints(JsonLines(folder)).write()
    put(segment(folder, A), again(lines, 9, record(99)))
    tampered(segment(folder, A), lambda x: x[:4] + x[5:])
    assert told(checked(folder)) == [("changed", A, 9, 9), ("removed", A, 4, 4)]


def test_a_line_put_into_another_chain(folder: Path) -> None:
    lines = lines_of(segment(folder, A))
    tampered(segment(folder, A), lambda x: x[:4] + x[5:])
    tampered(segment(folder, B), lambda x: [*x[:7], lines[4], *x[7:]])
    report = checked(folder)
    assert told(report) == [("removed", A, 4, 4), ("foreign", B, 4, 4)]
    assert A in report.findings[1].message


def test_chains_that_changed_names(folder: Path) -> None:
    one, other = lines_of(segment(folder, A)), lines_of(segment(folder, B))
    put(segment(folder, A), other)
    put(segment(folder, B), one)
    report = checked(folder)
    assert told(report) == [("changed", A, 0, 9), ("changed", B, 0, 9)]
    assert [B in report.findings[0].message, A in report.findings[1].message] == [True, True]


def test_a_torn_last_line_is_no_finding(folder: Path) -> None:
    with segment(folder, A).open("ab") as file:
        file.write(b'{"chain":"aaaa')
    report = checked(folder)
    assert report.whole
    assert report.records == 20
    assert ["(bytes: 14)" in text for text in report.notices] == [True]


def test_many_findings_are_counted(folder: Path) -> None:
    lines = chained(A, [record(number, 1) for number in range(5000)])
    put(segment(folder, A), lines[::2])
    report = checked(folder)
    assert len(report.findings) == 1000
    assert report.more == 2499 - 1000


def test_a_shuffled_chain_takes_no_time(folder: Path) -> None:
    """Each record that is missing has to be found again among the many that are."""
    lines = chained(A, [record(number, 1) for number in range(20_000)])
    put(segment(folder, A), [*lines[1::2], *lines[0::2]])
    report = checked(folder)
    assert {found.code for found in report.findings} == {"re-ordered"}
    assert len(report.findings) + report.more == 10_000


# -- a store's own chains, with checkpoints


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A store with two chains, the first of several segments, as two processes left it; and their
    names."""
    folder = tmp_path_factory.mktemp("records")
    store = JsonLines(folder, segment_bytes=4096)
    lane = store.lane()
    chain, other = lane.chain, grow(folder, 3)
    for number in range(40):
        lane.append(record(number))
    store.close()
    return folder, chain, other


@pytest.fixture
def left(template: tuple[Path, str, str], tmp_path: Path) -> tuple[Path, str, str]:
    folder = tmp_path / "records"
    shutil.copytree(template[0], folder)
    return folder, template[1], template[2]


def numbers(folder: Path, chain: str) -> list[int]:
    return sorted(int(file.stem) for file in (folder / chain).glob("*.jsonl"))


def ends(folder: Path, chain: str, number: int) -> tuple[int, int]:
    """`seq` of the first and last line of a segment."""
    segments = JsonLines(folder).segments(chain)
    (found,) = [each for each in segments if each.number == number]
    return found.first_seq, found.last_seq


def test_a_good_store_with_checkpoints(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    report = checked(folder)
    assert report.whole, report.findings
    assert (report.chains, report.segments) == (2, len(numbers(folder, chain)) + 1)
    assert report.segments > 4
    assert report.checkpoints > 3
    assert report.newest == Checkpoints(JsonLines(folder)).newest()
    assert report.since.startswith("20")


def test_each_checkpoint_and_record_can_be_the_expected_head(left: tuple[Path, str, str]) -> None:
    folder, chain, other = left
    lines = [
        line
        for name in (chain, other)
        for n in numbers(folder, name)
        for line in lines_of(segment(folder, name, n))
    ]
    for line in [*lines[::7], *lines_of(folder / "checkpoints.jsonl")]:
        assert checked(folder, line_hash(line)).whole
    assert told(checked(folder, "0" * 63 + "1")) == [("cut", "", None, None)]


def test_a_cut_tail(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    number = numbers(folder, chain)[-1]
    first, last = ends(folder, chain, number)
    tampered(segment(folder, chain, number), lambda x: x[:-1])
    report = checked(folder)
    assert told(report) == [("cut", chain, last, last)]
    assert places(report) == [(f"{number:06}.jsonl", last - first)]


def test_a_cut_tail_that_no_checkpoint_knows(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    number = numbers(folder, chain)[-1]
    file = segment(folder, chain, number)
    (late,) = chained(
        chain, [record(99)], ends(folder, chain, number)[1] + 1, line_hash(lines_of(file)[-1])
    )
    tampered(file, lambda x: [*x, late])
    head = line_hash(late)
    assert checked(folder, head).whole
    tampered(file, lambda x: x[:-1])
    assert checked(folder).whole
    assert told(checked(folder, head)) == [("cut", "", None, None)]


def test_a_chain_removed(left: tuple[Path, str, str]) -> None:
    folder, _, other = left
    shutil.rmtree(folder / other)
    report = checked(folder)
    assert told(report) == [("removed", other, None, None)]
    assert "all of the chain is gone" in report.findings[0].message


def test_a_chain_emptied(left: tuple[Path, str, str]) -> None:
    folder, _, other = left
    put(segment(folder, other), [])
    assert told(checked(folder)) == [("removed", other, None, None)]


def test_a_segment_removed(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    first, last = ends(folder, chain, 2)
    segment(folder, chain, 2).unlink()
    report = checked(folder)
    assert told(report) == [("removed", chain, first, last)]
    assert places(report) == [("000003.jsonl", 1)]
    assert "segment 2 is not there" in report.findings[0].message


def test_the_first_segments_removed(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    last = ends(folder, chain, 2)[1]
    segment(folder, chain, 1).unlink()
    segment(folder, chain, 2).unlink()
    report = checked(folder)
    assert told(report) == [("removed", chain, 0, last)]
    assert "segments 1 to 2 are not there" in report.findings[0].message


def test_the_newest_segment_removed(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    number = numbers(folder, chain)[-1]
    first, last = ends(folder, chain, number)
    segment(folder, chain, number).unlink()
    report = checked(folder)
    assert told(report) == [("cut", chain, first, last)]
    assert places(report)[0][0] == f"{number - 1:06}.jsonl"


def test_segments_that_changed_names(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    one, other = segment(folder, chain, 2), segment(folder, chain, 3)
    (first, last), beside = ends(folder, chain, 2), folder / "beside"
    one.rename(beside)
    other.rename(one)
    beside.rename(other)
    assert told(checked(folder)) == [("re-ordered", chain, first, last)]


def test_what_retention_removed_is_no_finding(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    before = line_hash(lines_of(segment(folder, chain, 1))[-1])
    removed = JsonLines(folder).prune(Retention(total_bytes=10_000))
    assert len(removed) >= 2
    report = checked(folder)
    assert report.whole, report.findings
    assert report.retired == len(removed)
    assert any("retention which removed" in text for text in report.unproven)
    # Its hash is noted, but only a signature tells that nobody made the note up.
    assert told(checked(folder, before)) == [("cut", "", None, None)]
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    Checkpoints(JsonLines(folder)).write(key)
    public = b64encode(key.public_key().public_bytes_raw()).decode()
    assert verify(JsonLines(folder), before, [public]).whole
    # The one after may not be missing, too.
    first, last = ends(folder, chain, len(removed) + 1)
    segment(folder, chain, len(removed) + 1).unlink()
    assert told(checked(folder)) == [("removed", chain, first, last)]


def test_what_comes_after_retention_carries_the_hash_that_was_noted(
    left: tuple[Path, str, str],
) -> None:
    folder, chain, _ = left
    removed = JsonLines(folder).prune(Retention(total_bytes=10_000))
    first = removed[-1].last + 1
    number = removed[-1].segment + 1
    tampered(segment(folder, chain, number), lambda x: with_prev(x, 0)[:1])
    for later in numbers(folder, chain)[1:]:
        segment(folder, chain, later).unlink()
    (folder / "checkpoints.jsonl").write_bytes(
        b"".join(
            line + b"\n" for line in lines_of(folder / "checkpoints.jsonl") if b'"removed"' in line
        )
    )
    found = [finding for finding in told(checked(folder)) if finding[1] == chain]
    assert found == [("changed", chain, first, first)]


def cut(folder: Path, kept: dict[int, range]) -> None:
    """Leave of chain A, which has ten records in one segment, only these in these segments."""
    lines = lines_of(segment(folder, A))
    segment(folder, A).unlink()
    for number, seqs in kept.items():
        put(segment(folder, A, number), [lines[seq] for seq in seqs])


FORGED: list[tuple[str, dict[int, range], list[tuple[int, int, int]], list[tuple[str, int, int]]]]
FORGED = [
    # what is left, by segment; notes: segment, first, last; findings on chain A
    ("a whole first segment", {2: range(5, 10)}, [(1, 0, 4)], []),
    ("two", {3: range(5, 10)}, [(1, 0, 2), (2, 3, 4)], []),
    ("noted again", {2: range(5, 10)}, [(1, 0, 4), (1, 0, 4)], []),
    ("not done yet", {1: range(10)}, [(1, 0, 9)], []),
    ("a tail", {1: range(6)}, [(1, 6, 9)], [("removed", 6, 9), ("cut", 6, 9)]),
    ("a tail of another", {1: range(6)}, [(2, 6, 9)], [("removed", 6, 9), ("cut", 6, 9)]),
    ("a middle", {1: [*range(3), *range(6, 10)]}, [(1, 3, 5)],
     [("removed", 3, 5), ("removed", 3, 5)]),
    ("a beginning", {1: range(5, 10)}, [(1, 0, 4)], [("removed", 0, 4), ("removed", 0, 4)]),
    ("not the first", {1: range(3), 3: range(6, 10)}, [(2, 3, 5)],
     [("removed", 3, 5), ("removed", 3, 5)]),
    ("one is not noted", {3: range(5, 10)}, [(2, 3, 4)], [("removed", 3, 4), ("removed", 0, 4)]),
    ("less than was there", {2: range(5, 10)}, [(1, 0, 2)], [("removed", 3, 4)]),
    ("all", {}, [(1, 0, 9)], [("removed", 0, 9), ("removed", -1, -1)]),
    ("all but an empty one", {2: range(0)}, [(1, 0, 9)],
     [("removed", 0, 9), ("removed", -1, -1)]),
    ("what never was", {1: range(10)}, [(1, 500, 2**52)], [("removed", 500, 2**52)]),
    ("more than is there", {1: range(10)}, [(1, 0, 12)], [("removed", 0, 12)]),
    ("otherwise later", {2: range(5, 10)}, [(1, 0, 4), (1, 0, 3)], [("removed", 0, 3)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kept", "notes", "expected"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED]
)
def test_a_note_hides_only_what_retention_removes(
    folder: Path,
    kept: dict[int, range],
    notes: list[tuple[int, int, int]],
    expected: list[tuple[str, int, int]],
) -> None:
    lines = lines_of(segment(folder, A))
    if not expected and kept.get(1):
        lines = chained(A, [*map(record, range(9)), seal_record(0, 8)])
        put(segment(folder, A), lines)
    checkpoints = Checkpoints(JsonLines(folder))
    checkpoints.write()
    for number, first, last in notes:
        hash_ = line_hash(lines[min(last, 9)])
        checkpoints.note_removed(Removed(A, number, first, last, hash_))
    cut(folder, kept)
    report = checked(folder)
    assert [
        (code, -1 if seq is None else seq, -1 if last is None else last)
        for code, _, seq, last in told(report)
    ] == expected, report.findings
    # It does not make up for the head that was expected, either.
    gone = line_hash(lines[notes[-1][2]]) if notes[-1][2] < 9 else ""
    if gone and not expected:
        assert "which no signature" in checked(folder, gone).findings[-1].message


def test_a_note_has_the_hash_that_checkpoints_know(folder: Path) -> None:
    lines = lines_of(segment(folder, A))
    put(segment(folder, A), lines[:5])
    Checkpoints(JsonLines(folder)).write()
    Checkpoints(JsonLines(folder)).note_removed(Removed(A, 1, 0, 4, "1" * 64))
    segment(folder, A).unlink()
    put(segment(folder, A, 2), chained(A, map(record, range(9)), 5, "1" * 64))
    assert told(checked(folder)) == [("changed", A, 4, 4)]


ODD: list[tuple[str, Callable[[Path], object]]] = [
    ("a file", lambda place: place.write_bytes(b"x")),
    ("a pipe", lambda place: os.mkfifo(place)),
    ("a link", lambda place: place.symlink_to(place.parent / B)),
    ("a link to nothing", lambda place: place.symlink_to("nowhere")),
    ("a folder as segment", lambda place: segment(place.parent, C).mkdir(parents=True)),
    ("a pipe as segment", lambda place: (place.mkdir(), os.mkfifo(segment(place.parent, C)))),
    ("a link as segment", lambda place: (place.mkdir(),
                                         segment(place.parent, C).symlink_to("/dev/zero"))),
    ("anybody's segment", lambda place: (put(segment(place.parent, C), [b"{}"]),
                                         segment(place.parent, C).chmod(0o666))),
]  # fmt: skip


@pytest.mark.parametrize("damage", [row[1] for row in ODD], ids=[row[0] for row in ODD])
def test_what_can_not_be_read_is_a_finding(folder: Path, damage: Callable[[Path], object]) -> None:
    """And keeps nobody from recording, nor from reading the rest."""
    damage(folder / C)
    tampered(segment(folder, A), lambda x: again(x, 4, record(99)))
    codes = [(found.code, found.chain) for found in checked(folder).findings]
    assert sorted(codes) in (
        [("changed", A), ("unreadable", "")],
        [("changed", A), ("unreadable", C)],
    )
    chain = grow(folder, 3)
    store = JsonLines(folder)
    assert chain != C
    assert len(list(store.candidates([], "", "", True))) > 20
    assert len(store.passed_over) == 1
    assert C in store.passed_over[0]
    assert C not in orjson.loads(lines_of(folder / "checkpoints.jsonl")[-1])["heads"]


def test_a_segment_between_that_can_not_be_read(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    first, last = ends(folder, chain, 2)
    segment(folder, chain, 2).chmod(0o666)
    report = checked(folder)
    assert told(report) == [("unreadable", chain, None, None), ("removed", chain, first, last)]
    assert "segment 2 can't be read" in report.findings[1].message


def test_a_removal_that_was_not_finished(left: tuple[Path, str, str]) -> None:
    """A process was killed after it had noted the removal, before it removed."""
    folder, chain, _ = left
    kept = {n: lines_of(segment(folder, chain, n)) for n in numbers(folder, chain)}
    removed = JsonLines(folder).prune(Retention(total_bytes=10_000))
    put(segment(folder, chain, removed[-1].segment), kept[removed[-1].segment])
    assert checked(folder).whole


def test_a_chain_that_was_written_anew(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    rehashed(folder, chain, lambda data: data.replace(b"no 5", b"no 6"))
    report = checked(folder)
    assert [finding[:2] for finding in told(report)] == [("changed", chain)]
    assert "checkpoint" in report.findings[0].message


def test_a_store_that_was_written_anew(left: tuple[Path, str, str]) -> None:
    """With checkpoints that fit: only what is kept elsewhere tells."""
    folder, chain, other = left
    head = Checkpoints(JsonLines(folder)).newest()
    for file in (folder / chain).glob("*.jsonl"):
        tampered(file, lambda x: [line.replace(b"no 5", b"no 6") for line in x])
    store = JsonLines(folder)
    (folder / "checkpoints.jsonl").unlink()
    rehashed(folder, chain, lambda data: _without_checkpoint(data))
    rehashed(folder, other, lambda data: _without_checkpoint(data))
    Checkpoints(store).write()
    assert checked(folder).whole
    assert told(checked(folder, head)) == [("cut", "", None, None)]


def _without_checkpoint(data: bytes) -> bytes:
    before, found, after = data.partition(b'"checkpoint":"')
    return before + found + b"0" * 64 + after[64:] if found else data


def test_a_known_chain_that_became_a_link(left: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, chain, _ = left
    (folder / chain).rename(tmp_path / chain)
    (folder / chain).symlink_to(tmp_path / chain)
    report = checked(folder)
    assert [found[:2] for found in told(report)] == [("unreadable", ""), ("unreadable", chain)]


def test_the_key_does_not_matter(left: tuple[Path, str, str]) -> None:
    folder, _, _ = left
    before = JsonLines(folder).key
    (folder / "key").write_bytes(os.urandom(32))
    assert JsonLines(folder).key != before
    assert checked(folder).whole


def test_a_store_that_is_written_to(left: tuple[Path, str, str]) -> None:
    folder, _, _ = left
    store = JsonLines(folder, segment_bytes=4096)
    lane = store.lane()
    for number in range(40):
        lane.append(record(number))
        report = checked(folder)
        assert report.whole, report.findings
    store.close()


def test_retention_while_it_is_verified(left: tuple[Path, str, str]) -> None:
    """What is removed between the look at the checkpoints and that at the chains was not stolen."""
    folder, _, _ = left

    class Pruned(JsonLines):
        def chains(self) -> list[str]:
            found = super().chains()
            JsonLines(folder).prune(Retention(total_bytes=10_000))
            return found

    assert verify(Pruned(folder)).whole


@pytest.mark.parametrize("times", [2, 20])
def test_retention_again_and_again_while_it_is_verified(
    left: tuple[Path, str, str], times: int
) -> None:
    folder, _, _ = left
    grow(folder, 100)
    left_over = iter(range(times))

    class Pruned(JsonLines):
        def chains(self) -> list[str]:
            found = super().chains()
            if next(left_over, None) is not None:
                size = sum(each.size for name in found for each in self.segments(name))
                assert JsonLines(folder).prune(Retention(total_bytes=size - 1))
            return found

    assert verify(Pruned(folder)).whole


def test_what_was_noted_before_goes_while_it_is_verified(left: tuple[Path, str, str]) -> None:
    folder, chain, _ = left
    JsonLines(folder).prune(Retention(total_bytes=10_000))
    number = numbers(folder, chain)[0]
    first, last = ends(folder, chain, number)
    head = line_hash(lines_of(segment(folder, chain, number))[-1])
    Checkpoints(JsonLines(folder)).note_removed(Removed(chain, number, first, last, head))

    class Gone(JsonLines):
        def segments(self, chain: str) -> list[Segment]:
            found = super().segments(chain)
            if found and found[0].number == number:
                segment(folder, chain, number).unlink(missing_ok=True)
            return found

    assert verify(Gone(folder)).whole


# -- SQLite


def test_tampering_in_sqlite(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    file = tmp_path / "records.db"
    store = SqliteStore(file)
    lane = store.lane()
    chain = lane.chain
    for number in range(10):
        lane.append(record(number))
    store.close()
    assert verify(SqliteStore(file, create=False)).whole
    with closing(sqlite3.connect(file)) as database:
        database.execute("DROP TRIGGER lines_change")
        database.execute("DROP TRIGGER lines_go")
        database.execute("UPDATE lines SET line = replace(line, 'no 3', 'no 4') WHERE seq = 4")
        database.execute("DELETE FROM lines WHERE seq IN (6, 10)")
        database.commit()
    report = verify(SqliteStore(file, create=False))
    assert told(report) == [
        ("changed", chain, 4, 4),
        ("removed", chain, 6, 6),
        ("cut", chain, 10, 10),
    ]
    assert places(report) == [("segment 1", 5), ("segment 1", 7), ("segment 1", 9)]
