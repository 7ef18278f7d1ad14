"""Groups of commands that are imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group whose sub-commands are modules of `callgate.cli`, imported on first use.

    `names`: of the sub-commands, in the order people need them. `prefix`: what the name of a
    sub-command's module begins with.
    """

    names: ClassVar[tuple[str, ...]]
    prefix: ClassVar[str] = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in self.names:
            return None
        module = f"callgate.cli.{self.prefix}{cmd_name.replace('-', '_')}"
        command: click.Command = import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; raises click.UsageError with a did-you-mean."""
        name = args[0]
        if name not in self.names and not name.startswith("-"):
            from callgate.model.suggest import closest

            close = closest(name, self.names)
            hint = f"; did you mean `{close}`?" if close else f": {', '.join(self.names)}"
            raise click.UsageError(f"`{name}` is not a command{hint}", ctx)
        return super().resolve_command(ctx, args)
