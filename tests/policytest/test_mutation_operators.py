"""What each operator makes of a text."""

from __future__ import annotations

import pytest

from callgate.effects.programs import Programs
from callgate.load.document import Document
from callgate.load.nodes import Mapping, Node, Scalar, Sequence
from callgate.load.reader import parse_yaml
from callgate.load.source import Source
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.mutation import structure, tables
from callgate.policytest.mutation.conditions import CONDITION_OPERATORS, changes
from callgate.policytest.mutation.literals import LITERAL_OPERATORS, parent_of
from callgate.policytest.mutation.mutant import Mutant, accepted, diff_of, line_of
from callgate.policytest.mutation.outcomes import answers, decisions, guard_outcomes
from callgate.policytest.mutation.page import Edit, Page, edited, spread
from callgate.policytest.mutation.samples import commands_of, literals_of, with_words
from callgate.policytest.mutation.spellings import Spellings

ENUMS = [("cron", "chat", "job"), ("low", "high")]
OPERATORS = (*CONDITION_OPERATORS, *LITERAL_OPERATORS)
SPELLINGS = Spellings(
    Programs(
        {
            "mv": {"options": {"over": ["-f", "--force"]}, "other": ["-v|--verbose"]},
            "git": {
                "commands": {
                    "push": {"options": {"force": ["-f", "--force", "--force-with-lease[=REF]"]}},
                    "rm": {"other": ["-f"]},
                }
            },
        }
    )
)


def _made(text: str, operator: str) -> list[str]:
    return [
        text[: change.start] + change.new + text[change.end :]
        for change in changes(text, ENUMS, SPELLINGS, OPERATORS)
        if change.operator == operator
    ]


@pytest.mark.parametrize(
    ("operator", "text", "expected"),
    [
        ("negation", "a", ["not a"]),
        ("negation", "not (a and b)", ["(a and b)", "not (not a and b)", "not (a and not b)"]),
        ("negation", "a is `b`", ["not (a is `b`)"]),
        ("negation", "a == 1", []),
        ("and-or", "a and b or c", ["a and b and c", "a or b or c"]),
        ("and-or", "x and (a or b)", ["x or (a or b)", "x and (a and b)"]),
        ("part-dropped", "a and b and c", ["b and c", "a and c", "a and b"]),
        ("part-dropped", "(a in (b ?? [])) and c", ["c", "(a in (b ?? []))"]),
        ("comparison", "a == b", ["a != b"]),
        ("comparison", "a <= b", ["a < b"]),
        ("comparison", "a > b", ["a >= b"]),
        ("comparison", "a in (b ?? [])", ["a not in (b ?? [])"]),
        ("comparison", "a not in b", ["a in b"]),
        ("bound", "length(a) > 9", ["length(a) > 10", "length(a) > 8"]),
        ("quantifier", "any(x in a where x)", ["none(x in a where x)"]),
        ("quantifier", "count(x in a where x) > b", []),
        ("member", "a in cron|chat", ["a == chat", "a == cron", "a in cron|chat|job"]),
        ("member", 'a not in "x"|"y"', ['a != "y"', 'a != "x"']),
        ("member", 'a == ["x", "y"]', ['a == ["y"]', 'a == ["x"]']),
        ("path-widened", 'a under "/etc/ssh"', ['a under "/etc"']),
        ("path-widened", 'a == "~/x"', ['a == "~"', 'a under "~/x"']),
        ("path-widened", 'a == "x"', []),
        ("pattern-loosened", 'a like "*.pem"', ['a like "*.pem*"']),
        ("pattern-loosened", 'a matches r"x"', ['a matches r".*(?:x)"', 'a matches r"(?:x).*"']),
        (
            "pattern-loosened",
            "r is `a b --c $`",
            ["r is `a --c $`", "r is `a b $`", "r is `a b --c`"],
        ),
        ("pattern-narrowed", "r is `(a|b) c`", ["r is `b c`", "r is `a c`"]),
        ("pattern-narrowed", "r is `a (-f|--g)=*`", ["r is `a --g=*`", "r is `a -f=*`"]),
        # Two spellings of one option stand for one another, where all programs know it by both.
        ("pattern-narrowed", "r is `mv (-f|--force)`", []),
        ("pattern-narrowed", "r is `git push (-f|--force|--force-with-lease)`", []),
        (
            "pattern-narrowed",
            "r is `mv (-f|-v|--force)`",
            ["r is `mv (-f|--force)`"],
        ),
        ("pattern-narrowed", "r is `git rm (-f|--x)`", ["r is `git rm --x`", "r is `git rm -f`"]),
        (
            "pattern-narrowed",
            "r is `git (push|rm) (-f|--force)`",
            [
                "r is `git rm (-f|--force)`",
                "r is `git push (-f|--force)`",
                "r is `git (push|rm) --force`",
                "r is `git (push|rm) -f`",
            ],
        ),
        (
            "pattern-narrowed",
            "r is `git (-f|--force)`",
            ["r is `git --force`", "r is `git -f`"],
        ),
        (
            "pattern-narrowed",
            "r is `(mv|x) (-f|--force)`",
            [
                "r is `x (-f|--force)`",
                "r is `mv (-f|--force)`",
                "r is `(mv|x) --force`",
                "r is `(mv|x) -f`",
            ],
        ),
        ("negation", "a and", []),
    ],
)
def test_conditions(operator: str, text: str, expected: list[str]) -> None:
    assert _made(text, operator) == expected


