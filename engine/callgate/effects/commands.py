"""Walks simple commands: their words, assignments and redirections, and what they run."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from typing import Final

from callgate.effects.alone import Line
from callgate.effects.apply import Application
from callgate.effects.command import ParsedCommand, RunFields
from callgate.effects.printed import printed
from callgate.effects.program_spec import Program
from callgate.effects.relations import Flow, Flows
from callgate.effects.shell.plain import RESERVED
from callgate.effects.shell.slots import value_of
from callgate.effects.shell.tree import (
    Assignment,
    Command,
    Node,
    Pipeline,
    Redirect,
    Word,
    constant,
)
from callgate.effects.shell.words import Place
from callgate.effects.sink import Sink
from callgate.effects.state import Changes, State, Stdin
from callgate.effects.tail import walk_tail
from callgate.effects.variables import Variables
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

__all__ = ["MAX_LEVEL", "Commands"]

MAX_LEVEL: Final = 8
"""Shells and wrappers around a command."""

_MAX_WORK: Final = 200_000
_READS: Final = frozenset({"<", "<>"})
_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DESCRIPTORS: Final = frozenset({">&", "<&"})
_SOCKET: Final = re.compile(r"/dev/(tcp|udp)/([^/]*)/([^/]*)")
_KEEPS_REDIRECTS: Final = "exec"
_SEPARATORS: Final = "IFS"
_STANDARD: Final = ("0", "1", "2", "-", "0-", "1-", "2-")


class Commands(Variables, ABC):
    """The part of a walk that is about one command. `flows`: what may pass from files to hosts;
    `printed`: what the last command writes to its standard output, where it is known; `line`: the
    text, as patterns that allow look at it."""

    def __init__(self, sink: Sink, known: Changes | None = None) -> None:
        super().__init__(sink, known)
        self.flows = Flows()
        self.printed: Word | None = None
        self.line = Line()
        self._work = _MAX_WORK
        self._sockets: list[Effect] = []

    @abstractmethod
    def node(self, node: Node, state: State) -> None:
        """Walk a part of the tree; `state` is what it leaves behind."""

    @abstractmethod
    def text(self, text: str, state: State, place: Place) -> None:
        """Walk a shell text."""

    def _command(self, node: Command, state: State) -> None:
        effects = self.sink.effects
        start = len(effects)
        words = node.words
        connections = self.sink.connections
        for assignment in node.assignments:
            self._words((assignment.value,), state)
        if self._words(words, state):
            words = self.resolve(words, state)
        piped: list[Effect] = []
        if self.sink.connections > connections and any(word.process == ">" for word in words):
            # What the command writes to a pipe goes to a host.
            piped = [effect for effect in effects[start:] if effect.kind == "connect"]
        sources = self.flows.of_variables(words) if self.flows.variables else ()
        if node.assignments:
            self._assign(node.assignments, words, start, state)
        if not node.redirects:
            if not words:
                return
            own = len(effects)
            self.invoke(words, state, own > start or bool(node.assignments))
            if sources or piped:
                self.flows.add(Flow(start, own, len(effects), tuple(piped), sources))
            elif len(effects) > own + 1:
                self.flows.found.append((start, own, len(effects)))
            return
        stdin, remote = state.stdin, state.remote
        sockets = piped + self._redirects(node.redirects, state)
        own = len(effects)
        if words:
            self.invoke(words, state, bool(node.assignments) or own > start)
            lone = len(words) == 1 and words[0].text == _KEEPS_REDIRECTS
            if lone and sockets:
                self._sockets += sockets
                high = all(item.descriptor for item in node.redirects)
                stdin, remote = state.stdin, remote or not high
        state.stdin, state.remote = stdin, remote
        self.flows.add(Flow(start, own, len(effects), tuple(sockets), sources))

    def _words(self, words: tuple[Word, ...], state: State) -> bool:
        """Walk what the substitutions in some words run; gives whether variables stand in them."""
        slots = False
        for word in words:
            if word.slots is not None:
                slots = True
            if word.nested:
                before, mark = self.sink.connections, len(self.changes.log)
                for nested in word.nested:
                    self.printed = None
                    self.node(nested, state.copy())
                    if isinstance(nested, Command | Pipeline):
                        self._output(nested, word)
                if self.sink.connections > before:
                    self.downloads[id(word)] = word
                self.forget(mark, state)
        return slots

    def _output(self, command: Command | Pipeline, word: Word) -> None:
        """Keep what a command in a substitution in a word prints."""
        text = self.printed
        value = None
        if isinstance(command, Command) and command.redirects:
            text = None
        if word.process:
            self.pipes.pop(id(word), None)
            if text is not None and word.pipe:
                self.pipes[id(word)] = word, text
        elif text is not None:
            value = value_of(text, names_files=True)
        self.outputs.pop(id(command), None)
        if value is not None:
            chars = value[0].rstrip("\n")
            self.outputs[id(command)] = chars, value[1][: len(chars)]

    def _assign(
        self, assignments: tuple[Assignment, ...], words: tuple[Word, ...], start: int, state: State
    ) -> None:
        program = None
        if words and isinstance(words[0].text, str):
            program = self.sink.programs.get(words[0].text.rpartition("/")[2])
        for item in assignments:
            word = self.resolve_one(item.value, state, divides=False)
            span = (item.value.span[0], item.value.span[1])
            self.sink.add("environment", {"name": item.name, "value": word.text}, span, state)
            passing = program is not None and not program.same_shell
            if words and item.name == _SEPARATORS and passing:
                # It holds for this command alone, which divides no words.
                continue
            self.assign(item.name, None if words else value_of(word), state)
            if item.value.nested:
                self.flows.assigned(item.name, self.sink.effects, start)

    # -- what a command runs

    def invoke(self, words: tuple[Word, ...], state: State, altered: bool = False) -> None:
        """A command: the program and its words."""
        sink = self.sink
        head = words[0]
        self.printed = None
        self._work -= len(words)
        if self._work < 0 or state.level > MAX_LEVEL:
            reason = "too many commands" if self._work < 0 else "wrappers nested too deep"
            sink.opaque(reason, head.span, state.through, bound=True)
            return
        written = head.text
        program = None
        name: object = UNKNOWN
        if not isinstance(written, str) or head.glob:
            sink.opaque("the command's name is not known before it runs", head.span, state.through)
            if state.remote:
                self._obeys(head, state)
        else:
            name = written.rpartition("/")[2]
            if head.bare and written in RESERVED and written != "[[":
                self.doubt()
                sink.opaque(f"`{written}` where a command is expected", head.span, state.through)
            elif not written.isascii() and _invisible(written):
                sink.opaque("invisible characters in a command's name", head.span, state.through)
            elif name == "":
                sink.opaque("a command without a name", head.span, state.through)
            else:
                program = sink.programs.at(written)
        span = (head.span[0], max(head.span[1], words[-1].span[1]))
        command = ParsedCommand(
            words, span, program, sink.programs.trusted, altered, state.cwd, self.line
        )
        # One by one: that is faster than in one call.
        fields = RunFields()
        fields["program"] = name
        fields["program_path"] = UNKNOWN if name is UNKNOWN else written
        fields["words"] = tuple([word.text for word in words[1:]])
        fields.command = command
        sink.run(fields, span, state, command)
        if program is not None:
            if program.kinds or program.prints is not None:
                self._apply(program, command, state)
        elif name is not UNKNOWN:
            walk_tail(self, str(name), words, state)
        known, changes = self.known, self.changes
        if (changes.wanders or known.wanders) and (
            written in changes.functions or written in known.functions
        ):
            state.cwd = UNKNOWN

    def _apply(self, program: Program, command: ParsedCommand, state: State) -> None:
        application = Application(self, command, state)
        start = len(self.sink.effects)
        application.run()
        if application.arguments.program.prints is not None:
            self.printed = printed(application, state.stdin, len(self.sink.effects) - start)
        if self.printed is not None and command.words[0].text in self.changes.functions:
            self.printed = None

    def _obeys(self, head: Word, state: State) -> None:
        """A command that came over a connection."""
        fields = {"language": "shell", "source": "download", "remote": True}
        self.sink.add("interpret", fields, head.span, state)

    # -- redirections

    def _redirects(self, redirects: tuple[Redirect, ...], state: State) -> list[Effect]:
        """Add what redirections read and write, and give the connections they open. `state` gets
        the standard input."""
        sockets: list[Effect] = []
        for redirect in redirects:
            target = redirect.target
            start = len(self.sink.effects)
            if self._words((target,), state):
                heredoc = redirect.operator == "<<"
                target = self.resolve_one(target, state, divides=not heredoc)
            operator = redirect.operator
            if operator in ("<<", "<<<"):
                state.stdin = Stdin("text", 0, target)
            elif operator in _DESCRIPTORS and _is_descriptor(target):
                if self._sockets and target.text not in _STANDARD:
                    self._wire(operator, state, sockets)
            elif target.process:
                sockets += self._process(redirect, target, start, state)
            elif not self._socket(redirect, target, state, sockets):
                if operator in _READS or operator == "<&":
                    state.stdin = Stdin("file", 0, target)
                    self.sink.make("read", {"path": target}, redirect.span, state)
                if operator in _WRITES or operator == ">&":
                    self.sink.make("write", {"path": target}, redirect.span, state)
        return sockets

    def _process(self, redirect: Redirect, target: Word, start: int, state: State) -> list[Effect]:
        """A process substitution as the target; gives the connections that output goes to. Its
        effects begin at `start`."""
        connects = id(target) in self.downloads
        if redirect.operator in _READS:
            _, text = self.pipes.get(id(target), (target, None))
            if text is None or text.below:
                state.stdin = Stdin("pipe", self.sink.connections - connects, text)
            else:
                state.stdin = Stdin("text", 0, text)
            return []
        return [effect for effect in self.sink.effects[start:] if effect.kind == "connect"]

    def _wire(self, operator: str, state: State, sockets: list[Effect]) -> None:
        """A descriptor that was opened as a connection is used."""
        state.remote = True
        sockets += self._sockets
        if operator == "<&":
            state.stdin = Stdin("pipe", self.sink.connections)
            self.sink.connections += 1

    def _socket(
        self, redirect: Redirect, target: Word, state: State, sockets: list[Effect]
    ) -> bool:
        text = target.text
        if not isinstance(text, str) and target.pieces:
            # `/dev/tcp/$HOST/80`: a connection, to somewhere.
            text = "".join(p if isinstance(p, str) else "?" for p in target.pieces)
        found = _SOCKET.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return False
        scheme, host, port = (
            constant(part, redirect.span) if "?" not in part else Word(UNKNOWN, redirect.span)
            for part in found.groups()
        )
        given = {"scheme": scheme, "host": host, "port": port}
        effects = self.sink.effects
        start = len(effects)
        self.sink.make("connect", given, redirect.span, state)
        sockets += effects[start:]
        state.remote = True
        if redirect.operator in _READS:
            state.stdin = Stdin("pipe", self.sink.connections - 1)
        return True


def _is_descriptor(word: Word) -> bool:
    return (isinstance(word.text, str) and word.text.rstrip("-").isdigit()) or word.text == "-"


def _invisible(text: str) -> bool:
    return any(unicodedata.category(char) in ("Cf", "Cc", "Zs", "Co", "Cn") for char in text)
