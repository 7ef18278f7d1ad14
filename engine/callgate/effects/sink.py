"""Makes effects out of words and collects them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from callgate.effects.connections import At, Connections, Given
from callgate.effects.paths import Paths
from callgate.effects.programs import Programs
from callgate.effects.shell.tree import Span, Word
from callgate.effects.signals import signal_name
from callgate.effects.surroundings import Surroundings
from callgate.effects.urls import Hosts
from callgate.model.effect import EFFECT_KINDS, Effect, EffectSet, Secret
from callgate.model.types import BOOL, PATH, Optional, Record
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["MAX_EFFECTS", "At", "Given", "Sink"]

MAX_EFFECTS: Final = 5000
"""Of one call; the last is then an opaque one."""

_WHOLE: Final = frozenset({"delete", "permission", "device"})
_OCTAL: Final = re.compile(r"[0-7]{1,5}")
_OTHERS_WRITE: Final = re.compile(r"(?=[ug]*[oa])[ugoa]+(?:[+=-][rwxXst]*)*?[+=](?:[rxXst]*w|u)")
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


class Sink(Connections):
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
        self.secrets: dict[Secret, None] = {}

    def add(self, kind: str, fields: Mapping[str, Any], span: Span | None, at: At) -> None:
        """Add an effect whose fields are ready."""
        if kind == "connect":
            self.connections += 1
        effect = Effect(kind, fields, at.certain, at.through, span, self.argument)
        if self.only is None and len(self.effects) < MAX_EFFECTS:
            self.effects.append(effect)
        else:
            self._keep(effect)

    def run(self, fields: Mapping[str, Any], span: Span, at: At, data: object) -> None:
        """Add a `run` effect with its parsed command."""
        effect = Effect("run", fields, at.certain, at.through, span, self.argument, data)
        if self.only is None and len(self.effects) < MAX_EFFECTS:
            self.effects.append(effect)
        else:
            self._keep(effect)

    def opaque(
        self,
        reason: str,
        span: Span | None,
        through: tuple[str, ...] = (),
        bound: bool = False,
    ) -> None:
        """Add what was not understood; `bound`: because it was too much to read."""
        fields = {"reason": reason, "bound": bound}
        self._keep(Effect("opaque", fields, True, through, span, self.argument))

    def _keep(self, effect: Effect) -> None:
        if self.full or (self.only is not None and effect.kind not in self.only):
            return
        if len(self.effects) >= MAX_EFFECTS:
            self.full = True
            fields = {"reason": "too many effects", "bound": True}
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
            same = by_kind.get(effect.kind)
            if same is None:
                by_kind[effect.kind] = [effect]
            else:
                same.append(effect)
        if self.paths.used and not self.paths.observed and not self.paths.strict:
            found.assumed.append("links")
        if self.paths.guessed:
            found.assumed.append("cwd")
        found.assumed += self.hosts.assumed
        found.looked = tuple(self.paths.looked)
        found.secrets = tuple(self.secrets)
        return found

    def _ordered(self) -> list[Effect]:
        last, start = None, 0
        for effect in self.effects:
            begins = effect.span[0] if effect.span else 0
            if begins < start and effect.argument == last:
                break
            last, start = effect.argument, begins
        else:
            return self.effects
        groups: dict[str | None, list[Effect]] = {}
        for effect in self.effects:
            groups.setdefault(effect.argument, []).append(effect)
        return [e for group in groups.values() for e in sorted(group, key=_start)]

    # -- making effects of words

    def make(self, kind: str, given: Mapping[str, Given], span: Span | None, at: At) -> None:
        """Add an effect of a kind of the language, made of what is known of its fields."""
        if kind == "connect":
            self.connect(given, span, at)
            return
        path = given.get("path")
        if isinstance(path, Word) and (
            path.pipe or (path.text == "-" and kind in ("read", "write"))
        ):
            # A pipe, or standard input or output.
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
        if kind == "permission" and "world_writable" not in given:
            fields["world_writable"] = _world_writable(fields["mode"])
        elif kind == "signal":
            fields["signal"] = signal_name(fields["signal"])
        elif kind == "delete" and isinstance(path, Word) and path.below and not path.glob:
            fields["recursive"] = True
        passed = self.paths.passed
        for place in passed if passed and isinstance(path, Word) else ():
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
