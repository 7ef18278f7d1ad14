"""`--records`, and the store that stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from callgate.cli import exits

if TYPE_CHECKING:
    from callgate.record.store import Store

__all__ = ["opened", "records_option", "told_record_errors"]

_MOST: Final = 20

F = TypeVar("F", bound=Callable[..., Any])


def records_option(command: F) -> F:
    """`--records`: where the records are; None for their usual place."""
    return click.option(
        "--records",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The folder of the records, or their SQLite file. [default: "
        "$XDG_STATE_HOME/callgate/records or ~/.local/state/callgate/records]",
    )(command)


@contextmanager
def told_record_errors() -> Iterator[None]:
    """What can't be done with the records, as one line on standard error and exit code 1."""
    from callgate.record.errors import RecordError

    try:
        yield
    except RecordError as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def opened(records: Path | None, *, tells: bool = True) -> Iterator[Store]:
    """The store of `--records`, which has to be there, to read; closed at the end. What can't be
    done with it becomes one line on standard error and exit code 1; so does, at the end, what was
    passed over. `tells`: false for a command that tells of that itself."""
    from callgate.gate.state import default_state
    from callgate.record.store import open_store
    from callgate.storage.errors import StateError

    with told_record_errors():
        try:
            place = default_state() / "records" if records is None else records
        except StateError as error:
            raise click.ClickException(str(error)) from None
        store = open_store(place, create=False)
        try:
            yield store
        finally:
            store.close()
        if tells and store.passed_over:
            for why in store.passed_over[:_MOST]:
                click.echo(f"callgate: {why}; passed over", err=True)
            if (more := len(store.passed_over) - _MOST) > 0:
                click.echo(f"callgate: … and {more:,} more", err=True)
            raise click.exceptions.Exit(exits.FAILURE)
