"""The policy that a running gate goes by, and the ways to another version of it.

A new version is made beside the one in force: compiled from source, or read from the folder of
versions. Only when it is whole does it take the old one's place, by one assignment; whatever is
wrong with it is reported, and the old one stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from time import monotonic
from typing import Any, Final

from callgate.engine import Engine
from callgate.gate.background import Background
from callgate.gate.control import Control
from callgate.gate.control_state import ControlState
from callgate.gate.following import Behind, Wanted, after, other_than, wanted_of, whole
from callgate.gate.fresh import ChangedError, compile_fresh, engine_of, fixed_bundle
from callgate.gate.places import Places
from callgate.gate.reloaded import Cause, Reloaded, tell
from callgate.gate.state import StateError, StateFolder
from callgate.gate.versions import VersionError, Versions
from callgate.gate.watch import Watch
from callgate.gate.wrong_types import check_state
from callgate.model.diagnostic import Diagnostic, PolicyError
from callgate.model.graph import GraphError
from callgate.runtime.interpreter import Program

__all__ = ["LivePolicy"]

_LOG: Final = logging.getLogger("callgate.gate")
_AGAIN: Final = "; it is tried again"
_TOLD: Final = (ChangedError, VersionError, StateError, GraphError)


class LivePolicy:
    """A policy that can be changed while it decides. Safe to share between threads.

    `bundle`, `settings`: as for `Engine.load`; a path is made absolute and a mapping copied, here
    and now. `state`: the gate's folder, where versions are kept and operators name another one;
    without it only `reload` in this process changes the policy. `watch`: whether changed files
    count by themselves. `on_report`: called with each `Reloaded`, by the thread that reloaded.
    `seconds`: a clock that is never set back.

    Where somebody went back to an earlier version, it begins with that one, not with the source.
    Where the source gives another version than the one that is named, that is reported, and looked
    at again every five minutes.

    Raises PolicyError, with every diagnostic, when the policy can't be used; ChangedError when its
    files are being written; VersionError, GraphError or StateError when an earlier version can't
    be used; TypeError for a `state` that is none.
    """

    def __init__(
        self,
        bundle: str | Path = "echo",
        settings: Mapping[str, Any] | str | Path | None = None,
        *,
        state: StateFolder | None = None,
        watch: bool = False,
        on_report: Callable[[Reloaded], None] | None = None,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        check_state(state)
        self._bundle = fixed_bundle(bundle)
        self._settings: Mapping[str, Any] | Path | None
        if isinstance(settings, str | Path):
            self._settings = Path(settings).absolute()
        else:
            self._settings = deepcopy(settings)
        self.places = Places(self._bundle, self._settings, state)
        """Where the policy, its settings and the gate's state lie."""
        self._state = state
        self._versions = None if state is None else Versions(state)
        self.control = None if state is None else Control(state)
        """What operators have set; None without a state folder."""
        self.on_report = on_report
        self.last_report: Reloaded | None = None
        """What came of the last reload, whoever wanted it; None before the first."""
        self._seen = self._set_now()
        self._followed = wanted_of(self._seen)
        self._seconds = seconds
        self._behind: Behind | None = None
        self._watch = Watch(self.places.stamps) if watch else None
        self._files_changed = False
        self._background = Background("callgate-reload", self._catch_up, self._is_behind)
        self._engine = self._first()
        if self._followed.digest not in (None, self.digest):
            self._begin_behind(str(self._followed.digest))

    def _first(self) -> Engine:
        if self._seen.pinned and self._seen.digest is not None:
            engine = self._stored(self._seen.digest)
            _LOG.warning(
                "%s is pinned: the bundle and settings given here do not count", self._seen.digest
            )
            return engine
        engine = compile_fresh(self._bundle, self._settings)
        if self._versions is not None:
            try:
                self._versions.store(engine.graph)
            except StateError as error:
                _LOG.warning("nobody can go back to this version of the policy: %s", error)
        return engine

    def _begin_behind(self, wanted: str) -> None:
        """It goes by its source, as whoever started it wants; but other processes go by the version
        that is named, so nobody must take them for the same."""
        why = f"{other_than(wanted, self.digest)}{_AGAIN}"
        report = Reloaded(False, self.digest, self._engine.diagnostics, why, "control")
        self.last_report = report
        self._behind = whole(self._seconds(), why)
        tell(report, self._state, self.on_report)

    # -- what is in force

    @property
    def engine(self) -> Engine:
        """The engine in force. It never changes, nor does what hangs on it: take it once, and what
        is taken fits together. After a rollback its graph is that version's; its `policy` and
        `settings` are then what the source says, if it can be read at all."""
        return self._engine

    @property
    def program(self) -> Program:
        """The program in force: what decides calls."""
        return self._engine.program

    @property
    def digest(self) -> str:
        """The digest (`sha256:…`) of the graph in force."""
        return self._engine.graph.digest

    def refuses(self, workspace: str) -> str:
        """Why calls of an agent with this workspace can't be judged: it could change the policy,
        its settings or the gate's state; "" when it couldn't. Remembered until the next reload."""
        return self.places.refuses(workspace)

    # -- changing it

    def reload(self) -> Reloaded:
        """Compile the source as it is now and put it in force, here and, through the state folder,
        in every process that shares it. Blocks meanwhile: in a coroutine, `await
        asyncio.to_thread(policy.reload)`. Never raises: what is wrong is in the result."""
        with self._background.alone:
            return self._attempt("reload", self._from_source)

    def rollback(self, digest: str) -> Reloaded:
        """Put a version of the past in force, in the same places, until the next `reload`.
        `digest`: it, or its first 8 digits or more. Never raises."""
        with self._background.alone:
            return self._attempt("rollback", lambda: self._from_past(digest))

    def refresh(self) -> None:
        """Notice what operators have set: freeze and break-glass at once, another version of the
        policy in the background, while the old one goes on deciding. To be called at each check; it
        costs a look at one file's status. Never raises."""
        control = self.control
        if control is not None:
            found = control.read()
            if found is not self._seen:
                self._notice(found)
        if self._behind is not None and self._is_due():
            self._background.wake()
        if self._watch is not None and self._watch.changed():
            self._files_changed = True
            self._background.wake()

    def settle(self) -> None:
        """Wait until what `refresh` noticed has been dealt with."""
        self._background.settle()

    # -- following what others set

    def _notice(self, found: ControlState) -> None:
        self._seen = found
        if found.problem:
            _LOG.error("nothing passes without a person: %s", found.problem)
        elif wanted_of(found) != self._followed:
            self._background.wake()

    def _set_now(self) -> ControlState:
        return ControlState() if self.control is None else self.control.read()

    def _is_behind(self) -> bool:
        found = self._set_now()
        if self._files_changed:
            return True
        return not found.problem and (wanted_of(found) != self._followed or self._is_due())

    def _is_due(self) -> bool:
        behind = self._behind
        return behind is not None and self._seconds() >= behind.due

    def _catch_up(self) -> None:
        with self._background.alone:
            found = self._set_now()
            wanted = wanted_of(found)
            if wanted != self._followed and not found.problem:
                self._followed, self._behind = wanted, None
                self._follow(wanted)
            elif self._is_due() and not found.problem:
                self._follow(wanted)
            if self._files_changed:
                self._files_changed = False
                # Whoever went back to an earlier version did so on purpose.
                if not found.pinned:
                    self._attempt("watch", lambda: self._from_source(only_news=True))

    def _follow(self, wanted: Wanted) -> None:
        """Try to get to the version that is named; where that fails, a later `refresh` tries again,
        after pauses that grow: the files may have been half saved."""
        if wanted.digest is None:
            return
        behind = self._behind
        report = self._attempt("control", lambda: self._as_named(wanted), behind)
        if not report.ok:
            self._behind = after(behind, self._seconds(), report.why)

    # -- ways to a version, one at a time

    def _attempt(
        self, cause: Cause, way: Callable[[], Engine], behind: Behind | None = None
    ) -> Reloaded:
        """`behind`: this was tried before, and what came of it then."""
        diagnostics: tuple[Diagnostic, ...] = ()
        why = ""
        try:
            engine = way()
            diagnostics = engine.diagnostics
            self._engine = engine
            self.places.forget()
            self._behind = None
        except PolicyError as error:
            diagnostics, why = error.diagnostics, "the policy or its settings can't be used"
        except _TOLD as error:
            why = str(error)
        except Exception as error:  # whatever it is, the version in force stays
            why = f"{type(error).__name__} while loading"
        if why and cause == "control":
            why = f"{why}{_AGAIN}"
        report = self.last_report = Reloaded(not why, self.digest, diagnostics, why, cause)
        if behind is None or behind.why != why:  # the same over and over is told once
            tell(report, self._state, self.on_report)
        return report

    def _compiled(self) -> Engine:
        if self._watch is not None:
            self._watch.take()
        return compile_fresh(self._bundle, self._settings)

    def _from_source(self, only_news: bool = False) -> Engine:
        engine = self._compiled()
        digest = engine.graph.digest
        if self._versions is not None:
            self._versions.store(engine.graph)
        if not only_news or self._set_now().digest != digest:
            self._publish(digest)
        return engine

    def _from_past(self, asked: str) -> Engine:
        if self._versions is None:
            raise StateError("without a state folder no versions are kept")
        digest = self._versions.find(asked)
        engine = self._stored(digest)
        self._publish(digest, pinned=True)
        self._versions.mark(digest)
        return engine

    def _as_named(self, wanted: Wanted) -> Engine:
        assert wanted.digest is not None
        if wanted.pinned:
            return self._stored(wanted.digest)
        engine = self._compiled()
        if engine.graph.digest != wanted.digest:
            raise VersionError(other_than(wanted.digest, engine.graph.digest))
        return engine

    def _stored(self, digest: str) -> Engine:
        if self._versions is None:
            raise StateError("without a state folder no versions are kept")
        known: Engine | None = getattr(self, "_engine", None)
        secrets = () if known is None else known.program.settings_secrets
        return engine_of(self._versions.load(digest), self._bundle, self._settings, secrets)

    def _publish(self, digest: str, pinned: bool = False) -> None:
        if self.control is not None:
            self._followed = wanted_of(self.control.publish(digest, pinned=pinned))
