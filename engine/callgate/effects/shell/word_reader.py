"""Syntax tree to command tree: words, and what runs inside them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from callgate.effects.shell.heredocs import Masked, read_body
from callgate.effects.shell.kinds import EXPANSIONS, LEAVES, RUNS, STATEMENTS
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import Block, Node, Problem, Script, Span, Word, unresolved
from callgate.effects.shell.words import PLAIN, Expansion, MisreadError, Names, Place, decode
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["MAY_RUN", "WordReader"]

_MAY_SET: Final = re.compile(r"=|\+\+|--")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETS: Final = re.compile(
    r"(?<!\w)([A-Za-z_]\w*)\b(?:\[[^\]]{0,64}\])?\s*(?::?=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)"
    r"|(?:\+\+|--)\s*([A-Za-z_]\w*)",
    re.ASCII,
)
"""Where an expression surely sets a variable."""
_EVALUATES: Final = re.compile(r"\$\{!|\[|:\s*[^-+=?\s]|@P")
_PROMPT: Final = "@P}"
MAY_RUN: Final = re.compile(r"\$\(|`|[<>]\(")
_IN_BACKTICKS: Final = re.compile(r"\\([\\$`])")


class WordReader(ABC):
    """Reads the words of one text; problems are added to `problems`."""

    def __init__(
        self, text: str, masked: Masked, names: Names, place: Place, problems: list[Problem]
    ) -> None:
        self.text = text
        self.masked = masked
        self.names = names
        self.place = place
        self.problems = problems
        # See Script.
        self.evaluates = self.forks = False

    @abstractmethod
    def statements(self, nodes: Sequence[Syntax]) -> tuple[Node, ...]:
        """The statements among some nodes, in order."""

    @abstractmethod
    def parse(self, text: str, place: Place) -> Script:
        """Parse a part of the text as a script of its own."""

    def span(self, node: Syntax) -> Span:
        """A node's span in the argument."""
        return self.place.span(node.start_byte, node.end_byte)

    def problem(self, reason: str, node: Syntax, bound: bool = False) -> None:
        """Note what was not understood; `bound`: because it is too much."""
        self.problems.append(Problem(reason, self.span(node), bound))

    def assigned(self, start: int, end: int) -> tuple[Node, ...]:
        """The variables that an expression in the text may set, each as an empty block."""
        written = self.text[start:end]
        if not _MAY_SET.search(written):
            return ()
        span = self.place.span(start, end)
        names = dict.fromkeys(_NAME.findall(written))
        sets = {first or second for first, second in _SETS.findall(written)}
        return tuple(Block("group", (), span, variable=name, sets=name in sets) for name in names)

    def check_gaps(self, children: Sequence[Syntax], blanks: str) -> None:
        """Note text between some nodes that is not blank: the grammar dropped it, or took the end
        of a line for a blank."""
        last = -1
        text = self.masked.text
        for child in children:
            at = child.start_byte
            # Most often, it is one blank.
            if at > last >= 0 and not (at == last + 1 and text[last] in blanks):
                self.check_gap(last, at, blanks)
            last = child.end_byte

    def check_gap(self, start: int, end: int, blanks: str) -> None:
        """Note a gap that is not blank."""
        if self.masked.text[start:end].strip(blanks):
            reason = "a command that the grammar reads otherwise than the shell"
            self.problems.append(Problem(reason, self.place.span(start, end)))

    def words_among(self, children: Iterable[Syntax], kinds: Collection[str]) -> tuple[Word, ...]:
        """The words and patterns of `for` and `case`: only what they run matters."""
        found = []
        for child in children:
            if child.type in kinds:
                word = unresolved(self.span(child))
                word.nested = tuple(
                    node for item in self._expansions([child]).values() for node in item.nested
                )
                written = self.text[child.start_byte : child.end_byte]
                if not child.child_count and MAY_RUN.search(written) and written[0] != "'":
                    self.problem("a pattern that may run something", child)
                found.append(word)
        return tuple(found)

    def words(self, nodes: list[Syntax]) -> list[Word]:
        """The words that some nodes are; nodes that touch are one word."""
        words: list[Word] = []
        index, count = 0, len(nodes)
        text, fixed, base = self.text, self.place.fixed, self.place.base
        plain = PLAIN.fullmatch
        while index < count:
            first = nodes[index]
            start = first.start_byte
            end = first.end_byte
            index += 1
            alone = index == count or not self._touch(end, nodes[index].start_byte)
            if alone and plain(text, start, end) and text[end : end + 1] not in ("<", ">"):
                span = fixed or (base + start, base + end)
                offset = -1 if fixed else base + start
                words.append(Word(text[start:end], span, offset, bare=True))
                continue
            group = [first]
            # What touches is one word, whatever the grammar made of it.
            while index < count and self._touch(end, nodes[index].start_byte):
                group.append(nodes[index])
                end = nodes[index].end_byte
                index += 1
            if self._is_descriptor(start, end):
                continue
            if len(group) == 1 and first.type == "variable_assignment":
                value = first.children[-1]
                if value.type == "array":
                    # An argument of `declare`.
                    pieces = (self.text[start : value.start_byte], UNKNOWN)
                    span = self.place.span(start, end)
                    words.append(Word(UNKNOWN, span, pieces=pieces, nested=self.nested(first)))
                    continue
            expansions = self._expansions(group)
            try:
                found = decode(self.text, start, end, expansions, self.names, self.place)
            except MisreadError:
                found = [self._misread(start, end, group)]
            words += found
            if not expansions and found[0].splits and "," in self.text[start:end]:
                # Without a variable, only braces can do that. A range of numbers is no matter.
                span = found[0].span
                self.problems.append(Problem("braces that make too many words", span, bound=True))
        return words

    def _touch(self, end: int, start: int) -> bool:
        """Whether nothing stands between two places, but for ends of lines that mean nothing."""
        if start == end or self.text[end] != "\\":
            return start == end
        return not self.text[end:start].replace("\\\n", "")

    def _is_descriptor(self, start: int, end: int) -> bool:
        """Whether a number belongs to the redirection after it, which the grammar missed."""
        return self.text[end : end + 1] in ("<", ">") and self.text[start:end].isdecimal()

    def one_word(self, start: int, end: int, nodes: list[Syntax]) -> Word:
        """The word at a place where there can't be several."""
        try:
            words = decode(self.text, start, end, self._expansions(nodes), self.names, self.place)
        except MisreadError:
            return self._misread(start, end, nodes)
        return words[0] if len(words) == 1 else unresolved(words[0].span, splits=True)

    def _misread(self, start: int, end: int, nodes: list[Syntax]) -> Word:
        span = self.place.span(start, end)
        self.problems.append(Problem("a word whose quotes are not understood", span))
        word = unresolved(span, splits=True)
        word.nested = tuple(item for node in nodes for item in self.nested(node))
        return word

    def _expansions(self, nodes: Iterable[Syntax]) -> dict[int, Expansion]:
        """The outermost expansions in some nodes, by where they start."""
        found: dict[int, Expansion] = {}
        stack = [node for node in nodes if node.type not in LEAVES]
        while stack:
            node = stack.pop()
            kind = node.type
            if kind in EXPANSIONS:
                start = node.start_byte
                if kind == "arithmetic_expansion" or (
                    kind == "expansion" and _EVALUATES.search(self.text, start, node.end_byte)
                ):
                    self.evaluates = True
                    if self.text.endswith(_PROMPT, start, node.end_byte):
                        self.problem("text that is expanded as a prompt", node)
                if kind in RUNS:
                    nested = self._runs(node)
                else:
                    nested = (*self._in_expansion(node), *self.assigned(start, node.end_byte))
                while self.text[start] in " \t\n":
                    # In `"$a $b"` the grammar counts the blank to the second expansion.
                    start += 1
                found[start] = Expansion(node.end_byte, kind, nested)
            elif kind not in LEAVES:
                stack += node.children
        return dict(sorted(found.items())) if len(found) > 1 else found

    def _in_expansion(self, node: Syntax) -> tuple[Node, ...]:
        """What a variable or an arithmetic expression runs. The grammar takes some substitutions in
        `${ }` for text."""
        start, end = node.start_byte, node.end_byte
        if node.type != "expansion" or not MAY_RUN.search(self.text, start + 2, end):
            return self.nested(node)
        start += self.text[start:end].index("{") + 1
        return self.substituted(start, end - 1, node) or self.nested(node)

    def substituted(self, start: int, end: int, node: Syntax) -> tuple[Node, ...]:
        """What runs in a part of a node in which quotes mean nothing."""
        if not MAY_RUN.search(self.text, start, end):
            return ()
        try:
            commands = read_body(self.text, start, end).commands
        except ScanError:
            commands = []
        if not commands:
            self.problem("a substitution that is not understood", node)
        return tuple(item for part in commands for item in self.inner(*part))

    def _runs(self, node: Syntax) -> tuple[Node, ...]:
        start, end = node.start_byte, node.end_byte
        while self.text[start] in " \t\n":
            start += 1
        if self.text[start] == "`" and "\\" in self.text[start:end]:
            # The grammar doesn't take the backslashes away that belong to the backticks.
            if '\\"' in self.text[start:end]:
                self.problem("escaped quotes in backticks", node)
            return self.inner(start + 1, end - 1)
        found = self.statements(node.children)
        if not found and self.text[start:end].strip("$<>()` \t\n"):
            self.problem("a substitution that is not understood", node)
        return found

    def nested(self, node: Syntax) -> tuple[Node, ...]:
        """What runs anywhere below a node that is no statement itself."""
        found: list[Node] = []
        stack = list(reversed(node.children))
        while stack:
            child = stack.pop()
            if child.type in RUNS:
                found += self._runs(child)
            elif child.type in STATEMENTS:
                found += self.statements([child])
            elif child.child_count:
                stack += reversed(child.children)
        return tuple(found)

    def inner(self, start: int, end: int) -> tuple[Node, ...]:
        """The commands in a part of the text that the grammar didn't see."""
        text, place = self.text[start:end], self.place
        if self.text[start - 1] == "`" and "\\" in text:
            text, place = _IN_BACKTICKS.sub(r"\1", text), Place(0, place.span(start, end))
        elif place.fixed is None:
            place = Place(place.base + start)
        script = self.parse(text, place)
        self.problems += script.problems
        self.evaluates |= script.evaluates
        self.forks |= script.forks
        return script.nodes
