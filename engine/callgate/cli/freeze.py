"""`callgate freeze`: from now on nothing passes without a person."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.cli.state_option import operator, state_option, told_state_errors, used_folder
from callgate.cli.state_record import at_text, record

__all__ = ["command"]

_KEPT: Final = (
    "this reason is recorded, but does not replace the first (if it should: `--off`, and once more)"
)


@click.command("freeze", short_help="Let nothing pass without a person, at once.")
@state_option
@click.option("--off", is_flag=True, help="End the freeze.")
@click.option("--why", default="", metavar="TEXT", help="A reason, for whoever comes to look.")
@format_option("pretty", "json")
def command(state: Path | None, off: bool, why: str, format_: str) -> int:
    """Freeze the gates that share a state folder: whatever the policy would allow by itself, a
    person has to be asked. It counts from each gate's next check until it is ended. What the policy
    denies stays denied. Gates that are frozen already stay so, with the reason given first.

    \b
      callgate freeze --why 'odd commands since noon'
      callgate freeze --off

    Exit codes: 0 done, 1 not.
    """
    from callgate.gate.control import Control
    from callgate.gate.state import StateError

    by = operator()
    with told_state_errors():
        folder = used_folder(state)
        control = Control(folder)
        before = control.state.frozen
        frozen = (control.unfreeze() if off else control.freeze(by, why)).frozen
    try:
        record(folder, "freeze.off" if off else "freeze.on", by=by, why=why)
    except StateError as error:
        # It is in force, which matters more.
        click.echo(f"callgate: the freeze is set, but not recorded: {error}", err=True)
    # Another operator may have come first, a moment ago.
    kept = frozen is not None and (frozen == before or (frozen.by, frozen.why) != (by, why))
    if format_ == "json":
        from callgate.cli.writers import write_json

        told = frozen and {"by": frozen.by, "at": at_text(frozen.at), "why": frozen.why}
        write_json({"frozen": told, "kept": kept})
        return exits.OK
    from callgate.cli.paint import Painter
    from callgate.runtime.masking import escape

    painter = Painter()
    if frozen is None:
        painter.write([[("✓ not frozen", "allow"), (": the policy decides by itself", "")]])
        return exits.OK
    said = f": {escape(frozen.why)}" if frozen.why else ""
    since = f"  since {at_text(frozen.at)}, by {escape(frozen.by)}{said}"
    painter.write(
        [[("✕ frozen", "deny"), (": nothing passes without a person", "")], [(since, "")]]
    )
    if kept:
        note = "  it was frozen already; " + (_KEPT if why else "nothing has changed")
        painter.write([[(note, "dim")]])
    return exits.OK
