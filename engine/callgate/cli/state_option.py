"""`--state`, and what stands behind it: the gate's folder and its database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from callgate.gate.database import Database
    from callgate.gate.state import StateFolder

__all__ = [
    "opened_database",
    "operator",
    "state_folder",
    "state_option",
    "told_state_errors",
    "used_folder",
]

F = TypeVar("F", bound=Callable[..., Any])


def state_option(command: F) -> F:
    """`--state`: where the gate keeps its state; None for its usual place."""
    return click.option(
        "--state",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="The gate's state folder. [default: $XDG_STATE_HOME/callgate or "
        "~/.local/state/callgate]",
    )(command)


@contextmanager
def told_state_errors() -> Iterator[None]:
    """What can't be done with the gate's state, as one line on standard error and exit code 1."""
    from callgate.gate.state import StateError

    try:
        yield
    except StateError as error:
        raise click.ClickException(str(error)) from None


def state_folder(state: Path | None) -> StateFolder:
    """The folder of `--state`, which has to be there: a gate makes it, and what is set elsewhere
    no gate reads. Raises StateError."""
    from callgate.gate.state import StateFolder, default_state

    return StateFolder(default_state() if state is None else state, create=False)


def used_folder(state: Path | None) -> StateFolder:
    """The folder of `--state`, which a gate must have used. Raises StateError."""
    folder = state_folder(state)
    folder.check_used()
    return folder


def opened_database(state: Path | None) -> Database:
    """The database in the folder of `--state`, which has to be there. Raises StateError."""
    from callgate.gate.database import Database

    return Database(state_folder(state).database, create=False)


def operator() -> str:
    """Who sits at the command line, as the gate names them: `local:` and the name of the user that
    this process belongs to, whatever the environment says."""
    from callgate.gate.answerers import local_operator

    return local_operator()
