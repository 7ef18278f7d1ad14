"""The command line: one module per command, and the pieces they share."""

from callgate.cli.group import main

__all__ = ["main"]
