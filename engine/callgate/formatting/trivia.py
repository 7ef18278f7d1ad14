"""What stands between the values of a YAML text and means nothing to it: comments, blank lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from callgate.load.nodes import Mapping, Node, Scalar

__all__ = ["FORMAT_OFF", "FORMAT_ON", "Trivia", "comments", "find_trivia", "scalar_end"]

FORMAT_OFF: Final = "# fmt: off"
FORMAT_ON: Final = "# fmt: on"

# A comment, or the line end before a line of white space only.
_CANDIDATE: Final = re.compile(r"#[^\n]*|\n(?=[ \t]*\n)")
_HEADER: Final = re.compile(r"[|>][-+0-9]*[ \t]+(#[^\n]*)")
_BLOCKS: Final = frozenset("|>")
_TIGHT: Final = re.compile(r"#(?=[\w\"'(`\[{])")


@dataclass(frozen=True, slots=True)
class Trivia:
    """A comment in its canonical form, or a blank line (`text` is empty) of any number.

    `start`: its offset; `column`: how far it is indented; `alone`: whether nothing stands before
    it on its line.
    """

    start: int
    text: str
    column: int = 0
    alone: bool = True


def find_trivia(text: str, root: Node) -> list[Trivia]:
    """The comments and blank lines of a text without `\\r` in the order of the file."""
    scalars = sorted(_scalars(root), key=lambda scalar: scalar.start)
    starts = [scalar.start for scalar in scalars]
    found: list[Trivia] = []
    after = blank = 0
    while match := _CANDIDATE.search(text, after):
        at, after = match.span()
        near = bisect_right(starts, at) - 1
        inside = scalars[near] if near >= 0 else None
        if inside is not None and at < (end := scalar_end(text, inside)):
            header = _HEADER.match(text, inside.start) if inside.style in _BLOCKS else None
            if header is None or header.start(1) != at:
                after = max(end, at + 1)
                continue
        if match[0] == "\n":
            after = at + 1
            if not found or found[-1].text or text[blank:at].strip(" \t\n"):
                found.append(Trivia(at, ""))
            blank = at  # the last of the blank lines that are one
            continue
        line = text.rfind("\n", 0, at) + 1
        alone = not text[line:at].strip(" \t\ufeff")
        found.append(Trivia(at, _spaced(match[0]), at - line, alone))
    return found


def comments(text: str, root: Node) -> list[str]:
    """The comments of a text, sorted, without the spaces after `#`."""
    return sorted(item.text[1:].lstrip() for item in find_trivia(text, root) if item.text)


def scalar_end(text: str, scalar: Scalar) -> int:
    """Where a scalar ends, without the blank lines after a block of text that drops them."""
    if scalar.style not in ("|", ">"):
        return scalar.end
    raw = text[scalar.start : scalar.end]
    if "+" in raw[: raw.find("\n") if "\n" in raw else None].partition("#")[0]:
        return scalar.end
    # White space alone on the last line may belong to the text.
    kept = scalar.text.rstrip("\n")[-1:].isspace()
    return scalar.start + len(raw.rstrip("\n" if kept else None))


def _scalars(root: Node) -> Iterator[Scalar]:
    todo: list[Node] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, Scalar):
            yield node
        elif isinstance(node, Mapping):
            for key, value in node.entries.values():
                yield key
                todo.append(value)
        else:
            todo.extend(node.items)


def _spaced(comment: str) -> str:
    return _TIGHT.sub("# ", comment.rstrip(), count=1) if comment[1:2] != " " else comment.rstrip()
