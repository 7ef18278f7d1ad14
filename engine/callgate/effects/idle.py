"""Shell texts that run nothing: assignments and comments."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.shell.tree import Command, Node, Script, Sequence

__all__ = ["idle"]

_OBEYED: Final = re.compile(
    r"(?:.*_)?(?:PATH|ENV|EDITOR|PAGER|OPTIONS|OPTS)|(?:BASH|DYLD|GIT|LD)_.*"
    r"|CDPATH|FPATH|BASHOPTS|FCEDIT|HOME|IFS|PROMPT_COMMAND|PS\d|SHELLOPTS|VISUAL"
)
"""Variables that shells and programs obey: a shell that goes on reading behaves otherwise then."""


def idle(script: Script, text: str) -> bool:
    """Whether a text has nothing but assignments and comments, and none that changes what runs."""
    if script.problems:
        return False
    if script.nodes:
        return all(map(_assigns, script.nodes))
    lines = [line.strip() for line in text.splitlines()]
    return any(lines) and all(line[:1] in ("", "#") for line in lines)


def _assigns(node: Node) -> bool:
    if isinstance(node, Sequence):
        return all(map(_assigns, node.items))
    return (
        isinstance(node, Command)
        and bool(node.assignments)
        and not node.words
        and not any(_OBEYED.fullmatch(item.name) for item in node.assignments)
    )
