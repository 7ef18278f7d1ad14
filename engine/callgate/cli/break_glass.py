"""`callgate break-glass`: for some minutes, let calls pass where a person would be asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.cli.state_option import operator, state_option, told_state_errors, used_folder
from callgate.cli.state_record import at_text, record

if TYPE_CHECKING:
    from callgate.gate.control_state import ControlState

__all__ = ["command"]

_MOST = 240
_FROZEN = (
    "  but gates are frozen, which counts for more: until `callgate freeze --off` only what a"
    " person approves passes"
)


@click.command("break-glass", short_help="For some minutes, pass where a person would be asked.")
@state_option
@click.option(
    "--minutes", type=click.IntRange(1, _MOST), metavar="N", help=f"For how long: 1 to {_MOST}."
)
@click.option("--why", metavar="TEXT", help="The reason; it is recorded.")
@click.option("--off", is_flag=True, help="End it now.")
@format_option("pretty", "json")
def command(
    state: Path | None, minutes: int | None, why: str | None, off: bool, format_: str
) -> int:
    """Let the gates that share a state folder pass calls for which they would ask a person, for a
    limited time: when nobody can answer and the work can't wait. What the policy denies stays
    denied. While gates are frozen nothing passes so: a person is asked for every call. Who said so,
    why, and every call that it lets pass are recorded. A new period takes the place of one that is
    running.

    \b
      callgate break-glass --minutes 30 --why 'INC-1234: approvers unreachable'
      callgate break-glass --off

    Exit codes: 0 done, 1 not.
    """
    if off and (minutes is not None or why is not None):
        raise click.UsageError("--off takes neither --minutes nor --why")
    if not off and (minutes is None or why is None or not why.strip()):
        raise click.UsageError("say how long and why: --minutes N --why TEXT")
    set_now = _end(state) if off else _begin(state, minutes or 0, why or "")
    glass = set_now.break_glass
    if format_ == "json":
        from callgate.cli.writers import write_json

        told = glass and {
            "by": glass.by,
            "at": at_text(glass.at),
            "until": at_text(glass.until),
            "why": glass.why,
        }
        write_json({"break_glass": told, "frozen": set_now.frozen is not None})
        return exits.OK
    from callgate.cli.paint import Painter
    from callgate.runtime.masking import escape

    painter = Painter()
    if glass is None:
        painter.write([[("✓ no break-glass", "allow"), (": people are asked", "")]])
        return exits.OK
    until = f" until {at_text(glass.until)}: calls pass where a person would be asked"
    painter.write([[("? break-glass", "ask"), (until, "")]])
    painter.write([[(f"  by {escape(glass.by)}: {escape(glass.why)}", "")]])
    if set_now.frozen is not None:
        painter.write([[(_FROZEN, "ask")]])
    return exits.OK


def _begin(state: Path | None, minutes: int, why: str) -> ControlState:
    from callgate.gate.control import Control

    by = operator()
    with told_state_errors():
        folder = used_folder(state)
        control = Control(folder)
        # What can't be recorded does not happen.
        record(folder, "break-glass.on", by=by, minutes=minutes, why=why)
        try:
            return control.break_glass(minutes, why, by)
        except BaseException:
            record(folder, "break-glass.failed", by=by)
            raise


def _end(state: Path | None) -> ControlState:
    from callgate.gate.control import Control
    from callgate.gate.state import StateError

    with told_state_errors():
        folder = used_folder(state)
        set_now = Control(folder).end_break_glass()
    try:
        record(folder, "break-glass.off", by=operator())
    except StateError as error:
        click.echo(f"callgate: it has ended, but that is not recorded: {error}", err=True)
    return set_now
