"""`callgate grants`: what people have granted, and how to take it back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.cli.state_option import (
    opened_database,
    operator,
    state_option,
    told_state_errors,
)

if TYPE_CHECKING:
    from callgate.gate.grants import Grant

__all__ = ["command"]

_SEE: Final = " (`callgate grants list`)"


@click.group("grants", short_help="List and revoke what people have granted.")
def command() -> None:
    """Grants let later calls pass on a person's word: for a session, or always.

    \b
      callgate grants list
      callgate grants list --all --format json
      callgate grants revoke 4f1c09ab77de
      callgate grants revoke --session telegram:42
    """


@command.command("list", short_help="List the grants.")
@state_option
@click.option("--user", metavar="ID", help="Only those for this user.")
@click.option("--session", metavar="KEY", help="Only those for this session.")
@click.option("--all", "ended", is_flag=True, help="Those too that were revoked or have expired.")
@format_option("pretty", "json")
def _list(
    state: Path | None, user: str | None, session: str | None, ended: bool, format_: str
) -> int:
    """List the grants that count, oldest first: what each covers, for whom, who gave it and when.

    \b
      callgate grants list
      callgate grants list --user 1001 --format json | jq '.[].id'
    """
    from callgate.gate.grants import Grants

    with told_state_errors():
        found = Grants(opened_database(state)).list(user=user, session=session, ended=ended)
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json([_form(grant) for grant in found])
    else:
        from callgate.cli.paint import Painter

        Painter().write(line for grant in found for line in _lines(grant))
        if not found:
            click.echo("no grants")
    return exits.OK


@command.command("revoke", short_help="Take grants back.")
@state_option
@click.option("--session", metavar="KEY", help="Revoke all of this session.")
@click.option("--all", "everything", is_flag=True, help="Revoke all there are.")
@format_option("pretty", "json")
@click.argument("ids", nargs=-1, metavar="[ID]...")
def _revoke(
    state: Path | None, session: str | None, everything: bool, format_: str, ids: tuple[str, ...]
) -> int:
    """Take grants back: those with these ids, those of a session, or all. They stop to count at
    once, in every process. Exit codes: 0 done, 1 where one is unknown or a session has none.

    \b
      callgate grants revoke 4f1c09ab77de
      callgate grants revoke --all
    """
    from callgate.gate.grants import Grants

    if bool(ids) + (session is not None) + everything != 1:
        raise click.UsageError("name grants by their ids, or --session KEY, or --all")
    with told_state_errors():
        grants, by = Grants(opened_database(state)), operator()
        if ids:
            gone = {id_: grants.revoke(id_, by=by) for id_ in ids}
            count, unknown = sum(gone.values()), [id_ for id_ in gone if not gone[id_]]
        else:
            count, unknown = grants.revoke(session=session, all=everything, by=by), []
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json({"revoked": count, "unknown": unknown})
    elif count or everything:
        click.echo(f"{count} {'grant' if count == 1 else 'grants'} revoked")
    if session is not None and not count:
        from callgate.runtime.masking import escape

        raise click.ClickException(f"no grant of the session `{escape(session)}` counts{_SEE}")
    if unknown:
        from callgate.runtime.masking import escape

        names = ", ".join(f"`{escape(name)}`" for name in unknown)
        raise click.ClickException(f"no grant that counts: {names}{_SEE}")
    return exits.OK


def _form(grant: Grant) -> dict[str, Any]:
    """A grant as JSON."""
    subject = grant.subject
    return {
        "id": grant.id,
        "level": grant.level,
        "kind": subject.kind,
        "tool": subject.tool,
        "text": subject.text,
        "family": subject.family,
        "asks": sorted(subject.asks),
        "user": grant.user,
        "agent": grant.agent,
        "session": grant.session,
        "by": grant.by,
        "decision": grant.decision_id,
        "made": grant.made.isoformat(),
        "expires": grant.expires and grant.expires.isoformat(),
        "ended": grant.ended and grant.ended.isoformat(),
        "ended_by": grant.ended_by,
    }


def _lines(grant: Grant) -> list[list[tuple[str, str]]]:
    """A grant for people, with what callers named it by escaped."""
    from callgate.runtime.masking import escape

    subject, until = grant.subject, ""
    if grant.expires is not None:
        until = f", until {grant.expires:%Y-%m-%d %H:%M}Z"
    ended = f"  ended by {escape(grant.ended_by)}" if grant.ended else ""
    named = (("user", grant.user), ("agent", grant.agent), ("session", grant.session))
    whom = ", ".join(f"{what} {escape(name)}" for what, name in named if name) or "no user"
    covers = subject.text
    if grant.level == "session-all":
        covers = f"every call of `{subject.family}`, first {subject.text}"
    return [
        [(grant.id, "name"), ("  ", ""), (grant.level, "strong"), (ended, "dim")],
        [("  " + covers, "")],
        [(f"  for {whom}{until}", "dim")],
        [(f"  by {escape(grant.by)} at {grant.made:%Y-%m-%d %H:%M}Z", "dim")],
    ]
