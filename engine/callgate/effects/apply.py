"""What a command does, by its program's entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from callgate.effects.arguments import Arguments
from callgate.effects.command import ParsedCommand
from callgate.effects.embedded import run_code, run_command, run_shell
from callgate.effects.program_spec import EffectSpec
from callgate.effects.shell.tree import Word, constant
from callgate.effects.sink import Given
from callgate.effects.state import State
from callgate.effects.values import Values
from callgate.model.effect import EFFECT_KINDS
from callgate.model.values import UNKNOWN, Unknown

if TYPE_CHECKING:
    from callgate.effects.walk import Walker

__all__ = ["Application"]


class Application(Values):
    """One command, read in each way it can be read."""

    def __init__(self, walker: Walker, command: ParsedCommand, state: State) -> None:
        self.walker = walker
        self.sink = walker.sink
        self.command = command
        self.name = str(command.words[0].text).rpartition("/")[2]
        self.state = state
        self.hidden: dict[str, dict[str, Given]] = {}

    def run(self) -> None:
        """Add all effects."""
        effects = self.sink.effects
        first, *others = self.command.readings()
        start = len(effects)
        self._read(first)
        for reading in others:
            # The other reading only adds what the first one didn't see.
            seen = {_key(effect): i for i, effect in enumerate(effects[start:], start)}
            before = len(effects)
            self._read(reading)
            found = effects[before:]
            del effects[before:]
            for effect in found:
                index = seen.get(_key(effect))
                if index is None:
                    effects.append(effect)
                elif effect.certain:
                    effects[index] = effect

    def _read(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.entry = arguments.program
        state = self.state
        start = len(self.sink.effects)
        if arguments.hidden and self.entry.matters:
            self.sink.opaque("the sub-command is not known before it runs", self.at, state.through)
        folder = self.entry.folder
        if folder is not None and (words := self.values(folder)):
            self.state = state.copy()
            for word in words:
                self.state.cwd = self.sink.paths.lexical(word, self.state.cwd)
        meanings = None if arguments.unsure else arguments.meanings
        for spec in self.entry.effects:
            if meanings is not None and spec.needs and meanings.isdisjoint(spec.needs):
                continue
            holds = self._holds(spec) if spec.when or spec.unless else True
            if holds is True and spec.guesses and self._guesses(spec):
                self._doubtful(spec)
            elif holds is True:
                self.effect(spec)
            elif holds is UNKNOWN and spec.kind in EFFECT_KINDS:
                self._doubtful(spec)
            elif holds is UNKNOWN and spec.kind == "code" and self.entry.language:
                self.sink.opaque(
                    "options that are not known before it runs may be code", self.at, state.through
                )
        if self.hidden:
            self._hidden(start)
        self.state = state

    def _guesses(self, spec: EffectSpec) -> bool:
        """Whether `SOURCE in DEST` is used though DEST may be no folder."""
        value = spec.fields["path"]
        assert isinstance(value, tuple) and value[0].other is not None
        names = self.arguments.bound.get(value[0].name, [])
        folder = self.reference(value[0].other)
        if len(names) != 1 or not folder:
            return False
        return not self.says_folder(folder[0])

    def _doubtful(self, spec: EffectSpec) -> None:
        kept, self.state = self.state, self.state.copy()
        self.state.certain = False
        self.effect(spec)
        self.state = kept

    def _holds(self, spec: EffectSpec) -> bool | Unknown:
        arguments = self.arguments
        if arguments.has(spec.unless):
            return False
        if spec.when and not arguments.has(spec.when):
            options = any(item.kind == "option" for item in spec.when)
            return UNKNOWN if arguments.unsure and options else False
        return True

    def effect(self, spec: EffectSpec) -> None:
        """Add one effect of the entry."""
        meta = _META.get(spec.kind)
        if meta is not None:
            meta(self, spec)
            return
        single: dict[str, Given] = {}
        several: list[tuple[str, list[Word]]] = []
        for name, value in spec.fields.items():
            if name in spec.flags:
                single[name] = self.flag(value)
                continue
            words = self.values(value)
            if not words:
                if not single:
                    # The first field is what the effect is about.
                    return
                continue
            single[name] = words[0]
            if len(words) > 1:
                several.append((name, words))
        if not several:
            self._make(spec.kind, single)
            return
        for name, words in several[:1]:
            for word in words:
                if self.sink.full:
                    return
                self._make(spec.kind, {**single, name: word})

    def _make(self, kind: str, given: dict[str, Given]) -> None:
        main = next((w for w in given.values() if isinstance(w, Word)), None)
        if main is not None and main.text is UNKNOWN and main.span == self.at:
            # It stands for options that may be hidden in a variable: once for each kind.
            self.hidden.setdefault(kind, given)
            return
        self.sink.make(kind, given, main.span if main else self.at, self.state)

    def _hidden(self, start: int) -> None:
        """Add what options that nobody sees may do, unless it is said already."""
        said = {
            effect.kind
            for effect in self.sink.effects[start:]
            if UNKNOWN in (effect.fields.get("path"), effect.fields.get("host"))
        }
        for kind, given in self.hidden.items():
            if kind not in said:
                self.sink.make(kind, given, self.at, self.state)
        self.hidden = {}

    # -- the kinds that `programs` adds

    def _code(self, spec: EffectSpec) -> None:
        run_code(self, spec)

    def _shell(self, spec: EffectSpec) -> None:
        run_shell(self, spec)

    def _command(self, spec: EffectSpec) -> None:
        run_command(self, spec)

    def _endpoint(self, spec: EffectSpec) -> None:
        fields = spec.fields
        scheme = self.values(fields["scheme"])[0]
        kind = str(self.values(fields["as"])[0].text)
        names, local = fields.get("names") is True, fields.get("local") is True
        tree = self.flag(fields.get("tree", False))
        marks = [word.text for word in self.values(fields.get("runs", ()))]
        for word in self.values(fields["place"]):
            text = word.text
            first = text if isinstance(text, str) else (*word.pieces, "")[0]
            head = first if isinstance(first, str) else ""
            host, colon, _ = head.partition(":")
            if local and colon and host and "/" not in host:
                continue
            if any(str(mark) in head.partition("/")[0] for mark in marks):
                self.sink.opaque("a transport that runs a program", word.span, self.state.through)
            elif names and isinstance(text, str) and "/" not in text and not colon:
                continue
            elif "://" in head:
                self.sink.connect_url(word, "", word.span, self.state)
            elif colon and host and "/" not in host:
                remote = {"host": constant(host, word.span), "scheme": scheme}
                self.sink.make("connect", remote, word.span, self.state)
            else:
                self.sink.make(kind, {"path": word, "tree": tree}, word.span, self.state)
                if not head and not local:
                    remote = {"host": word, "scheme": scheme}
                    self.sink.make("connect", remote, word.span, self.state)

    def _folder(self, spec: EffectSpec) -> None:
        words = self.values(spec.fields["path"])
        changes = self.walker.changes
        changes.moves = True
        state = self.state
        text = words[0].text if words else UNKNOWN
        home = bool(words) and words[0].home == 0
        known = (
            len(words) == 1
            and isinstance(text, str)
            and text != "-"
            and not (home and (changes.home or self.walker.known.home))
            and not (changes.search and not home and not text.startswith("/"))
            and not self.arguments.unsure
            and len(self.command.readings()) == 1
        )
        state.cwd = self.sink.paths.lexical(words[0], state.cwd) if known else UNKNOWN

    def _variable(self, spec: EffectSpec) -> None:
        for word in self.values(spec.fields["name"]):
            text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
            name = text.partition("=")[0].rstrip("+") if isinstance(text, str) else None
            self.walker.changes.assigned(name)


def _key(effect: object) -> object:
    fields = effect.fields  # type: ignore[attr-defined]
    return (
        effect.kind,  # type: ignore[attr-defined]
        effect.span,  # type: ignore[attr-defined]
        tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in fields.items()),
    )


_META: Final[dict[str, Callable[[Application, EffectSpec], None]]] = {
    "code": Application._code,
    "shell": Application._shell,
    "command": Application._command,
    "endpoint": Application._endpoint,
    "folder": Application._folder,
    "variable": Application._variable,
}
