"""Nothing that was acknowledged is lost, whatever happens to the process or the disk, and the
records can be opened again. With real processes."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from callgate.record.chained import ChainedStore
from callgate.record.line import line_hash, split
from tests.record.stores import json_lines, lines_of, number_of, numbers_in, record, sqlite
from tests.record.writers import writer

KINDS = ["json_lines", "sqlite"]
every_kind = pytest.mark.parametrize("kind", KINDS)


def opened(folder: Path, kind: str) -> ChainedStore:
    return (json_lines if kind == "json_lines" else sqlite)(folder, small=True)


def check_all_there(store: ChainedStore, said: Iterable[str]) -> None:
    """What was acknowledged ("number seq hash") is there, and all chains are whole."""
    there = {
        (number_of(line), split(line).seq, line_hash(line))
        for chain in store.chains()
        for line in lines_of(store, chain)
    }
    numbers_in(store)
    for words in said:
        number, seq, digest = words.split()
        assert (int(number), int(seq), digest) in there


@every_kind
def test_a_killed_process_loses_nothing(tmp_path: Path, kind: str) -> None:
    code = """
start = int(sys.stdin.readline())
lane = opened(folder, small=True).lane()
for number in range(start, start + 1_000_000):
    append(lane, number, number % 700)
"""
    chance = random.Random(7)
    said: list[str] = []
    for start in range(0, 12_000_000, 1_000_000):
        with writer(tmp_path, kind, code) as other:
            assert other.process.stdin is not None
            other.process.stdin.write(b"%d\n" % start)
            other.process.stdin.flush()
            mine = [other.read() for _ in range(chance.randrange(1, 150))]
            mine += other.kill()
        assert int(mine[0].split()[0]) == start
        said += mine
    store = opened(tmp_path, kind)
    check_all_there(store, said)
    assert len(store.chains()) == 1
    store.lane().append(record(5))
    store.close()
    check_all_there(store, said)


@every_kind
def test_processes_that_write_at_once_have_chains_of_their_own(tmp_path: Path, kind: str) -> None:
    code = """
store = opened(folder, small=True)
lane = store.lane()
say("ready")
wait()
for number in range(100):
    append(lane, number)
store.close()
"""
    with writer(tmp_path, kind, code) as one, writer(tmp_path, kind, code) as two:
        assert (one.read(), two.read()) == ("ready", "ready")
        one.go()
        two.go()
        said = [*one.end(), *two.end()]
    assert len(said) == 200
    store = opened(tmp_path, kind)
    check_all_there(store, said)
    assert len(store.chains()) == 2


@every_kind
def test_what_nobody_closed_is_closed_at_the_end(tmp_path: Path, kind: str) -> None:
    code = """
from datetime import timedelta
from callgate.record.checkpoints import Checkpoints
opened(folder, sync=timedelta(hours=1)).lane().append(record(1))
say(Checkpoints(opened(folder)).newest())
"""
    from callgate.record.checkpoints import Checkpoints

    with writer(tmp_path, kind, code) as other:
        (before,) = other.end()
    store = opened(tmp_path, kind)
    assert Checkpoints(store).newest() != before
    assert numbers_in(store) == [1]


@every_kind
def test_a_child_goes_on_with_a_chain_of_its_own(tmp_path: Path, kind: str) -> None:
    """Also where it forks while other threads of the parent write."""
    code = """
from threading import Thread
store = opened(folder, small=True)
lane = store.lane()

def write(first):
    for number in range(first, first + 200):
        append(lane, number)

threads = [Thread(target=write, args=(first,)) for first in (0, 1000)]
for thread in threads:
    thread.start()
children = []
for child in range(2, 5):
    if not (pid := os.fork()):
        write(child * 1000)
        assert store.lane() is lane
        say("chain", lane.chain)
        os._exit(0)
    children.append(pid)
for thread in threads:
    thread.join()
for pid in children:
    assert os.waitpid(pid, 0)[1] == 0
append(lane, 9000)
say("chain", lane.chain)
store.close()
"""
    with writer(tmp_path, kind, code) as other:
        said = other.end()
    chains = [words.split()[1] for words in said if words.startswith("chain")]
    assert len(said) - len(chains) == 1001
    assert chains[-1] not in chains[:-1]
    store = opened(tmp_path, kind)
    check_all_there(store, [words for words in said if not words.startswith("chain")])


@every_kind
def test_a_child_does_not_keep_the_parents_chain(tmp_path: Path, kind: str) -> None:
    code = """
lane = opened(folder).lane()
say(lane.chain)
if os.fork():
    wait()
os.kill(os.getppid(), 9)
wait()
append(lane, 2)
say(lane.chain)
wait()
"""
    with writer(tmp_path, kind, code) as other:
        chain = other.read()
        other.process.wait()
        store = opened(tmp_path, kind)
        assert store.lane().chain == chain
        other.go()
        said = [other.read()]
        assert other.read() != chain
        other.go()
        assert other.read() == ""
    store.lane().append(record(3))
    store.close()
    check_all_there(store, said)


FULL = """
lane = opened(folder, small=SMALL).lane()
failed = 0
for number in range(100_000):
    try:
        append(lane, number, BYTES)
    except RecordError as error:
        failed += 1
        say("!", error)
        if failed == 3:
            break
