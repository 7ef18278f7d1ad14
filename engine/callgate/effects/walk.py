"""Walks the command tree: which commands run, in which folder, fed with what."""

from __future__ import annotations

from typing import Final

from callgate.effects.bare import add_bare
from callgate.effects.commands import MAX_LEVEL, Commands
from callgate.effects.forkbomb import bomb, endless
from callgate.effects.idle import idle
from callgate.effects.relations import Flow, add_relations
from callgate.effects.shell.parser import parse_shell
from callgate.effects.shell.slots import Value
from callgate.effects.shell.tree import Block, Command, Node, Pipeline, Sequence
from callgate.effects.shell.words import Names, Place
from callgate.effects.sink import Sink
from callgate.effects.state import Changes, State, Stdin
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Walker", "walk_shell"]

_MAX_NESTING: Final = 64
_MAX_ROUNDS: Final = 64
_MAX_WALKS: Final = 4
_ANY: Final[Value] = ("*", "g")
"""Stands for one of many names."""


def walk_shell(sink: Sink, text: str, cwd: str | Unknown, place: Place) -> None:
    """Add the effects of a shell text that is an argument of its own. `cwd`: where it starts."""
    home = sink.paths.home or "~"
    mark, connections = len(sink.effects), sink.connections
    links = sink.paths.links
    names = Names(home, cwd)
    walker = Walker(sink, names)
    walker.text(text, State(cwd), place)
    walker.evaluated.run(walker)
    changes = walker.changes
    moves = changes.moves and (changes.functions or "PWD" in text or "pwd" in text)
    again = bool(changes.home or changes.loops or moves)
    if again:
        names = Names(UNKNOWN if changes.home else home, UNKNOWN if changes.moves else cwd)
    walks = 1
    while again or (walker.touched and walker.changes.adds_to(walker.known)):
        # Once more, now that it is known what the text changes on its way.
        again, walks = False, walks + 1
        known = walker.changes
        known.wild |= walks == _MAX_WALKS
        sink.forget(mark)
        sink.connections = connections
        sink.paths.links = links
        walker = Walker(sink, names, known)
        walker.text(text, State(cwd), place)
        walker.evaluated.run(walker)
    add_relations(sink, walker.flows)
    add_bare(sink, mark, State(cwd))