def test_spread() -> None:
    assert [spread(count) for count in (0, 1, 2, 3, 9)] == [[], [0], [0, 1], [0, 1, 2], [0, 4, 8]]


@pytest.mark.parametrize(
    ("path", "parent"),
    [("/etc/ssh", "/etc"), ("/etc", "/"), ("~/x/", "~"), ("x/y", None), ("/", None), ("~", None)],
)
def test_parent_of(path: str, parent: str | None) -> None:
    assert parent_of(path) == parent


GUARDS = """\
kind: guards
rules:
  # one
  - id: a.one
    title: One
    decide: ask
    tools: [x, y]
    when: a
    exceptions:
      - {id: a.e, when: b, until: "2027-01-01", reason: r}
  - {id: a.two, title: Two, decide: deny, when: "a: b"}
  - id: a.three
    title: Three
    enforce: shadow
    decide: note
"""


def _document(text: str) -> Document:
    source = Source("f.yaml", text)
    root = parse_yaml(source, Diagnostics())
    assert isinstance(root, Mapping)
    return Document("any", source, root)


def _page(text: str) -> tuple[Page, Mapping]:
    document = _document(text)
    return Page(document), document.root


def _at(node: Node, *path: str | int) -> Node:
    for key in path:
        if isinstance(node, Sequence):
            assert isinstance(key, int)
            node = node.items[key]
        else:
            assert isinstance(node, Mapping)
            node = node.entries[str(key)][1]
    return node


def _said(made: object) -> list[str]:
    return [said for _, said, _ in made]  # type: ignore[attr-defined]


def test_dropped_rules_leave_the_rest() -> None:
    page, root = _page(GUARDS)
    made = list(structure.dropped(page, root, "rules", "rule"))
    assert [name for name, _ in made] == ["a.one", "a.two", "a.three"]
    for name, (_, _, edits) in made:
        document = _document(edited(page.text, edits))
        ids = [rule["id"] for rule in document.data["rules"]]
        assert sorted([*ids, name]) == ["a.one", "a.three", "a.two"]


def test_swapped_rules() -> None:
    page, root = _page(GUARDS)
    rules = _at(root, "rules")
    assert isinstance(rules, Sequence)
    (_, (_, _, edits)), _ = structure.swapped(page, rules, "rule")
    document = _document(edited(page.text, edits))
    assert [rule["id"] for rule in document.data["rules"]] == ["a.two", "a.one", "a.three"]


def test_guard_outcomes() -> None:
    page, root = _page(GUARDS)
    first, second, third = (_at(root, "rules", number) for number in range(3))
    assert isinstance(first, Mapping) and isinstance(second, Mapping) and isinstance(third, Mapping)
    assert _said(guard_outcomes(page, first, unknown=True)) == [
        "`decide: ask` is `deny`",
        "`decide: ask` is `note`",
        "`approval` is `person`",
        "where it can't tell it passes",
    ]
    assert _said(guard_outcomes(page, second, unknown=False)) == [
        "`decide: deny` is `ask`",
        "`decide: deny` is `note`",
    ]
    assert _said(guard_outcomes(page, third, unknown=False)) == [
        "`decide: note` is `ask`",
        "the shadow is in force",
    ]
    *_, (_, _, edits) = guard_outcomes(page, second, unknown=True)
    changed = edited(page.text, edits)
    assert 'decide: deny, unresolved: deny, when: "a: b"}' in changed


def test_tools_and_exceptions() -> None:
    page, root = _page(GUARDS)
    rule = _at(root, "rules", 0)
    assert isinstance(rule, Mapping)
    assert _said(structure.narrowed(page, rule)) == ["for all tools", "not for `x`", "not for `y`"]
    assert _said(structure.exceptions(page, rule)) == [
        "the exception `a.e` left out",
        "the exception `a.e` never ends",
        "the exception `a.e` holds for every call",
    ]


