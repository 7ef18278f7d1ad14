"""HTTP for tools that fetch: every request is judged, and goes to the addresses that were judged.

Judging a name and then connecting to it leaves a gap: who answers for the name may give another
address the second time. Here nothing is looked up after the judgement. A redirect is a request like
any other, so each hop is judged as well.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, Protocol

from callgate.gate.targets import Origin, RequestRefusedError, Target, target_of
from callgate.stdlib.hosts import normalise_host

try:
    import httpx
except ImportError as error:  # pragma: no cover - without the extra
    raise ImportError(
        "callgate.gate.transport needs httpx: pip install 'callgate[http]'", name="httpx"
    ) from error

if TYPE_CHECKING:
    import ssl

__all__ = ["MAX_BODY", "Judged", "PinnedTransport", "RefusedError", "pinned_client"]

MAX_BODY: Final = 26_214_400
"""Bytes of a response's body, unless told otherwise: 25 MiB."""

_MAX_HEADERS: Final = 65_536
_MAX_REDIRECTS: Final = 5
_SECRETS: Final = ("authorization", "cookie", "proxy-authorization")
_TOLD: Final = frozenset({"http_version", "reason_phrase"})
_POLICY: Final = "policy"
_OWN_MARK: Final = "callgate.hops"
_NOTHING: Final[Mapping[str, Sequence[str]]] = {}


class Judged(Protocol):
    """What a judge answers; an Approval is one."""

    @property
    def allowed(self) -> bool:
        """Whether the request may be made."""
        ...

    @property
    def reason(self) -> str:
        """Why not."""
        ...

    @property
    def addresses(self) -> Mapping[str, Sequence[str]]:
        """Host → the addresses that were judged."""
        ...

    @property
    def kind(self) -> str:
        """What kind of no it is, a value of `callgate.tools.ErrorKind`; "" for a yes."""
        ...


class RefusedError(httpx.TransportError):
    """A request that is not made, or an answer that is not read on. `error_kind`: what kind of
    failure it is, a value of `callgate.tools.ErrorKind`."""

    def __init__(self, message: str, error_kind: str = _POLICY) -> None:
        super().__init__(message)
        self.error_kind = error_kind


