"""The values in a program's entry: which words of a command they stand for."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from callgate.effects.arguments import Arguments
from callgate.effects.command import ParsedCommand
from callgate.effects.program_spec import Program, Reference, Value
from callgate.effects.shell.tree import Span, Word, constant, unresolved
from callgate.effects.sink import Given, Sink
from callgate.effects.state import State
from callgate.effects.urls import remote_name
from callgate.model.values import UNKNOWN

__all__ = ["Values", "divided_words"]


class Values:
    """One reading of a command: `arguments`, with the `entry` that explains them."""

    sink: Sink
    command: ParsedCommand
    arguments: Arguments
    entry: Program
    state: State

    @property
    def at(self) -> Span:
        """The command's place in the text."""
        return self.command.span

    def flag(self, value: Value) -> Given:
        """True, false, or a word of which nothing is known."""
        if isinstance(value, bool):
            return value
        for reference in value:
            if reference.kind == "option":
                if reference.name in self.arguments.meanings:
                    return True
            elif self.reference(reference):
                return True
        return unresolved(self.at) if self.arguments.unsure else False

    def values(self, value: Value) -> list[Word]:
        """The words that a value stands for."""
        if isinstance(value, bool):
            return [constant(str(value).lower(), self.at)]
        for reference in value:
            words = self.reference(reference)
            if words:
                return words
        return []

    def says_folder(self, word: Word) -> bool:
        """Whether a word can only be a folder's, by how it is written."""
        text = word.text
        home = self.sink.paths.home
        return isinstance(text, str) and (text.endswith(("/", ".", "~")) or text == home)

    def reference(self, reference: Reference) -> list[Word]:
        """The words that one alternative stands for."""
        kind, name = reference.kind, reference.name
        if kind == "operand":
            return self.found() if name == "FOUND" else self.arguments.bound.get(name, [])
        if kind == "option":
            return self._option(name)
        if kind == "inside":
            assert reference.other is not None
            return self._inside(self.arguments.bound.get(name, []), self.reference(reference.other))
        if kind == "below":
            assert reference.other is not None
            parts = reference.parts
            words = self.reference(parts[0]) if parts else self.arguments.bound.get(name, [])
            return _below(words, self.reference(reference.other))
        if kind == "before":
            assert reference.other is not None
            return [_before(name, word) for word in self.reference(reference.other)]
        if kind == "after":
            assert reference.other is not None
            return _after(name, self.reference(reference.other))
        if kind == "led":
            assert reference.other is not None
            return _led(name, self.reference(reference.other))
        if kind == "input":
            stdin = self.state.stdin
            known = stdin is not None and stdin.kind == "text" and stdin.word is not None
            return [stdin.word] if known and stdin and stdin.word else []
        if kind == "kept":
            assert reference.other is not None
            return _kept(self.reference(reference.parts[0]), self.reference(reference.other))
        if kind == "without":
            assert reference.other is not None
            return [_without(name, word) for word in self.reference(reference.other)]
        if kind == "named":
            assert reference.other is not None
            words = self.reference(reference.other)
            return [word for word in words if not self.says_folder(word)]
        if kind == "divided":
            assert reference.other is not None
            return _divided(name, self.reference(reference.other))
        if kind == "then":
            return [word for part in reference.parts for word in self.reference(part)]
        if kind == "split":
            assert reference.other is not None
            return [w for text in self.reference(reference.other) for w in divided_words(text)]
        if kind == "command":
            return [constant(self.arguments.command, self.at)]
        if kind == "program":
            return [constant(str(self.command.words[0].text).rpartition("/")[2], self.at)]
        word = constant(name, self.at)
        if name == "~" or name.startswith("~/"):
            word.home = 0
        return [word]

    def _option(self, meaning: str) -> list[Word]:
        occurs = self.arguments.occurs(meaning)
        words = [o.value for o in occurs if o.value is not None]
        if not words and not occurs and self.arguments.unsure:
            return [unresolved(self.at)]
        return words

    @staticmethod
    def _inside(names: list[Word], folders: list[Word]) -> list[Word]:
        words = []
        for folder in folders[:1]:
            for word in names:
                if isinstance(word.text, str) and isinstance(folder.text, str):
                    name = word.text.rstrip("/").rpartition("/")[2]
                    words.append(_join(folder, word, f"{folder.text}/{name}", folder.span))
                else:
                    words.append(unresolved(folder.span))
        return words

    def found(self) -> list[Word]:
        """What a search finds."""
        search = self.entry.found
        if search is None or (search.when and not self.arguments.has(search.when)):
            return []
        below = self.values(search.below)
        named = [] if search.named is None else self.values(search.named)
        sure = len(named) == 1 and not self.arguments.has(search.unless)
        found = []
        for folder in below:
            if not isinstance(folder.text, str):
                found.append(unresolved(folder.span))
                continue
            name = named[0].text if sure else None
            word = Word(folder.text, folder.span, home=folder.home, glob=folder.glob, below=True)
            if isinstance(name, str) and "/" not in name:
                # It may be at any depth.
                word.text = f"{folder.text.rstrip('/')}/**/{name}"
                word.glob = True
            found.append(word)
        return found


