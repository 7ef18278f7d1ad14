"""One reading of a command's words: options, sub-command, and operands by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from callgate.effects.program_spec import Condition, Operand, Option, Program, Reference
from callgate.effects.shell.tree import Span, Word, unresolved
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Arguments", "Occurrence", "bind", "is_pair"]

_PAIR: Final = re.compile(r"[^=\s-][^=\s]*=")


@dataclass(slots=True)
class Occurrence:
    """An option as it occurs: what it is (None: not listed), as written, its value. `perhaps`: the
    word after an option that is not listed, which this reading takes for no value of it."""

    option: Option | None
    name: str
    value: Word | None = None
    words: tuple[Word, ...] = ()
    perhaps: Word | None = None


@dataclass(slots=True)
class Arguments:
    """One reading of a command's words.

    `program`: the entry of the sub-command, where there is one; `command` its name, `path` the
    names that lead to it. `hidden`: the sub-command can't be known. `meanings`: those of the
    options that occur. `positional`: all words that are no options, sub-commands first. `bound`:
    operand → words. `unsure`: some word may be options nobody sees; `unsure_before`: one before the
    sub-command. `ambiguous`: an option that is not listed may or may not take the word after it.
    """

    program: Program
    command: str = ""
    path: list[str] = field(default_factory=list)
    hidden: bool = False
    occurrences: list[Occurrence] = field(default_factory=list)
    meanings: set[str] = field(default_factory=set)
    positional: list[Word] = field(default_factory=list)
    bound: Mapping[str, list[Word]] = field(default_factory=dict)
    unsure: bool = False
    unsure_before: bool = False
    ambiguous: bool = False

    def occurs(self, meaning: str) -> list[Occurrence]:
        """The occurrences of an option by its meaning."""
        if meaning not in self.meanings:
            return []
        return [o for o in self.occurrences if o.option is not None and o.option.meaning == meaning]

    @property
    def idle(self) -> bool:
        """Whether its options say that it changes nothing, as far as one can see."""
        program = self.program
        if not self.occurrences:
            return False
        if program.idle and self.has(program.idle):
            doubtful = program.busy and (self.unsure or self.doubts(program.busy))
            return not (doubtful or self.has(program.busy))
        alone = len(self.occurrences) == 1 and len(self.positional) == len(self.path)
        return alone and self.occurrences[0].name in program.telling

    def has(self, condition: Condition) -> bool:
        """Whether one of a condition's options or operands is there, as far as one can see."""
        for item in condition:
            if item.kind == "option":
                if item.name in self.meanings:
                    return True
            elif self._holds(item) is True:
                return True
        return False

    def doubts(self, condition: Condition) -> bool:
        """Whether a condition hangs on a word that is there, but not known."""
        return any(self._holds(item) is UNKNOWN for item in condition)

    def _holds(self, item: Reference) -> bool | Unknown:
        kind = item.kind
        if kind == "option":
            return item.name in self.meanings
        if kind == "operand":
            return bool(self.bound.get(item.name))
        if kind == "all":
            found = [self._holds(part) for part in item.parts]
            return False if False in found else UNKNOWN if UNKNOWN in found else True
        assert item.other is not None and item.texts is not None
        name = item.other.name
        if item.other.kind == "option":
            words = [o.value for o in self.occurs(name) if o.value is not None]
        else:
            words = self.bound.get(name, [])
        wanted = kind == "is"
        for word in words:
            if isinstance(word.text, str) and item.texts.fit(word.text) is wanted:
                return True
        return UNKNOWN if any(not isinstance(word.text, str) for word in words) else False


def is_pair(word: Word) -> bool:
    """Whether a word is of the form `NAME=VALUE`."""
    text = word.text if isinstance(word.text, str) else (word.pieces[:1] or ("",))[0]
    return isinstance(text, str) and _PAIR.match(text) is not None


def bind(
    program: Program, words: list[Word], result: Arguments, at: Span
) -> Mapping[str, list[Word]]:
    """Give the words that are no options the names of the program's operands. `at`: where to show
    what nobody sees."""
    if not program.operands:
        return {}
    bound: dict[str, list[Word]] = {}
    places: list[Operand] = []
    start = 0
    for operand in program.operands:
        if operand.name in program.absent and result.has(program.absent[operand.name]):
            continue
        if operand.pairs:
            stop = start
            while stop < len(words) and is_pair(words[stop]):
                stop += 1
            bound[operand.name] = words[start:stop]
            start = stop
        else:
            places.append(operand)
    words = words[start:]
    needed = sum(1 for place in places if not (place.many or place.optional))
    spare = len(words) - needed
    index = 0
    for number, place in enumerate(places):
        if place.many:
            after = len(places) - number - 1
            stop = max(index, len(words) - after)
            bound[place.name] = words[index:stop]
            index = stop
        elif place.optional and spare <= 0:
            continue
        else:
            spare -= place.optional
            # What is left over belongs to the last operand.
            stop = len(words) if number == len(places) - 1 else index + 1
            bound[place.name] = words[index:stop]
            index = stop
    if result.unsure:
        for place in places:
            if not bound.get(place.name):
                bound[place.name] = [unresolved(at)]
    return bound
