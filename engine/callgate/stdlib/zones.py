"""Time zones, by the data of the package `tzdata`: it is the same on every machine, whatever the
machine itself knows, and its version stands in every graph that reads it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from importlib import import_module
from typing import Final

from callgate.model.suggest import closest

__all__ = ["local_time", "version", "zone_named", "zone_problem"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def version() -> str:
    """The version of the zone data, such as `2026a`."""
    return str(import_module("tzdata").IANA_VERSION)


@cache
def _names() -> frozenset[str]:
    from importlib.resources import files

    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())


def zone_named(name: str) -> tzinfo | None:
    """The zone of that name, or None."""
    return _zone(name) if name in _names() else None


@cache
def _zone(name: str) -> tzinfo:
    # Few calls need this: to import it costs more than to decide.
    from importlib.resources import files
    from zoneinfo import ZoneInfo

    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def local_time(moment: int, name: str) -> datetime | None:
    """A time on the clocks of a zone; None where there is no such zone, or no such year."""
    zone = zone_named(name)
    if zone is None:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=moment)).astimezone(zone)
    except (OverflowError, ValueError):
        return None


def zone_problem(name: str) -> tuple[str, str] | None:
    """What is wrong with the name of a zone, and what to write; None where nothing is."""
    if name in _names():
        return None
    cities: dict[str, str] = {}
    for zone in sorted(_names()):
        cities.setdefault(zone.rpartition("/")[2], zone)
    near = closest(name, sorted(_names())) or cities.get(closest(name, cities) or "")
    help = f"did you mean `{near}`?" if near else "zones are named as in `Europe/Berlin` or `UTC`"
    return f"there is no time zone `{name}`", help
