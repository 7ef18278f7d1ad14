"""`callgate new`: add a rule, a tool or a program to a bundle."""

from __future__ import annotations

import click

from callgate.cli.lazy import LazyGroup

__all__ = ["command"]


class _NewGroup(LazyGroup):
    names = ("rule", "tool", "program")
    prefix = "new_"


@click.group("new", cls=_NewGroup, short_help="Add a rule, a tool or a program to a bundle.")
def command() -> None:
    """Add an entry to a bundle: to the file of its kind, or to a new file that bundle.yaml then
    lists. The bundle is --bundle, or the one that .callgate.yaml names.

    \b
      callgate new rule shop.prices --each write --when 'w.path under "/srv/prices"' \\
          --match 'echo 1 > /srv/prices/a' --pass 'cat /srv/prices/a'
      callgate new tool order_status --param order:string --risk read_only
      callgate new program shipctl --effect write=path
    """
