"""Real HTTP servers on the loopback interface that answer as they are told, and a judge."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def redirect(location: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


@dataclass
class Server:
    """`asked`: the requests that came, as their heads; `names`: what TLS clients asked for."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)

    def headers(self, number: int = -1) -> dict[str, str]:
        lines = self.asked[number].split("\r\n")[1:]
        pairs = [line.split(": ", 1) for line in lines if ": " in line]
        return {name.lower(): value for name, value in pairs}


@asynccontextmanager
async def serving(
    answer: bytes | Callable[[str], bytes] = OK,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[Server]:
    """A server that gives this answer to each request, or what a function makes of its head."""
    found = Server()
    if tls is not None:
        tls.sni_callback = lambda _socket, name, _context: found.names.append(name)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            found.asked.append(head)
            writer.write(answer if isinstance(answer, bytes) else answer(head))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, host, port, ssl=tls)
    found.port = server.sockets[0].getsockname()[1]
    async with server:
        yield found


@dataclass
class Answer:
    """What a judge says."""

    allowed: bool
    reason: str = ""
    addresses: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kind: str = ""


class HostJudge:
    """Lets pass what goes to these hosts, each with what its addresses are at that time."""

    def __init__(self, **hosts: Any) -> None:
        self.hosts = {name.replace("_", "."): found for name, found in hosts.items()}
        self.seen: list[str] = []

    async def __call__(self, url: str) -> Answer:
        import ada_url

        self.seen.append(url)
        host = ada_url.URL(url).hostname
        if host not in self.hosts:
            return Answer(False, f"{host} is not among the shops")
        found = self.hosts[host]
        addresses = found() if callable(found) else found
        return Answer(True, addresses={host: addresses})
