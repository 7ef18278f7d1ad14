"""Carrying out fixes: edits of findings, applied to the texts of files."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from callgate.lint.rule import Edit, Finding
from callgate.load.source import Source

__all__ = ["Fixed", "apply_fixes"]

_BOM = "\N{BYTE ORDER MARK}"


@dataclass(frozen=True, slots=True)
class Fixed:
    """`files`: new bytes by path, of those that change; `done`: the findings that were mended."""

    files: Mapping[str, bytes]
    done: tuple[Finding, ...]


def apply_fixes(findings: Sequence[Finding], files: Mapping[str, bytes]) -> Fixed:
    """Apply the fixes of findings, in their order, as far as they don't get into one another's way:
    the others have to be found again. A fix is applied whole or not at all.

    `files`: path as shown → the bytes that the findings are about; what is no UTF-8 stays. Lines
    that are not edited keep their ends; line feeds in a replacement become those of the file.
    """
    wanted = {edit.span.file for finding in findings for edit in finding.fix}
    texts = {file: _text(data) for file, data in files.items() if file in wanted}
    sources = {file: Source(file, text) for file, text in texts.items() if text is not None}
    chosen: dict[str, list[tuple[int, int, str]]] = {}
    done: list[Finding] = []
    for finding in findings:
        edits = _placed(finding.fix, sources)
        if edits and all(_free(chosen.get(file, []), edit) for file, edit in edits):
            for file, edit in edits:
                if edit not in chosen.setdefault(file, []):
                    chosen[file].append(edit)
                    chosen[file].sort()
            done.append(finding)
    changed = {file: _edited(files[file], sources[file], edits) for file, edits in chosen.items()}
    return Fixed(changed, tuple(done))


def _text(data: bytes) -> str | None:
    try:
        return data.decode().removeprefix(_BOM)
    except UnicodeDecodeError:
        return None


def _placed(
    edits: Iterable[Edit], sources: Mapping[str, Source]
) -> list[tuple[str, tuple[int, int, str]]] | None:
    """The edits with offsets; None where one is about a file or place that is not there."""
    placed: list[tuple[str, tuple[int, int, str]]] = []
    for edit in edits:
        source = sources.get(edit.span.file)
        if source is None:
            return None
        start = source.offset(edit.span.line, edit.span.column)
        end = source.offset(edit.span.end_line, edit.span.end_column)
        if start is None or end is None or end < start:
            return None
        placed.append((source.file, (start, end, edit.text)))
    return placed


def _free(taken: list[tuple[int, int, str]], edit: tuple[int, int, str]) -> bool:
    """Whether an edit touches none that is taken already, or is one of them."""
    if edit in taken:
        return True
    at = bisect_left(taken, edit)
    before = taken[at - 1] if at else None
    after = taken[at] if at < len(taken) else None
    return (before is None or before[1] < edit[0]) and (after is None or edit[1] < after[0])


def _edited(data: bytes, source: Source, edits: list[tuple[int, int, str]]) -> bytes:
    text = source.text
    ends = re.search(r"\r\n|\r|\n", text)
    for start, end, new in reversed(edits):
        if ends and ends[0] != "\n":
            new = new.replace("\n", ends[0])
        text = text[:start] + new + text[end:]
    bom = _BOM if data.startswith(_BOM.encode()) else ""
    return (bom + text).encode()
