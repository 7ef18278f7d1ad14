"""Walks simple commands: their words, assignments and redirections, and what they run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from callgate.effects.aliases import Aliases
from callgate.effects.alone import Line
from callgate.effects.apply import Application
from callgate.effects.command import ParsedCommand, RunFields
from callgate.effects.environment import add_environment
from callgate.effects.evaluated import Evaluated, may_keep
from callgate.effects.made_files import MadeFiles
from callgate.effects.printed import printed
from callgate.effects.program_spec import Program
from callgate.effects.redirects import Redirects
from callgate.effects.relations import Flow, Flows
from callgate.effects.scripts import run_made
from callgate.effects.shell.plain import RESERVED
from callgate.effects.shell.slots import value_of
from callgate.effects.shell.tree import (
    Assignment,
    Command,
    Node,
    Pipeline,
    Word,
)
from callgate.effects.shell.words import Place
from callgate.effects.sink import Sink
from callgate.effects.state import Changes, State, Stdin
from callgate.effects.tail import walk_tail
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

__all__ = ["MAX_LEVEL", "Commands"]

MAX_LEVEL: Final = 8
"""Shells and wrappers around a command."""

_MAX_WORK: Final = 200_000
_OUTPUTS: Final = frozenset({">", ">>", ">|", "&>", "&>>"})
_KEEPS_REDIRECTS: Final = "exec"
_SEPARATORS: Final = "IFS"


class Commands(Redirects, ABC):
    """The part of a walk that is about one command. `flows`: what may pass from files to hosts;
    `printed`: what the last command writes to its standard output, where it is known; `line`: the
    text, as patterns that allow look at it; `files`: those that it makes."""

    printed: Word | tuple[Application, Stdin | None, int] | None = None
    _work = _MAX_WORK

    def __init__(self, sink: Sink, known: Changes | None = None) -> None:
        super().__init__(sink, known)
        self.flows = Flows()
        self.line = Line()
        self.files = MadeFiles()
        self.evaluated = Evaluated()
        self.aliases = Aliases()

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
            self.walk_words((assignment.value,), state)
        if self.walk_words(words, state):
            words = self.resolve(words, state)
            self.flows.secrets_of(words, self.sink.programs)
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
            if self.flows.sent:
                sources += self.flows.take_sent()
            if sources or piped:
                self.flows.add(Flow(start, own, len(effects), tuple(piped), sources))
            elif len(effects) > own + 1:
                self.flows.found.append((start, own, len(effects)))
                self._made(effects[own + 1 :], state)
            return
        stdin, remote = state.stdin, state.remote
        sockets = piped + self.redirects(node.redirects, state)
        fed = state.stdin
        if fed is not None and fed is not stdin and fed.kind == "text" and fed.word is not None:
            self.flows.secrets_of((fed.word,), self.sink.programs)
            self.flows.send((fed.word,))
        own = len(effects)
        if words:
            self.invoke(words, state, bool(node.assignments) or own > start)
            lone = len(words) == 1 and words[0].text == _KEEPS_REDIRECTS
            if lone and sockets:
                self.sockets += sockets
                high = all(item.descriptor for item in node.redirects)
                stdin, remote = state.stdin, remote or not high
        if self.flows.sent:
            sources += self.flows.take_sent()
        fed, state.stdin, state.remote = state.stdin, stdin, remote
        self.flows.add(Flow(start, own, len(effects), tuple(sockets), sources))
        text, operator = self.output(), node.redirects[-1].operator
        if text is not None and operator in _OUTPUTS and not text.below:
            self.files.write(effects[start:own], text, operator == ">>")
        else:
            state.stdin = fed
            self._made(effects[start:], state)
            state.stdin = stdin

    def _made(self, effects: list[Effect], state: State) -> None:
        """Keep what a command with some effects writes to files."""
        for effect in effects:
            if effect.kind == "write":
                break
        else:
            return
        stdin = state.stdin
        fed = stdin is not None and stdin.kind == "text" and stdin.word is not None
        if fed and not any(effect.kind == "read" for effect in effects):
            assert stdin is not None and stdin.word is not None
            self.files.write(effects, stdin.word, adds=False)
        else:
            self.files.copy(effects, self.sink.programs)

    def walk_words(self, words: tuple[Word, ...], state: State) -> bool:
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
        text = self.output()
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
            add_environment(self, item.name, word, span, state)
            if not word.bare:
                self.evaluated.hold((word,), state)
            passing = program is not None and not program.same_shell
            if words and item.name == _SEPARATORS and passing:
                # It holds for this command alone, which divides no words.
                continue
            self.assign(item.name, None if words else value_of(word), state)
            if item.value.nested:
                self.flows.assigned(item.name, self.sink.effects, start)
            if word.slots is not None:
                self.flows.secrets_of((word,), self.sink.programs)
                held = self.flows.secret_in((word,))
                if held:
                    self.flows.holders[item.name] = tuple(held)

    # -- what a command runs

    def invoke(self, words: tuple[Word, ...], state: State, altered: bool = False) -> None:
        """A command: the program and its words."""
        sink = self.sink
        head = words[0]
        self.printed = None
        # What is nested is read again at each level.
        self._work -= len(words) * (1 + state.level)
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
            elif not written.isprintable():
                sink.opaque("invisible characters in a command's name", head.span, state.through)
            elif name == "":
                sink.opaque("a command without a name", head.span, state.through)
            else:
                program = sink.programs.at(written)
                if program is None and self.files.programs and "/" in written:
                    place = str(sink.paths.lexical(head, state.cwd))
                    copied = self.files.programs.get(place, "").rpartition("/")[2]
                    program = sink.programs.get(copied)
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
        for word in words:
            if not word.bare:
                if may_keep(program):
                    self.evaluated.hold(words, state)
                break
        if self.flows.secrets and program is not None and program.prints is not None:
            self.flows.print(len(sink.effects) - 1, words)
        if program is not None:
            if program.kinds or program.prints is not None or program.secretive:
                self._apply(program, command, state)
        elif name is not UNKNOWN:
            walk_tail(self, str(name), words, state)
            if self.files.texts and "/" in str(written):
                run_made(self, command, state)
        if self.aliases.texts:
            self.aliases.run(self, words, state)
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
            self.printed = application, state.stdin, len(self.sink.effects) - start
        if self.printed is not None and command.words[0].text in self.changes.functions:
            self.printed = None

    def output(self) -> Word | None:
        """What the last command writes to its standard output, where it is known."""
        found = self.printed
        if isinstance(found, tuple):
            found = self.printed = printed(*found)
        return found

    def _obeys(self, head: Word, state: State) -> None:
        """A command that came over a connection."""
        fields = {"language": "shell", "source": "download", "remote": True}
        self.sink.add("interpret", fields, head.span, state)
