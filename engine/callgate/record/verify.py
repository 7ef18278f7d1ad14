"""Whether the records of a store are as they were written.

What a walk through the chains proves: no record was changed, removed or put elsewhere, as long as
the one after it is still there, and up to the heads that the checkpoints know. What it can't prove
by itself: that nobody wrote all files anew, or cut off the end of all of them. That takes a hash
kept elsewhere (`expect_head`), or a signature by a key kept elsewhere (`public_keys`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from callgate.record.checkpoints import Checkpoints
from callgate.record.finding import CHECKPOINTS, Finding, Findings, Place
from callgate.record.store import Store
from callgate.record.verify_chain import ChainWalk
from callgate.record.verify_checkpoints import Sworn, find_checkpoints, read_checkpoints
from callgate.record.verify_notes import Note, Notes

__all__ = ["Report", "verify"]

_TRIES: Final = 3
_MOST_TRIES: Final = 100

Advanced = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found.

    `findings`: what is not as it was written, the first thousand; `more`: how many others there
    are. `notices`: what need not be wrong. `unproven`: what this can't tell, and what could.
    `records` counts all lines of all chains, the marks at the ends of segments among them.
    `retired`: segments that retention removed. `since`, `until`: the times of the oldest and the
    newest record, "" without one. `newest`: the hash of the newest checkpoint. `signers`: how many
    checkpoints each public key signed, in base64; `trusted`: the keys that were given.
    """

    findings: list[Finding]
    more: int
    notices: list[str]
    unproven: list[str]
    chains: int
    segments: int
    retired: int
    records: int
    since: str
    until: str
    checkpoints: int
    newest: str
    signers: dict[str, int] = field(default_factory=dict)
    trusted: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether all is as it was written, as far as this can be told."""
        return not self.findings


def verify(
    store: Store,
    expect_head: str = "",
    public_keys: Sequence[str] = (),
    advanced: Advanced = lambda lines, size: None,
) -> Report:
    """Check all chains and checkpoints of a store.

    `expect_head`: the hash of a checkpoint or of a record, 64 hex digits, that has to be there
    still. `public_keys`: in base64; then one checkpoint at least has to be signed by one of them,
    and none by another. `advanced`: called now and then with the lines and bytes that were done.

    The store may be written to meanwhile. Raises RecordError when it can't be read, and when keys
    are given but signatures can't be checked.
    """
    checkpoints = Checkpoints(store)
    left = _TRIES
    for _ in range(_MOST_TRIES):
        before = _removals(checkpoints)
        report = _verified(store, checkpoints, expect_head, public_keys, advanced)
        if report.whole:
            break
        # Retention may have removed a segment just when it was to be read: once more. What it had
        # noted before that may have gone meanwhile, too, and then can't be read.
        if _removals(checkpoints) == before:
            left -= 1
            if not left or all(found.code != "unreadable" for found in report.findings):
                break
    return report


def _verified(
    store: Store,
    checkpoints: Checkpoints,
    expect_head: str,
    trusted: Sequence[str],
    advanced: Advanced,
) -> Report:
    findings = Findings()
    # First, so that the chains are at least as long as the checkpoints know.
    sworn = read_checkpoints(checkpoints, findings, trusted)
    walks = []
    chains = {*store.chains(), *sworn.known, *sworn.removed}
    for why in store.passed_over:
        findings.add("unreadable", "", None, Place(), why)
    for chain in sorted(chains):
        notes = Notes(sworn.removed.get(chain, ()))
        walk = ChainWalk(store, chain, findings, sworn.known.get(chain, {}), notes, expect_head)
        walk.walk(advanced)
        walks.append(walk)
    wanted = {expect_head}.union(*(walk.named for walk in walks))
    numbers = find_checkpoints(checkpoints, wanted)
    for walk in walks:
        for named, place in walk.named.items():
            if named not in numbers:
                said = f"the checkpoint {named[:16]}… that this segment names is gone"
                findings.add("removed", CHECKPOINTS, None, place, said)
    taken = [note for walk in walks for note in walk.notes.taken]
    if expect_head and expect_head not in numbers and not any(walk.found for walk in walks):
        _expected(expect_head, taken, sworn.voucher, findings)
    segments = [segment for walk in walks for segment in walk.segments]
    times = [time for segment in segments for time in (segment.since, segment.until) if time]
    return Report(
        findings.items,
        findings.more,
        _notices(walks),
        _unproven(sworn, walks, taken, expect_head, numbers.get(expect_head, -1)),
        chains=sum(bool(walk.segments) for walk in walks),
        segments=len(segments),
        retired=len(taken),
        records=sum(walk.lines for walk in walks),
        since=min(times, default=""),
        until=max(times, default=""),
        checkpoints=sworn.count,
        newest=sworn.newest,
        signers=sworn.signers,
        trusted=tuple(trusted),
    )


def _notices(walks: list[ChainWalk]) -> list[str]:
    return [
        f"a torn line at the end of {file} (bytes: {size}): it was never acknowledged, or its end "
        "was cut off"
        for walk in walks
        for file, size in walk.torn
    ]


def _removals(checkpoints: Checkpoints) -> int:
    """How often retention noted what it was about to remove."""
    return sum(b'"removed":{' in line for line in checkpoints.lines())


def _expected(head: str, taken: list[Note], voucher: int, findings: Findings) -> None:
    """Look for an expected head that is not there among what retention removed."""
    said = "the expected head is not there: the records end before it, or were written anew"
    for note in taken:
        if note.gone.hash == head:
            if note.checkpoint <= voucher:
                return
            said = (
                f"the expected head is not there: checkpoint {note.checkpoint} says that retention "
                "removed it, which no signature of a trusted key covers"
            )
    findings.add("cut", "", None, Place(), said)


def _unproven(
    sworn: Sworn, walks: list[ChainWalk], taken: list[Note], expect_head: str, expected: int
) -> list[str]:
    """What could still be otherwise. `taken`: what retention removed; `expected`: the number of
    the checkpoint that has to be there, -1 if it is none."""
    told = []
    if sworn.unchecked:
        told.append(f"that the signatures are good: {sworn.unchecked}")
    if sworn.voucher >= 0:
        after = sum(
            max(0, walk.seq - max(sworn.vouched.get(walk.chain, -1), walk.notes.last))
            for walk in walks
        )
        if after:
            told.append(
                f"that what was recorded since the newest signature ({after:,} lines) is all, and "
                "not written anew"
            )
    elif expect_head:
        told.append("that what was recorded since the expected head is all, and not written anew")
    else:
        told.append(
            "that nothing was cut off after the newest checkpoint, nor everything written anew: "
            "that takes a head kept elsewhere (--expect-head) or a signature (--public-key)"
        )
    proven = max(sworn.voucher, expected)
    retired = sum(note.checkpoint > proven for note in taken)
    if retired:
        told.append(f"that it was retention which removed segments ({retired:,} noted)")
    return told
