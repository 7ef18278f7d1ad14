"""Command patterns that stand in settings and in vocabularies: whether they can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from callgate.effects.program_spec import EffectSpec, Option, Program, Reference, Texts
from callgate.effects.programs import Programs
from callgate.lang import ConditionError, parse_pattern
from callgate.load.settings_types import TypeMistake
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern

__all__ = ["pattern_check", "pattern_mistake"]

_RUNNING: Final = frozenset({"code", "command", "shell"})
"""Kinds of an entry's effects that run what the words of a command say."""


def pattern_check(programs: Mapping[str, Any]) -> Callable[[str, bool], TypeMistake | None]:
    """A function that says what is wrong with a pattern of the settings, if anything; it is told
    whether the pattern lets commands through. `programs`: the policy's entries."""

    @cache
    def known() -> Programs:
        return Programs(programs)

    def check(text: str, closed: bool) -> TypeMistake | None:
        return pattern_mistake(text, closed) or (_runs_others(text, known()) if closed else None)

    return check


def pattern_mistake(text: str, closed: bool) -> TypeMistake | None:
    """What is wrong with a pattern, whatever is known of its program. `closed`: it lets commands
    through."""
    try:
        pattern = parse_pattern(text)
    except ConditionError as error:
        message = f"`{_cut(text)}` is no command pattern: {error.message}"
        part = (error.start, error.end)
        return TypeMistake((), "C036", message, error.help or _EXAMPLE, part=part)
    if any(word.pieces[0].startswith("^") for word in pattern.program):
        message = f"`{_cut(text)}` begins with `^`, as no program's name does: it can't match"
        return TypeMistake((), "C036", message, f"words, no regular expression: {_EXAMPLE}")
    if not closed:
        return None
    if any(len(word.pieces) > 1 for word in pattern.program):
        message = f"`{_cut(text)}` lets through commands of programs that it does not name"
        return TypeMistake((), "C037", message, "name each program: `(pytest|ruff) $`")
    if not pattern.closed:
        message = f"`{_cut(text)}` is open, and lets through whatever begins so"
        help = f"end it with `$` and name every option that may occur: `{_cut(text.strip())} $`"
        return TypeMistake((), "C037", message, help)
    return None


_EXAMPLE: Final = "for example `git push --force`, or `git status [--short] $`"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


def _runs_others(text: str, programs: Programs) -> TypeMistake | None:
    """What is wrong with a pattern whose commands run what their words say: a wrapper, a shell or
    an interpreter."""
    pattern = parse_pattern(text)
    for word in pattern.program:
        program = programs.get(word.pieces[0])
        if program is not None and _Reach(pattern, program).runs():
            name = word.pieces[0]
            message = f"`{_cut(text)}` lets through whatever `{name}` is told to run"
            help = f"name the program that does the work; what `{name}` runs is not let through"
            return TypeMistake((), "C037", message, f"{help} by patterns")
    return None


class _Reach:
    """Which effects of a program's entry the commands of a pattern may have."""

    def __init__(self, pattern: CommandPattern, program: Program) -> None:
        self.entries = [program]
        words = list(pattern.words)
        while words and self.entries[-1].commands:
            texts = [word.pieces[0] for word in words[0] if len(word.pieces) == 1]
            inner = [
                command for text in texts for entry in self.entries
                if (command := entry.commands.get(text)) is not None
            ]  # fmt: skip
            if not inner:
                break
            self.entries += inner
            del words[0]
        self.words = words
        self.operands = bool(words)
        self.options = (*pattern.options, *pattern.optional)
        self.needed = self._meanings(pattern.options)
        self.named = self.needed | self._meanings(pattern.optional)

    def runs(self) -> bool:
        """Whether one of them runs what the command's words say."""
        return any(
            effect.kind in _RUNNING and self._may_be(entry, effect)
            for entry in self.entries
            for effect in entry.effects
        )

    def _may_be(self, entry: Program, effect: EffectSpec) -> bool:
        if any(self._is_there(entry, item) for item in effect.unless):
            return False
        if effect.when and not any(self._can_be(entry, item) for item in effect.when):
            return False
        values = [value for value in effect.fields.values() if isinstance(value, tuple)]
        given = [item for value in values for item in value if item.kind != "constant"]
        return not given or any(self._can_be(entry, item) for item in given)

    def _is_there(self, entry: Program, item: Reference) -> bool:
        """Whether what a condition speaks of is there in every command of the pattern."""
        if item.kind == "operand":
            return self.operands and not self._absent(entry, item)
        return item.kind == "option" and item.name in self.needed

    def _can_be(self, entry: Program, item: Reference) -> bool:
        """Whether what a value or a condition speaks of is there in some command."""
        if item.kind == "is" and item.other is not None and item.texts is not None:
            texts = item.texts
            return any(_may_fit(word, texts) for word in self._given(entry, item.other))
        inner = (*item.parts, *(() if item.other is None else (item.other,)))
        if inner:
            return any(self._can_be(entry, part) for part in inner)
        if item.kind == "option":
            return item.name in self.named
        if item.kind == "operand":
            return self.operands and not self._absent(entry, item)
        return item.kind != "constant"

    def _given(self, entry: Program, item: Reference) -> list[WordPattern]:
        """What an operand or an option's value may be."""
        if not self._can_be(entry, item):
            return []
        if item.kind == "operand":
            return [word for ways in self.words for word in ways]
        named = [option for option in self.options if item.name in self._meanings((option,))]
        return [option.value or WordPattern(("", "")) for option in named]

    def _absent(self, entry: Program, item: Reference) -> bool:
        """Whether an option that every command of the pattern has takes an operand's place."""
        options = entry.absent.get(item.name, ())
        return any(part.kind == "option" and part.name in self.needed for part in options)

    def _meanings(self, options: tuple[OptionPattern, ...]) -> set[str]:
        names = [name for option in options for name in option.names]
        found = {option.meaning for name in names for option in self._options(name)}
        return found - {""}

    def _options(self, name: str) -> Iterator[Option]:
        """The options that a name may mean, an abbreviation or a cluster of letters too."""
        for entry in self.entries:
            for full, option in entry.words.items():
                if full == name or (name[:2] == "--" and full.startswith(name)):
                    yield option
            if name[:1] == "-" and name[1:2] != "-":
                for letter in name[1:]:
                    if letter in entry.letters:
                        yield entry.letters[letter]


def _may_fit(word: WordPattern, texts: Texts) -> bool:
    """Whether some word of a pattern may be one of the texts of a condition."""
    head, tail = word.pieces[0], word.pieces[-1]
    if len(word.pieces) == 1:
        return texts.fit(head)
    return (
        bool(texts.parts)
        or any(text.startswith(head) and text.endswith(tail) for text in texts.exact)
        or any(
            (head.startswith(start) or start.startswith(head))
            and (tail.endswith(end) or end.endswith(tail))
            for start, end in texts.ends
        )
    )
