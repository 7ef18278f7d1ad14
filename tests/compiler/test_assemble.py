"""What a bundle without mistakes becomes."""

from __future__ import annotations

from callgate.model.expr import And, Apply, Const, Fact, Get, Not, Var
from callgate.model.policy import (
    AskLevel,
    Consult,
    Consultant,
    Decide,
    GuardDecision,
    Next,
    Verdict,
)
from callgate.model.template import Template
from callgate.model.types import PATH, ListOf
from tests.compiler.assembling import BASE, policy_of

NIGHTLY = Apply("eq", (Fact("call.origin"), Const("cron")))


def test_vocabulary() -> None:
    found = policy_of(BASE).vocabulary
    assert set(found.enums) == {"mode"}
    assert found.enums["mode"].members == ("smart", "manual")
    deny = found.settings["approval.deny"]
    assert deny.of_tools
    assert deny.field.default == ("exec",)
    assert not found.settings["approval.mode"].of_tools
    assert found.lists == {"paths.system": (PATH, ("/etc", "~"))}
    assert found.open_sections == ("logging",)
    assert (found.example_tool, found.example_argument) == ("exec", "command")
    quiet = found.derived["quiet"]
    assert quiet.expr == And((Fact("call.unattended"), Not(NIGHTLY)))
    assert quiet.text == "call.unattended and not nightly"
    assert list(found.derived) == ["quiet", "nightly"]


def test_tools() -> None:
    policy = policy_of(BASE)
    assert list(policy.tools) == ["exec", "look", "old"]
    exec_, look, old = policy.tools.values()
    assert exec_.aliases == ("bash", "shell")
    assert exec_.capabilities == ("process.exec",)
    (shell,) = exec_.effects
    assert shell.kind == "shell"
    assert shell.fields == {"text": ("arg", "command", None), "cwd": ("arg", "cwd", "/")}
    read, write = look.effects
    assert read.when is not None
    assert read.when.text == "has args.path"
    assert write.fields == {"path": ("const", "/tmp/log")}
    assert old.reserved
    assert not old.effects
    (mcp,) = policy.dynamic
    assert (mcp.id, mcp.capabilities, mcp.listed) == ("mcp", ("fs.read",), True)
    assert mcp.effects[0].fields == {"as": ("const", "read")}


def test_risk() -> None:
    risk = policy_of(BASE).risk
    assert risk is not None
    assert risk.levels.members == ("low", "high")
    assert risk.levels.ordered
    assert (risk.default, risk.tools) == ("high", {"look": "low", "exec": "high"})
    assert [(rule.id, rule.level, rule.tools) for rule in risk.declared] == [
        ("declared.server", "low", None)
    ]
    assert [(rule.id, rule.level, rule.tools) for rule in risk.raises] == [
        ("raise.cron", "high", ("look",))
    ]


def test_profiles() -> None:
    policy = policy_of(BASE)
    assert policy.profiles == {"small": ("look",), "big": ("exec", "*", "look")}
    assert policy.security_profiles == {
        "daemon": {
            "deny_tools": ("exec",),
            "deny_capabilities": ("process.exec",),
            "keep": ("look",),
        }
    }


def test_guards() -> None:
    delete, much = policy_of(BASE).guards
    assert (delete.id, delete.title) == ("files.delete", "Deletes")
    assert (delete.decide, delete.approval) == (GuardDecision.ASK, AskLevel.PERSON)
    assert delete.each == ("d", "delete")
    assert delete.unresolved == "pass"
    assert delete.reason == Template(("deletes ", Get(Var("d"), "path")))
    assert delete.when is not None
    assert delete.when.unknown
    assert [(example.fires, example.call) for example in delete.examples] == [
        (True, {"tool": "exec", "args": {"command": "rm -r /etc"}}),
        (False, {"tool": "look", "args": {"path": "/etc"}}),
    ]
    assert (much.decide, much.tools, much.each) == (GuardDecision.DENY, ("exec",), None)
    assert (much.approval, much.unresolved) == (AskLevel.ANY, "ask")
    assert much.when is not None
    assert much.when.text == "large"


def test_flow() -> None:
    flow = policy_of(BASE).flow
    assert [step.id for step in flow.steps] == ["first", "guards", "second", "grants", "last"]
    assert flow.otherwise == Decide(Verdict.DENY, Template(("no step decided",)))
    first, guards, second, grants, last = flow.steps
    assert first.rules[0].then == Decide(Verdict.DENY)
    assert guards.guards
    assert guards.asks_become_deny is not None
    assert second.when is not None
    assert second.show == Fact("risk")
    assert second.otherwise == Decide(Verdict.ASK, Template(("who knows ", Fact("call.tool"))))
    (known,) = second.rules
    assert known.then == Decide(Verdict.ALLOW, None, AskLevel.ANY)
    assert (known.title, known.tools) == ("second.known", ("look",))
    (granted,) = grants.rules
    assert (granted.id, granted.title) == ("grants", "Grants")
    assert granted.then == Consult(
        Consultant.GRANT,
        {"granted": Decide(Verdict.ALLOW, None, AskLevel.PERSON), "none": Next()},
    )
    (review,) = last.rules
    assert isinstance(review.then, Consult)
    assert review.then.unavailable_when == ("^error",)
    assert list(review.then.answers) == ["approve", "deny", "escalate", "unavailable"]


