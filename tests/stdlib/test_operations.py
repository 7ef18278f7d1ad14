"""What the operations give: tables of the cases that matter, and properties on anything."""

from __future__ import annotations

import posixpath
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    JSON,
    PATH,
    STRING,
    TIME,
    URL,
    ListOf,
    MapOf,
    Optional,
    Type,
)
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS
from callgate.stdlib.operation import Anything, Operation


def run(name: str, *arguments: Any) -> Any:
    return OPERATIONS[name].implementation(*arguments)


CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    # Equality is JSON's.
    ("eq", (True, 1), False),
    ("eq", (1, True), False),
    ("eq", (0, False), False),
    ("eq", (1, 1.0), True),
    ("eq", ("1", 1), False),
    ("eq", (None, None), True),
    ("eq", ([1, "a"], (1, "a")), True),
    ("eq", ([True], [1]), False),
    ("eq", ([1], [1, 2]), False),
    ("eq", ({"a": [1]}, {"a": (1,)}), True),
    ("eq", ({"a": 1}, {"b": 1}), False),
    ("eq", ({}, []), False),
    ("eq", (["a", UNKNOWN], ["a", "b"]), UNKNOWN),
    ("eq", (["a", UNKNOWN], ["a"]), UNKNOWN),
    ("ne", (["a", UNKNOWN], ["a", "b"]), UNKNOWN),
    ("ne", (True, 1), True),
    # Lists with what is not known.
    ("in", ("a", ["b", UNKNOWN]), UNKNOWN),
    ("in", ("a", ["a", UNKNOWN]), True),
    ("in", ("a", [UNKNOWN, "a"]), True),
    ("in", ("a", []), False),
    ("in", (1, [True]), False),
    ("under_path", ("/a/b", ["/c", UNKNOWN]), UNKNOWN),
    ("under_path", ("/a/b", [UNKNOWN, "/a"]), True),
    ("under_path", ("/a/b", []), False),
    ("covers", ("/a", [UNKNOWN, "/c"]), UNKNOWN),
    ("covers", ("/a", [UNKNOWN, "/a/c"]), True),
    ("under_host", ("a.b", [UNKNOWN, "c"]), UNKNOWN),
    ("under_host", ("a.b", [UNKNOWN, "b"]), True),
    ("length", (["a", UNKNOWN],), UNKNOWN),
    ("length", (None,), 0),
    ("item", (None, "a"), None),
    # Words of commands.
    ("begins", ("git", ("push",), " git \t push\n"), True),
    ("begins", ("git", (), "git"), True),
    ("begins", ("git", (), "git push"), False),
    ("begins", ("git", ("pushed",), "git push"), False),
    ("begins", ("git", ("-C", "x", "push"), "git push"), False),
    ("begins", ("git", ("push origin",), "git push origin"), False),
    ("begins", ("git", ("push", UNKNOWN), "git push"), True),
    ("begins", ("git", (UNKNOWN,), "git push"), UNKNOWN),
    ("begins", ("ls", (UNKNOWN,), "git push"), False),
    ("begins", ("git", ("push",), " "), False),
    # Paths.
    ("under_path", ("/data/agent-victim", "/data/agent"), False),
    ("under_path", ("/homework", "/home"), False),
    ("under_path", ("/", "/"), True),
    ("under_path", ("/a", "/"), True),
    ("under_path", ("~/x", "/"), True),
    ("under_path", ("~/x", "~"), True),
    ("under_path", ("~bob/x", "~"), False),
    ("under_path", ("/home/u", "~"), False),
    ("covers", ("/", "~/.ssh"), True),
    ("covers", ("~", "~/.ssh"), True),
    ("covers", ("/*", "/etc"), True),
    ("covers", ("/home/*", "/home/u"), True),
    ("covers", ("/home/u", "/home"), False),
    ("covers", ("/a*", "/ab"), False),
    ("path", ("../../x", "/a"), "/x"),
    ("path", ("", "/a"), "/a"),
    ("path", (".", "/a/"), "/a"),
    ("path", ("///x", "/a"), "/x"),
    ("path", ("/a/../..", "/"), "/"),
    ("path", ("/.hidden/./x/", "/"), "/.hidden/x"),
    ("path", ("x", "~/p"), "~/p/x"),
    ("path", ("~", "/a"), "~"),
    ("path", ("~//a/../b", "/"), "~/b"),
    ("path", ("~/a/..", "/"), "~"),
    ("path", ("~/..", "/"), UNKNOWN),
    ("path", ("~/a/../../b", "/"), UNKNOWN),
    ("path", ("../x", "~"), UNKNOWN),
    ("path", ("~bob/x", "/"), "~bob/x"),
    ("path", ("x", "a"), UNKNOWN),
    ("path", ("x", ""), UNKNOWN),
    ("path", ("", ""), UNKNOWN),
    ("path", ("/a\0/b", "/"), UNKNOWN),
    ("path", (3, "/"), UNKNOWN),
    ("path", (None, "/"), UNKNOWN),
    ("expand_home", ("~/a", "/home/u/"), "/home/u/a"),
    ("expand_home", ("~", "/home/u"), "/home/u"),
    ("expand_home", ("~bob", "/home/u"), "~bob"),
    ("expand_home", ("~/a", "relative"), "~/a"),
    ("expand_home", (["~", "/x/../y", "rel"], "/h"), ("/h", "/y", UNKNOWN)),
    ("parent", ("~",), UNKNOWN),
    ("parent", ("~/a",), "~"),
    ("parent", ("/a",), "/"),
    ("extension", ("/a/..",), ""),
    ("extension", ("/a.b/c",), ""),
    # Hosts and URLs.
    ("under_host", ("Example.ORG.", "example.org"), True),
    ("under_host", ("a.example.org", "EXAMPLE.org."), True),
    ("under_host", ("notexample.org", "example.org"), False),
    ("under_host", ("example.org", "a.example.org"), False),
    ("under_host", ("10.0.0.1", "0.0.1"), False),
    ("under_host", ("10.0.0.1", "10.0.0.1"), True),
    ("under_host", ("a", ""), False),
    ("host", ("https://a@b.org\\@c.org/",), "b.org"),
    ("host", ("http://[::1]:80/",), "::1"),
    ("host", ("[::1]",), "::1"),
    ("host", ("::1",), "::1"),
    ("host", ("2130706433",), "127.0.0.1"),
    ("host", ("bücher.de",), "xn--bcher-kva.de"),
    ("host", ("file:///etc",), UNKNOWN),
    ("host", ("a/b",), UNKNOWN),
    ("host", ("",), UNKNOWN),
    ("host", (3,), UNKNOWN),
    ("url", ("//a/b",), UNKNOWN),
    ("url", (None,), UNKNOWN),
    # Text.
    ("like", ("abc", "abc"), True),
    ("like", ("abc", "a"), False),
    ("like", ("", "*"), True),
    ("like", ("a", "a*a"), False),
    ("like", ("aa", "a*a"), True),
    ("like", ("a.b?c", "a.b?c"), True),
    ("like", ("axbxc", "*x*x*"), True),
    ("like", ("axb", "*x*x*"), False),
    ("matches", ("a\nb", "a.b"), False),
    ("matches", ("a\ud800b", "a.b"), True),
    ("contains", ("abc", ""), True),
    # Times and JSON.
    ("time", ("2026-12-01t09:00:00.123456789z",), 1_796_115_600_123_456),
    ("time", ("2026-12-01T09:00:00",), UNKNOWN),
    ("time", ("2026-13-01T09:00:00Z",), UNKNOWN),
    ("time", ("0000-01-01T00:00:00Z",), UNKNOWN),
    ("time", ("٢٠٢٦-12-01T09:00:00Z",), UNKNOWN),
    ("as_int", (True,), None),
    ("as_int", (3.5,), None),
    ("as_int", (float("inf"),), None),
    ("as_string", (["a"],), None),
    ("as_bool", (None,), None),
]


