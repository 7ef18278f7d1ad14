"""The transport makes only judged requests, each to the addresses that were judged."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import ssl
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from callgate.gate.transport import PinnedTransport, RefusedError, pinned_client
from tests.gate.web import OK, Answer, HostJudge, redirect, serving

T = TypeVar("T")
LOCAL = ("127.0.0.1",)

_LOOKED_UP: list[Any] = []
sys.addaudithook(
    lambda event, args: _LOOKED_UP.append(args[0]) if event == "socket.getaddrinfo" else None
)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 30))


async def get(url: str, judge: Any, **options: Any) -> httpx.Response:
    async with pinned_client(judge, **options) as client:
        return await client.get(url)


def body(size: int, head: str = "") -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n{head}\r\n".encode() + b"x" * size


def chunked(size: int) -> bytes:
    chunk = b"400\r\n" + b"x" * 1024 + b"\r\n"
    return (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunk * (size // 1024)
        + b"0\r\n\r\n"
    )


# -- where it connects to


def test_a_name_is_asked_for_at_its_judged_address_and_never_looked_up() -> None:
    async def work() -> None:
        async with serving() as server:
            judge = HostJudge(shop_test=LOCAL)
            _LOOKED_UP.clear()
            found = await get(f"http://shop.test:{server.port}/a?b=c", judge)
            assert found.text == "ok"
            assert server.asked[0].startswith("GET /a?b=c HTTP/1.1")
            assert server.headers()["host"] == f"shop.test:{server.port}"
            assert str(found.url) == f"http://shop.test:{server.port}/a?b=c"
            assert judge.seen == [f"http://shop.test:{server.port}/a?b=c"]
            assert not _LOOKED_UP

    run(work())


def test_who_answers_otherwise_the_second_time_gains_nothing() -> None:
    async def work() -> None:
        async with serving() as good, serving(host="127.0.0.2", port=good.port) as bad:
            answers = iter([LOCAL, ("127.0.0.2",), ("127.0.0.2",)])
            judge = HostJudge(shop_test=lambda: next(answers))
            first = await judge(f"http://shop.test:{good.port}/")
            for _ in range(2):
                await get(f"http://shop.test:{good.port}/", judge, addresses=first.addresses)
            assert len(good.asked) == 2
            assert not bad.asked

    run(work())


def test_a_connection_is_not_used_again_for_a_request_that_is_judged_otherwise() -> None:
    async def work() -> None:
        answer = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
        async with serving(answer) as one, serving(host="127.0.0.2", port=one.port) as two:
            answers = iter([LOCAL, ("127.0.0.2",)])
            async with pinned_client(HostJudge(shop_test=lambda: next(answers))) as client:
                for _ in range(2):
                    await client.get(f"http://shop.test:{one.port}/")
            assert (len(one.asked), len(two.asked)) == (1, 1)

    run(work())


def test_the_next_address_is_tried_where_nobody_listens() -> None:
    async def work() -> None:
        async with serving() as server:
            judge = HostJudge(shop_test=("127.0.0.3", "127.0.0.1"))
            found = await get(f"http://shop.test:{server.port}/", judge)
            assert found.text == "ok"
            with pytest.raises(httpx.ConnectError):
                await get(f"http://shop.test:{server.port}/", HostJudge(shop_test=("127.0.0.3",)))

    run(work())


@pytest.mark.parametrize("addresses", [(), ("localhost",), ("fe80::1%1",), ("127.0.0.1", "x")])
def test_what_is_no_judged_address_is_not_connected_to(addresses: tuple[str, ...]) -> None:
    async def work() -> None:
        async with serving() as server:
            with pytest.raises(RefusedError):
                await get(f"http://localhost:{server.port}/", HostJudge(localhost=addresses))
            assert not server.asked

    run(work())


def test_an_address_is_its_own() -> None:
    async def work() -> None:
        async def judge(_url: str) -> Answer:
            return Answer(True)

        async with serving() as server:
            for host in ("127.0.0.1", "2130706433", "0x7f.1"):
                assert (await get(f"http://{host}:{server.port}/", judge)).text == "ok"

    run(work())


def test_ipv6() -> None:
    async def work() -> None:
        try:
            async with serving(host="::1") as server:
                found = await get(f"http://shop.test:{server.port}/", HostJudge(shop_test=("::1",)))
                assert found.text == "ok"
                assert server.headers()["host"] == f"shop.test:{server.port}"
        except OSError:
            pytest.skip("this machine has no IPv6")

    run(work())


def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def work() -> None:
        async with serving() as server:
            judge = HostJudge(shop_test=LOCAL)
            assert (await get(f"http://shop.test:{server.port}/", judge)).text == "ok"
            # A client that does read the environment reads no proxy from it, either.
            async with httpx.AsyncClient(transport=PinnedTransport(judge)) as client:
                found = await client.get(f"http://shop.test:{server.port}/")
                assert found.text == "ok"

    run(work())


# -- TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("no openssl to make a certificate with")
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    command = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"]
    names = ["-subj", "/CN=shop.test", "-addext", "subjectAltName=DNS:shop.test"]
    files = ["-keyout", str(file) + ".key", "-out", str(file)]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)
    return file


def test_tls_is_with_the_name(certificate: Path) -> None:
    async def work() -> None:
        server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_side.load_cert_chain(certificate, str(certificate) + ".key")
        trust = ssl.create_default_context(cafile=str(certificate))
        async with serving(tls=server_side) as server:
            judge = HostJudge(shop_test=LOCAL, other_test=LOCAL)
            found = await get(f"https://shop.test:{server.port}/", judge, verify=trust)
            assert found.text == "ok"
            assert server.names == ["shop.test"]
            with pytest.raises(httpx.ConnectError, match=r"(?i)certificate|hostname"):
                await get(f"https://other.test:{server.port}/", judge, verify=trust)

    run(work())


# -- redirects


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:{port}/admin",
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "//localhost:{port}/",
        "file:///etc/passwd",
        "file://shop.test/etc/passwd",
        "gopher://shop.test/x",
        "http://user:word@shop.test:{port}/",
        "http+unix://shop.test/run/docker.sock",
    ],
)
def test_a_redirect_is_judged_as_a_request(location: str) -> None:
    async def work() -> None:
        where = ""

        def answer(head: str) -> bytes:
            return redirect(where) if head.startswith("GET /first") else OK

        async with serving(answer) as server:
            where = location.format(port=server.port)
            judge = HostJudge(shop_test=LOCAL)
            with pytest.raises((RefusedError, httpx.UnsupportedProtocol)):
                await get(f"http://shop.test:{server.port}/first", judge)
            assert len(server.asked) == 1

    run(work())


def test_each_hop_is_judged_and_reached_at_its_own_address() -> None:
    async def work() -> None:
        where = ""

        def answer(_head: str) -> bytes:
            return redirect(where)

        async with serving(host="127.0.0.2") as last, serving(answer) as first:
            where = f"http://b.test:{last.port}/x"
            judge = HostJudge(a_test=LOCAL, b_test=("127.0.0.2",))
            found = await get(f"http://a.test:{first.port}/", judge)
            assert found.text == "ok"
            assert judge.seen == [f"http://a.test:{first.port}/", where]

    run(work())


def test_a_circle_of_redirects_ends() -> None:
    async def work() -> None:
        async with serving(redirect("/again")) as server:
            judge = HostJudge(shop_test=LOCAL)
            url = f"http://shop.test:{server.port}/"
            with pytest.raises((RefusedError, httpx.TooManyRedirects)):
                await get(url, judge)
            assert len(server.asked) == 6
            # The transport counts, too, whatever the client allows.
            async with httpx.AsyncClient(
                transport=PinnedTransport(judge, max_redirects=2), follow_redirects=True
            ) as client:
                with pytest.raises(RefusedError, match="more than 2 redirects"):
                    await client.get(url)
            assert len(server.asked) == 9

    run(work())


def test_secrets_stay_with_the_origin_that_they_were_given_for() -> None:
    secret = {"Authorization": "Bearer t", "Cookie": "s=1", "Proxy-Authorization": "Basic t"}

    async def work() -> None:
        on = back = ""

        def to_second(_head: str) -> bytes:
            return redirect(on)

        def to_last(_head: str) -> bytes:
            return redirect(back)

        async with serving() as last, serving(to_last) as second, serving(to_second) as first:
            on, back = f"http://shop.test:{second.port}/", f"http://shop.test:{last.port}/"
            async with pinned_client(HostJudge(shop_test=LOCAL)) as client:
                client.cookies.set("jar", "1", domain="shop.test")
                url = f"http://shop.test:{first.port}/"
                await client.get(url, headers={**secret, "X-Other": "1"})
            names = {name.lower() for name in secret}
            assert names <= first.headers().keys()
            for server in (second, last):
                assert not names & server.headers().keys()
                assert server.headers()["x-other"] == "1"

    run(work())


def test_secrets_go_on_within_an_origin() -> None:
    def answer(head: str) -> bytes:
        return OK if head.startswith("GET /b") else redirect("/b")

    async def work() -> None:
        async with serving(answer) as server:
            async with pinned_client(HostJudge(shop_test=LOCAL)) as client:
                url = f"http://shop.test:{server.port}/a"
                await client.get(url, headers={"Authorization": "Bearer t"})
            assert server.headers()["authorization"] == "Bearer t"

    run(work())


# -- what is no request


@pytest.mark.parametrize(
    "url", ["ftp://shop.test/", "http+unix://shop.test/x", "http://a:b@shop.test/"]
)
def test_what_is_not_http_to_a_host_is_refused(url: str) -> None:
    judge = HostJudge(shop_test=LOCAL)
    with pytest.raises((RefusedError, httpx.UnsupportedProtocol)):
        run(get(url, judge))
    assert not judge.seen


def test_the_request_says_nothing_else_than_its_address() -> None:
    async def work() -> None:
        async with serving() as server:
            judge = HostJudge(shop_test=LOCAL)
            url = f"http://shop.test:{server.port}/a"
            async with pinned_client(judge) as client:
                with pytest.raises(RefusedError, match="Host header"):
                    await client.get(url, headers={"Host": "inner.test"})
                await client.get(
                    url, extensions={"target": b"/admin", "sni_hostname": "inner.test"}
                )
            assert server.asked[0].startswith("GET /a ")

    run(work())


def test_a_judge_that_fails_lets_nothing_pass() -> None:
    async def judge(_url: str) -> Answer:
        raise RuntimeError("secret")

    async def no(_url: str) -> Answer:
        return Answer(False)

    for failing in (judge, no):
        with pytest.raises(RefusedError) as found:
            run(get("http://shop.test/", failing))
        assert "secret" not in str(found.value)
        assert found.value.error_kind == "policy"


@pytest.mark.parametrize(
    "answer", [Answer(False, "no address", kind="dependency"), Answer(True)], ids=["denied", "none"]
)
def test_a_name_without_an_address_is_an_outage_and_no_refusal(answer: Answer) -> None:
    async def judge(url: str) -> Answer:
        return answer if "gone" in url else Answer(True, addresses={"shop.test": LOCAL})

    async def work() -> None:
        async with serving(redirect("http://gone.test/")) as server:
            for url in ("http://gone.test/", f"http://shop.test:{server.port}/"):
                with pytest.raises(RefusedError, match="no address") as found:
                    await get(url, judge)
                assert found.value.error_kind == "dependency"

    run(work())


# -- how much is read


@pytest.mark.parametrize("answer", [body(5000), chunked(8192)], ids=["length", "chunked"])
def test_a_long_answer_raises(answer: bytes) -> None:
    async def work() -> None:
        async with serving(answer) as server:
            judge = HostJudge(shop_test=LOCAL)
            url = f"http://shop.test:{server.port}/"
            with pytest.raises(RefusedError, match="longer than 4096 bytes") as found:
                await get(url, judge, max_body=4096)
            assert found.value.error_kind == "business"
            assert len((await get(url, judge, max_body=8192)).content) >= 5000

    run(work())


def test_long_headers_raise() -> None:
    async def work() -> None:
        async with serving(body(2, f"X-Long: {'x' * 5000}\r\n")) as server:
            with pytest.raises(RefusedError, match="headers"):
                await get(
                    f"http://shop.test:{server.port}/", HostJudge(shop_test=LOCAL), max_headers=4096
                )
        async with serving(body(2, f"X-Long: {'x' * 500_000}\r\n")) as server:
            with pytest.raises(httpx.TransportError):
                await get(f"http://shop.test:{server.port}/", HostJudge(shop_test=LOCAL))

    run(work())


def test_nothing_compressed_is_asked_for_or_unpacked() -> None:
    packed = gzip.compress(b"x" * 1_000_000)
    answer = (
        f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    ).encode() + packed

    async def work() -> None:
        async with serving(answer) as server:
            with pytest.raises(RefusedError, match="compressed"):
                await get(f"http://shop.test:{server.port}/", HostJudge(shop_test=LOCAL))
            assert server.headers()["accept-encoding"] == "identity"

    run(work())
