"""What `verify` finds in a store that is not as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["CHECKPOINTS", "Code", "Finding", "Findings", "Place"]

CHECKPOINTS: Final = "checkpoints"
"""The chain that the checkpoints form, as findings name it."""

Code = Literal[
    "changed", "removed", "re-ordered", "repeated", "cut", "foreign", "signature", "unreadable"
]
"""What happened. `repeated`: a line stands there twice; `foreign`: it is none of this chain;
`signature`: a checkpoint is not signed as it has to be; `unreadable`: a chain or segment can't be
read, or others could have written it."""

_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: the segment or file, as people find it, and the line's number in it,
    from 1; 0 for all of it."""

    file: str = ""
    line: int = 0


@dataclass(slots=True)
class Finding:
    """One thing that is not as it was written.

    `chain`: its name, `checkpoints`, or "" for all of the store. `seq`, `last`: the first and the
    last record that it is about, None for a whole chain or where that can't be told. `place`: where
    the first one stands, or should.
    """

    code: Code
    chain: str
    seq: int | None
    last: int | None
    place: Place
    message: str


class Findings:
    """What was found so far. Neighbours to which the same happened are told as one; beyond a
    thousand, findings are only counted."""

    def __init__(self) -> None:
        self.items: list[Finding] = []
        self.more = 0

    def add(
        self,
        code: Code,
        chain: str,
        seq: int | None,
        place: Place,
        message: str,
        last: int | None = None,
    ) -> None:
        """Add a finding on `seq`, or on the records from `seq` to `last`."""
        end = seq if last is None else last
        before = self.items[-1] if self.items else None
        if (
            before is not None
            and seq is not None
            and before.last is not None
            and (before.code, before.chain, before.message) == (code, chain, message)
            and before.last + 1 == seq
        ):
            before.last = end
        elif len(self.items) < _MOST:
            self.items.append(Finding(code, chain, seq, end, place, message))
        else:
            self.more += 1

    def __len__(self) -> int:
        return len(self.items) + self.more
