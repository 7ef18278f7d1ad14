"""Reads a command's words with what is known of its program."""

from __future__ import annotations

from typing import Final

from callgate.effects.arguments import Arguments, Occurrence, bind, is_pair
from callgate.effects.program_spec import Option, Program, Takes
from callgate.effects.shell.tree import Span, Word, unresolved
from callgate.model.values import UNKNOWN

__all__ = ["UNDESCRIBED", "read_arguments"]

UNDESCRIBED: Final = Program("")
"""Stands for a program that nobody described."""


def read_arguments(program: Program, words: tuple[Word, ...], greedy: bool, at: Span) -> Arguments:
    """Read the words after the program. `greedy`: options that are not listed take a value. `at`:
    where to show what is not there."""
    result = Arguments(program)
    if program.style != "bundle" and _plain(result, words):
        return result
    return _Reader(program, words, greedy, at).read()


def _plain(result: Arguments, words: tuple[Word, ...]) -> bool:
    """Read words of which none is an option or unknown, as most are; False when there are
    others."""
    program = result.program
    positional = result.positional
    operands: list[Word] = []
    for word in words:
        text = word.text
        if type(text) is not str or text[:1] == "-" or program.prefixes or text in program.words:
            return False
        positional.append(word)
        if not operands and program.commands:
            command = program.commands.get(text)
            if command is not None:
                result.command = text
                result.path.append(text)
                program = command
                continue
        operands.append(word)
    result.program = program
    places = program.operands
    if len(places) == 1 and places[0].many and not places[0].pairs and not program.absent:
        result.bound = {places[0].name: operands}
    elif places:
        result.bound = bind(program, operands, result, (0, 0))
    return True


