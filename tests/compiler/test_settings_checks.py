"""What settings checks find: which, where, and in which words."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from callgate.compiler.settings_catalogue import SettingsCatalogue, recognises
from callgate.compiler.settings_checks import (
    MOST_FINDINGS,
    SettingsFindings,
    check_settings_examples,
    settings_of,
)
from callgate.engine import Engine
from callgate.load.settings_file import parse_settings
from callgate.model.diagnostic import Diagnostics, PolicyError
from callgate.model.policy import Policy
from callgate.policytest.loaded import load
from tests.compiler.assembling import BASE, policy_of

VOCABULARY = BASE["vocabulary"].replace(
    "facts:",
    """\
  approval.by: {type: map of list of string, default: {}, doc: who may}
  approval.key: {type: string, default: "", doc: a key, secret: true}
facts:""",
)


def checks(*rules: str, **files: str) -> Policy:
    """A policy with these checks, each given by its keys behind `at`."""
    text = "kind: settings-checks\nrules:\n" + "".join(
        f"  - {{id: c.n{number}, title: T, severity: warning, {rule}}}\n"
        for number, rule in enumerate(rules)
    )
    return policy_of({**BASE, "vocabulary": VOCABULARY, "checks": text, **files})


def found(policy: Policy, settings: dict[str, Any] | str) -> list[str]:
    """What the checks find in settings, or in a settings file's text."""
    diagnostics = Diagnostics()
    document, raw = None, settings
    if isinstance(raw, str):
        document = parse_settings("c.yaml", textwrap.dedent(raw).encode(), diagnostics)
        assert document is not None
        raw = document.data
    values = settings_of(policy, raw, diagnostics, document)
    assert not diagnostics.has_errors
    return [
        f"{item.span or '-'} {item.message}"
        for item in SettingsFindings(policy).of(values, raw, document)
    ]


EACH = "at: approval.deny, each: t in settings.approval.deny, message: '{t}', help: h"


def test_one_finding_for_each_entry_at_its_place() -> None:
    text = """\
        approval:
          deny:
            - look   # a comment
            - "shell"
            - mcp_x
            - exec
            - shell
        """
    # In the words of the file, and at each place.
    assert found(checks(EACH), text) == [
        "c.yaml:3:7 look",
        "c.yaml:4:7 `shell` (exec)",
        "c.yaml:6:7 exec",
        "c.yaml:7:7 `shell` (exec)",
        "c.yaml:5:7 mcp_x",
    ]
    assert found(checks(EACH), {"approval": {"deny": ["shell"]}}) == ["- `shell` (exec)"]


def test_an_alias_stands_for_its_tool_in_conditions_and_slots() -> None:
    rule = EACH.replace("'{t}'", "'{t} is {catalogue[t].risk}'")
    policy = checks(f"{rule}, when: 'has catalogue[t] and catalogue[t].risk == high'")
    assert found(policy, "approval: {deny: [bash, look]}") == ["c.yaml:1:19 `bash` (exec) is high"]


BY = (
    "at: approval.by, each: c in settings.approval.by, "
    "when: 'has settings.approval.by[c]', message: '{c}', help: h"
)
MODE = "at: approval.mode, message: mode, help: h"
DENIED = (
    "at: approval, select: t in settings.approval.deny where t == exec, "
    "when: length(selected) > 0, message: denied, help: h"
)
TOLD = "at: approval, message: 'told {settings.approval.mode}', help: h"
TOOLS = (
    "at: approval, "
    "select: 't in catalogue where has catalogue[t] and catalogue[t].soft_blocks >= 0', "
    "when: length(selected) > 0, message: tools, help: h"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("approval: {deny: [exec], by: {a: []}}", ["mode", "a", "denied", "told smart", "tools"]),
        ("approval: {deny: exec, by: {a: []}}", ["mode", "a", "told smart", "tools"]),
        ("approval: {mode: x, deny: [exec]}", ["denied"]),
        ("approval: {by: 3}", ["mode", "denied", "told smart", "tools"]),
        ("aproval: {mode: x}", []),
        ("approval: []", []),
    ],
)
def test_checks_that_read_what_is_wrong_wait(text: str, expected: list[str]) -> None:
    guards = BASE["guards"] + (
        "  - {id: a.off, title: O, decide: ask, reason: r, "
        "when: settings.approval.mode == manual}\n"
    )
    policy = checks(MODE, BY, DENIED, TOLD, TOOLS, guards=guards)
    diagnostics = Diagnostics()
    document = parse_settings("c.yaml", text.encode(), diagnostics)
    assert document is not None
    values = settings_of(policy, document.data, diagnostics, document)
    findings = SettingsFindings(policy).of(values, document.data, document)
    assert [item.message for item in findings] == expected


