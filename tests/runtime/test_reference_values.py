"""The reference's operations: what they mean, and that the engine's are the same."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.values import UNKNOWN
from callgate.runtime.reference_values import EvaluationError, apply
from callgate.stdlib import OPERATIONS

LEFT_OUT = {"url", "host"}


@pytest.mark.parametrize(
    ("op", "args", "value"),
    [
        ("eq", (1, True), False),
        ("eq", (1, 1.0), True),
        ("eq", ([1, "a"], (1, "a")), True),
        ("eq", ({"a": [1]}, {"a": (1,)}), True),
        ("eq", (("a", UNKNOWN), ("a", "b")), UNKNOWN),
        ("ne", ("a", "b"), True),
        ("lt", (1, UNKNOWN), UNKNOWN),
        ("rank", ("b", ("a", "b")), 1),
        ("rank", ("z", ("a", "b")), UNKNOWN),
        ("in", ("a", ("a", UNKNOWN)), True),
        ("in", ("b", ("a", UNKNOWN)), UNKNOWN),
        ("in", ("b", ()), False),
        ("in", (UNKNOWN, ()), False),
        ("item", ({"a": 1}, "b"), None),
        ("begins", ("git", ("push",), " git  push "), True),
        ("begins", ("git", (), "git push"), False),
        ("begins", ("git", (UNKNOWN, "x"), "git push"), UNKNOWN),
        ("begins", ("ls", (UNKNOWN,), "git push"), False),
        ("begins", ("git", ("push",), ""), False),
        ("length", (("a", UNKNOWN),), UNKNOWN),
        ("under_path", ("/data/a", "/data"), True),
        ("under_path", ("/data-b", "/data"), False),
        ("under_path", ("~/.ssh", "/"), True),
        ("under_path", ("/x", ("/data", UNKNOWN)), UNKNOWN),
        ("under_path", ("/data", ("/data", UNKNOWN)), True),
        ("covers", ("/", "/etc"), True),
        ("covers", ("/etc/*", "/etc"), True),
        ("covers", ("/*", "/"), True),
        ("covers", ("/etc/a*", "/etc"), False),
        ("covers", ("/etc/passwd", "/etc"), False),
        ("path", ("a/../b", "/srv"), "/srv/b"),
        ("path", ("../../x", "/srv"), "/x"),
        ("path", ("//a///b/.", ""), "/a/b"),
        ("path", ("a", "here"), UNKNOWN),
        ("path", ("~/a/..", ""), "~"),
        ("path", ("~/..", ""), UNKNOWN),
        ("path", ("~bob/x", "/srv"), "~bob/x"),
        ("path", ("a\0", "/srv"), UNKNOWN),
        ("path", (7, "/srv"), UNKNOWN),
        ("expand_home", ("~/x", "/home/ann"), "/home/ann/x"),
        ("expand_home", ("~bob/x", "/home/ann"), "~bob/x"),
        ("expand_home", (("~", "/x", UNKNOWN), "/root"), ("/root", "/x", UNKNOWN)),
        ("under_host", ("a.example.org", "example.org"), True),
        ("under_host", ("notexample.org", "example.org"), False),
        ("under_host", ("10.0.0.1", "0.1"), False),
        ("under_host", ("A.Example.org.", ("org",)), True),
        ("like", ("a\nb", "a*b"), True),
        ("like", ("ab", "a?"), False),
        ("like", ("", "*"), True),
        ("matches", ("abc", "b"), False),
        ("time", ("1969-12-31T23:59:59.25Z",), -750_000),
        ("time", ("2026-12-01T09:00:00",), UNKNOWN),
        ("as_int", (2.0,), 2),
        ("as_int", (True,), None),
    ],
)
def test_meaning(op: str, args: tuple[Any, ...], value: Any) -> None:
    found = apply(op, args)
    assert (type(found), found) == (type(value), value)


def test_examples_of_the_standard_functions() -> None:
    for operation in OPERATIONS.values():
        for case in operation.examples if operation.name not in LEFT_OUT else ():
            assert apply(operation.name, case.arguments) == case.result, operation.name


def test_every_operation_is_here() -> None:
    for name in OPERATIONS.keys() - LEFT_OUT:
        with pytest.raises(EvaluationError, match="does not take"):
            apply(name, (object(),) * 9)


@pytest.mark.parametrize(("op", "args"), [("nope", ()), ("lt", ("a", 1)), ("like", (1, "*"))])
def test_what_is_not_well_typed_raises(op: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(EvaluationError):
        apply(op, args)


def _alike(op: str, *args: Any) -> None:
    """Both say the same; UNKNOWN is given to a list only."""
    assert apply(op, args) == OPERATIONS[op].implementation(*args), (op, args)


_PATHS = (
    "/",
    "/data",
    "/data/a",
    "/data/*",
    "/data-b",
    "/*",
    "~",
    "~/x",
    ".",
    "./x",
    "/~",
    "~/x/*",
    "~bob",
    "~bob/x",
)
_HOSTS = ("org", "a.org", "aorg", "A.ORG.", "10.0.0.1", "0.1", "1", "::1", "a::1", "1.org", ".org")


def test_relations_on_chosen_values() -> None:
    for left, right in product(_PATHS, _PATHS):
        _alike("under_path", left, right)
        _alike("covers", left, right)
        _alike("covers", left, ("/nowhere", UNKNOWN, right))
    for left, right in product(_HOSTS, _HOSTS):
        _alike("under_host", left, right)
    for path in _PATHS:
        _alike("expand_home", path, "/home/ann")
    for path in (*_PATHS, "/a/.env", "/a.tar.gz", "/a/.x.y", "/a/b.", "/a/..x"):
        for op in ("basename", "parent", "extension"):
            _alike(op, path)


_NAMES = st.sampled_from(("a", "b", "..", ".", "", "~", "*", ".x", "a b", "ä"))
_TEXTS = st.lists(_NAMES, max_size=6).map("/".join)
_ABSOLUTE = st.lists(st.sampled_from(("a", "b", "c")), max_size=4).map(lambda p: "/" + "/".join(p))


@given(_TEXTS, _TEXTS | _ABSOLUTE, _ABSOLUTE | st.just(""))
def test_paths(text: str, base: str, home: str) -> None:
    _alike("path", text, base)
    found = apply("path", (text, base))
    if found is not UNKNOWN:
        _alike("expand_home", found, home)
        assert apply("path", (found, "")) == found


@given(_ABSOLUTE, st.lists(_ABSOLUTE | st.just(UNKNOWN), max_size=3))
def test_relations_of_paths(path: str, others: list[Any]) -> None:
    for op in ("under_path", "covers"):
        _alike(op, path, tuple(others))


@given(st.text("ab*\n", max_size=8), st.text("ab*\n", max_size=6))
def test_globs(text: str, glob: str) -> None:
    _alike("like", text, glob)
    _alike("contains", text, glob)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.just(1.0) | st.sampled_from(("", "a")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("a"), inner, max_size=1),
    max_leaves=4,
)


@given(_JSON, _JSON, st.lists(_JSON | st.just(UNKNOWN), max_size=3))
def test_equality(left: Any, right: Any, items: list[Any]) -> None:
    for op in ("eq", "ne"):
        _alike(op, left, right)
    _alike("in", left, items)
    for op in ("as_int", "as_bool", "as_string"):
        _alike(op, left)


@given(st.datetimes(timezones=st.timezones()) | st.text("0123456789-:TZ+. ", max_size=30))
def test_times(moment: Any) -> None:
    _alike("time", moment if isinstance(moment, str) else moment.isoformat())
