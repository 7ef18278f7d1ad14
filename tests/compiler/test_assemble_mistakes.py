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
    ("vocabulary", "/etc/,", '⟦"/srv/*"⟧,', "T024", "is a pattern", "write `/srv`: what lies"),
    ("vocabulary", "/etc/,", '⟦"/a/*/b"⟧,', "T024", "`/a/*/b`", "write `/a`"),
    ("vocabulary", "/etc/,", '⟦"~foo/x"⟧,', "T019", "a user whom", "`~/…`"),
    *(
        (
            "vocabulary",
            "lists: {",
            f'lists: {{hosts.own: {{type: host, doc: h, items: [⟦"{text}"⟧]}}, ',
            "S004",
            f"`{text}` is not a host",
            help,
        )
        for text, help in [
            ("http://a/", "write `a`"),
            ("*.wild.test", "write `wild.test`: its sub-domains"),
            (".corp", "write `corp`: its sub-domains"),
            ("a.test:80", "write `a.test`"),
            ("10.0.0.0/8", "ranges of addresses"),
            ("a b", "the bare name"),
        ]
    ),
    *(
        (
            "vocabulary",
            "settings:",
            f"settings:\n  own.places: {{type: list of {type_}, default: [{item}], doc: own}}",
            code,
            "",
            "",
        )
        for type_, item, code in [
            ("path", '⟦"/srv/*"⟧', "T024"),
            ("path", "⟦~ann⟧", "T019"),
            ("path", '"", ".", /srv', ""),
            ("host", '⟦"*.a.test"⟧', "S004"),
            ("host", "a.test, A.test, ::1", ""),
        ]
    ),
    (
        "vocabulary",
        "settings:",
        'settings:\n  own.a: {type: list of host, default: ["*"], doc: a, wildcards: true}',
        "",
        "",
        "",
    ),
    ("vocabulary", "enums:", 'homes: ["/home/*"]\nenums:', "", "", ""),
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
