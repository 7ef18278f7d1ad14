"""Mistakes that lie between files or between rules, and many mistakes at once."""

from __future__ import annotations

import pytest

from callgate.model.diagnostic import Severity
from tests.compiler.assembling import BASE, assembled, found_at, policy_of

CLASHES = [
    ("vocabulary", "kind: vocabulary\nenums: {⟦mode⟧: {members: [a]}}\n"),
    (
        "vocabulary",
        "kind: vocabulary\nsettings: {⟦approval.mode⟧: {type: int, default: 1, doc: a}}\n",
    ),
    ("vocabulary", "kind: vocabulary\nfacts: {⟦quiet⟧: {is: true, doc: a}}\n"),
    ("vocabulary", "kind: vocabulary\nlists: {⟦paths.system⟧: {type: path, items: [/], doc: a}}\n"),
    ("vocabulary", "kind: vocabulary\nexamples: ⟦{tool: exec, argument: command}⟧\n"),
    ("tools", "kind: tools\ntools: {⟦look⟧: {description: a, effects: none}}\n"),
    ("tools", "kind: tools\ncapabilities: {⟦fs.read⟧: a}\n"),
    ("risk", "kind: risk-map\nlevels: ⟦[a]⟧\ndefault: a\n"),
    ("profiles", "kind: profiles\nprofiles: {⟦small⟧: {}}\n"),
    ("security", "kind: security-profiles\nprofiles: {⟦daemon⟧: {}}\n"),
    ("programs", "kind: programs\nprograms: {⟦rm⟧: {}}\n"),
    ("masking", "kind: masking\npatterns: {⟦key⟧: a}\n"),
    ("flow", "kind: flow\nsteps: [{id: z, title: Z}]\n⟦otherwise⟧: {decide: deny, reason: a}\n"),
]


@pytest.mark.parametrize(("kind", "text"), CLASHES, ids=[text for _, text in CLASHES])
def test_two_files_may_not_define_the_same(kind: str, text: str) -> None:
    files, place = found_at({**BASE, f"{kind}2": text})
    _, problems = assembled(files)
    (problem,) = problems
    assert problem.code == "C015"
    assert problem.span is not None
    shown = (
        f"{problem.span.file}:{problem.span.line}:{problem.span.column}-{problem.span.end_column}"
    )
    assert shown == place
    assert problem.related[0][1].file == f"t/{kind}.yaml"


def test_the_flow_is_needed() -> None:
    files = {name: text for name, text in BASE.items() if name != "flow"}
    policy, (problem,) = assembled(files)
    assert policy is None
    assert problem.code == "C011"
    assert problem.span is not None
    assert str(problem.span) == "t/bundle.yaml:5:1"


ORDER = [
    # Guards but no step that walks them.
    ("steps: [{id: a, title: A, rules: [{id: a.r, decide: ⟦allow⟧}]}]", "C004"),
    ("steps: [{id: a, title: A, otherwise: {decide: ⟦allow⟧, reason: a}}]", "C004"),
    (
        "steps: [{id: a, title: A, consult: grant, "
        "answers: {granted: {decide: ⟦allow⟧}, none: next}}]",
        "C004",
    ),
    (
        "steps: [{id: a, title: A, rules: [{id: a.r, decide: ⟦allow⟧, despite: asks}]}]",
        "C004",
    ),
    # Within the step that walks the guards, rules come after them.
    (
        "steps: [{id: a, title: A, guards: all, rules: [{id: a.r, decide: allow, despite: asks}]}]",
        "",
    ),
    (
        "steps: [{id: a, title: A, rules: [{id: a.r, decide: deny}]}, "
        "{id: g, title: G, guards: all}]",
        "",
    ),
]


@pytest.mark.parametrize(("steps", "code"), ORDER, ids=[steps for steps, _ in ORDER])
def test_order(steps: str, code: str) -> None:
    guards = (
        "kind: guards\nrules: [{id: g1, title: G, decide: ask, when: call.nested, reason: n}]\n"
    )
    flow = f"kind: flow\n{steps}\notherwise: {{decide: deny, reason: no}}\n"
    files, place = found_at({"guards": guards, "flow": flow})
    _, problems = assembled(files)
    if not code:
        assert not problems
        return
    problem = next(problem for problem in problems if problem.code == code)
    assert problem.span is not None
    assert (
        f"{problem.span.file}:{problem.span.line}:{problem.span.column}-{problem.span.end_column}"
        == place
    )


