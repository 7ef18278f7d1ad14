"""Every mistake that assembling a bundle finds: its code, its place, its help."""

from __future__ import annotations

import pytest

from callgate.model.diagnostic import Severity
from tests.compiler.assembling import BASE, assembled, found_at

# File, what to replace in it, by what (with the place marked), code, part of message, of help.
CHANGES = [
    # C001
    ("guards", "id: files.much", "id: ⟦files.delete⟧", "C001", "`files.delete` is taken", "unique"),
    ("flow", "id: first.denied", "id: ⟦files.delete⟧", "C001", "`files.delete`", ""),
    ("invariants", "never.denied", "⟦second.otherwise⟧", "C001", "`second.otherwise`", ""),
    ("invariants", "never.denied", "⟦grants.granted⟧", "C001", "", ""),
    ("invariants", "never.denied", "⟦last.review.pending⟧", "C001", "", ""),
    ("invariants", "never.denied", "⟦otherwise⟧", "C001", "", ""),
    ("flow", "id: second\n", "id: ⟦first⟧\n", "C001", "the step id `first`", "id of its own"),
    ("flow", "title: Second\n", "title: Second\n    ⟦guards⟧: all\n", "C001", "walked twice", ""),
    ("tools", "[bash, shell]", "[bash, ⟦look⟧]", "C001", "`look` is the name of a tool", ""),
    (
        "tools",
        "status: reserved",
        "aliases: [⟦bash⟧], status: reserved",
        "C001",
        "an alias of `exec`",
        "",
    ),
    ("risk", "low: [look]", "low: [look, exec]", "C001", "`exec` has a risk level", "one level"),
    # C002, C003
    (
        "flow",
        "otherwise: {decide: deny, reason: no step decided}\n",
        "",
        "C002",
        "no step decides",
        "otherwise",
    ),
    ("flow", ", none: next}", "}", "C003", "a grant's answer `none`", "`next`"),
    ("flow", "escalate: next", "⟦escalat⟧: next", "C003", "", "did you mean `escalate`?"),
    (
        "flow",
        "none: next}",
        "none: next, ⟦always⟧: next}",
        "C003",
        "`always` is none of",
        "`granted`",
    ),
    (
        "flow",
        "otherwise: {decide: deny, reason: no",
        "otherwise: {decide: ⟦allow⟧, reason: no",
        "C002",
        "for which a guard asked",
        "deny or ask",
    ),
    # C004
    ("flow", "auto", "auto", "", "", ""),
    ("flow", "deny]", "deny]", "", "", ""),
    (
        "flow",
        "when: call.tool in settings.approval.deny, decide: deny",
        "decide: ⟦allow⟧",
        "C004",
        "before the guards",
        "`guards`",
    ),
    ("flow", "    show: risk\n", "", "", "", ""),
    # C005
    ("flow", "tools: [look]", "tools: [⟦lok⟧]", "C005", "no tool `lok`", "did you mean `look`?"),
    ("guards", "tools: [exec]", "tools: [⟦bash⟧]", "C005", "is an alias", "`exec`"),
    ("risk", "high: [exec]", "high: [exec, ⟦fly⟧]", "C005", "no tool `fly`", ""),
    ("risk", "tools: [look], when", "tools: [⟦loook⟧], when", "C005", "", "`look`"),
    ("profiles", "tools: [look]", "tools: [⟦lokk⟧]", "C005", "", "`look`"),
    ("security", "keep: [look]", "keep: [⟦lokk⟧]", "C005", "", "`look`"),
    ("vocabulary", "{tool: exec, ", "{tool: ⟦exek⟧, ", "C005", "", "`exec`"),
    (
        "vocabulary",
        "lists: {",
        "lists: {a.b: {type: tool, doc: t, items: [⟦exek⟧]}, ",
        "C005",
        "",
        "`exec`",
    ),
    # C006, C007
    (
        "tools",
        "capabilities: [process.exec]",
        "capabilities: [⟦proces.exec⟧]",
        "C006",
        "",
        "`process.exec`",
    ),
    (
        "tools",
        "capabilities: [fs.read]",
        "capabilities: [⟦net⟧]",
        "C006",
        "no capability `net`",
        "list it",
    ),
    (
        "security",
        "deny_capabilities: [process.exec]",
        "deny_capabilities: [⟦fs.raed⟧]",
        "C006",
        "",
        "`fs.read`",
    ),
    ("risk", "default: high", "default: ⟦hihg⟧", "C007", "no risk level `hihg`", "`high`"),
    ("risk", "level: low", "level: ⟦medium⟧", "C007", "", "levels are `low`, `high`"),
    ("risk", "to: high", "to: ⟦higher⟧", "C007", "", "`high`"),
    ("risk", "low: [look]", "⟦lo⟧: [look]", "C007", "", "`low`"),
    # C011
    (
        "vocabulary",
        "examples: {tool: exec, argument: command}\n",
        "",
        "C011",
        "an example that is a text",
        "examples: {tool",
    ),
    # C012
    (
        "flow",
        "decide: deny}]\n  - {id: guards",
        "decide: deny, despite: ⟦asks⟧}]\n  - {id: guards",
        "C012",
        "nothing about deny",
        "leave it out",
    ),
    (
        "flow",
        "despite: asks",
        "despite: ⟦person⟧",
        "C012",
        "a grant or a person",
        "`despite: asks`",
    ),
    (
        "flow",
        "approve: {decide: allow}",
        "approve: {decide: allow, despite: ⟦person⟧}",
        "C012",
        "",
        "",
    ),
    ("flow", "none: next", "none: {decide: ask, despite: ⟦asks⟧}", "C012", "nothing about ask", ""),
    # C013
    ("profiles", "includes: [small]", "includes: [⟦smal⟧]", "C013", "no profile `smal`", "`small`"),
    (
        "profiles",
        "includes: [small]",
        "includes: [⟦big⟧]",
        "C013",
        "includes itself",
        "take it out",
    ),
    # C014
    (
        "risk",
        "low: [look], high: [exec]",
        "low: [look]",
        "C014",
        "`exec` has no risk level",
        "default level",
    ),
    # Types, names and values in the vocabulary
    ("vocabulary", "type: mode,", "type: ⟦mod⟧,", "S004", "no type `mod`", "`mode`"),
    ("vocabulary", "list of tool,", "⟦list of tol⟧,", "S004", "no type `tol`", "`tool`"),
    (
        "vocabulary",
        "default: smart",
        "default: ⟦smrt⟧",
        "S004",
        "not a member of `mode`",
        "`smart`",
    ),
    ("vocabulary", "default: smart", "default: ⟦3⟧", "S003", "one of `mode`, not a number", ""),
    (
        "vocabulary",
        "default: [bash, exec]",
        "default: ⟦exec⟧",
        "S003",
        "a list of tool, not a text",
        "",
    ),
    (
        "vocabulary",
        "enums: {mode:",
        "enums: {⟦tool⟧: {members: [a]}, mode:",
        "T018",
        "a type already",
        "",
    ),
    (
        "vocabulary",
        "members: [smart, manual]",
        "members: [smart, manual], ordered: true, open: ⟦true⟧",
        "S006",
        "can't be open",
        "leave out",
    ),
    (
        "vocabulary",
        "  approval.mode:",
        "  ⟦approval⟧: {type: int, default: 1, doc: a}\n  approval.mode:",
        "T018",
        "is a section",
        "",
    ),
    (
        "vocabulary",
        "lists: {",
        "lists: {⟦call.x⟧: {type: path, doc: x, items: []}, ",
        "T018",
        "`call`",
        "",
    ),
    ("vocabulary", "/etc/,", "⟦etc⟧,", "T019", "`etc` depends", "from `/`"),
    ("vocabulary", "{quiet:", "{⟦risk⟧: {is: true, doc: r}, quiet:", "T018", "already means", ""),
    ("vocabulary", "not nightly", "not ⟦nightli⟧", "T001", "", "`nightly`"),
    (
        "vocabulary",
        'is: call.origin == "cron"',
        "is: quiet",
        "T015",
        "`quiet` → `nightly` → `quiet`",
        "",
    ),
    (
        "vocabulary",
        "facts:",
        "call: {⟦chanel⟧: {type: string, doc: c}}\nfacts:",
        "T003",
        "not a field of `context`",
        "`channel`",
    ),
    (
        "vocabulary",
        "facts:",
        "call: {channel: {type: ⟦int⟧, doc: c}}\nfacts:",
        "S004",
        "can't be int",
        "enum",
    ),
    (
        "vocabulary",
        "facts:",
        "call: {⟦channel⟧: {type: mode, doc: c}}\nfacts:",
        "S004",
        "the default",
        "members",
    ),
    # Conditions in every place
    ("guards", "large: any", "large: ⟦ani⟧(1) and any", "T007", "", ""),
    ("guards", "each: d in effects.delete", "each: d in effects.⟦delet⟧", "T003", "", "`delete`"),
    ("guards", "each: d in", "each: ⟦call⟧ in", "T018", "", ""),
    ("guards", "each: d in", "each: d ⟦of⟧", "P001", "", ""),
    ("guards", "reason: deletes {d.path}", "reason: deletes {d.⟦pth⟧}", "T003", "", "`path`"),
    ("guards", "reason: no}", 'reason: "too ⟦}⟧ much"}', "P007", "", ""),
    ("flow", "show: risk", "show: ⟦rsik⟧", "T001", "", "`risk`"),
    ("flow", "when: not quiet", "when: not ⟦quite⟧", "T001", "", "`quiet`"),
    (
        "flow",
        "{deny: settings.approval.mode == manual}",
        "{deny: settings.approval.mode == ⟦manuel⟧}",
        "T002",
        "",
        "`manual`",
    ),
    ("flow", "who knows {call.tool}", "who knows {call.⟦tol⟧}", "T003", "", "`tool`"),
    ("flow", '"^error"', '"⟦^error(⟧"', "P006", "", ""),
    ("masking", "'sk-[a-z]+'", "'sk-⟦(?=⟧a)'", "P006", "look-ahead", ""),
    ("invariants", "settings.approval.deny", "settings.approval.⟦dny⟧", "T003", "", "`deny`"),
    ("risk", "when: nightly", "when: ⟦large⟧", "T001", "is not known here", ""),
    ("tools", "when: has args.path", "when: has args.⟦pth⟧", "T020", "", "`path`"),
    ("tools", "{path: args.path}", "{path: ⟦args.pth⟧}", "T020", "no argument `pth`", "`path`"),
    (
        "tools",
        "when: declared.mcp_server",
        "when: declared.⟦mcp_serve⟧",
        "T003",
        "",
        "`mcp_server`",
    ),
]
CHANGES = [change for change in CHANGES if change[3]]


