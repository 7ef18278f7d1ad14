"""The formats of strings that parameters are checked for, without further packages."""

from __future__ import annotations

import re
from datetime import datetime, time
from typing import Any, Final

import ada_url

__all__ = ["checker"]

_DATE_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_TIME: Final = re.compile(r"\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_HOST: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*",
    re.ASCII | re.IGNORECASE,
)
_FRACTION: Final = re.compile(r"\.\d+")


def checker() -> Any:
    """A jsonschema FormatChecker: date, time, date-time, email, hostname, ipv4, ipv6, uri, uuid and
    regex; a format that it does not know is not checked."""
    from jsonschema import Draft202012Validator, FormatChecker

    found = FormatChecker(formats=())
    known = Draft202012Validator.FORMAT_CHECKER.checkers
    kept = ("date", "email", "ipv4", "ipv6", "uuid", "regex")
    own = {"date-time": _date_time, "time": _time, "hostname": _hostname, "uri": _uri}
    found.checkers = {name: known[name] for name in kept if name in known}
    for name, check in own.items():
        found.checkers[name] = (check, ValueError)
    return found


def _date_time(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    if not _DATE_TIME.fullmatch(value):
        return False
    datetime.fromisoformat(_FRACTION.sub("", value.upper()))
    return True


def _time(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    if not _TIME.fullmatch(value):
        return False
    time.fromisoformat(_FRACTION.sub("", value.upper()))
    return True


def _hostname(value: Any) -> bool:
    return not isinstance(value, str) or _HOST.fullmatch(value) is not None


def _uri(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    ada_url.URL(value)
    return True
