"""`callgate approvals keygen`: a key that an approver signs answers with."""

from __future__ import annotations

import os
from pathlib import Path

import click

from callgate.cli import exits
from callgate.cli.options import format_option

__all__ = ["keygen"]


@click.command("keygen", short_help="Make a key that signs answers.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="Where the private key goes; there must be no such file.",
)
@format_option("pretty", "json")
@click.argument("name", metavar="NAME")
def keygen(output: Path, format_: str, name: str) -> int:
    """Make an Ed25519 key for an approver, and tell the line that makes it known to the gate: it
    goes into `approvers.keys` in the state folder.

    \b
      callgate approvals keygen ann -o ann.pem

    Keep the private key where the agent can't read it: on another machine, or under another user.
    """
    from callgate.gate.requests import KEYS_FILE
    from callgate.storage.signing_keys import SignatureError, new_key

    if not name.isprintable() or len(name.split()) != 1 or "#" in name or name != name.strip():
        raise click.UsageError("a name is one word, without `#`")
    try:
        pem, public = new_key()
    except SignatureError as error:
        raise click.ClickException(str(error)) from None
    try:
        handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise click.ClickException(f"`{output}` is there already") from None
    with os.fdopen(handle, "wb") as file:
        file.write(pem)
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json({"name": name, "public": public, "private": str(output)})
    else:
        click.echo(f"{name} {public}")
        click.echo(f"The private key is in `{output}`.", err=True)
        click.echo(f"The line above belongs into `{KEYS_FILE}` in the state folder.", err=True)
    return exits.OK
