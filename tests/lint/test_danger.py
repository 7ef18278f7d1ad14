"""Calls of the highest level of risk that nobody looks at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import found, subject
from tests.lint.written import flow, steps

Steps = list[tuple[str | tuple[str, str], ...]]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([("true", ("allow", 'call.channel == "a"'))], ["s.0"]),
        ([("true", ("allow", "risk == high"))], ["s.0"]),
        ([("true", ("allow", 'risk < high and call.channel == "a"'))], []),
        ([("true", ("allow", "call.tool == look"))], []),  # a tool of a lower level
        ([("true", ("allow", "call.tool == save"))], ["s.0"]),
        ([("true", ("allow", "call.tool in settings.approval.blocked"))], []),  # empty by default
        ([("true", ("allow", "settings.approval.mode == off"))], []),  # manual by default
        ([("true", ("allow", "settings.approval.mode == manual"))], ["s.0"]),
        ([("true", ("deny", "risk == high"), ("allow", "call.unattended"))], []),
        ([("risk == high", "deny"), ("true", ("allow", "call.unattended"))], []),
        ([("at_night", "deny"), ("true", ("allow", "call.unattended"))], []),
        ([("at_night", "deny"), ("true", ("allow", "call.nested"))], ["s1.0"]),
    ],
)
def test_what_allows_the_highest_level(tmp_path: Path, given: Steps, told: list[str]) -> None:
    loaded = subject(tmp_path, flow=steps(*given))
    assert [item[3].split("`")[1] for item in found(loaded, "L113")] == told


def test_an_answer_is_somebody_s_word(tmp_path: Path) -> None:
    asked = """
      - id: s.asked
        title: Asked
        consult: grant
        answers: {granted: {decide: allow, despite: person}, none: next}
    """
    text = flow(("deny", "call.nested")).replace("otherwise:", asked.rstrip()[1:] + "\notherwise:")
    assert found(subject(tmp_path, flow=text), "L113") == []


def test_a_tool_that_arguments_raise_is_dangerous(tmp_path: Path) -> None:
    risk = """
    kind: risk-map
    levels: [low, high]
    combine: strictest
    default: low
    tools: {low: [look, save, start]}
    raise:
      - {id: often, tools: [start], when: (as_int(args.count) ?? 0) > 3, to: high}
    """
    rules = flow(("allow", "call.tool == save"), ("allow", "call.tool == start"))
    risk = risk.replace("(as_int(args.count) ?? 0)", "(args.count ?? 0)")
    told = found(subject(tmp_path, risk=risk, flow=rules), "L113")
    assert [item[3].split("`")[1] for item in told] == ["s.1"]
