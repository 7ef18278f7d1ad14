"""The folders that a call runs in, as they stood before somebody was asked: another folder may be
put in the place of one meanwhile, and no link tells of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callgate.gate.observe import Observer

__all__ = ["Standing", "standing_of"]


@dataclass(frozen=True, slots=True)
class Standing:
    """`folders`: the folders; `seen`: what `observer` saw of them."""

    observer: Observer
    folders: Sequence[str]
    seen: object

    def changed(self) -> str:
        """What is not as it was, in one line, or ""."""
        if self.observer.identity(self.folders) == self.seen:
            return ""
        return "a folder that this call runs in is another one than before"


def standing_of(observer: Observer, context: Mapping[str, Any]) -> Standing:
    """Look at the folders of a call."""
    named = (context.get("cwd"), context.get("workspace"))
    folders = [path for path in named if type(path) is str and path[:1] == "/"]
    return Standing(observer, folders, observer.identity(folders))
