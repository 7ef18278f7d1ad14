"""Shadows and exceptions in rule files: what is refused, and what becomes of the others."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.compiler.build import compile_policy
from callgate.engine import Engine
from callgate.model.diagnostic import Diagnostic, PolicyError
from callgate.model.graph import DecisionGraph, GraphError
from callgate.runtime.interpreter import Program
from tests.runtime.agreement import loaded
from tests.strategies import Files, forms_of

_ALL = {"id": "guards", "title": "Guards", "guards": "all"}
_GUARD = {
    "id": "g",
    "title": "G",
    "each": "d in effects.delete",
    "decide": "deny",
    "reason": "r",
}
_RULE = {"id": "s.r", "title": "R", "when": "call.nested", "decide": "deny"}
_EXCEPTION = {
    "id": "x.one",
    "when": "call.unattended",
    "until": "2027-01-01",
    "owner": "ann",
    "reason": "for now",
}


def _engine(guard: dict[str, Any] | None = None, rule: dict[str, Any] | None = None) -> Engine:
    step = {"id": "s", "title": "S", "rules": [{**_RULE, **(rule or {})}]}
    return loaded(Files(forms_of([{**_GUARD, **(guard or {})}], [_ALL, step])))


def _refused(
    guard: dict[str, Any] | None = None, rule: dict[str, Any] | None = None
) -> list[Diagnostic]:
    with pytest.raises(PolicyError) as refused:
        _engine(guard, rule)
    return [item for item in refused.value.diagnostics if item.severity == "error"]


def _with(**changes: Any) -> dict[str, Any]:
    """An exception with these changes; None leaves a key out."""
    changed = {**_EXCEPTION, **changes}
    return {"exceptions": [{key: value for key, value in changed.items() if value is not None}]}


@pytest.mark.parametrize(
    ("guard", "rule", "code", "message", "help"),
    [
        ({"decide": "note", **_with()}, {}, "C050", "a note has nothing", "`when`"),
        ({}, {"decide": "allow", **_with()}, "C050", "a rule that allows", "`when`"),
        (_with(until="soon"), {}, "C051", "`soon` is no day and no time", "2027-01-15"),
        (_with(until="2027-02-30"), {}, "C051", "`2027-02-30` is no day", ""),
        (_with(until="2027-01-15T18:00"), {}, "C051", "its zone", "`2027-01-15T18:00:00Z`"),
        (_with(until="2027-01-15 18:00:00"), {}, "C051", "zone", "`2027-01-15 18:00:00Z`"),
        *((_with(**{key: None}), {}, "S002", f"`{key}`", "") for key in _EXCEPTION),
        (_with(until=None, untill="2027-01-01"), {}, "S001", "`untill`", "did you mean `until`?"),
        ({"enforce": "shadw"}, {}, "S004", "shadw", "shadow"),
        (_with(id="s.r"), {}, "C001", "`s.r` is taken", ""),
        # It loosens, so it reads effects as a rule that allows does.
        (_with(when="any(w in effects.write where w.certain)"), {}, "T010", "might count", "none("),
        (_with(when="none(w in effects.write where w.certain)"), {}, "T011", "", "complete"),
        (_with(when="any(r in effects.run where r is `git push`)"), {}, "T010", "", ""),
        (_with(when="guards.asks == none"), {}, "T001", "not known yet", "flow"),
        ({}, _with(when="any(w in effects.write where w.certain)"), "T010", "might count", ""),
        ({}, _with(when="guards.asks >= any"), "T021", "`x.one`, an exception,", "fewer asks"),
        (
            {},
            {"decide": "ask", **_with(when="effects.complete")},
            "T012",
            "can't be read",
            "guard",
        ),
        ({}, {"decide": "ask", **_with(when="guards.asks == none")}, "T021", "an exception,", ""),
        (_with(when="call.chanel == cli"), {}, "T003", "", "did you mean `channel`?"),
        (_with(when='during(observed.time, "Mon", "UTC")'), {}, "T050", "no hours", "00:00-24:00"),
        (_with(when='weekday(observed.time, "UTC") == sunday'), {}, "T002", "`sunday`", "`sun`"),
    ],
)
def test_what_is_refused(
    guard: dict[str, Any], rule: dict[str, Any], code: str, message: str, help: str
) -> None:
    found = _refused(guard, rule)
    assert code in {item.code for item in found}, found
    item = next(item for item in found if item.code == code)
    assert message in item.message and help in item.help, item
    assert item.span is not None


def test_a_shadow_can_not_consult() -> None:
    answers = {"granted": {"decide": "allow"}, "none": "next"}
    step = {
        "id": "s",
        "title": "S",
        "rules": [{"id": "s.c", "consult": "grant", "answers": answers, "enforce": "shadow"}],
    }
    with pytest.raises(PolicyError) as refused:
        loaded(Files(forms_of([_GUARD], [_ALL, step])))
    assert "C052" in str(refused.value)


@pytest.mark.parametrize(
    ("guard", "rule"),
    [
        (_with(when='d.recursive and d.path under "/data"'), {}),
        (_with(when="effects.complete and none(w in effects.write where w.certain)"), {}),
        ({"decide": "ask", **_with(when='during(observed.time, "09:00-18:00", "UTC")')}, {}),
        ({}, _with(when="guards.asks == none")),
        ({}, _with(when="effects.complete and none(w in effects.write where w.certain)")),
        ({}, {"decide": "ask", **_with(when="call.nested", until="2027-01-01T00:00:00+01:00")}),
        ({}, _with(when="true")),
    ],
)
def test_what_is_accepted(guard: dict[str, Any], rule: dict[str, Any]) -> None:
    assert not [d for d in _engine(guard, rule).diagnostics if d.severity == "error"]


def test_rules_that_let_pass_leave_those_behind_them_to_be_reached() -> None:
    after = {"id": "s.after", "title": "After", "decide": "deny"}
    for first in ({"enforce": "shadow"}, _with()):
        rules = [{"id": "s.r", "title": "R", "decide": "deny", **first}, after]
        step = {"id": "s", "title": "S", "rules": rules}
        engine = loaded(Files(forms_of(steps=[step])))
        assert not {"C009", "C010"} & {item.code for item in engine.diagnostics}


def test_an_exception_that_the_settings_rule_out_is_not_in_the_graph() -> None:
    engine = _engine(_with(when="settings.flags.strict"), {})
    assert [form["exceptions"] for form in engine.graph.document["guards"]] == [[]]
    rule = _engine({}, _with(when="settings.flags.strict"))
    assert not [node for node in rule.graph.nodes if node[0] == "note"]
    assert "x.one" in {item.rule for item in rule.program.sources.folded}


def test_the_arguments_that_an_exception_reads_are_checked() -> None:
    engine = _engine({}, {"tools": ["remove"], **_with(when="args.recursive ?? false")})
    call = {"tool": "remove", "args": {"path": "/a", "recursive": "yes"}}
    assert engine.decide(call).to_dict()["error"]["code"] == "R003"


def test_rules_without_them_are_compiled_as_before() -> None:
    engine = _engine()
    assert {node[0] for node in engine.graph.nodes} == {"branch", "decide", "guards"}
    assert [(g["shadow"], g["exceptions"]) for g in engine.graph.document["guards"]] == [
        (False, [])
    ]


def test_a_graph_that_reads_zones_knows_the_version_of_their_data() -> None:
    engine = _engine(_with(when='hour(observed.time, "UTC") >= 9'))
    graph, sources = compile_policy(engine.policy, engine.settings)
    assert graph.document["zones"]
    other = DecisionGraph.of({**graph.document, "zones": "1999z"})
    with pytest.raises(GraphError, match="zone data 1999z"):
        Program(other, sources)
    assert _engine().graph.document["zones"] is None
