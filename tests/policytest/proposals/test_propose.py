"""Proposed cases: they come to what they are for, and stand in a file that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from callgate.lang import parse_pattern
from callgate.model.expr import Apply, Const, Fact
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.summary import figures, missing
from callgate.policytest.loaded import Loaded, load
from callgate.policytest.proposals.attempt import ABSENT, Attempt, Change
from callgate.policytest.proposals.file import examples_text, in_file
from callgate.policytest.proposals.probe import Probe, target_of
from callgate.policytest.proposals.propose import Proposals, propose
from callgate.policytest.proposals.values import command_of, values_in
from callgate.policytest.run import run_tests
from tests.policytest.coverage.bundle import loaded, write

CASES = """\
  - name: looking
    call: {tool: look, args: {path: /x}}
    expect: {decision: allow, shown: visible}
  - name: saving
    call: {tool: save, args: {path: /x}}
    expect: {decision: deny}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return loaded(tmp_path_factory.mktemp("proposals"), CASES)


def coverage_of(bundle: Loaded) -> Coverage:
    seen = Coverage.of(bundle)
    assert run_tests(bundle, None, seen).failures == ()
    return seen


@pytest.fixture(scope="module")
def proposed(bundle: Loaded) -> Proposals:
    return propose(bundle, coverage_of(bundle))


def test_everything_is_reached(proposed: Proposals) -> None:
    assert [(one.item.key, one.words, one.text) for one in proposed.unreached] == []


def test_each_comes_to_what_it_is_for(bundle: Loaded, proposed: Proposals) -> None:
    before = coverage_of(bundle)
    left = {target_of(one) for one in missing(before)}
    for proposal in proposed.found:
        case = proposal.case
        attempt = Attempt(case["call"], case.get("settings", {}), "shown" in case["expect"])
        probe = Probe(bundle.usable(), before)
        assert probe.decided(attempt) is not None
        targets = [target_of(one) for one in proposal.covers]
        assert targets and left.issuperset(targets), case["name"]
        assert list(probe.came_to(targets)) == targets, case["name"]


def test_with_them_nothing_is_missing(bundle: Loaded, proposed: Proposals, tmp_path: Path) -> None:
    root = write(tmp_path, CASES)
    file = root / "tests.yaml"
    file.write_text(in_file(proposed.found, str(file), file.read_bytes()), "utf-8")
    more = load(root)
    seen = coverage_of(more)
    assert list(missing(seen)) == []
    assert figures(seen).branches.percent == 100


def test_a_file_says_what_each_covers(proposed: Proposals) -> None:
    text = in_file(proposed.found, "new")
    assert text.startswith("kind: tests\n")
    for proposal in proposed.found:
        _, _, after = text.partition(f"name: {proposal.case['name']}")
        assert after or proposal.case["name"] in text.replace("''", "'")
    comments = [line for line in text.splitlines() if line.startswith("  # Covers ")]
    assert len(comments) == sum(len(proposal.words) for proposal in proposed.found)
    assert text.count("confirmed: false\n") == len(proposed.found)


def test_calls_have_what_their_tools_need(proposed: Proposals) -> None:
    for proposal in proposed.found:
        call = proposal.case["call"]
        assert call["tool"] not in ("look", "save") or "path" in call["args"]


def test_a_limit(bundle: Loaded) -> None:
    found = propose(bundle, coverage_of(bundle), limit=2)
    assert len(found.found) == 2
    assert found.unreached


def test_only_what_is_asked_for(bundle: Loaded) -> None:
    found = propose(bundle, coverage_of(bundle), kinds=("node",))
    assert {one.kind for proposal in found.found for one in proposal.covers} == {"node"}


def test_attempts_are_bounded(bundle: Loaded) -> None:
    seen = coverage_of(bundle)
    things = len(list(missing(seen)))
    found = propose(bundle, seen, walks=1)
    assert found.unreached
    # Those of tests and examples, one for each thing, what is looked at again, and making smaller.
    assert found.walks < 20 + 3 * things + 60 * len(found.found)


