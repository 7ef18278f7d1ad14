"""A chat with somebody who answers as a script says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from callgate.gate.database import Database
from callgate.gate.people import People
from callgate.gate.requests import ApprovalRequest
from callgate.gate.state import StateFolder


class Chat:
    """A channel: each request that arrives gets the next of `answers`, by `by`. An empty answer is
    none. `before` is called with the request first. `shown` are the texts that arrived."""

    def __init__(
        self,
        *answers: str,
        by: str = "ann",
        before: Callable[[ApprovalRequest], Any] = lambda _: None,
    ) -> None:
        self.answers = list(answers)
        self.by = by
        self.before = before
        self.people: People | None = None
        self.requests: list[ApprovalRequest] = []
        self.shown: list[str] = []

    async def deliver(self, request: ApprovalRequest, text: str) -> bool:
        """See `callgate.gate.people.Channel`."""
        self.requests.append(request)
        self.shown.append(text)
        await asyncio.to_thread(self.before, request)
        answer = self.answers.pop(0) if self.answers else ""
        if answer and self.people is not None:
            await self.people.answer(request.id, answer, self.by)
        return True


def people_of(state: StateFolder, channels: Sequence[Chat], **rest: Any) -> People:
    """People behind these chats."""
    people = People(Database(state.database), channels, **rest)
    for channel in channels:
        channel.people = people
    return people
