"""Figures of deciding again: `callgate log check` and `callgate eval --compare` on records.

`python -m tests.benchmarks.again [RECORDS]`: of how many decisions by `echo`, 50,000 by default, in
two sorts: *met again* (ten commands, three hundred files, ids of their own) and *new* (each command
and file another one). The figures are of one process, then of as many as the machine has cores for.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from tests.record.decided import record_all

from callgate.analysis.compare import Comparison
from callgate.cli.compare_input import Sources
from callgate.engine import Engine
from callgate.record.recheck import recheck
from callgate.record.store import open_store

__all__ = ["calls", "main"]

_RECORDS: Final = 50_000
_COMMANDS: Final = (
    *("git status", "ls -la src", "cat README.md", "rm -rf build", "python -m pytest -q"),
    *("grep -rn foo src | head -5", "cd src && make test", "curl https://example.org/x"),
    *("git diff --stat", "find . -name '*.py'"),
)


def calls(count: int, new: bool) -> Iterator[dict[str, Any]]:
    """Half of them commands, the others files that are read or written. `new`: no two are equal but
    for their ids."""
    for number in range(count):
        context = {
            "channel": ("cli", "telegram")[number % 3 == 0],
            "cwd": "/srv/app",
            "workspace": "/srv/app",
            "session_key": f"s{number % 50}",
            "trace_id": f"{number:032x}",
        }
        which = number if new else number % 300
        call: dict[str, Any] = {"tool": "exec", "context": context}
        if number % 2:
            command = _COMMANDS[number // 2 % len(_COMMANDS)]
            call["args"] = {"command": f"{command} {number}" if new else command}
        elif number % 10 < 6:
            call |= {"tool": "read_file", "args": {"path": f"src/m{which}.py"}}
        else:
            args = {"path": f"src/m{which}.py", "content": "x = 1\n" * 20}
            call |= {"tool": "write_file", "args": args}
        yield call


def main(count: int = _RECORDS) -> None:
    """Print the figures."""
    engine = Engine.load("echo", cache=True)
    for sort, new in (("met again", False), ("new", True)):
        folder = Path(tempfile.mkdtemp())
        try:
            record_all(folder / "records", engine, calls(count, new))
            _figures(folder / "records", engine, sort, count)
        finally:
            shutil.rmtree(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"most memory of this process: {peak} MB")


def _figures(place: Path, engine: Engine, sort: str, count: int) -> None:
    store = open_store(place, create=False)
    for many in (False, True):
        label = f"check, {sort}, {'several processes' if many else 'one process'}"
        _timed(label, count, lambda many=many: recheck(store, None, many, lambda *_: None))  # type: ignore[misc]
    store.close()

    def compare() -> None:
        comparison = Comparison(5)
        for given in Sources([str(place)]).calls(lambda _: None):
            before, after = (engine.program.decide(given.item.value, given.live) for _ in "ab")
            comparison.add(given.name, given.item.value, before, after)

    _timed(f"compare, {sort}", count, compare)


def _timed(label: str, count: int, run: Callable[[], object]) -> None:
    start, spent = perf_counter(), _spent()
    run()
    took, spent = perf_counter() - start, _spent() - spent
    each = spent / count * 1e6
    print(f"{label:<40} {count / took:>9,.0f}/s  {each:5.1f} µs of processor time each", flush=True)


def _spent() -> float:
    """Seconds of processor time, with those of processes that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
