"""Records that can't be used, told on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from callgate.cli import exits

if TYPE_CHECKING:
    from callgate.record.entry import Damage

__all__ = ["Damages"]

_MOST: Final = 20


class Damages:
    """Is told of damaged records as they are met; beyond twenty they are only counted."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, damage: Damage) -> None:
        """Tell one."""
        self.count += 1
        if self.count <= _MOST:
            chain, seq = damage.chain or "?", "?" if damage.seq is None else damage.seq
            click.echo(
                f"callgate: error[{damage.code}]: chain {chain} seq {seq}: {damage.message};"
                " passed over",
                err=True,
            )

    def close(self) -> int:
        """Tell how many more there were; gives the exit code: 0 where there was none, else 1."""
        if self.count > _MOST:
            click.echo(f"callgate: … and {self.count - _MOST:,} more such records", err=True)
        if self.count:
            click.echo("callgate: `callgate log verify` tells what was changed", err=True)
        return exits.FAILURE if self.count else exits.OK
