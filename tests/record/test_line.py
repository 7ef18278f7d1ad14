"""Lines: a record in its envelope."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.record.line import NO_HASH, Line, envelope, line_hash, split
from callgate.record.values import canonical

# A busy machine is no mistake.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
CHAIN = "0123456789abcdef" * 2
PREV = "fedcba9876543210" * 4
GOOD = envelope(CHAIN, PREV, b'{"kind":"decision"}', 7)


def test_an_envelope_is_canonical_json() -> None:
    form = {"chain": CHAIN, "prev": PREV, "record": {"kind": "decision"}, "seq": 7}
    assert canonical(form) == GOOD


def test_the_hash_is_plain_sha256() -> None:
    assert line_hash(GOOD) == hashlib.sha256(GOOD).hexdigest()
    assert len(NO_HASH) == len(line_hash(GOOD))


@UNTIMED
@given(
    st.dictionaries(st.sampled_from(["a", "seq", "chain"]), st.text() | st.just(b"".hex())),
    st.integers(0, 2**53 - 1),
)
def test_what_was_put_in_comes_out(record: dict[str, str], seq: int) -> None:
    data = canonical(record)
    assert split(envelope(CHAIN, PREV, data, seq)) == Line(CHAIN, PREV, data, seq)


def test_a_record_can_not_pretend_to_be_the_end() -> None:
    data = canonical({"a": '},"seq":3}', "b": {"seq": 3}})
    assert split(envelope(CHAIN, PREV, data, 1)) == Line(CHAIN, PREV, data, 1)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        GOOD[:-1],
        GOOD[1:],
        GOOD + b" ",
        GOOD + b"\n",
        b" " + GOOD,
        GOOD.replace(b'"seq":7', b'"seq":07'),
        GOOD.replace(b'"seq":7', b'"seq":-7'),
        GOOD.replace(b'"seq":7', b'"seq":7.0'),
        GOOD.replace(b'"seq":7', b'"seq": 7'),
        GOOD.replace(b'"seq":7', b'"seq":12345678901234567'),
        GOOD.replace(b'"seq":7', b'"seq":"7"'),
        GOOD.replace(b',"seq":7', b""),
        GOOD.replace(CHAIN.encode(), CHAIN.upper().encode()),
        GOOD.replace(PREV.encode(), PREV[1:].encode()),
        GOOD.replace(b'{"kind":"decision"}', b"[]"),
        GOOD.replace(b'{"kind":"decision"}', b"null"),
    ],
)
def test_no_lines(line: bytes) -> None:
    with pytest.raises(ValueError, match="no record in an envelope"):
        split(line)