def test_each_key_of_a_map() -> None:
    rule = (
        "at: approval.by, each: c in settings.approval.by, "
        "when: 'length(settings.approval.by[c] ?? []) > 1', message: '{c}', help: h"
    )
    text = "approval:\n  by: {cli: [a], 'x*': [a, b]}\n"
    assert found(checks(rule), text) == ["c.yaml:2:18 x*"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("approval: {mode: manual}\n", "c.yaml:1:18"),
        ("approval:\n  deny: []\n", "c.yaml:1:1"),
        ("logging: {a: b}\n", "c.yaml:1:1"),
        ("{logging: {a: b}, approval: {deny: []}}\n", "c.yaml:1:19"),
    ],
)
def test_a_setting_that_is_not_there_points_to_what_is_around_it(text: str, place: str) -> None:
    rule = "at: approval.mode, message: m, help: h"
    assert found(checks(rule), text) == [f"{place} m"]


def test_nothing_but_a_key_is_shown_of_a_section() -> None:
    rule = "at: approval, message: m, help: h"
    policy = checks(rule, "at: approval.key, message: s, help: h")
    diagnostics = Diagnostics()
    document = parse_settings("c.yaml", b"approval: {key: hunter2, deny: []}\n", diagnostics)
    assert document is not None
    settings = settings_of(policy, document.data, diagnostics, document)
    spans = [item.span for item in SettingsFindings(policy).of(settings, document.data, document)]
    assert [(span.column, span.end_column) for span in spans if span] == [(1, 9), (12, 15)]


def test_settings_without_a_file_have_no_place() -> None:
    assert found(checks(EACH), {"approval": {"deny": ["look"]}}) == ["- look"]


def test_given_says_what_the_file_says() -> None:
    policy = checks("at: approval.mode, when: approval.mode in given, message: m, help: h")
    assert found(policy, {}) == []
    assert found(policy, {"approval": {"deny": []}}) == []
    assert found(policy, {"approval": {"mode": "smart"}}) == ["- m"]


def test_a_selection() -> None:
    rule = (
        "at: approval.deny, "
        "select: 't in catalogue where has catalogue[t] and catalogue[t].risk == high "
        "and not (t in settings.approval.deny)', "
        "when: length(selected) > 0, message: '{length(selected)}: {selected}', help: h"
    )
    policy = checks(rule)
    assert found(policy, {"approval": {"deny": []}}) == ["- 2: exec, old"]
    assert found(policy, {"approval": {"deny": ["bash"]}}) == ["- 1: old"]
    assert found(policy, {"approval": {"deny": ["bash", "old"]}}) == []


def test_whether_a_secret_is_there_may_be_asked() -> None:
    policy = checks("at: approval.key, when: not has settings.approval.key, message: m, help: h")
    assert found(policy, {}) == ["- m"]
    assert found(policy, {"approval": {"key": "hunter2"}}) == []


def test_values_are_masked_and_escaped() -> None:
    policy = checks(
        "at: approval.by, each: c in settings.approval.by, message: '{c}', help: h",
    )
    settings: dict[str, Any] = {"approval": {"by": {"sk-abcdef": [], "a\u202eb": []}}}
    shown = found(policy, settings)
    assert "sk-abcdef" not in shown[0]
    assert shown[1] == "- a\\u202eb"


