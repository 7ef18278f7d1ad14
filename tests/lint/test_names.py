"""Comparisons with names that nothing has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import findings, found, subject
from tests.lint.written import flow, guards

RISK = """
kind: risk-map
levels: [low, mid, high]
combine: strictest
default: high
tools: {low: [look], high: [save, start]}
"""
NO_PERSON = "no guard asks for a person, so that guards.asks is never `person`"
DYNAMIC = """
dynamic:
  servers:
    when: call.called_as like "mcp_*"
    capabilities: [fs.read]
    effects: none
"""


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("risk == mid", ["no tool and no rule of the risk map has the level `mid`"]),
        ("risk in low|mid", ["no tool and no rule of the risk map has the level `mid`"]),
        ("risk == high or risk == low", []),
        ("risk < high", []),
        (
            "guards.asks == person",
            ["no guard asks for a person, so that guards.asks is never `person`"],
        ),
        ("guards.asks >= any", []),
        ("risk > low and guards.asks >= person", [NO_PERSON]),
    ],
)
def test_levels_that_nothing_gives(tmp_path: Path, when: str, told: list[str]) -> None:
    files = {"risk.yaml": RISK, "guards.yaml": guards(("ask", 'w.path under "/a"'))}
    loaded = subject(tmp_path, files, flow=flow(("deny", when)))
    assert [item[3] for item in found(loaded, "L107")] == told


def test_a_guard_in_doubt_asks_a_person(tmp_path: Path) -> None:
    loaded = subject(tmp_path, flow=flow(("deny", "guards.asks == person")))
    assert found(loaded, "L107") == []


def test_a_rule_of_the_risk_map_gives_a_level(tmp_path: Path) -> None:
    raised = RISK + "raise:\n  - {id: often, when: call.attempt_index > 3, to: mid}\n"
    files = {"risk.yaml": raised}
    assert found(subject(tmp_path, files, flow=flow(("deny", "risk == mid"))), "L107") == []


@pytest.mark.parametrize(
    ("when", "dynamic", "told"),
    [
        ('call.called_as == "svae"', False, ["svae"]),
        ('call.tool in ["save", "fly"]', False, ["fly"]),
        ('call.called_as != "cat"', False, []),  # an alias
        ('call.called_as == "mcp_files"', True, []),
        ('call.called_as == "fly"', True, ["fly"]),
        ('call.called_as like "fl*"', False, []),
    ],
)
def test_tools_that_nobody_knows(tmp_path: Path, when: str, dynamic: bool, told: list[str]) -> None:
    tools = (Path(__file__).parents[1] / "cases" / "acme" / "tools.yaml").read_text("utf-8")
    files = {"tools.yaml": tools + DYNAMIC if dynamic else tools}
    loaded = subject(tmp_path, files, flow=flow(("deny", when)))
    assert [item[3].split("`")[1] for item in found(loaded, "L110")] == told


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ('"fs.wirte" in capabilities', ["fs.wirte"]),
        ('any(c in capabilities where c == "fs.fly")', ["fs.fly"]),
        ("fs.write in capabilities", []),
    ],
)
def test_capabilities_that_no_tool_has(tmp_path: Path, when: str, told: list[str]) -> None:
    loaded = subject(tmp_path, flow=flow(("deny", when)))
    assert [item[3].split("`")[1] for item in found(loaded, "L112")] == told


def _channels(*texts: str) -> str:
    return guards(*(("ask", f"call.channel in [{text}]") for text in texts))


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (['"telegram", "slack"', '"telegrm"'], [("telegrm", "telegram")]),
        (['"telegram"', '"telegram"', '"telegrma"'], [("telegrma", "telegram")]),
        (['"telegram", "telegrm"'], []),  # side by side: both are meant
        (['"slack", "slakc"'], [("slakc", "slack")]),  # but not these
        (['"telegrm"', '"telegram"'], [("telegrm", "telegram")]),
        (['"desk "', '"desk"'], [("desk ", "desk")]),
        (['"desk", "desk "'], [("desk ", "desk")]),
        (['"https"', '"http"'], []),
        (['"stage-1"', '"stage-2"'], []),
        (['"cli"', '"clj"'], []),
        (['"discord"', '"telegram"'], []),
    ],
)
def test_texts_that_are_nearly_another(
    tmp_path: Path, texts: list[str], told: list[tuple[str, str]]
) -> None:
    loaded = subject(tmp_path, guards=_channels(*texts))
    slips = [item[3].split("`")[3:6:2] for item in found(loaded, "L111")]
    assert [tuple(slip) for slip in slips] == told


def test_a_text_beside_a_glob(tmp_path: Path) -> None:
    whens = ("deny", 'call.channel like "telegram-*"'), ("ask", 'call.channel == "telegrm"')
    told = findings(subject(tmp_path, guards=guards(*whens)), "L111")
    assert [(item.diagnostic.message, item.diagnostic.help) for item in told] == [
        (
            "`call.channel` is compared with `telegrm`, and `telegram` is known",
            "did you mean `telegram`?",
        )
    ]


def test_of_two_texts_that_are_as_likely_either_may_be_misspelt(tmp_path: Path) -> None:
    told = findings(subject(tmp_path, guards=_channels('"slakc"', '"slack"')), "L111")
    assert [item.diagnostic.help for item in told] == ["one of the two is misspelt"]


@pytest.mark.parametrize(("text", "told"), [("corn", 1), ("cron", 0), ("", 0)])
def test_origins_are_known(tmp_path: Path, text: str, told: int) -> None:
    loaded = subject(tmp_path, guards=guards(("deny", f'call.origin == "{text}"')))
    assert len(found(loaded, "L111")) == told


def test_texts_that_the_vocabulary_does_not_list(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "cases" / "acme" / "vocabulary.yaml").read_text("utf-8")
    known = "call:\n  channel: {type: string, doc: where from, known: [cli, telegram]}\n"
    files = {"vocabulary.yaml": text + known, "guards.yaml": _channels('"cli", ""', '"telegrm"')}
    told = findings(subject(tmp_path, files, flow=flow(("deny", "risk == low"))), "L111")
    assert [(item.diagnostic.message, item.diagnostic.help) for item in told] == [
        (
            "`telegrm` is none of the texts that `call.channel` is known to have",
            "did you mean `telegram`?",
        )
    ]
