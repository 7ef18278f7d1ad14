"""`callgate approvals watch`: requests as they come, and one key to answer each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from callgate.cli.approval_card import card_lines, ended_line, request_form
from callgate.cli.paint import Painter
from callgate.cli.terminal_keys import Keys
from callgate.gate.answerers import may_answer
from callgate.gate.clock import now
from callgate.gate.requests import RequestError

if TYPE_CHECKING:
    from callgate.gate.requests import ApprovalRequest, Requests

__all__ = ["watch"]

_POLL_SECONDS: Final = 0.2
_DENY: Final = "deny"
_LATER: Final = ("\n", "\r", " ")

Give = Callable[["ApprovalRequest", str], "ApprovalRequest"]


def watch(requests: Requests, give: Give, by: str, session: str | None, *, as_json: bool) -> None:
    """Show requests until the process is interrupted.

    `give` answers one, for `by`; raises RequestError. `session`: only those of it, or None for all.
    `as_json`: as JSON Lines; then, and where there is no terminal, nothing is answered. Raises
    StateError.
    """
    painter = Painter()
    known: dict[str, ApprovalRequest] = {}
    # A terminal that is gone takes no answers and shows nothing: that is the end.
    with suppress(EOFError), _keys(painter, as_json) as keys:
        if not as_json:
            painter.write([[("Waiting for requests. Ctrl-C ends this.", "dim")]])
            painter.stream.flush()
        while True:
            requests.expire()
            found = {request.id: request for request in requests.pending(session=session)}
            for id_ in [id_ for id_ in known if id_ not in found]:
                del known[id_]
                _tell_end(painter, requests.get(id_), as_json)
            for request in [item for id_, item in found.items() if id_ not in known]:
                known[request.id] = request
                _tell_new(painter, request, as_json, keys is not None and may_answer(request, by))
                if keys is not None and may_answer(request, by):
                    if _ask(painter, keys, requests, give, request):
                        del known[request.id]
            time.sleep(_POLL_SECONDS)


@contextmanager
def _keys(painter: Painter, as_json: bool) -> Iterator[Keys | None]:
    """The keys of the terminal, where somebody can answer."""
    if as_json or not painter.terminal or not sys.stdin.isatty():
        yield None
        return
    with Keys(sys.stdin.fileno()) as keys:
        yield keys


def _tell_new(painter: Painter, request: ApprovalRequest, as_json: bool, keys: bool) -> None:
    if as_json:
        _json(painter, "new", request)
        return
    painter.write([[], *card_lines(request, now(), painter.width, keys=keys)])
    painter.stream.flush()


def _tell_end(painter: Painter, request: ApprovalRequest | None, as_json: bool) -> None:
    if request is None:
        return
    if as_json:
        _json(painter, request.status, request)
        return
    painter.write([[], ended_line(request)])
    painter.stream.flush()


def _json(painter: Painter, event: str, request: ApprovalRequest) -> None:
    from callgate.cli.writers import json_text

    painter.stream.write(
        json_text({"event": event, "request": request_form(request, now())}) + "\n"
    )
    painter.stream.flush()


def _ask(
    painter: Painter, keys: Keys, requests: Requests, give: Give, request: ApprovalRequest
) -> bool:
    """Take one key for a request; whether it ended."""
    answers = {str(number): choice.level for number, choice in enumerate(request.choices, 1)}
    answers["d"] = _DENY
    # A key meant for the request before must not answer this one.
    keys.forget()
    painter.write([[], [("  Your key, or Enter for later: ", "strong")]])
    painter.stream.flush()
    while True:
        key = keys.get(_POLL_SECONDS)
        if key in _LATER:
            painter.write([[(f"  left open: {request.id}", "dim")]])
            painter.stream.flush()
            return False
        if key.lower() in answers:
            try:
                ended = give(request, answers[key.lower()])
            except RequestError as error:
                painter.write([[(f"  not taken: {error}", "deny")]])
                painter.stream.flush()
            else:
                _tell_end(painter, ended, False)
                return True
        elif key:
            painter.write([[(f"  {', '.join(answers)}, or Enter", "dim")]])
            painter.stream.flush()
        requests.expire()
        now_ = requests.get(request.id)
        if now_ is None or now_.status != "pending":
            _tell_end(painter, now_, False)
            return True
