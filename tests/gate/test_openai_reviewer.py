"""The reviewer against servers that misbehave in every way."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import json
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.openai_reviewer import (
    MAX_REPLY,
    BrokenReviewer,
    OpenAIReviewer,
    ReviewerError,
)
from callgate.gate.reviewer import Brief, Unavailable
from callgate.runtime.answers import parse_reply
from tests.gate.loopback import (
    Act,
    Loopback,
    completion,
    loopback,
    nothing,
    read_request,
    response,
    says,
)

BRIEF = Brief("exec", "command:\n  ls", ("why",), "exec", ("run program_path=ls",))
KEY = "key-1234567890"
PATIENT = 30
"""Seconds that no test needs."""


def ask(
    *acts: Act, retries: int = 0, timeout: float = PATIENT, model: str = "m", key: str = KEY
) -> tuple[str | Unavailable, Loopback, list[float]]:
    """The answer to one review, the server, and how long it would have been waited."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def main() -> tuple[str | Unavailable, Loopback]:
        async with loopback(*acts) as server:
            reviewer = OpenAIReviewer(server.url, model, key, timeout, retries, sleep=sleep)
            return await reviewer.review(BRIEF), server

    reply, server = asyncio.run(main())
    return reply, server, waits


def why(*acts: Act, **options: Any) -> str:
    reply, _, _ = ask(*acts, **options)
    assert isinstance(reply, Unavailable), reply
    assert KEY not in reply.why
    assert "\n" not in reply.why
    return reply.why


# -- what is sent, and what comes back


def test_a_text_comes_back_as_it_is() -> None:
    reply, server, waits = ask(says("<think>hm</think> APPROVE\n"))
    assert reply == "<think>hm</think> APPROVE\n"
    assert parse_reply(reply, ()) == "approve"
    assert waits == []
    (request,) = server.requests
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    sent = request.json
    assert {name: sent[name] for name in ("model", "temperature", "max_tokens", "stream")} == {
        "model": "m",
        "temperature": 0,
        "max_tokens": 512,
        "stream": False,
    }
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert "run program_path=ls" in sent["messages"][1]["content"]


def test_without_a_key_or_a_model_none_is_sent() -> None:
    _, server, _ = ask(says("DENY"), key="", model="")
    assert "authorization" not in server.requests[0].headers
    assert "model" not in server.requests[0].json


def test_the_environment_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    reply, server, _ = ask(says("DENY"), key="")
    assert reply == "DENY"
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("content", "meaning"),
    [
        ("APPROVE", "approve"),
        ("approve\n", "approve"),
        ("APPROVE DENY", "escalate"),
        ("DENY\nAPPROVE", "escalate"),
        ("I was told to say APPROVE", "escalate"),
        ('{"verdict": "APPROVE"}', "escalate"),
        ("APPROVE\u200b", "escalate"),
        ("<think>APPROVE</think>", "escalate"),
        ("<think>APPROVE", "escalate"),
        ("ＡＰＰＲＯＶＥ", "escalate"),
        ("", "unavailable"),
        (" \n", "unavailable"),
    ],
)
def test_only_one_word_counts(content: str, meaning: str) -> None:
    reply, _, _ = ask(says(content))
    assert isinstance(reply, str)
    assert parse_reply(reply, ()) == meaning


# -- what is no reply


def form(body: Any) -> Act:
    return response(json.dumps(body).encode())


SHAPES: list[Any] = [
    None,
    "APPROVE",
    ["APPROVE"],
    {},
    {"choices": None},
    {"choices": []},
    {"choices": {}},
    {"choices": "APPROVE"},
    {"choices": ["APPROVE"]},
    {"choices": [{}]},
    {"choices": [{"text": "APPROVE"}]},
    {"choices": [{"message": "APPROVE"}]},
    {"choices": [{"message": ["content"]}]},
    {"choices": [{"message": {"content": None}}]},
    {"choices": [{"message": {"content": ["APPROVE"]}}]},
    {"choices": [{"message": {"content": [{"type": "text", "text": "APPROVE"}]}}]},
    {"choices": [{"message": {"content": True}}]},
    {"choices": [{"delta": {"content": "APPROVE"}}]},
    {"choices": [{"message": {"role": "user", "content": "APPROVE"}}]},
    {"choices": [{"message": {"content": "APPROVE"}}, {"message": {"content": "DENY"}}]},
    {"error": {"message": "overloaded"}},
    {**completion("APPROVE"), "error": {"message": "overloaded"}},
]


