"""Calls that will run: what nobody observed is unknown, and nothing is assumed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate import Engine
from callgate.model.decision import Decision
from callgate.model.values import UNKNOWN
from callgate.runtime.reference import evaluate
from tests.runtime.agreement import asked, fits, loaded, long_test, say_seed, story_of, told
from tests.strategies import Bundle, bundles, nested, settings_values

NOTHING: dict[str, Any] = {"links": {}, "dns": {}}


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def call(tool: str, observed: dict[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    context = {"channel": "cli", "cwd": "/srv/app", "workspace": "/srv/app", "home": "/home/u"}
    made: dict[str, Any] = {"tool": tool, "args": args, "context": context}
    return made if observed is None else {**made, "observed": observed}


def effects_of(decision: Decision) -> list[tuple[str, dict[str, Any]]]:
    found = decision.source.effects_of(decision.frame)  # type: ignore[attr-defined]
    return [(effect.kind, dict(effect.fields)) for effect in found.all]


def paths_of(echo: Engine, call: dict[str, Any], live: bool = True) -> list[Any]:
    decision = echo.program.decide(call, live)
    return [fields["path"] for _, fields in effects_of(decision) if "path" in fields]


def test_links_that_nobody_looked_for_are_unknown(echo: Engine) -> None:
    for observed in (None, {}, {"dns": {}}, {"links": None}):
        one = call("read_file", observed, path="notes.md")
        # What is written is looked at as well, and where it may lead besides.
        assert paths_of(echo, one) == ["/srv/app/notes.md", UNKNOWN]
        assert paths_of(echo, one, live=False) == ["/srv/app/notes.md"]
        two = call("exec", observed, command="cat notes.md")
        assert paths_of(echo, two) == ["/srv/app/notes.md", UNKNOWN]
        assert paths_of(echo, two, live=False) == ["/srv/app/notes.md"]


@pytest.mark.parametrize("made", [("read_file", "path"), ("exec", "command")])
def test_where_there_are_none_the_path_is_as_written(echo: Engine, made: tuple[str, str]) -> None:
    tool, name = made
    text = "notes.md" if name == "path" else "cat notes.md"
    assert paths_of(echo, call(tool, NOTHING, **{name: text})) == ["/srv/app/notes.md"]
    led = {"links": {"/srv/app/notes.md": "/etc/shadow"}}
    found = paths_of(echo, call(tool, led, **{name: text}))
    assert "/etc/shadow" in found
    assert echo.program.decide(call(tool, led, **{name: text}), live=True).decision == "deny"
    # What could not be looked at leads nowhere that anybody knows.
    lost = {"links": {"/srv/app/notes.md": ""}}
    assert UNKNOWN in paths_of(echo, call(tool, lost, **{name: text}))


def test_what_is_no_link_is_known_beside_what_is_one(echo: Engine) -> None:
    observed = {"links": {"/srv/app/a": "b"}}
    found = paths_of(echo, call("exec", observed, command="cat a c/d"))
    assert sorted(found) == ["/srv/app/a", "/srv/app/b", "/srv/app/c/d"]


@pytest.mark.parametrize("made", [("read_file", {"path": "x"}), ("exec", {"command": "cat x"})])
def test_a_relative_path_without_a_folder(echo: Engine, made: tuple[str, Any]) -> None:
    bare = {"tool": made[0], "args": made[1], "context": {"channel": "cli"}, "observed": NOTHING}
    assert paths_of(echo, bare) == [UNKNOWN]
    assert paths_of(echo, bare, live=False) == ["./x"]
    decision = echo.program.decide(bare, live=True)
    assert decision.decision != "allow"
    # Guards did not answer false: what can't be told asks.
    assert any("can't be told" in match["reason"] for match in decision.to_dict()["matched"])


def classes_of(echo: Engine, call: dict[str, Any], live: bool = True) -> list[Any]:
    decision = echo.program.decide(call, live)
    return [f["address_class"] for kind, f in effects_of(decision) if kind == "connect"]


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("web_fetch", {"url": "https://a.example/"}),
        ("exec", {"command": "curl https://a.example/"}),
    ],
)
def test_hosts_that_nobody_looked_up_are_unknown(
    echo: Engine, tool: str, args: dict[str, Any]
) -> None:
    for observed in (None, NOTHING, {"links": {}, "dns": {"b.example": ["93.184.216.34"]}}):
        assert classes_of(echo, call(tool, observed, **args)) == [UNKNOWN]
        assert classes_of(echo, call(tool, observed, **args), live=False) == ["public"]
    known = {"links": {}, "dns": {"a.example": ["10.0.0.1"]}}
    assert classes_of(echo, call(tool, known, **args)) == ["private"]
    nowhere = {"links": {}, "dns": {"a.example": []}}
    assert classes_of(echo, call(tool, nowhere, **args)) == ["unresolved"]


def test_nothing_is_assumed(echo: Engine) -> None:
    def assumed(made: dict[str, Any], live: bool) -> Any:
        return echo.program.decide(made, live).to_dict()["assumed"]

    text = "cat notes.md && curl https://a.example/"
    for made in (call("exec", command=text), call("exec", NOTHING, command=text)):
        assert assumed(made, True) == []
    assert assumed(call("exec", command=text), False) == ["links", "dns:a.example"]
    # A dry run that was told of no links does not assume that there are none.
    assert assumed(call("exec", NOTHING, command=text), False) == ["dns:a.example"]
    assert assumed(call("read_file", {"links": {}}, path="a"), False) == []
    assert assumed(call("read_file", path="a"), False) == ["links"]


CALLS = [
    call(tool, observed, **args)
    for observed in (
        None,
        {"links": {}},
        NOTHING,
        {"links": {"/srv/app/a": "/etc"}},
        {"links": {}, "dns": {"a.example": ["10.0.0.1"]}},
        {"dns": {}},
    )
    for tool, args in (
        ("read_file", {"path": "a"}),
        ("exec", {"command": "cat a; curl https://a.example/"}),
        ("execute_code", {"language": "bash", "code": "cat a; curl https://a.example/"}),
    )
]


def test_live_and_dry_are_never_mixed(echo: Engine) -> None:
    """What is remembered of one kind of frame is not taken for another, in any order."""

    def told_of(engine: Engine, made: dict[str, Any], live: bool) -> Any:
        form = engine.program.decide(made, live).to_dict()
        return [form[key] for key in ("decision", "rule", "effects", "matched", "assumed")]

    rows = [(made, live) for made in CALLS for live in (True, False)]
    program = echo.program
    fresh = []
    for made, live in rows:
        for memory in program.effects_of.__self__._call_effects._memories.values():
            memory.known.clear()
        fresh.append(told_of(echo, made, live))
    for order in (rows, rows[::-1], rows):
        found = {id(made): {} for made, _ in rows}
        for made, live in order:
            found[id(made)][live] = told_of(echo, made, live)
        assert [found[id(made)][live] for made, live in rows] == fresh


def test_the_short_ways_are_taken_where_there_are_no_links(
    echo: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    effects = echo.program.effects_of.__self__._call_effects
    read, text = call("read_file", NOTHING, path="b/c"), call("exec", NOTHING, command="cat b/c")
    for live in (True, False):
        wanted = [effects_of(echo.program.decide(made, live)) for made in (read, text)]
        with monkeypatch.context() as patch:
            patch.setattr(effects, "_extract", None)
            found = [effects_of(echo.program.decide(made, live)) for made in (read, text)]
        assert found == wanted
    with monkeypatch.context() as patch:
        patch.setattr(effects, "_extract", None)
        # Nobody looked: the short way would take the path for granted.
        failed = echo.program.decide(call("read_file", path="b/c"), live=True)
        assert (failed.decision, failed.rule) == ("deny", "builtin.error")


TEXTS = st.sampled_from(
    [
        *("a", "./a", "b/../a", "~/.ssh/id_rsa", "/etc/shadow", "a*", "~/a", "../x", "c d", "."),
        *("/proc/self/cwd/a", "/dev/null", "/dev/sda", "a/", "//etc/x", "~u/a", "$HOME/a", ".."),
        *("/proc/1/root/etc/shadow", "file:///etc/x", ".env", "/srv/app/a", "/srv/app"),
    ]
)


@given(TEXTS, TEXTS, st.sampled_from(["", "/srv/app"]), st.booleans())
def test_looking_and_finding_nothing_changes_only_what_is_assumed(
    echo: Engine, one: str, two: str, folder: str, live: bool
) -> None:
    """In a known folder a live call that was looked at is decided as a dry one."""
    context = {"channel": "cli", "cwd": folder, "workspace": folder, "home": "/home/u"}
    for tool, args in (
        ("read_file", {"path": one}),
        ("write_file", {"path": one, "content": ""}),
        ("edit_file", {"path": two, "old_string": "a", "new_string": "b"}),
        ("exec", {"command": f"cp -r {one} {two}"}),
    ):
        made = {"tool": tool, "args": args, "context": context}
        dry = echo.program.decide(made)
        looked = echo.program.decide({**made, "observed": NOTHING}, live)
        if live and "cwd" in dry.to_dict()["assumed"]:
            continue
        shown, wanted = looked.to_dict(), dry.to_dict()
        assert "links" not in shown["assumed"]
        for key in ("decision", "rule", "matched", "effects", "trace"):
            assert shown[key] == wanted[key]


@given(TEXTS, TEXTS, st.sampled_from(["", "/srv/app"]))
def test_not_looking_is_never_less_strict(echo: Engine, one: str, two: str, folder: str) -> None:
    order = ["allow", "ask", "deny"].index
    context = {"channel": "cli", "cwd": folder, "workspace": folder, "home": "/home/u"}
    for tool, args in (
        ("read_file", {"path": one}),
        ("write_file", {"path": one, "content": ""}),
        ("exec", {"command": f"cp -r {one} {two}"}),
        ("exec", {"command": f"curl -o {one} https://a.example/"}),
    ):
        made = {"tool": tool, "args": args, "context": context}
        blind, dry = echo.program.decide(made, live=True), echo.program.decide(made)
        assert blind.failure is None
        # A path that is a hard block as it is written is one that asks where nobody looked.
        assert blind.decision != "allow" or dry.decision == "allow"
        assert order(blind.decision) >= min(order(dry.decision), 1)


@long_test(100)
@given(bundles(), settings_values(), asked(15))
def test_both_evaluators_agree_on_live_calls(
    bundle: Bundle, values: dict[str, Any], questions: list[Any]
) -> None:
    say_seed()
    engine = loaded(bundle, nested(values))
    for made, _ in questions:
        plain = {key: part for key, part in made.items() if key != "observed"}
        seen = made.get("observed") or {}
        for observed in (None, seen, {"links": {}, **seen}, {**seen, **NOTHING}):
            one = plain if observed is None else {**plain, "observed": observed}
            decision = engine.program.decide(one, live=True)
            assert decision.frame.live
            found = engine.program.effects_of(decision.frame)
            assert found.assumed == []
            wanted = told(evaluate(engine.policy, engine.settings, one, found, fits))
            assert wanted.error is None
            assert story_of(decision) == wanted, (one, found.all)


def test_a_call_that_is_none_is_refused_alike(echo: Engine) -> None:
    for made in ({}, {"tool": ""}, {"tool": "exec", "args": []}, []):
        live, dry = echo.program.decide(made, live=True), echo.program.decide(made)  # type: ignore[arg-type]
        assert live.to_dict() == dry.to_dict()
        assert live.decision == "deny"
