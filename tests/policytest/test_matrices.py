"""Matrices: every combination is a case, and each is expected something."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.cases import Case, read_cases


def read(matrix: str) -> tuple[list[Case], list[str]]:
    text = f"kind: tests\ncases:\n  - {{matrix: m, {matrix}}}\n"
    found = Diagnostics()
    document = read_document("x/tests.yaml", text.encode(), found)
    cases = read_cases([document] if document else [], found)
    return cases, [f"{item.span}: {item.code}: {item.message} | {item.help}" for item in found]


def test_every_combination_is_a_case() -> None:
    cases, problems = read(
        "with: {tool: exec, args: {a: 0}}, settings: {s: 1},"
        " over: {args.a: [1, null], settings.t.u: [x, y]}, expect: {decision: ask}"
    )
    assert problems == []
    assert [(case.name, case.call["args"], case.settings) for case in cases] == [
        ("m: args.a=1, settings.t.u=x", {"a": 1}, {"s": 1, "t": {"u": "x"}}),
        ("m: args.a=1, settings.t.u=y", {"a": 1}, {"s": 1, "t": {"u": "y"}}),
        ("m: args.a=null, settings.t.u=x", {"a": 0}, {"s": 1, "t": {"u": "x"}}),
        ("m: args.a=null, settings.t.u=y", {"a": 0}, {"s": 1, "t": {"u": "y"}}),
    ]
    assert {tuple(case.expect.items()) for case in cases} == {(("decision", "ask"),)}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("plain text", "plain text"),
        ("'true'", '"true"'),
        ("true", "true"),
        ("'1'", '"1"'),
        ("[a, 1]", '["a", 1]'),
        ("{b: 1, a: 2}", '{"a": 2, "b": 1}'),
        ('"two\\nlines"', '"two\\nlines"'),
    ],
)
def test_names_tell_values_apart(value: str, name: str) -> None:
    cases, _ = read(f"over: {{args.a: [{value}]}}, expect: {{decision: ask}}")
    assert [case.name for case in cases] == [f"m: args.a={name}"]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            "[{when: {tool: a}, expect: {decision: deny}}]",
            [{"decision": "deny", "risk": "low"}] * 2 + [{"risk": "low"}] * 2,
        ),
        (
            "[{when: {tool: a, args.n: 1}, expect: {decision: deny}},"
            " {when: {tool: [a, b]}, expect: {risk: high}}]",
            [{"decision": "deny", "risk": "low"}] + [{"risk": "high"}] * 3,
        ),
        (
            "[{when: {args.n: [true]}, expect: {rule: r}}]",
            [{"risk": "low"}, {"risk": "low", "rule": "r"}] * 2,
        ),
    ],
)
def test_the_first_rule_that_fits_counts(rules: str, expected: list[dict[str, Any]]) -> None:
    cases, problems = read(
        f"over: {{tool: [a, b], args.n: [1, true]}}, expect: {{risk: low}}, rules: {rules}"
    )
    assert problems == []
    assert [case.expect for case in cases] == expected


def test_a_list_may_be_a_value() -> None:
    cases, problems = read(
        "with: {tool: a}, over: {args.n: [[1, 2], 1, 2]}, expect: {decision: ask},"
        " rules: [{when: {args.n: [1, 2]}, expect: {decision: deny}}]"
    )
    assert problems == []
    assert [case.expect["decision"] for case in cases] == ["deny", "ask", "ask"]


def test_a_case_is_mended_at_its_rule() -> None:
    cases, _ = read(
        "over: {tool: [a, b]}, expect: {risk: low},\n"
        "     rules: [{when: {tool: b}, expect: {decision: ask}}]"
    )
    assert [(case.span.line, case.span.column) for case in cases] == [(3, 47), (4, 14)]


@pytest.mark.parametrize(
    ("matrix", "problem"),
    [
        (
            "over: {tool: [a, b]}, rules: [{when: {tool: a}, expect: {risk: low}}]",
            "S002: nothing is expected of tool=b | add a rule for it",
        ),
        ("over: {tool: [a]}", "S002: nothing is expected of tool=a | "),
        (
            "over: {tol: [a]}, expect: {risk: low}",
            "S004: `tol` is no path | did you mean `tool`?",
        ),
        (
            "over: {decision: [a]}, expect: {risk: low}",
            "S004: `decision` is no path | ",
        ),
        (
            "over: {tool: [a]}, rules: [{when: {tol: a}, expect: {risk: low}}]",
            "S004: `tol` is no path of this matrix | did you mean `tool`?",
        ),
        (
            "over: {tool: [read]}, rules: [{when: {tool: raed}, expect: {risk: low}}]",
            "S004: `tool` is never `raed` here | did you mean `read`?",
        ),
        (
            "over: {args.n: [1]}, rules: [{when: {args.n: true}, expect: {risk: low}}]",
            "S004: `args.n` is never `true` here | add it under `over`",
        ),
        (
            "over: {tool: [a]}, rules: [{when: {tool: a}, expect: {risk: low}},"
            " {when: {tool: a}, expect: {risk: high}}]",
            "S004: this rule is never the first that fits | ",
        ),
        (
            f"over: {{tool: {[*'abcdefgh']}, args.n: {list(range(513))}}}, expect: {{risk: low}}",
            "S004: a matrix of 4,104 cases | it may have 4,096",
        ),
        (
            "over: {args.: [a]}, expect: {risk: low}",
            "S004: `args.` is no path | did you mean `args`?",
        ),
        ("over: {args..x: [a]}, expect: {risk: low}", "S004: `args..x` is no path | a path into"),
        ("over: {tool: []}, expect: {risk: low}", "S004: "),
        ("expect: {risk: low}", "S002: "),
    ],
)
def test_matrices_that_cannot_be_read(matrix: str, problem: str) -> None:
    _, problems = read(matrix)
    assert [problem in text for text in problems] == [True], problems


def test_as_many_as_there_may_be() -> None:
    over = f"{{tool: {[*'abcdefgh']}, args.n: {list(range(512))}}}"
    cases, problems = read(f"over: {over}, expect: {{risk: low}}")
    assert (len(cases), problems) == (4096, [])