@pytest.mark.parametrize(
    ("name", "arguments", "result"), CASES, ids=[f"{name}{args!r}" for name, args, _ in CASES]
)
def test_case(name: str, arguments: tuple[Any, ...], result: Any) -> None:
    found = run(name, *arguments)
    assert type(found) is type(result)
    assert found == result


# --- properties -----------------------------------------------------------------------------

texts = st.text(max_size=12) | st.text("/.~a*", max_size=12)
json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
paths = st.builds(lambda text: run("path", text, "/"), texts.filter(lambda text: "\0" not in text))
known_paths = paths.filter(lambda path: path is not UNKNOWN)
hosts = st.sampled_from(("example.org", "a.example.org", "org", "10.0.0.1", "::1", "x"))

_VALUES: dict[Type, st.SearchStrategy[Any]] = {
    BOOL: st.booleans(),
    INT: st.integers(),
    STRING: texts,
    PATH: known_paths,
    HOST: hosts,
    URL: st.just("https://example.org/x"),
    TIME: st.integers(),
    JSON: json,
}


def values(type_: Type) -> st.SearchStrategy[Any]:
    match type_:
        case Optional(item=item):
            return st.none() | values(item)
        case ListOf(item=item):
            return st.lists(values(item) | st.just(UNKNOWN), max_size=3)
        case MapOf(value=value):
            return st.dictionaries(texts, values(value), max_size=3)
        case Anything():
            return st.integers()
    return _VALUES[type_]