def test_progress_is_told(bundle: Loaded) -> None:
    told: list[tuple[int, int, int]] = []
    propose(bundle, coverage_of(bundle), done=lambda *parts: told.append(parts))
    assert [number for number, _, _ in told] == list(range(told[0][1]))


def test_what_cannot_be_reached_is_told(tmp_path: Path) -> None:
    root = write(tmp_path)
    flow = root / "flow.yaml"
    text = flow.read_text("utf-8").replace("when: risk == low", 'when: risk == low or "a" == "b"')
    flow.write_text(
        text.replace("when: call.tool == save", "when: call.tool == save and far and not far"),
        "utf-8",
    )
    bundle = load(root)
    found = propose(bundle, Coverage.of(bundle), walks=30)
    assert "step:saving" in {one.item.key for one in found.unreached if one.kind == "node"}


def test_a_guard_behind_another_gets_an_example(tmp_path: Path) -> None:
    root = write(tmp_path)
    guards = root / "guards.yaml"
    text = guards.read_text("utf-8")
    text = text.replace(' and (call.unattended or call.channel != "home")', "")
    hidden = 'any(w in effects.write where w.path under "/etc" and w.path like "*odd*")'
    text = re.sub(r"any\(w in effects.write where .*\)", hidden, text)
    guards.write_text(text.replace("path: /odd", "path: /etc/odd"), "utf-8")
    bundle = load(root)
    found = propose(bundle, Coverage.of(bundle))
    (example,) = found.examples
    assert (example.guard, example.fires) == ("files.many", False)
    assert example.call["args"]["path"].startswith("/etc")
    assert example.words == ('files.many: w.path like "*odd*" is false',)
    assert "files.many must pass" in examples_text(found.examples)
    # It reaches what it is for.
    path = example.call["args"]["path"]
    passing = "pass: [{tool: save, args: {path: /x}}"
    before, after = guards.read_text("utf-8").split("id: files.many")
    after = after.replace(passing, f"{passing}, {{tool: save, args: {{path: {path}}}}}", 1)
    guards.write_text(f"{before}id: files.many{after}", "utf-8")
    again = load(root)
    left = {(one.item.name, one.text) for one in missing(Coverage.of(again))}
    assert ("files.many", 'w.path like "*odd*"') not in left


@pytest.mark.parametrize(
    ("value", "near"),
    [
        (3, [3, 4, 2]),
        ("/srv", ["/srv", "/srv/x", "/srv-x", "/"]),
        ("acme.example", ["acme.example", "x.acme.example", "xacme.example"]),
        ("word", ["word"]),
    ],
)
def test_constants_and_their_neighbours(value: object, near: list[object]) -> None:
    assert values_in(Apply("eq", (Fact("call.tool"), Const(value)))) == near


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("git push (--force|-f)", "git push --force"),
        ("tool sub --name=*", "tool sub --name=x"),
        ("(a|b) c*", "a cx"),
        ("ls $", "ls"),
    ],
)
def test_commands_for_patterns(pattern: str, first: str) -> None:
    assert next(command_of(parse_pattern(pattern))) == first


def test_changes_leave_the_call_as_it_was() -> None:
    call = {"tool": "a", "context": {"channel": "x"}}
    attempt = Attempt(call, {})
    more = attempt.with_(Change(("call", "context", "channel"), "y"))
    less = more.with_(Change(("call", "context"), ABSENT))
    deep = less.with_(Change(("settings", "a", "b"), 1))
    assert call == {"tool": "a", "context": {"channel": "x"}}
    assert (more.call["context"], less.call, deep.settings) == (
        {"channel": "y"},
        {"tool": "a"},
        {"a": {"b": 1}},
    )
    assert deep.get(("settings", "a", "b")) == 1
    assert attempt.get(("settings", "a", "b")) is ABSENT
