"""What a schema does not allow: code, place, message and help."""

from __future__ import annotations

import textwrap

import pytest

from callgate.load.document import Document
from callgate.load.reader import guess_kind, read_document
from callgate.load.schemas import surely_valid
from callgate.model.diagnostic import Diagnostic, Diagnostics


def read(text: str, manifest: bool = False) -> tuple[Document | None, list[Diagnostic]]:
    diagnostics = Diagnostics()
    data = textwrap.dedent(text).encode()
    document = read_document("f.yaml", data, diagnostics, manifest)
    assert manifest or document is None or surely_valid(document.kind)(document.data)
    return document, diagnostics.sorted()


def brief(found: list[Diagnostic]) -> list[str]:
    return [
        f"{d.span.line}:{d.span.column} {d.code} {d.message} | {d.help}" for d in found if d.span
    ]


GUARD = "kind: guards\nrules:\n  - id: a.b\n    title: t\n    decide: deny\n    reason: r\n"
STEP = "kind: flow\nsteps:\n  - id: s\n    title: t\n"
TOOL = "kind: tools\ntools:\n  t:\n    description: d\n"
CASE = "kind: tests\ncases:\n  - name: n\n    call: {}\n    expect: {decision: deny}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # S001
        (GUARD + "    whne: x\n", "7:5 S001 unknown key `whne` | did you mean `when`?"),
        (
            GUARD + "    Title: x\n",
            "7:5 S001 unknown key `Title` | the keys here are `id`, `title`",
        ),
        (
            "kind: masking\nx: 1\n",
            "2:1 S001 unknown key `x` | the keys here are `kind`, `names`, `weak` and",
        ),
        (GUARD + "    if: x\n", "7:5 S001 unknown key `if` | did you mean `when`?"),
        (
            STEP + "    otherwise: {decide: deny, reason: a person refused, sorry, but no}\n",
            "5:57 S001 unknown key `sorry` | the comma ended the text before it: put the whole "
            "text in quotes: 'a person refused, sorry, but no'",
        ),
        (
            STEP + "    otherwise: {decide: deny, reason: 'no', sorry}\n",
            "5:45 S001 unknown key `sorry` | the keys here are",
        ),
        # A text that YAML takes for a mapping
        (
            GUARD + "    examples: {pass: [ls, echo a: b]}\n",
            "7:27 S003 YAML read a mapping here: `echo a: b` | put the whole text in quotes: "
            "'echo a: b'",
        ),
        (
            GUARD + "    examples:\n      match:\n        - echo a: b\n",
            "9:11 S003 YAML read a mapping here: `echo a: b` |",
        ),
        (GUARD + "    examples: {pass: [{tol: x}]}\n", "7:24 S002 `tool` is missing |"),
        # Parameters of tools
        *[
            (f"{TOOL}    effects: none\n    parameters: {{{parameters}}}\n", expected)
            for parameters, expected in [
                (
                    "properties: {a: {type: int}}",
                    "6:41 S004 `int` is no type of JSON Schema | did you mean `integer`?",
                ),
                (
                    "properties: {a: {type: strnig}}",
                    "6:41 S004 `strnig` is no type of JSON Schema | did you mean `string`?",
                ),
                (
                    "properties: {a: {type: [string, bool]}}",
                    "6:50 S004 `bool` is no type of JSON Schema | did you mean `boolean`?",
                ),
                (
                    "properties: {a: {type: null}}",
                    '6:41 S004 `null` is no type of JSON Schema | write `"null"`',
                ),
                (
                    "properties: {a: {type: date}}",
                    "6:41 S004 `date` is no type of JSON Schema | write `string`, ",
                ),
                (
                    "properties: {a: {anyOf: [{tpye: string}]}}",
                    "6:44 S001 unknown key `tpye` | did you mean `type`?",
                ),
                (
                    "properties: {a: {items: {type: list}}}",
                    "6:49 S004 `list` is no type of JSON Schema | did you mean `array`?",
                ),
                (
                    "properties: {a: {items: string}}",
                    "6:42 S003 expected a mapping (a JSON Schema), found a string | write `{ty",
                ),
                (
                    "properties: {a: {required: true}}",
                    "6:45 S003 expected a list of names, found `true` | list the names",
                ),
                (
                    "properties: {a: {}}, requird: [a]",
                    "6:39 S001 unknown key `requird` | did you mean `required`?",
                ),
                (
                    "properties: {path: {}}, required: [path, pth]",
                    "6:59 S004 `pth` is required, but not in `properties` | did you mean `path`?",
                ),
            ]
        ],
        # S002
        (
            GUARD.replace("    reason: r\n", ""),
            "3:5 S002 `reason` is missing | for example `reason",
        ),
        ("kind: guards\n", "1:1 S002 `rules` is missing | add `rules`, a list of mappings"),
        ("knd: guards\n", "1:1 S002 `kind` is missing | begin the file with `kind:` and one of"),
        (GUARD + "    unresolved: {}\n", "7:5 S002 `pass` is missing | for example `pass: the"),
        (STEP + "    consult: grant\n", "3:5 S002 `answers` is missing, which `consult` needs |"),
        (STEP + "    answers: {}\n", "3:5 S002 `consult` is missing, which `answers` needs |"),
        (
            STEP + "    rules: [{id: r}]\n",
            "5:14 S002 one of `decide`, `consult` or `hide` is missing |",
        ),
        (CASE.replace("    expect: {decision: deny}\n", ""), "3:5 S002 `expect` is missing |"),
        ("kind: tests\ncases: [{table: x, rows: [[]]}]\n", "2:10 S002 `columns` is missing |"),
        (TOOL + "    effects: [{when: x}]\n", "5:16 S002 one of `read`, `write`, `delete`"),
        # S003
        (
            GUARD.replace("title: t", "title: 1.0"),
            '4:12 S003 expected a string, found a number | put it in quotes: "1.0"',
        ),
        (GUARD.replace("title: t", "title: yes: x"), "4:15 Y001 YAML ends"),
        (
            GUARD.replace("reason: r", "reason: {d.x}"),
            "6:13 S003 expected a string, found a mapping | a text that begins with `{` must be",
        ),
        (
            GUARD + "    tools: exec\n",
            "7:12 S003 expected a list of strings, found a string | write [exec]",
        ),
        (
            GUARD + "    tools: [1]\n",
            '7:13 S003 expected a string, found a number | put it in quotes: "1"',
        ),
        (GUARD + "    tools:\n", "7:11 S003 expected a list of strings, found nothing |"),
        (GUARD + "    when: 3\n", "7:11 S003 expected a condition, found a number | for example"),
        (
            GUARD + "    unresolved: []\n",
            "7:17 S003 expected `ask`, `deny` or a mapping, found a list |",
        ),
        (
            GUARD + "    examples: {match: [3]}\n",
            "7:24 S003 expected a string or a mapping, found a number |",
        ),
        (
            TOOL + "    effects: 3\n",
            "5:14 S003 expected `none` or a list of mappings, found a number |",
        ),
        ("kind: vocabulary\nenums: {e: {members: []}}\n", "2:22 S004 this list is empty |"),
        (
            "kind: vocabulary\nenums: {e: {ordered: no, members: [a]}}\n",
            "2:22 S003 expected `true` or `false`, found a string |",
        ),
        ("- a\n", "1:1 S003 expected a mapping, found a list | a rule file begins with `kind: …`"),
        ("kind: []\n", "1:7 S003 expected a kind of file, found a list |"),
        (STEP + "    rules: [~]\n", "5:13 S003 expected a mapping, found nothing |"),
        # S004
        (
            GUARD.replace("deny", "dney"),
            "5:13 S004 `dney` is not allowed as `decide` | did you mean `deny`?",
        ),
        (
            GUARD.replace("deny", "allow"),
            "5:13 S004 `allow` is not allowed as `decide` | write `deny`, `ask` or `note`",
        ),
        (GUARD.replace("a.b", "A b"), "3:9 S004 `A b` is not a valid id | a dotted name"),
        (GUARD.replace("title: t", "title: ''"), "4:12 S004 this string is empty |"),
        (GUARD + "    tools: []\n", "7:12 S004 this list is empty | for example `[exec, process]`"),
        (GUARD + "    tools: [a, b, a]\n", "7:19 S004 `a` is listed twice | remove one"),
        (GUARD + "define: {a b: x}\n", "7:10 S004 `a b` is not a valid name | a name has letters"),
        (
            STEP + "    guards: al\n",
            "5:13 S004 `al` is not allowed as `guards` | did you mean `all`?",
        ),
        (CASE + "  - {name: n, call: {}, expect: {}}\n", "6:33 S004 this mapping is empty |"),
        # S005
        ("kind: guard\n", "1:7 S005 unknown kind `guard` | did you mean `guards`?"),
        (
            "kind: policy\n",
            "1:7 S005 unknown kind `policy` | the kinds are `flow`, `gate`, `guards`",
        ),
        ("kind: bundle\n", "1:7 S005 only `bundle.yaml` is of kind `bundle` |"),
        # S006
        (
            STEP + "    rules: [{id: r, decide: deny, consult: grant, answers: {}}]\n",
            "5:35 S006 `decide` and `consult` exclude each other | keep one",
        ),
        (
            STEP + "    rules: [{id: r, decide: deny}]\n    consult: grant\n    answers: {}\n",
            "6:5 S006 `rules` and `consult` exclude each other |",
        ),
        (
            TOOL + "    effects: [{read: {}, write: {}}]\n",
            "5:26 S006 `read` and `write` exclude each other |",
        ),
    ],
)
def test_messages(text: str, expected: str) -> None:
    _, found = read(text)
    assert len(found) == 1, brief(found)
    assert brief(found)[0].startswith(expected)
    assert found[0].help


