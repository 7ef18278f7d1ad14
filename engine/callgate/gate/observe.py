"""What the gate looks up in the world before it decides: links, addresses, the time.

A decision is a function of the call and of what was observed; so all that is looked up stands in
the call that is judged, and what could not be looked up is unknown there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from callgate.effects.addresses import address_class, strictest
from callgate.gate.addresses import look_up
from callgate.gate.clock import Clock, now
from callgate.gate.links import UnseenError, identity_of, is_straight, links_of
from callgate.gate.workers import Workers

__all__ = ["LocalObserver", "Observations", "Observer"]

_FEW: Final = 4
_MANY: Final = 16
_QUICK: Final = 256
"""So many names are looked at on the event loop: well below a millisecond."""
_NONE: Final[Mapping[str, Any]] = {}
_LOOKS: Final = Workers("callgate-look", 8)
"""Of their own: a file system that does not answer holds up no grants."""


@dataclass(frozen=True, slots=True)
class Observations:
    """What was seen. `links`: place of a link → where it leads, "" where nobody could look; a
    place that was asked for and is not here is no link. `dns`: host → addresses; a host that is
    not here could not be looked up. `time`: as `2026-12-01T09:00:00Z`, "" where nobody looked at a
    clock. `missing`: what the host found missing, by its name."""

    links: Mapping[str, str] = field(default_factory=dict)
    dns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    time: str = ""
    missing: tuple[str, ...] = ()

    def to_call(self) -> dict[str, Any]:
        """The section `observed` of a call."""
        found: dict[str, Any] = {"links": dict(self.links)}
        if self.dns:
            found["dns"] = {host: list(addresses) for host, addresses in self.dns.items()}
        if self.time:
            found["time"] = self.time
        if self.missing:
            found["missing"] = list(self.missing)
        return found

    def merged(self, other: Observations) -> Observations:
        """These and what was seen later."""
        return Observations(
            {**self.links, **other.links},
            {**self.dns, **other.dns},
            other.time or self.time,
            other.missing or self.missing,
        )

    def changed(self, later: Observations) -> str:
        """What is not as it was, of the links and the kinds of address, in one line without values;
        "" when nothing changed. Addresses of the same kind come and go."""
        if self.links != later.links:
            return "a path of this call leads somewhere else than before"
        for host in {*self.dns, *later.dns}:
            if _kind(self.dns.get(host)) != _kind(later.dns.get(host)):
                return "a host of this call has another kind of address than before"
        return ""


_NOTHING: Final = Observations()


class Observer(Protocol):
    """Looks at the world for the gate. What it raises denies the call."""

    async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
        """See what absolute paths lead to (they may hold `..` and patterns) and which addresses
        hosts have; `time` and `missing` may be left to `moment`."""
        ...

    def straight(self, paths: Sequence[str]) -> bool:
        """Whether it is sure, and known at once, that no link is on the way of these paths; False
        says nothing, and `observe` is asked."""
        ...

    def identity(self, folders: Sequence[str]) -> object:
        """What stands at these absolute paths: something that equals what is told of them later as
        long as they are the same folders."""
        ...

    def moment(self) -> str:
        """The time, UTC, as `2026-12-01T09:00:00Z`."""
        ...


class LocalObserver:
    """Looks at this machine: its file system, resolver and clock.

    `dns_seconds`: how long to wait for a look-up. `clock`: gives the time. A few names are looked
    at on the event loop (a microsecond each where the file system is local), more in a thread.
    Where they are more than `callgate.gate.links.MAX_LOOKS` in all, UnseenError is raised.
    """

    def __init__(self, dns_seconds: float = 3.0, clock: Clock = now) -> None:
        self._dns_seconds = dns_seconds
        self._clock = clock

    async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
        """See `Observer`."""
        links = None
        if len(paths) <= _MANY:
            with suppress(UnseenError):
                links = links_of(paths, _QUICK)
        if links is None:
            links = await _LOOKS.do(links_of, paths)
        dns = await look_up(hosts, self._dns_seconds) if hosts else _NONE
        return Observations(links, dns) if links or dns else _NOTHING

    def straight(self, paths: Sequence[str]) -> bool:
        """See `Observer`."""
        return len(paths) <= _FEW and all(map(is_straight, paths))

    def identity(self, folders: Sequence[str]) -> object:
        """See `Observer`."""
        return list(map(identity_of, folders))

    def moment(self) -> str:
        """See `Observer`."""
        return self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")


def _kind(addresses: tuple[str, ...] | None) -> str:
    if addresses is None:
        return "unknown"
    classes = [address_class(address) or "reserved" for address in addresses]
    return str(strictest(classes)) if classes else "none"