SPECIAL = {"rank", "matches"}
TOTAL = [entry for entry in OPERATIONS.values() if entry.name not in SPECIAL]


@pytest.mark.parametrize("entry", TOTAL, ids=lambda entry: entry.name)
@given(data=st.data())
def test_operations_are_total(entry: Operation, data: st.DataObject) -> None:
    overload = data.draw(st.sampled_from(entry.signatures))
    arguments = [data.draw(values(type_)) for _, type_ in overload.parameters]
    found = entry.implementation(*arguments)
    if found is UNKNOWN:
        listed = any(isinstance(value, list) and UNKNOWN in value for value in arguments)
        assert entry.unknown or listed
    elif overload.result == BOOL:
        assert type(found) is bool


@given(texts)
def test_a_path_is_what_posix_says(text: str) -> None:
    found = run("path", "/" + text, "")
    if "\0" in text:
        assert found is UNKNOWN
    else:
        assert found == "/" + posixpath.normpath("/" + text).lstrip("/")


@given(texts, texts)
def test_a_path_in_normal_form_stays(text: str, base: str) -> None:
    found = run("path", text, base)
    if found is not UNKNOWN:
        assert run("path", found, "") == found
        assert found[0] in "/~"
        assert ".." not in found.split("/")


@given(known_paths, known_paths)
def test_under_is_about_components(inner: str, outer: str) -> None:
    parts = [part for part in outer.split("/") if part]
    expected = [part for part in inner.split("/") if part][: len(parts)] == parts
    if outer[0] == inner[0] or not parts:
        assert run("under_path", inner, outer) is (expected or outer == "/")
    else:
        assert run("under_path", inner, outer) is False


@given(known_paths.filter(lambda path: not path.endswith("/*")), known_paths)
def test_covers_is_under_turned_round(one: str, other: str) -> None:
    assert run("covers", one, other) is run("under_path", other, one)


@given(known_paths, st.lists(known_paths | st.just(UNKNOWN), max_size=4))
def test_a_list_is_or(path: str, others: list[Any]) -> None:
    known = [run("under_path", path, other) for other in others if other is not UNKNOWN]
    expected = True if any(known) else UNKNOWN if UNKNOWN in others else False
    assert run("under_path", path, others) is expected


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_like_is_the_regular_expression(glob: str, text: str) -> None:
    pattern = ".*".join(re.escape(piece) for piece in glob.split("*"))
    assert run("like", text, glob) is (re.fullmatch(pattern, text, re.DOTALL) is not None)


@given(json, json)
def test_eq_is_symmetric_and_ne_its_opposite(left: Any, right: Any) -> None:
    same = run("eq", left, right)
    assert run("eq", right, left) is same
    assert run("ne", left, right) is not same
    assert run("eq", left, left) is True


@given(known_paths, known_paths.filter(lambda path: path.startswith("/")))
def test_an_expanded_path_is_absolute(path: str, home: str) -> None:
    found = run("expand_home", path, home)
    symbolic = path == "~" or path.startswith("~/")
    assert found.startswith("/") or not symbolic
    assert run("expand_home", [path], home) == (found,)