def test_parameters_may_be_any_json_schema() -> None:
    schema = (
        "type: object, additionalProperties: false, x-order: 1, required: [a], properties: "
        "{a: {type: [string, 'null'], enum: [int], default: {tpye: 1}, examples: [{requird: 1}]}, "
        "type: {type: array, items: {$ref: '#/definitions/b'}, minItems: 1}, "
        "requird: {if: {const: 1}, then: {required: [c]}, else: true, not: {type: number}}}, "
        "anyOf: [{required: [z]}], definitions: {strnig: {type: integer}}, secret: true"
    )
    document, found = read(f"{TOOL}    effects: none\n    parameters: {{{schema}}}\n")
    assert brief(found) == []
    assert document
    assert not document.incomplete


def test_an_unknown_key_is_not_reported_as_missing_too() -> None:
    _, found = read(GUARD.replace("reason", "reson"))
    assert brief(found) == ["6:5 S001 unknown key `reson` | did you mean `reason`?"]
    _, found = read(STEP + "    rules: [{id: r, decde: deny}]\n")
    assert [d.code for d in found] == ["S001"]


def test_the_manifest() -> None:
    text = (
        "kind: bundle\nname: a\nversion: 1\ntitle: t\nfiles: [../a.yaml, /b.yaml, c.txt, d/e.yml]\n"
    )
    _, found = read(text, manifest=True)
    assert [d.code for d in found] == ["S003", "S004", "S004", "S004"]
    _, found = read("kind: guards\n", manifest=True)
    assert brief(found) == [
        "1:7 S005 expected kind `bundle` in bundle.yaml, found `guards` | the kinds are `bundle`"
    ]


