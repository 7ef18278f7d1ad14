"""`--records`, and the store that stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from callgate.record.store import Store

__all__ = ["opened", "records_option", "told_record_errors"]

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
def opened(records: Path | None) -> Iterator[Store]:
    """The store of `--records`, which has to be there, to read; closed at the end. What can't be
    done with it becomes one line on standard error and exit code 1."""
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
