"""Times on the command line: when, or how long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import click

__all__ = ["time_option"]

_AGO: Final = re.compile(r"(\d{1,6})([mhd])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}


def time_option(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """The time that an option's text means, UTC: an ISO time, or how long ago. A callback of
    options; raises click.BadParameter."""
    from callgate.gate.clock import now
    from callgate.runtime.masking import escape

    if value is None:
        return None
    ago = _AGO.fullmatch(value)
    try:
        if ago is not None:
            return now() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        time = datetime.fromisoformat(value)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"`{escape(value)}` is neither a time, such as 2026-12-01T09:00, nor how long ago, such"
            " as 90m, 12h or 7d",
            ctx,
            param,
        ) from None
