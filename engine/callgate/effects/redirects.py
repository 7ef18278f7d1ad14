"""Redirections of commands: files that are read and written, connections that are opened."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Final

from callgate.effects.shell.tree import Redirect, Word, constant
from callgate.effects.sink import Sink
from callgate.effects.state import Changes, State, Stdin
from callgate.effects.variables import Variables
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

__all__ = ["Redirects"]

_READS: Final = frozenset({"<", "<>"})
_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DESCRIPTORS: Final = frozenset({">&", "<&"})
_SOCKET: Final = re.compile(r"/dev/(tcp|udp)/([^/]*)/([^/]*)")
_STANDARD: Final = ("0", "1", "2", "-", "0-", "1-", "2-")


class Redirects(Variables, ABC):
    """The part of a walk that is about redirections. `sockets`: the connections that the shell
    itself has open."""

    def __init__(self, sink: Sink, known: Changes | None = None) -> None:
        super().__init__(sink, known)
        self.sockets: list[Effect] = []

    @abstractmethod
    def walk_words(self, words: tuple[Word, ...], state: State) -> bool:
        """Walk what the substitutions in some words run; gives whether variables stand in them."""

    def redirects(self, redirects: tuple[Redirect, ...], state: State) -> list[Effect]:
        """Add what redirections read and write, and give the connections they open. `state` gets
        the standard input."""
        sockets: list[Effect] = []
        for redirect in redirects:
            target = redirect.target
            start = len(self.sink.effects)
            if self.walk_words((target,), state):
                heredoc = redirect.operator == "<<"
                target = self.resolve_one(target, state, divides=not heredoc)
            operator = redirect.operator
            if operator in ("<<", "<<<"):
                state.stdin = Stdin("text", 0, target)
            elif operator in _DESCRIPTORS and _is_descriptor(target):
                if self.sockets and target.text not in _STANDARD:
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
        sockets += self.sockets
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
