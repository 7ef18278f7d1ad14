"""What becomes of a bundle that extends another: names, risk, open lists, reserved ids, the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.compiler.source import PolicySource
from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError, Severity
from callgate.model.policy import Policy
from tests.compiler.assembling import BASE

OPEN = "lists: {paths.system: {type: path, doc: system, "
FILES = {
    **BASE,
    "vocabulary": BASE["vocabulary"].replace(OPEN, f"{OPEN}open: true, "),
    "programs": """\
kind: programs
programs:
  rm:
    options: {recursive: [-r], force: [-f]}
    operands: FILE...
    effects: [{delete: {path: FILE, recursive: option recursive}}]
""",
    "cases": "kind: tests\ncases: [{name: a, call: {tool: look}, expect: {decision: deny}}]\n",
}


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("base", FILES)


def write(name: str, files: dict[str, str], extends: str = "", replaces: str = "") -> None:
    Path(name).mkdir(exist_ok=True)
    manifest = f"kind: bundle\nname: {name}\nversion: '1'\ntitle: T\n"
    manifest += f"files: [{', '.join(f'{file}.yaml' for file in files)}]\n"
    manifest += f"extends: {extends}\n" if extends else ""
    manifest += f"replaces: {replaces}\n" if replaces else ""
    for file, text in {**files, "bundle": manifest}.items():
        Path(name, f"{file}.yaml").write_text(text)


def engine(files: dict[str, str], replaces: str = "") -> Engine:
    write("own", files, "../base", replaces)
    return Engine.load("own")


def policy(files: dict[str, str], replaces: str = "") -> Policy:
    return engine(files, replaces).policy


def problems(files: dict[str, str], replaces: str = "") -> list[str]:
    write("own", files, "../base", replaces)
    try:
        found = Engine.load("own").diagnostics
    except PolicyError as error:
        found = error.diagnostics
    errors = [item for item in found if item.severity is Severity.ERROR]
    return [f"{item.span}: {item.code} {item.message}" for item in errors]


def test_a_bundle_that_adds_nothing_decides_as_its_base() -> None:
    own, base = policy({"a": "kind: masking\n"}), Engine.load("base").policy
    assert (own.name, own.version, base.extends) == ("own", "1", ())
    assert [(b.name, b.version) for b in own.extends] == [("base", "1")]
    for part in ("flow", "guards", "tools", "risk", "vocabulary", "masking", "invariants"):
        assert getattr(own, part) == getattr(base, part)


def test_members_are_added_to_open_lists() -> None:
    found = policy({"a": "kind: vocabulary\nlists: {paths.system: {add: [/srv/keys, /etc]}}\n"})
    assert found.vocabulary.lists["paths.system"][1] == ("/etc", "~", "/srv/keys", "/etc")
    call = {"tool": "exec", "args": {"command": "rm -r /srv/keys/a"}}
    call["settings"] = {"approval": {"deny": []}}
    for name, fires in (("own", True), ("base", False)):
        matched = Engine.load(name).decide(call).to_dict()["matched"]
        assert ("files.delete" in [match["rule"] for match in matched]) is fires


def test_added_members_are_of_the_type_of_the_list() -> None:
    text = "kind: vocabulary\nlists: {paths.system: {add: [srv/keys]}}\n"
    (problem,) = problems({"a": text})
    assert problem.startswith("own/a.yaml:2:30: T019 ")


def test_guards_of_the_base_are_tried_first() -> None:
    guard = "{id: own.all, title: T, decide: deny, reason: r}"
    found = policy({"a": f"kind: guards\nrules: [{guard}]\n"})
    assert [guard.id for guard in found.guards] == ["files.delete", "files.much", "own.all"]


def test_a_replaced_step_is_read_with_the_definitions_of_its_own_file() -> None:
    rule = "{id: second.mine, title: M, when: mine, decide: deny, reason: mine}"
    step = f"{{id: second, title: S, rules: [{rule}]}}"
    files = {"a": f"kind: flow\ndefine: {{mine: call.nested}}\nsteps: [{step}]\n"}
    found = engine(files, "[{step: second, reason: r}]")
    assert [step.id for step in found.policy.flow.steps] == [
        "first", "guards", "second", "grants", "last",
    ]  # fmt: skip
    call = {"tool": "look", "context": {"nested": True}}
    decision = found.decide(call).to_dict()
    assert (decision["decision"], decision["rule"]) == ("deny", "second.mine")
    assert str(found.policy.flow.steps[2].span).startswith("own/a.yaml:3:")


def test_the_last_word_is_replaced() -> None:
    files = {"a": "kind: flow\notherwise: {decide: ask, reason: ours}\n"}
    assert problems(files) == [
        "own/a.yaml:2:1: C021 the step `otherwise` is inherited from `base`",
    ]
    found = policy(files, "[{step: otherwise, reason: r}]")
    assert (found.flow.otherwise.effect, len(found.flow.steps)) == ("ask", 5)


def test_what_still_refers_to_something_removed_is_an_ordinary_error() -> None:
    found = problems({"a": "kind: masking\n"}, "[{list: paths.system, reason: r}]")
    assert found == ["base/guards.yaml:9:24: T001 `paths` is not known here"]
    codes = {line.split()[1] for line in problems({"a": "kind: masking\n"},
             "[{tool: look, reason: r}]")}  # fmt: skip
    assert codes == {"C005", "T002"}


def test_new_tools_get_their_level_of_risk() -> None:
    tools = "kind: tools\ntools: {deploy: {description: d, effects: none}}\n"
    raised = "raise: [{id: raise.own, when: call.nested, to: high}]"
    found = policy({"a": tools, "b": f"kind: risk-map\ntools: {{low: [deploy]}}\n{raised}\n"})
    assert found.risk is not None
    assert found.risk.tools == {"look": "low", "exec": "high", "deploy": "low"}
    assert [rule.id for rule in found.risk.raises] == ["raise.cron", "raise.own"]
    assert found.risk.default == "high"


def test_the_level_of_an_inherited_tool_is_replaced() -> None:
    files = {"a": "kind: risk-map\ntools: {high: [look]}\n"}
    found = policy(files, "[{risk: look, reason: r}]")
    assert found.risk is not None
    assert found.risk.tools == {"look": "high", "exec": "high"}


def test_levels_and_their_default_are_said_once() -> None:
    found = problems({"a": "kind: risk-map\nlevels: [a]\ndefault: a\n"})
    assert found == ["own/a.yaml:2:9: C015 the risk map is defined in two files"]
    write("alone", {**FILES, "risk": "kind: risk-map\n"})
    with pytest.raises(PolicyError) as caught:
        Engine.load("alone")
    missing = [item.message for item in caught.value.diagnostics if item.code == "S002"]
    assert missing == ["`default` is missing", "`levels` is missing"]


READS = [
    # A guard, where more members make it fire.
    ("guard", "any(d in effects.delete where d.path under paths.system)", True),
    ("guard", "any(d in effects.delete where d.path covers paths.system)", True),
    ("guard", "any(d in effects.delete where d.path in paths.system)", True),
    ("guard", "any(p in paths.system where call.cwd == \"/\")", True),
    ("guard", "count(p in paths.system where call.nested) >= 3", True),
    ("guard", "private and call.nested", True),
    ("guard", "not (call.nested and path(call.cwd, \"/\") not in paths.system)", True),
    ("guard", "any(d in effects.delete where d.path not in paths.system)", False),
    ("guard", "any(d in effects.delete where not (d.path under paths.system))", False),
    ("guard", "none(p in paths.system where call.nested)", False),
    ("guard", "count(p in paths.system where call.nested) < 3", False),
    ("guard", "length(paths.system) > 1", False),
    ("guard", "not private", False),
    # Rules of the flow.
    ("deny", "path(call.cwd, \"/\") under paths.system", True),
    ("deny", "not (path(call.cwd, \"/\") under paths.system)", False),
    ("allow", "not (path(call.cwd, \"/\") under paths.system)", True),
    ("allow", "path(call.cwd, \"/\") not in paths.system", True),
    ("allow", "path(call.cwd, \"/\") under paths.system", False),
    # What asks ends the walk, perhaps before a deny.
    ("ask", "path(call.cwd, \"/\") under paths.system", False),
    ("step", "any(p in paths.system where call.nested)", False),
    ("raise", "any(p in paths.system where call.nested)", False),
    ("effect", "any(p in paths.system where call.nested)", False),
    ("invariant", "not private and none(p in paths.system where call.nested)", True),
]  # fmt: skip


@pytest.mark.parametrize(("where", "condition", "accepted"), READS)
def test_open_lists_are_read_where_more_members_are_stricter(
    where: str, condition: str, accepted: bool
) -> None:
    when = f"when: '{condition}'"
    step = "{id: s, title: S, RULE}"
    rule = f"rules: [{{id: s.r, title: R, {when}, decide: {where}, reason: r}}]"
    texts = {
        "guard": f"kind: guards\nrules: [{{id: x, title: X, decide: ask, {when}, reason: r}}]\n",
        "step": f"kind: flow\nsteps: [{{id: s, title: S, {when}, otherwise: "
        "{decide: deny, reason: r}}]\n",
        "raise": f"kind: risk-map\nraise: [{{id: x, {when}, to: high}}]\n",
        "effect": "kind: tools\ntools: {t: {description: d, effects: "
        f"[{{write: {{path: /a}}, {when}}}]}}}}\n",
        "invariant": f"kind: invariants\nrules: [{{id: x, title: X, never: allow, {when}}}]\n",
    }
    text = texts.get(where, f"kind: flow\nsteps: [{step.replace('RULE', rule)}]\n")
    facts = "facts:\n  private: {is: 'any(p in paths.system where call.nested)', doc: p}\n"
    vocabulary = FILES["vocabulary"].replace("facts: {", facts + "  BREAK: {")
    vocabulary = vocabulary.replace(
        "  BREAK: {quiet: {is: call.unattended and not nightly, doc: q},\n  nightly: {is: "
        'call.origin == "cron", doc: by clock}}',
        "  quiet: {is: call.unattended and not nightly, doc: q}\n"
        '  nightly: {is: call.origin == "cron", doc: by clock}',
    )
    write("alone", {**FILES, "vocabulary": vocabulary, "more": text})
    try:
        Engine.load("alone")
        codes = set()
    except PolicyError as error:
        codes = {item.code for item in error.diagnostics if item.severity is Severity.ERROR}
    assert codes == (set() if accepted else {"T022"})


def test_a_list_that_is_not_open_is_read_anywhere() -> None:
    guard = "{id: x, title: X, decide: ask, when: length(paths.system) > 1, reason: r}"
    files = {**FILES, "vocabulary": BASE["vocabulary"]}
    write("alone", {**files, "more": f"kind: guards\nrules: [{guard}]\n"})
    assert Engine.load("alone").policy.guards[-1].id == "x"


@pytest.mark.parametrize(
    "text",
    [
        "kind: guards\nrules: [{id: builtin.mine, title: T, decide: deny, reason: r}]\n",
        "kind: invariants\nrules: [{id: builtin, title: T, never: allow, when: call.nested}]\n",
        "kind: risk-map\nraise: [{id: builtin.opaque, when: call.nested, to: high}]\n",
    ],
)
def test_ids_of_callgate_itself_are_reserved(text: str) -> None:
    (problem,) = problems({"a": text})
    assert problem.startswith("own/a.yaml:2:")
    assert " C025 " in problem


def test_other_ids_may_begin_so() -> None:
    guard = "{id: builtins.mine, title: T, decide: deny, reason: r}"
    assert problems({"a": f"kind: guards\nrules: [{guard}]\n"}) == []


def test_the_key_covers_the_files_of_the_base() -> None:
    write("own", {"a": "kind: masking\n"}, "../base")
    first = PolicySource("own").key("1")
    assert PolicySource("own").key("1") == first
    file = Path("base/flow.yaml")
    file.write_text(file.read_text() + "# more\n")
    assert PolicySource("own").key("1") != first


def test_without_its_base_there_is_no_key() -> None:
    write("own", {"a": "kind: masking\n"}, "../bases")
    with pytest.raises(PolicyError) as caught:
        PolicySource("own").key("1")
    assert [item.code for item in caught.value.diagnostics] == ["Y016"]


def test_mistakes_of_the_base_are_shown_once_with_their_places() -> None:
    file = Path("base/guards.yaml")
    file.write_text(file.read_text().replace("paths.system", "paths.sytem"))
    found = problems({"a": "kind: masking\n"})
    assert found == ["base/guards.yaml:9:30: T003 `sytem` is not a field of `paths`"]


@pytest.mark.parametrize(
    ("removed", "code"),
    [
        ("list: paths.system", "T001"),
        ("tool: look", "C005"),
        ("fact: quiet", "T001"),
        ("fact: nightly", "T001"),
        ("setting: approval.mode", "T003"),
        ("enum: mode", "S004"),
        ("capability: process.exec", "C006"),
        ("profile: small", "C013"),
        ("step: otherwise", "C002"),
    ],
)
def test_what_is_missing_because_it_was_removed_says_so(removed: str, code: str) -> None:
    write("own", {"a": "kind: masking\n"}, "../base", f"[{{{removed}, reason: r}}]")
    with pytest.raises(PolicyError) as raised:
        Engine.load("own")
    found = [item for item in raised.value.diagnostics if item.code == code]
    assert found
    for item in found:
        assert item.help.startswith("replace or remove this as well")
        ((role, place),) = item.related
        assert role == "it is removed here"
        assert (place.file, place.line) == ("own/bundle.yaml", 7)


def test_what_is_missing_for_another_reason_does_not() -> None:
    flow = "kind: guards\nrules: [{id: a, title: A, decide: deny, reason: r, when: quitt}]\n"
    write("own", {"a": flow}, "../base", "[{fact: quiet, reason: r}]")
    with pytest.raises(PolicyError) as raised:
        Engine.load("own")
    (found,) = (item for item in raised.value.diagnostics if "quitt" in item.message)
    assert not found.related


PROGRAMS = """\
kind: programs
programs:
  rm: {also: [unlink], operands: FILE..., effects: [{delete: {path: FILE}}]}
  py: {also: ['py3.*'], operands: '[SCRIPT]', effects: [{code: {language: snake, text: SCRIPT}}]}
