"""Protected places: the index and the plain definition agree, on chosen paths and on any."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
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
    "/etc::$INDEX_ALLOCATION/shadow",
    "/etc:$I30:$INDEX_ALLOCATION/shadow",
    "/etc/shadow::$DATA::$INDEX_ALLOCATION",
    "/cafe\u0301",
    "/etc/sha*",
    "/e?c",
    "/et[a-d]/*",
    "/*/shadow",
    "./.ss?/id",
    "./*/shadow",
    "/home/[uv]/x",
    "/home/?/*",
    "/**/x",
    "/etc/**/shadow",
    "~/**",
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
        "a*",
        "**",
        "?x",
        "[ab]",
        "[[:a:]]x",
        "]?[",
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


@pytest.mark.parametrize(
    ("op", "path", "places", "found"),
    [
        ("has_part", "/w/data/approv*", ("data/approvals.json",), UNKNOWN),
        ("has_part", "/w/data/*.json", ("data/approvals.json",), UNKNOWN),
        ("has_part", "/w/*/approvals.json", ("data/approvals.json",), UNKNOWN),
        ("has_part", "/w/.git/hook?/x", (".git/hooks",), UNKNOWN),
        ("has_part", "/w/.gi[r-t]/hooks/x", (".git/hooks",), UNKNOWN),
        ("has_part", "/w/*/*", ("data/approvals.json",), False),
        ("has_part", "/w/*/hooks", (".git/hooks",), False),
        ("has_part", "/w/*.pyc", ("data/approvals.json", "secrets"), False),
        ("has_part", "/w/src/*", ("secrets",), False),
        ("has_part", "/w/app/[id]/page.tsx", (".git/hooks", "secrets"), False),
        ("has_part", "/w/**/approvals.json", ("data/approvals.json",), UNKNOWN),
        ("has_part", "/w/**/config", (".git/config",), UNKNOWN),
        ("has_part", "/w/data/**/approvals.json", ("data/approvals.json",), True),
        ("has_part", "/w/**/*.pyc", ("data/approvals.json", ".git/hooks"), False),
        ("touches", "/w/**/x", ("/w/a/b/x",), UNKNOWN),
        ("touches", "/w/**/x", ("/v/a/b/x",), False),
        ("holds", "/w/**/b", ("/w/a/b/x",), UNKNOWN),
        ("named", "/w/**/.env", (".env",), True),
        ("named", "/w/?env", (".env",), UNKNOWN),
        ("named", "/w/*env", (".env",), False),
        ("named", "/w/c/sec*.yaml", ("*secrets.yaml",), UNKNOWN),
        ("named", "/w/c/*secrets.y*", ("*secrets.yaml",), UNKNOWN),
        ("named", "/w/c/*.yaml", ("*secrets.yaml", "secrets.yaml"), False),
        ("named", "/w/environment.*", ("*.env",), False),
        ("named", "/w/id_*", ("id_rsa",), UNKNOWN),
        ("named", "/w/*.env", ("*.env",), True),
        ("touches", "/home/u/.s?h/id", ("~/.ssh",), UNKNOWN),
        ("touches", "/etc/sha*", ("/etc/shadow",), UNKNOWN),
        ("touches", "/srv/*/x", ("/etc/shadow",), False),
        ("holds", "/srv/d?ta", ("/srv/data/x",), UNKNOWN),
        ("holds", "/srv/*", ("/srv/data/x",), True),
        ("holds", "/srv/x?", ("/srv/data/x",), False),
    ],
)
def test_a_pattern_may_stand_for_a_place(
    op: str, path: str, places: tuple[str, ...], found: object
) -> None:
    more = ("/home/u", _HOMES) if op in ("touches", "holds") else ()
    assert OPERATIONS[op].implementation(path, places, *more) is found
    assert apply(op, (path, places, *more)) is found


def test_patterns_take_no_longer_than_they_are_long() -> None:
    path = "/w/" + "*a" * 100
    assert OPERATIONS["named"].implementation(path, ("a" * 2000,)) is UNKNOWN
    assert OPERATIONS["named"].implementation(path, ("a" * 2000 + "b",)) is False
