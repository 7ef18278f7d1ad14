"""`callgate approvals`: what agents ask people, and how to answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from callgate.cli import exits
from callgate.cli.approval_keygen import keygen
from callgate.cli.options import format_option
from callgate.cli.state_option import opened_database, operator, state_option, told_state_errors

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from callgate.gate.requests import ApprovalRequest, Requests

__all__ = ["command"]

F = TypeVar("F", bound=Callable[..., Any])

_LEVELS: Final = ("once", "session", "session-all", "always")
_DENY: Final = "deny"
_LEAST: Final = 4
_MOST_LOOKED_AT: Final = 10_000
_MOST_TOLD: Final = 5


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


def _answering(command: F) -> F:
    """`--as` and `--key`: who answers."""
    key = click.option(
        "--key",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Sign with this key, of `callgate approvals keygen`.",
    )
    as_ = click.option(
        "--as",
        "by",
        metavar="NAME",
        help="Who you are, as the policy knows you. [default: local:USER]",
    )
    return as_(key(command))


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
        requests = _requests(state)
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
        requests = _requests(state)
        requests.expire()
        _tell(_found(requests, id), format_)
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
@_answering
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
    return _answer(state, [id], level, by, key, format_)


@command.command("deny", short_help="Refuse calls.")
@state_option
@_answering
@format_option("pretty", "json")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def _deny(
    state: Path | None, by: str | None, key: Path | None, format_: str, ids: tuple[str, ...]
) -> int:
    """Refuse the calls of these requests.

    \b
      callgate approvals deny a1b2c3d4e5 0f9e8d7c6b
    """
    return _answer(state, ids, _DENY, by, key, format_)


@command.command("watch", short_help="Show requests as they come, and answer with a key.")
@state_option
@click.option("--session", metavar="KEY", help="Only those of this session.")
@_answering
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
        requests = _requests(state)
        private = _private(key)

        def give(request: ApprovalRequest, answer: str) -> ApprovalRequest:
            return _given(requests, request, answer, by, private)

        watch(requests, give, by or operator(), session, as_json=format_ == "jsonl")
    return exits.OK


command.add_command(keygen)


# -- what they share


def _requests(state: Path | None) -> Requests:
    from callgate.gate.requests import Requests

    return Requests(opened_database(state))


def _found(requests: Requests, id: str) -> ApprovalRequest:
    """The request of an id, or of the beginning of one. Raises StateError."""
    from callgate.runtime.masking import escape

    request = requests.get(id)
    if request is not None:
        return request
    near = []
    if len(id) >= _LEAST:
        near = [item for item in requests.list(limit=_MOST_LOOKED_AT) if item.id.startswith(id)]
    if len(near) == 1:
        return near[0]
    told = f"there is no request `{escape(id)}`"
    if near:
        ids = ", ".join(f"`{item.id}`" for item in near[:_MOST_TOLD])
        told = f"several requests begin with `{escape(id)}`: {ids}"
    raise click.ClickException(f"{told} (`callgate approvals list`)")


def _private(key: Path | None) -> Ed25519PrivateKey | None:
    if key is None:
        return None
    from callgate.gate.signatures import SignatureError, read_key

    try:
        return read_key(key)
    except SignatureError as error:
        raise click.ClickException(str(error)) from None


def _given(
    requests: Requests,
    request: ApprovalRequest,
    answer: str,
    by: str | None,
    private: Ed25519PrivateKey | None,
) -> ApprovalRequest:
    """Give an answer. Raises RequestError, StateError."""
    signature = None
    if private is not None:
        from callgate.gate.signatures import sign

        signature = sign(request.id, request.seal, answer, private)
    return requests.answer(request.id, answer, by or operator(), signature, via=operator())


def _answer(
    state: Path | None,
    ids: tuple[str, ...] | list[str],
    answer: str,
    by: str | None,
    key: Path | None,
    format_: str,
) -> int:
    from callgate.gate.requests import RequestError

    failed = []
    with told_state_errors():
        requests, private = _requests(state), _private(key)
        for id_ in ids:
            request = _found(requests, id_)
            try:
                _tell(_given(requests, request, answer, by, private), format_)
            except RequestError as error:
                hint = "" if by else "; `--as NAME` says who you are"
                failed.append(f"{id_}: {error}{hint if 'may answer' in str(error) else ''}")
    if failed:
        raise click.ClickException("\n       ".join(failed))
    return exits.OK


def _tell(request: ApprovalRequest, format_: str) -> None:
    """A request with all that was shown of it."""
    from callgate.cli.approval_card import card_lines, request_form
    from callgate.gate.clock import now

    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(request_form(request, now()))
        return
    from callgate.cli.paint import Painter

    painter = Painter()
    painter.write(card_lines(request, now(), painter.width))