class _Reader:
    __slots__ = ("at", "greedy", "index", "operands", "pairs", "program", "result", "words")

    def __init__(self, program: Program, words: tuple[Word, ...], greedy: bool, at: Span) -> None:
        self.program = program
        self.words = words
        self.greedy = greedy
        self.at = at
        self.index = 0
        self.operands: list[Word] = []
        self.pairs = 0
        self.result = Arguments(program)

    def read(self) -> Arguments:
        result, words, count = self.result, self.words, len(self.words)
        if self.program.style == "bundle" and words:
            self._bundle(words[0])
        while self.index < count:
            word = words[self.index]
            self.index += 1
            text = word.text
            if text is UNKNOWN:
                if not self._unresolved(word):
                    break
            elif text == "--":
                self._rest()
                break
            elif not isinstance(text, str) or not self._option(text, word):
                if not self._operand(word):
                    break
        result.program = self.program
        result.bound = bind(self.program, self.operands, result, self.at)
        return result

    # -- operands

    def _operand(self, word: Word) -> bool:
        """Take a word that is no option; False when nothing after it is an option."""
        result, program = self.result, self.program
        result.positional.append(word)
        if program.commands and not self.operands:
            command = program.commands.get(word.text) if isinstance(word.text, str) else None
            if word.text is UNKNOWN:
                result.hidden = True
            elif command is not None:
                result.command = str(word.text)
                result.path.append(result.command)
                result.unsure_before = result.unsure
                self.program = command
                return self._ready()
        self.operands.append(word)
        return self._ready()

    def _ready(self) -> bool:
        program = self.program
        if not program.ends:
            return True
        count = len(self.operands)
        if count and self.pairs == count - 1 and is_pair(self.operands[-1]):
            self.pairs = count
        taken = count
        for operand in program.operands:
            if operand.name in program.absent and self.result.has(program.absent[operand.name]):
                continue
            if operand.pairs:
                taken -= self.pairs
                continue
            if operand.name in program.ends:
                if taken <= 0:
                    return True
                self._rest()
                return False
            taken -= 1
        return True

    def _rest(self) -> None:
        rest = self.words[self.index :]
        self.index = len(self.words)
        self.result.positional += rest
        self.operands += rest

    def _unresolved(self, word: Word) -> bool:
        first = word.pieces[0] if word.pieces else UNKNOWN
        if isinstance(first, str) and not word.splits:
            name, equals, _ = first.partition("=")
            option = self._known(name) if name.startswith("--") and equals else None
            prefix = self.program.prefixes.get(name + equals)
            if option or prefix:
                self._add(option or prefix, name, word.tail(len(name) + 1))
                return True
        if word.fluid:
            self.result.unsure = True
        return self._operand(word)

    # -- options

    def _option(self, text: str, word: Word) -> bool:
        program = self.program
        if (text[:1] == "-" and len(text) > 1) or text in program.words:
            pass
        elif program.prefixes:
            name, equals, _ = text.partition("=")
            option = program.prefixes.get(name + equals)
            if option is None:
                return False
            self._add(option, name + equals, word.tail(len(name) + 1))
            return True
        else:
            return False
        option = program.words.get(text)
        if option is not None:
            self._take(option, text, word)
        elif text.startswith("--") or program.style == "single-dash":
            self._long(text, word)
        elif program.wildcard is not None and not self._is_cluster(text):
            return self._wildcard(program.wildcard, text, word)
        else:
            self._cluster(text, word, 1)
        return True

    def _wildcard(self, option: Option, text: str, word: Word) -> bool:
        result = self.result
        if option.meaning in result.meanings or any(o.option is option for o in result.occurrences):
            # `kill -9 -1`: the second is an operand.
            return False
        self._add(option, text, word.tail(1))
        return True

    def _is_cluster(self, text: str) -> bool:
        return text[1] in self.program.letters

    def _long(self, text: str, word: Word) -> None:
        name, equals, _ = text.partition("=")
        option = self._known(name)
        if option is None:
            self._unlisted(name, word.tail(len(name) + 1) if equals else None)
        elif equals:
            self._add(option, name, word.tail(len(name) + 1))
        else:
            self._take(option, name, word)

    def _known(self, name: str) -> Option | None:
        """A long option by its name or an abbreviation that can mean only this one."""
        program = self.program
        option = program.words.get(name)
        if option is not None or program.style == "single-dash" or len(name) < 3:
            return option
        cache = program.abbreviations
        if name not in cache:
            fits = {
                id(option): option
                for full, option in program.words.items()
                if full.startswith(name)
            }
            if len(cache) > 256:
                cache.clear()
            cache[name] = next(iter(fits.values())) if len(fits) == 1 else None
        return cache[name]

    def _cluster(self, text: str, word: Word, start: int) -> None:
        letters = self.program.letters
        last = len(text) - 1
        for index in range(start, last + 1):
            name = "-" + text[index]
            option = letters.get(text[index])
            if option is None:
                if not letters:
                    # Nothing is known of its options: `-name` may be one.
                    self._unlisted(text, None)
                    return
                if index == last or self.greedy:
                    self._unlisted(name, word.tail(index + 1) if index < last else None)
                    return
                self.result.ambiguous = True
                self._add(None, name, None)
            elif option.takes is Takes.NOTHING:
                self._add(option, name, None)
            elif index < last:
                self._add(option, name, word.tail(index + 1))
                return
            else:
                self._take(option, name, word)

    def _bundle(self, word: Word) -> None:
        text = word.text
        if not isinstance(text, str) or text[:1] == "-" or not text:
            return
        # Old style: the values follow, in the order of the letters.
        self.index = 1
        for letter in text:
            option = self.program.letters.get(letter)
            self._take(option, "-" + letter, word) if option else self._add(
                None, "-" + letter, None
            )

    def _take(self, option: Option, name: str, word: Word) -> None:
        """Add an option with the value that stands in the next word."""
        words = self.words
        if option.takes is Takes.VALUE:
            self.index += option.before
            if self.index < len(words):
                value = words[self.index]
                self.index += 1 + option.after
                # An unquoted variable may hold the value and more.
                self.result.unsure |= value.text is UNKNOWN and value.splits
                self._add(option, name, value)
            else:
                self._add(option, name, unresolved(self.at) if self.result.unsure else None)
        elif option.takes is Takes.WORDS:
            start = self.index
            while self.index < len(words) and words[self.index].text not in (";", "+"):
                self.index += 1
            self._add(option, name, None, words[start : self.index])
            self.index += 1
        else:
            self._add(option, name, None)

    def _unlisted(self, name: str, value: Word | None) -> None:
        words = self.words
        if value is None and self.index < len(words):
            following = words[self.index].text
            if following is UNKNOWN or not str(following).startswith("-"):
                self.result.ambiguous = True
                if not self.greedy:
                    perhaps = words[self.index]
                    self.result.occurrences.append(Occurrence(None, name, None, (), perhaps))
                    return
                value = words[self.index]
                self.index += 1
        self._add(None, name, value)

    def _add(
        self, option: Option | None, name: str, value: Word | None, words: tuple[Word, ...] = ()
    ) -> None:
        self.result.occurrences.append(Occurrence(option, name, value, words))
        if option is not None and option.meaning:
            self.result.meanings.add(option.meaning)
            if option.meaning in self.program.ending_options:
                self._rest()
