"""A line of a store: a record in its envelope, which chains it to the line before.

    {"chain":"<32 hex>","prev":"<64 hex>","record":{…},"seq":0}

`prev` is the SHA-256 of the line before it in the chain, without its newline; `seq` counts from 0
without gaps. Both can be told from the bytes at the ends of a line, without reading the record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

__all__ = ["NO_HASH", "Line", "envelope", "line_hash", "split"]

NO_HASH: Final = "0" * 64
"""`prev` of a chain's first line."""

_HEAD: Final = re.compile(rb'\{"chain":"([0-9a-f]{32})","prev":"([0-9a-f]{64})","record":\{')
_TAIL: Final = re.compile(rb'\},"seq":(0|[1-9][0-9]{0,15})\}\Z')
_RECORD: Final = 127
"""Where the record begins."""
_LONGEST_TAIL: Final = 25


@dataclass(frozen=True, slots=True)
class Line:
    """What a line says: `chain` and `prev` in hex, the bytes of the `record`, `seq`."""

    chain: str
    prev: str
    record: bytes
    seq: int


def envelope(chain: str, prev: str, record: bytes, seq: int) -> bytes:
    """A line, without its newline. `chain`: 32 digits in hex; `prev`: 64; `record`: the canonical
    bytes of a dict."""
    return b'{"chain":"%b","prev":"%b","record":%b,"seq":%d}' % (
        chain.encode(),
        prev.encode(),
        record,
        seq,
    )


def line_hash(line: bytes) -> str:
    """The hash of a line without its newline, in hex."""
    return sha256(line).hexdigest()


def split(line: bytes) -> Line:
    """What a line says. Raises ValueError where it is no record in an envelope; the record itself
    is not read."""
    head = _HEAD.match(line)
    tail = _TAIL.search(line, max(_RECORD, len(line) - _LONGEST_TAIL)) if head else None
    if head is None or tail is None:
        raise ValueError("no record in an envelope")
    return Line(head[1].decode(), head[2].decode(), line[_RECORD : tail.start() + 1], int(tail[1]))
