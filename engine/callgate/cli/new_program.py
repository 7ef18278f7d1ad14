"""`callgate new program`: describe a program to a bundle."""

from __future__ import annotations

from pathlib import Path

import click

from callgate.cli.new_entry import bundle_option, pair, write_entry

__all__ = ["command"]

_EFFECT = "say which field its operands fill, as in `write=path`"


@click.command("program", short_help="Describe a program.")
@bundle_option
@click.option(
    "--effect",
    multiple=True,
    metavar="KIND=FIELD",
    help="What it does with its operands: write=path, read=path, delete=path, connect=host.",
)
@click.argument("name", metavar="NAME")
def command(bundle: Path | None, effect: tuple[str, ...], name: str) -> int:
    """Describe the program NAME in programs/NAME.yaml: what it does with the words of a command.

    \b
      callgate new program shipctl --effect write=path

    Where the bundle could not be used with it, nothing is added.

    Exit codes: 0 added, 1 not, 3 added to a bundle that has other errors.
    """
    from callgate.scaffold.entries import new_program

    effects = dict(pair(text, "=", _EFFECT) for text in effect)
    next_ = "describe its options and sub-commands (docs/rule-files.md), with examples"
    try:
        program = new_program(name, effects)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    return write_entry(bundle, f"the program {name}", [program], next_)
