"""Makes effects out of words and collects them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from callgate.effects.paths import Paths
from callgate.effects.programs import Programs
from callgate.effects.shell.tree import Span, Word, constant, unresolved
from callgate.effects.signals import signal_name
from callgate.effects.surroundings import Surroundings
from callgate.effects.urls import DEFAULT_PORTS, Hosts, Target, file_path, parse_url, read_host
from callgate.model.effect import EFFECT_KINDS, Effect, EffectSet
from callgate.model.types import BOOL, PATH, Optional, Record
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["MAX_EFFECTS", "At", "Given", "Sink"]

Given = Word | bool | tuple[Any, ...] | None
"""What is known of a field: a word, true or false, texts, or nothing."""

MAX_EFFECTS: Final = 5000
"""Of one call; the last is then an opaque one."""

_WHOLE: Final = frozenset({"delete", "permission", "device"})
_OCTAL: Final = re.compile(r"[0-7]{1,5}")
_OTHERS_WRITE: Final = re.compile(r"[ugoa]*[oa][ugoa]*(?:[+=-][rwxXst]*)*?[+=][rwxXst]*w")
_PATH, _FLAG, _TEXT = range(3)


def _plan(record: Record) -> tuple[tuple[str, int, Any], ...]:
    """A kind's own fields: name, sort, and what it is when nothing is known of it."""
    plan = []
    for name, field in record.fields.items():
        if name not in ("certain", "through"):
            optional = isinstance(field.type, Optional)
            type_ = field.type.item if isinstance(field.type, Optional) else field.type
            sort = _PATH if type_ == PATH else _FLAG if type_ == BOOL else _TEXT
            missing = None if optional else False if sort == _FLAG else UNKNOWN
            plan.append((name, sort, missing))
    return tuple(plan)


_PLANS: Final = {kind: _plan(record) for kind, record in EFFECT_KINDS.items()}


@dataclass(slots=True)
class At:
    """Where an effect happens: the folder, the wrappers it came through, whether the text surely
    means it."""

    cwd: str | Unknown
    through: tuple[str, ...] = ()
    certain: bool = True


