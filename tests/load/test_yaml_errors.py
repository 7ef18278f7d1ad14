"""What a YAML parser stumbles over, and how it is said."""

from __future__ import annotations

import pytest
import yaml

from callgate.load.cut import drop_cut_conditions
from callgate.load.nodes import to_data
from callgate.load.reader import parse_yaml
from callgate.load.source import Source
from callgate.model.diagnostic import Diagnostic, Diagnostics


def mistakes(text: str, conditions: bool = True) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    source = Source("f", text)
    root = parse_yaml(source, diagnostics, conditions=conditions)
    if root is not None:
        drop_cut_conditions(root, source, diagnostics)
    return diagnostics.sorted()


CASES = [
    # conditions that YAML cuts off
    ('when: a == "x: y"', "1:14 P002", "at `: `", "'a == \"x: y\"'"),
    ("- when: `git push` is r", "1:9 P002", "a backtick", "'`git push` is r'"),
    ('when: "a" == b', "1:9 P002", 'second `"`', "'\"a\" == b'"),
    ("when: 'a' == b", "1:9 P002", "second `'`", "'''a'' == b'"),
    ("when: {a} == b", "1:7 P002", "beginning of a mapping", "'{a} == b'"),
    ('when: ["a"] has x', "1:7 P002", "beginning of a list", "quotes"),
    ("when: *", "1:7 P002", "an alias", "'*'"),
    ("when: | x", "1:7 P002", "last thing on its line", "next line"),
    ("when: - x", "1:7 P002", "in the middle", "next line"),
    ('when: "abc', "1:7 P002", "never closed", 'with `"`'),
    ("define:\n  x: a: b", "2:7 P002", "at `: `", "'a: b'"),
    ('when: a == "x"\n  and b == "y: z"', "2:14 P002", "at `: `", "`>-`"),
    ("- {id: x, when: a in [b], decide: deny}", "1:22 P002", "`,` or `}`", "quotes"),
    ('when: a == "x # y"', "1:15 P002", "at ` #`", "'a == \"x # y\"'"),
    ("when: f(a  # comment", "1:12 P002", "at ` #`", "quotes"),
    ("define: {x: f(a # b\n  }", "1:17 P002", "at ` #`", "quotes"),
    ("- {when: f(a, b) == c, id: d}", "1:13 P002", "at `,`", "quotes"),
    # texts that are no conditions
    ("reason: {d.path} is bad", "1:9 Y001", "beginning of a mapping", "'{d.path} is bad'"),
    ("title: a: b", "1:9 Y001", "at `: `", "'a: b'"),
    ('title: "\\d+"', "1:9 Y001", "`\\d` is no escape", "single quotes"),
    ('title: "\\xZZ"', "1:9 Y001", "`\\x` is no escape", "single quotes"),
    ("title: @foo", "1:8 Y001", "begin with `@`", "'@foo'"),
    ("title: %foo", "1:8 Y001", "begin with `%`", "'%foo'"),
    ("title: &", "1:8 Y001", "an anchor", "'&'"),
    ("title: !<x", "1:8 Y001", "a tag", "'!<x'"),
    ("a: 'it's\nb: c", "1:7 Y001", "second `'`", "'''it''s'"),
    # structure
    ("title: foo\n  when: bar", "2:3 Y001", "`when` is indented", "indentation"),
    ("a: 1\nb:2\nc: 3", "2:2 Y001", "space is missing after `b:`", "`key: value`"),
    ("a: 1\nfoo\nb: 3", "2:1 Y001", "found `foo`", "colon"),
    ("a:\n  - b\n - c", "3:2 Y001", "expected `key: value`", "indentation"),
    ("- a\nb: c", "2:1 Y001", "another item", "indentation"),
    ("tools: [*]", "1:10 Y001", "aliases", '`"*"`'),
    ("tools: [a, b\nc: d", "2:2 Y001", "`,` or `]`", "not closed"),
    ("tools: [a, b\n", "1:8 Y001", "`[` is never closed", "`]`"),
    ("- {a: {b: c}\n", "1:3 Y001", "`{` is never closed", "`}`"),
    ('title: "abc\nwhen: x == "y"', "1:8 Y001", "ends in line 2", "its own line"),
    ("a: }", "1:4 Y001", "expected a value", "bracket"),
    ("%foo", "1:4 Y001", "directive", "quotes"),
    ("a: >5x\n  b", "1:4 Y001", "last thing on its line", "next line"),
    # tabs
    ("a: b\n\tc: d", "2:1 Y006", "a tab", "spaces"),
    ("a:\n \t- b", "2:2 Y006", "a tab", "spaces"),
    ("-\tb", "1:2 Y006", "a tab", "spaces"),
    ("a: |\n\tb", "2:1 Y006", "a tab", "spaces"),
]


