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
    from callgate.gate.database import Database

__all__ = ["command"]

_SEE: Final = " (`callgate grants list`)"


@click.group("grants", short_help="List and revoke what people have granted.")
def command() -> None:
    """Grants let later calls pass on a person's word: for a session, or always. That of a scheduled
    job lets it run as it was approved; it goes by the job's id.

    \b
      callgate grants list
      callgate grants list --all --format json
      callgate grants revoke 4f1c09ab77de job-7
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
    Those of scheduled jobs are among them; no session has one.

    \b
      callgate grants list
      callgate grants list --user 1001 --format json | jq '.[].id'
      callgate grants list --format json | jq '.[] | select(.kind == "job")'
    """
    with told_state_errors():
        found = _forms(opened_database(state), user, session, ended)
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(found)
    else:
        from callgate.cli.grant_rows import form_lines
        from callgate.cli.paint import Painter

        Painter().write(line for form in found for line in form_lines(form))
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
    """Take grants back: those with these ids, those of a session, or all, of scheduled jobs too.
    They stop to count at once, in every process. Exit codes: 0 done, 1 where one is unknown or a
    session has none.

    \b
      callgate grants revoke 4f1c09ab77de
      callgate grants revoke --all
    """
    if bool(ids) + (session is not None) + everything != 1:
        raise click.UsageError("name grants by their ids, or --session KEY, or --all")
    with told_state_errors():
        count, unknown = _revoked(opened_database(state), ids, session)
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


def _forms(
    db: Database, user: str | None, session: str | None, ended: bool
) -> list[dict[str, Any]]:
    """The grants as JSON, those of jobs too, oldest first. Raises StateError."""
    from callgate.cli.grant_rows import grant_form, job_form
    from callgate.gate.cron import CronGrants
    from callgate.gate.grants import Grants
    from callgate.gate.requests import Requests

    found = [
        grant_form(grant) for grant in Grants(db).list(user=user, session=session, ended=ended)
    ]
    if session is None:
        requests = Requests(db)
        jobs = CronGrants(db).list(ended=ended)
        forms = (job_form(job, requests.get(job.request)) for job in jobs)
        found += [form for form in forms if user is None or form["user"] == user]
    return sorted(found, key=lambda form: str(form["made"]))


def _revoked(db: Database, ids: tuple[str, ...], session: str | None) -> tuple[int, list[str]]:
    """End the grants with these ids, or those of a session, or, with neither, all; gives how many
    ended, and the ids of which none counted. Raises StateError."""
    from callgate.gate.cron import CronGrants
    from callgate.gate.grants import Grants

    grants, cron, by = Grants(db), CronGrants(db), operator()
    if session is not None:
        return grants.revoke(session=session, by=by), []
    if ids:
        gone = {id_: grants.revoke(id_, by=by) + cron.revoke(id_, by=by) for id_ in ids}
        return sum(gone.values()), [id_ for id_ in gone if not gone[id_]]
    return grants.revoke(all=True, by=by) + sum(
        cron.revoke(job.job, by=by) for job in cron.list()
    ), []