def test_the_rest() -> None:
    policy = policy_of(BASE)
    assert (policy.name, policy.version, policy.title) == ("t", "1.0.0", "T")
    assert policy.masking.names == ("token",)
    assert policy.masking.patterns == ("sk-[a-z]+",)
    (never,) = policy.invariants
    assert (never.id, never.never) == ("never.denied", Verdict.ALLOW)
    assert policy.programs == {"rm": {}}


def test_places() -> None:
    policy = policy_of(BASE)
    guard = policy.guards[0]
    assert guard.span is not None
    assert str(guard.span) == "t/guards.yaml:4:5"
    assert guard.when is not None
    assert str(guard.when.span) == "t/guards.yaml:9:11"
    assert str(policy.flow.steps[2].span) == "t/flow.yaml:8:5"
    assert str(policy.tools["look"].span) == "t/tools.yaml:13:3"


def test_only_the_flow_is_needed() -> None:
    policy = policy_of(
        {"flow": "kind: flow\nsteps: [{id: s, title: S}]\notherwise: {decide: ask, reason: a}\n"}
    )
    assert policy.risk is None
    assert not policy.tools


def test_files_of_a_kind_are_one() -> None:
    more = {
        "vocabulary2": "kind: vocabulary\nsettings: {note: {type: string, default: a, doc: a}}\n"
        "sections: [logging, ui]\n",
        "tools2": "kind: tools\ntools: {jump: {description: jumps, effects: none}}\n",
        "guards2": "kind: guards\ndefine: {large: call.nested}\nrules:\n"
        '  - {id: b, title: B, decide: note, when: large and settings.note == "b", reason: b}\n',
        "flow2": "kind: flow\nsteps:\n- id: s\n  title: S\n"
        "  rules: [{id: s.r, when: call.tool == jump, decide: ask}]\n",
        "masking2": "kind: masking\nnames: [token, key]\n",
        "profiles2": "kind: profiles\nprofiles: {huge: {includes: [big], tools: [jump]}}\n",
    }
    base = {**BASE, "risk": BASE["risk"].replace("[look]", "[look, jump]", 1)}
    policy = policy_of({**base, **more})
    assert [guard.id for guard in policy.guards] == ["files.delete", "files.much", "b"]
    # A `define:` is known in its own file: both files have one of this name.
    assert policy.guards[2].when is not None
    assert policy.guards[2].when.expr == And(
        (Fact("call.nested"), Apply("eq", (Fact("settings.note"), Const("b"))))
    )
    assert [step.id for step in policy.flow.steps][-1] == "s"
    assert policy.masking.names == ("token", "key")
    assert policy.vocabulary.open_sections == ("logging", "ui")
    assert policy.profiles["huge"] == ("jump", "exec", "*", "look")


def test_a_path_of_the_context_is_read_in_normal_form() -> None:
    vocabulary = (
        "kind: vocabulary\ncall: {workspace: {type: path, doc: w}}\n"
        "facts: {here: {is: call.workspace, doc: h}}\n"
    )
    flow = BASE["flow"].split("define")[0] + (
        'steps: [{id: s, title: S, rules: [{id: s.r, when: here under "/a", decide: deny}]}]\n'
        "otherwise: {decide: ask, reason: a}\n"
    )
    policy = policy_of({"vocabulary": vocabulary, "flow": flow})
    when = policy.flow.steps[0].rules[0].when
    assert when is not None
    path = Apply("path", (Fact("call.workspace"), Const("")))
    home = Apply("expand_home", (path, Fact("call.home")))
    assert when.expr == Apply("under_path", (home, Const("/a")))
    assert policy.vocabulary.call["workspace"].type == PATH
    assert policy.vocabulary.call["workspace"].default == ""


def test_types_of_settings() -> None:
    vocabulary = """\
kind: vocabulary
settings:
  a: {type: optional list of path, default: null, doc: a}
  b: {type: map of list of string, default: {x: [y]}, doc: b}
  c: {type: time, default: "1970-01-01T00:00:01Z", doc: c}
  d: {type: list of host, default: [Example.org], doc: d}
  e: {type: json, default: {a: [1, 2.5]}, doc: e}
"""
    flow = "kind: flow\nsteps: [{id: s, title: S}]\notherwise: {decide: ask, reason: a}\n"
    settings = policy_of({"vocabulary": vocabulary, "flow": flow}).vocabulary.settings
    assert {name: setting.field.default for name, setting in settings.items()} == {
        "a": None,
        "b": {"x": ("y",)},
        "c": 1_000_000,
        "d": ("Example.org",),
        "e": {"a": [1, 2.5]},
    }
    assert str(settings["a"].field.type) == "optional list of path"
    assert isinstance(settings["d"].field.type, ListOf)
