"""Judges a call in the world as it is: observe what its effects name, then walk the graph.

Most calls touch a few paths without links on their way. So the first reading of a call takes for
granted that there are none; where the look confirms that, the reading stands, and the walk follows
at once. Otherwise the call is read again with what was seen, until nothing new is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from callgate.gate.addresses import needs_look_up
from callgate.gate.links import UnseenError
from callgate.gate.observe import Observations, Observer
from callgate.gate.standing import Standing
from callgate.model.decision import Decision
from callgate.model.effect import EffectSet
from callgate.runtime.check import CallError
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program

__all__ = ["MAX_HOSTS", "MAX_PATHS", "Judge", "Judged", "UnseenError"]

MAX_PATHS: Final = 4_096
MAX_HOSTS: Final = 32
"""A call that names more than these is not judged: looking would take too long."""

_MAX_ROUNDS: Final = 3
_NO_LINKS: Final[Mapping[str, Any]] = {"links": {}}
_NONE: Final[Mapping[str, Any]] = {}
_NOTHING: Final = Observations()
_PLACELESS: Final = frozenset({"connect", "sql", "power", "environment", "signal", "service"})
"""Kinds of effect that are the same in every folder."""


@dataclass(slots=True)
class Judged:
    """A decision with what was looked at for it: by whom, the paths, the hosts, what was seen.

    `standing`: the folders that the call runs in, where somebody was asked and they matter.
    `unresolved`: the hosts to whose missing addresses alone a deny is owed.
    """

    decision: Decision
    seen: Observations
    observer: Observer
    paths: Sequence[str] = ()
    hosts: Sequence[str] = ()
    standing: Standing | None = None
    unresolved: Sequence[str] = ()

    async def recheck(self) -> str:
        """Look again: what is not as it was, in one line, or "". Never raises."""
        if not self.paths and not self.hosts:
            return ""
        try:
            if self.standing is not None and (moved := self.standing.changed()):
                return moved
            return self.seen.changed(await self.observer.observe(self.paths, self.hosts))
        except Exception as error:
            return f"what this call touches can't be looked at ({type(error).__name__})"


class Judge:
    """Judges calls by one program. Safe to share between tasks."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.aliases: Mapping[str, str] = program.graph.document["aliases"]
        # Any condition may read the clock; a name that only looks like it costs a microsecond.
        self._reads_time = b"observed.time" in orjson.dumps(program.graph.document)

    async def judge(
        self,
        call: dict[str, Any],
        observer: Observer,
        answers: Mapping[str, Any] = _NONE,
    ) -> Judged:
        """Observe what a call names, and walk the graph with these answers.

        `call`: a copy of the gate's own, without observations. Raises UnseenError when too much is
        named or looking fails.
        """
        program = self.program
        observed = {"links": {}, "time": observer.moment()} if self._reads_time else _NO_LINKS
        try:
            frame = self._frame(call, observed, answers)
            effects = program.effects_of(frame)
            paths, kinds = effects.looked, effects.by_kind
            if not _PLACELESS.issuperset(kinds):
                paths = _with_folders(paths, frame.context)
            if len(paths) <= MAX_PATHS and "connect" not in kinds and "transfer" not in kinds:
                if not paths or observer.straight(paths):
                    return Judged(program.walk(frame), _NOTHING, observer, paths)
                seen = await observer.observe(paths, ())
                if not seen.links:
                    return Judged(program.walk(frame), seen, observer, paths)
            return await self._thoroughly(call, observer, answers, effects, observed, paths)
        except CallError as error:
            refused = program.refuse(call, error.code, error.message)
            return Judged(refused, _NOTHING, observer)

    def answered(self, call: dict[str, Any], judged: Judged, answers: Mapping[str, Any]) -> Judged:
        """Walk once more for a call that this judge has judged, with these answers, and in the
        world as it was seen then."""
        frame = self._frame(call, judged.decision.frame.observed, answers)
        decision = self.program.walk(frame)
        return replace(judged, decision=decision)

    async def _thoroughly(
        self,
        call: dict[str, Any],
        observer: Observer,
        answers: Mapping[str, Any],
        effects: EffectSet,
        observed: Mapping[str, Any],
        first: Sequence[str],
    ) -> Judged:
        """Observe in rounds, as links lead to paths that nobody has looked at yet. `first`: what to
        look at in the first round."""
        time = observed.get("time", "")
        seen = Observations(time=time)
        paths: dict[str, None] = {}
        hosts: dict[str, None] = {}
        for number in range(_MAX_ROUNDS):
            named = effects.looked if number else first
            new_paths = [path for path in named if path not in paths]
            new_hosts = [host for host in _hosts(effects) if host not in hosts]
            if not new_paths and not new_hosts:
                break
            paths.update(dict.fromkeys(new_paths))
            hosts.update(dict.fromkeys(new_hosts))
            if len(paths) > MAX_PATHS or len(hosts) > MAX_HOSTS:
                raise UnseenError("the call names more paths or hosts than can be looked at")
            seen = seen.merged(await observer.observe(new_paths, ()))
            if new_hosts:
                early = self._denied_by_name(call, seen)
                if early is not None:
                    return Judged(early, seen, observer, tuple(paths))
                seen = seen.merged(await observer.observe((), new_hosts))
            frame = self._frame(call, seen.to_call(), answers)
            effects = self.program.effects_of(frame)
        else:
            if any(path not in paths for path in effects.looked):
                raise UnseenError("what the call touches leads through too many links")
        # A walk counts its work in the frame and leaves its matches there: one frame, one walk.
        frame = self._frame(call, seen.to_call(), answers)
        frame.effects = effects
        decision = self.program.walk(frame)
        judged = Judged(decision, seen, observer, tuple(paths), tuple(hosts))
        if decision.decision == "deny":
            judged.unresolved = self._unresolved(call, answers, seen, hosts)
        return judged

    def _unresolved(
        self,
        call: dict[str, Any],
        answers: Mapping[str, Any],
        seen: Observations,
        hosts: Iterable[str],
    ) -> Sequence[str]:
        """The hosts that have no known address, where the call would not be denied if they were
        judged by their names: then it is an outage, or a wrong name, that denies it."""
        lost = tuple(host for host in hosts if not seen.dns.get(host))
        if not lost:
            return ()
        known = {host: found for host, found in seen.dns.items() if found}
        observed = replace(seen, dns=known).to_call()
        named = self.program.decide({**call, "observed": observed, "answers": {**answers}})
        return () if named.decision == "deny" else lost

    def _denied_by_name(self, call: dict[str, Any], seen: Observations) -> Decision | None:
        """The deny of a call that is denied whatever its hosts' addresses are. A look-up tells a
        stranger's name server what the agent wrote, so it is not made for such a call."""
        decision = self.program.decide({**call, "observed": seen.to_call()})
        return decision if decision.decision == "deny" else None

    def _frame(
        self, call: dict[str, Any], observed: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> Frame:
        """A live frame; what the gate itself puts in needs no check. Raises CallError."""
        frame = self.program.checker.frame(call, True)
        frame.observed = observed
        frame.answers = answers
        try:
            self.program.classifier.classify(frame)
        except CallError:
            raise
        except Exception as error:
            raise CallError("R010", f"{type(error).__name__} while deciding") from error
        return frame


def _with_folders(paths: Sequence[str], context: Mapping[str, Any]) -> Sequence[str]:
    """These paths, and the folders that a call runs in: they may be replaced by links while it
    waits. One that lies on the way of a path is looked at with it."""
    folder, workspace = context.get("cwd"), context.get("workspace")
    if type(folder) is str and folder[:1] == "/" and not _on_the_way(folder, paths):
        paths = (*paths, folder)
    if workspace != folder and type(workspace) is str and workspace[:1] == "/":
        if not _on_the_way(workspace, paths):
            paths = (*paths, workspace)
    return paths


def _on_the_way(folder: str, paths: Sequence[str]) -> bool:
    """Whether a folder lies on the way of one of the paths, or is it."""
    below = f"{folder}/"
    for path in paths:  # noqa: SIM110 - a generator takes three times as long
        if path.startswith(below) or path == folder:
            return True
    return False


def _hosts(effects: EffectSet) -> dict[str, None]:
    """The hosts whose addresses matter."""
    found: dict[str, None] = {}
    for kind in ("connect", "transfer"):
        for effect in effects.by_kind.get(kind, ()):
            host = effect.fields["host"]
            if isinstance(host, str) and needs_look_up(host):
                found[host] = None
    return found
