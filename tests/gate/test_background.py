"""Work beside the checks: all of it is done, by one thread at a time."""

from __future__ import annotations

import threading

from callgate.gate.background import Background


def test_what_was_to_be_done_is_done() -> None:
    lock = threading.Lock()
    todo: list[int] = []
    done: list[int] = []
    inside: list[int] = []

    def job() -> None:
        inside.append(1)
        assert len(inside) == 1
        with lock:
            taken, todo[:] = list(todo), []
        done.extend(taken)
        inside.pop()

    background = Background("test", job, lambda: bool(todo))
    background.settle()

    def add(start: int) -> None:
        for number in range(start, start + 200):
            with lock:
                todo.append(number)
            background.wake()

    threads = [threading.Thread(target=add, args=[start]) for start in (0, 200, 400, 600)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    background.settle()
    assert sorted(done) == list(range(800))
