"""Checkpoints: what they note, who may add to them, and what happens to one that is tampered
with."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from callgate.record.checkpoints import LONGEST, Checkpoints
from callgate.record.errors import RecordError
from callgate.record.finding import CHECKPOINTS
from callgate.record.json_lines import JsonLines
from callgate.record.line import NO_HASH, line_hash
from callgate.record.signing import public_key, sign, signing_key
from callgate.record.store import Removed
from callgate.record.values import canonical
from callgate.record.verify import Report, verify
from callgate.storage.signing_keys import new_key
from tests.record.chains import A, B, chained, grow, lines_of, put, record, segment, tampered

KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))


def public(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


class Heads:
    """A store of which only the heads matter."""

    def __init__(self, folder: Path, **heads: tuple[int, str]) -> None:
        folder.chmod(0o700)
        self.folder = folder
        self.heads = heads

    def chains(self) -> list[str]:
        return sorted(self.heads)

    def head(self, chain: str) -> tuple[int, str]:
        return self.heads[chain]

    def pass_over(self, why: RecordError) -> None:
        raise why


def forms(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in lines_of(folder / "checkpoints.jsonl")]


def rechained(folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    """Change what the checkpoints say, so that they fit each other."""
    lines: list[bytes] = []
    for number, form in enumerate(change(forms(folder))):
        form |= {"seq": number, "prev": line_hash(lines[-1]) if lines else NO_HASH}
        lines.append(canonical(form))
    put(folder / "checkpoints.jsonl", lines)


# -- writing


def test_what_a_checkpoint_says(tmp_path: Path) -> None:
    store = Heads(tmp_path, a=(4, "4" * 64), b=(-1, NO_HASH))
    checkpoints = Checkpoints(store)
    assert checkpoints.newest() == NO_HASH
    first = checkpoints.write()
    store.heads["b"] = (0, "0" * 63 + "1")
    second = checkpoints.write()
    one, two = forms(tmp_path)
    assert one.pop("at") <= two.pop("at")
    assert one == {"heads": {"a": [4, "4" * 64]}, "prev": NO_HASH, "seq": 0}
    assert two == {
        "heads": {"a": [4, "4" * 64], "b": [0, "0" * 63 + "1"]},
        "prev": first,
        "seq": 1,
    }
    lines = lines_of(checkpoints.path)
    assert [line_hash(line) for line in lines] == [first, second]
    assert checkpoints.newest() == second
    assert list(checkpoints.lines()) == lines
    assert checkpoints.path.stat().st_mode & 0o777 == 0o600


def test_what_is_known_already_is_not_written(tmp_path: Path) -> None:
    store = Heads(tmp_path)
    checkpoints = Checkpoints(store)
    assert checkpoints.write() == NO_HASH
    store.heads["a"] = (1, "1" * 64)
    first = checkpoints.write()
    assert checkpoints.write() == first
    signed = checkpoints.write(KEY)
    assert signed != first
    assert checkpoints.write(KEY) == checkpoints.write() == signed
    other = checkpoints.write(OTHER)
    assert len({first, signed, other}) == len(forms(tmp_path)) == 3


def test_a_removal(tmp_path: Path) -> None:
    store = Heads(tmp_path, a=(9, "9" * 64))
    checkpoints = Checkpoints(store)
    before = checkpoints.write()
    noted = checkpoints.note_removed(Removed("a", 1, 0, 4, "4" * 64))
    assert noted == checkpoints.newest()
    last = forms(tmp_path)[-1]
    del last["at"]
    gone = {"chain": "a", "first": 0, "hash": "4" * 64, "last": 4, "segment": 1}
    assert last == {"prev": before, "removed": gone, "seq": 1}
    assert checkpoints.write() != noted


@pytest.mark.parametrize("chains", [1, 600, 3000])
def test_long_checkpoints(tmp_path: Path, chains: int) -> None:
    """Whatever the length of a line, the last one is found."""
    store = Heads(tmp_path, **{f"{n:032x}": (n, f"{n:064x}") for n in range(chains)})
    checkpoints = Checkpoints(store)
    for number in range(5):
        store.heads[f"{0:032x}"] = (number, f"{number:064x}")
        assert checkpoints.write() == checkpoints.newest()
    assert [form["seq"] for form in forms(tmp_path)] == [0, 1, 2, 3, 4]
    assert [form["prev"] for form in forms(tmp_path)[1:]] == [
        line_hash(line) for line in lines_of(checkpoints.path)[:-1]
    ]


@pytest.mark.parametrize("chains", [1, 1200])
def test_a_torn_line_is_cut_off(tmp_path: Path, chains: int) -> None:
    store = Heads(tmp_path, **{f"{n:032x}": (n, f"{n:064x}") for n in range(chains)})
    checkpoints = Checkpoints(store)
    first = checkpoints.write()
    with checkpoints.path.open("ab") as file:
        file.write(b'{"at":"20')
    assert checkpoints.newest() == first
    assert len(list(checkpoints.lines())) == 1
    store.heads["a" * 32] = (2, "2" * 64)
    second = checkpoints.write()
    assert [line_hash(line) for line in lines_of(checkpoints.path)] == [first, second]


@pytest.mark.parametrize("last", [b"\0" * 200, b"[]", b'{"seq":"1"}', b'{"seq":9007199254740991}'])
def test_a_line_that_can_not_be_read_is_no_reason_to_stop(tmp_path: Path, last: bytes) -> None:
    store = Heads(tmp_path, a=(1, "1" * 64))
    checkpoints = Checkpoints(store)
    checkpoints.write()
    with checkpoints.path.open("ab") as file:
        file.write(last + b"\n")
    checkpoints.write()
    form = orjson.loads(lines_of(checkpoints.path)[-1])
    assert (form["seq"], form["prev"]) == (2, line_hash(last))


def test_many_at_once(tmp_path: Path) -> None:
    """Each has the file open by itself, as processes have."""
    inside = []

    class Slow(Heads):
        def chains(self) -> list[str]:
            inside.append(self)
            return super().chains()

        def head(self, chain: str) -> tuple[int, str]:
            for _ in range(100):
                os.sched_yield()  # so that another could come in
            assert inside == [self]
            inside.clear()
            return super().head(chain)

    def write(name: str) -> list[str]:
        told = []
        for number in range(20):
            told.append(Checkpoints(Slow(tmp_path, **{name: (number, f"{number:064x}")})).write())
        return told

    with ThreadPoolExecutor(4) as pool:
        told = [hash for hashes in pool.map(write, "abcd") for hash in hashes]
    lines = lines_of(tmp_path / "checkpoints.jsonl")
    assert sorted(told) == sorted(map(line_hash, lines))
    assert [form["seq"] for form in forms(tmp_path)] == list(range(80))
    assert [form["prev"] for form in forms(tmp_path)] == [NO_HASH, *map(line_hash, lines[:-1])]


def test_a_full_disk(tmp_path: Path) -> None:
    """A checkpoint that does not fit leaves no part of itself."""
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from callgate.record.errors import RecordError\n"
        "from tests.record.test_checkpoints import Checkpoints, Heads\n"
        "store = Heads(Path(sys.argv[1]), a=(1, '1' * 64))\n"
        "Checkpoints(store).write()\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "size = Checkpoints(store).path.stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, size + 50))\n"
        "store.heads['a'] = (2, '2' * 64)\n"
        "try:\n"
        "    Checkpoints(store).write()\n"
        "except RecordError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True
    )
    assert "can't be used" in done.stdout
    data = (tmp_path / "checkpoints.jsonl").read_bytes()
    assert (data.count(b"\n"), data[-1:]) == (1, b"\n")


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_that_is_too_long(tmp_path: Path, end: bytes) -> None:
    """It is read in time that grows with its length, not with the square of that, and only its end
    is kept."""
    store = Heads(tmp_path, a=(1, "1" * 64))
    checkpoints = Checkpoints(store)
    checkpoints.write()
    with checkpoints.path.open("ab") as file:
        file.write(b"x" * (2 * LONGEST + 100) + end)
    store.heads["a"] = (2, "2" * 64)
    checkpoints.write()
    lines = list(checkpoints.lines())
    assert [len(line) for line in lines[1:-1]] == ([LONGEST + 1] if end else [])
    form = orjson.loads(lines[-1])
    assert (form["seq"], form["prev"]) == (len(lines) - 1, line_hash(lines[-2]))


def test_only_the_end_of_a_line_is_no_checkpoint(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Checkpoints(JsonLines(folder)).write(KEY)  # longer than those before it
    good = lines_of(folder / "checkpoints.jsonl")[-1]
    for name in ("checkpoints", "verify_checkpoints"):
        monkeypatch.setattr(f"callgate.record.{name}.LONGEST", len(good) - 1)
    tampered(folder / "checkpoints.jsonl", lambda x: [*x[:-1], b"x" * 500 + good])
    assert told(checked(folder)) == [("changed", CHECKPOINTS, 5, 5)]


def test_a_checkpoint_is_never_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(Heads(tmp_path, a=(1, "1" * 64)))
    monkeypatch.setattr("callgate.record.checkpoints.LONGEST", 100)
    with pytest.raises(RecordError, match="too many chains"):
        checkpoints.write()
    assert list(checkpoints.lines()) == []


def test_files_that_are_refused(tmp_path: Path) -> None:
    checkpoints = Checkpoints(Heads(tmp_path, a=(1, "1" * 64)))
    (tmp_path / "elsewhere").write_bytes(b"")
    checkpoints.path.symlink_to(tmp_path / "elsewhere")
    for use in (checkpoints.write, checkpoints.newest, lambda: list(checkpoints.lines())):
        with pytest.raises(RecordError, match="checkpoints"):
            use()
    assert (tmp_path / "elsewhere").read_bytes() == b""


# -- keys


def test_keys_in_files(tmp_path: Path) -> None:
    pem, text = new_key()
    tmp_path.chmod(0o700)
    (tmp_path / "a.pem").write_bytes(pem)
    (tmp_path / "a.pub").write_text(text + "\n")
    (tmp_path / "approvers.keys").write_text(f"ann {text}\n")
    assert public(signing_key(tmp_path / "a.pem")) == text
    assert public_key(text) == text
    assert public_key(str(tmp_path / "a.pub")) == text
    assert public_key(str(tmp_path / "approvers.keys")) == text


def test_no_keys(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "two").write_text(f"{public(KEY)}\n{public(OTHER)}\n")
    (tmp_path / "none").write_text("nothing")
    (tmp_path / "a.pem").write_bytes(b"nothing")
    for text in ("", "abc", public(KEY)[:-2], str(tmp_path / "missing"), str(tmp_path)):
        with pytest.raises(RecordError, match="neither 32 bytes in base64 nor a file"):
            public_key(text)
    for name in ("two", "none"):
        with pytest.raises(RecordError, match="does not hold one public key"):
            public_key(str(tmp_path / name))
    for name in ("a.pem", "missing"):
        with pytest.raises(RecordError, match="key"):
            signing_key(tmp_path / name)


# -- verifying


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two chains, and five checkpoints that know them as they grow."""
    tmp_path.chmod(0o700)
    lines = {chain: chained(chain, map(record, range(10))) for chain in (A, B)}
    for count in range(2, 12, 2):
        for chain in (A, B):
            put(segment(tmp_path, chain), lines[chain][:count])
        Checkpoints(JsonLines(tmp_path)).write()
    return tmp_path


