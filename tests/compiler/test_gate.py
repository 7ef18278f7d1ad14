"""Files of kind `gate`: what is read, what is refused, and the section of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from callgate.compiler.build import compile_policy
from callgate.compiler.gate import gate_section
from callgate.model.codec import decode_expr
from callgate.model.expr import Const
from callgate.model.gate import GateRules
from callgate.model.graph import DecisionGraph, GraphError
from callgate.model.policy import Policy
from callgate.runtime.interpreter import Program
from tests.compiler.assembling import BASE, assembled, found_at, policy_of

VOCABULARY = BASE["vocabulary"].replace(
    "settings:\n",
    """settings:
  ask.wait: {type: int, default: 120, doc: w}
  ask.who: {type: list of string, default: [anna], doc: w}
  ask.signed: {type: bool, default: true, doc: s}
  ask.days: {type: int, default: 30, doc: d}
  ask.url: {type: string, default: "", doc: u}
  ask.model: {type: string, default: small-1, doc: m}
  ask.key: {type: string, default: KEY, doc: k}
  ask.secret: {type: string, default: "", doc: k, secret: true}
  ask.retries: {type: int, default: 2, doc: r}
""",
)
GATE = """\
kind: gate
wait_seconds: settings.ask.wait
approvers: settings.ask.who
signed_answers: settings.ask.signed
grants:
  lasting: risk < high
  families: {commands: [exec], looking: [look]}
  days: settings.ask.days
reviewer:
  base_url: settings.ask.url
  model: settings.ask.model
  key_from: settings.ask.key
  timeout_seconds: 20
  retries: settings.ask.retries