"""


def own_program(name: str, entry: str = "{}", replaces: str = "") -> list[str]:
    """What is reported of an own program over `PROGRAMS`."""
    write("base", {**FILES, "programs": PROGRAMS})
    text = f"kind: programs\nprograms:\n  {name}: {entry}\n"
    return problems({"a": text}, replaces)


@pytest.mark.parametrize(
    ("name", "entry", "place", "message"),
    [
        ("unlink", "{}", "3:3", "`unlink` is a name of the program `rm` of `base`"),
        ("mine", "{also: [x, rm]}", "3:20", "`rm` is a name of the program `rm` of `base`"),
        ("mine", "{also: [unlink]}", "3:17", "`unlink` is a name of the program `rm` of `base`"),
        ("py3.11", "{}", "3:3", "`py3.11` is a name of the program `py` of `base`"),
        ("'py3.*'", "{}", "3:3", "`py3.*` is a name of the program `py` of `base`"),
        ("'py3.1*'", "{}", "3:3", "`py3.1*` is a name of the program `py` of `base`"),
        ("'p*'", "{}", "3:3", "`p*` is a name of the program `py` of `base`"),
        ("Snake", "{}", "3:3", "`Snake` is a language of code in the program `py` of `base`"),
    ],
)
def test_programs_take_no_inherited_names(name: str, entry: str, place: str, message: str) -> None:
    assert own_program(name, entry) == [f"own/a.yaml:{place}: C021 {message}"]


def test_programs_take_the_names_of_those_they_replace() -> None:
    deletes = "operands: FILE..., effects: [{delete: {path: FILE}}]"
    assert (
        own_program("mine", f"{{also: [rm, unlink], {deletes}}}", "[{program: rm, reason: r}]")
        == []
    )
    assert own_program("snake", "{}", "[{program: py, reason: r}]") == []
    assert own_program("other", "{also: ['r*']}") == []


def test_of_two_globs_none_counts_first() -> None:
    text = "kind: programs\nprograms:\n  one: {also: ['a*z']}\n  two: {also: ['b*', 'ab*']}\n"
    assert problems({"a": text}) == [
        "own/a.yaml:4:22: C001 `ab*` is a name of the program `one` already",
    ]


def test_two_programs_of_a_bundle_have_no_name_in_common() -> None:
    text = "kind: programs\nprograms:\n  one: {also: [zz]}\n  two: {also: [yy, zz, two]}\n"
    assert problems({"a": text}) == [
        "own/a.yaml:4:20: C001 `zz` is a name of the program `one` already",
        "own/a.yaml:4:24: C001 `two` is a name of the program `two` already",
    ]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("exec", "a tool"),
        ("shell", "the alias of a tool"),
        ("fs", "the beginning of `fs.read`, a capability,"),
        ("smart", "a member of `mode`"),
        ("high", "a level of risk"),
        ("private", "a member of `address_class`"),
        ("person", "a member of `ask_level`"),
        ("sat", "a member of `weekday`"),
        ("d", "the name of an element"),
        ("large", "a definition"),
    ],
)
def test_names_take_no_words_of_inherited_conditions(name: str, what: str) -> None:
    message = f"T018 `{name}` is {what} in what the bundle extends"
    fact = f"kind: vocabulary\nfacts: {{{name}: {{is: call.nested, doc: d}}}}\n"
    list_ = f"kind: vocabulary\nlists: {{{name}: {{type: string, doc: d, items: [a]}}}}\n"
    assert problems({"a": fact}) == [f"own/a.yaml:2:9: {message}"]
    assert problems({"a": list_}) == [f"own/a.yaml:2:9: {message}"]


def test_further_names_of_an_inherited_group_take_no_words() -> None:
    lists = "lists: {paths.own: {type: path, doc: d, items: [/own]}}\n"
    assert (
        problems({"a": f"kind: vocabulary\n{lists}facts: {{own: {{is: call.nested, doc: d}}}}\n"})
        == []
    )


def test_a_replaced_fact_may_keep_its_name() -> None:
    text = "kind: vocabulary\nfacts: {quiet: {is: call.unattended, doc: d}}\n"
    assert problems({"a": text}, "[{fact: quiet, reason: r}]") == []


@pytest.mark.parametrize(
    "key",
    ["facts: {%s: {is: call.nested, doc: d}}", "lists: {%s: {type: string, doc: d, items: [a]}}"],
)
@pytest.mark.parametrize("word", ["not", "in", "has", "under"])
def test_no_name_is_a_word_of_the_language(key: str, word: str) -> None:
    message = f"own/a.yaml:2:9: T018 `{word}` is a word of the condition language"
    assert problems({"a": f"kind: vocabulary\n{key % word}\n"}) == [message]


@pytest.mark.parametrize(
    ("field", "place", "message"),
    [
        ("cron_authorized: {type: bool, default: true, doc: d}", "2:47", "false where a call does"),
        ("sender_id: {type: string, default: boss, doc: d}", "2:43", '"" where a call does'),
        ("groups: {type: list of string, default: [a], doc: d}", "2:48", "[] where a call does"),
        ("sender_id: {type: path, doc: d}", "2:26", "a text to the inherited rules"),
    ],
)
def test_what_calls_leave_out_means_what_it_meant(field: str, place: str, message: str) -> None:
    (problem,) = problems({"a": f"kind: vocabulary\ncall: {{{field}}}\n"})
    assert problem.startswith(f"own/a.yaml:{place}: C022 `context.") and message in problem


@pytest.mark.parametrize(
    "field",
    [
        "cron_authorized: {type: bool, default: false, doc: d}",
        "sender_id: {type: mode, default: '', doc: d}",
        "groups: {type: list of string, default: [], doc: d}",
        "extra: {type: map of json, default: {}, doc: d}",
    ],
)
def test_types_of_the_context_may_be_narrowed(field: str) -> None:
    text = f"kind: vocabulary\ncall: {{{field}}}\n".replace("mode", "senders")
    text += "enums: {senders: {members: ['', ann]}}\n"
    assert problems({"a": text}) == []


def test_an_inherited_field_of_the_context_is_replaced_with_its_default() -> None:
    more = "call: {channel: {type: string, default: '', doc: d}}\n"
    write("base", {**FILES, "vocabulary": FILES["vocabulary"] + more})
    text = "kind: vocabulary\ncall: {channel: {type: string, default: cli, doc: d}}\n"
    assert problems({"a": text}, "[{context: channel, reason: r}]") == []


def test_sections_are_no_slips_of_those_that_are_read() -> None:
    assert problems({"a": "kind: vocabulary\nsections: [aproval, storage]\n"}) == [
        "own/a.yaml:2:12: S004 `aproval` is nearly `approval`, whose settings are read: "
        "slips would go unnoticed"
    ]


@pytest.mark.parametrize("extends", ["null", "[base]", '""', "1"])
def test_without_a_usable_base_nothing_is_missing(extends: str) -> None:
    write("own", {"a": "kind: masking\n"}, extends)
    with pytest.raises(PolicyError) as refused:
        Engine.load("own")
    assert [item.code[0] for item in refused.value.diagnostics] == ["S"]


def test_a_reason_is_not_blank() -> None:
    (problem,) = problems({"a": "kind: masking\n"}, "[{rule: files.much, reason: ' '}]")
    assert "S004" in problem