class PinnedTransport(httpx.AsyncBaseTransport):
    """An httpx transport that makes only requests that `judge` lets pass.

    `judge(url)` is asked about each request, redirects included; what it raises refuses the
    request. `addresses`: host → addresses that were judged before, to which connections to that
    host are then bound whatever is looked up later. `verify`: as httpx has it; the server's
    certificate is checked for the host's name. `max_body`, `max_headers`: bytes; what is longer
    raises. `max_redirects`: hops after the first request.

    A host without a judged address is refused: nothing is ever looked up here. There are no
    proxies, no unix sockets, no reused connections, and nothing is read from the environment.
    Raises RefusedError, and what httpx raises when the network fails.
    """

    def __init__(
        self,
        judge: Callable[[str], Awaitable[Judged]],
        *,
        addresses: Mapping[str, Sequence[str]] = _NOTHING,
        verify: ssl.SSLContext | bool = True,
        max_body: int = MAX_BODY,
        max_headers: int = _MAX_HEADERS,
        max_redirects: int = _MAX_REDIRECTS,
    ) -> None:
        self._judge = judge
        self._pinned = _by_host(addresses)
        self._max_body = max_body
        self._max_headers = max_headers
        self._max_redirects = max_redirects
        # A connection is good for one request: the next one may be judged otherwise.
        limits = httpx.Limits(max_connections=100, max_keepalive_connections=0)
        self._inner = httpx.AsyncHTTPTransport(
            verify=verify, trust_env=False, http2=False, limits=limits, retries=0
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Judge a request, and make it. Raises RefusedError."""
        try:
            target = target_of(request)
            hops = _hops(request, target.origin, self._max_redirects)
        except RequestRefusedError as error:
            raise RefusedError(str(error)) from None
        addresses = await self._judged(target)
        headers = _headers(request, target, hops)
        last: Exception | None = None
        for address in addresses:
            made = httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=headers,
                stream=request.stream,
                extensions=_extensions(request, target),
            )
            try:
                response = await self._inner.handle_async_request(made)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                # Nothing was sent yet, so the next address may be tried.
                last = error
                continue
            return await self._bounded(response)
        assert last is not None
        raise last

    async def aclose(self) -> None:
        """Close what is open."""
        await self._inner.aclose()

    async def _judged(self, target: Target) -> tuple[str, ...]:
        """The addresses to connect to. Raises RefusedError."""
        try:
            answer = await self._judge(target.url)
            allowed, reason, found = answer.allowed, answer.reason, answer.addresses
            kind = answer.kind or _POLICY
        except Exception as error:
            raise RefusedError(
                f"the address could not be judged ({type(error).__name__})"
            ) from None
        if allowed is not True:
            raise RefusedError(reason or f"{target.host} may not be connected to", kind)
        addresses = self._pinned.get(target.host) or _by_host(found).get(target.host, ())
        if not addresses and target.literal:
            addresses = (target.host,)
        if not addresses:
            raise RefusedError(f"no address of {target.host} is known", "dependency")
        return tuple(_address(item) for item in addresses)

    async def _bounded(self, response: httpx.Response) -> httpx.Response:
        """The response, which raises where it gets too long."""
        why = self._too_much(response)
        if why:
            await response.aclose()
            raise RefusedError(why, "business")
        body = _Body(response.stream, self._max_body)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=body,
            # Not the raw connection, over which anything could be said.
            extensions={key: response.extensions[key] for key in _TOLD & {*response.extensions}},
        )

    def _too_much(self, response: httpx.Response) -> str:
        size = sum(len(name) + len(value) + 4 for name, value in response.headers.raw)
        if size > self._max_headers:
            return f"the answer's headers are longer than {self._max_headers} bytes"
        # A short compressed body can be endless when it is unpacked.
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            return "the answer is compressed, though that was not asked for"
        length = response.headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > self._max_body):
            return _too_long(self._max_body)
        return ""


def pinned_client(
    judge: Callable[[str], Awaitable[Judged]],
    *,
    addresses: Mapping[str, Sequence[str]] = _NOTHING,
    timeout_seconds: float = 25.0,
    max_redirects: int = _MAX_REDIRECTS,
    **transport: Any,
) -> httpx.AsyncClient:
    """An httpx client over a `PinnedTransport` that follows redirects and reads nothing from the
    environment. `timeout_seconds`: for connecting, and for each wait. `transport`: see there."""
    return httpx.AsyncClient(
        transport=PinnedTransport(
            judge, addresses=addresses, max_redirects=max_redirects, **transport
        ),
        trust_env=False,
        follow_redirects=True,
        max_redirects=max_redirects,
        timeout=timeout_seconds,
    )


class _Body(httpx.AsyncByteStream):
    def __init__(self, inner: Any, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > self._most:
                raise RefusedError(_too_long(self._most), "business")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


def _too_long(most: int) -> str:
    return f"the answer is longer than {most} bytes"


def _by_host(addresses: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {normalise_host(host): tuple(found) for host, found in addresses.items()}


def _address(text: str) -> str:
    """A literal address: anything else would be looked up. Raises RefusedError."""
    try:
        address = ip_address(text)
    except ValueError:
        raise RefusedError("a judged address is no address") from None
    if getattr(address, "scope_id", None):
        raise RefusedError("an address with a zone is not connected to")
    return str(address)


def _hops(request: httpx.Request, origin: Origin, most: int) -> bool:
    """Whether this request, or one that led to it, left the origin of the first. httpx hands the
    extensions on when it follows a redirect. Raises RequestRefusedError beyond `most` redirects."""
    mark: tuple[Origin, int, bool] = request.extensions.get(_OWN_MARK, (origin, -1, False))
    first, count, left = mark
    count += 1
    left = left or first != origin
    if count > most:
        raise RequestRefusedError(f"more than {most} redirects")
    request.extensions[_OWN_MARK] = (first, count, left)
    return left


def _headers(request: httpx.Request, target: Target, left: bool) -> httpx.Headers:
    """The headers to send: the host's own name, nothing compressed, and no secrets for others."""
    headers = request.headers.copy()
    headers["Host"] = target.netloc
    headers["Accept-Encoding"] = "identity"
    if left:
        for name in _SECRETS:
            headers.pop(name, None)
    return headers


def _extensions(request: httpx.Request, target: Target) -> dict[str, Any]:
    """Time-outs, and the name that the server's certificate is for. What else httpx lets a caller
    say (another name, another request target) would not be what was judged."""
    found: dict[str, Any] = {}
    if "timeout" in request.extensions:
        found["timeout"] = request.extensions["timeout"]
    if not target.literal:
        found["sni_hostname"] = target.host
    return found