def checked(folder: Path, *keys: Ed25519PrivateKey, expect_head: str = "") -> Report:
    return verify(JsonLines(folder, create=False), expect_head, [public(key) for key in keys])


def told(report: Report) -> list[tuple[str, str, int | None, int | None]]:
    return [(found.code, found.chain, found.seq, found.last) for found in report.findings]


def test_good_checkpoints(folder: Path) -> None:
    report = checked(folder)
    assert report.whole, report.findings
    assert report.checkpoints == 5


Lines = list[bytes]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda x: [*x[:2], *x[3:]], [("removed", 2, 2)]),
        (lambda x: x[2:], [("removed", 0, 1)]),
        (lambda x: [*x[:2], x[3], x[2], x[4]], [("re-ordered", 2, 2)]),
        (lambda x: [*x[:2], x[1], *x[2:]], [("repeated", 1, 1)]),
        (lambda x: [*x[:2], b"", *x[2:]], [("foreign", None, None)]),
        (lambda x: [*x[:2], b"{}", *x[3:]], [("changed", 2, 2)]),
        (lambda x: [*x[:2], x[2].replace(b'"at":"2', b'"at":"1'), *x[3:]], [("changed", 2, 2)]),
        (lambda x: [*x[:2], x[2].replace(b'"at":', b'"at": '), *x[3:]], [("changed", 2, 2)]),
        (lambda x: [*x[:2], x[2].replace(b'"seq"', b'"tell":1,"seq"'), *x[3:]],
         [("changed", 2, 2)]),
        (lambda x: [*x[:2], x[2].replace(A.encode(), b"../" + A[3:].encode()), *x[3:]],
         [("changed", 2, 2)]),
        (lambda x: [*x[:4], x[4].replace(b'"at":', b'"at": ')], [("changed", 4, 4)]),
        (lambda x: [*x[:4], x[4].replace(b'"seq"', b'"tell":1,"seq"')], [("changed", 4, 4)]),
        (lambda x: [*x[:4], x[4].replace(b'"seq"', b'"removed":{},"seq"')], [("changed", 4, 4)]),
        (lambda x: x[:-1], []),  # see the next tests
        (lambda x: [], []),
    ],
)  # fmt: skip
def test_tampering(
    folder: Path,
    change: Callable[[Lines], Lines],
    expected: list[tuple[str, int | None, int | None]],
) -> None:
    newest = Checkpoints(JsonLines(folder)).newest()
    tampered(folder / "checkpoints.jsonl", change)
    report = checked(folder)
    assert told(report) == [(code, CHECKPOINTS, seq, last) for code, seq, last in expected]
    assert all(found.place.file.endswith("checkpoints.jsonl") for found in report.findings)
    if not expected:
        assert told(checked(folder, expect_head=newest)) == [("cut", "", None, None)]


