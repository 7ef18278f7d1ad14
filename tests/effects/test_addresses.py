"""Addresses after unwrapping, names by observation, URLs as browsers read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import Surroundings
from callgate.effects.addresses import address_class, strictest
from callgate.effects.urls import parse_url, read_host
from callgate.model.values import UNKNOWN
from tests.effects.reading import EXTRACTOR, effects, shown


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("93.184.216.34", "public"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("172.32.0.1", "public"),
        ("192.168.0.1", "private"),
        ("100.64.0.1", "private"),
        ("100.128.0.1", "public"),
        ("127.0.0.1", "loopback"),
        ("127.9.9.9", "loopback"),
        ("0.0.0.0", "loopback"),
        ("0.1.2.3", "reserved"),
        ("169.254.1.1", "link_local"),
        ("169.254.169.254", "metadata"),
        ("100.100.100.200", "metadata"),
        ("168.63.129.16", "metadata"),
        ("192.0.2.1", "reserved"),
        ("198.18.0.1", "reserved"),
        ("224.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("2606:4700::1", "public"),
        ("::1", "loopback"),
        ("::", "loopback"),
        ("fd00:ec2::254", "metadata"),
        ("fd12::1", "private"),
        ("fec0::1", "private"),
        ("fe80::1", "link_local"),
        ("fe80::1%eth0", "link_local"),
        ("ff02::1", "reserved"),
        ("2001:db8::1", "reserved"),
        ("100::1", "reserved"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:8.8.8.8", "public"),
        ("::ffff:169.254.169.254", "metadata"),
        ("::127.0.0.1", "loopback"),
        ("64:ff9b::7f00:1", "loopback"),
        ("64:ff9b::8.8.8.8", "public"),
        ("64:ff9b:1::1", "private"),
        ("2002:7f00:1::", "loopback"),
        ("2002:808:808::1", "public"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "reserved"),
        ("example.org", None),
        ("", None),
        ("1.2.3", None),
    ],
)
def test_classes_of_addresses(address: str, found: str | None) -> None:
    assert address_class(address) == found


@given(st.ip_addresses(v=4).map(str))
def test_wrapping_never_makes_an_address_look_better(address: str) -> None:
    plain = address_class(address)
    assert plain is not None
    number = int.from_bytes(bytes(map(int, address.split("."))), "big")
    high, low = number >> 16, number & 0xFFFF
    for wrapped in (f"::ffff:{address}", f"64:ff9b::{address}", f"2002:{high:x}:{low:x}::1"):
        assert address_class(wrapped) == plain
    assert read_host(str(number)) == address
    assert read_host(hex(number)) == address


@pytest.mark.parametrize(
    ("url", "host", "found"),
    [
        ("http://localhost/", "localhost", "loopback"),
        ("http://LOCALHOST./", "localhost", "loopback"),
        ("http://a.localhost/", "a.localhost", "loopback"),
        ("http://db.internal/", "db.internal", "private"),
        ("http://printer.local/", "printer.local", "private"),
        ("http://metadata.google.internal/", "metadata.google.internal", "metadata"),
        ("http://example.org/", "example.org", "public"),
        ("http://2852039166/", "169.254.169.254", "metadata"),
        ("http://0x7f.1/", "127.0.0.1", "loopback"),
        ("http://0177.0.0.1/", "127.0.0.1", "loopback"),
        ("http://[::ffff:a00:1]/", "::ffff:a00:1", "private"),
        ("http://user:pass@10.0.0.1:80/", "10.0.0.1", "private"),
        ("http://example.org@10.0.0.1/", "10.0.0.1", "private"),
        ("http://ex%61mple.org/", "example.org", "public"),
        ("ftp://example.org/", "example.org", "public"),
        ("gopher://10.0.0.1/", "10.0.0.1", "private"),
    ],
)
def test_connections_of_tools(url: str, host: str, found: str) -> None:
    (connect,) = tool_connects(url)
    assert (connect.fields["host"], connect.fields["address_class"]) == (host, found)


def tool_connects(url: str, place: Surroundings | None = None) -> list[object]:
    tool = [("connect", {"url": ("arg", "url", None)})]
    found = EXTRACTOR.extract(tool, {"url": url}, place or Surroundings())
    return found.by_kind["connect"]


@pytest.mark.parametrize(
    "url", ["", "x", "http://", "http://a b/", "http://[::1", "//x", "http:/x"]
)
def test_what_is_no_url_is_a_connection_to_somewhere(url: str) -> None:
    (connect,) = tool_connects(url)
    assert connect.fields["host"] is UNKNOWN


@pytest.mark.parametrize("url", ["http://a\\b/", "http://a@b@c/", "http://a\tb/"])
def test_what_programs_read_differently_is_opaque(url: str) -> None:
    tool = [("connect", {"url": ("arg", "url", None)})]
    assert not EXTRACTOR.extract(tool, {"url": url}, Surroundings()).complete


def test_all_addresses_must_pass() -> None:
    dns = {
        "a.example": ["93.184.216.34"],
        "b.example": ["93.184.216.34", "10.0.0.1"],
        "B.Example.": ["93.184.216.34"],
        "c.example": [],
        "d.example": ["no address"],
        "localhost": ["93.184.216.34"],
    }
    place = Surroundings(dns=dns)
    classes = {
        host: tool_connects(f"http://{host}/", place)[0].fields["address_class"] for host in dns
    }
    assert tool_connects("http://A.EXAMPLE./", place)[0].fields["address_class"] == "public"
    assert tool_connects("http://a.example/", Surroundings(dns={"A.example.": ["10.0.0.1"]}))[
        0
    ].fields["address_class"] == ("private")
    assert classes == {
        "a.example": "public",
        "b.example": "private",
        "B.Example.": "private",
        "c.example": "unresolved",
        "d.example": "reserved",
        "localhost": "loopback",
    }


def test_names_that_nobody_looked_up_are_listed() -> None:
    found = effects("curl a.example b.example a.example; curl 10.0.0.1 localhost")
    assert found.assumed == ["dns:a.example", "dns:b.example"]


def test_file_urls_are_read() -> None:
    (read,) = effects("curl file:///etc/a%20b").by_kind["read"]
    assert shown(read) == "read path=/etc/a b"


@given(st.text(max_size=30))
def test_reading_urls_never_fails(text: str) -> None:
    for found in (parse_url(text), parse_url(text, "http")):
        assert found is None or found.scheme
    read_host(text)


def test_the_strictest_class_counts() -> None:
    assert strictest(["public", "metadata", "loopback"]) == "metadata"
    assert strictest([]) == "unresolved"
