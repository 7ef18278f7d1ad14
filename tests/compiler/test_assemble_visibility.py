"""The second flow: what its files become, and every mistake in them."""

from __future__ import annotations

import pytest

from callgate.compiler.assemble_visibility import denials
from callgate.compiler.build import compile_policy
from callgate.compiler.reach import report_unreachable
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import And
from callgate.model.policy import Decide, Verdict
from tests.compiler.assembling import BASE, assembled, found_at, policy_of

HIDING = """\
kind: flow
flow: visibility
define: {listed: call.tool in settings.approval.deny}
steps:
  - id: lists
    title: Lists
    when: not call.nested
    rules:
      - {id: lists.denied, title: Denied, when: listed, hide: policy.deny, reason: no}
      - {id: lists.old, tools: [look], hide: reserved}
  - id: ready
    title: Ready
    rules:
      - id: ready.shell
        when: shell in tool.needs and "shell" in observed.missing
        hide: missing.dependency
        calls: pass
otherwise: show
"""
FILES = {
    **BASE,
    "tools": BASE["tools"]
    .replace("tools:\n", "needs: {shell: a shell}\ntools:\n", 1)
    .replace("    aliases: [bash", "    needs: [shell]\n    aliases: [bash"),
    "flow": BASE["flow"].replace(
        "  - id: first\n",
        "  - id: seen\n    title: Seen\n    flow: visibility\n"
        "    rules: [{id: seen.nested, when: call.nested, decide: deny}]\n"
        "  - id: first\n",
    ),
    "visibility": HIDING,
}


def test_what_it_becomes() -> None:
    policy = policy_of(FILES)
    seen = policy.visibility
    assert seen is not None
    assert seen.codes == {
        "lists.denied": "policy.deny",
        "lists.old": "reserved",
        "ready.shell": "missing.dependency",
    }
    assert seen.passing == {"ready.shell"}
    assert [step.id for step in seen.flow.steps] == ["lists", "ready"]
    assert seen.flow.otherwise == Decide(Verdict.ALLOW)
    assert policy.tools["exec"].needs == ("shell",)
    # The approval flow denies what is hidden, but not what only isn't ready, before its own rules.
    step = policy.flow.steps[0]
    assert [rule.id for rule in step.rules] == ["lists.denied", "lists.old", "seen.nested"]
    assert step.rules[:2] == denials(seen)
    denied, old = denials(seen)
    assert denied.when is not None
    assert isinstance(denied.when.expr, And)
    assert denied.when.text == "(not call.nested) and (listed)"
    assert old.when is not None
    assert old.when.text == "not call.nested"


def test_a_bundle_without_it_shows_everything() -> None:
    policy = policy_of(BASE)
    assert policy.visibility is None
    settings = {name: s.field.default for name, s in policy.vocabulary.settings.items()}
    graph, _ = compile_policy(policy, settings)
    assert graph.visibility is None
    assert graph.document["visibility"] is None
    assert list(graph.steps_of("visibility")) == []
    assert list(graph.steps_of()) == list(range(len(graph.steps)))


def test_its_nodes_stand_behind_those_of_the_first() -> None:
    policy = policy_of(FILES)
    settings = {name: s.field.default for name, s in policy.vocabulary.settings.items()}
    graph, sources = compile_policy(policy, settings)
    second = graph.visibility
    assert second is not None
    entry, step = second["entry"], second["step"]
    assert graph.steps[step - 1][0] == "otherwise"
    assert [id_ for id_, _ in graph.steps[step:]] == ["lists", "ready", "visible"]
    assert {node[1] < step for node in graph.nodes[: entry - 1]} == {True}
    assert {node[1] >= step for node in graph.nodes[entry - 1 :]} == {True}
    assert sources.nodes[entry - 1].step == "lists"
    assert graph.nodes[-1] == ["decide", step + 2, "visible", "allow", None]


def test_two_files_are_one_flow() -> None:
    more = (
        HIDING.replace("lists", "other").replace("ready", "late").replace("otherwise: show\n", "")
    )
    policy = policy_of({**FILES, "more": more})
    assert policy.visibility is not None
    assert len(policy.visibility.flow.steps) == 4
    assert len(policy.flow.steps[0].rules) == 5


