"""Walks the command tree: which commands run, in which folder, fed with what."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from callgate.effects.apply import Application
from callgate.effects.command import ParsedCommand
from callgate.effects.idle import idle
from callgate.effects.shell.parser import parse_shell
from callgate.effects.shell.plain import RESERVED
from callgate.effects.shell.tree import (
    Block,
    Command,
    Node,
    Pipeline,
    Redirect,
    Sequence,
    Word,
    constant,
)
from callgate.effects.shell.words import Names, Place
from callgate.effects.sink import Sink
from callgate.effects.state import Changes, State, Stdin
from callgate.effects.tail import walk_tail
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["MAX_LEVEL", "Walker", "walk_shell"]

MAX_LEVEL: Final = 8
"""Shells and wrappers around a command."""

_MAX_NESTING: Final = 64
_MAX_WORK: Final = 200_000
_READS: Final = frozenset({"<", "<>"})
_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DESCRIPTORS: Final = frozenset({">&", "<&"})
_SOCKET: Final = re.compile(r"/dev/(tcp|udp)/([^/]*)/([^/]*)")


def walk_shell(sink: Sink, text: str, cwd: str | Unknown, place: Place) -> None:
    """Add the effects of a shell text that is an argument of its own. `cwd`: where it starts."""
    home = sink.paths.home or "~"
    mark, connections = len(sink.effects), sink.connections
    walker = Walker(sink, Names(home, cwd))
    walker.text(text, State(cwd), place)
    changes = walker.changes
    moves = changes.moves and (changes.functions or "PWD" in text)
    if changes.home or changes.loops or moves:
        # Once more, now that it is known what the text changes on its way.
        sink.forget(mark)
        sink.connections = connections
        names = Names(UNKNOWN if changes.home else home, UNKNOWN if changes.moves else cwd)
        Walker(sink, names, changes).text(text, State(cwd), place)


class Walker:
    """Walks one text and what is nested in it.

    `changes` is what the walk finds; `known` what an earlier walk found. `downloads`: the words
    (by identity) whose substitutions connect to somewhere.
    """

    def __init__(self, sink: Sink, names: Names, known: Changes | None = None) -> None:
        self.sink = sink
        self.names = names
        self.known = known or Changes()
        self.changes = Changes()
        self.downloads: set[int] = set()
        self._nesting = 0
        self._work = _MAX_WORK

    def text(self, text: str, state: State, place: Place) -> None:
        """Walk a shell text."""
        whole = place.span(0, len(text))
        if state.level > MAX_LEVEL:
            self.sink.opaque("commands in commands, nested too deep", whole, state.through)
            return
        before = len(self.sink.effects)
        script = parse_shell(text, self.names, place)
        if script.problems:
            state = state.copy()
            state.certain = False
        for node in script.nodes:
            self.node(node, state)
        for problem in script.problems:
            self.sink.opaque(problem.reason, problem.span, state.through)
        if len(self.sink.effects) == before and not idle(script, text, self.sink.programs):
            self.sink.opaque("no command was found in the text", whole, state.through)

    def node(self, node: Node, state: State) -> None:
        """Walk a part of the tree; `state` is what it leaves behind."""
        if self._nesting >= _MAX_NESTING:
            self._give_up("commands nested too deep", node, state)
            return
        self._nesting += 1
        try:
            if isinstance(node, Command):
                self._command(node, state)
            elif isinstance(node, Sequence):
                self._sequence(node, state)
            elif isinstance(node, Pipeline):
                self._pipeline(node, state)
            else:
                self._block(node, state)
        finally:
            self._nesting -= 1

    def _give_up(self, reason: str, node: Node, state: State) -> None:
        while isinstance(node, Pipeline | Sequence):
            node = node.items[0]
        self.sink.opaque(reason, node.span, state.through)

    # -- compound commands

    def _sequence(self, node: Sequence, state: State) -> None:
        earlier = state.cwd
        items, operators = node.items, node.operators
        for index, item in enumerate(items):
            operator = operators[index]
            if operator == "&":
                state.cwd = earlier
            before = state.cwd
            if operator == "||" and earlier != before:
                # It runs when what stands before it failed, perhaps the `cd`.
                other = state.copy()
                other.cwd = earlier
                self.node(item, other)
                if other.cwd != earlier:
                    state.cwd = UNKNOWN
                continue
            self.node(item, state)
            earlier = before

    def _pipeline(self, node: Pipeline, state: State) -> None:
        since = self.sink.connections
        for index, item in enumerate(node.items):
            inner = state.copy()
            if index:
                inner.stdin = Stdin("pipe", since)
            self.node(item, inner)

    def _block(self, node: Block, state: State) -> None:
        inner = state
        if node.redirects or node.kind in ("subshell", "function"):
            inner = state.copy()
        if node.kind == "function":
            self.changes.functions.add(node.variable)
        else:
            self.changes.assigned(node.variable)
        self._words(node.words, inner)
        inner.stdin = self._redirects(node.redirects, inner)
        if node.kind == "function":
            if self.known.moves:
                inner.cwd = UNKNOWN
        elif node.span in self.known.loops:
            inner.cwd = UNKNOWN
        start, moves = inner.cwd, self.changes.moves
        self.changes.moves = False
        ends = []
        for index, part in enumerate(node.parts):
            if node.kind == "branch" and index >= node.conditions:
                branch = inner.copy()
                self.node(part, branch)
                ends.append(branch.cwd)
            else:
                self.node(part, inner)
        if node.kind == "function":
            self.changes.wanders |= self.changes.moves
        self.changes.moves |= moves
        if node.kind == "branch" and any(end != inner.cwd for end in ends):
            inner.cwd = UNKNOWN
        if node.kind == "loop" and inner.cwd != start:
            self.changes.loops.add(node.span)
            inner.cwd = UNKNOWN
        if inner is not state and node.kind not in ("subshell", "function"):
            state.cwd = inner.cwd

    # -- simple commands

    def _command(self, node: Command, state: State) -> None:
        for assignment in node.assignments:
            self._words((assignment.value,), state)
            self.changes.assigned(assignment.name)
        self._words(node.words, state)
        before = len(self.sink.effects)
        stdin = self._redirects(node.redirects, state)
        if not node.words:
            return
        kept, state.stdin = state.stdin, stdin
        altered = bool(node.assignments) or len(self.sink.effects) > before
        self.invoke(node.words, state, altered)
        state.stdin = kept

    def _words(self, words: tuple[Word, ...], state: State) -> None:
        """Walk what the substitutions in some words run."""
        for word in words:
            if word.nested:
                before = self.sink.connections
                for nested in word.nested:
                    self.node(nested, state.copy())
                if self.sink.connections > before:
                    self.downloads.add(id(word))

    def invoke(self, words: tuple[Word, ...], state: State, altered: bool = False) -> None:
        """A command: the program and its words."""
        sink = self.sink
        head = words[0]
        self._work -= len(words)
        if self._work < 0 or state.level > MAX_LEVEL:
            reason = "too many commands" if self._work < 0 else "wrappers nested too deep"
            sink.opaque(reason, head.span, state.through)
            return
        written = head.text
        program = None
        name: object = UNKNOWN
        if not isinstance(written, str) or head.glob:
            sink.opaque("the command's name is not known before it runs", head.span, state.through)
        else:
            name = written.rpartition("/")[2]
            if head.bare and written in RESERVED and written != "[[":
                sink.opaque(f"`{written}` where a command is expected", head.span, state.through)
            elif not written.isascii() and _invisible(written):
                sink.opaque("invisible characters in a command's name", head.span, state.through)
            elif name == "":
                sink.opaque("a command without a name", head.span, state.through)
            else:
                program = sink.programs.get(str(name))
        span = (head.span[0], max(head.span[1], words[-1].span[1]))
        command = ParsedCommand(words, span, program, sink.programs.trusted, altered)
        fields = {
            "program": name,
            "program_path": UNKNOWN if name is UNKNOWN else written,
            "words": tuple([word.text for word in words[1:]]),
        }
        sink.run(fields, span, state, command)
        if program is not None and program.matters:
            Application(self, command, state).run()
        elif program is None and name is not UNKNOWN:
            walk_tail(self, str(name), words, state)
        known, changes = self.known, self.changes
        if (changes.wanders or known.wanders) and (
            written in changes.functions or written in known.functions
        ):
            state.cwd = UNKNOWN

    # -- redirections

    def _redirects(self, redirects: tuple[Redirect, ...], state: State) -> Stdin | None:
        """Add what redirections read and write; gives standard input afterwards."""
        stdin = state.stdin
        for redirect in redirects:
            target = redirect.target
            self._words((target,), state)
            operator = redirect.operator
            if operator in ("<<", "<<<"):
                stdin = Stdin("text", 0, target)
            elif operator in _DESCRIPTORS and _is_descriptor(target):
                continue
            elif target.process:
                if operator in _READS:
                    connects = id(target) in self.downloads
                    stdin = Stdin("pipe", self.sink.connections - connects)
            elif not self._socket(redirect, state):
                if operator in _READS or operator == "<&":
                    stdin = Stdin("file", 0, target)
                    self.sink.make("read", {"path": target}, redirect.span, state)
                if operator in _WRITES or operator == ">&":
                    self.sink.make("write", {"path": target}, redirect.span, state)
        return stdin

    def _socket(self, redirect: Redirect, state: State) -> bool:
        text = redirect.target.text
        found = _SOCKET.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return False
        scheme, host, port = (constant(part, redirect.span) for part in found.groups())
        given = {"scheme": scheme, "host": host, "port": port}
        self.sink.make("connect", given, redirect.span, state)
        return True


def _is_descriptor(word: Word) -> bool:
    return (isinstance(word.text, str) and word.text.rstrip("-").isdigit()) or word.text == "-"


def _invisible(text: str) -> bool:
    return any(unicodedata.category(char) in ("Cf", "Cc", "Zs", "Co", "Cn") for char in text)
