"""Command patterns: whether a `run` effect is what `` `git push (--force|-f)` `` says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from callgate.effects.argument_reader import UNDESCRIBED
from callgate.effects.arguments import Arguments, Occurrence
from callgate.effects.command import ParsedCommand
from callgate.effects.program_spec import Program
from callgate.effects.shell.tree import Word
from callgate.effects.told_options import ToldOption, told
from callgate.effects.truth import Truth, both, every, some
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern
from callgate.model.values import UNKNOWN

__all__ = ["match"]


def match(run_effect: Any, pattern: CommandPattern, strict: bool) -> Truth:
    """Whether a `run` effect fits a command pattern; UNKNOWN where an unresolved word decides.

    `strict` (allowing positions): the program must be a bare name or stand in a trusted folder,
    nothing may be set or redirected beside it, and every way to read its words must fit. There the
    pattern says of options that nobody described whether they have a value.
    """
    command = run_effect.data
    if not isinstance(command, ParsedCommand):
        name = run_effect.fields["program"]
        other = isinstance(name, str) and not any(_fits(name, p.pieces) for p in pattern.program)
        return False if strict or other else UNKNOWN
    if _other(command, pattern.words):
        return False
    head = _program(command, pattern.program, strict)
    if head is False:
        return False
    if strict and (command.altered or not (command.line is None or command.line.alone)):
        return False
    if not strict:
        return both(
            head, some(_reading(command, item, pattern, strict) for item in command.readings())
        )
    program = command.program or UNDESCRIBED
    known = told(pattern, program) if pattern.options or pattern.optional else program
    readings = command.readings() if known is program else command.read_as(known)
    found = [_reading(command, item, pattern, strict) for item in readings]
    if any(word.glob for word in command.words):
        # It may expand to options.
        head = UNKNOWN
    return both(head, every(found))


def _program(command: ParsedCommand, patterns: Iterable[WordPattern], strict: bool) -> Truth:
    head = command.words[0]
    text = head.text
    if not isinstance(text, str) or head.glob:
        return UNKNOWN
    name = text
    if "/" in text:
        folder, _, name = text.rpartition("/")
        if strict and folder not in command.trusted:
            return False
    return any(_fits(name, pattern.pieces) for pattern in patterns)


def _reading(
    command: ParsedCommand, arguments: Arguments, pattern: CommandPattern, strict: bool
) -> Truth:
    perhaps = () if strict else arguments.occurrences
    doubtful = {id(found.perhaps) for found in perhaps if found.perhaps is not None}
    fluid = any(word.fluid for word in arguments.positional) or arguments.unsure
    program = command.program or UNDESCRIBED
    pattern = _with_prefixes(pattern, arguments.program)
    if doubtful:
        result = _aligned(arguments.positional, pattern, fluid, doubtful)
    else:
        result = _words(arguments.positional, pattern, fluid)
    for option in pattern.options:
        if result is False:
            return False
        result = both(result, _option(arguments, option, program, arguments.unsure))
    if pattern.closed:
        result = both(result, _nothing_else(arguments, pattern, len(doubtful)))
    return result


def _other(command: ParsedCommand, words: tuple[tuple[WordPattern, ...], ...]) -> bool:
    """Whether the first word is surely none of those that a pattern begins with: the cheapest way
    to tell."""
    leading = command.leading if words else ""
    if leading == "":
        return False
    for item in words[0]:  # noqa: SIM110 - a generator would cost more than the loop
        if leading == item.pieces[0] or len(item.pieces) > 1:
            return False
    return True


def _with_prefixes(pattern: CommandPattern, program: Program) -> CommandPattern:
    """The pattern with `of=*` among its words taken for the option that it is to this program."""
    if not program.prefixes:
        return pattern
    words: list[tuple[WordPattern, ...]] = []
    options: list[OptionPattern] = []
    for alternatives in pattern.words:
        name, equals, rest = alternatives[0].pieces[0].partition("=")
        if len(alternatives) == 1 and name + equals in program.prefixes:
            value = WordPattern((rest, *alternatives[0].pieces[1:]))
            options.append(OptionPattern((name + equals,), value))
        else:
            words.append(alternatives)
    return replace(pattern, words=tuple(words), options=(*pattern.options, *options))


# -- words


def _words(words: list[Word], pattern: CommandPattern, fluid: bool) -> Truth:
    result: Truth = True
    shifted = False
    for index, alternatives in enumerate(pattern.words):
        if index >= len(words):
            return UNKNOWN if fluid else False
        word = words[index]
        # After a word that may be several or an option, nothing has a fixed place.
        shifted = shifted or word.fluid
        found = UNKNOWN if shifted else some(_word(word, item) for item in alternatives)
        result = both(result, found)
        if result is False:
            return False
    return result


def _aligned(words: list[Word], pattern: CommandPattern, fluid: bool, doubtful: set[int]) -> Truth:
    """As `_words`, where each of the doubtful words may be the value of the option before it."""
    fixed = next((index for index, word in enumerate(words) if word.fluid), len(words))
    places: dict[int, Truth] = {0: True}
    for alternatives in pattern.words:
        places = _skipping(places, words, doubtful)
        after: dict[int, Truth] = {}
        for index, before in places.items():
            if index < len(words):
                here = some(_word(words[index], item) for item in alternatives)
                found = both(before, UNKNOWN if index >= fixed else here)
                if found is not False:
                    after[index + 1] = found
        places = after
    if pattern.closed and not fluid:
        places = _skipping(places, words, doubtful)
        return places.get(len(words), False)
    found = some(places.values())
    return UNKNOWN if found is False and fluid else found


def _skipping(places: dict[int, Truth], words: list[Word], doubtful: set[int]) -> dict[int, Truth]:
    """The places in a command that one may be at, where doubtful words may be left out."""
    reached: dict[int, Truth] = {}
    for index in range(len(words) + 1):
        ways = [places.get(index, False)]
        if index and id(words[index - 1]) in doubtful:
            ways.append(reached.get(index - 1, False))
        if (found := some(ways)) is not False:
            reached[index] = found
    return reached


def _word(word: Word, pattern: WordPattern) -> Truth:
    if isinstance(word.text, str):
        if _fits(word.text, pattern.pieces):
            return True
        return UNKNOWN if word.glob else False
    first = word.pieces[0] if word.pieces else UNKNOWN
    wanted = pattern.pieces[0]
    if isinstance(first, str):
        exact = len(pattern.pieces) == 1
        if not first.startswith(wanted[: len(first)]) or (exact and len(first) > len(wanted)):
            return False
    return UNKNOWN


def _fits(text: str, pieces: tuple[str, ...]) -> bool:
    """Whether a text is the pieces with any text between them."""
    head, *rest = pieces
    if not rest:
        return text == head
    tail = rest.pop()
    if len(text) < len(head) + len(tail) or not (text.startswith(head) and text.endswith(tail)):
        return False
    at, end = len(head), len(text) - len(tail)
    for piece in rest:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


# -- options


def _option(arguments: Arguments, option: OptionPattern, program: Program, fluid: bool) -> Truth:
    """Whether an option of the pattern occurs."""
    result = some(_occurs(arguments, name, option.value, program) for name in option.names)
    return UNKNOWN if result is False and fluid else result


def _occurs(arguments: Arguments, name: str, value: WordPattern | None, program: Program) -> Truth:
    letters = _letters(arguments, name, program)
    if letters:
        return every(_occurs(arguments, letter, None, program) for letter in letters)
    return some(
        True if value is None else _has_value(found, value)
        for found in arguments.occurrences
        if _is(found, name)
    )


def _letters(arguments: Arguments, name: str, program: Program) -> list[str]:
    """The options that a name stands for which is a cluster (`-rf`)."""
    cluster = name[:1] == "-" and name[1:2] != "-" and len(name) > 2
    if not cluster or program.style == "single-dash" or name in arguments.program.words:
        return []
    if any(found.name == name for found in arguments.occurrences):
        return []
    return ["-" + letter for letter in name[1:]]


def _is(found: Occurrence, name: str) -> bool:
    """Whether an option that occurs is the one of this name."""
    if _named(found, name):
        return True
    # `-xvf` of a program that nobody described may be `-x -v -f`.
    written = found.name
    return (
        found.option is None
        and len(name) == 2
        and written[:1] == "-"
        and written[1:2] != "-"
        and name[1] in written[1:]
    )


def _named(found: Occurrence, name: str) -> bool:
    """Whether an option is written so, or is known to be the one that is written so."""
    option = found.option
    known = option is not None and not isinstance(option, ToldOption)
    return found.name == name or (known and option is not None and name in option.names)


def _has_value(found: Occurrence, pattern: WordPattern) -> Truth:
    if found.words:
        return UNKNOWN
    if found.perhaps is not None:
        return _word(found.perhaps, pattern)
    return False if found.value is None else _word(found.value, pattern)


# -- closed patterns


def _nothing_else(arguments: Arguments, pattern: CommandPattern, doubtful: int) -> Truth:
    named = (*pattern.options, *pattern.optional)
    result: Truth = True
    for found in arguments.occurrences:
        result = both(result, some(_names(option, found) for option in named))
        if result is False:
            return False
    fluid = sum(1 for word in arguments.positional if word.fluid)
    # Each of them may be an option that takes the word after it.
    if len(arguments.positional) - 2 * fluid - doubtful > len(pattern.words):
        return False
    if arguments.unsure or fluid:
        return UNKNOWN
    return result


def _names(option: OptionPattern, found: Occurrence) -> Truth:
    for name in option.names:
        exact = _named(found, name)
        cluster = name[:1] == "-" and name[1:2] != "-" and found.name[1:2] != "-"
        if exact or (cluster and len(found.name) == 2 and found.name[1] in name[1:]):
            if option.value is None or found.value is None:
                return True
            return _word(found.value, option.value)
    return False
