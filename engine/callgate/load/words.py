"""How values are named in messages: in the words of somebody who writes YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["MAX_SHOWN", "any_of", "did_you_mean", "found", "shown"]

MAX_SHOWN: Final = 60
"""Code points of a user's text that a message repeats."""


def found(value: Any) -> str:
    """What kind of value this is: `a string`, `a list`, `nothing`."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def shown(text: str) -> str:
    """The user's words in backticks, on one line, cut to `MAX_SHOWN`."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + '…'}`"


def any_of(options: Iterable[str], limit: int = 30, last: str = "or") -> str:
    """`a`, `b` or `c` (or another word than "or"); no more than `limit` of them."""
    quoted = [f"`{option}`" if option else '`""`' for option in options]
    if len(quoted) > limit:
        return ", ".join(quoted[:limit]) + " …"
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def did_you_mean(word: str | None) -> str:
    """The question, or an empty text when there is nothing to suggest."""
    return f"did you mean `{word}`?" if word else ""
