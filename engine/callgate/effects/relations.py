"""From what is read to where it goes: files whose content a text sends to hosts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from callgate.effects.programs import Programs
from callgate.effects.shell.tree import Span, Word
from callgate.effects.sink import At, Sink
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["FED", "SENT", "Flow", "Flows", "Source", "add_relations"]

SENT: Final = "sent"
"""Marks a `read` effect (in its `data`) of what the command sends."""

FED: Final = "fed"
"""Marks an `interpret` effect (in its `data`) of a download that comes by standard input."""

MAX_TRANSFERS: Final = 256
_MAX_COPIES: Final = 512
_MAX_SOURCES: Final = 16
_ENVIRONMENT: Final = "/proc/self/environ"


@dataclass(slots=True)
class Source:
    """A file whose content goes on; `span`: what reads it."""

    path: str | Unknown
    span: Span | None
    certain: bool = True


@dataclass(slots=True)
class Flow:
    """The effects of a command: from `start` on those of its substitutions and redirections, from
    `own` on those of the program. `sockets`: the connections its output goes to; `sources`: what is
    in its variables; `mixed`: nobody knows which of the files that it reads it sends."""

    start: int
    own: int
    end: int
    sockets: tuple[Effect, ...] = ()
    sources: tuple[Source, ...] = ()
    mixed: bool = False


@dataclass(slots=True)
class Flows:
    """What may pass from files to hosts, in the order of the text. A tuple is a flow without more
    than its places, of which there are many; a list is a pipeline: where its parts' effects begin.
    `outputs`: files whose content a command prints without reading them. `secrets`: those in
    words, by where these stand; `holders`: variables that hold secrets of others; `sent`: those
    that the command at hand sends."""

    found: list[Flow | tuple[int, int, int] | list[int]] = field(default_factory=list)
    outputs: list[tuple[int, Source]] = field(default_factory=list)
    variables: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    secrets: dict[Span, tuple[Source, ...]] = field(default_factory=dict)
    holders: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    sent: list[Source] = field(default_factory=list)

    def add(self, flow: Flow) -> None:
        """Add a command."""
        self.found.append(flow)

    def pipe(self, starts: list[int]) -> None:
        """Add a pipeline."""
        self.found.append(starts)

    def assigned(self, name: str, effects: list[Effect], start: int) -> None:
        """Note that a variable holds what was read from an effect on."""
        sources = tuple(_sources(effects, start, len(effects)))[:_MAX_SOURCES]
        if sources:
            self.variables[name] = (*self.variables.get(name, ()), *sources)[:_MAX_SOURCES]

    def of_variables(self, words: Iterable[Word]) -> tuple[Source, ...]:
        """What is in the variables of some words."""
        found: list[Source] = []
        for word in words:
            if word.slots is not None:
                for variable in word.slots.variables:
                    found += self.variables.get(variable.name, ())
        return tuple(found[:_MAX_SOURCES])

    def secrets_of(self, words: Iterable[Word], programs: Programs) -> None:
        """Note the secrets in the variables of some words: those whose names say so."""
        for word in words:
            if word.slots is not None:
                for variable in word.slots.variables:
                    name = variable.name
                    held = self.holders.get(name, ())
                    if name and not held and programs.secret(name):
                        held = (Source(f"{_ENVIRONMENT}/{name}", word.span),)
                    if held:
                        kept = self.secrets.get(word.span, ())
                        self.secrets[word.span] = (*kept, *held)[:_MAX_SOURCES]

    def secret_in(self, words: Iterable[Word]) -> list[Source]:
        """The secrets in some words."""
        return [source for word in words for source in self.secrets.get(word.span, ())]

    def send(self, words: Iterable[Word]) -> None:
        """Note that what is in some words goes to the host that the command connects to."""
        self.sent += self.secret_in(words)

    def take_sent(self) -> tuple[Source, ...]:
        """What `send` noted since the last time."""
        sent, self.sent = self.sent, []
        return tuple(sent[:_MAX_SOURCES])

    def print(self, at: int, words: Iterable[Word]) -> None:
        """Note that the command whose effects begin at some place prints some words."""
        self.outputs += [(at, source) for source in self.secret_in(words)]


def add_relations(sink: Sink, flows: Flows) -> None:
    """Add a `transfer` for each file whose content goes to a host, and mark the interpreters that
    obey one."""
    if sink.connections:
        _Relations(sink, flows).run()


def _sources(effects: list[Effect], start: int, end: int) -> list[Source]:
    return [
        Source(effect.fields["path"], effect.span, effect.certain)
        for effect in effects[start:end]
        if effect.kind == "read"
    ]


class _Relations:
    def __init__(self, sink: Sink, flows: Flows) -> None:
        self.sink = sink
        self.flows = flows
        self.effects = sink.effects
        self.copies: dict[str, list[Source]] = {}
        # What came over a connection, with the effect that wrote it.
        self.fetched: dict[str, int] = {}
        self.seen: set[Any] = set()
        self.full = False

    def run(self) -> None:
        """Go through all flows in order."""
        for item in self.flows.found:
            if isinstance(item, list):
                self._pipeline(item)
            else:
                self._command(item if isinstance(item, Flow) else Flow(*item))
            if self.full:
                self.sink.opaque("more content goes to hosts than can be listed", None, bound=True)
                return
        if self.fetched:
            self._fetched_run()

    def _command(self, flow: Flow) -> None:
        read = self._read(flow.start, flow.end)
        sent = [*self._read(flow.start, flow.own), *flow.sources]
        connects: list[Effect] = list(flow.sockets)
        for index in range(flow.own, min(flow.end, len(self.effects))):
            effect = self.effects[index]
            if effect.kind == "connect":
                connects.append(effect)
            elif effect.kind == "read" and effect.data is SENT:
                source = Source(effect.fields["path"], effect.span, effect.certain)
                sent += self._with_copied([source])
        if flow.mixed:
            sent += [Source(source.path, source.span, False) for source in read]
        self._fetch(flow.start, flow.end, bool(connects))
        self._transfer(sent, connects)
        if flow.sockets:
            self._transfer(read, flow.sockets)
        self._copy([*read, *flow.sources], flow.start, flow.end)

    def _pipeline(self, starts: list[int]) -> None:
        read: list[Source] = []
        effects = self.effects
        came = False
        for start, end in pairwise(starts):
            connects = [e for e in effects[start:end] if e.kind == "connect"]
            self._fetch(start, end, came)
            came = came or bool(connects)
            if connects:
                self._transfer(read, connects)
                self._obey(starts[0], start)
            read += self._read(start, end)
            del read[MAX_TRANSFERS:]
            self._copy(read, start, end)
        self._loops(starts)

    def _fetch(self, start: int, end: int, connects: bool) -> None:
        """Note the files that hold what came over a connection, or a copy of that."""
        part = self.effects[start:end]
        if not connects and self.fetched:
            connects = any(
                e.kind in ("read", "delete") and e.fields["path"] in self.fetched for e in part
            )
        if connects:
            for index, effect in enumerate(part, start):
                path = effect.fields["path"] if effect.kind == "write" else UNKNOWN
                if isinstance(path, str) and len(self.fetched) < _MAX_COPIES:
                    self.fetched.setdefault(path, index)

    def _fetched_run(self) -> None:
        """What runs a file that was fetched before obeys a connection."""
        for index, effect in enumerate(self.effects[:]):
            if effect.kind == "interpret" and effect.fields["source"] == "file":
                if self.fetched.get(effect.data, index) < index:
                    effect.fields = {**effect.fields, "source": "download"}
            elif effect.kind == "run" and effect.data is not None:
                head = effect.data.words[0]
                if isinstance(head.text, str) and "/" in head.text:
                    path = self.sink.paths.lexical(head, effect.data.cwd)
                    if isinstance(path, str) and self.fetched.get(path, index) < index:
                        fields = {"language": "shell", "source": "download", "remote": False}
                        at = At(UNKNOWN, effect.through, effect.certain)
                        self.sink.add("interpret", fields, effect.span, at)

    def _obey(self, start: int, end: int) -> None:
        """What is interpreted before a connection answers to it."""
        for effect in self.effects[start:end]:
            source = effect.fields["source"] if effect.kind == "interpret" else ""
            if source == "stdin" or (source == "download" and effect.data is FED):
                effect.fields = {**effect.fields, "source": "download", "remote": True}

    def _loops(self, starts: list[int]) -> None:
        """`nc h p <pipe | sh >pipe`: what is interpreted answers to the connection before it."""
        effects = self.effects
        fed: set[object] = set()
        for start, end in pairwise(starts):
            part = effects[start:end]
            if any(e.kind == "write" and e.fields["path"] in fed for e in part):
                self._obey(start, end)
            if any(e.kind == "connect" for e in part):
                fed.update(e.fields["path"] for e in part if e.kind == "read")
                fed.discard(UNKNOWN)

    def _read(self, start: int, end: int) -> list[Source]:
        end = min(end, len(self.effects))
        found = _sources(self.effects, start, end)
        if self.flows.outputs:
            found += [source for at, source in self.flows.outputs if start <= at < end]
        return self._with_copied(found) if self.copies else found

    def _with_copied(self, sources: list[Source]) -> list[Source]:
        found = list(sources)
        for source in sources:
            if isinstance(source.path, str) and source.path in self.copies:
                found += [
                    Source(copied.path, source.span, source.certain)
                    for copied in self.copies[source.path]
                ]
        return found

    def _copy(self, sources: list[Source], start: int, end: int) -> None:
        """Note that what is written holds what was read."""
        written = self.effects[start:end]
        gone = [Source(e.fields["path"], e.span, e.certain) for e in written if e.kind == "delete"]
        sources = [*sources, *self._with_copied(gone)]
        if not sources:
            return
        for effect in written:
            path = effect.fields["path"] if effect.kind == "write" else UNKNOWN
            if isinstance(path, str) and len(self.copies) < _MAX_COPIES:
                kept = self.copies.setdefault(path, [])
                held = {source.path for source in kept}
                kept += [s for s in sources if s.path != path and s.path not in held]
                del kept[_MAX_SOURCES:]

    def _transfer(self, sources: Iterable[Source], connects: Iterable[Effect]) -> None:
        hosts = list(connects)
        if not hosts:
            return
        for source in sources:
            for connect in hosts:
                given = connect.fields
                fields = {
                    "path": source.path,
                    "url": given["url"],
                    "host": given["host"],
                    "address_class": given["address_class"],
                }
                key = (source.path, given["url"], given["host"])
                if key in self.seen:
                    continue
                if len(self.seen) >= MAX_TRANSFERS:
                    self.full = True
                    return
                self.seen.add(key)
                at = At(UNKNOWN, connect.through, connect.certain and source.certain)
                self.sink.add("transfer", fields, source.span, at)
