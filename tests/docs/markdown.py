"""The few things that the tests read in a Markdown page: headings, links, tables."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["anchors", "links", "tables"]

_FENCE = re.compile(r"^```(\S*) ?(.*)$")
_HEADING = re.compile(r"^#{1,6} (.*)$")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_CODE = re.compile(r"`[^`]*`")


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    kept, inside = [], False
    for line in page.read_text("utf-8").splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def links(page: Path) -> list[str]:
    """The targets of all links and pictures outside code."""
    return _LINK.findall(_CODE.sub("", prose(page)))


def anchors(page: Path) -> set[str]:
    """What `#…` may name in a page: its headings, as GitHub turns them into anchors."""
    found: set[str] = set()
    for line in prose(page).splitlines():
        heading = _HEADING.match(line)
        if heading:
            text = heading[1].replace("`", "").lower()
            kept = "".join(char for char in text if char.isalnum() or char in " -_")
            found.add(kept.replace(" ", "-"))
    return found


def tables(page: Path, heading: str) -> list[list[str]]:
    """The rows of all tables between a heading and the next, as cells, heads and rules left out."""
    rows: list[list[str]] = []
    inside = False
    lines = page.read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        title = _HEADING.match(line)
        if title:
            inside = title[1] == heading
        elif inside and line.startswith("|") and not line.startswith("|---"):
            head = lines[number + 1].startswith("|---") if number + 1 < len(lines) else False
            if not head:
                cells = line.strip("|").replace("\\|", "\0").split("|")
                rows.append([cell.replace("\0", "|").strip() for cell in cells])
    return rows