def test_the_catalogue_counts_what_may_ask() -> None:
    guards = (
        BASE["guards"].replace("    approval: person\n", "")
        + """\
  - {id: a.look, title: L, tools: [look], decide: ask, when: (args.path ?? "") == "/x", reason: r}
  - {id: a.writes, title: W, decide: ask, each: w in effects.write, reason: r}
  - {id: a.off, title: O, decide: ask, when: settings.approval.mode == manual, reason: r}
  - {id: a.note, title: N, decide: note, reason: r}
"""
    )
    policy = policy_of({**BASE, "guards": guards})
    catalogue = SettingsCatalogue(policy)

    def counts(**changes: Any) -> dict[str, int]:
        settings = {"approval.mode": "smart", "approval.deny": (), **changes}
        entries = catalogue.under(settings)["catalogue"].value
        return {name: entry["soft_blocks"] for name, entry in entries.items()}

    # `old` has no effects, `look` reads and writes, `exec` may do anything.
    assert counts() == {"exec": 2, "look": 2, "old": 0}
    assert counts(**{"approval.mode": "manual"}) == {"exec": 3, "look": 3, "old": 1}
    settings = {"approval.mode": "smart", "approval.deny": ()}
    assert catalogue.under(settings)["soft_blocks"].value == ("files.delete", "a.look", "a.writes")
    entry = catalogue.under(settings)["catalogue"].value["old"]
    assert (entry["risk"], entry["reserved"], entry["capabilities"]) == ("high", True, ())


DENY = "when: call.tool in settings.approval.deny, decide: deny"


@pytest.mark.parametrize(
    ("rules", "denied"),
    [
        ([f"{{id: a.deny, {DENY}}}"], "a.deny"),
        ([f"{{id: a.deny, tools: [exec], {DENY}}}"], ""),
        ([f"{{id: a.deny, {DENY}, enforce: shadow}}"], ""),
        (
            [
                f"{{id: a.deny, {DENY}, exceptions: [{{id: x, when: call.nested, "
                "until: 2027-01-01, owner: o, reason: r}]}"
            ],
            "",
        ),
        (["{id: a.deny, when: call.nested, decide: deny}", f"{{id: a.last, {DENY}}}"], "a.last"),
        (["{id: a.allow, when: call.nested, decide: allow}", f"{{id: a.last, {DENY}}}"], ""),
        (["{id: a.ask, decide: ask, reason: r}", f"{{id: a.last, {DENY}}}"], ""),
        (
            ["{id: a.ask, tools: [exec], decide: ask, reason: r}", f"{{id: a.last, {DENY}}}"],
            "a.last",
        ),
        (
            ["{id: a.off, when: settings.approval.mode == manual, decide: deny}"],
            "",
        ),
    ],
)
def test_the_catalogue_tells_which_rule_denies_every_call(rules: list[str], denied: str) -> None:
    flow = (
        "kind: flow\nsteps:\n"
        "  - {id: guards, title: Guards, guards: all}\n"
        "  - id: a\n    title: A\n    rules:\n"
        + "".join(f"      - {rule}\n" for rule in rules)
        + "otherwise: {decide: deny, reason: no step decided}\n"
    )
    catalogue = SettingsCatalogue(policy_of({**BASE, "flow": flow}))
    settings = {"approval.mode": "smart", "approval.deny": ("look",)}
    entries = catalogue.under(settings)["catalogue"].value
    assert entries["look"]["denied"] == denied
    assert entries["exec"]["denied"] == ""


def test_tools_that_a_name_alone_tells() -> None:
    assert not recognises(policy_of(BASE))("mcp_a_b")
    tools = BASE["tools"].replace(
        'declared.mcp_server != ""', 'call.called_as like "mcp_*" or declared.mcp_server != ""'
    )
    recognised = recognises(policy_of({**BASE, "tools": tools}))
    assert recognised("mcp_a_b")
    assert not recognised("deploy")
    # What holds of any name tells nothing about one.
    tools += """  rest: {when: declared.mcp_server == "", effects: none}\n"""
    recognised = recognises(policy_of({**BASE, "tools": tools}))
    assert recognised("mcp_a_b")
    assert not recognised("deploy")


