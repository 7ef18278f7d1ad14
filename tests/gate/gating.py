"""A small policy, calls to it, and an observer that sees what it is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from callgate.engine import Engine
from callgate.gate.observe import Observations
from callgate.runtime.interpreter import Program

BUNDLE = Path(__file__).parents[1] / "cases" / "gate"
CONTEXT = {
    "cwd": "/w",
    "workspace": "/w",
    "home": "/home/u",
    "session_key": "s1",
    "user_id": "ann",
    "agent_id": "helper",
}


def engine(settings: Mapping[str, Any] | None = None) -> Engine:
    """The small policy under these settings."""
    return _engine(orjson.dumps(settings or {}))


@cache
def _engine(settings: bytes) -> Engine:
    return Engine.load(BUNDLE, orjson.loads(settings) or None)


def program(*, timed: bool = False) -> Program:
    """The small policy's program; `timed`: a rule of it reads the clock."""
    return engine({"office_hours": True} if timed else None).program


def call(tool: str, /, *, context: Mapping[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    """A call in the small policy."""
    return {"tool": tool, "args": args, "context": {**CONTEXT, **(context or {})}}


class Seen:
    """An observer that sees what it is told: `links` and `dns`. `asked` and `hosts` are what it was
    asked for; it raises `fails`, if there is one."""

    def __init__(
        self,
        links: Mapping[str, str] | None = None,
        dns: Mapping[str, Sequence[str]] | None = None,
        time: str = "2026-12-01T09:00:00Z",
    ) -> None:
        self.links = dict(links or {})
        self.dns = {host: tuple(addresses) for host, addresses in (dns or {}).items()}
        self.time = time
        self.asked: list[tuple[str, ...]] = []
        self.hosts: list[str] = []
        self.fails: Exception | None = None

    async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
        """See `callgate.gate.observe.Observer`."""
        if self.fails is not None:
            raise self.fails
        if paths:
            self.asked.append(tuple(paths))
        self.hosts += hosts
        places = [place for path in paths for place in _ways(path)]
        links = {place: self.links[place] for place in places if place in self.links}
        return Observations(links, {host: self.dns[host] for host in hosts if host in self.dns})

    def straight(self, paths: Sequence[str]) -> bool:
        """See `callgate.gate.observe.Observer`."""
        return False

    def identity(self, folders: Sequence[str]) -> object:
        """See `callgate.gate.observe.Observer`."""
        return list(folders)

    def moment(self) -> str:
        """See `callgate.gate.observe.Observer`."""
        return self.time


def _ways(path: str) -> list[str]:
    """The places on the way of a path."""
    parts = path.split("/")
    return ["/".join(parts[: end + 1]) for end in range(1, len(parts))]
