"""A bundle laid over another: what is inherited, replaced, removed, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.load.bundle import Bundle, load_bundle
from callgate.model.diagnostic import Diagnostics, Severity

BASE = {
    "guards": """\
kind: guards
define: {odd: call.nested}
rules:
  - {id: g.one, title: One, decide: deny, when: odd, reason: r}
  - {id: g.two, title: Two, decide: ask, when: odd, reason: r}
""",
    "flow": """\
kind: flow
steps:
  - {id: first, title: First, guards: all}
  - id: second
    title: Second
    rules:
      - {id: second.a, title: A, decide: deny, when: call.nested}
      - {id: second.b, title: B, decide: allow, when: call.unattended}
  - {id: third, title: Third, otherwise: {decide: ask, reason: r}}
otherwise: {decide: deny, reason: nothing}
""",
    "risk": """\
kind: risk-map
levels: [low, high]
default: high
tools: {low: [look], high: [save]}
declared: [{id: declared.a, when: call.nested, level: low}]
""",
    "tools": """\
kind: tools
capabilities: {fs.read: reads}
needs: {net: a network}
tools:
  look: {description: looks, effects: none}
  save: {description: saves, effects: none}
dynamic: {mcp: {when: call.nested, effects: none}}
""",
    "words": """\
kind: vocabulary
enums: {mode: {members: [a, b]}}
call: {channel: {type: string, doc: c}}
settings: {some.key: {type: int, default: 1, doc: k}}
facts: {busy: {is: call.nested, doc: b}}
lists:
  paths.secret: {type: path, doc: s, open: true, items: [/a]}
  paths.closed: {type: path, doc: s, items: [/a]}
""",
    "rest": "kind: masking\npatterns: {key: abc}\n",
    "programs": "kind: programs\nprograms: {rm: {}}\n",
    "profiles": "kind: profiles\nprofiles: {small: {tools: [look]}}\n",
    "security": "kind: security-profiles\nprofiles: {strict: {}}\n",
    "never": """\
kind: invariants
rules: [{id: never.a, title: N, never: allow, when: call.nested}]
""",
    "cases": """\
kind: tests
cases:
  - {name: one, call: {tool: look}, expect: {decision: deny}}
  - table: many
    columns: [tool, decision]
    rows: [[look, deny], [save, deny], [look, deny]]
