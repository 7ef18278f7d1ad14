"""Guards that depend on a path alone remember what they said: of this path, in this home."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate import Engine
from callgate.model.codec import encode_expr
from callgate.model.effect import Effect, EffectSet
from callgate.model.expr import And, Apply, Const, Expr, Fact, Get, Var
from callgate.runtime.codegen import Codegen
from callgate.runtime.frame import Frame
from callgate.runtime.guard_index import index_of
from callgate.runtime.guard_memory import Silent
from callgate.runtime.guards import GuardSet

PATH = Get(Var("r"), "path")


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def test_a_home_is_part_of_what_is_remembered(echo: Engine) -> None:
    def rule(home: str) -> str:
        call = {"tool": "read_file", "args": {"path": "/srv/u/.kube/config"}}
        return echo.decide({**call, "context": {"home": home}}).rule

    for _ in range(2):
        assert rule("/srv/u") == "files.credential-read"
        assert rule("/home/u") == "tiers.read"


def test_so_is_the_tool_and_the_tree(echo: Engine) -> None:
    def rule(tool: str, **args: object) -> str:
        context = {"home": "/home/u", "channel": "cli"}
        return echo.decide({"tool": tool, "args": args, "context": context}).rule

    for _ in range(2):
        assert rule("read_file", path="/home/u/.kube") == "files.credential-read"
        assert rule("list_dir", path="/home/u/.kube") == "tiers.read"
        assert rule("exec", command="cat ~") == "cli.interactive"
        assert rule("exec", command="cp -r ~ x") != "cli.interactive"


@pytest.mark.parametrize(
    ("when", "times"),
    [
        (And((Get(Var("r"), "tree"), Apply("eq", (PATH, Const("/b"))))), 1),
        (Apply("eq", (PATH, Fact("call.tool"))), 1),
        (Apply("eq", (PATH, Fact("declared.mcp_server"))), 1),
        (Apply("eq", (PATH, Const("/a"))), 1),
        (
            Apply("under_path", (PATH, Apply("expand_home", (Const(("~/a",)), Fact("call.home"))))),
            1,
        ),
        (Apply("eq", (Fact("call.cwd"), Const("/a"))), 2),
        (Apply("eq", (PATH, Fact("call.cwd"))), 2),
    ],
)
def test_only_the_path_and_the_home_may_count(
    when: Expr, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    compiled = Codegen.compile

    def counting(self: Codegen, *args: object) -> object:
        test = compiled(self, *args)  # type: ignore[arg-type]
        return lambda *values: (asked.append(values), test(*values))[1]

    monkeypatch.setattr(Codegen, "compile", counting)
    form = {
        "id": "g",
        "decide": "note",
        "approval": "any",
        "unresolved": "ask",
        "tools": None,
        "each": ["r", "read"],
        "when": encode_expr(when),
        "index": index_of(when, ("r", "read")),
        "shadow": False,
        "exceptions": [],
    }
    defaults = {"cwd": "", "home": ""}
    guards = GuardSet([form], Codegen(defaults, lambda frame: frame.effects, lambda *_: False))
    effect = Effect("read", {"path": "/b", "tree": True})
    for cwd in ("/a", "/b"):
        frame = Frame()
        frame.tool, frame.called_as, frame.args, frame.context = "t", "t", {}, {"cwd": cwd}
        guards.run(frame, EffectSet([effect], {"read": [effect]}))
    assert len(asked) == times


NAMES = st.sampled_from(
    [
        *("docs", "a.md", ".ssh", ".SSH", "id_rsa", "x.env", "X.ENV", ".git", "hooks", "data"),
        *("approvals.json", "etc", "shadow", "shadow.", "dev", "sda", "proc", "1", "environ"),
        *("home", "u", "Users", ".kube", "..", ".", "sec*", "?env", "a\\.ssh", "．ssh", "é"),
    ]
)
PATHS = st.builds(
    lambda lead, names: lead + "/".join(names),
    st.sampled_from(["", "/", "~/", "//", "./"]),
    st.lists(NAMES, min_size=1, max_size=5),
)


@given(
    PATHS,
    st.sampled_from(["read_file", "list_dir", "search_files", "vision_analyze", "read_document"]),
    st.sampled_from(["", "/home/u", "/srv/u"]),
)
def test_a_path_without_telling_names_is_of_no_interest(
    echo: Engine, path: str, tool: str, home: str
) -> None:
    call = {"tool": tool, "args": {"path": path, "pattern": "x"}, "context": {"home": home}}
    found = echo.decide(call).to_dict()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Silent, "on", lambda self, key: False)
        assert echo.decide(call).to_dict() == found
