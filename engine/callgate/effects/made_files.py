"""Files that a text makes and uses itself: scripts that it writes, programs that it copies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Final

from callgate.effects.programs import Programs
from callgate.effects.shell.tree import Word
from callgate.model.effect import Effect

__all__ = ["MadeFiles", "interpreter"]

_MAX_FILES: Final = 64
_MAX_TEXT: Final = 64 * 1024
_FIRST_LINE: Final = re.compile(r"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+)*)?(\S+)")


@dataclass(slots=True)
class MadeFiles:
    """What is in files, by their path: the `texts` that are known, and the `programs` of which they
    are copies. `left`: how much of the texts may still be run."""

    texts: dict[str, Word] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    left: int = 4 * _MAX_TEXT

    def write(self, effects: Iterable[Effect], text: Word, adds: bool) -> None:
        """Note that the files that some effects write hold a text; `adds`: at their end."""
        if not isinstance(text.text, str) or len(text.text) > _MAX_TEXT:
            return
        for path in _paths(effects, "write"):
            old = self.texts.get(path)
            new = text
            if adds and old is not None:
                together = f"{old.text}\n{text.text}"
                new = changed(text, text=together[:_MAX_TEXT], offset=-1)
            if old is not None or len(self.texts) < _MAX_FILES:
                self.texts[path] = new
                self.programs.pop(path, None)

    def copy(self, effects: list[Effect], programs: Programs) -> None:
        """Note what a command with some effects copies: from one file that it reads, or moves."""
        written = _paths(effects, "write")
        if not written:
            return
        sources = {*_paths(effects, "read"), *_paths(effects, "delete")}
        source = next(iter(sources)) if len(sources) == 1 else ""
        text = self.texts.get(source)
        program = self.programs.get(source, source)
        described = source != "" and programs.get(program.rpartition("/")[2]) is not None
        for path in written:
            if path in sources:
                # It is changed where it is.
                continue
            self.texts.pop(path, None)
            self.programs.pop(path, None)
            if text is not None and len(self.texts) < _MAX_FILES:
                self.texts[path] = text
            elif described and len(self.programs) < _MAX_FILES:
                self.programs[path] = program


def _paths(effects: Iterable[Effect], kind: str) -> list[str]:
    found = [effect.fields["path"] for effect in effects if effect.kind == kind]
    return [path for path in found if isinstance(path, str)]


def interpreter(text: str) -> str:
    """The name of the program that runs a script, by its first line; empty: a shell."""
    found = _FIRST_LINE.match(text)
    return found.group(1).rpartition("/")[2] if found else ""
