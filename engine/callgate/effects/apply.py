"""What a command does, by its program's entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from callgate.effects.arguments import Arguments
from callgate.effects.command import ParsedCommand
from callgate.effects.connections import Given, has_host
from callgate.effects.embedded import run_command, run_shell
from callgate.effects.environment import set_variables
from callgate.effects.interpreted import run_code
from callgate.effects.meta import (
    add_alias,
    add_endpoint,
    add_link,
    add_output,
    add_sent,
    add_sql,
    change_folder,
)
from callgate.effects.program_effects import options_in
from callgate.effects.program_spec import EffectSpec
from callgate.effects.relations import SENT
from callgate.effects.secret_words import add_secrets
from callgate.effects.shell.tree import Word, unresolved
from callgate.effects.state import State
from callgate.effects.values import Values
from callgate.model.effect import EFFECT_KINDS
from callgate.model.values import UNKNOWN, Unknown

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["Application"]


class Application(Values):
    """One command, read in each way it can be read."""

    def __init__(self, walker: Commands, command: ParsedCommand, state: State) -> None:
        self.walker = walker
        self.sink = walker.sink
        self.command = command
        self.name = str(command.words[0].text).rpartition("/")[2]
        self.state = state
        self.hidden: dict[str, dict[str, Given]] = {}

    def run(self) -> None:
        """Add all effects."""
        effects = self.sink.effects
        readings = self.command.readings()
        if len(readings) == 1:
            self._read(readings[0])
            return
        first, *others = readings
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
        if arguments.hidden and self.entry.kinds:
            self.sink.opaque("the sub-command is not known before it runs", self.at, state.through)
        folder = self.entry.folder
        if folder is not None and (words := self.values(folder)):
            self.state = state.copy()
            for word in words:
                self.state.cwd = self.sink.paths.lexical(word, self.state.cwd)
        coded = False
        meanings = arguments.meanings
        # Options of the program itself stand before the sub-command.
        seen = () if arguments.unsure_before or not arguments.command else self.entry.always
        if arguments.idle:
            specs = self.entry.always
        else:
            specs = self.entry.effects if meanings or arguments.unsure else self.entry.free
        for spec in specs:
            if (
                spec.needs
                and meanings.isdisjoint(spec.needs)
                and (not arguments.unsure or spec in seen)
            ):
                continue
            holds = self.holds(spec) if spec.when or spec.unless else True
            if holds is True and spec.guesses and self._guesses(spec):
                self._doubtful(spec)
            elif holds is True:
                self.effect(spec)
            elif holds is UNKNOWN and spec.kind in EFFECT_KINDS:
                if spec.constant:
                    # No more is known of what it would do: a doubt is no ground for a deny.
                    self.hidden.setdefault(spec.kind, {spec.constant: unresolved(self.at)})
                else:
                    self._doubtful(spec)
            elif holds is UNKNOWN and spec.kind == "code" and self.entry.language and not coded:
                coded = True
                self.sink.opaque(
                    "options that are not known before it runs may be code", self.at, state.through
                )
        if self.hidden:
            self._hidden(start)
        if self.entry.secretive:
            add_secrets(self)
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

    def holds(self, spec: EffectSpec) -> bool | Unknown:
        """Whether an effect of the entry is there, by its conditions."""
        arguments = self.arguments
        if arguments.has(spec.unless):
            return False
        if spec.when and not arguments.has(spec.when):
            options = any(item.kind in ("option", "all") for item in spec.when)
            unseen = (arguments.unsure and options) or arguments.doubts(spec.when)
            return UNKNOWN if unseen else False
        return UNKNOWN if spec.unless and arguments.doubts(spec.unless) else True

    def effect(self, spec: EffectSpec) -> None:
        """Add one effect of the entry."""
        meta = _META.get(spec.kind)
        if not spec.sent:
            (meta or Application._plain)(self, spec)
            return
        effects = self.sink.effects
        start = len(effects)
        (meta or Application._plain)(self, spec)
        for effect in effects[start:]:
            if effect.kind == "read":
                effect.data = SENT
        if self.walker.flows.secrets and not spec.proves:
            # What may be the name of a file to be sent may also be what is sent.
            values = (v for v in spec.fields.values() if not isinstance(v, bool))
            names = {name for value in values for name in options_in(value)}
            for occurrence in self.arguments.occurrences:
                if occurrence.value is not None and occurrence.option is not None:
                    if occurrence.option.meaning in names:
                        self.walker.flows.send((occurrence.value,))

    def _plain(self, spec: EffectSpec) -> None:
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
        main: Word | None = None
        for value in given.values():
            if isinstance(value, Word):
                main = value
                break
        if main is not None and main.text is UNKNOWN and main.span == self.at:
            # It stands for options that may be hidden in a variable: once for each kind.
            self.hidden.setdefault(kind, given)
            return
        url = given.get("url")
        if kind == "connect" and isinstance(url, Word) and self.walker.flows.secrets:
            first = url.pieces[0] if url.pieces else UNKNOWN
            if isinstance(first, str) and has_host(first):
                # Not a password before the host, which is what it is for.
                self.walker.flows.send((url,))
        self.sink.make(kind, given, main.span if main else self.at, self.state)

    def _hidden(self, start: int) -> None:
        """Add what options that nobody sees may do, unless it is said already."""
        said = {
            effect.kind
            for effect in self.sink.effects[start:]
            if effect.fields.get("host", next(iter(effect.fields.values()))) is UNKNOWN
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
    "endpoint": add_endpoint,
    "folder": change_folder,
    "link": add_link,
    "output": add_output,
    "send": add_sent,
    "variable": set_variables,
    "alias": add_alias,
    "sql": add_sql,
}
