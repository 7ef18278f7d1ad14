"""A mutant: a policy with one small change, as edits of one of its files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import unified_diff
from typing import Final

from callgate.policytest.mutation.page import Edit, edited

__all__ = ["Mutant", "accepted", "diff_of", "line_of"]

_ACCEPTED: Final = re.compile(r"#\s*callgate:\s*mutant\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change. `operator`: what kind of change; `description`: what was changed, in a few words;
    `kind`: of the file; `rule`: the rule or step that it is about, "" for none. `guard`: the number
    of the guard in its file that alone is changed, or None. `removed`: that guard is gone.
    `old`, `new`: what was written there and what is now, for who looks for a call that tells the
    two apart."""

    operator: str
    description: str
    kind: str
    file: str
    edits: tuple[Edit, ...]
    rule: str = ""
    guard: int | None = None
    removed: bool = False
    old: str = ""
    new: str = ""


def line_of(text: str, mutant: Mutant) -> int:
    """The line, from 1, where a mutant changes a text first."""
    return text.count("\n", 0, min(edit.start for edit in mutant.edits)) + 1


def diff_of(text: str, mutant: Mutant) -> str:
    """The unified diff of a mutant's file, with its line ends."""
    changed = edited(text, mutant.edits)
    lines = unified_diff(
        text.splitlines(keepends=True),
        changed.splitlines(keepends=True),
        mutant.file,
        mutant.file,
        n=1,
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def accepted(text: str, mutant: Mutant) -> str:
    """The reason why a mutant may survive: `# callgate: mutant REASON` on the first line that it
    changes, or alone on the line above; "" for none."""
    lines = text.splitlines()
    for edit in mutant.edits:
        first = text.count("\n", 0, edit.start)
        above = lines[first - 1].lstrip() if first else ""
        for line in (lines[first], above if above.startswith("#") else ""):
            if found := _ACCEPTED.search(line):
                return found[1].strip()
    return ""
