"""Single keys from a terminal."""

from __future__ import annotations

import os
from select import select
from typing import Any, Final, Self

__all__ = ["Keys"]

_QUIET_SECONDS: Final = 0.3
_MOST: Final = 1024


class Keys:
    """The keys of a terminal, as they are pressed, within a `with` block; Ctrl-C interrupts as
    always. `terminal`: its file descriptor."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._before: Any = None

    def __enter__(self) -> Self:
        """Take keys without Enter, and show none."""
        import termios
        import tty

        self._before = termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal as it was."""
        import termios

        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def forget(self) -> None:
        """Throw away what was pressed until now, and wait until nothing is pressed for a moment."""
        while select([self._terminal], [], [], _QUIET_SECONDS)[0]:
            if not os.read(self._terminal, _MOST):
                return

    def get(self, seconds: float) -> str:
        """What is pressed within a time; "" if nothing is. It is several characters for keys that
        send several, as arrows do. Raises EOFError when the terminal is gone."""
        if not select([self._terminal], [], [], seconds)[0]:
            return ""
        data = os.read(self._terminal, _MOST)
        if not data:
            raise EOFError
        return data.decode("utf-8", "replace")
