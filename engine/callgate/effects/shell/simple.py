"""Syntax tree to command tree: simple commands, their words and redirections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from callgate.effects.shell.heredocs import Heredoc, Masked, read_body
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import (
    Assignment,
    Command,
    Node,
    Problem,
    Redirect,
    Script,
    Span,
    Word,
    unresolved,
)
from callgate.effects.shell.words import Expansion, MisreadError, Names, Place, decode
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["SimpleReader"]

_EXPANSIONS: Final = frozenset(
    {
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    }
)
_RUNS: Final = frozenset({"command_substitution", "process_substitution"})
_LEAVES: Final = frozenset({"word", "file_descriptor", "number", "raw_string", "ansi_c_string", "variable_name"})
_REDIRECTS: Final = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_STATEMENTS: Final = frozenset(
    {
        "command",
        "declaration_command",
        "unset_command",
        "redirected_statement",
        "list",
        "pipeline",
        "negated_command",
        "subshell",
        "compound_statement",
        "do_group",
        "if_statement",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
        "case_item",
        "function_definition",
    }
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXPANDS: Final = re.compile(r"[\\$`]")
_LEADING_TABS: Final = re.compile(r"^\t+", re.MULTILINE)
_IN_BACKTICKS: Final = re.compile(r"\\([\\$`])")


class SimpleReader:
    """Reads what stands in one simple command."""

    def __init__(
        self, text: str, masked: Masked, names: Names, place: Place, problems: list[Problem]
    ) -> None:
        self.text = text
        self.masked = masked
        self.names = names
        self.place = place
        self.problems = problems

    def statements(self, parent: Syntax) -> tuple[Node, ...]:
        """The statements below a node."""
        raise NotImplementedError

    def span(self, node: Syntax) -> Span:
        """A node's span in the argument."""
        return self.place.span(node.start_byte, node.end_byte)

    def problem(self, reason: str, node: Syntax) -> None:
        """Note what was not understood."""
        self.problems.append(Problem(reason, self.span(node)))

    # -- commands

    def command(self, node: Syntax) -> Command:
        """A simple command, or `export`, `declare`, `unset` and the like."""
        words: list[Syntax] = []
        assignments: list[Assignment] = []
        redirects: list[Syntax] = []
        declares = node.type != "command"
        children = node.children
        self.check_gaps(children)
        for child in children:
            kind = child.type
            if kind in _REDIRECTS:
                redirects.append(child)
            elif kind == "variable_assignment" and not declares and not words:
                assignments.append(self._assignment(child))
            elif kind != "comment" and not child.is_error:
                words.append(child)
        read = self.redirects(redirects, words)
        return Command(tuple(self.words(words)), self.span(node), tuple(assignments), read)

    def assignments(self, node: Syntax) -> Command:
        """`A=1 B=2` without a command."""
        found = [node] if node.type == "variable_assignment" else node.children
        items = (self._assignment(n) for n in found if n.type == "variable_assignment")
        return Command((), self.span(node), tuple(items))

    def test(self, node: Syntax) -> Command:
        """`[[ … ]]`, `[ … ]` and `(( … ))`: a command of one word, with what its operands run."""
        first = node.children[0]
        at = first.start_byte
        word = Word(first.type, self.span(first), self.place.base + at)
        word.nested = self.nested(node)
        return Command((word,), self.span(node))

    def _assignment(self, node: Syntax) -> Assignment:
        children = node.children
        name = _NAME.match(self.text, node.start_byte)
        value = children[-1]
        if value.type in ("=", "+=") or len(children) < 2:
            word = Word("", self.span(node))
        elif value.type == "array" or children[0].type != "variable_name":
            word = unresolved(self.span(node))
            word.nested = self.nested(node)
        else:
            word = self._one_word(value.start_byte, value.end_byte, [value])
        return Assignment(name.group() if name else "", word)

    def check_gaps(self, children: Sequence[Syntax]) -> None:
        """Note text that the grammar dropped between the parts of a command."""
        text = self.masked.text
        end = children[0].end_byte
        for child in children[1:]:
            start = child.start_byte
            if start > end and text[end:start].strip(" \t\n"):
                self.problem("a word that the grammar dropped", child)
            end = child.end_byte

    # -- words

    def words_among(self, children: Iterable[Syntax], kinds: Collection[str]) -> tuple[Word, ...]:
        """The words among nodes that are something else as well (`for`, `case`)."""
        return tuple(self.words([child for child in children if child.type in kinds]))

    def words(self, nodes: list[Syntax]) -> list[Word]:
        """The words that some nodes are; nodes that touch are one word."""
        words: list[Word] = []
        index, count, end = 0, len(nodes), -1
        while index < count:
            first = nodes[index]
            start = first.start_byte
            if end >= 0 and "\n" in self.masked.text[end:start]:
                self.problem("a command that seems to go on after its line", first)
            end = first.end_byte
            group = [first]
            index += 1
            # What touches is one word, whatever the grammar made of it.
            while index < count and nodes[index].start_byte == end:
                group.append(nodes[index])
                end = nodes[index].end_byte
                index += 1
            if self._is_descriptor(start, end):
                continue
            try:
                words += decode(
                    self.text, start, end, self._expansions(group), self.names, self.place
                )
            except MisreadError:
                words.append(self._misread(start, end, group))
        return words

    def _is_descriptor(self, start: int, end: int) -> bool:
        """Whether a number belongs to the redirection after it, which the grammar missed."""
        return self.text[end : end + 1] in ("<", ">") and self.text[start:end].isdecimal()

    def _one_word(self, start: int, end: int, nodes: list[Syntax]) -> Word:
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
        stack = [node for node in nodes if node.type not in _LEAVES]
        while stack:
            node = stack.pop()
            kind = node.type
            if kind in _EXPANSIONS:
                nested = self._runs(node) if kind in _RUNS else self.nested(node)
                found[node.start_byte] = Expansion(node.end_byte, kind, nested)
            elif kind not in _LEAVES:
                stack += node.children
        return dict(sorted(found.items())) if len(found) > 1 else found

    def _runs(self, node: Syntax) -> tuple[Node, ...]:
        start, end = node.start_byte, node.end_byte
        if self.text[start] == "`" and "\\" in self.text[start:end]:
            # The grammar doesn't take the backslashes away that belong to the backticks.
            if '\\"' in self.text[start:end]:
                self.problem("escaped quotes in backticks", node)
            return self._inner(start + 1, end - 1)
        return self.statements(node)

    def nested(self, node: Syntax) -> tuple[Node, ...]:
        """What runs anywhere below a node that is no statement itself."""
        found: list[Node] = []
        stack = list(reversed(node.children))
        while stack:
            child = stack.pop()
            if child.type in _RUNS:
                found += self._runs(child)
            elif child.type in _STATEMENTS:
                found += self.statements(_Only(child))
            elif child.child_count:
                stack += reversed(child.children)
        return tuple(found)

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
        self.check_gaps(children)
        if node.type == "heredoc_redirect":
            # Only where the scan gave up, which is a problem already.
            word = unresolved(span)
            word.nested = self.nested(node)
            return [Redirect("<<", word, span)]
        if children[0].type == "file_descriptor":
            first, *children = children
            if not self.text[first.start_byte : first.end_byte].isdecimal():
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
        word = self._one_word(target[0].start_byte, target[-1].end_byte, target)
        written = self.masked.operators.get(at, operator.type)
        return [Redirect(written, word, span)]

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
        nested = tuple(node for part in read.commands for node in self._inner(*part))
        if UNKNOWN in read.pieces:
            return Word(UNKNOWN, span, pieces=read.pieces, nested=nested)
        return Word("".join(map(str, read.pieces)), span)

    def _inner(self, start: int, end: int) -> tuple[Node, ...]:
        """The commands in a part of the text that the grammar didn't see."""
        text, place = self.text[start:end], self.place
        if self.text[start - 1] == "`" and "\\" in text:
            text, place = _IN_BACKTICKS.sub(r"\1", text), Place(0, place.span(start, end))
        elif place.fixed is None:
            place = Place(place.base + start)
        script = self.parse(text, place)
        self.problems += script.problems
        return script.nodes

    def parse(self, text: str, place: Place) -> Script:
        """Parse a part of the text as a script."""
        raise NotImplementedError


class _Only:
    """Stands for the parent of one node."""

    def __init__(self, child: Syntax) -> None:
        self.children = [child]
