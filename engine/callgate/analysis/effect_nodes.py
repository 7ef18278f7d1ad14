"""The tree of a shell text with the runs that were found in it: which command runs which."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from callgate.analysis.effect_view import NodeKind
from callgate.effects.command import ParsedCommand
from callgate.effects.shell.parser import parse_shell
from callgate.effects.shell.tree import (
    Block,
    Command,
    Node,
    Pipeline,
    Redirect,
    Script,
    Sequence,
    Span,
    Word,
)
from callgate.effects.shell.words import Names, Place
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

__all__ = ["Numbered", "Raw", "nodes_of"]

Numbered = tuple[int, Effect]
"""An effect with its id."""

_NAMES: Final = Names("~", UNKNOWN)
_MOST_SCRIPTS: Final = 200
_SEPARATOR: Final = re.compile(r"[;&|\n(){}]")


@dataclass(slots=True)
class Raw:
    """A node while the tree is built. `inner` are what its substitutions, its wrapper or its
    interpreter run; `parts` the parts of a compound command."""

    kind: NodeKind
    span: Span
    operator: str = ""
    via: str = ""
    command: Command | None = None
    run: Numbered | None = None
    through: tuple[str, ...] = ()
    parts: list[Raw] = field(default_factory=list)
    inner: list[Raw] = field(default_factory=list)
    effects: list[Numbered] = field(default_factory=list)
    fixed: bool = False
    """Its span is that of the word that it stands in."""

    @property
    def parsed(self) -> ParsedCommand | None:
        """The command as its effects were read from it."""
        data = self.run[1].data if self.run else None
        return data if isinstance(data, ParsedCommand) else None


def nodes_of(text: str, effects: Iterable[Numbered]) -> tuple[Raw, bool]:
    """The tree of an argument's text with its effects, each where it belongs; and whether any run
    stands where the text says: if not, the text is no shell text."""
    effects = list(effects)
    builder = _Builder(effects)
    root = builder.script(parse_shell(text, _NAMES, Place()), (), "", (0, len(text)))
    builder.join_runs(root)
    fits = builder.joined > 0
    builder.place_others(root)
    return root, fits


class _Builder:
    def __init__(self, effects: list[Numbered]) -> None:
        self.effects = effects
        self.joined = 0
        self._open: dict[tuple[Span, tuple[str, ...]], list[Raw]] = defaultdict(list)
        self._joined: dict[tuple[Span, tuple[str, ...]], Raw] = {}
        self._named: dict[tuple[tuple[str, ...], object], list[Raw]] = defaultdict(list)
        self._commands: list[Raw] = []
        self._scripts = 0
        self._read: set[int] = set()

    # -- the text's own structure

    def script(self, script: Script, through: tuple[str, ...], via: str, span: Span) -> Raw:
        root = Raw("script", span, via=via, through=through)
        root.parts = [self._node(node, through) for node in script.nodes]
        return root

    def _node(self, node: Node, through: tuple[str, ...], operator: str = "") -> Raw:
        if isinstance(node, Command):
            return self._command(node, through, operator)
        if isinstance(node, Block):
            raw = Raw(node.kind, node.span, operator, through=through)
            raw.parts = [self._node(part, through) for part in node.parts]
            words = [*node.words, *(item.target for item in node.redirects)]
            raw.inner = list(self._substitutions(words, through))
            self._commands.append(raw)
            return raw
        parts = [
            self._node(item, through, self._operator(node, index))
            for index, item in enumerate(node.items)
        ]
        spans = [part.span for part in parts] or [(0, 0)]
        span = (min(start for start, _ in spans), max(end for _, end in spans))
        kind: NodeKind = "pipeline" if isinstance(node, Pipeline) else "sequence"
        return Raw(kind, span, operator, through=through, parts=parts)

    @staticmethod
    def _operator(node: Pipeline | Sequence, index: int) -> str:
        if index == 0:
            return ""
        return "|" if isinstance(node, Pipeline) else node.operators[index] or ";"

    def _command(self, node: Command, through: tuple[str, ...], operator: str) -> Raw:
        # Redirections stand outside what the grammar calls the command.
        spans = [node.span, *(item.span for item in node.redirects)]
        span = (min(start for start, _ in spans), max(end for _, end in spans))
        raw = Raw("command", span, operator, command=node, through=through)
        values = [item.value for item in node.assignments]
        targets = [item.target for item in node.redirects]
        raw.inner = list(self._substitutions([*values, *node.words, *targets], through))
        self._commands.append(raw)
        if node.words:
            self._open[_key(node.words), through].append(raw)
        return raw

    def _substitutions(self, words: Iterable[Word], through: tuple[str, ...]) -> Iterator[Raw]:
        for word in words:
            for nested in word.nested:
                raw = self._node(nested, through)
                raw.via = "substitution"
                yield raw

    # -- the runs

    def join_runs(self, root: Raw) -> None:
        """Give every run its command; those of wrappers and interpreters become nodes."""
        waiting = []
        for item in self.effects:
            if item[1].kind == "run" and not self._join(item):
                waiting.append(item)
        for item in waiting:
            if not self._join(item) and not self._adopt(item):
                root.effects.append(item)

    def _join(self, item: Numbered) -> bool:
        effect = item[1]
        key = (effect.span or (0, 0), effect.through)
        found = self._open.get(key)
        if not found:
            again = self._joined.get(key)
            if again is not None:
                # The same command once more, as in a loop over known words.
                again.effects.append(item)
            return again is not None
        raw = found.pop(0)
        raw.run = item
        self._joined[key] = raw
        self._named[effect.through, effect.fields["program"]].append(raw)
        self.joined += 1
        return True

    def _adopt(self, item: Numbered) -> bool:
        """A run that is no command of the text's own: under what runs it, if that is known."""
        effect = item[1]
        parent = self._parent(effect)
        if parent is None:
            return False
        span = effect.span or (0, 0)
        via = effect.through[-1] if effect.through else ""
        if self._reads(parent, span, effect.through, via) and self._join(item):
            return True
        raw = Raw("command", span, via=via, run=item, through=effect.through)
        parsed = raw.parsed
        words = parsed.words if parsed else ()
        raw.fixed = len(words) > 1 and all(word.span == span for word in words)
        parent.inner.append(raw)
        self._commands.append(raw)
        self._named[effect.through, effect.fields["program"]].append(raw)
        return True

    def _parent(self, effect: Effect) -> Raw | None:
        outer, name = effect.through[:-1], effect.through[-1:]
        found = self._named.get((outer, name[0])) if name else None
        span = effect.span or (0, 0)
        for raw in reversed((found or [])[-_MOST_SCRIPTS:]):
            if _holds(raw.span, span):
                return raw
        if found:
            return next((raw for raw in found if raw.span[0] >= span[1]), found[-1])
        around = [raw for raw in self._commands[-_MOST_SCRIPTS:] if _holds(raw.span, span)]
        return max(around, key=lambda raw: len(raw.through), default=None)

    def _reads(self, parent: Raw, span: Span, through: tuple[str, ...], via: str) -> bool:
        """Read the shell text that a command runs, to know how its commands are joined."""
        parsed = parent.parsed
        redirects: tuple[Redirect, ...] = parent.command.redirects if parent.command else ()
        words = [*(parsed.words if parsed else ()), *(item.target for item in redirects)]
        for word in words:
            text = word.text
            if (
                not isinstance(text, str)
                or not _holds(word.span, span)
                or id(word) in self._read
                or self._scripts >= _MOST_SCRIPTS
                or not _SEPARATOR.search(text)
            ):
                continue
            self._read.add(id(word))
            self._scripts += 1
            place = Place(word.offset) if word.offset >= 0 else Place(0, word.span)
            script = parse_shell(text, _NAMES, place)
            before = len(self._commands)
            raw = self.script(script, through, via, word.span)
            if self._open.get((span, through)):
                parent.inner.append(raw)
                for made in self._commands[before:]:
                    made.fixed = word.offset < 0
                return True
            del self._commands[before:]
        return False

    # -- the other effects

    def place_others(self, root: Raw) -> None:
        """Give every other effect to the command that has it."""
        nodes = sorted(self._commands, key=lambda raw: (raw.span[0], -raw.span[1]))
        others = [item for item in self.effects if item[1].kind != "run"]
        others.sort(key=lambda item: item[1].span or (-1, -1))
        stack: list[Raw] = []
        at = 0
        for item in others:
            span = item[1].span
            if span is None:
                root.effects.append(item)
                continue
            while at < len(nodes) and nodes[at].span[0] <= span[0]:
                stack.append(nodes[at])
                at += 1
            stack = [raw for raw in stack if raw.span[1] > span[0]]
            _owner(stack, item, root).effects.append(item)


def _owner(stack: list[Raw], item: Numbered, root: Raw) -> Raw:
    """The innermost command around an effect that is reached in the same way."""
    number, effect = item
    span = effect.span or (0, 0)
    best, rank = root, (-1, -1, -1, -1)
    for depth, raw in enumerate(stack):
        if not _holds(raw.span, span):
            continue
        through = raw.run[1].through if raw.run else raw.through
        same = 2 if through == effect.through else effect.through[: len(through)] == through
        before = raw.run is None or raw.run[0] < number or raw.span != span
        size = raw.span[0] - raw.span[1]
        if (now := (int(same), int(before), size, depth)) > rank:
            best, rank = raw, now
    return best


def _key(words: tuple[Word, ...]) -> Span:
    return words[0].span[0], max(words[0].span[1], words[-1].span[1])


def _holds(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
