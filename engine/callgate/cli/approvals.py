"""`callgate approvals`: what agents ask people, and how to answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from callgate.cli import exits
from callgate.cli.approval_answer import (
    answer_all,
    answering,
    given,
    opened_requests,
    private_key,
    request_of,
    tell,
)
from callgate.cli.approval_keygen import keygen
from callgate.cli.options import format_option
from callgate.cli.state_option import operator, state_option, told_state_errors

if TYPE_CHECKING:
    from callgate.gate.requests import ApprovalRequest

__all__ = ["command"]

_LEVELS: Final = ("once", "session", "session-all", "always")
_DENY: Final = "deny"


@click.group("approvals", short_help="See what agents ask, and answer.")
def command() -> None:
    """Requests for approval: calls that wait for a person.

    \b
      callgate approvals list
      callgate approvals show a1b2c3d4e5
      callgate approvals approve a1b2c3d4e5
      callgate approvals approve a1b2c3d4e5 --level always --as ann
      callgate approvals deny a1b2c3d4e5
      callgate approvals watch

    Of an id its first 4 characters will do, where no other begins so. Where the policy names who
    may answer, or the call is some user's, say who you are with `--as`.
    """


@command.command("list", short_help="List the requests that wait.")
@state_option
@click.option("--session", metavar="KEY", help="Only those of this session.")
@click.option("--all", "ended", is_flag=True, help="The newest hundred, those too that ended.")
@format_option("pretty", "json")
def _list(state: Path | None, session: str | None, ended: bool, format_: str) -> int:
    """List the requests that wait for an answer, oldest first: the call itself, what it is and who
    wants it, what it does.

    \b
      callgate approvals list
      callgate approvals list --all --format json | jq '.[].status'
    """
    from callgate.gate.clock import now

    with told_state_errors():
        requests = opened_requests(state)
        requests.expire()
        found = requests.list(session=session) if ended else requests.pending(session=session)
    at = now()
    if format_ == "json":
        from callgate.cli.approval_card import request_form
        from callgate.cli.writers import write_json

        write_json([request_form(request, at) for request in found])
    elif not found:
        click.echo("no requests" if ended else "nothing waits for an answer")
    else:
        from callgate.cli.approval_card import row_lines
        from callgate.cli.paint import Painter

        painter = Painter()
        for request in found:
            painter.write(row_lines(request, at, painter.width))
    return exits.OK


@command.command("show", short_help="Show a request, all of it.")
@state_option
@format_option("pretty", "json")
@click.argument("id", metavar="ID")
def _show(state: Path | None, format_: str, id: str) -> int:
    """Show a request: what the call does, the call as a whole, why somebody is asked, and what each
    answer grants.

    \b
      callgate approvals show a1b2c3d4e5
    """
    with told_state_errors():
        requests = opened_requests(state)
        requests.expire()
        tell(request_of(requests, id), format_)
    return exits.OK


@command.command("approve", short_help="Let a call pass.")
@state_option
@click.option(
    "--level",
    type=click.Choice(_LEVELS),
    default=_LEVELS[0],
    show_default=True,
    help="How long your word counts; `show` says what each level grants.",
)
@answering
@format_option("pretty", "json")
@click.argument("id", metavar="ID")
def _approve(
    state: Path | None, level: str, by: str | None, key: Path | None, format_: str, id: str
) -> int:
    """Let the call of a request pass. Look at it first: `callgate approvals show ID`.

    \b
      callgate approvals approve a1b2c3d4e5
      callgate approvals approve a1b2c3d4e5 --level session --as ann
      callgate approvals approve a1b2c3d4e5 --as ann --key ann.pem
    """
    return answer_all(state, [id], level, by, key, format_)


@command.command("deny", short_help="Refuse calls.")
@state_option
@answering
@format_option("pretty", "json")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def _deny(
    state: Path | None, by: str | None, key: Path | None, format_: str, ids: tuple[str, ...]
) -> int:
    """Refuse the calls of these requests.

    \b
      callgate approvals deny a1b2c3d4e5 0f9e8d7c6b
    """
    return answer_all(state, ids, _DENY, by, key, format_)


@command.command("watch", short_help="Show requests as they come, and answer with a key.")
@state_option
@click.option("--session", metavar="KEY", help="Only those of this session.")
@answering
@format_option("pretty", "jsonl")
def _watch(
    state: Path | None, session: str | None, by: str | None, key: Path | None, format_: str
) -> int:
    """Show requests as they come and what becomes of them, until Ctrl-C. On a terminal one key
    answers; what was typed before a request was shown is thrown away.

    \b
    Keys: 1, 2, …  let it pass, for as long as the choice of that number says
          d        deny it
          Enter    leave it open (Space does the same)
          Ctrl-C   end watching

    \b
      callgate approvals watch --as ann
      callgate approvals watch --format jsonl | jq .request.effects
    """
    from callgate.cli.approval_watch import watch

    with told_state_errors():
        requests = opened_requests(state)
        private = private_key(key)

        def give(request: ApprovalRequest, answer: str) -> ApprovalRequest:
            return given(requests, request, answer, by, private)

        watch(requests, give, by or operator(), session, as_json=format_ == "jsonl")
    return exits.OK


command.add_command(keygen)