TEN = """\
    kind: guards
    rules:
      - id: a
        title: unknown key
        decide: deny
        reason: r
        whne: x
      - id: b
        title: missing key
        decide: deny
      - id: c
        title: wrong type
        decide: deny
        reason: r
        tools: exec
      - id: d
        title: not allowed
        decide: no
        reason: r
      - id: e
        title: twice
        title: twice
        decide: deny
        reason: r
      - id: f
        title: tag
        decide: deny
        reason: r
        when: !x
      - id: g
        title: alias
        decide: deny
        reason: *h
      - id: h
        title: cut off
        decide: deny
        reason: r
        when: call.tool == "a: b"
      - id: i
        title: cut off without an error
        decide: deny
        reason: r
        when: call.tool == "a # b"
      - id: j
        <<: {title: merged}
        decide: deny
        reason: r
      - id: k
        title: right
        decide: deny
        reason: r
        when: call.tool == "a"
"""


def test_ten_mistakes_are_shown_at_once_and_the_rest_is_kept() -> None:
    document, found = read(TEN)
    codes = ["S001", "S002", "S003", "S004", "Y002", "Y003", "Y005", "P002", "P002", "Y004"]
    assert [d.code for d in found] == codes
    assert all(d.help for d in found)
    assert document
    assert document.incomplete
    kept = {rule["id"]: rule for rule in document.data["rules"]}
    assert kept.keys() == {"a", "c", "e", "f", "h", "i", "k"}
    assert "when" not in kept["f"]
    last = len(document.data["rules"]) - 1
    assert str(document.span("rules", last, "when")) == "f.yaml:52:11"
    assert document.text("rules", last, "when").value == 'call.tool == "a"'


def test_a_document_without_mistakes_is_complete() -> None:
    document, found = read(GUARD)
    assert found == []
    assert document
    assert not document.incomplete
    assert (document.kind, document.file) == ("guards", "f.yaml")


def test_conditions_may_look_like_booleans() -> None:
    document, found = read(GUARD + "    when: true\n")
    assert found == []
    assert document
    assert document.text("rules", 0, "when").value == "true"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"# x\nkind: flow\nsteps: [", "flow"),
        (b"kind: 'guards' \n\t", "guards"),
        (b"kind: nope\n", None),
        (b"  kind: flow\n", None),
        (b"\xff\nkind: tests", "tests"),
        (b"", None),
    ],
)
def test_the_kind_of_a_file_that_can_not_be_read(data: bytes, kind: str | None) -> None:
    assert guess_kind(data) == kind