@pytest.mark.parametrize(
    ("examples", "problem"),
    [
        ("match: [{approval: {deny: []}}]", "`c.n0` finds nothing in this example"),
        ("pass: [{approval: {deny: [look]}}]", "`c.n0` finds something in this example"),
        ("pass: [{approval: {dney: [look]}}]", "an example of `c.n0` is not right as settings: "),
        ("pass: [{approval: {deny: look}}]", "an example of `c.n0` is not right as settings: "),
        ("match: [{approval: {deny: [look, stranger]}}], pass: [{approval: {deny: []}}]", ""),
    ],
)
def test_examples_that_do_not_behave(examples: str, problem: str) -> None:
    diagnostics = Diagnostics()
    check_settings_examples(checks(f"{EACH}, examples: {{{examples}}}"), diagnostics)
    assert [item.code for item in diagnostics] == (["C008"] if problem else [])
    for item in diagnostics:
        assert item.message.startswith(problem) and item.help
        assert item.span is not None and item.span.file.endswith("checks.yaml")


# -- with an engine


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle whose checks warn of a denied tool and refuse mode manual."""
    text = """\
kind: settings-checks
rules:
  - {id: c.denied, title: T, severity: warning, at: approval.deny, message: "{t}", help: h,
     each: t in settings.approval.deny}
  - {id: c.manual, title: T, severity: error, at: approval.mode, message: no, help: h,
     when: settings.approval.mode == manual}
"""
    guards = "kind: guards\nrules: [{id: g.n, title: N, decide: note, reason: r}]\n"
    files = {
        **BASE,
        "checks": text,
        "guards": guards,
        "invariants": "kind: invariants\nrules: []\n",
    }
    for name, content in files.items():
        (tmp_path / f"{name}.yaml").write_text(content)
    names = ", ".join(f"{name}.yaml" for name in files)
    head = "kind: bundle\nname: t\nversion: '1'\ntitle: T\n"
    (tmp_path / "bundle.yaml").write_text(f"{head}files: [{names}]\n")
    return tmp_path


def test_an_engine_shows_what_they_find(bundle: Path, tmp_path: Path) -> None:
    def codes(settings: Any) -> list[str]:
        return [
            item.code for item in Engine.load(bundle, settings).diagnostics if item.code[0] == "c"
        ]

    assert codes(None) == []
    assert codes({}) == ["c.denied"]
    file = tmp_path / "config.txt"
    file.write_text("approval: {deny: [look]}\n")
    engine = Engine.load(bundle, file)
    finding = next(item for item in engine.diagnostics if item.code == "c.denied")
    assert str(finding.span) == f"{file}:1:19"
    # A call's own settings are not looked at.
    decision = engine.decide({"tool": "look", "settings": {"approval": {"mode": "manual"}}})
    assert decision.to_dict()["error"] is None


def test_an_error_keeps_settings_from_being_used(bundle: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        Engine.load(bundle, {"approval": {"mode": "manual", "deny": []}})
    assert [item.code for item in caught.value.diagnostics if item.code[0] == "c"] == ["c.manual"]


def test_an_error_holds_for_the_defaults_as_well(bundle: Path) -> None:
    """Who must set something does not get by without a settings file."""
    file = bundle / "checks.yaml"
    file.write_text(file.read_text().replace("when: settings.approval.mode == manual", ""))
    for settings in (None, {}, {"approval": {"mode": "smart"}}):
        with pytest.raises(PolicyError) as caught:
            Engine.load(bundle, settings)
        assert "c.manual" in [item.code for item in caught.value.diagnostics]
    # The policy itself can be looked at and tested all the same.
    assert [item.code for item in load(bundle).findings if item.code[0] == "c"] == []


def test_a_check_shows_so_many_findings_and_no_more() -> None:
    each = "at: approval.by, each: c in settings.approval.by, message: '{c}', help: h"
    policy = checks(each, each)
    names = [f"n{number}" for number in range(MOST_FINDINGS + 50)]
    told = found(policy, {"approval": {"by": {name: [] for name in names}}})
    shown = [f"- {name}" for name in names[:MOST_FINDINGS]]
    assert told == 2 * [*shown, f"- T: there are more than {MOST_FINDINGS} of these"]
    few = {name: [] for name in names[:MOST_FINDINGS]}
    assert found(policy, {"approval": {"by": few}}) == 2 * shown