def test_each_bit_of_a_checkpoint_counts(folder: Path) -> None:
    good = lines_of(folder / "checkpoints.jsonl")
    for at in range(len(good[2])):
        bad = bytearray(good[2])
        bad[at] ^= 1
        put(folder / "checkpoints.jsonl", [*good[:2], bytes(bad), *good[3:]])
        assert ("changed", CHECKPOINTS, 2, 2) in told(checked(folder)), (at, bytes(bad))


def test_a_checkpoint_removed_that_a_segment_names(tmp_path: Path) -> None:
    grow(tmp_path, 3)
    grow(tmp_path, 30, 3)
    lines = lines_of(tmp_path / "checkpoints.jsonl")
    assert checked(tmp_path).whole
    put(tmp_path / "checkpoints.jsonl", lines[:1])
    report = checked(tmp_path)
    assert {found[:2] for found in told(report)} == {("removed", CHECKPOINTS)}
    assert "this segment names" in report.findings[0].message
    assert report.findings[0].place.line == 1


def test_forged_checkpoints(folder: Path) -> None:
    """They fit each other, but not the chains."""
    head = line_hash(lines_of(segment(folder, A))[-1])
    good = lines_of(folder / "checkpoints.jsonl")
    rechained(folder, lambda x: [*x, {"at": "", "heads": {A: [12, head]}}])
    assert told(checked(folder)) == [("cut", A, 10, 12)]
    put(folder / "checkpoints.jsonl", good)
    rechained(folder, lambda x: [*x, {"at": "", "heads": {A: [8, head]}}])
    assert told(checked(folder)) == [("changed", A, 8, 8)]
    put(folder / "checkpoints.jsonl", good)
    rechained(folder, lambda x: [*x, {"at": "", "heads": {"c" * 32: [8, head]}}])
    assert told(checked(folder)) == [("removed", "c" * 32, None, None)]
    # One before it must not hide what a true one knows.
    put(folder / "checkpoints.jsonl", good)
    tampered(segment(folder, A), lambda x: chained(A, map(record, range(5, 15))))
    new = lines_of(segment(folder, A))
    false = {"at": "", "heads": {A: [9, line_hash(new[9])]}}
    put(folder / "checkpoints.jsonl", [canonical({**false, "prev": NO_HASH, "seq": 0}), *good])
    assert ("changed", A, 9, 9) in told(checked(folder, expect_head=line_hash(good[-1])))


