"""Protected places on any path: links, spelling and settings only make calls stricter."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.engine import Engine

_RANK: Final = {"allow": 0, "ask": 1, "deny": 2}
_PLAIN: Final = Engine.load("echo")
_HELD: Final = Engine.load("echo", {"tools": {"restrict_to_workspace": True}})
_WHERE: Final = {"channel": "cli", "workspace": "/srv/app", "cwd": "/srv/app", "home": "/home/u"}

_TOOLS: Final = st.sampled_from(("read_file", "write_file", "patch", "exec", "mcp_fs_put"))
_PLACES: Final = (
    "/srv/app/a",
    "/srv/app/dir/a",
    "/srv/app/dir",
    "/srv/app",
    "/etc/shadow",
    "/etc",
    "/home/u/.bashrc",
    "/home/u/.ssh/id_rsa",
    "/home/u/dot/bashrc",
    "/srv/app/.git/hooks/x",
    "/srv/app/data/approvals.json",
    "/tmp/x",
)
_LINKS: Final = st.dictionaries(st.sampled_from(_PLACES), st.sampled_from(_PLACES), max_size=4)


def call(tool: str, path: str, links: dict[str, str]) -> dict[str, Any]:
    args = {"path": path, "content": "x", "patch": "@@"}
    if tool == "exec":
        args = {"command": f"tee '{path}' < in"}
    return {"tool": tool, "args": args, "context": _WHERE, "observed": {"links": links}}


@pytest.mark.parametrize("engine", [_PLAIN, _HELD], ids=["plain", "held"])
@given(tool=_TOOLS, path=st.sampled_from(_PLACES), links=_LINKS, more=_LINKS)
def test_more_links_are_never_less_strict(
    engine: Engine, tool: str, path: str, links: dict[str, str], more: dict[str, str]
) -> None:
    few = engine.decide(call(tool, path, links)).decision
    many = engine.decide(call(tool, path, {**more, **links})).decision
    assert _RANK[few] <= _RANK[many]


@given(tool=_TOOLS, path=st.sampled_from(_PLACES), links=_LINKS)
def test_a_workspace_that_holds_is_never_less_strict(
    tool: str, path: str, links: dict[str, str]
) -> None:
    asked = call(tool, path, links)
    assert _RANK[_PLAIN.decide(asked).decision] <= _RANK[_HELD.decide(asked).decision]


_SPELLINGS: Final = (
    str.upper,
    str.title,
    lambda name: unicodedata.normalize("NFD", name),
    lambda name: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name),
    lambda name: f"{name[:2]}\u200d{name[2:]}",
    lambda name: name + ".",
    lambda name: name + " ",
    lambda name: f"./{name}",
    lambda name: f"x/../{name}",
    lambda name: f"/{name}",
)


@given(
    st.sampled_from(("/home/u/.ssh/id_rsa", "/etc/shadow", "/root/.kube/config", "/home/b/.netrc")),
    st.lists(st.sampled_from(_SPELLINGS), min_size=4, max_size=4),
)
def test_no_spelling_gets_past(path: str, spellings: list[Any]) -> None:
    names = path[1:].split("/")
    text = "/" + "/".join(
        spell(name) for name, spell in zip(names, spellings[: len(names)], strict=True)
    )
    decision = _PLAIN.decide(call("read_file", text, {}))
    assert (decision.decision, decision.rule) == ("deny", "files.credential-read")


@given(
    st.sampled_from(("/home/u/.ssh", "/etc/shadow", "/root/.kube", "/home/u/.netrc", "/proc")),
    st.text("abz_9", min_size=1, max_size=4),
)
def test_components_are_compared_whole(path: str, more: str) -> None:
    assert _PLAIN.decide(call("read_file", path + more, {})).decision == "allow"
