"""Asks whoever sits at the terminal, and nothing that comes by a pipe.

It is the terminal itself that is read, not standard input: what an agent writes there is nobody's
answer. One request is shown at a time, and what was typed before it was shown is thrown away.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from threading import Lock
from typing import TYPE_CHECKING, Final

from callgate.gate.answerers import local_operator, may_answer
from callgate.gate.background import Background
from callgate.gate.requests import ApprovalRequest, RequestError
from callgate.gate.state import StateError

if TYPE_CHECKING:
    from callgate.gate.people import Answer

__all__ = ["TerminalPrompt"]

_TERMINAL: Final = Path("/dev/tty")
_LONGEST: Final = 4096
_DENY: Final = "deny"


class TerminalPrompt:
    """A channel to the person at this process's terminal, for `People`.

    `by`: who sits there; by default the operator of this machine, who may answer where no user is
    known. An agent that runs for one person at the terminal names them as it does in its calls.
    `terminal`: the terminal's device.
    """

    def __init__(self, by: str = "", *, terminal: Path = _TERMINAL) -> None:
        self._by = by or local_operator()
        self._terminal = terminal
        self._lock = Lock()
        self._waiting: list[tuple[ApprovalRequest, str]] = []
        self._answer: Answer | None = None
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wakes, False)
        self._thread = Background("callgate-terminal", self._ask_one, lambda: bool(self._waiting))

    def connect(self, answer: Answer) -> None:
        """See `callgate.gate.people.LocalChannel`."""
        self._answer = answer

    async def deliver(self, request: ApprovalRequest, text: str) -> bool:
        """Show a request, in its turn. False where there is no terminal, or whoever sits there may
        not answer it."""
        if self._answer is None or request.signed or not may_answer(request, self._by):
            return False
        try:
            with self._opened():
                pass
        except OSError:
            return False
        with self._lock:
            self._waiting.append((request, text))
        self._thread.wake()
        return True

    def settled(self, request: ApprovalRequest) -> None:
        """See `callgate.gate.people.LocalChannel`."""
        self._drop(request)
        with suppress(OSError):
            os.write(self._wakes, b".")

    # -- in the thread

    def _drop(self, request: ApprovalRequest) -> None:
        with self._lock:
            self._waiting = [item for item in self._waiting if item[0].id != request.id]

    def _waits(self, request: ApprovalRequest) -> bool:
        with self._lock:
            return any(item[0].id == request.id for item in self._waiting)

    def _ask_one(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            request, text = self._waiting[0]
        try:
            with self._opened() as terminal:
                self._ask(terminal, request, text)
        except OSError:
            pass  # the terminal is gone; the request waits for its time to be over
        self._drop(request)

    def _ask(self, terminal: int, request: ApprovalRequest, text: str) -> None:
        answers = [*(choice.level for choice in request.choices), _DENY]
        _write(terminal, f"\n{text}\n")
        _forget_typed(terminal)
        _write(terminal, f"\nAnswer ({', '.join(answers)}): ")
        typed = b""
        while True:
            ready, _, _ = select([terminal, self._woken], [], [])
            if self._woken in ready:
                with suppress(BlockingIOError):
                    os.read(self._woken, _LONGEST)
            if not self._waits(request):
                _write(terminal, "\n(this request has ended)\n")
                return
            if terminal not in ready:
                continue
            data = os.read(terminal, _LONGEST)
            if not data:
                return
            typed = (typed + data)[-_LONGEST:]
            if not typed.endswith((b"\n", b"\r")):
                continue
            word, typed = typed.decode("utf-8", "replace").strip().lower(), b""
            said = self._take(request, word, answers)
            if not said:
                _write(terminal, "Thank you.\n")
                return
            _write(terminal, f"{said}\nAnswer ({', '.join(answers)}): ")

    def _take(self, request: ApprovalRequest, word: str, answers: list[str]) -> str:
        """Give an answer; why it was not taken, or ""."""
        if word not in answers:
            return f"Type one of {', '.join(answers)}."
        assert self._answer is not None
        try:
            self._answer(request.id, word, self._by).result()
        except (RequestError, StateError) as error:
            return f"Not taken: {error}."
        return ""

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The terminal, to be read and written. Raises OSError where there is none."""
        handle = os.open(self._terminal, os.O_RDWR | getattr(os, "O_NOCTTY", 0))
        try:
            if not os.isatty(handle):
                raise OSError("no terminal")
            yield handle
        finally:
            os.close(handle)


def _write(terminal: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(terminal, data) :]


def _forget_typed(terminal: int) -> None:
    """Throw away what was typed before the question could be read."""
    import termios

    with suppress(termios.error):
        termios.tcflush(terminal, termios.TCIFLUSH)