FLOW = """\
kind: flow
steps:
  - id: s
    title: S
    when: a
    consult: grant
    answers:
      granted:
        decide: allow
        despite: person
      none: next
    otherwise: {decide: deny}
otherwise: {decide: deny}
"""


def test_flow_outcomes() -> None:
    page, root = _page(FLOW)
    step = _at(root, "steps", 0)
    assert isinstance(step, Mapping)
    made = list(answers(page, step))
    assert _said(made) == [
        "the answer `granted` leads to `deny`, not `allow`",
        "the answer `granted` leads to `next`, not `allow`",
        "`despite` left out of the answer `granted`",
        "`despite` is `asks` of the answer `granted`",
        "the answer `none` leads to `allow`, not `next`",
        "the answer `none` leads to `deny`, not `next`",
    ]
    document = _document(edited(page.text, made[1][2]))
    assert document.data["steps"][0]["answers"] == {"granted": "next", "none": "next"}
    last = _at(root, "otherwise")
    assert isinstance(last, Mapping)
    assert _said(decisions(page, last, "`otherwise`")) == [
        "`decide: deny` of `otherwise` is `allow`",
        "`decide: deny` of `otherwise` is `ask`",
    ]
    assert _said(structure.step_parts(page, step)) == [
        "the step is always taken",
        "`otherwise` left out",
    ]


def test_risks() -> None:
    page, root = _page(
        "kind: risk-map\nlevels: [low, high]\ncombine: strictest\ndefault: high\n"
        "tools:\n  low: [a]\n  high:\n    - b\n    - c\n"
    )
    made = [one for _, one in tables.risks(page, root, ("low", "high"))]
    assert _said(made) == [
        "`b` is low, not high",
        "`c` is low, not high",
        "`default: high` is `low`",
    ]
    document = _document(edited(page.text, made[0][2]))
    assert document.data["tools"] == {"low": ["a", "b"], "high": ["c"]}


def test_lists() -> None:
    page, root = _page(
        "kind: vocabulary\nlists:\n  p:\n    type: path\n    doc: d\n    items: [/a/b, /c]\n"
    )
    made = [one for _, one in tables.lists(page, root)]
    assert _said(made) == [
        "`/a/b` left out of `p`",
        "`/a/b` of `p` is `/a`",
        "`/c` left out of `p`",
        "`/c` of `p` is `/`",
    ]
    assert "items: [/c]" in edited(page.text, made[0][2])


@pytest.mark.parametrize(
    ("written", "old", "new", "expected"),
    [
        ("a == 1", "==", "!=", "a != 1"),
        ("'a == \"x\"'", '"x"', '"it\'s"', 'a == "it\'s"'),
        ('"a == \\"x\\""', "a", "b", 'b == "x"'),
        ("a == 1", "1", '"k: v"', 'a == "k: v"'),
        ("a == 1", "a", "[b]", "[b] == 1"),
        (">-\n      a\n      == 1", "==", "!=", "a != 1"),
    ],
)
def test_edits_within_scalars(written: str, old: str, new: str, expected: str) -> None:
    text = (
        f"kind: guards\nrules:\n  - id: a.b\n    title: T\n    decide: ask\n    when: {written}\n"
    )
    page, root = _page(text)
    node = _at(root, "rules", 0, "when")
    assert isinstance(node, Scalar)
    at = node.text.index(old)
    changed = edited(page.text, [page.within(node, at, at + len(old), new)])
    document = _document(changed)
    assert document.data["rules"][0]["when"] == expected


def test_diff_and_reason() -> None:
    text = "a: 1\n# callgate: mutant b is never read\nb: 2\nc: 3\n"
    first, second = (
        Mutant("x", "d", "flow", "f.yaml", (Edit(at, at + 1, "9"),)) for at in (43, 48)
    )
    assert line_of(text, first) == 3
    assert diff_of(text, first) == (
        "--- f.yaml\n+++ f.yaml\n@@ -2,3 +2,3 @@\n # callgate: mutant b is never read\n"
        "-b: 2\n+b: 9\n c: 3\n"
    )
    assert accepted(text, first) == "b is never read"
    assert accepted(text, second) == ""


def test_samples() -> None:
    assert list(dict.fromkeys(commands_of("r is `(a|b) c`"))) == [
        "a c",
        "a c x",
        "b c",
        "a",
        "a x",
    ]
    assert list(literals_of('p under "/a/b"')) == ["/a/b", "/a/b/x", "/a", "/a/x"]
    assert list(literals_of("- word\n")) == ["word"]
    call = {"tool": "exec", "args": {"command": "rm a", "n": 1}}
    made = [found["args"]["command"] for found in with_words(call, ["/b"])]
    assert made == ["/b a", "rm /b"]
