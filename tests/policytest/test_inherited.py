"""Inherited tests: they run against the result, and are replaced by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.model.diagnostic import PolicyError
from callgate.policytest.loaded import load
from callgate.policytest.run import run_tests
from tests.acme import BUNDLE

GUARD = """\
kind: guards
rules:
  - {id: own.look, title: Nobody looks, decide: deny, when: call.tool == look, reason: no}
"""
NAME = "looking is allowed"
DENIED = f"  - {{name: {NAME}, call: {{tool: look}}, expect: {{decision: deny}}}}\n"


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def own(cases: str = "", replaces: str = "", name: str = "own", base: str = str(BUNDLE)) -> Path:
    """A bundle with a guard that changes what the first inherited test expects."""
    root = Path(name)
    root.mkdir()
    files = {"guards": GUARD} if name == "own" else {"masking": "kind: masking\n"}
    if cases:
        files["cases"] = f"kind: tests\ncases:\n{cases}"
    manifest = (
        f"kind: bundle\nname: {name}\nversion: '1'\ntitle: T\nextends: {base}\n"
        f"files: [{', '.join(f'{file}.yaml' for file in files)}]\n"
    )
    manifest += f"replaces:\n{replaces}" if replaces else ""
    for file, text in {**files, "bundle": manifest}.items():
        (root / f"{file}.yaml").write_text(text)
    return root


def test_inherited_tests_run_against_the_result() -> None:
    report = run_tests(load(own()))
    assert len(report.cases) == 7
    (failure,) = report.failures
    assert failure.case.name == NAME
    assert failure.case.span.file == str(BUNDLE / "tests.yaml")


def test_an_inherited_expectation_is_replaced_by_its_name() -> None:
    entry = f"  - {{test: {NAME}, reason: nobody looks here}}\n"
    report = run_tests(load(own(DENIED, entry)))
    assert report.failures == ()
    assert [case.name for case in report.cases].count(NAME) == 1
    assert report.cases[-1].span.file == "own/cases.yaml"


def test_an_inherited_test_is_dropped() -> None:
    report = run_tests(load(own(replaces=f"  - {{test: {NAME}, reason: nobody looks here}}\n")))
    assert report.failures == ()
    assert len(report.cases) == 6


def test_rows_and_tables_are_dropped() -> None:
    entries = [
        ("{test: 'saving by place, row 2', reason: r}", ["row 1", "row 3", "row 4"]),
        ("{test: saving by place, reason: r}", []),
    ]
    for number, (entry, rows) in enumerate(entries):
        report = run_tests(load(own(replaces=f"  - {entry}\n", name=f"own{number}")))
        names = [case.name for case in report.cases if case.name.startswith("saving")]
        assert names == [f"saving by place, {row}" for row in rows]


@pytest.mark.parametrize(
    ("cases", "replaces", "problem"),
    [
        (DENIED, "", ("C021", "own/cases.yaml:3:12")),
        (DENIED * 2, f"  - {{test: {NAME}, reason: r}}\n", ("C026", "own/cases.yaml:4:12")),
        ("", "  - {test: looking is alowed, reason: r}\n", ("C020", "own/bundle.yaml:8:12")),
    ],
)
def test_names_of_tests_are_unique(cases: str, replaces: str, problem: tuple[str, str]) -> None:
    with pytest.raises(PolicyError) as caught:
        run_tests(load(own(cases, replaces)))
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert [(d.code, str(d.span)) for d in errors] == [problem]


def test_replaced_expectations_can_be_replaced_again() -> None:
    entry = f"  - {{test: {NAME}, reason: r}}\n"
    own(DENIED, entry)
    other = DENIED.replace("look}", "look, context: {unattended: true}}")
    report = run_tests(load(own(other, entry, "last", "../own")))
    assert report.failures == ()
    assert [c.span.file for c in report.cases if c.name == NAME] == ["last/cases.yaml"]


MATRIX = """\
  - matrix: looking
    over: {tool: [look, cat], context.unattended: [true, false]}
    expect: {decision: deny, rule: own.look}
"""


@pytest.mark.parametrize(
    ("test", "left"),
    [
        (
            "looking: tool=cat, context.unattended=true",
            [
                "look, context.unattended=true",
                "look, context.unattended=false",
                "cat, context.unattended=false",
            ],
        ),
        ("looking", []),
    ],
)
def test_cases_of_a_matrix_are_dropped(test: str, left: list[str]) -> None:
    own(MATRIX, f"  - {{test: {NAME}, reason: r}}\n")
    loaded = load(own("", f"  - {{test: '{test}', reason: r}}\n", "last", "../own"))
    cases = [case.name for case in run_tests(loaded).cases if case.name.startswith("looking:")]
    assert cases == [f"looking: tool={name}" for name in left]


def test_a_case_of_a_matrix_is_replaced() -> None:
    name = "looking: tool=cat, context.unattended=true"
    own(MATRIX, f"  - {{test: {NAME}, reason: r}}\n")
    case = f"  - {{name: '{name}', call: {{tool: look}}, expect: {{decision: deny}}}}\n"
    report = run_tests(load(own(case, f"  - {{test: '{name}', reason: r}}\n", "last", "../own")))
    assert report.failures == ()
    assert [c.span.file for c in report.cases if c.name == name] == ["last/cases.yaml"]
    found = load(own(case, "", "again", "../own")).findings
    assert [d.code for d in found if d.severity == "error"] == ["C021"]