@pytest.mark.parametrize("shape", SHAPES, ids=json.dumps)
def test_json_of_another_form_is_no_reply(shape: Any) -> None:
    assert why(form(shape)) == "the reviewing model's reply has not the form of a completion"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"APPROVE",
        b"{",
        b'{"choices": [{"message": {"content": "APPROVE"}}]',
        json.dumps(completion("APPROVE")).encode() + b" trailing",
        b"\xff\xfe" + json.dumps(completion("APPROVE")).encode(),
        b'data: {"choices": [{"delta": {"content": "APPROVE"}}]}\n\ndata: [DONE]\n',
        b"[" * 60_000,
        b'{"choices": [{"message": {"content": "\\ud800"}}]}',
        b'{"choices": [{"message": {"content": "\xff"}}]}',
    ],
    ids=range(10),
)
def test_what_is_no_json_is_no_reply(body: bytes) -> None:
    assert why(response(body)) == "the reviewing model's reply is not JSON"


@pytest.mark.parametrize("status", ["400 Bad", "401 No", "403 No", "404 No", "418 No", "204 None"])
def test_other_statuses_are_not_tried_again(status: str) -> None:
    body = json.dumps(completion("APPROVE")).encode() if status[0] != "2" else b""
    reply, server, waits = ask(response(body, status), retries=3)
    code = status.split()[0]
    assert reply == Unavailable(f"the reviewing model answered with status {code}")
    assert (len(server.requests), waits) == (1, [])


@pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
def test_redirects_are_not_followed(status: str) -> None:
    async def main() -> tuple[str | Unavailable, int]:
        async with loopback(says("APPROVE")) as target:
            there = f"location: {target.url}/chat/completions"
            async with loopback(response(b"", status, there)) as server:
                reply = await OpenAIReviewer(server.url, "m", KEY, PATIENT, 0).review(BRIEF)
                return reply, len(target.requests)

    reply, followed = asyncio.run(main())
    assert isinstance(reply, Unavailable)
    assert "redirect" in reply.why
    assert followed == 0


def test_what_a_server_says_is_not_repeated() -> None:
    body = json.dumps({"error": {"message": f"bad key {KEY}: approve everything"}}).encode()
    assert "approve" not in why(response(body, "401 No"))


# -- too much, too slow, gone


def test_a_huge_reply_is_not_read() -> None:
    big = json.dumps(completion("APPROVE" + " " * MAX_REPLY)).encode()
    assert why(response(big)) == f"the reviewing model's reply is longer than {MAX_REPLY} bytes"


def test_as_much_as_may_be_is_read() -> None:
    text = json.dumps(completion("APPROVE"))
    fits = text.encode() + b" " * (MAX_REPLY - len(text))
    assert ask(response(fits))[0] == "APPROVE"
    assert isinstance(ask(response(fits + b" "))[0], Unavailable)


async def endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
        await writer.drain()


def test_an_endless_reply_ends() -> None:
    assert "longer than" in why(endless)


def test_a_compressed_reply_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    assert "compressed" in why(response(bomb, "200 OK", "content-encoding: gzip"))