""",
}


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("base", BASE)


def write(name: str, files: dict[str, str], extends: str = "", replaces: str = "") -> None:
    Path(name).mkdir()
    manifest = f"kind: bundle\nname: {name}\nversion: '1'\ntitle: T\n"
    manifest += f"files: [{', '.join(f'{file}.yaml' for file in files)}]\n"
    manifest += f"extends: {extends}\n" if extends else ""
    manifest += f"replaces: {replaces}\n" if replaces else ""
    for file, text in {**files, "bundle": manifest}.items():
        Path(name, f"{file}.yaml").write_text(text)


def laid_over(
    files: dict[str, str], replaces: str = "", name: str = "own", base: str = "../base"
) -> tuple[Bundle, list[str]]:
    """The bundle of these files over the base, and what is wrong."""
    if not files:
        files = {"none": "kind: masking\n"}
    write(name, files, base, replaces)
    diagnostics = Diagnostics()
    bundle = load_bundle(name, diagnostics)
    assert bundle is not None
    wrong = [d for d in diagnostics.sorted() if d.severity is not Severity.INFO]
    return bundle, [f"{d.span}: {d.code} {d.message} | {d.help}" for d in wrong]


def data_of(bundle: Bundle, kind: str, key: str) -> list[Any]:
    return [document.data[key] for document in bundle.of_kind(kind) if key in document.data]


def steps_of(bundle: Bundle) -> list[tuple[str, str]]:
    return [
        (document.file.partition("/")[0], step["id"])
        for document in bundle.of_kind("flow")
        for step in document.data["steps"]
    ]


def test_documents_of_the_base_come_first() -> None:
    bundle, wrong = laid_over({"a": "kind: masking\nnames: [x]\n"})
    assert wrong == []
    assert [d.file for d in bundle.documents] == [
        *(f"base/{name}.yaml" for name in BASE),
        "own/a.yaml",
    ]
    assert (bundle.name, bundle.replacements) == ("own", ())
    assert [(base.name, base.version) for base in bundle.extends] == [("base", "1")]


NAMES = [
    (
        "rule",
        "g.one",
        "guards",
        "kind: guards\nrules: [{id: g.one, title: T, decide: deny, reason: r}]\n",
    ),
    (
        "rule",
        "never.a",
        "invariants",
        "kind: invariants\nrules: [{id: never.a, title: T, never: allow, when: call.nested}]\n",
    ),
    (
        "rule",
        "declared.a",
        "risk-map",
        "kind: risk-map\ndeclared: [{id: declared.a, when: call.nested, level: high}]\n",
    ),
    (
        "step",
        "second",
        "flow",
        "kind: flow\nsteps: [{id: second, title: T, otherwise: {decide: deny, reason: r}}]\n",
    ),
    (
        "step",
        "otherwise",
        "flow",
        "kind: flow\notherwise: {decide: ask, reason: r}\n",
    ),
    ("tool", "look", "tools", "kind: tools\ntools: {look: {description: d, effects: none}}\n"),
    (
        "dynamic",
        "mcp",
        "tools",
        "kind: tools\ndynamic: {mcp: {when: call.nested, effects: none}}\n",
    ),
    ("capability", "fs.read", "tools", "kind: tools\ncapabilities: {fs.read: r}\n"),
    ("need", "net", "tools", "kind: tools\nneeds: {net: n}\n"),
    ("risk", "look", "risk-map", "kind: risk-map\ntools: {high: [look]}\n"),
    ("program", "rm", "programs", "kind: programs\nprograms: {rm: {}}\n"),
    (
        "list",
        "paths.closed",
        "vocabulary",
        "kind: vocabulary\nlists: {paths.closed: {type: path, doc: d, items: [/b]}}\n",
    ),
    ("enum", "mode", "vocabulary", "kind: vocabulary\nenums: {mode: {members: [a]}}\n"),
    ("fact", "busy", "vocabulary", "kind: vocabulary\nfacts: {busy: {is: true, doc: d}}\n"),
    (
        "setting",
        "some.key",
        "vocabulary",
        "kind: vocabulary\nsettings: {some.key: {type: int, default: 2, doc: d}}\n",
    ),
    (
        "context",
        "channel",
        "vocabulary",
        "kind: vocabulary\ncall: {channel: {type: string, doc: d}}\n",
    ),
    ("profile", "small", "profiles", "kind: profiles\nprofiles: {small: {}}\n"),
    (
        "security_profile",
        "strict",
        "security-profiles",
        "kind: security-profiles\nprofiles: {strict: {keep: [look]}}\n",
    ),
    ("masking", "key", "masking", "kind: masking\npatterns: {key: b}\n"),
    (
        "test",
        "one",
        "tests",
        "kind: tests\ncases: [{name: one, call: {tool: x}, expect: {decision: ask}}]\n",
    ),
    (
        "test",
        "many, row 2",
        "tests",
        "kind: tests\ncases:\n"
        "  - {name: 'many, row 2', call: {tool: x}, expect: {decision: ask}}\n",
    ),
    (
        "test",
        "many",
        "tests",
        "kind: tests\ncases: [{table: many, columns: [tool, decision], rows: [[x, ask]]}]\n",
    ),
]
IDS = [f"{kind} {name}" for kind, name, _, _ in NAMES]


def definitions(bundle: Bundle, kind: str, name: str) -> int:
    """How often a bundle defines something."""
    from callgate.load.named import named

    found = [item for document in bundle.documents for item in named(document)]
    return sum((item.kind, item.name) == (kind, name) for item in found)


@pytest.mark.parametrize(("kind", "name", "file", "text"), NAMES, ids=IDS)
def test_what_is_inherited_must_be_named_to_be_replaced(
    kind: str, name: str, file: str, text: str
) -> None:
    bundle, (problem,) = laid_over({"a": text})
    assert problem.startswith("own/a.yaml:")
    assert f"C021 the {'' if kind != 'context' else 'context '}" in problem
    assert f"`{name}` is inherited from `base` | name it under `replaces`" in problem
    assert definitions(bundle, kind, name) == 1
    assert file in bundle.incomplete


@pytest.mark.parametrize(("kind", "name", "file", "text"), NAMES, ids=IDS)
def test_what_is_named_is_replaced(kind: str, name: str, file: str, text: str) -> None:
    bundle, wrong = laid_over({"a": text}, f"[{{{kind}: '{name}', reason: because}}]")
    assert wrong == []
    assert definitions(bundle, kind, name) == 1
    files = [d.file for d in bundle.of_kind(file) if f"{name.partition(',')[0]}" in str(d.data)]
    assert "own/a.yaml" in files
    (entry,) = bundle.replacements
    assert (entry.kind, entry.name, entry.reason) == (kind, name, "because")
    assert (entry.base, entry.redefined) == ("base", True)


@pytest.mark.parametrize(("kind", "name", "file", "text"), NAMES, ids=IDS)
def test_what_is_named_and_not_defined_is_removed(
    kind: str, name: str, file: str, text: str
) -> None:
    bundle, wrong = laid_over({}, f"[{{{kind}: '{name}', reason: because}}]")
    assert wrong == []
    assert definitions(bundle, kind, name) == 0
    assert not any(document.incomplete for document in bundle.documents)
    assert bundle.incomplete == frozenset()
    assert [entry.redefined for entry in bundle.replacements] == [False]


def test_replacements_are_listed() -> None:
    write("own", {"a": NAMES[0][3]}, "../base", "[{rule: g.one, reason: 'better\n so'}]")
    diagnostics = Diagnostics()
    load_bundle("own", diagnostics)
    (item,) = diagnostics
    assert (item.code, item.severity, str(item.span)) == ("C024", "info", "own/bundle.yaml:7:19")
    assert item.message == "the rule `g.one` of `base` is replaced: better so"


def test_the_kinds_of_replacements_are_those_of_the_schema() -> None:
    from callgate.load.named import KINDS
    from callgate.load.schemas import schema_of

    entry = schema_of("bundle")["definitions"]["replacement"]
    assert [*KINDS, "reason"] == list(entry["properties"])
    assert [{"required": [kind]} for kind in KINDS] == entry["oneOf"]


WRONG = [
    ("[{rule: g.on, reason: r}]", "C020 `base` has no rule `g.on` | did you mean `g.one`?"),
    ("[{tool: g.one, reason: r}]", "C020 `base` has no tool `g.one` | did you mean `rule: g.one`?"),
    ("[{rule: none.such, reason: r}]", "C020 `base` has no rule `none.such` | only what is"),
    (
        "[{rule: g.one, reason: r}, {rule: g.one, reason: s}]",
        "C020 the rule `g.one` is named twice | keep one of them",
    ),
    (
        "[{rule: second.a, reason: r}, {step: second, reason: s}]",
        "C020 the rule `second.a` is part of the step `second`, which is replaced as well",
    ),
    (
        "[{test: many, reason: r}, {test: 'many, row 1', reason: s}]",
        "C020 the test `many, row 1` is part of the test `many`, which is replaced as well",
    ),
    ("[{rule: g.one}]", "S002 `reason` is missing"),
    ("[{reason: r}]", "S002 one of `rule`, `step`"),
    ("[{rule: g.one, tool: look, reason: r}]", "S006 "),
    ("[{guard: g.one, reason: r}]", "S001 unknown key `guard`"),
    ("[]", "S004 "),
]


@pytest.mark.parametrize(("replaces", "message"), WRONG)
def test_entries_that_replace_nothing(replaces: str, message: str) -> None:
    _, wrong = laid_over({}, replaces)
    assert any(line.partition(": ")[2].startswith(message) for line in wrong), wrong
    assert all(line.startswith("own/bundle.yaml:7:") for line in wrong)


def test_replaces_needs_extends() -> None:
    write("own", {"a": "kind: masking\n"}, replaces="[{rule: g.one, reason: r}]")
    diagnostics = Diagnostics()
    load_bundle("own", diagnostics)
    assert [item.code for item in diagnostics] == ["S002"]


def flow(*ids: str, more: str = "") -> str:
    last = "otherwise: {decide: deny, reason: r}"
    steps = ", ".join(f"{{id: {id}, title: T, {last}}}" for id in ids)
    return f"kind: flow\ndefine: {{mine: call.nested}}\nsteps: [{steps}]\n{more}"


def test_a_step_takes_the_place_of_the_one_it_replaces() -> None:
    bundle, wrong = laid_over(
        {"a": flow("third", "second")}, "[{step: second, reason: r}, {step: third, reason: r}]"
    )
    assert wrong == []
    assert steps_of(bundle) == [("base", "first"), ("own", "second"), ("own", "third")]
    assert len(data_of(bundle, "flow", "otherwise")) == 1
    own = [d for d in bundle.of_kind("flow") if d.file.startswith("own") and d.data["steps"]]
    assert all(document.data["define"] == {"mine": "call.nested"} for document in own)
    assert [str(own[0].span("steps", 0, "id")), str(own[1].span("steps", 0, "id"))] == [
        "own/a.yaml:3:75",
        "own/a.yaml:3:14",
    ]


def test_rules_of_a_replaced_step_may_have_the_inherited_names() -> None:
    step = "{id: second, title: T, rules: [{id: second.a, title: T, decide: deny, reason: r}]}"
    _, wrong = laid_over({"a": f"kind: flow\nsteps: [{step}]\n"}, "[{step: second, reason: r}]")
    assert wrong == []


def test_one_rule_of_a_step_is_removed() -> None:
    bundle, wrong = laid_over({}, "[{rule: second.b, reason: r}]")
    assert wrong == []
    (steps,) = data_of(bundle, "flow", "steps")
    assert [rule["id"] for rule in steps[1]["rules"]] == ["second.a"]


ADDED = [
    (flow("secnd"), "C022 the step `secnd` can't be added to the flow of `base` | did you mean"),
    (flow("other"), "C022 the step `other` can't be added to the flow of `base` | write a guard"),
    (
        "kind: risk-map\ndeclared: [{id: declared.b, when: call.nested, level: low}]\n",
        "C022 `declared.b` can't be added to the `declared` of `base` | raise the level",
    ),
    (
        "kind: vocabulary\nlists: {paths.closed: {add: [/b]}}\n",
        "C023 the list `paths.closed` of `base` is not open | replace it as a whole",
    ),
    (
        "kind: vocabulary\nlists: {paths.secrets: {add: [/b]}}\n",
        "C023 `base` has no list `paths.secrets` to add to | did you mean `paths.secret`?",
    ),
    ("kind: vocabulary\nlists: {paths.secret: {add: [/b], doc: d}}\n", "S002 `items` is missing"),
    ("kind: vocabulary\nlists: {paths.secret: {add: [/b], items: [/c], doc: d, type: path}}\n",
     "S006 "),
    ("kind: vocabulary\nlists: {paths.new: {items: [/c]}}\n", "S002 `doc`"),
    ("kind: vocabulary\nlists: {paths.new: {type: path, doc: d}}\n", "S002 "),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ADDED)
def test_what_can_not_be_added(text: str, message: str) -> None:
    bundle, wrong = laid_over({"a": text})
    assert wrong[0].partition(": ")[2].startswith(message), wrong
    assert [step for _, step in steps_of(bundle)] == ["first", "second", "third"]


def test_a_step_replaces_one_of_its_own_flow_only() -> None:
    other = f"flow: visibility\n{flow('second').partition(chr(10))[2]}"
    bundle, wrong = laid_over(
        {"a": f"kind: flow\n{other}", "b": flow("second")}, "[{step: second, reason: r}]"
    )
    assert wrong == []
    assert steps_of(bundle)[:3] == [("base", "first"), ("own", "second"), ("base", "third")]


def test_what_may_be_added() -> None:
    texts = {
        "a": "kind: guards\nrules: [{id: g.three, title: T, decide: ask, reason: r}]\n",
        "b": "kind: tools\ncapabilities: {c: d}\ntools: {t: {description: d, effects: none}}\n",
        "c": "kind: risk-map\ntools: {high: [t]}\n"
        "raise: [{id: raise.a, when: call.nested, to: high}]\n",
        "d": "kind: vocabulary\nlists: {paths.secret: {add: [/b]}}\n"
        "settings: {own.key: {type: int, default: 1, doc: d}}\nsections: [more]\n",
        "e": "kind: programs\nprograms: {ours: {}}\n",
        "f": "kind: masking\nnames: [n]\npatterns: {p: q}\n",
        "g": "kind: tests\ncases: [{name: two, call: {tool: t}, expect: {decision: ask}}]\n",
        "h": "kind: profiles\nprofiles: {own: {includes: [small]}}\n",
        "i": "kind: invariants\nrules: "
        "[{id: never.b, title: N, never: allow, when: call.nested}]\n",
    }
    assert laid_over(texts)[1] == []


def test_a_bundle_that_extends_none_adds_to_no_list() -> None:
    write("own", {"a": "kind: vocabulary\nlists: {paths.x: {add: [/b]}}\n"})
    diagnostics = Diagnostics()
    load_bundle("own", diagnostics)
    (problem,) = diagnostics
    assert (problem.code, str(problem.span)) == ("C023", "own/a.yaml:2:9")


def test_rows_keep_their_numbers() -> None:
    laid_over({}, "[{test: 'many, row 1', reason: r}]", name="mid")
    bundle, wrong = laid_over({}, "[{test: 'many, row 3', reason: r}]", base="../mid")
    assert wrong == []
    (cases,) = data_of(bundle, "tests", "cases")
    assert cases[1]["rows"] == [None, ["save", "deny"], None]
    assert [entry.base for entry in bundle.replacements] == ["base", "mid"]


def test_chains() -> None:
    laid_over({"a": flow("second")}, "[{step: second, reason: r}]", name="mid")
    bundle, wrong = laid_over(
        {"a": flow("third", "second")},
        "[{step: second, reason: r}, {step: third, reason: r}, {step: otherwise, reason: r}]",
        base="../mid",
    )
    assert wrong == []
    assert steps_of(bundle) == [("base", "first"), ("own", "second"), ("own", "third")]
    assert data_of(bundle, "flow", "otherwise") == []
    assert [base.name for base in bundle.extends] == ["mid", "base"]
    _, wrong = laid_over({"a": flow("third")}, name="last", base="../own")
    assert [line.split()[1] for line in wrong] == ["C021"]


def test_tests_that_were_not_read_are_not_judged() -> None:
    write("own", {"a": "kind: masking\n"}, "../base", "[{test: nowhere, reason: r}]")
    for without, count in ((frozenset({"tests"}), 0), (frozenset[str](), 1)):
        diagnostics = Diagnostics()
        load_bundle("own", diagnostics, without=without)
        assert len(diagnostics.items) == count


def test_a_mistake_in_the_base_hides_what_follows_from_it() -> None:
    Path("base/guards.yaml").write_text("kind: guards\nrules: 3\n")
    _, wrong = laid_over({}, "[{rule: g.one, reason: r}]")
    assert [line.split()[0] for line in wrong] == ["base/guards.yaml:2:8:"]


_TEXTS = [("base", name) for name in BASE] + [("own", name) for name in ("a", "bundle")]


@given(
    st.sampled_from(_TEXTS),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.text('ab{}[]:,-\n "', max_size=4))),
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_damage_to_a_file_raises(
    place: tuple[str, str], cuts: list[tuple[float, int, str]]
) -> None:
    folder, name = place
    base = {**BASE}
    own = {"a": flow("second") + "otherwise: {decide: deny, reason: r}\n"}
    manifest = (
        "kind: bundle\nname: own\nversion: '1'\ntitle: T\nfiles: [a.yaml]\nextends: ../base\n"
        "replaces:\n"
        + "".join(f"  - {{{k}: '{n}', reason: r}}\n" for k, n, _, _ in NAMES if n != "many, row 2")
    )
    own["bundle"] = manifest
    texts = base if folder == "base" else own
    for where, size, more in cuts:
        start = int(where * len(texts[name]))
        texts[name] = texts[name][:start] + more + texts[name][start + size :]
    listed = ", ".join(f"{file}.yaml" for file in base)
    base["bundle"] = f"kind: bundle\nname: base\nversion: '1'\ntitle: T\nfiles: [{listed}]\n"
    layers = [
        [(f"{folder}/{file}.yaml", text.encode()) for file, text in reversed(files.items())]
        for folder, files in (("own", own), ("base", base))
    ]
    diagnostics = Diagnostics()
    load_bundle("own", diagnostics, layers)
    assert cuts or not diagnostics.has_errors


# --- the gate -----------------------------------------------------------------------------------

GATE = """\
kind: gate
wait_seconds: 300
grants: {lasting: "not call.nested", days: 30}
"""


def over_gate(text: str, replaces: str = "") -> tuple[Bundle, list[str]]:
    """A gate file laid over a bundle that has `GATE`."""
    write("gated", {**BASE, "gate": GATE})
    return laid_over({"own": f"kind: gate\n{text}\n"}, replaces, base="../gated")


@pytest.mark.parametrize(
    "text", ["wait_seconds: 60", "grants: {days: 3650}", "grants: {lasting: true}"]
)
def test_an_inherited_key_of_the_gate_is_not_said_again(text: str) -> None:
    bundle, wrong = over_gate(text)
    (line,) = wrong
    key = text.partition(":")[0]
    if key == "grants":
        key = f"grants.{text.partition('{')[2].partition(':')[0]}"
    assert f"C021 the gate key `{key}` is inherited from `gated`" in line
    assert [d.data for d in bundle.of_kind("gate")][1] in (
        {"kind": "gate"},
        {"kind": "gate", "grants": {}},
    )


def test_a_replaced_key_of_the_gate_is_gone() -> None:
    bundle, wrong = over_gate(
        "wait_seconds: 60",
        "[{gate: wait_seconds, reason: r}, {gate: grants.days, reason: r}]",
    )
    assert wrong == []
    inherited, own = bundle.of_kind("gate")
    assert inherited.data == {"kind": "gate", "grants": {"lasting": "not call.nested"}}
    assert own.data == {"kind": "gate", "wait_seconds": 60}
    assert [(r.name, r.redefined) for r in bundle.replacements] == [
        ("wait_seconds", True),
        ("grants.days", False),
    ]


def test_what_tightens_may_be_added_to_a_gate() -> None:
    assert over_gate("signed_answers: true")[1] == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("approvers: [eve]", "approvers"),
        ("grants: {families: {a: [look]}}", "grants.families"),
        ("reviewer: {base_url: settings.some.key}", "reviewer"),
    ],
)
def test_what_lets_more_pass_may_not_be_added_to_a_gate(text: str, key: str) -> None:
    (line,) = over_gate(text)[1]
    assert f"C022 `{key}` can't be added to the gate of `gated`" in line


def test_a_gate_may_be_added_where_there_is_none() -> None:
    bundle, wrong = laid_over({"own": "kind: gate\napprovers: [anna]\n"})
    assert wrong == []
    assert data_of(bundle, "gate", "approvers") == [["anna"]]
    write("more", {"own": "kind: gate\nreviewer: {base_url: settings.some.key}\n"}, "../own")
    diagnostics = Diagnostics()
    load_bundle("more", diagnostics)
    assert [d.code for d in diagnostics.sorted() if d.severity is not Severity.INFO] == ["C022"]


def test_only_keys_of_a_gate_are_replaced() -> None:
    (line,) = over_gate("signed_answers: true", "[{gate: wait_second, reason: r}]")[1]
    assert "C020 `gated` has no gate key `wait_second` | did you mean `wait_seconds`?" in line
