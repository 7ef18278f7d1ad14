"""An engine that never changes, in the place of a live policy: for tests and short programs."""

from __future__ import annotations

from pathlib import Path

from callgate.engine import Engine
from callgate.gate.control import Control
from callgate.gate.fresh import fixed_bundle
from callgate.gate.places import Places
from callgate.gate.state import StateFolder
from callgate.runtime.interpreter import Program

__all__ = ["FixedPolicy"]


class FixedPolicy:
    """What the gate asks of a policy, for an `Engine`. `state`: the folder whose freeze and
    break-glass count, or None. Raises StateError, and TypeError for what is no engine."""

    def __init__(self, engine: Engine, state: StateFolder | None = None) -> None:
        if not isinstance(engine, Engine):
            raise TypeError(
                f'`engine` is an Engine, such as Engine.load("echo"), not {type(engine).__name__}'
            )
        self.engine = engine
        self.program: Program = engine.program
        given = engine.source.given
        self.places = Places(
            fixed_bundle(engine.source.bundle),
            given.absolute() if isinstance(given, Path) else given,
            state,
        )
        """Where the policy, its settings and the gate's state lie."""
        self.control = None if state is None else Control(state)

    def refresh(self) -> None:
        """Notice what operators have set."""
        if self.control is not None:
            self.control.read()

    def settle(self) -> None:
        """There is no reload to wait for."""
