"""An entry as text, in the canonical layout of rule files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from callgate.formatting import FormatError, format_text
from callgate.load.dumping import entry_text

__all__ = ["Addition", "alone", "entry_lines", "in_layout"]


@dataclass(frozen=True, slots=True)
class Addition:
    """An entry for the files of a kind: into the list or mapping at `key`. `name`: its key there,
    or None in a list. `file`: where it goes when there is no such file yet, or none that can be
    added to at its end; a path from the bundle's folder.
    """

    kind: str
    key: str
    value: Any
    name: str | None
    file: str


def alone(addition: Addition) -> str:
    """The text of a file with nothing but this entry. Raises ValueError, which says what is wrong
    with it."""
    text = f"kind: {addition.kind}\n\n{addition.key}:\n{_raw(addition)}"
    try:
        return format_text("new.yaml", text)
    except FormatError as error:
        first = next(iter(error.diagnostics), None)
        if first is None:
            raise ValueError("it can't be written as YAML") from None
        help = f"; {first.help}" if first.help else ""
        raise ValueError(f"{first.message}{help}") from None


def entry_lines(addition: Addition, indent: str) -> str:
    """The entry's own lines, at an indent. Raises ValueError."""
    lines = alone(addition).splitlines()
    own = lines[lines.index(f"{addition.key}:") + 1 :]
    return "".join(f"{indent}{line[2:]}".rstrip() + "\n" for line in own)


def in_layout(file: str, before: str | None, after: str) -> str:
    """What becomes of a file, in the canonical layout if it was so before. `before`: None where the
    file is new."""
    try:
        if before is not None and format_text(file, before) != before:
            return after
        return format_text(file, after)
    except FormatError:
        return after


def _raw(addition: Addition) -> str:
    """The entry as YAML, two spaces deep; its own keys each on a line of their own."""
    value = addition.value
    if addition.name is not None and not isinstance(value, dict):
        return entry_text(addition.name, value, "  ")
    inner = "".join(_pair(key, part, "    ") for key, part in value.items())
    if addition.name is None:
        return f"  - {inner[4:]}"
    key = _pair(addition.name, 0, "  ").removesuffix(" 0\n")
    return f"{key}\n{inner}"


def _pair(key: str, value: Any, indent: str) -> str:
    """`key: value`, without the braces that stand around a scalar's."""
    text = entry_text(key, value, "")
    if text.startswith("{"):
        text = text.strip()[1:-1] + "\n"
    return "".join(f"{indent}{line}\n" for line in text.splitlines())