# File, what to replace in it, by what (with the place marked), code, part of message, of help.
MISTAKES = [
    ("visibility", "hide: reserved", "⟦decide⟧: deny", "C040", "`decide` has no place", "hide:"),
    (
        "visibility",
        "    title: Lists\n",
        "    title: L\n    ⟦show⟧: risk\n",
        "C040",
        "`show`",
        "rules",
    ),
    (
        "visibility",
        "otherwise: show",
        "otherwise: ⟦{decide: deny, reason: no}⟧",
        "C040",
        "last word",
        "show",
    ),
    ("visibility", "otherwise: show\n", "", "C002", "no rule hides", "otherwise: show"),
    ("visibility", "id: ready\n", "id: first\n", "C001", "the step id `first`", "id of its own"),
    ("visibility", "id: lists.old", "id: first.denied", "C001", "`first.denied`", ""),
    ("visibility", "when: listed", "when: ⟦risk⟧ == high", "T001", "`risk` is not known yet", ""),
    ("visibility", "when: listed", "when: ⟦guards.asks⟧ > none", "T001", "`guards.asks`", ""),
    ("visibility", "when: listed", "when: any(d in ⟦effects.delete⟧ where true)", "T012", "", ""),
    (
        "visibility",
        "{id: lists.denied, title: Denied, when: listed,",
        "{id: lists.denied, tools: [exec], when: ⟦args.command == x⟧,".replace("== x", '== "x"'),
        "T001",
        "`args.command` is not known yet in a rule that hides tools",
        "before anybody calls it",
    ),
    ("visibility", "shell in tool", "⟦shel⟧ in tool", "T002", "member of `need`", "`shell`"),
    ("tools", "needs: [shell]", "needs: [⟦shel⟧]", "C041", "no `shel` in `needs`", "`shell`"),
    ("flow", "id: seen.nested, ", "id: seen.nested, calls: pass, ", "S002", "", ""),
    (
        "flow",
        "call.nested, decide: deny",
        "call.nested, ⟦hide⟧: reserved",
        "C040",
        "`hide`",
        "decide",
    ),
]


@pytest.mark.parametrize("change", MISTAKES, ids=[f"{m[3]}-{n}" for n, m in enumerate(MISTAKES)])
def test_mistake(change: tuple[str, str, str, str, str, str]) -> None:
    file, old, new, code, message, help = change
    assert FILES[file].count(old) >= 1, old
    files, place = found_at({**FILES, file: FILES[file].replace(old, new, 1)})
    policy, problems = assembled(files)
    assert policy is None
    problem = problems[0]
    assert problem.code == code, problems
    assert message in problem.message
    assert help in problem.help
    span = problem.span
    assert span is not None
    if place:
        assert f"{span.file}:{span.line}:{span.column}-{span.end_column}" == place


def test_a_step_that_denies_what_nothing_hides() -> None:
    files = {name: text for name, text in FILES.items() if name != "visibility"}
    policy, (problem,) = assembled(files)
    assert policy is None
    assert (problem.code, problem.message) == ("C011", "the bundle has no flow `visibility`")


def test_the_second_flow_alone_is_not_enough() -> None:
    files = {name: text for name, text in FILES.items() if name != "flow"}
    policy, problems = assembled(files)
    assert policy is None
    assert [problem.code for problem in problems] == ["C011"]


def test_hidden_tools_that_can_be_called_are_told_of() -> None:
    policy, (problem,) = assembled({**FILES, "flow": BASE["flow"]})
    assert policy is not None
    assert (problem.code, problem.severity.value) == ("C042", "warning")
    # Nothing to say where every rule lets calls pass.
    passing = HIDING.replace("reason: no}", "calls: pass}").replace("reserved}", "r, calls: pass}")
    assert policy_of({**FILES, "flow": BASE["flow"], "visibility": passing}).visibility


def test_hidden_tools_are_denied_once() -> None:
    twice = FILES["flow"].replace("    title: First\n", "    title: First\n    flow: visibility\n")
    policy, (problem,) = assembled({**FILES, "flow": twice})
    assert policy is None
    assert (problem.code, problem.message) == ("C001", "calls of hidden tools are denied twice")


def test_a_rule_that_never_hides_is_reported_once() -> None:
    diagnostics = Diagnostics()
    never = HIDING.replace("when: listed", "when: call.nested and false")
    never = never.replace("when: shell in", "when: false and shell in")
    report_unreachable(policy_of({**FILES, "visibility": never}), diagnostics)
    assert [(item.code, item.message.split("`")[1]) for item in diagnostics.sorted()] == [
        ("C009", "lists.denied"),
        ("C009", "ready.shell"),
    ]
