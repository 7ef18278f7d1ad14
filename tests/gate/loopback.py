"""A server on the loopback interface that answers as it is told, also as no server should."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Act",
    "Loopback",
    "Request",
    "completion",
    "loopback",
    "nothing",
    "read_request",
    "response",
    "says",
]

Act = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""What happens on one connection after the request was read."""


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)


@dataclass
class Loopback:
    """The server: its address, and the requests that came."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the connection of an act that does `nothing` was given up by the client."""


@asynccontextmanager
async def loopback(*acts: Act) -> AsyncIterator[Loopback]:
    """Serve the acts, one for each connection; the last one again and again."""
    told = Loopback()
    left = list(acts)
    tasks: set[asyncio.Task[Any]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        act = left.pop(0) if len(left) > 1 else left[0]
        with suppress(ConnectionError):
            told.requests.append(await read_request(reader))
            await act(writer)
            if act is nothing:
                await reader.read()
                told.gone.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    told.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield told
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def read_request(reader: asyncio.StreamReader) -> Request:
    """Read one request."""
    line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (item.partition(": ") for item in rest)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(line, headers, body)


def completion(content: Any) -> dict[str, Any]:
    """A response in the form of a completion."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}]}


def response(body: bytes, status: str = "200 OK", *headers: str) -> Act:
    """Send a whole response."""

    async def act(writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()

    return act


def says(content: Any) -> Act:
    """Send a completion with a text."""
    return response(json.dumps(completion(content)).encode())


async def nothing(writer: asyncio.StreamWriter) -> None:
    """Keep the connection open, and say nothing."""
