"""The one exception of the language's parsers."""

from __future__ import annotations

__all__ = ["ConditionError"]


class ConditionError(Exception):
    """A condition, command pattern, regular expression or reason that can't be used.

    `code` is a key of `callgate.model.codes.CODES`; `message` and `help` are as in a
    `Diagnostic`. `start` and `end` are offsets, in code points, in the text that was parsed.
    """

    def __init__(self, code: str, message: str, start: int, end: int, help: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.start = start
        self.end = end
        self.help = help

    def moved(self, offset: int) -> ConditionError:
        """The same mistake in a text that begins `offset` code points earlier."""
        return ConditionError(
            self.code, self.message, self.start + offset, self.end + offset, self.help
        )