def test_guards_that_are_walked_too_late_are_one_mistake() -> None:
    guarded = "  - {id: guards, title: Guards, guards: all, "
    start = BASE["flow"].index(guarded)
    end = BASE["flow"].index("  - id: second")
    flow = BASE["flow"][:start] + BASE["flow"][end:]
    _, (problem,) = assembled({**BASE, "flow": flow})
    assert problem.code == "C004"
    assert problem.message.endswith("seen the call, and so do 2 others")
    assert "`guards: all`" in problem.help
    assert problem.span is not None
    assert flow.split("\n")[problem.span.line - 1].startswith("      - {id: second.known")


PEOPLE = [
    ("{decide: allow}", "", "C018"),
    ("{decide: allow, despite: person}", "", ""),
    ("{decide: allow, despite: asks}", "", ""),
    ("{decide: deny}", "", ""),
    ("{decide: allow}", "when: guards.asks == none, ", ""),
]


@pytest.mark.parametrize(("once", "when", "code"), PEOPLE)
@pytest.mark.parametrize("whole_step", [True, False])
def test_a_person_who_can_lift_no_ask(once: str, when: str, code: str, whole_step: bool) -> None:
    answers = (
        f"once: {once}, session: next, session-all: next, always: next, deny: {{decide: deny}}"
    )
    consult = f"consult: ⟦human⟧, answers: {{{answers}, timeout: next}}"
    rule = f"rules: [{{id: h.r, {when}{consult}}}]"
    step = f"  - {{id: h, title: H, {when + consult if whole_step else rule}}}\n"
    files, place = found_at(
        {**BASE, "flow": BASE["flow"].replace("  - id: last\n", step + "  - id: last\n")}
    )
    policy, problems = assembled(files)
    assert policy is not None
    assert [problem.code for problem in problems] == ([code] if code else [])
    for problem in problems:
        assert problem.severity is Severity.WARNING
        assert str(problem.span) == place.rpartition("-")[0]
    # Before the guards there is nothing to lift.
    early = BASE["flow"].replace("steps:\n", "steps:\n" + step.replace("⟦", "").replace("⟧", ""))
    assert "C018" not in {problem.code for problem in assembled({**BASE, "flow": early})[1]}


def test_commands_without_programs() -> None:
    files = {name: text for name, text in BASE.items() if name != "programs"}
    policy, (problem,) = assembled(files)
    assert policy is not None
    assert (problem.code, problem.severity) == ("C017", Severity.WARNING)
    assert "`echo`" in problem.help
    assert problem.span is not None
    line = files["tools"].split("\n")[problem.span.line - 1]
    assert line[problem.span.column - 1 :].startswith("shell:")
    plain = files["tools"].replace(
        "{shell: {text: args.command, cwd: {arg: cwd, default: /}}}",
        "{run: {program: args.command}}",
    )
    assert assembled({**files, "tools": plain})[1] == []


def test_the_last_word_of_a_flow_has_its_place() -> None:
    span = policy_of(BASE).flow.span
    assert span is not None
    assert BASE["flow"].split("\n")[span.line - 1].startswith("otherwise:")
    assert (span.column, span.end_column) == (1, 10)


def test_without_guards_an_allow_may_stand_anywhere() -> None:
    steps = "steps: [{id: a, title: A, rules: [{id: a.r, decide: allow}]}]\n"
    flow = f"kind: flow\n{steps}otherwise: {{decide: allow, reason: a}}\n"
    assert assembled({"flow": flow})[1] == []
    empty = "kind: guards\nrules: []\n"
    assert assembled({"flow": flow, "guards": empty})[1] == []


def test_many_mistakes_are_shown_at_once_and_sorted() -> None:
    files = dict(BASE)
    for file, old, new in (
        ("vocabulary", "default: smart", "default: smrt"),
        ("vocabulary", "not nightly", "not nightli"),
        ("tools", "capabilities: [process.exec]", "capabilities: [proces.exec]"),
        ("risk", "to: high", "to: higher"),
        ("profiles", "includes: [small]", "includes: [smal]"),
        ("guards", "id: files.much", "id: files.delete"),
        ("guards", "d.path under", "d.pth under"),
        ("flow", ", none: next}", "}"),
        ("flow", "tools: [look]", "tools: [lok]"),
        (
            "invariants",
            "never: allow, when: call.tool in",
            "never: allow, when: call.tool == ecex or call.tool in",
        ),
    ):
        assert old in files[file]
        files[file] = files[file].replace(old, new, 1)
    policy, problems = assembled(files)
    assert policy is None
    codes = sorted(problem.code for problem in problems)
    assert codes == ["C001", "C003", "C005", "C006", "C007", "C013", "S004", "T001", "T002", "T003"]
    assert all(problem.help for problem in problems)
    assert problems == sorted(problems, key=lambda problem: problem.sort_key)