@pytest.mark.parametrize("change", CHANGES, ids=[f"{c[3]} {c[2]}" for c in CHANGES])
def test_mistake(change: tuple[str, str, str, str, str, str]) -> None:
    file, old, new, code, message, help = change
    assert BASE[file].count(old) >= 1, old
    files, place = found_at({**BASE, file: BASE[file].replace(old, new, 1)})
    policy, problems = assembled(files)
    assert [problem.code for problem in problems][:1] == [code], problems
    problem = problems[0]
    assert (policy is None) == (problem.severity is Severity.ERROR)
    assert message in problem.message
    assert help in problem.help
    span = problem.span
    assert span is not None
    if place:
        assert f"{span.file}:{span.line}:{span.column}-{span.end_column}" == place
    assert len(problems) == 1, problems


def test_related_places() -> None:
    _, (problem,) = assembled(
        {**BASE, "guards": BASE["guards"].replace("files.much", "files.delete")}
    )
    ((role, place),) = problem.related
    assert role == "it is used here first"
    assert str(place) == "t/guards.yaml:4:9"


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
        "steps: [{id: a, title: A, rules: [{id: a.r, decide: allow, despite: ⟦asks⟧}]}]",
        "C012",
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


def test_conditions_may_be_plain_booleans() -> None:
    flow = "kind: flow\nsteps: [{id: a, title: A, rules: [{id: b, when: true, decide: deny}]}]\n"
    policy, _ = assembled({"flow": flow + "otherwise: {decide: deny, reason: no}\n"})
    assert policy is not None
    when = policy.flow.steps[0].rules[0].when
    assert when is not None
    assert when.text == "true"
