"""A reviewer behind an HTTP endpoint that speaks as OpenAI's does (`/chat/completions`).

The endpoint may be slow, broken or somebody else's: it gets one bounded attempt after the other,
is believed nothing but a text in the right place, and nothing that it sends turns up in a message.
"""

from __future__ import annotations

import asyncio
import math
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import orjson

from callgate.gate.brief import Brief
from callgate.gate.reviewer import Reviewer, Unavailable, prompt

if TYPE_CHECKING:
    import httpx

__all__ = ["MAX_REPLY", "BrokenReviewer", "OpenAIReviewer", "ReviewerError"]

MAX_REPLY: Final = 65_536
"""Bytes of a response that are read."""
_MAX_TOKENS: Final = 512
_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 8.0
_TOO_MANY: Final = 429
_MISSING: Final = "httpx is not installed: install `callgate[openai]`"

Sleep = Callable[[float], Awaitable[None]]


class ReviewerError(ValueError):
    """What was given can't make a reviewer; the message holds no secret."""


@dataclass(frozen=True, slots=True)
class BrokenReviewer:
    """Stands for a reviewer that is set up wrongly: every review is unavailable, for this reason.
    So a mistake in the settings denies, and does not look like a policy without a reviewer."""

    why: str

    async def review(self, brief: Brief) -> str | Unavailable:
        """See `Reviewer`."""
        return Unavailable(self.why)


@dataclass(frozen=True, slots=True)
class _Failed:
    """An attempt without a reply. `again`: whether another may do; `wait`: seconds that the
    endpoint wants to be left alone."""

    why: str
    again: bool = False
    wait: float = 0.0


class OpenAIReviewer:
    """Asks a model behind an endpoint.

    `base_url`: http or https, without `/chat/completions`. `model`: its name; "" leaves the choice
    to the endpoint. `key`: sent as a bearer token; "" sends none. `timeout_seconds`: for one
    attempt, whole. `retries`: further attempts after a 429, a 5xx, a time-out or a lost connection.
    `sleep` waits between them. Neither proxies nor keys are taken from the environment, and
    redirects are not followed. Raises ReviewerError for what can't be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str = "",
        key: str = "",
        timeout_seconds: float = 30,
        retries: int = 1,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        if not (math.isfinite(timeout_seconds) and timeout_seconds > 0 and retries >= 0):
            raise ReviewerError("a time-out above 0 and no fewer than 0 retries are needed")
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise ReviewerError("the reviewer's key holds characters that no header can carry")
        self._url = _checked(base_url).rstrip("/") + "/chat/completions"
        self._model = model
        self._key = key
        self._timeout = timeout_seconds
        self._retries = retries
        self._sleep = sleep

    @classmethod
    def from_graph(cls, section: Mapping[str, Any], environ: Mapping[str, str]) -> Reviewer | None:
        """The reviewer that a graph's section `gate` tells of; None where it tells of none.

        `environ`: the variables of which one, named by `key_from`, holds the key. What is wrong
        makes a `BrokenReviewer`.
        """
        told = section.get("reviewer")
        if told is None:
            return None
        name = told["key_from"]
        key = environ.get(name, "").strip() if name else ""
        if name and not key:
            return BrokenReviewer(f"the reviewer's key is not there: `{name}` is not set")
        try:
            return cls(
                told["base_url"], told["model"], key, told["timeout_seconds"], told["retries"]
            )
        except ReviewerError as error:
            return BrokenReviewer(str(error))

    async def review(self, brief: Brief) -> str | Unavailable:
        """See `Reviewer`."""
        body = orjson.dumps(self._request(brief))
        failed = _Failed("the reviewer was not asked")
        for attempt in range(self._retries + 1):
            if attempt:
                await self._sleep(_wait(attempt, failed.wait))
            reply = await self._attempt(body)
            if isinstance(reply, str):
                return reply
            failed = reply
            if not failed.again:
                break
        return Unavailable(failed.why)

    def _request(self, brief: Brief) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self._model} if self._model else {}
        return {
            **request,
            "messages": prompt(brief),
            "temperature": 0,
            "max_tokens": _MAX_TOKENS,
            "stream": False,
        }

    async def _attempt(self, body: bytes) -> str | _Failed:
        try:
            import httpx
        except ImportError:
            return _Failed(_MISSING)
        try:
            async with (
                # The client's own limits are for each read, and a trickle never meets them.
                asyncio.timeout(self._timeout),
                self._client(httpx) as client,
                client.stream("POST", self._url, content=body) as response,
            ):
                return await _read(response)
        except (TimeoutError, httpx.TimeoutException):
            why = f"the reviewing model did not answer in {self._timeout:g} seconds"
            return _Failed(why, again=True)
        except httpx.TransportError:
            return _Failed("the reviewing model can't be reached", again=True)
        except Exception as error:
            return _Failed(f"the reviewing model can't be asked ({type(error).__name__})")

    def _client(self, module: Any) -> httpx.AsyncClient:
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        # One for each attempt: connections belong to an event loop, and gates outlive those.
        client: httpx.AsyncClient = module.AsyncClient(
            verify=self._trusted,
            headers=headers,
            timeout=self._timeout,
            follow_redirects=False,
            trust_env=False,
        )
        return client

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        if self._url.startswith("https:"):
            return ssl.create_default_context()
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _checked(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not base_url.isascii() or not base_url.isprintable() or " " in base_url:
        raise ReviewerError("the reviewer's base URL is no http or https URL")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ReviewerError("the reviewer's base URL holds more than a host and a path")
    return base_url


def _wait(attempt: int, wanted: float) -> float:
    """Seconds before an attempt, counted from 1."""
    return min(max(_FIRST_WAIT * 2.0 ** min(attempt - 1, 10), wanted), _LONGEST_WAIT)


async def _read(response: httpx.Response) -> str | _Failed:
    status = response.status_code
    if status == _TOO_MANY or status >= 500:
        wait = response.headers.get("retry-after", "")
        seconds = float(wait) if wait.isdecimal() and len(wait) < 6 else 0.0
        return _Failed(f"the reviewing model answered with status {status}", True, seconds)
    if status != 200:
        more = ", a redirect, which is not followed" if 300 <= status < 400 else ""
        return _Failed(f"the reviewing model answered with status {status}{more}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        return _Failed("the reviewing model's reply is compressed, which nobody asked for")
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > MAX_REPLY:
            return _Failed(f"the reviewing model's reply is longer than {MAX_REPLY} bytes")
    return _text_of(bytes(body))


def _text_of(body: bytes) -> str | _Failed:
    """The text in a completion; its meaning is not judged here."""
    try:
        reply = orjson.loads(body)
    except ValueError:
        return _Failed("the reviewing model's reply is not JSON")
    try:
        (choice,) = reply["choices"]
        message = choice["message"]
        if message.get("role", "assistant") == "assistant" and not reply.get("error"):
            content = message["content"]
            if isinstance(content, str):
                return content
    except (LookupError, TypeError, ValueError, AttributeError):
        pass
    return _Failed("the reviewing model's reply has not the form of a completion")
