"""Syntax tree to command tree: simple commands and redirections."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence as Many
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from callgate.effects.shell.heredocs import Heredoc, read_body
from callgate.effects.shell.kinds import EXPANSIONS, RUNS, STATEMENTS
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import (
    Assignment,
    Command,
    Node,
    Problem,
    Redirect,
    Sequence,
    Span,
    Word,
    unresolved,
)
from callgate.effects.shell.word_reader import MAY_RUN, WordReader
from callgate.effects.shell.words import MisreadError, Place, decode
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["REDIRECTS", "SimpleReader"]

REDIRECTS: Final = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
"""The kinds of syntax node that are redirections."""

_BLANKS: Final = " \t"
_ALL_BLANKS: Final = " \t\n"
_STANDARD: Final = ("0", "1", "2")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETS: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\+?=|\[)")
_COMPARES: Final = re.compile(r"\s-(?:eq|ne|lt|le|gt|ge|v)\s")
_EVALUATES: Final = re.compile(r"\$\(\(|\$\[|\$\{")
_QUOTED: Final = frozenset({"raw_string", "string", "ansi_c_string", "concatenation"})
_EXPANDS: Final = re.compile(r"[\\$`]")
_ATTACHED: Final = re.compile(r"[^ \t\n;&|(<>]#")
_BEFORE_PATTERN: Final = ("!", "?", "*", "+", "@")
_LEADING_TABS: Final = re.compile(r"^\t+", re.MULTILINE)


class SimpleReader(WordReader):
    """Reads what stands in one simple command."""

    # -- commands

    def command(self, node: Syntax) -> Node:
        """A simple command, or `export`, `declare`, `unset` and the like."""
        children = node.children
        declares = node.type != "command"
        if declares or children[0].type != "variable_assignment":
            return self._command(children, self.span(node), declares)
        self.check_gaps(children, _ALL_BLANKS)
        # The grammar reads a line of assignments and the command after it as one command.
        lines: list[list[Syntax]] = [[children[0]]]
        for last, child in pairwise(children):
            gap = self.masked.text[last.end_byte : child.start_byte]
            if last.type in ("variable_assignment", "comment") and "\n" in gap:
                lines.append([])
            lines[-1].append(child)
        if len(lines) == 1:
            return self._command(children, self.span(node), declares)
        commands = [
            self._command(line, self.place.span(line[0].start_byte, line[-1].end_byte), declares)
            for line in lines
        ]
        return Sequence(tuple(commands), ("",) * len(commands))

    def _command(self, children: Many[Syntax], span: Span, declares: bool) -> Command:
        self.check_gaps(children, _BLANKS)
        words: list[Syntax] = []
        assignments: list[Assignment] = []
        redirects: list[Syntax] = []
        for child in children:
            kind = child.type
            if kind in REDIRECTS:
                redirects.append(child)
            elif kind == "variable_assignment" and not declares and not words:
                if self._sets(child):
                    assignments.append(self._assignment(child))
                else:
                    words.append(child)
            elif kind != "comment" and not child.is_error:
                words.append(child)
        count = len(words)
        read = self.redirects(redirects, words)
        if len(words) > count:
            words.sort(key=_start)
        return Command(tuple(self.words(words)), span, tuple(assignments), read)

    def assignments(self, node: Syntax) -> Command:
        """`A=1 B=2` without a command."""
        if node.type == "variable_assignment" and self._sets(node):
            return Command((), self.span(node), (self._assignment(node),))
        found = [node] if node.type == "variable_assignment" else node.children
        first = next((i for i, child in enumerate(found) if not self._sets(child)), len(found))
        items = tuple(self._assignment(child) for child in found[:first])
        return Command(tuple(self.words(found[first:])), self.span(node), items)

    def test(self, node: Syntax) -> Command:
        """`[[ … ]]`, `[ … ]` and `(( … ))`: a command of one word, with what its operands run."""
        first = node.children[0]
        word = Word(first.type, self.span(first))
        word.nested = self.nested(node)
        start, end = node.start_byte, node.end_byte
        if first.type == "((" or _COMPARES.search(self.text, start, end):
            self.evaluates = True
            word.nested += self.assigned(start, end) + self._evaluated(node.children)
        return Command((word,), self.span(node))

    def _evaluated(self, nodes: Iterable[Syntax]) -> tuple[Node, ...]:
        """What runs when the words in some nodes are evaluated as expressions or names."""
        found: list[Node] = []
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node.type in RUNS or node.type in STATEMENTS:
                continue
            if node.type not in _QUOTED or _expands(node):
                stack += node.children
                continue
            try:
                words = decode(
                    self.text, node.start_byte, node.end_byte, {}, self.names, self.place
                )
            except MisreadError:
                continue
            text = words[0].text
            if not isinstance(text, str) or not MAY_RUN.search(text):
                continue
            try:
                commands = read_body(text, 0, len(text)).commands
            except ScanError:
                self.problem("text that is evaluated, and not understood", node)
                continue
            for start, end in commands:
                script = self.parse(text[start:end], Place(0, self.span(node)))
                self.problems += script.problems
                found += script.nodes
        return tuple(found)

    def _sets(self, node: Syntax) -> bool:
        """Whether the shell takes for an assignment what the grammar takes for one (`--a=b`)."""
        return _SETS.match(self.text, node.start_byte) is not None

    def _assignment(self, node: Syntax) -> Assignment:
        children = node.children
        name = _NAME.match(self.text, node.start_byte)
        sign = next((i for i, child in enumerate(children) if child.type in ("=", "+=")), None)
        value = [] if sign is None else children[sign + 1 :]
        if sign is not None and not value:
            word = Word("", self.span(node))
        elif sign != 1 or value[0].type == "array" or children[0].type != "variable_name":
            word = unresolved(self.span(node))
            word.nested = (*self.nested(node), *self.assigned(node.start_byte, node.end_byte))
            self.evaluates = True
        else:
            word = self.one_word(value[0].start_byte, node.end_byte, value)
            if children[1].type == "+=":
                text = (UNKNOWN, word.text) if isinstance(word.text, str) else (UNKNOWN,)
                word = Word(UNKNOWN, word.span, pieces=text, nested=word.nested)
        return Assignment(name.group() if name else "", word)

    def check_comments(self, root: Syntax) -> None:
        """Note where the grammar takes for a comment what goes on a word: `x=(a)#; ls`."""
        text = self.masked.text
        for found in _ATTACHED.finditer(text):
            at = found.end() - 1
            node = root.descendant_for_byte_range(at, at + 1)
            if node is None or node.type != "comment" or node.start_byte != at:
                continue
            before = root.descendant_for_byte_range(at - 1, at)
            group = before.parent if before else None
            opening = group.start_byte if group else 0
            # `!(a)#` may be a pattern; behind a group, a comment begins.
            pattern = text[opening - 1 : opening] in _BEFORE_PATTERN
            if found[0] != ")#" or group is None or group.type == "array" or pattern:
                self.problem("a `#` that may be part of a word", node)

    # -- redirections

    def redirects(self, nodes: Iterable[Syntax], words: list[Syntax]) -> tuple[Redirect, ...]:
        """The redirections of a command, in order. Words that the grammar takes for further
        targets (`cat <a b`) are added to `words`."""
        found: list[Redirect] = []
        for node in nodes:
            found += self._redirect(node, words)
        return tuple(found)

    def _redirect(self, node: Syntax, words: list[Syntax]) -> list[Redirect]:
        span = self.span(node)
        children = node.children
        self.check_gaps(children, _BLANKS)
        if node.type == "heredoc_redirect":
            # Only where the scan gave up, which is a problem already.
            word = unresolved(span)
            word.nested = self.nested(node)
            return [Redirect("<<", word, span)]
        descriptor = ""
        if children[0].type == "file_descriptor":
            first, *children = children
            descriptor = self.text[first.start_byte : first.end_byte]
            if not descriptor.isdecimal():
                # The grammar takes `-rf2` in `rm -rf2>x` for a descriptor.
                words.append(first)
        operator, targets = children[0], children[1:]
        target, size = None, 0
        if targets:
            size = 1
            while size < len(targets) and targets[size].start_byte == targets[size - 1].end_byte:
                size += 1
            words += targets[size:]
            target = targets[:size]
        at = operator.start_byte
        if at in self.masked.heredocs:
            return [Redirect("<<", self._heredoc(self.masked.heredocs[at], span), span)]
        if target is None:
            # `>&-` closes a descriptor.
            return []
        word = self.one_word(target[0].start_byte, target[-1].end_byte, target)
        written = self.masked.operators.get(at, operator.type)
        return [Redirect(written, word, span, "" if descriptor in _STANDARD else descriptor)]

    def _heredoc(self, heredoc: Heredoc, span: Span) -> Word:
        text, start, end = self.text, heredoc.start, heredoc.end
        body = text[start:end]
        if heredoc.dash:
            body = _LEADING_TABS.sub("", body)
        offset = -1 if heredoc.dash or self.place.fixed else self.place.base + start
        if heredoc.literal or not _EXPANDS.search(body):
            return Word(body, span, offset)
        try:
            read = read_body(text, start, end)
        except ScanError as error:
            self.problems.append(Problem(error.reason, self.place.span(start, end)))
            return unresolved(span)
        nested = tuple(node for part in read.commands for node in self.inner(*part))
        self.evaluates |= _EVALUATES.search(body) is not None
        if UNKNOWN in read.pieces:
            slots = read.slots if read.slots.variables else None
            return Word(UNKNOWN, span, pieces=read.pieces, nested=nested, slots=slots)
        return Word("".join(map(str, read.pieces)), span)


def _start(node: Syntax) -> int:
    return node.start_byte


def _expands(node: Syntax) -> bool:
    """Whether something is expanded in a node."""
    stack = [node]
    while stack:
        item = stack.pop()
        if item.type in EXPANSIONS:
            return True
        stack += item.children
    return False
