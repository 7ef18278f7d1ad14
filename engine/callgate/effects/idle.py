"""Shell texts that run nothing: assignments and comments."""

from __future__ import annotations

from callgate.effects.programs import Programs
from callgate.effects.shell.tree import Command, Node, Script, Sequence

__all__ = ["idle"]


def idle(script: Script, text: str, programs: Programs) -> bool:
    """Whether a text has nothing but assignments and comments, and none that changes what runs: a
    shell that goes on reading behaves otherwise after one of a variable that is obeyed."""
    if script.problems:
        return False
    if script.nodes:
        return all(_assigns(node, programs) for node in script.nodes)
    lines = [line.strip() for line in text.splitlines()]
    return any(lines) and all(line[:1] in ("", "#") for line in lines)


def _assigns(node: Node, programs: Programs) -> bool:
    if isinstance(node, Sequence):
        return all(_assigns(item, programs) for item in node.items)
    return (
        isinstance(node, Command)
        and bool(node.assignments)
        and not node.words
        and not any(programs.obeyed(item.name) for item in node.assignments)
    )
