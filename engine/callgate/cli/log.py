"""`callgate log`: what was decided, and whether the records of it are as they were written."""

from __future__ import annotations

import click

from callgate.cli.lazy import LazyGroup

__all__ = ["LogGroup", "command"]


class LogGroup(LazyGroup):
    """The sub-commands of `callgate log`."""

    names = ("show", "query", "tail", "stats", "check", "export", "verify", "checkpoint")
    prefix = "log_"


@click.group("log", cls=LogGroup, short_help="Look at what was decided, and verify the records.")
def command() -> None:
    """Records of decisions: what was decided, and why; whether the records are as they were
    written.

    \b
      callgate log query --decision deny
      callgate log show 019303a1
      callgate log tail -f
      callgate log stats --by rule
      callgate log check
      callgate log export --format ocsf
      callgate log verify
      callgate log checkpoint --key auditor.pem
    """
