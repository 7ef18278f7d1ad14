"""Fixtures: what cases, tables and matrices build on."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.cases import Case, read_cases

FIXTURES = """\
kind: tests
fixtures:
  owner:
    call: {tool: exec, context: {channel: cli, nested: {a: 1}}, settings: {s: {inner: 1}}}
    settings: {s: {outer: 1, inner: 0}}
  strict:
    call: {context: {channel: web, nested: {b: 2}}}
    settings: {s: {outer: [2]}}
cases:
"""


def read(text: str) -> tuple[list[Case], list[str]]:
    found = Diagnostics()
    document = read_document("x/tests.yaml", (FIXTURES + text).encode(), found)
    cases = read_cases([document] if document else [], found)
    return cases, [f"{item.span}: {item.code}: {item.message} | {item.help}" for item in found]


@pytest.mark.parametrize(
    ("entry", "call", "settings"),
    [
        (
            "use: owner",
            {"tool": "exec", "context": {"channel": "cli", "nested": {"a": 1}}},
            {"s": {"outer": 1, "inner": 1}},
        ),
        (
            "use: [owner, strict]",
            {"tool": "exec", "context": {"channel": "web", "nested": {"a": 1, "b": 2}}},
            {"s": {"outer": [2], "inner": 1}},
        ),
        (
            "use: [strict, owner]",
            {"tool": "exec", "context": {"channel": "cli", "nested": {"a": 1, "b": 2}}},
            {"s": {"outer": 1, "inner": 1}},
        ),
        (
            "use: owner, call: {tool: read, context: {nested: {a: 3}}}, settings: {s: {inner: 4}}",
            {"tool": "read", "context": {"channel": "cli", "nested": {"a": 3}}},
            {"s": {"outer": 1, "inner": 4}},
        ),
        (
            "use: owner, call: {settings: {s: {inner: 5}}}, settings: {s: {inner: 4}}",
            {"tool": "exec", "context": {"channel": "cli", "nested": {"a": 1}}},
            {"s": {"outer": 1, "inner": 5}},
        ),
        ("call: {tool: read}", {"tool": "read"}, {}),
    ],
)
def test_a_case_is_laid_over_its_fixtures(
    entry: str, call: dict[str, Any], settings: dict[str, Any]
) -> None:
    cases, problems = read(f"  - {{name: x, {entry}, expect: {{decision: ask}}}}\n")
    assert problems == []
    assert (cases[0].call, cases[0].settings) == (call, settings)


def test_a_table_uses_fixtures_and_its_rows_do_not_share_them() -> None:
    cases, problems = read(
        "  - {table: t, use: owner, with: {args: {a: 1}}, columns: [context.nested.a, decision],"
        " rows: [[2, ask], [null, deny]]}\n"
    )
    assert problems == []
    assert [case.call["context"]["nested"] for case in cases] == [{"a": 2}, {"a": 1}]
    assert {case.call["tool"] for case in cases} == {"exec"}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("use: ownr", "10:20: S004: `ownr` is no fixture of this file | did you mean `owner`?"),
        (
            "use: [owner, other]",
            "10:28: S004: `other` is no fixture of this file | did you mean `owner`?",
        ),
        ("use: [zzzzzzzz]", "10:21: S004: `zzzzzzzz` is no fixture of this file | give it under"),
        ("description: d", "10:5: S002: `call` is missing | write the call, or `use` a fixture"),
    ],
)
def test_what_is_no_fixture(entry: str, problem: str) -> None:
    _, problems = read(f"  - {{name: x, {entry}, expect: {{decision: ask}}}}\n")
    assert [text.startswith(f"x/tests.yaml:{problem}") for text in problems] == [True], problems


def test_who_has_not_been_confirmed() -> None:
    cases, problems = read(
        "  - {name: x, confirmed: false, use: owner, expect: {decision: ask}}\n"
        "  - {name: y, confirmed: true, use: owner, expect: {decision: ask}}\n"
        "  - {table: t, confirmed: false, columns: [tool, decision], rows: [[exec, ask]]}\n"
    )
    assert problems == []
    assert [case.confirmed for case in cases] == [False, True, False]
