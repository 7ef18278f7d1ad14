"""Chains to tamper with: written by hand, so that all about them is known, or by a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from callgate.record.json_lines import JsonLines
from callgate.record.line import NO_HASH, envelope, line_hash
from callgate.record.values import canonical

A, B, C = "a" * 32, "b" * 32, "c" * 32


def record(number: int, size: int = 40) -> bytes:
    """The bytes of a record that tells its number. Its time lies after that of the segments'
    marks."""
    return canonical(
        {
            "decision_id": f"{number:032x}",
            "kind": "decision",
            "reason": f"no {number} " * size,
            "timestamp": "2099-12-01T09:00:00.000000Z",
        }
    )


def chained(chain: str, records: Iterable[bytes], seq: int = 0, prev: str = NO_HASH) -> list[bytes]:
    """Lines that follow each other."""
    lines = []
    for number, data in enumerate(records, seq):
        lines.append(envelope(chain, prev, data, number))
        prev = line_hash(lines[-1])
    return lines


def segment(folder: Path, chain: str, number: int = 1) -> Path:
    """The file of a segment."""
    return folder / chain / f"{number:06}.jsonl"


def put(file: Path, lines: Iterable[bytes]) -> None:
    """Write lines to a file, whatever its mode says, as whoever owns it can."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    file.chmod(0o600)


def lines_of(file: Path) -> list[bytes]:
    """The lines of a file."""
    return file.read_bytes().split(b"\n")[:-1]


def tampered(file: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Change the lines of a file."""
    put(file, change(lines_of(file)))


def grow(folder: Path, count: int, first: int = 0) -> str:
    """Add records to a chain of a store as a process would; returns the chain."""
    store = JsonLines(folder, segment_bytes=4096)
    lane = store.lane()
    chain = lane.chain
    for number in range(first, first + count):
        lane.append(record(number))
    store.close()
    return chain


def rehashed(folder: Path, chain: str, changed: Callable[[bytes], bytes]) -> dict[str, str]:
    """Write a whole chain anew, so that it fits again; returns the new hash of each old one."""
    seq, prev = 0, NO_HASH
    hashes = {NO_HASH: NO_HASH}
    for file in sorted((folder / chain).glob("*.jsonl")):
        old = lines_of(file)
        records = [changed(line[127 : line.rindex(b',"seq":')]) for line in old]
        new = chained(chain, records, seq, prev)
        hashes.update(zip(map(line_hash, old), map(line_hash, new), strict=True))
        seq, prev = seq + len(new), line_hash(new[-1])
        put(file, new)
    return hashes
