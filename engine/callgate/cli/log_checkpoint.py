"""`callgate log checkpoint`: note the heads of all chains, and tell the hash to keep elsewhere."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from callgate.cli import exits
from callgate.cli.log_store import opened, records_option
from callgate.cli.options import format_option

__all__ = ["command"]


@click.command("checkpoint", short_help="Note what there is, and tell the hash to keep elsewhere.")
@records_option
@click.option(
    "--key",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Sign with this key, of `callgate approvals keygen`.",
)
@format_option("pretty", "json")
def command(records: Path | None, key: Path | None, format_: str) -> int:
    """Write a checkpoint: the heads of all chains of records as they are now. It prints the
    checkpoint's hash; kept where whoever writes the records can't change it, that proves later that
    nothing recorded until now was changed or cut off. So does a signature, as long as the key is
    kept elsewhere.

    \b
      callgate log checkpoint
      callgate log checkpoint --key auditor.pem
      callgate log checkpoint --format json | jq -r .head | mail -s head auditor
      callgate log verify --expect-head 5feceb66…

    Exit codes: 0 done, 1 not.
    """
    from callgate.record.checkpoints import Checkpoints

    with opened(records) as store:
        private = None
        if key is not None:
            from callgate.record.signing import signing_key

            private = signing_key(key)
        line = Checkpoints(store).note(private, durable=True)
        if not line:
            raise click.ClickException("nothing is recorded yet")
        _tell(line, format_)
    return exits.OK


def _tell(line: bytes, format_: str) -> None:
    """Write what a checkpoint is. `line`: its own."""
    from callgate.record.line import line_hash

    head, form = line_hash(line), orjson.loads(line)
    signer = form.get("signature", {}).get("key", "")
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(
            {
                "head": head,
                "seq": form["seq"],
                "at": form["at"],
                "chains": len(form["heads"]),
                "signed_by": signer,
            }
        )
        return
    from callgate.analysis.texts import counted
    from callgate.cli.paint import Painter

    about = f"  checkpoint {form['seq']}, {form['at']}, {counted(len(form['heads']), 'chain')}"
    signed = f"  signed by {signer}" if signer else "  not signed: keep the hash elsewhere"
    Painter().write([[(head, "strong")], [(about, "dim")], [(signed, "dim")]])