class Walker(Commands):
    """Walks one text and what is nested in it."""

    _nesting = 0
    _rounds = _MAX_ROUNDS

    def __init__(self, sink: Sink, names: Names, known: Changes | None = None) -> None:
        super().__init__(sink, known)
        self.names = names

    def text(self, text: str, state: State, place: Place) -> None:
        """See Commands."""
        whole = place.span(0, len(text))
        if state.level > MAX_LEVEL:
            reason = "commands in commands, nested too deep"
            self.sink.opaque(reason, whole, state.through, bound=True)
            return
        before = len(self.sink.effects)
        script = parse_shell(text, self.names, place)
        if script.problems:
            state = state.copy()
            state.certain = False
        if script.evaluates:
            self.evaluated.wanted = True
        if script.forks:
            self.doubt()
        self.line.nodes += script.nodes
        for node in script.nodes:
            self.node(node, state)
        for problem in script.problems:
            self.sink.opaque(problem.reason, problem.span, state.through, problem.bound)
        found = self.sink.effects
        if len(found) > before and found[before].kind != "environment":
            return
        nothing = all(found[i].kind == "environment" for i in range(before, len(found)))
        if nothing and not idle(script, text, self.sink.programs):
            self.sink.opaque("no command was found in the text", whole, state.through)

    def node(self, node: Node, state: State) -> None:
        """See Commands."""
        if self.sink.full:
            return
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
        self.sink.opaque(reason, node.span, state.through, bound=True)

    # -- compound commands

    def _sequence(self, node: Sequence, state: State) -> None:
        earlier = state.cwd
        items, operators = node.items, node.operators
        log = self.changes.log
        # What the items set that may not run, and what the last one sets.
        doubtful = last = len(log)
        chained = False
        for index, item in enumerate(items):
            operator = operators[index]
            if operator == "&":
                state.cwd = earlier
                self.forget(last, state)
            if operator in ("&&", "||"):
                if not chained:
                    chained, doubtful = True, len(log)
                elif operator == "||":
                    self.forget(doubtful, state)
            elif chained:
                self.forget(doubtful, state)
                chained = False
            last = len(log)
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
        if chained:
            self.forget(doubtful, state)

    def _pipeline(self, node: Pipeline, state: State) -> None:
        since, mark = self.sink.connections, len(self.changes.log)
        effects = self.sink.effects
        stdin: Stdin | None = None
        starts = [len(effects)]
        plain, last = False, len(node.items) - 1
        for index, item in enumerate(node.items):
            inner = state.copy()
            if index:
                inner.stdin = stdin
            self.printed = None
            self.node(item, inner)
            plain = isinstance(item, Command) and not _writes(item)
            text = self.output() if plain and index < last else None
            names = text is None or text.below
            stdin = Stdin("pipe", since, text) if names else Stdin("text", 0, text)
            starts.append(len(effects))
        if not plain:
            self.printed = None
        self.flows.pipe(starts)
        self.forget(mark, state)

    def _block(self, node: Block, state: State) -> None:
        kind = node.kind
        effects, changes = self.sink.effects, self.changes
        begin, mark = len(effects), len(changes.log)
        inner = state
        if node.redirects or kind in ("subshell", "function"):
            inner = state.copy()
        function = kind == "function"
        if function:
            changes.functions.add(node.variable)
            inner.enter(node.span, function=True)
            if bomb(node):
                self.sink.add("forkbomb", {"function": node.variable}, node.span, state)
        elif node.variable:
            self.assign(node.variable, None, state)
            if (node.sets or kind == "loop") and self.sink.programs.obeyed(node.variable):
                fields = {"name": node.variable, "value": UNKNOWN}
                self.sink.add("environment", fields, node.span, state)
        if kind == "loop" and endless(node):
            self.sink.add("forkbomb", {"function": UNKNOWN}, node.span, state)
        self.walk_words(node.words, inner)
        if node.words:
            self.evaluated.hold(node.words, inner)
        sockets = self.redirects(node.redirects, inner) if node.redirects else []
        own = len(effects)
        if function:
            if self.known.moves:
                inner.cwd = UNKNOWN
        elif node.span in self.known.loops:
            inner.cwd = UNKNOWN
        start, moves = inner.cwd, changes.moves
        changes.moves = False
        if kind == "branch":
            self._branches(node, inner)
        elif kind == "loop":
            self._loop(node, inner)
        else:
            for part in node.parts:
                self.node(part, inner)
        if function:
            changes.wanders |= changes.moves
        changes.moves |= moves
        if kind == "loop" and inner.cwd != start:
            changes.loops.add(node.span)
            inner.cwd = UNKNOWN
        self.printed = None
        if inner is state:
            return
        if kind not in ("subshell", "function"):
            state.cwd = inner.cwd
            state.values = inner.values
        else:
            self.forget(mark, state)
        if node.redirects:
            self.flows.add(Flow(begin, own, len(effects), tuple(sockets)))

    def _branches(self, node: Block, inner: State) -> None:
        ends = []
        mark = len(self.changes.log)
        for index, part in enumerate(node.parts):
            if index < node.conditions:
                self.node(part, inner)
                if index:
                    self.forget(mark, inner)
                mark = mark if index else len(self.changes.log)
                continue
            branch = inner.copy()
            self.node(part, branch)
            ends.append(branch.cwd)
        self.forget(mark, inner)
        if any(end != inner.cwd for end in ends):
            inner.cwd = UNKNOWN

    def _loop(self, node: Block, inner: State) -> None:
        """A loop's body, with each value of its variable where they are known."""
        mark = len(self.changes.log)
        self.drop(self.known.looped.get(node.span, set()), inner)
        values: list[Value] | None = None
        if node.variable and node.words and not self.known.wild:
            values = self.values_of(node.words, inner)
        rounds = 0
        if values and len(values) > self._rounds:
            values = [_ANY] if self._rounds and all(map(_is_name, values)) else None
        if values:
            for value in values:
                self._rounds -= 1
                inner.values = {**inner.values, node.variable: value}
                used = node.variable in self.touched
                self.touched.discard(node.variable)
                for part in node.parts:
                    self.node(part, inner)
                rounds += 1
                touched = node.variable in self.touched
                if used:
                    self.touched.add(node.variable)
                self.forget(mark, inner)
                if not touched:
                    break
        if not rounds:
            for part in node.parts:
                self.node(part, inner)
        names = set(self.changes.log[mark:])
        if names:
            found = self.changes.looped.setdefault(node.span, set())
            found |= names
        if node.variable:
            names = {*names, node.variable}
        self.drop(names, inner)


def _is_name(value: Value) -> bool:
    """Whether a value is a name that leads nowhere else, whatever stands around it."""
    chars, marks = value
    return chars.isalnum() and not marks.strip("q")


def _writes(command: Command) -> bool:
    return any(redirect.operator not in ("<", "<<", "<<<") for redirect in command.redirects)
