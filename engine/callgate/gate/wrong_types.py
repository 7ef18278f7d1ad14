"""What is often given in the place of a gate's parts, told in one line: what it is, and what is
wanted."""

from __future__ import annotations

from typing import Any

from callgate.gate.state import StateFolder

__all__ = ["check_database", "check_gate", "check_state"]

_POLICY = 'a LivePolicy or an Engine, such as LivePolicy("echo")'
_STATE = 'a StateFolder, such as StateFolder("/path")'
_DATABASE = "a Database, such as Database(state.database)"
_PEOPLE = "a People, such as People(Database(state.database), [chat])"
_REVIEWER = "an object with `async def review(brief)`, such as an OpenAIReviewer"
_OBSERVER = "an object with `observe`, `straight`, `identity` and `moment`, such as LocalObserver()"
_RECORDS = "true, false or a Recorder, such as Recorder(open_store(path))"
_CLOCK = "a function that gives the time, as a datetime with a time zone"


def check_gate(
    policy: Any,
    state: Any,
    people: Any,
    reviewer: Any,
    observer: Any,
    clock: Any,
    records: Any,
) -> None:
    """Raises TypeError for what can't be a gate's policy, state, people, reviewer, observer, clock
    or records. State, people, reviewer and observer may be None."""
    _check("policy", policy, _POLICY, _has(policy, "program"))
    check_state(state)
    _check("people", people, _PEOPLE, people is None or _has(people, "ask", "requests"))
    _check("reviewer", reviewer, _REVIEWER, reviewer is None or _has(reviewer, "review"))
    seen = observer is None or _has(observer, "observe", "straight", "identity", "moment")
    _check("observer", observer, _OBSERVER, seen)
    _check("clock", clock, _CLOCK, callable(clock))
    recorder = isinstance(records, bool) or _has(records, "record", "required")
    _check("records", records, _RECORDS, recorder)


def check_state(state: Any) -> None:
    """Raises TypeError for what is neither a state folder nor None."""
    _check("state", state, _STATE, state is None or isinstance(state, StateFolder))


def check_database(db: Any) -> None:
    """Raises TypeError for what is no database."""
    _check("db", db, _DATABASE, _has(db, "read", "transaction"))


def _has(value: Any, *names: str) -> bool:
    """Whether an object, and no class, has all these attributes."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in names)


def _check(name: str, value: Any, wanted: str, right: bool) -> None:
    if right:
        return
    if isinstance(value, str):
        given = f"{value!r:.80}"
    elif isinstance(value, type):
        given = f"the class {value.__name__}"
    else:
        given = type(value).__name__
    raise TypeError(f"`{name}` is {wanted}, not {given}")
