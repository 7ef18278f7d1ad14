"""The files that a patch names: unified and context diffs, those of git, and `*** Begin Patch`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["patched"]

_HEADER: Final = re.compile(
    r"^[ \t]*(?:"
    r"(?P<file>---|\+\+\+|\*\*\*)[ \t]+(?!\d+(?:,\d+)? [-*]{4}|Begin Patch|End Patch|End of File)"
    r"(?:(?P<action>Update|Add|Delete) File:|(?P<move>Move to:))?"
    r"|Index: |(?:rename|copy) (?P<end>from|to) |(?P<git>diff --git )"
    r")(?P<name>[^\n]+)$",
    re.MULTILINE,
)
_ESCAPE: Final = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_NOWHERE: Final = "/dev/null"
_OLD: Final = {"+++": "---", "---": "***"}
"""The header of the new file, and of the old one before it."""


_FOLDERS: Final = frozenset({"a/", "b/", "c/", "i/", "o/", "w/"})
"""What git puts in front of names."""


def patched(text: str) -> Iterator[tuple[str, bool]]:
    """The names in a patch's headers, and whether the file may go. A name with a folder in front
    that patches are often made with (`a/x`) also stands without it."""
    before, mark = "", None
    for found in _HEADER.finditer(text):
        if found["git"]:
            for name in _both(found["name"]):
                yield from _names(name, False)
            continue
        name = _name(found["name"], found["action"] is None and found["file"] is not None)
        if name == _NOWHERE:
            if before and mark and _OLD.get(found["file"]) == mark:
                yield from _names(before, True)
            before = ""
            continue
        yield from _names(name, found["action"] == "Delete" or found["end"] == "from")
        if found["move"]:
            yield from _names(before, True)
        before, mark = name, found["file"]


def _names(name: str, goes: bool) -> Iterator[tuple[str, bool]]:
    if name:
        yield name, goes
        if name[:2] in _FOLDERS and len(name) > 2:
            yield name[2:], goes


def _name(written: str, dated: bool) -> str:
    """A name as it stands in a header: perhaps in quotes, perhaps with a date behind it."""
    bare = written.strip()
    if bare[:1] == '"' and (end := bare.rfind('"')) > 0:
        return _unquoted(bare[1:end])
    return bare.partition("\t")[0].rstrip() if dated else bare


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
