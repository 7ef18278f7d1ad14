"""Protected places: the index and the plain definition agree, on chosen paths and on any."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callgate.model.values import UNKNOWN
from callgate.runtime.reference_values import apply
from callgate.stdlib import OPERATIONS

_HOMES = ("/home/*", "/Users/*", "/root", "/srv/*/home")
_PATHS = (
    "/",
    "/home",
    "/home/*",
    "/home/u",
    "/home/u/.ssh/id_rsa",
    "/HOME/U/.Ssh",
    "/Users/ann/.ssh",
    "/root/.ssh",
    "/srv/x/home/.ssh",
    "/srv",
    "~",
    "~/.ssh",
    "~/.ssh./x ",
    "~bob/.ssh",
    "./.ssh/id",
    "./etc/shadow",
    "./shadow",
    ".",
    "/etc/shadow",
    "/etc/ＳＨＡＤＯＷ",
    "/etc/sha\u200bdow",
    "/etc／shadow",
    "/w/‥/etc/shadow",
    "/w/..\\..\\etc\\shadow",
    "/etc/shadowsocks",
    "/etc/shadow::$DATA",
    "/cafe\u0301",
)
_PLACES = ("/", "/etc", "/etc/shadow", "~", "~/.ssh", "/caf\u00e9", "/home/u/x", "~bob", "x")


def _alike(op: str, *args: Any) -> None:
    expected = apply(op, args)
    assert OPERATIONS[op].implementation(*args) is expected, (op, args, expected)


def test_chosen_paths_and_places() -> None:
    for path, place, home in product(_PATHS, _PLACES, ("", "/home/u", "/", "/data/h", "odd")):
        for op in ("touches", "holds"):
            _alike(op, path, place, home, _HOMES)
            _alike(op, path, ("/nowhere", UNKNOWN, place), home, ())


_NAMES = st.sampled_from(
    (
        "a",
        "A",
        "..",
        ".",
        "~",
        "*",
        ".x",
        "a b",
        "a. ",
        "ä",
        "A\u0308",
        "ａ",
        "a\\b",
        "／",
        "‥",
        "\u200b",
    )
)
_RELATIVE = st.lists(_NAMES, min_size=1, max_size=5).map("/".join)
_SOME = st.tuples(st.sampled_from(("/", "~/", "./", "~b/")), _RELATIVE).map("".join)
_FOLDERS = st.lists(st.sampled_from(("", "/a", "/a/*", "/*/a", "/", "/ä/a")), max_size=3)


@given(
    _SOME,
    st.lists(_SOME | st.just(UNKNOWN), max_size=3),
    st.sampled_from(("", "/a", "/a/b")),
    _FOLDERS,
)
def test_any_path(path: str, places: list[Any], home: str, homes: list[str]) -> None:
    for op in ("touches", "holds"):
        _alike(op, path, places, home, tuple(homes))


@given(
    _SOME, st.lists(_RELATIVE | _NAMES.map(lambda name: "*" + name) | st.just(UNKNOWN), max_size=3)
)
def test_any_part(path: str, parts: list[Any]) -> None:
    for op in ("has_part", "named"):
        _alike(op, path, tuple(parts))