class Sink:
    """Collects the effects of one call. `full`: there are too many, and no more are kept.
    `only`: the kinds that are kept, where that is not all."""

    def __init__(self, surroundings: Surroundings, programs: Programs) -> None:
        self.paths = Paths(surroundings)
        self.hosts = Hosts(surroundings.dns, surroundings.strict)
        self.programs = programs
        self.effects: list[Effect] = []
        self.full = False
        self.only: frozenset[str] | None = None
        self.connections = 0
        self.argument: str | None = None

    def add(self, kind: str, fields: Mapping[str, Any], span: Span | None, at: At) -> None:
        """Add an effect whose fields are ready."""
        if kind == "connect":
            self.connections += 1
        self._keep(Effect(kind, fields, at.certain, at.through, span, self.argument))

    def run(self, fields: Mapping[str, Any], span: Span, at: At, data: object) -> None:
        """Add a `run` effect with its parsed command."""
        self._keep(Effect("run", fields, at.certain, at.through, span, self.argument, data))

    def opaque(self, reason: str, span: Span | None, through: tuple[str, ...] = ()) -> None:
        """Add what was not understood."""
        self._keep(Effect("opaque", {"reason": reason}, True, through, span, self.argument))

    def _keep(self, effect: Effect) -> None:
        if self.full or (self.only is not None and effect.kind not in self.only):
            return
        if len(self.effects) >= MAX_EFFECTS:
            self.full = True
            fields = {"reason": "too many effects"}
            effect = Effect("opaque", fields, True, (), effect.span, self.argument)
        self.effects.append(effect)

    def forget(self, mark: int) -> None:
        """Take back the effects from the one with this number on."""
        if len(self.effects) > mark:
            del self.effects[mark:]
            self.full = False

    def finish(self) -> EffectSet:
        """All effects, those of each argument in the order of its text."""
        found = EffectSet(self._ordered())
        by_kind = found.by_kind
        for effect in found.all:
            try:
                by_kind[effect.kind].append(effect)
            except KeyError:
                by_kind[effect.kind] = [effect]
        if self.paths.used and not self.paths.links:
            found.assumed.append("links")
        if self.paths.guessed:
            found.assumed.append("cwd")
        found.assumed += self.hosts.assumed
        return found

    def _ordered(self) -> list[Effect]:
        if len(self.effects) < 2 or not any(map(_before, self.effects[1:], self.effects)):
            return self.effects
        groups: dict[str | None, list[Effect]] = {}
        for effect in self.effects:
            groups.setdefault(effect.argument, []).append(effect)
        return [e for group in groups.values() for e in sorted(group, key=_start)]

    # -- making effects of words

    def make(self, kind: str, given: Mapping[str, Given], span: Span | None, at: At) -> None:
        """Add an effect of a kind of the language, made of what is known of its fields."""
        if kind == "connect":
            self._connect(given, span, at)
            return
        path = given.get("path")
        if kind in ("read", "write") and isinstance(path, Word) and path.text == "-":
            # Standard input or output.
            return
        fields: dict[str, Any] = {}
        for name, sort, missing in _PLANS[kind]:
            value = given.get(name)
            if value is None:
                fields[name] = missing
            elif isinstance(value, bool | tuple):
                fields[name] = value
            elif sort == _PATH:
                follow, whole = kind != "delete", kind in _WHOLE
                fields[name] = self.paths.word(value, at.cwd, follow=follow, whole=whole)
            elif sort == _FLAG:
                fields[name] = {"true": True, "false": False}.get(str(value.text), UNKNOWN)
            else:
                fields[name] = value.text
        if kind == "permission":
            fields["world_writable"] = _world_writable(fields["mode"])
        elif kind == "signal":
            fields["signal"] = signal_name(fields["signal"])
        elif kind == "delete" and isinstance(path, Word) and path.below and not path.glob:
            fields["recursive"] = True
        for place in self.paths.passed if isinstance(path, Word) else ():
            if kind != "write" or not self._written(place, span, at):
                self.add(kind, {**fields, "path": place}, span, at)
        if kind == "write" and self._written(fields["path"], span, at):
            return
        self.add(kind, fields, span, at)
        if isinstance(path, Word) and path.below and (path.glob or kind not in _WHOLE):
            found = fields["path"]
            if isinstance(found, str) and not self.paths.inside(found):
                # Anything below that folder may be what is meant.
                self.add(kind, {**fields, "path": UNKNOWN}, span, at)

    def _written(self, path: str | Unknown, span: Span | None, at: At) -> bool:
        """What writing to a special file means; True when it means nothing."""
        if not isinstance(path, str):
            return False
        if path in self.programs.sinks:
            return True
        if path.startswith(self.programs.devices):
            self.add("device", {"path": path, "action": "write"}, span, at)
        return False

    # -- connections

    def _connect(self, given: Mapping[str, Given], span: Span | None, at: At) -> None:
        scheme = given.get("scheme")
        word = given.get("url")
        if isinstance(word, Word):
            default = scheme.text if isinstance(scheme, Word) else ""
            # With a scheme that nobody knows it still leads to that host.
            self.connect_url(word, default if isinstance(default, str) else "https", span, at)
            return
        host = given.get("host")
        port = given.get("port")
        self.connect_host(
            host.text if isinstance(host, Word) else UNKNOWN,
            scheme.text if isinstance(scheme, Word) else UNKNOWN,
            port.text if isinstance(port, Word) else None,
            span,
            at,
        )

    def connect_url(self, word: Word, scheme: str, span: Span | None, at: At) -> None:
        """Add the connection to a URL; `scheme` is that of a text without one."""
        text, exact = word.text, True
        if not isinstance(text, str):
            # `https://example.org/$X`: the host is known, where the path begins before the unknown.
            text, exact = word.pieces[0] if word.pieces else UNKNOWN, False
            if not isinstance(text, str) or "/" not in text.partition("://")[2]:
                text = ""
        path = file_path(text)
        if path is not None:
            # What takes `{` and `[` for patterns is not known here.
            given = constant(path, span or (0, 0))
            if not exact or "{" in path or "[" in path:
                given = unresolved(span or (0, 0))
            self.make("read", {"path": given}, span, at)
            return
        target = parse_url(text, scheme) if text else None
        if target is None:
            self._unknown_host(span, at)
            return
        if target.odd:
            self.opaque(target.odd, span, at.through)
        self._target(target, span, at, exact)

    def _target(self, target: Target, span: Span | None, at: At, exact: bool) -> None:
        fields = {
            "url": target.url if exact else UNKNOWN,
            "scheme": target.scheme,
            "host": target.host,
            "port": target.port,
            "address_class": self.hosts.address_class(target.host),
        }
        self.add("connect", fields, span, at)

    def connect_host(
        self,
        text: str | Unknown,
        scheme: str | Unknown,
        port: str | Unknown | None,
        span: Span | None,
        at: At,
    ) -> None:
        """Add the connection to `[user@]host[:port]`."""
        host: str | None = None
        number: int | Unknown | None = UNKNOWN
        if isinstance(text, str):
            bare = text.rpartition("@")[2]
            name, colon, tail = bare.rpartition(":")
            if colon and tail.isdigit() and ":" not in name.strip("[]"):
                bare, port = name, port or tail
            host = read_host(bare)
        if port is None:
            number = DEFAULT_PORTS.get(scheme) if isinstance(scheme, str) else None
        elif isinstance(port, str) and port.isdecimal() and len(port) <= 5:
            number = int(port)
        if host is None:
            self._unknown_host(span, at, scheme, number)
            return
        fields = {
            "url": None,
            "scheme": scheme,
            "host": host,
            "port": number,
            "address_class": self.hosts.address_class(host),
        }
        self.add("connect", fields, span, at)

    def _unknown_host(
        self,
        span: Span | None,
        at: At,
        scheme: str | Unknown = UNKNOWN,
        port: int | Unknown | None = UNKNOWN,
    ) -> None:
        fields = {
            "url": UNKNOWN,
            "scheme": scheme,
            "host": UNKNOWN,
            "port": port,
            "address_class": UNKNOWN,
        }
        self.add("connect", fields, span, at)


def _world_writable(mode: Any) -> bool | Unknown:
    if mode is None:
        return False
    if not isinstance(mode, str):
        return UNKNOWN
    if _OCTAL.fullmatch(mode):
        return bool(int(mode, 8) & 0o2)
    return any(_OTHERS_WRITE.match(part) is not None for part in mode.split(","))


def _start(effect: Effect) -> int:
    return effect.span[0] if effect.span else 0


def _before(effect: Effect, last: Effect) -> bool:
    return effect.argument == last.argument and _start(effect) < _start(last)
