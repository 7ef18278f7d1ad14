"""The short way to the effects of path arguments gives what the long way gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate import Engine
from callgate.effects import Extractor, Surroundings
from callgate.model.effect import EffectSet
from tests.effects.reading import EXTRACTOR

FOLDERS = st.sampled_from(
    ["", "/", "/w", "/w/a", "/w/../x", "//w/", "w", "~", "~/a", "/proc/self/cwd"]
)
PIECES = st.sampled_from(
    [
        *("a", "b.md", "..", ".", "~", "~root", "-", "*", "a*", "é", "", "$X", "\x00"),
        *("proc", "self", "root", "etc", "dev", "null", "sda", "stdin", "fd", "1"),
    ]
)
TEXTS = st.builds(
    lambda parts, lead, tail: lead + "/".join(parts) + tail,
    st.lists(PIECES, max_size=6),
    st.sampled_from(["", "/", "~/", "//", "\t", "\u2028"]),
    st.sampled_from(["", "/", "//", "\n", " "]),
)
VALUES = TEXTS | st.none() | st.integers() | st.lists(TEXTS, max_size=2)


def plain(found: EffectSet) -> list[Any]:
    rows: list[Any] = [(e.kind, e.fields, e.certain, e.span, e.argument) for e in found.all]
    return [*rows, {kind: len(items) for kind, items in found.by_kind.items()}, found.assumed]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["read", "write"]),
            st.tuples(st.just("arg"), st.sampled_from(["p", "q"]), st.sampled_from([None, "."])),
        ),
        min_size=1,
        max_size=3,
    ),
    st.dictionaries(st.sampled_from(["p", "q"]), VALUES),
    FOLDERS,
    FOLDERS,
)
def test_the_short_way_is_the_long_way(
    tool: list[tuple[str, Any]], args: dict[str, Any], cwd: str, workspace: str
) -> None:
    direct = EXTRACTOR.direct([(kind, {"path": source}, None) for kind, source in tool])
    assert direct is not None
    found = direct.effects(args, cwd, workspace)
    long = EXTRACTOR.extract(
        [(kind, {"path": source}) for kind, source in tool], args, Surroundings(cwd, workspace)
    )
    if found is not None:
        assert plain(found) == plain(long)


@pytest.mark.parametrize("text", ["a", "docs/readme.md", "/etc/passwd", "../x", ".env", "a/./b/"])
def test_ordinary_paths_take_it(text: str) -> None:
    direct = EXTRACTOR.direct([("read", {"path": ("arg", "p", None)}, None)])
    assert direct is not None
    assert direct.effects({"p": text}, "", "/w/a") is not None


@pytest.mark.parametrize(
    "specs",
    [
        [],
        [("connect", {"url": ("arg", "u", None)}, None)],
        [("read", {"path": ("const", "/x")}, None)],
        [("read", {"path": ("arg", "p", None)}, lambda frame: True)],
        [("delete", {"path": ("arg", "p", None)}, None)],
        [("shell", {"text": ("arg", "p", None)}, None)],
    ],
)
def test_other_tools_have_none(specs: list[Any]) -> None:
    assert Extractor({}).direct(specs) is None


@pytest.mark.parametrize(
    ("observed", "short"),
    [
        ({}, True),
        ({"time": "2026-12-01T09:00:00Z", "missing": [], "links": {}}, True),
        ({"dns": {"example.org": ["93.184.216.34"]}}, True),
        ({"links": {"/srv/app/other": "/x"}}, False),
    ],
)
def test_only_observed_links_take_the_long_way(
    observed: dict[str, Any], short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, call = Engine.load("echo"), {"tool": "read_file", "args": {"path": "docs/a.md"}}
    call |= {"context": {"workspace": "/srv/app"}, "observed": observed}
    expected = engine.decide(call).to_dict()["effects"]
    seen: list[str] = []
    long = Extractor.extract
    monkeypatch.setattr(Extractor, "extract", lambda *a: seen.append("long") or long(*a))
    assert engine.decide(call).to_dict()["effects"] == expected
    assert (not seen) is short
