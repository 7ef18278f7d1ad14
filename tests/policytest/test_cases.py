"""Test documents become cases: single ones, and one per row."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.cases import Case, read_cases


def read(text: str) -> tuple[list[Case], list[str]]:
    found = Diagnostics()
    document = read_document("x/tests.yaml", f"kind: tests\ncases:\n{text}".encode(), found)
    cases = read_cases([document] if document else [], found)
    return cases, [f"{item.span}: {item.code}: {item.message} | {item.help}" for item in found]


def test_a_single_case() -> None:
    cases, problems = read(
        """
  - name: one
    call: {tool: exec, args: {command: ls}, settings: {a: {b: 1}}}
    settings: {a: {b: 2, c: 3}}
    expect: {decision: deny}
"""
    )
    (case,) = cases
    assert problems == []
    assert case.name == "one"
    assert case.call == {"tool": "exec", "args": {"command": "ls"}}
    assert case.settings == {"a": {"b": 1, "c": 3}}
    assert case.expect == {"decision": "deny"}
    assert (case.span.file, case.span.line) == ("x/tests.yaml", 4)


TABLE = """
  - table: t
    with: {{tool: exec, context: {{channel: cli}}, args: {{a: 1}}}}
    settings: {{x: {{y: [1]}}}}
    columns: {columns}
    rows:
      - {row}
"""


@pytest.mark.parametrize(
    ("columns", "row", "call", "settings", "expect"),
    [
        ("[tool, decision]", "[read, allow]", {"tool": "read"}, {}, {"decision": "allow"}),
        ("[args.b.c]", "[2]", {"args": {"a": 1, "b": {"c": 2}}}, {}, {}),
        ("[args]", "[{b: 2}]", {"args": {"b": 2}}, {}, {}),
        ("[context.nested]", "[true]", {"context": {"channel": "cli", "nested": True}}, {}, {}),
        ("[context.channel]", "[null]", {}, {}, {}),
        ("[answers.human]", "[once]", {"answers": {"human": "once"}}, {}, {}),
        ("[pending, error]", "[null, R003]", {}, {}, {"pending": None, "error": "R003"}),
        ("[settings.x.z]", "[3]", {}, {"x": {"y": [1], "z": 3}}, {}),
        ("[settings]", "[{x: {y: 2}}]", {}, {"x": {"y": 2}}, {}),
        ("[matched, effects]", "[[a], []]", {}, {}, {"matched": ["a"], "effects": []}),
    ],
)
def test_a_row(
    columns: str, row: str, call: dict[str, Any], settings: dict[str, Any], expect: dict[str, Any]
) -> None:
    cases, problems = read(TABLE.format(columns=columns, row=row))
    base = {"tool": "exec", "context": {"channel": "cli"}, "args": {"a": 1}}
    (case,) = cases
    assert problems == []
    assert case.call == {**base, **call}
    assert case.settings == (settings or {"x": {"y": [1]}})
    assert case.expect == expect
    assert (case.name, case.span.line) == ("t, row 1", 9)


def test_rows_may_have_names() -> None:
    rows = "      - [null, 2]\n      - [second, 3]\n      - [second, 4]\n"
    cases, problems = read(TABLE.format(columns="[name, args.b]", row="[first, 1]") + rows)
    assert [case.name for case in cases] == ["t: first", "t, row 2", "t: second", "t: second"]
    assert [case.call["args"]["b"] for case in cases] == [1, 2, 3, 4]
    (problem,) = problems
    assert problem.startswith("x/tests.yaml:12:9: C026: the test name `t: second` is taken")


def test_only_some_rows_have_names() -> None:
    rows = "      - [2]\n      - [3, third]\n      - [4, fourth, 5]\n"
    cases, problems = read(TABLE.format(columns="[args.b, name]", row="[1]") + rows)
    assert [case.name for case in cases] == ["t, row 1", "t, row 2", "t: third"]
    assert [case.call["args"]["b"] for case in cases] == [1, 2, 3]
    assert [problem.split(" | ")[0] for problem in problems] == [
        "x/tests.yaml:12:9: S003: a row of 3 values under 2 columns"
    ]


def test_rows_do_not_share_what_they_change() -> None:
    cases, _ = read(TABLE.format(columns="[args.b]", row="[1]") + "      - [2]\n")
    assert [case.call["args"] for case in cases] == [{"a": 1, "b": 1}, {"a": 1, "b": 2}]


@pytest.mark.parametrize(
    ("columns", "row", "problem"),
    [
        ("[decison]", "[x]", "7:15: S004: `decison` is no column | did you mean `decision`?"),
        ("[contxt.a]", "[x]", "7:15: S004: `contxt.a` is no column | did you mean `context.a`?"),
        ("[tool.x]", "[x]", "7:15: S004: `tool.x` is no column | a part of a decision, "),
        ("[tool, id]", "[x]", "9:9: S003: a row of 1 values under 2 columns | write one value "),
    ],
)
def test_tables_that_cannot_be_read(columns: str, row: str, problem: str) -> None:
    cases, problems = read(TABLE.format(columns=columns, row=row))
    assert cases == []
    (found,) = problems
    assert found.startswith(f"x/tests.yaml:{problem}")
