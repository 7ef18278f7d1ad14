"""What a gate answers is recorded before it is told; what can't be recorded is denied."""

from __future__ import annotations

import logging
import weakref
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from threading import Lock
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.approval import Approval
from callgate.gate.frozen_call import Frozen
from callgate.gate.verdicts import denied
from callgate.gate.workers import DISK
from callgate.model.diagnostic import PolicyError
from callgate.record import telemetry
from callgate.record.errors import RecordError
from callgate.record.record import Answer
from callgate.record.recorder import UNRECORDED, Recorder

if TYPE_CHECKING:
    from callgate.engine import Engine
    from callgate.gate.fixed_policy import FixedPolicy
    from callgate.gate.live_policy import LivePolicy
    from callgate.gate.state import StateFolder
    from callgate.record.store import Store

__all__ = ["Recording", "recording_of"]

_SMALL: Final = 16_384
"""Bytes of a call, beyond which its record is made in a thread: secrets in it take their time."""

_LOG: Final = logging.getLogger("callgate.gate")


class _Own:
    """The recorder of a state folder, opened when it is first needed, and closed with the last gate
    that uses it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._recorder: Recorder | None = None

    def recorder(self) -> Recorder:
        """The recorder. Raises RecordError where the records can't be used now."""
        with self._lock:
            if self._recorder is None:
                from callgate.record.json_lines import JsonLines

                store = JsonLines(self._folder)
                self._recorder = Recorder(store)
                weakref.finalize(self, _closed, store)
            return self._recorder


_SHARED: Final[weakref.WeakValueDictionary[Path, _Own]] = weakref.WeakValueDictionary()
"""Gates of one process that share a state folder share a chain, too."""


class Recording:
    """Records the answers of a gate. `policy`: that of the gate; `recorder`: a recorder, or what
    gives one."""

    def __init__(self, policy: LivePolicy | FixedPolicy, recorder: Recorder | _Own) -> None:
        self._policy = policy
        self._own = recorder if isinstance(recorder, _Own) else None
        self._recorder = None if isinstance(recorder, _Own) else recorder
        self._known: tuple[Any, str] = (None, "")
        self._cause = ""

    async def keep(self, approval: Approval, start: int) -> Approval:
        """The answer, once it is recorded; where that fails and must not, a no in the place of a
        yes. `start`: when the check began, by `perf_counter_ns`. Raises nothing but the caller's
        own cancellation."""
        took = (perf_counter_ns() - start) // 1000
        try:
            if not self._at_once(approval, took):
                # With the caller's context: OpenTelemetry's current span is in it.
                await DISK.do(copy_context().run, self._record, approval, took)
        except RecordError as error:
            return self._failed(approval, str(error))
        except Exception as error:
            return self._failed(approval, f"{type(error).__name__} while recording")
        if self._cause:
            self._cause = ""
            _LOG.warning("decisions are recorded again")
        return approval

    def _at_once(self, approval: Approval, took: int) -> bool:
        """Record it, where that takes no longer than a thread would; whether it is recorded. An
        event loop waits meanwhile."""
        recorder = self._recorder
        if (
            recorder is None
            or self._known[0] is not approval.decision.source
            or len(approval.call.text) > _SMALL
        ):
            return False
        return self._recorded(recorder, approval, took, wait=False)

    def _record(self, approval: Approval, took: int) -> None:
        recorder = self._recorder
        if recorder is None:
            recorder = self._recorder = self._opened(approval, took)
        program: Any = approval.decision.source
        if self._known[0] is not program:
            self._known = program, _settings_digest(self._policy.engine, program)
        self._recorded(recorder, approval, took, wait=True)

    def _recorded(self, recorder: Recorder, approval: Approval, took: int, *, wait: bool) -> bool:
        id_ = recorder.record(
            approval.walked or approval.decision,
            settings_digest=self._known[1],
            duration_us=took,
            answer=_answer(approval),
            wait=wait,
        )
        return bool(id_)

    def _opened(self, approval: Approval, took: int) -> Recorder:
        assert self._own is not None
        try:
            return self._own.recorder()
        except RecordError:
            # No recorder is there to tell of it.
            telemetry.tell(
                approval.decision,
                "",
                source="gate",
                duration_us=took,
                answer=UNRECORDED if approval.allowed else _answer(approval),
                recorded=False,
            )
            raise

    def _failed(self, approval: Approval, cause: str) -> Approval:
        """Say once why nothing is recorded; and deny, unless that is a no anyway."""
        if cause != self._cause:
            self._cause = cause
            _LOG.error("decisions can't be recorded: %s", cause)
        if not approval.allowed or (self._recorder is not None and not self._recorder.required):
            return approval
        why = f"decisions can't be recorded: {cause}"
        call = approval.call
        program: Any = approval.decision.source
        decision = program.refuse(call.copy(), "R006", why)
        frozen = Frozen(call, {})
        return denied(
            frozen,
            decision,
            "approval_unavailable",
            why,
            notice=why,
            request_id=approval.request_id,
        )


def recording_of(
    records: Recorder | bool, policy: LivePolicy | FixedPolicy, state: StateFolder | None
) -> Recording | None:
    """What records the answers of a gate: by a recorder, or where `records` is true into the folder
    `records` of its state; None where nothing is to be recorded."""
    if isinstance(records, bool):
        if not records or state is None:
            return None
        folder = state.path / "records"
        own = _SHARED.get(folder)
        if own is None:
            own = _SHARED[folder] = _Own(folder)
        return Recording(policy, own)
    return Recording(policy, records)


def _closed(store: Store) -> None:
    with suppress(RecordError):
        store.close()


def _settings_digest(engine: Engine, program: Any) -> str:
    """That of the settings of a program; "" where they can't be told any more."""
    if engine.program is not program:
        return ""
    try:
        return engine.settings_digest
    except PolicyError:
        return ""


def _answer(approval: Approval) -> Answer:
    return Answer(
        approval.allowed,
        approval.reason,
        approval.approval_source,
        sorted(approval.approved_actions),
        approval.kind,
        approval.request_id,
        approval.grant_id,
        approval.by,
        approval.break_glass,
        approval.notice,
        approval.digest,
    )