@pytest.mark.parametrize(("text", "place", "message", "help"), CASES, ids=[c[0] for c in CASES])
def test_mistakes(text: str, place: str, message: str, help: str) -> None:
    found = mistakes(text)
    assert [f"{d.span.line}:{d.span.column} {d.code}" for d in found if d.span] == [place]
    assert message in found[0].message
    assert help in found[0].help


@pytest.mark.parametrize("case", CASES, ids=[c[0] for c in CASES])
def test_without_libyaml_the_same_is_said(
    case: tuple[str, str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, place, _, _ = case
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    found = mistakes(text)
    line, code = place.split(":")[0], place.split()[1]
    assert [f"{d.span.line} {d.code}" for d in found if d.span] == [f"{line} {code}"]


@pytest.mark.parametrize(
    "text",
    [
        "when: a == b  # ends in (the middle\n",
        'when: a == "#b"\n',
        "when: f(a)  # x\n",
        "when: 'f(a'  # x\n",
        "title: f(a # x\n",
        "when: >-\n  f(a\n  # b\n  )\n",
        "- {when: f(a), b: c}\n",
        "- {title: f(a, b: c}\n",
        'when: a == r"(\\"" and `x ( y` is r  # z\n',
    ],
)
def test_comments_and_commas_that_cut_nothing(text: str) -> None:
    assert mistakes(text) == []


def test_what_is_left_of_a_cut_condition_is_no_key() -> None:
    diagnostics = Diagnostics()
    source = Source("f", "- {when: f(a, b) == c, d: e}\n- {when: 'x'}\n")
    root = parse_yaml(source, diagnostics)
    assert root is not None
    assert drop_cut_conditions(root, source, diagnostics)
    assert to_data(root) == [{"d": "e"}, {"when": "x"}]


def test_one_mistake_does_not_hide_the_next() -> None:
    text = (
        "rules:\n"
        '  - when: a == "b: c"\n'
        "    title: `x`\n"
        "  - when: 'a' == b\n"
        "    decide: deny\n"
        "    decide: ask\n"
        "  - title: a: b: c\n"
        "    tools: !x [y]\n"
        '  - title: "never closed\n'
    )
    diagnostics = Diagnostics()
    root = parse_yaml(Source("f", text), diagnostics)
    assert root is not None
    assert to_data(root) == {"rules": [{}, {"decide": "deny"}, {}, {}]}
    places = [f"{d.span.line} {d.code}" for d in diagnostics.sorted() if d.span]
    assert places == ["2 P002", "3 Y001", "4 P002", "6 Y002", "7 Y001", "8 Y003", "9 Y001"]


def test_settings_have_no_conditions() -> None:
    found = mistakes('when: a == "x: y"', conditions=False)
    assert [d.code for d in found] == ["Y001"]


def test_a_text_too_long_to_repeat_is_not_repeated() -> None:
    found = mistakes(f"when: `{'x' * 500}`")
    assert len(found[0].message + found[0].help) < 200