def test_what_was_refused_is_not_missed() -> None:
    """A part of a file that could not be read brings no errors about what refers to it."""
    broken = BASE["vocabulary"].replace(
        "facts: {quiet:", "facts: {quiet: {is: true, doc: a}, quiet:"
    )
    policy, problems = assembled({**BASE, "vocabulary": broken})
    assert policy is None
    assert {problem.code for problem in problems} == {"Y002"}
    lost = BASE["vocabulary"].replace("lists:", "list:")
    _, problems = assembled({**BASE, "vocabulary": lost})
    assert {problem.code for problem in problems} == {"S001"}
    # What is probably a slip of the pen is reported all the same.
    slip = BASE["guards"].replace("effects.delete where", "effects.delet where")
    _, problems = assembled({**BASE, "vocabulary": lost, "guards": slip})
    assert {problem.code for problem in problems} == {"S001", "T003"}


@pytest.mark.parametrize(
    ("file", "old", "new", "codes"),
    [
        # Of a tool that is misspelt, of tools that are no list and of parameters with a mistake,
        # nothing is known.
        ("guards", "tools: [exec]", "tools: [exce]", {"C005"}),
        ("guards", "tools: [exec]", "tools: [look, exce]", {"C005"}),
        ("guards", "tools: [exec]", "tools: exec", {"S003"}),
        ("guards", "tools: [exec]", "tools: [3]", {"S003"}),
        ("tools", "{command: {type: string}", "{command: {type: strnig}", {"S004"}),
        ("guards", "tools: [exec]", "tools: [look]", {"T020"}),
        ("guards", "tools: [exec], ", "", {"T006"}),
    ],
)
def test_what_is_not_known_of_arguments_is_not_judged(
    file: str, old: str, new: str, codes: set[str]
) -> None:
    guards = BASE["guards"].replace("when: large", "when: 'args.command like \"a*\"'")
    guards = guards.replace("reason: no}", "reason: 'no {args.command}'}")
    files = {**BASE, "guards": guards}
    policy_of(files)
    assert old in files[file]
    _, problems = assembled({**files, file: files[file].replace(old, new, 1)})
    assert {problem.code for problem in problems} == codes


@pytest.mark.parametrize(
    ("when", "code", "help"),
    [
        ("risk == high", "T001", "a file of kind `risk-map`"),
        ('has profiles["a"]', "T001", "a file of kind `profiles`"),
        ("settings.a == 3", "T003", "there are none"),
        ("call.tool == fly", "T002", "there are none"),
    ],
)
def test_what_no_file_gives(when: str, code: str, help: str) -> None:
    flow = "kind: flow\nsteps:\n- id: a\n  title: A\n  rules:\n"
    flow += f"  - id: b\n    when: {when}\n    decide: deny\n"
    _, (problem,) = assembled({"flow": flow + "otherwise: {decide: deny, reason: no}\n"})
    assert problem.code == code
    assert help in problem.help


def test_programs_are_read() -> None:
    programs = (
        "kind: programs\nprograms: {cat: {operands: FILE..., effects: [{read: {path: FIEL}}]}}\n"
    )
    _, (problem,) = assembled({**BASE, "programs": programs})
    assert problem.code == "S004"
    assert "FIEL" in problem.message
    assert problem.span is not None
    assert (problem.span.file, problem.span.line) == ("t/programs.yaml", 2)


def test_mistakes_of_programs_have_their_place() -> None:
    programs = (
        "kind: programs\nprograms:\n  cat:\n    operands: FILE...\n    effects:\n"
        "      - read: {path: FILE}\n      - read: {path: FIEL}\n      - delete: {path: option x}\n"
    )
    _, problems = assembled({**BASE, "programs": programs})
    assert [str(problem.span) for problem in problems] == [
        "t/programs.yaml:7:22",
        "t/programs.yaml:8:24",
    ]


def test_conditions_may_be_plain_booleans() -> None:
    flow = "kind: flow\nsteps: [{id: a, title: A, rules: [{id: b, when: true, decide: deny}]}]\n"
    policy, _ = assembled({"flow": flow + "otherwise: {decide: deny, reason: no}\n"})
    assert policy is not None
    when = policy.flow.steps[0].rules[0].when
    assert when is not None
    assert when.text == "true"
