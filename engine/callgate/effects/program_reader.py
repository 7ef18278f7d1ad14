"""Reads an entry of `kind: programs` (see `callgate.effects.programs` for the format)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callgate.effects.program_effects import SECRET, EffectReader
from callgate.effects.program_spec import Found, Program
from callgate.effects.program_words import add_option, read_operands
from callgate.effects.reference_reader import ProgramError

__all__ = ["ProgramError", "mistakes", "read_program"]

_CONDITIONS: Final = frozenset({"when", "unless"})


class _Commands(Mapping[str, Program]):
    """The sub-commands of a program by each of their names, each read when it is first asked for:
    there may be hundreds, and a command has one."""

    __slots__ = ("_entries", "_parent", "_read")

    def __init__(self, entries: Mapping[str, Any], parent: Program) -> None:
        self._parent = parent
        self._entries = {
            name: (names, entry) for names, entry in entries.items() for name in names.split("|")
        }
        self._read: dict[str, Program] = {}

    def get(self, name: str, default: Any = None) -> Any:
        """See Mapping."""
        return self[name] if name in self._entries else default

    def __getitem__(self, name: str) -> Program:
        names, entry = self._entries[name]
        program = self._read.get(names)
        if program is None:
            program = self._read[names] = read_program(names, entry, self._parent)
        return program

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def read_program(
    name: str,
    entry: Mapping[str, Any],
    parent: Program | None = None,
    telling: frozenset[str] = frozenset(),
    passwords: frozenset[str] = frozenset(),
) -> Program:
    """Read an entry that fits the schema, its sub-commands when they are asked for. `telling`:
    options with which a program is idle where they stand alone; `passwords`: how values are written
    that are secrets. Raises ProgramError."""
    program, wrong = _read(name, entry, parent, passwords)
    if wrong:
        first, *others = wrong
        first.others = tuple(others)
        raise first
    program.telling = telling if parent is None else parent.telling
    return program


def mistakes(
    name: str, entry: Mapping[str, Any], parent: Program | None = None
) -> Iterator[ProgramError]:
    """What is wrong with an entry that fits the schema, and with those of its sub-commands."""
    try:
        program, wrong = _read(name, entry, parent)
    except ProgramError as error:
        yield error
        return
    yield from wrong
    for names, inner in entry.get("commands", {}).items():
        for mistake in mistakes(names, inner, program):
            yield mistake.below("commands", names)


def _read(
    name: str,
    entry: Mapping[str, Any],
    parent: Program | None,
    passwords: frozenset[str] = frozenset(),
) -> tuple[Program, list[ProgramError]]:
    """An entry without its sub-commands, and what is wrong with its effects."""
    program = Program(name)
    program.passwords = passwords if parent is None else parent.passwords
    program.style = entry.get("style", "gnu" if parent is None else parent.style)
    program.same_shell = entry.get("same-shell", False)
    meanings: set[str] = set()
    spellings: dict[str, str] = {}
    if parent is not None:
        _inherit(program, parent, meanings)
    for meaning, written in entry.get("options", {}).items():
        meanings.add(meaning)
        add_option(program, meaning, written, ("options", meaning), spellings)
    for written in entry.get("other", ()):
        add_option(program, "", written, ("other", written), spellings)
    program.operands = read_operands(entry.get("operands", ""), program.passwords)
    reader = EffectReader(program, meanings)
    _read_values(program, entry, reader)
    commands = entry.get("commands", {})
    program.commands = _Commands(commands, program) if commands else {}
    program.kinds = frozenset(_kinds(entry)).union(effect.kind for effect in program.always)
    program.kinds -= {SECRET}
    secretive = program.secrets or any(operand.secret for operand in program.operands)
    program.secretive |= bool(secretive) or (not program.kinds and _secretive(commands, program))
    program.language = _language(program)
    return program, reader.wrong


def _kinds(entry: Mapping[str, Any]) -> Iterator[str]:
    for key in ("always", "effects"):
        for item in entry.get(key, ()):
            yield from item.keys() - _CONDITIONS
    for inner in entry.get("commands", {}).values():
        yield from _kinds(inner)


def _secretive(commands: Mapping[str, Any], program: Program) -> bool:
    """Whether sub-commands may have words that are secrets, as far as their entries' texts say."""
    text = str(commands)
    return SECRET in text or any(name in text for name in program.passwords)


def _inherit(program: Program, parent: Program, meanings: set[str]) -> None:
    program.words.update(parent.words)
    program.letters.update(parent.letters)
    program.prefixes.update(parent.prefixes)
    program.folder = parent.folder
    program.always = parent.always
    program.secrets = parent.secrets
    program.secretive = parent.secretive
    program.idle = parent.idle
    program.busy = parent.busy
    meanings.update(option.meaning for option in parent.words.values())
    meanings.update(option.meaning for option in parent.letters.values())
    meanings.update(option.meaning for option in parent.prefixes.values())


def _read_values(program: Program, entry: Mapping[str, Any], reader: EffectReader) -> None:
    if "found" in entry:
        found = entry["found"]
        program.found = Found(
            reader.value(found["below"], ("found", "below")),
            reader.value(found["named"], ("found", "named")) if "named" in found else None,
            reader.condition(found.get("unless", ()), ("found", "unless")),
            reader.condition(found.get("when", ()), ("found", "when")),
            reader.condition(found.get("except", ()), ("found", "except")),
        )
    program.absent = {
        name: reader.condition(items, ("absent", name))
        for name, items in entry.get("absent", {}).items()
    }
    ends = reader.condition(entry.get("ends", ()), ("ends",))
    program.ends = frozenset(item.name for item in ends if item.kind == "operand")
    program.ending_options = frozenset(item.name for item in ends if item.kind == "option")
    if "idle" in entry:
        idle = entry["idle"]
        program.idle = reader.condition(idle["when"], ("idle", "when"))
        program.busy = reader.condition(idle.get("unless", ()), ("idle", "unless"))
    if "folder" in entry:
        program.folder = reader.value(entry["folder"], ("folder",))
    if "prints" in entry:
        program.prints = reader.value(entry["prints"], ("prints",))
    always = reader.effects(entry.get("always", ()), "always")
    effects = reader.effects(entry.get("effects", ()))
    program.secrets += tuple([item for item in (*always, *effects) if item.kind == SECRET])
    program.always += tuple([item for item in always if item.kind != SECRET])
    program.effects = program.always + tuple([item for item in effects if item.kind != SECRET])
    program.free = tuple([effect for effect in program.effects if not effect.needs])


def _language(program: Program) -> str | None:
    """The language of the files that a program runs."""
    for effect in program.effects:
        language = effect.fields.get("language")
        if effect.kind == "code" and "file" in effect.fields and isinstance(language, tuple):
            return language[0].name
    return None
