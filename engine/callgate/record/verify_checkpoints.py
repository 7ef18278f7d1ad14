"""What the checkpoints of a store say, and whether they are as they were written."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from callgate.record.checkpoints import LONGEST, Checkpoints
from callgate.record.errors import RecordError
from callgate.record.finding import CHECKPOINTS, Findings, Place
from callgate.record.line import NO_HASH, line_hash
from callgate.record.signing import signed
from callgate.record.store import Removed
from callgate.record.values import canonical
from callgate.record.verify_links import Known, Link, Links
from callgate.record.verify_notes import Note

__all__ = ["Sworn", "find_checkpoints", "read_checkpoints"]

_CHAIN: Final = re.compile("[0-9a-f]{32}")
_HASH: Final = re.compile("[0-9a-f]{64}")
_FIELDS: Final = frozenset({"at", "prev", "seq"})


@dataclass(slots=True)
class Sworn:
    """What the checkpoints say.

    `known`: by chain and `seq`, what they know of records; `removed`: by chain, what they say that
    retention removed; `signers`: how many each key signed;
    `vouched`: the heads, by chain, that the newest one signed by a trusted key knows, with its
    number in `voucher`, -1 if there is none. `unchecked`: why signatures could not be checked.
    """

    count: int = 0
    newest: str = NO_HASH
    known: dict[str, dict[int, Known]] = field(default_factory=dict)
    removed: dict[str, list[Note]] = field(default_factory=dict)
    signers: dict[str, int] = field(default_factory=dict)
    vouched: dict[str, int] = field(default_factory=dict)
    voucher: int = -1
    unchecked: str = ""


def read_checkpoints(
    checkpoints: Checkpoints, findings: Findings, trusted: Collection[str]
) -> Sworn:
    """Read all checkpoints. `trusted`: the public keys, in base64, whose signatures count; empty:
    each may be signed by any. Raises RecordError."""
    sworn = Sworn()
    links = Links(CHECKPOINTS, findings, {})
    file = str(checkpoints.path)
    place = before = Place(file)
    for number, line in enumerate(checkpoints.lines(), 1):
        place, hash = Place(file, number), line_hash(line)
        form = _form(line)
        sworn.count, sworn.newest = number, hash
        if form is None:
            links.odd(None, hash, place, before, "")
        else:
            if (form["prev"], form["seq"]) == (links.prev, links.seq):
                links.follow(hash)
            else:
                link = Link(CHECKPOINTS, form["prev"], form["seq"])
                links.odd(link, hash, place, before, "")
            _learn(sworn, form, findings, place)
            if "signature" in form:
                _check_signature(sworn, form, findings, place, trusted)
        before = place
    links.end(place)
    if trusted and sworn.voucher < 0:
        said = "no checkpoint is signed by a key that was given"
        findings.add("signature", CHECKPOINTS, None, Place(file), said)
    return sworn


def find_checkpoints(checkpoints: Checkpoints, hashes: Collection[str]) -> dict[str, int]:
    """The numbers of the checkpoints that have one of these hashes. Raises RecordError."""
    told = ((line_hash(line), number) for number, line in enumerate(checkpoints.lines()))
    return {hash: number for hash, number in told if hash in hashes}


def _form(line: bytes) -> dict[str, Any] | None:
    """What a line says; None where it is no checkpoint."""
    if len(line) > LONGEST:
        return None
    try:
        form = orjson.loads(line)
        if canonical(form) != line or type(form["seq"]) is not int or type(form["at"]) is not str:
            return None
        kind = (form.keys() - _FIELDS) - {"signature"}
        if type(form["prev"]) is not str or kind not in ({"heads"}, {"removed"}):
            return None
        if "heads" in form:
            _heads(form)
        else:
            _removed(form)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    good: dict[str, Any] = form
    return good


def _heads(form: dict[str, Any]) -> dict[str, tuple[int, str]]:
    heads = {chain: (seq, hash) for chain, (seq, hash) in form["heads"].items()}
    for chain, (seq, hash) in heads.items():
        if type(seq) is not int or not _CHAIN.fullmatch(chain) or not _HASH.fullmatch(hash):
            raise ValueError
    return heads


def _removed(form: dict[str, Any]) -> Removed:
    told = Removed(**form["removed"])
    numbers = (told.segment, told.first, told.last)
    if not all(type(number) is int for number in numbers) or told.first > told.last:
        raise ValueError
    if not _CHAIN.fullmatch(told.chain) or not _HASH.fullmatch(told.hash):
        raise ValueError
    return told


def _learn(sworn: Sworn, form: dict[str, Any], findings: Findings, place: Place) -> None:
    if "removed" in form:
        gone = _removed(form)
        sworn.removed.setdefault(gone.chain, []).append(Note(gone, form["seq"], place))
        return
    for chain, (seq, hash) in _heads(form).items():
        new = Known(hash, form["seq"])
        known = sworn.known.setdefault(chain, {}).setdefault(seq, new)
        if known.hash != hash:
            said = f"checkpoint {known.checkpoint} knows another record of that number"
            findings.add("changed", chain, seq, place, said)


def _check_signature(
    sworn: Sworn, form: dict[str, Any], findings: Findings, place: Place, trusted: Collection[str]
) -> None:
    payload = canonical({name: form[name] for name in form if name != "signature"})
    signature = form["signature"]
    try:
        good = signed(payload, signature)
    except RecordError as error:
        if trusted:
            raise
        sworn.unchecked = str(error)
        return
    if not good:
        said = "the signature is not one of the key that it names on this checkpoint"
        findings.add("signature", CHECKPOINTS, form["seq"], place, said)
        return
    key = signature["key"]
    sworn.signers[key] = sworn.signers.get(key, 0) + 1
    if trusted and key not in trusted:
        said = "it is signed by a key that was not given"
        findings.add("signature", CHECKPOINTS, form["seq"], place, said)
    elif trusted and "heads" in form:
        sworn.vouched = {chain: seq for chain, (seq, _) in _heads(form).items()}
        sworn.voucher = form["seq"]