say("full")
wait()
"""
MORE = """
for number in range(200_000, 200_010):
    append(lane, number, BYTES)
"""


@every_kind
@pytest.mark.parametrize("small", [False, True])
def test_a_file_that_may_not_grow(tmp_path: Path, kind: str, small: bool) -> None:
    """The system refuses as it does on a full disk, in the middle of a line; then it lets go."""
    # A segment's file, the log of SQLite, or the file of checkpoints comes to its limit.
    limit = 1_000_003 if kind == "sqlite" or not small else 3_001
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({}, -1))\n"
    code = limited.format(limit) + FULL + limited.format(-1) + MORE
    code = code.replace("SMALL", str(small)).replace("BYTES", "777")
    check_refused_then_going_on(tmp_path, kind, code)


def check_refused_then_going_on(folder: Path, kind: str, code: str) -> None:
    with writer(folder, kind, code) as other:
        said = list(other.until("full"))
        refused = [words for words in said if words.startswith("!")]
        said = [words for words in said if not words.startswith("!")]
        assert len(refused) == 3
        assert not any("xxx" in words for words in refused)
        # Others read what is there, while the process is still refused.
        store = opened(folder, kind)
        check_all_there(store, said)
        # Nothing is left of the lines that were refused.
        assert [store.torn(each) for each in store.segments(store.chains()[0]) if each.size] == [
            0 for each in store.segments(store.chains()[0])
        ]
        acknowledged = {int(words.split()[0]) for words in said}
        assert set(numbers_in(opened(folder, kind))) == acknowledged
        other.go()
        more = other.end()
    assert [int(words.split()[0]) for words in more] == list(range(200_000, 200_010))
    store = opened(folder, kind)
    check_all_there(store, said + more)
    assert len(store.chains()) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "none", str(place)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@every_kind
@pytest.mark.parametrize("small", [False, True])
def test_a_full_disk(small_disk: Path, kind: str, small: bool) -> None:
    code = FULL + "(folder / 'ballast').unlink()\n" + MORE
    code = code.replace("SMALL", str(small)).replace("BYTES", "777")
    (small_disk / "ballast").write_bytes(b"x" * 2_000_000)
    check_refused_then_going_on(small_disk, kind, code)


@every_kind
def test_an_interrupted_write_is_made_good(tmp_path: Path, kind: str) -> None:
    """A signal's handler raises wherever the process happens to be."""
    code = """
import random, signal
chance = random.Random(3)
store = opened(folder, small=True)
lane = store.lane()

class Interrupted(Exception):
    pass

def interrupt(*_):
    raise Interrupted

signal.signal(signal.SIGALRM, interrupt)
number = interrupted = 0
said = number, *lane.append(record(number))
while interrupted < 300:
    try:
        # Once more after a while: what comes while an object is removed, Python swallows.
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.00005, 0.0005), 0.5)
        while True:
            number += 1
            head = lane.append(record(number))
            said = number, *head
    except Interrupted:
        interrupted += 1
        say(*said)
signal.setitimer(signal.ITIMER_REAL, 0)
append(lane, 10_000_000)
store.close()
"""
    with writer(tmp_path, kind, code) as other:
        said = other.end()
    assert len(said) == 301
    check_all_there(opened(tmp_path, kind), said)


@every_kind
def test_a_folder_that_is_gone(tmp_path: Path, kind: str) -> None:
    code = """
store = opened(folder, small=True)
lane = store.lane()
append(lane, 1)
wait()
refused = 0
for number in range(100):
    try:
        lane.append(record(number))
    except RecordError:
        refused += 1
say(refused > 0)
try:
    store.close()
except RecordError:
    say("not closed")
"""
    with writer(tmp_path, kind, code) as other:
        other.read()
        for place in tmp_path.iterdir():
            subprocess.run(["rm", "-r", str(place)], check=True)
        other.go()
        assert other.end() == ["True", "not closed"]


@every_kind
def test_a_file_where_the_folder_should_be(tmp_path: Path, kind: str) -> None:
    code = """
(folder / ("records" if opened is json_lines else "records.db.d")).write_bytes(b"no folder")
try:
    opened(folder).lane()
except RecordError as error:
    say("refused")
"""
    with writer(tmp_path, kind, code) as other:
        assert other.end() == ["refused"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@every_kind
def test_a_folder_that_cannot_be_written(kind: str) -> None:
    """A user to whom the modes apply, in a folder of their own that they made read-only."""
    code = """
import fcntl
os.chown(folder, 12345, 12345)
os.setgroups([])
os.setgid(12345)
os.setuid(12345)
store = opened(folder)
append(store.lane(), 1)
store.close()
places = [folder, *sorted(folder.rglob("*"))]
for place in places:
    place.chmod(0o500 if place.is_dir() else 0o400)
try:
    opened(folder).lane()
except RecordError as error:
    say("refused")
for place in places:
    place.chmod(0o700 if place.is_dir() else 0o600)
store = opened(folder)
append(store.lane(), 2)
store.close()
"""
    place = Path("/var/tmp") / f"callgate-records-{os.getpid()}-{kind}"
    place.mkdir(mode=0o700)
    try:
        with writer(place, kind, code) as other:
            first, refused, second = other.end()
        assert refused == "refused"
        assert (first.split()[0], second.split()[0]) == ("1", "2")
    finally:
        subprocess.run(["rm", "-rf", str(place)], check=True)