# -- signatures


def test_a_signed_store(folder: Path) -> None:
    Checkpoints(JsonLines(folder)).write(KEY)
    report = checked(folder)
    assert report.whole
    assert report.signers == {public(KEY): 1}
    assert report.unproven  # whose key that is
    report = checked(folder, KEY)
    assert report.whole
    assert report.trusted == (public(KEY),)
    assert report.unproven == []
    lines = chained(A, [record(10), record(11)], 10, line_hash(lines_of(segment(folder, A))[-1]))
    tampered(segment(folder, A), lambda x: [*x, *lines])
    assert [
        "since the newest signature (2 lines)" in text for text in checked(folder, KEY).unproven
    ] == [True]


def test_signatures_that_are_missing_or_anothers(folder: Path) -> None:
    file = str(folder / "checkpoints.jsonl")
    report = checked(folder, KEY)
    assert told(report) == [("signature", CHECKPOINTS, None, None)]
    assert report.findings[0].place.file == file
    Checkpoints(JsonLines(folder)).write(OTHER)
    report = checked(folder, KEY)
    assert told(report) == [
        ("signature", CHECKPOINTS, 5, 5),
        ("signature", CHECKPOINTS, None, None),
    ]
    assert "a key that was not given" in report.findings[0].message
    assert report.findings[0].place.line == 6
    Checkpoints(JsonLines(folder)).write(KEY)
    assert told(checked(folder, KEY)) == [("signature", CHECKPOINTS, 5, 5)]
    assert checked(folder, KEY, OTHER).whole