"""
FILES = {**BASE, "vocabulary": VOCABULARY}
NOTHING = {
    "wait_seconds": 300,
    "approvers": [],
    "signed_answers": False,
    "lasting": None,
    "families": {},
    "grant_days": 0,
    "reviewer": None,
}


def settings_of(policy: Policy, **given: Any) -> Mapping[str, Any]:
    defaults = {name: item.field.default for name, item in policy.vocabulary.settings.items()}
    return {**defaults, **{f"ask.{name}": value for name, value in given.items()}}


def section(text: str | None = GATE, **given: Any) -> dict[str, Any]:
    """The section of a graph under the settings `ask.…`."""
    policy = policy_of(FILES if text is None else {**FILES, "gate": text})
    graph, _ = compile_policy(policy, settings_of(policy, **given))
    found: dict[str, Any] = graph.document["gate"]
    return found


def test_a_bundle_without_the_file() -> None:
    assert section(None) == section("kind: gate\n") == NOTHING
    assert gate_section(GateRules(), lambda _: None) == NOTHING


def test_settings_are_put_in() -> None:
    found = section()
    assert decode_expr(found.pop("lasting")) is not None
    assert found == {
        "wait_seconds": 120,
        "approvers": ["anna"],
        "signed_answers": True,
        "families": {"commands": ["exec"], "looking": ["look"]},
        "grant_days": 30,
        "reviewer": None,
    }
    found = section(url="https://models.example.org/v1", wait=5, who=("a", "b"), signed=False)
    assert (found["wait_seconds"], found["approvers"]) == (5, ["a", "b"])
    assert found["signed_answers"] is False
    assert found["reviewer"] == {
        "base_url": "https://models.example.org/v1",
        "model": "small-1",
        "key_from": "KEY",
        "timeout_seconds": 20,
        "retries": 2,
    }


def test_values_may_be_written_out() -> None:
    found = section(
        "kind: gate\nwait_seconds: 60\napprovers: [anna, ben]\nsigned_answers: true\n"
        "grants: {days: 7}\nreviewer: {base_url: '\"http://127.0.0.1:1\"'}\n"
    )
    assert (found["wait_seconds"], found["approvers"]) == (60, ["anna", "ben"])
    assert (found["signed_answers"], found["grant_days"]) == (True, 7)
    assert found["reviewer"] == {
        "base_url": "http://127.0.0.1:1",
        "model": "",
        "key_from": "",
        "timeout_seconds": 30,
        "retries": 1,
    }
    assert section("kind: gate\napprovers: '[]'\n")["approvers"] == []
    assert section('kind: gate\napprovers: \'["a", "b"]\'\n')["approvers"] == ["a", "b"]


@pytest.mark.parametrize(
    ("setting", "given", "place", "found"),
    [
        ("wait", -5, "wait_seconds", 0),
        ("wait", 10**30, "wait_seconds", 604_800),
        # 0 is no end, so that a number below it must not become 0.
        ("days", -1, "grant_days", 1),
        ("days", 0, "grant_days", 0),
        ("days", 10**30, "grant_days", 36_500),
        ("retries", -1, "reviewer.retries", 0),
        ("retries", 99, "reviewer.retries", 10),
        # What is no name of a variable may be the key itself, and must stand in no graph.
        ("key", "k-0123456789", "reviewer.key_from", ""),
        ("key", "A B", "reviewer.key_from", ""),
        ("key", "_KEY_2", "reviewer.key_from", "_KEY_2"),
    ],
)
def test_bounds(setting: str, given: Any, place: str, found: Any) -> None:
    part: Any = section(url="https://models.example.org", **{setting: given})
    for key in place.split("."):
        part = part[key]
    assert part == found


def test_time_outs_have_bounds() -> None:
    for written, found in ((0, 1), (601, 600), (-3, 1)):
        text = GATE.replace("timeout_seconds: 20", f"timeout_seconds: {written}")
        assert section(text, url="https://a.example")["reviewer"]["timeout_seconds"] == found


@pytest.mark.parametrize(
    ("lasting", "found"),
    [
        ("true", None),
        ("false", Const(False)),
        ('settings.approval.mode == "manual"', Const(False)),
        ('settings.approval.mode == "smart"', None),
    ],
)
def test_what_lasts_is_folded(lasting: str, found: Any) -> None:
    part = section(GATE.replace("risk < high", lasting))["lasting"]
    assert (part if found is None else decode_expr(part)) == found


def test_what_lasts_is_decided_by_the_call() -> None:
    policy = policy_of({**FILES, "gate": GATE})
    program = Program(*compile_policy(policy, settings_of(policy)))
    lasting = program.codegen.compile(decode_expr(program.graph.document["gate"]["lasting"]))
    for tool, args, found in (("look", {}, True), ("exec", {"command": "ls"}, False)):
        frame = program.checker.frame({"tool": tool, "args": args})
        program.classifier.classify(frame)
        assert lasting(frame) is found


def test_arguments_that_it_reads_are_checked() -> None:
    text = 'kind: gate\ngrants: {lasting: call.tool == look and (args.path ?? "") != "x"}\n'
    policy = policy_of({**FILES, "gate": text})
    program = Program(*compile_policy(policy, settings_of(policy)))
    told = program.decide({"tool": "look", "args": {"path": 7}}).to_dict()
    assert told["error"]["code"] == "R003"


WRONG = [
    # Only settings are known before there is a call.
    ("wait_seconds: ⟦length(call.tool)⟧", "C060", "`call.tool` is not known before"),
    ("approvers: ⟦call.groups⟧", "C060", "`call.groups` is not known"),
    ("signed_answers: ⟦call.nested⟧", "C060", "`call.nested` is not known"),
    ("signed_answers: ⟦quiet⟧", "C060", "is not known before there is a call"),
    ("reviewer: {base_url: ⟦call.channel⟧}", "C060", "`call.channel` is not known"),
    # Types.
    ("wait_seconds: ⟦settings.ask.url⟧", "C060", "`wait_seconds` is an int"),
    ("wait_seconds: ⟦true⟧", "C060", "`wait_seconds` is an int"),
    ("approvers: ⟦settings.ask.wait⟧", "C060", "`approvers` is a list of string"),
    ("approvers: ⟦settings.ask.url⟧", "C060", "`approvers` is a list of string"),
    ("signed_answers: ⟦1⟧", "C060", "`signed_answers` is a bool"),
    ("grants: {days: ⟦settings.ask.who⟧}", "C060", "`days` is an int"),
    ("reviewer: {base_url: settings.ask.url, retries: ⟦settings.ask.who⟧}", "C060", "`retries` is"),
    # Names.
    ("wait_seconds: ⟦settings.ask.wai⟧", "T003", "`wai`"),
    ("reviewer: {base_url: ⟦settings.ask.secret⟧}", "T014", "secret"),
    ("grants: {lasting: ⟦risk⟧ < hig}", "T002", "hig"),
    ("grants: {families: {a: [⟦exce⟧]}}", "C005", "there is no tool `exce`"),
    ("grants: {families: {a: [⟦bash⟧]}}", "C005", "`bash` is an alias"),
    ("grants: {families: {a: [exec], b: [⟦exec⟧]}}", "C001", "is in the family `a` already"),
    # What lasts is an allowance: more effects must not bring it about.
    ("grants: {lasting: ⟦any(d in effects.delete where d.recursive)⟧}", "T010", "more effects"),
    ("grants: {lasting: ⟦none(d in effects.delete where d.recursive)⟧}", "T011", "not understood"),
]


@pytest.mark.parametrize(("text", "code", "message"), WRONG, ids=[text for text, _, _ in WRONG])
def test_mistakes(text: str, code: str, message: str) -> None:
    files, place = found_at({**FILES, "gate": f"kind: gate\n{text}\n"})
    _, problems = assembled(files)
    assert [problem.code for problem in problems] == [code], problems
    (problem,) = problems
    assert message in problem.message
    assert problem.span is not None
    if code not in ("T002", "T003", "T010", "T011"):  # these point into the condition
        assert f"{problem.span}-{problem.span.end_column}" == place
    assert problem.help


@pytest.mark.parametrize(
    "text",
    [
        "⟦wait_seconds⟧: 5",
        "⟦approvers⟧: [a]",
        "⟦signed_answers⟧: true",
        "⟦reviewer⟧: {base_url: '\"x\"'}",
        "grants: {⟦lasting⟧: true}",
        "grants: {⟦families⟧: {a: [exec]}}",
        "grants: {⟦days⟧: 1}",
    ],
)
def test_two_files_may_not_say_the_same(text: str) -> None:
    files, place = found_at({**FILES, "gate": GATE, "gate2": f"kind: gate\n{text}\n"})
    _, problems = assembled(files)
    (problem,) = problems
    assert problem.code == "C015"
    assert f"{problem.span}-{problem.span and problem.span.end_column}" == place
    assert problem.related[0][1].file == "t/gate.yaml"


def test_two_files_say_it_together() -> None:
    policy = policy_of(
        {**FILES, "gate": "kind: gate\nwait_seconds: 5\n", "gate2": "kind: gate\napprovers: [a]\n"}
    )
    assert policy.gate == GateRules(wait_seconds=Const(5), approvers=Const(("a",)))


def test_the_digest_covers_it() -> None:
    policy = policy_of({**FILES, "gate": GATE})
    digests = {
        compile_policy(policy, settings_of(policy, **given))[0].digest
        for given in ({}, {"wait": 60}, {"who": ("eve",)}, {"signed": False})
    }
    assert len(digests) == 4


def test_a_graph_without_it_is_none() -> None:
    policy = policy_of(FILES)
    graph, _ = compile_policy(policy, settings_of(policy))
    document = {name: part for name, part in graph.document.items() if name != "gate"}
    with pytest.raises(GraphError, match="`gate` is missing"):
        DecisionGraph.of(document)
