"""`--record`: what a command decided, recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from callgate.cli.judging import judge

if TYPE_CHECKING:
    from callgate.cli.calls import Item
    from callgate.engine import Engine
    from callgate.model.decision import Decision
    from callgate.record.recorder import Recorder

__all__ = ["Judged", "recording"]


class Judged:
    """Decides calls by an engine, and records each decision before it is told. `recorder`: None to
    record nothing."""

    def __init__(self, engine: Engine, recorder: Recorder | None) -> None:
        self._engine = engine
        self._recorder = recorder

    def decide(self, item: Item) -> Decision:
        """The decision of what was read. Raises RecordError when it can't be recorded."""
        if self._recorder is None:
            return judge(self._engine, item)
        start = perf_counter_ns()
        decision = judge(self._engine, item)
        took = (perf_counter_ns() - start) // 1000
        engine: Any = self._engine
        if decision.source is not engine.program:
            engine = engine.with_settings(item.value["settings"])
        digest = engine.settings_digest
        self._recorder.record(decision, settings_digest=digest, duration_us=took)
        return decision


@contextmanager
def recording(engine: Engine, place: Path | None) -> Iterator[Judged]:
    """What decides, and records in the store at `place`, which is made where there is none; None
    records nothing. What can't be recorded becomes one line on standard error and exit code 1."""
    if place is None:
        yield Judged(engine, None)
        return
    from callgate.cli.log_store import told_record_errors
    from callgate.record.recorder import Recorder
    from callgate.record.store import open_store

    with told_record_errors():
        store = open_store(place)
        try:
            recorder = Recorder(store, source="eval")
            recorder.open()
            yield Judged(engine, recorder)
        finally:
            store.close()