def _join(folder: Word, word: Word, text: str, span: Span) -> Word:
    joined = Word(text, span, home=folder.home)
    joined.glob = word.glob or folder.glob
    return joined


def _kept(sources: list[Word], folders: list[Word]) -> list[Word]:
    """What is fetched from some places, each under the last name of its place, in a folder."""
    words = []
    for folder in folders[:1]:
        for source in sources:
            name = remote_name(source.text) if isinstance(source.text, str) else None
            if name is None or not isinstance(folder.text, str):
                words.append(unresolved(source.span))
            else:
                words.append(_join(folder, source, f"{folder.text}/{name}", source.span))
    return words


def _without(end: str, word: Word) -> Word:
    """A word without an end of its last name, unless the name is nothing else."""
    text = word.text
    if not isinstance(text, str) or text.rpartition("/")[2] == end:
        return word
    return replace(word, text=text.removesuffix(end))


def _divided(marks: str, words: list[Word]) -> list[Word]:
    """The parts of some words between any of the marks."""
    found = []
    for word in words:
        if not isinstance(word.text, str):
            found.append(word)
            continue
        start = 0
        for part in re.split(f"[{re.escape(marks)}]", word.text):
            piece = word.tail(start)
            piece.text = part
            found += [piece] if part else []
            start += len(part) + 1
    return found


def _below(words: list[Word], folders: list[Word]) -> list[Word]:
    found = []
    for folder in folders[-1:]:
        for word in words:
            if not isinstance(word.text, str) or not isinstance(folder.text, str):
                found.append(unresolved(word.span))
            elif word.text.startswith("/") or word.home == 0:
                found.append(word)
            else:
                found.append(_join(folder, word, f"{folder.text}/{word.text}", word.span))
    return found


def divided_words(word: Word) -> list[Word]:
    """The words in a word's text, divided and unquoted; unknown where something is replaced."""
    text = word.text
    if not isinstance(text, str) or "$" in text or "\\" in text:
        return [unresolved(word.span, splits=True)]
    try:
        found = [constant(item, word.span) for item in shlex.split(text)]
    except ValueError:
        return [unresolved(word.span, splits=True)]
    for item in found:
        if item.text == "~" or str(item.text).startswith("~/"):
            item.home = 0
    return found


def _before(mark: str, word: Word) -> Word:
    """A word up to a mark; the whole of it when the mark isn't there."""
    text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
    if not isinstance(text, str) or mark not in text:
        return word
    return replace(word, text=text.partition(mark)[0], pieces=(), splits=False)


def _after(mark: str, words: list[Word]) -> list[Word]:
    """What follows a mark, in which one `*` stands for any text. Names of settings are often read
    without regard to case, so marks are."""
    head, star, tail = mark.partition("*")
    found = []
    for word in words:
        text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
        if not isinstance(text, str):
            found.append(word)
            continue
        end = _end(head, text, 0)
        if star and end >= 0:
            end = _end(tail, text, end)
            if end < 0 and word.text is UNKNOWN:
                found.append(unresolved(word.span))
        # A setting without a value says nothing.
        if (end >= 0 and text is not word.text) or 0 <= end < len(text):
            found.append(word.tail(end))
    return found


def _led(mark: str, words: list[Word]) -> list[Word]:
    """What follows a mark in those words that begin with it, but for blanks."""
    found = []
    for word in words:
        text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
        if not isinstance(text, str):
            found.append(word)
            continue
        start = len(text) - len(text.lstrip())
        if text.startswith(mark, start):
            found.append(word.tail(start + len(mark)))
    return found


def _end(part: str, text: str, start: int) -> int:
    """Where a part of a text ends that is found from a place on; -1 when it isn't there."""
    found = re.compile(re.escape(part), re.IGNORECASE | re.ASCII).search(text, start)
    return found.end() if found else -1
