"""Answering requests from the command line: which, who, with which key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from callgate.cli import exits
from callgate.cli.state_option import opened_database, operator, told_state_errors

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from callgate.gate.requests import ApprovalRequest, Requests

__all__ = [
    "answer_all",
    "answering",
    "given",
    "opened_requests",
    "private_key",
    "request_of",
    "tell",
]

F = TypeVar("F", bound=Callable[..., Any])

_LEAST: Final = 4
_MOST_LOOKED_AT: Final = 10_000
_MOST_TOLD: Final = 5


def answering(command: F) -> F:
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


def opened_requests(state: Path | None) -> Requests:
    """The requests in the folder of `--state`. Raises StateError."""
    from callgate.gate.requests import Requests

    return Requests(opened_database(state))


def request_of(requests: Requests, id: str) -> ApprovalRequest:
    """The request of an id, or of the beginning of one. Raises click.ClickException where there is
    none, or several; StateError."""
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


def private_key(key: Path | None) -> Ed25519PrivateKey | None:
    """The key in the file of `--key`, None without one. Raises click.ClickException."""
    if key is None:
        return None
    from callgate.storage.signing_keys import SignatureError, read_key

    try:
        return read_key(key)
    except SignatureError as error:
        raise click.ClickException(str(error)) from None


def given(
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


def answer_all(
    state: Path | None,
    ids: Sequence[str],
    answer: str,
    by: str | None,
    key: Path | None,
    format_: str,
) -> int:
    """Give one answer to all these requests, tell what became of each, and give the exit code.
    Raises click.ClickException for those to which it could not be given."""
    from callgate.gate.requests import RequestError

    failed = []
    with told_state_errors():
        requests, private = opened_requests(state), private_key(key)
        for id_ in ids:
            request = request_of(requests, id_)
            try:
                tell(given(requests, request, answer, by, private), format_)
            except RequestError as error:
                hint = "" if by else "; `--as NAME` says who you are"
                failed.append(f"{id_}: {error}{hint if 'may answer' in str(error) else ''}")
    if failed:
        raise click.ClickException("\n       ".join(failed))
    return exits.OK


def tell(request: ApprovalRequest, format_: str) -> None:
    """Write a request with all that was shown of it, as `json` or for people."""
    from callgate.cli.approval_card import card_lines, request_form
    from callgate.gate.clock import now

    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(request_form(request, now()))
        return
    from callgate.cli.paint import Painter

    painter = Painter()
    painter.write(card_lines(request, now(), painter.width))