@pytest.mark.parametrize(
    "forged",
    [
        lambda form: {**form, "at": "2020"},
        lambda form: {**form, "heads": {**form["heads"], A: [9, form["heads"][B][1]]}},
        lambda form: {**form, "signature": {**form["signature"], "key": public(OTHER)}},
        lambda form: {**form, "signature": {**form["signature"], "value": "AAAA"}},
        lambda form: {**form, "signature": {**form["signature"], "key": "AAAA"}},
        lambda form: {**form, "signature": {**form["signature"], "key": public(KEY) + "\n"}},
        lambda form: {**form, "signature": {"key": public(KEY)}},
        lambda form: {**form, "signature": {}},
        lambda form: {**form, "signature": "none"},
        lambda form: {**form, "signature": None},
        lambda form: {**form, "signature": sign(b"something else", KEY)},
    ],
)
def test_forged_signatures(folder: Path, forged: Callable[[Any], Any]) -> None:
    Checkpoints(JsonLines(folder)).write(KEY)
    rechained(folder, lambda x: [*x[:-1], forged(x[-1])])
    assert ("signature", CHECKPOINTS, 5, 5) in told(checked(folder))
    assert ("signature", CHECKPOINTS, 5, 5) in told(checked(folder, KEY))
    assert ("signature", CHECKPOINTS, None, None) in told(checked(folder, KEY))


def test_a_store_written_anew_has_no_signature(folder: Path) -> None:
    Checkpoints(JsonLines(folder)).write(KEY)
    tampered(segment(folder, A), lambda x: chained(A, map(record, range(5, 15))))
    (folder / "checkpoints.jsonl").unlink()
    Checkpoints(JsonLines(folder)).write(OTHER)
    assert checked(folder).whole
    assert {found[0] for found in told(checked(folder, KEY))} == {"signature"}


def test_removals_that_nothing_vouches_for(folder: Path) -> None:
    """Whoever can write the files can say that it was retention."""
    hash = line_hash(lines_of(segment(folder, A))[4])
    head = Checkpoints(JsonLines(folder)).write(KEY)
    Checkpoints(JsonLines(folder)).note_removed(Removed(A, 1, 0, 4, hash))
    put(segment(folder, A, 2), lines_of(segment(folder, A))[5:])
    segment(folder, A).unlink()
    for report in (checked(folder), checked(folder, KEY), checked(folder, expect_head=head)):
        assert report.whole
        assert any("retention which removed segments (1 noted)" in text for text in report.unproven)
    later = Checkpoints(JsonLines(folder)).write(KEY)
    assert checked(folder, KEY).unproven == []
    report = checked(folder, expect_head=later)
    assert not any("which removed" in text for text in report.unproven)


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Checkpoints(JsonLines(folder)).write(KEY)
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    report = checked(folder)
    assert report.whole
    assert "pip install 'callgate[signatures]'" in report.unproven[0]
    with pytest.raises(RecordError, match=r"callgate\[signatures\]"):
        checked(folder, KEY)
