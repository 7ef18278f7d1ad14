"""The options that say which decisions are wanted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from callgate.cli.since import time_option

if TYPE_CHECKING:
    from callgate.record.query import Query

__all__ = ["filter_options"]

F = TypeVar("F", bound=Callable[..., Any])

_NAMES: Final = ("tool", "decision", "rule", "sender", "session", "source")
_TIME: Final = "a time (UTC, where it has no offset), or how long ago: 90m, 12h, 7d"


def filter_options(command: F) -> F:
    """`--tool`, `--decision`, `--rule`, `--sender`, `--session`, `--source`, `--since` and
    `--until`; the command is given what they ask for as `query`."""

    @wraps(command)
    def asked(*args: Any, since: datetime | None, until: datetime | None, **options: Any) -> Any:
        named: dict[str, Any] = {name: options.pop(name) or "" for name in _NAMES}
        return command(*args, query=_query(named, since, until), **options)

    decorated: Any = asked
    for option in reversed(_options()):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _query(named: dict[str, Any], since: datetime | None, until: datetime | None) -> Query:
    from callgate.cli.one_call import is_text
    from callgate.record.query import Query, timestamp

    for name, value in named.items():
        if not is_text(value):
            raise click.UsageError(f"--{name} takes text in UTF-8")
    return Query(**named, since=timestamp(since), until=timestamp(until))


def _options() -> list[Callable[[Any], Any]]:
    def when(name: str, what: str) -> Callable[[Any], Any]:
        return click.option(f"--{name}", callback=time_option, metavar="TIME", help=what)

    return [
        click.option("--tool", metavar="NAME", help="Only calls of this tool."),
        click.option(
            "--decision", type=click.Choice(["allow", "ask", "deny"]), help="Only these decisions."
        ),
        click.option("--rule", metavar="ID", help="Only those that this rule decided or matched."),
        click.option("--sender", metavar="ID", help="Only calls of this sender."),
        click.option("--session", metavar="KEY", help="Only calls of this session."),
        click.option("--source", metavar="NAME", help="Only those of `gate`, `eval`, …"),
        when("since", f"Only later ones: {_TIME}."),
        when("until", "Only earlier ones."),
    ]