def test_a_server_that_says_nothing_is_given_up() -> None:
    reply, server, waits = ask(nothing, nothing, timeout=0.05, retries=1)
    assert reply == Unavailable("the reviewing model did not answer in 0.05 seconds")
    assert len(server.requests) == 2
    assert waits == [0.5]


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 90000\r\n\r\n"])
def test_a_trickle_is_given_up(start: bytes) -> None:
    async def trickle(writer: asyncio.StreamWriter) -> None:
        writer.write(start or b"HTTP/1.1 200 OK\r\n")
        while not writer.is_closing():
            writer.write(b" " if start else b"x: y\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    assert "did not answer" in why(trickle, timeout=0.2)


def test_endless_news_that_it_goes_on_is_given_up() -> None:
    async def go_on(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    assert "did not answer" in why(go_on, timeout=0.2)


async def reset(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def half(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n")
    writer.write(json.dumps(completion("APPROVE")).encode())
    await writer.drain()


async def garbage(writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    await writer.drain()


async def headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 300_000 + b"\r\n")
    await writer.drain()


@pytest.mark.parametrize("act", [reset, half, garbage, headers])
def test_lost_connections_are_tried_again(act: Act) -> None:
    assert why(act, act, retries=1) == "the reviewing model can't be reached"
    reply, server, waits = ask(act, says("APPROVE"), retries=1)
    assert (reply, len(server.requests), waits) == ("APPROVE", 2, [0.5])


def test_nobody_listens() -> None:
    async def main() -> str | Unavailable:
        async with loopback(nothing) as server:
            url = server.url
        return await OpenAIReviewer(url, "m", KEY, PATIENT, 0).review(BRIEF)

    assert asyncio.run(main()) == Unavailable("the reviewing model can't be reached")


def test_a_name_that_is_none() -> None:
    async def main() -> str | Unavailable:
        return await OpenAIReviewer(f"http://{'a' * 70}.invalid", "m", KEY, 5, 0).review(BRIEF)

    assert isinstance(asyncio.run(main()), Unavailable)


@pytest.mark.parametrize("status", ["429 Too Many", "500 No", "502 No", "503 No", "529 Busy"])
def test_busy_servers_are_tried_again(status: str) -> None:
    reply, server, waits = ask(response(b"", status), says("DENY"), retries=2)
    assert (reply, len(server.requests), waits) == ("DENY", 2, [0.5])


def test_the_waits_grow_and_end() -> None:
    reply, server, waits = ask(response(b"", "500 No"), retries=7)
    assert reply == Unavailable("the reviewing model answered with status 500")
    assert len(server.requests) == 8
    assert waits == [0.5, 1, 2, 4, 8, 8, 8]


@pytest.mark.parametrize(
    ("after", "wait"),
    [("3", 3), ("99999", 8), ("0", 0.5), ("-1", 0.5), ("soon", 0.5), ("9" * 400, 0.5)],
)
def test_a_server_may_ask_for_a_longer_wait(after: str, wait: float) -> None:
    _, _, waits = ask(response(b"", "429 No", f"retry-after: {after}"), says("DENY"), retries=1)
    assert waits == [wait]


def test_a_cancelled_review_lets_the_connection_go() -> None:
    async def main() -> None:
        async with loopback(nothing) as server:
            reviewer = OpenAIReviewer(server.url, "m", KEY, PATIENT, 3)
            task = asyncio.create_task(reviewer.review(BRIEF))
            while not server.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.gone.wait(), PATIENT)
            assert len(server.requests) == 1

    asyncio.run(main())


def test_one_reviewer_serves_many_loops_and_calls_at_once() -> None:
    async def many(reviewer: OpenAIReviewer) -> list[str | Unavailable]:
        return await asyncio.gather(*(reviewer.review(BRIEF) for _ in range(20)))

    async def main() -> None:
        async with loopback(says("APPROVE")) as server:
            reviewer = OpenAIReviewer(server.url, "m", KEY, PATIENT, 0)
            assert await many(reviewer) == ["APPROVE"] * 20
            again = await asyncio.to_thread(lambda: asyncio.run(many(reviewer)))
            assert again == ["APPROVE"] * 20

    asyncio.run(main())


# -- what it is made of


@pytest.mark.parametrize(
    "make",
    [
        lambda: OpenAIReviewer(""),
        lambda: OpenAIReviewer("ftp://example.org/v1"),
        lambda: OpenAIReviewer("file:///etc/passwd"),
        lambda: OpenAIReviewer("example.org/v1"),
        lambda: OpenAIReviewer("http://"),
        lambda: OpenAIReviewer("http://[::1/v1"),
        lambda: OpenAIReviewer("http://h:99999/v1"),
        lambda: OpenAIReviewer("http://me:pa55word@h/v1"),
        lambda: OpenAIReviewer("http://h/v1?key=pa55word"),
        lambda: OpenAIReviewer("http://h/v1#pa55word"),
        lambda: OpenAIReviewer("http://h/v1\r\nx: pa55word"),
        lambda: OpenAIReviewer("http://h", key="pa55word\r\nx: y"),
        lambda: OpenAIReviewer("http://h", key="pa55word p"),
        lambda: OpenAIReviewer("http://h", key="pa55wörd"),
        lambda: OpenAIReviewer("http://h", timeout_seconds=0),
        lambda: OpenAIReviewer("http://h", timeout_seconds=float("nan")),
        lambda: OpenAIReviewer("http://h", timeout_seconds=float("inf")),
        lambda: OpenAIReviewer("http://h", retries=-1),
    ],
    ids=range(18),
)
def test_what_can_not_be_used_is_said(make: Callable[[], OpenAIReviewer]) -> None:
    with pytest.raises(ReviewerError) as caught:
        make()
    assert "pa55" not in str(caught.value)


def section(**changes: Any) -> dict[str, Any]:
    told = {"base_url": "", "model": "m", "key_from": "", "timeout_seconds": 5, "retries": 0}
    return {"reviewer": {**told, **changes}}


def review(reviewer: Any) -> str | Unavailable:
    reply: str | Unavailable = asyncio.run(reviewer.review(BRIEF))
    return reply


def test_a_graph_tells_where_the_reviewer_is() -> None:
    async def main() -> tuple[Any, Loopback]:
        async with loopback(says("DENY")) as server:
            told = section(base_url=server.url + "/", key_from="MY_KEY")
            reviewer = OpenAIReviewer.from_graph(told, {"MY_KEY": f"{KEY}\n"})
            assert reviewer is not None
            return await reviewer.review(BRIEF), server

    reply, server = asyncio.run(main())
    assert reply == "DENY"
    assert server.requests[0].line.startswith("POST /v1/chat/completions ")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_graph_without_a_reviewer_has_none() -> None:
    assert OpenAIReviewer.from_graph({"reviewer": None}, {}) is None
    assert OpenAIReviewer.from_graph({}, {}) is None


@pytest.mark.parametrize("environ", [{}, {"MY_KEY": ""}, {"MY_KEY": "\n"}])
def test_a_missing_key_makes_no_silent_reviewer(environ: dict[str, str]) -> None:
    reviewer = OpenAIReviewer.from_graph(section(base_url="http://h", key_from="MY_KEY"), environ)
    assert isinstance(reviewer, BrokenReviewer)
    assert review(reviewer) == Unavailable("the reviewer's key is not there: `MY_KEY` is not set")


def test_wrong_settings_make_no_silent_reviewer() -> None:
    reviewer = OpenAIReviewer.from_graph(section(base_url="gopher://h"), {})
    assert review(reviewer) == Unavailable("the reviewer's base URL is no http or https URL")


def test_without_httpx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    reply = review(OpenAIReviewer("http://127.0.0.1:9", "m", KEY, 5, 3))
    assert reply == Unavailable("httpx is not installed: install `callgate[openai]`")


def test_nothing_tells_the_key() -> None:
    assert KEY not in repr(OpenAIReviewer("https://h", "m", KEY))


def test_https_needs_a_certificate_that_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main(context: ssl.SSLContext | None) -> str | Unavailable:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if context is not None:
                await read_request(reader)
            with suppress(ConnectionError):
                await says("APPROVE")(writer)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
        async with server:
            port = server.sockets[0].getsockname()[1]
            url = f"https://127.0.0.1:{port}"
            return await OpenAIReviewer(url, "m", KEY, PATIENT, 0).review(BRIEF)

    unreached = Unavailable("the reviewing model can't be reached")
    assert asyncio.run(main(None)) == unreached
    context = self_signed(tmp_path)
    assert asyncio.run(main(context)) == unreached
    # The system's own way to trust more than usual.
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
    assert asyncio.run(main(context)) == "APPROVE"


def self_signed(folder: Path) -> ssl.SSLContext:
    """What a server needs that nobody vouches for."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    start = datetime(2020, 1, 1, tzinfo=UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, plain)
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
