"""The files that a patch names: unified and context diffs, those of git, and `*** Begin Patch`.

Programs that apply patches don't agree on what is a header: whatever one of them may take for one
counts, but for what can only be a line of the change itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from callgate.effects.urls import file_path

__all__ = ["patched"]

_LEADING: Final = " \tX\ufeff\u200b\u200c\u200d\u2060"
"""What programs skip in front of a header, or nobody sees there."""
_STARTS: Final = frozenset({"---", "+++", "***", "Ind", "ren", "cop", "dif"})
_HEADER: Final = re.compile(
    r"(?P<file>---|\+\+\+|\*\*\*)(?:[ \t]+|(?<=\*)(?=\w+ File:))"
    r"(?!(?:\d+(?:,\d+)? [-*]{4}|Begin Patch|End Patch|End of File)\s*$)"
    r"(?i:(?P<action>\w+) File:|(?P<move>Move to:))?(?P<name>.+)"
    r"|Index:(?P<index>.+)"
    r"|(?:rename|copy) (?P<end>from|to) (?P<ended>.+)"
    r"|diff --git (?P<git>.+)"
)
_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_DATE: Final = re.compile(r"(?<!\s)\s+(?=\(|\d|[A-Z][a-z]{2}\b)")
_KEEPS: Final = frozenset({"", "update", "add", "create"})
"""What is done to files that are there afterwards."""
_ESCAPE: Final = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_NOWHERE: Final = "/dev/null"
_OLD: Final = {"+++": "---", "---": "***"}
"""The header of the new file, and of the old one before it."""
_FOLDERS: Final = frozenset({"a/", "b/", "c/", "i/", "o/", "w/"})
"""What git puts in front of names."""


@dataclass(slots=True)
class _Hunk:
    """A change whose lines are being read: how far it is indented, and how many lines of the old
    and of the new file are to come, where it says so."""

    indent: int
    old: int = 1
    new: int = 1
    counted: bool = False

    @classmethod
    def of(cls, bare: str, indent: int) -> _Hunk:
        """That of a line that starts with `@@`."""
        found = _HUNK.match(bare)
        if found is None:
            return cls(indent)
        old, new = (int((count or "1")[:9]) for count in found.groups())
        return cls(indent, old, new, True)

    def takes(self, line: str) -> bool:
        """Whether a line belongs to the change; it is counted."""
        if self.counted:
            if self.old <= 0 and self.new <= 0:
                return False
            mark = line[self.indent : self.indent + 1]
            self.old -= mark in ("-", " ", "")
            self.new -= mark in ("+", " ", "")
        return True


def patched(text: str) -> Iterator[tuple[str, bool]]:
    """The names in a patch's headers, and whether the file may go. A name with a folder in front
    that patches are often made with (`a/x`) also stands without it."""
    before, mark = "", None
    for found in _headers(text):
        if found["git"]:
            for name in _both(found["git"]):
                yield from _names(name, False)
            continue
        action = (found["action"] or "").lower()
        dated = found["file"] is not None and not action
        names = _written(found["name"] or found["index"] or found["ended"], dated)
        if _NOWHERE in names:
            if before and mark and _OLD.get(found["file"]) == mark:
                yield from _names(before, True)
            before = ""
            continue
        for name in names:
            yield from _names(name, action not in _KEEPS or found["end"] == "from")
        if found["move"]:
            yield from _names(before, True)
        before, mark = names[0], found["file"]


def _headers(text: str) -> Iterator[re.Match[str]]:
    """The lines that some program takes for headers."""
    lines = text.splitlines()
    hunk: _Hunk | None = None
    git, last = False, ""
    for index, line in enumerate(lines):
        bare = line.lstrip(_LEADING)
        indent = len(line) - len(bare)
        if hunk is not None and not hunk.takes(line):
            hunk = None
        previous, last = last, bare[:3]
        if bare[:2] == "@@" and (hunk is None or indent <= hunk.indent):
            hunk, git = _Hunk.of(bare, indent), False
        if last not in _STARTS or (found := _HEADER.match(bare)) is None:
            continue
        if hunk is not None:
            # In a change, what is further in is a line of it, and one that is taken away may start
            # as the old file's header does.
            paired = previous == "***" or _starts(lines, index + 1, "+++")
            if (hunk.counted and indent > hunk.indent) or (last == "---" and not paired):
                continue
        if found["end"] and indent and not git:
            continue
        hunk, git = None, git or found["git"] is not None
        yield found


def _starts(lines: list[str], index: int, mark: str) -> bool:
    return index < len(lines) and lines[index].lstrip(_LEADING).startswith(mark)


def _names(name: str, goes: bool) -> Iterator[tuple[str, bool]]:
    if name:
        yield name, goes
        if name[:2] in _FOLDERS and len(name) > 2:
            yield name[2:], goes
        path = file_path(name)
        if path:
            yield path, goes


def _written(written: str, dated: bool) -> list[str]:
    """What a header may name: perhaps in quotes, perhaps with a date behind it."""
    bare = written.strip()
    if bare[:1] == '"' and (end := bare.rfind('"')) > 0:
        return [_unquoted(bare[1:end])]
    if not dated:
        return [bare]
    name, _, rest = bare.partition("\t")
    names = [name.rstrip()]
    if "/" in rest:
        names.append(bare)
    if date := _DATE.search(names[0]):
        names.append(names[0][: date.start()])
    return names


def _unquoted(text: str) -> str:
    data = bytearray()
    at = 0
    for found in _ESCAPE.finditer(text):
        data += text[at : found.start()].encode("utf-8", "replace")
        code = found.group(1)
        if code[0] in "01234567":
            data.append(int(code, 8) & 0xFF)
        else:
            data += _LETTERS.get(code, code).encode("utf-8", "replace")
        at = found.end()
    return (data + text[at:].encode("utf-8", "replace")).decode("utf-8", "replace")


def _both(written: str) -> Iterator[str]:
    """The two names behind `diff --git`."""
    bare = written.strip()
    if '"' in bare:
        for quoted in re.findall(r'"((?:[^"\\]|\\.)*)"', bare):
            yield _unquoted(quoted)
        return
    half = len(bare) // 2
    old, new = bare[:half], bare[half + 1 :]
    if bare[half : half + 1] == " " and old.partition("/")[2] == new.partition("/")[2]:
        yield from (old, new)
    else:
        first, _, rest = bare.partition(" ")
        yield from (first, rest, bare.rpartition(" ")[2])
