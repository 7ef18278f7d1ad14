"""The options of `callgate eval --compare`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

__all__ = ["Comparing", "compare_options"]

F = TypeVar("F", bound=Callable[..., Any])

_LIMIT: Final = 5


@dataclass(frozen=True, slots=True)
class Comparing:
    """What calls are compared by. `bundle`, `settings`: of the other policy, None for the same
    settings; `limit`: examples of each group; `fail_on`: `allow`, `any` or ""."""

    bundle: str
    settings: Path | None
    limit: int
    fail_on: str


def compare_options(command: F) -> F:
    """`--compare`, `--compare-settings`, `--limit` and `--fail-on`; the command is given them as
    `comparing`, None where nothing is to be compared."""

    @wraps(command)
    def asked(
        *args: Any,
        compare: str | None,
        compare_settings: Path | None,
        limit: int | None,
        fail_on: str | None,
        **options: Any,
    ) -> Any:
        given = {"--compare-settings": compare_settings, "--limit": limit, "--fail-on": fail_on}
        comparing = None
        if compare is None:
            for name, value in given.items():
                if value is not None:
                    raise click.UsageError(f"{name} goes with --compare")
            if options["format_"] == "markdown":
                raise click.UsageError("--format markdown goes with --compare")
        else:
            if options["format_"] == "jsonl":
                raise click.UsageError("with --compare, --format is pretty, json or markdown")
            if options.get("exit_on"):
                raise click.UsageError("--exit-on does not go with --compare: use --fail-on")
            most = _LIMIT if limit is None else limit
            comparing = Comparing(compare, compare_settings, most, fail_on or "")
        return command(*args, comparing=comparing, **options)

    decorated: Any = asked
    for option in reversed(_options()):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _options() -> list[Callable[[Any], Any]]:
    return [
        click.option(
            "--compare",
            metavar="NAME|DIR",
            help="Another policy: show the calls that it decides otherwise.",
        ),
        click.option(
            "--compare-settings",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Its settings.  [default: those of --settings]",
        ),
        click.option(
            "--limit",
            type=click.IntRange(0),
            metavar="N",
            help=f"With --compare: how many examples of each group.  [default: {_LIMIT}]",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(["allow", "any"]),
            help="With --compare: exit 3 when a call becomes allowed, or when any changes.",
        ),
    ]
