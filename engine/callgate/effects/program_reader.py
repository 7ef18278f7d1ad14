"""Reads an entry of `kind: programs` (see `callgate.effects.programs` for the format)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from callgate.effects.program_spec import (
    Condition,
    EffectSpec,
    Found,
    Operand,
    Option,
    Program,
    Reference,
    Takes,
    Value,
)
from callgate.effects.reference_reader import ProgramError, read_reference, suggestion
from callgate.model.effect import EFFECT_KINDS
from callgate.model.types import BOOL

__all__ = ["ProgramError", "read_program"]

_SPELLING: Final = re.compile(
    r"(?P<name>[^\s\[\]|=]+?=?)"
    r"(?:(?P<attached>\[=?[A-Z]+\])|(?P<words> [A-Z]+\.\.\. ;)|(?:(?<==)|[ =])(?P<value>[A-Z]+))?"
)
_WILDCARD: Final = re.compile(r"-[A-Z]{2,}")
_OPERAND: Final = re.compile(
    r"(?P<open>\[)?(?P<name>[A-Z][A-Z0-9_-]*)(?P<pairs>=VALUE)?(?P<many>\.\.\.)?(?P<close>\])?"
)

META: Final[Mapping[str, tuple[str, ...]]] = {
    "code": ("language", "text", "file", "stdin"),
    "shell": ("text",),
    "command": ("words", "more", "replace", "with"),
    "endpoint": ("place", "as", "scheme", "names", "tree", "local", "runs"),
    "folder": ("path",),
    "variable": ("name",),
}
_FLAGS: Final = frozenset({"stdin", "more", "names", "tree", "local"})
_FIELDS: Final = {
    **META,
    **{
        kind: tuple(name for name in record.fields if name not in ("certain", "through"))
        for kind, record in EFFECT_KINDS.items()
    },
}
"""The fields of each kind. The first of them that an effect has is what it is about, in whatever
order a file names them."""


def read_program(name: str, entry: Mapping[str, Any], parent: Program | None = None) -> Program:
    """Read an entry that fits the schema. Raises ProgramError."""
    return _Reader(name, entry, parent).read()


class _Reader:
    def __init__(self, name: str, entry: Mapping[str, Any], parent: Program | None) -> None:
        self.entry = entry
        self.program = Program(name)
        self.parent = parent
        self.meanings: set[str] = set()
        self.wrong: list[ProgramError] = []

    def read(self) -> Program:
        entry, program = self.entry, self.program
        program.style = entry.get("style", "gnu")
        program.same_shell = entry.get("same-shell", False)
        if self.parent is not None:
            self._inherit(self.parent)
        for meaning, written in entry.get("options", {}).items():
            self._option(meaning, written, ("options", meaning))
        for written in entry.get("other", ()):
            self._option("", written, ("other", written))
        program.operands = self._operands(entry.get("operands", ""))
        if "found" in entry:
            found = entry["found"]
            program.found = Found(
                self._value(found["below"], ("found", "below")),
                self._value(found["named"], ("found", "named")) if "named" in found else None,
                self._condition(found.get("unless", ()), ("found", "unless")),
            )
        program.absent = {
            name: self._condition(items, ("absent", name))
            for name, items in entry.get("absent", {}).items()
        }
        ends = self._condition(entry.get("ends", ()), ("ends",))
        program.ends = frozenset(item.name for item in ends if item.kind == "operand")
        program.ending_options = frozenset(item.name for item in ends if item.kind == "option")
        if "folder" in entry:
            program.folder = self._value(entry["folder"], ("folder",))
        program.effects = self._effects(entry.get("effects", ()))
        for names, inner in entry.get("commands", {}).items():
            try:
                command = read_program(names, inner, program)
            except ProgramError as error:
                found = (error, *error.others)
                self.wrong += [mistake.below("commands", names) for mistake in found]
                continue
            program.commands.update(dict.fromkeys(names.split("|"), command))
        if self.wrong:
            first, *others = self.wrong
            first.others = tuple(others)
            raise first
        program.matters = bool(program.effects) or any(
            command.matters for command in program.commands.values()
        )
        program.language = next(
            (
                language[0].name
                for effect in program.effects
                if "file" in effect.fields
                and effect.kind == "code"
                and isinstance(language := effect.fields["language"], tuple)
            ),
            None,
        )
        return program

    def _inherit(self, parent: Program) -> None:
        program = self.program
        program.style = self.entry.get("style", parent.style)
        program.words.update(parent.words)
        program.letters.update(parent.letters)
        program.prefixes.update(parent.prefixes)
        program.folder = parent.folder
        self.meanings.update(option.meaning for option in parent.words.values())
        self.meanings.update(option.meaning for option in parent.letters.values())

    # -- options and operands

    def _option(self, meaning: str, written: str | Iterable[str], path: tuple[str, ...]) -> None:
        texts = [written] if isinstance(written, str) else list(written)
        self.meanings.add(meaning)
        # Ways of writing that take different things are different options of one meaning.
        options: dict[Takes, Option] = {}
        names: list[str] = []
        for text in texts:
            takes, spellings = Takes.NOTHING, []
            for part in text.split("|"):
                if _WILDCARD.fullmatch(part):
                    self.program.wildcard = options.setdefault(
                        Takes.VALUE, Option(meaning, (), Takes.VALUE)
                    )
                    continue
                found = _SPELLING.fullmatch(part)
                if found is None:
                    raise ProgramError(
                        path, f"`{part}` is no option", "write `-o FILE`, `--output=FILE`, `-v`"
                    )
                spellings.append(found["name"].rstrip("=") if part[0] == "-" else found["name"])
                if found["attached"]:
                    takes = Takes.ATTACHED
                elif found["words"]:
                    takes = Takes.WORDS
                elif found["value"]:
                    takes = Takes.VALUE
            option = options.setdefault(takes, Option(meaning, (), takes))
            names += spellings
            for name in spellings:
                self._register(name, option)
        for option in options.values():
            option.names = tuple(names)

    def _register(self, name: str, option: Option) -> None:
        program = self.program
        if name.endswith("=") and not name.startswith("-"):
            program.prefixes[name] = option
        elif (
            len(name) == 2 and name[0] == "-" and name[1] != "-" and program.style != "single-dash"
        ):
            program.letters[name[1]] = option
        else:
            program.words[name] = option

    def _operands(self, written: str) -> tuple[Operand, ...]:
        operands = []
        for text in written.split():
            found = _OPERAND.fullmatch(text)
            if found is None or bool(found["open"]) != bool(found["close"]):
                raise ProgramError(
                    ("operands",), f"`{text}` is no operand", "write `FILE`, `[FILE]`, `FILE...`"
                )
            operands.append(
                Operand(
                    found["name"], bool(found["many"]), bool(found["open"]), bool(found["pairs"])
                )
            )
        if sum(operand.many and not operand.pairs for operand in operands) > 1:
            raise ProgramError(("operands",), "two operands can't both take any number of words")
        return tuple(operands)

    # -- effects

    def _effects(self, items: Iterable[Mapping[str, Any]]) -> tuple[EffectSpec, ...]:
        effects = []
        for index, item in enumerate(items):
            try:
                effects.append(self._effect(item, ("effects", str(index))))
            except ProgramError as error:
                self.wrong.append(error)
        return tuple(effects)

    def _effect(self, item: Mapping[str, Any], path: tuple[str, ...]) -> EffectSpec:
        kinds = [key for key in item if key not in ("when", "unless")]
        if len(kinds) != 1:
            raise ProgramError(path, "an effect has exactly one kind")
        kind = kinds[0]
        known = _FIELDS.get(kind)
        if known is None:
            raise ProgramError(
                (*path, kind), f"`{kind}` is no kind of effect", suggestion(kind, _FIELDS)
            )
        fields = {}
        for name, value in (item[kind] or {}).items():
            if name not in known:
                raise ProgramError(
                    (*path, kind, name),
                    f"`{name}` is no field of `{kind}`",
                    suggestion(name, known),
                )
            fields[name] = self._value(value, (*path, kind, name))
            if not _is_flag(kind, name):
                self._check_valued(fields[name], (*path, kind, name))
        fields = {name: fields[name] for name in known if name in fields}
        flags = (name for name in fields if kind in EFFECT_KINDS and _is_flag(kind, name))
        place = fields.get("path")
        joined = place[0] if isinstance(place, tuple) and place[0].kind == "inside" else None
        when = self._condition(item.get("when", ()), (*path, "when"))
        main = next(iter(fields.values()), True)
        return EffectSpec(
            kind,
            fields,
            when,
            self._condition(item.get("unless", ()), (*path, "unless")),
            frozenset(flags),
            _only_options(when) or (frozenset() if isinstance(main, bool) else _only_options(main)),
            joined is not None and joined.other is not None and joined.other.kind == "operand",
        )

    def _check_valued(self, value: Value, path: tuple[str, ...]) -> None:
        """Report an option that never has a value, where one is wanted."""
        program = self.program
        options = (*program.words.values(), *program.letters.values(), *program.prefixes.values())
        for name in () if isinstance(value, bool) else _options_in(value):
            written = [option for option in options if option.meaning == name]
            if written and all(option.takes is Takes.NOTHING for option in written):
                message = f"the option `{name}` has no value: it is written `{written[0].names[0]}`"
                help = f"write it with its value: `{written[0].names[0]} VALUE`"
                raise ProgramError(path, message, help)

    def _condition(self, written: str | Iterable[str], path: tuple[str, ...]) -> Condition:
        items = [written] if isinstance(written, str) else list(written)
        found = tuple(self._reference(item, path) for item in items)
        for item, reference in zip(items, found, strict=True):
            if reference.kind not in ("option", "operand"):
                raise ProgramError(
                    path, f"`{item}` is no condition", "write `option NAME` or an operand's name"
                )
        return found

    def _value(self, written: Any, path: tuple[str, ...]) -> Value:
        if isinstance(written, bool):
            return written
        return tuple(self._reference(item, path) for item in str(written).split(" or "))

    def _reference(self, text: str, path: tuple[str, ...]) -> Reference:
        operands = [operand.name for operand in self.program.operands]
        return read_reference(text, path, self.meanings, operands)


def _is_flag(kind: str, field: str) -> bool:
    """Whether a field says that something is so, and an option in it, whether it is there."""
    record = EFFECT_KINDS.get(kind)
    return field in _FLAGS if record is None else record.fields[field].type == BOOL


def _options_in(references: Iterable[Reference]) -> Iterator[str]:
    for item in references:
        if item.kind == "option":
            yield item.name
        yield from _options_in(item.parts if item.other is None else (*item.parts, item.other))


def _only_options(references: tuple[Reference, ...]) -> frozenset[str]:
    """The options among references, when there is nothing else."""
    options = [item.other or item for item in references]
    if any(item.kind != "option" for item in options):
        return frozenset()
    return frozenset(item.name for item in options)
