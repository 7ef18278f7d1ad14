"""How a call may spell what the gate goes by: looked for in its text, before anything is read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

import orjson

__all__ = ["OwnNames"]

_HOMES: Final = ("~", "$HOME", "${HOME}")
_END: Final = rb"(?![\w\x80-\xff-]|\.\w)"
"""Behind a name: nothing that makes it another one (`gate-2`, `gate.old`)."""


class OwnNames:
    """The spellings of some places in JSON: absolute, and below the home folder of this account.
    `places`: absolute paths."""

    def __init__(self, places: Iterable[str]) -> None:
        homes = {os.path.expanduser("~"), os.path.realpath(os.path.expanduser("~"))}  # noqa: PTH111
        spelt: set[str] = set()
        ends: set[str] = set()
        for place in places:
            spelt.add(place)
            below = [
                place[len(home) :]
                for home in homes
                if home.strip("/") and place.startswith(f"{home}/")
            ]
            spelt.update(f"{home}{rest}" for rest in below for home in _HOMES)
            ends.update(below or [place])
        # Most calls have none of it: a look for the end of each spelling tells them apart.
        self._ends = tuple(_json(end) for end in ends)
        self._spelt = re.compile(
            b"(?:" + b"|".join(re.escape(_json(text)) for text in sorted(spelt)) + b")" + _END
        )

    def stand_in(self, call: bytes) -> bool:
        """Whether a call as JSON names one of the places, or what is in it."""
        return any(end in call for end in self._ends) and self._spelt.search(call) is not None


def _json(text: str) -> bytes:
    """A text as it stands between the quotes of JSON. A path that is no Unicode stands in none."""
    return orjson.dumps(text.encode(errors="replace").decode())[1:-1]
