"""What coverage counts: nodes, branches and parts, by calls and by examples."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from callgate.model.diagnostic import PolicyError
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.lines import files_of
from callgate.policytest.coverage.summary import Figure, figures, missing
from callgate.policytest.loaded import Loaded, load
from callgate.policytest.run import run_tests
from tests.policytest.coverage.bundle import covered, loaded, run_calls
from tests.shop import BUNDLE as SHOP

Call = Mapping[str, Any]

LOOK: Call = {"tool": "look", "args": {"path": "/x"}}
SAVE: Call = {"tool": "save", "args": {"path": "/x"}}
NEAR = {"channel": "near"}
HOME = {"channel": "home"}
MOVER: Call = {
    **SAVE,
    "context": {"channel": "mover"},
    "observed": {"time": "2026-12-01T09:00:00Z"},
}
LATE: Call = {**MOVER, "observed": {"time": "2027-01-01T00:00:00Z"}}
ODD: Call = {"tool": "save", "args": {"path": "/odd"}, "context": NEAR}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return loaded(tmp_path_factory.mktemp("coverage"))


def nodes(seen: Coverage) -> set[str]:
    return {key for key, count in seen.counts.nodes.items() if count}


@pytest.mark.parametrize(
    ("call", "reached"),
    [
        (LOOK, {"step:hidden", "step:guards", "step:low", "rule:low.passes", "guard:files.look"}),
        ({**SAVE, "context": {"channel": "far"}}, {"step:saving", "rule:saving.far"}),
        ({**SAVE, "context": {**NEAR, "unattended": True}}, {"rule:saving.tried"}),
        ({**SAVE, "context": HOME}, {"step:trusted", "rule:trusted.saving"}),
        ({**SAVE, "context": NEAR}, {"step:person", "consult:person"}),
        ({**SAVE, "context": NEAR, "answers": {"human": "timeout"}}, {"answer:person.timeout"}),
        ({"tool": "remote_x", "context": HOME}, {"otherwise:trusted.otherwise"}),
        (MOVER, {"exception:saving.move", "consult:person"}),
        ({"tool": "save", "args": {"path": "/etc/x"}}, {"guard:files.private"}),
        (ODD, {"guard:files.many", "consult:person"}),
        ({**ODD, "settings": {"strict": True}}, {"becomes:guards.asks-become-deny"}),
        ({"tool": "gone"}, {"step:hidden", "rule:hidden.gone"}),
        ({**LOOK, "shown": True}, {"step:names", "otherwise:visible"}),
    ],
    ids=lambda value: "" if isinstance(value, set) else None,
)
def test_nodes(bundle: Loaded, call: Call, reached: set[str]) -> None:
    assert reached <= nodes(covered(bundle, call))


@pytest.mark.parametrize(
    ("call", "key", "tally"),
    [
        (LOOK, "step:saving", (0, 1, 0)),
        (SAVE, "step:saving", (1, 0, 0)),
        (LOOK, "rule:low.passes", (1, 0, 0)),
        # A rule after the one that decides is not looked at.
        (LOOK, "step:trusted", (0, 0, 0)),
        # Of a rule for certain tools, without a condition.
        ({"tool": "remote_x", "context": HOME}, "rule:trusted.saving", (0, 1, 0)),
        ({**SAVE, "context": HOME}, "rule:trusted.saving", (1, 0, 0)),
        # A guard is looked at on effects of its kind alone.
        (LOOK, "guard:files.private", (0, 0, 0)),
        (SAVE, "guard:files.private", (0, 1, 0)),
        (SAVE, "guard:files.look", (0, 1, 0)),
        # No guard after one that denies is looked at.
        ({"tool": "save", "args": {"path": "/etc/odd"}}, "guard:files.many", (0, 0, 0)),
        (MOVER, "exception:saving.move", (1, 0, 0)),
        (LATE, "exception:saving.move", (0, 1, 0)),
        ({**MOVER, "observed": {}}, "exception:saving.move", (0, 0, 1)),
        (ODD, "becomes:guards.asks-become-deny", (0, 1, 0)),
        (LOOK, "becomes:guards.asks-become-deny", (0, 0, 0)),
        ({"tool": "remote_low"}, "tools:remote", (1, 0, 0)),
        (LOOK, "tools:remote", (0, 0, 0)),
        ({"tool": "remote_low"}, "risk:declared.remote", (1, 0, 0)),
        ({**LOOK, "context": {"unattended": True}}, "risk:raise.unattended", (1, 0, 0)),
        (SAVE, "risk:raise.unattended", (0, 0, 0)),
    ],
)
def test_branches(bundle: Loaded, call: Call, key: str, tally: tuple[int, int, int]) -> None:
    found = covered(bundle, call).counts.branches[key]
    assert (found.true, found.false, found.unknown) == tally


@pytest.mark.parametrize(
    ("call", "key", "values"),
    [
        # `and` ends with what is false, `or` with what is true: the rest is not evaluated.
        (SAVE, "guard:files.private", {'w.path under "/etc"': "F"}),
        (
            {"tool": "save", "args": {"path": "/etc/x"}, "context": {"unattended": True}},
            "guard:files.private",
            {
                'w.path under "/etc"': "T",
                'call.unattended or call.channel != "home"': "T",
                "call.unattended": "T",
            },
        ),
        # On the elements of a list.
        (
            {"tool": "save", "args": {"path": "/even"}, "context": NEAR},
            "guard:files.many",
            {
                'w.path like "*odd*" or w.path like "*even*"': "T",
                'w.path like "*odd*"': "F",
                'w.path like "*even*"': "T",
            },
        ),
        # A definition is one part of what uses it, and has its own.
        (SAVE, "rule:saving.far", {"far": "T", "trusted": "F"}),
        ({**SAVE, "context": NEAR}, "rule:saving.far", {"far": "F"}),
        ({**SAVE, "context": HOME}, "fact:trusted", {
            'call.channel in settings.trusted or call.channel == "home"': "T",
            "call.channel in settings.trusted": "F",
            'call.channel == "home"': "T",
        }),
        ({**SAVE, "settings": {"trusted": [""]}}, "fact:trusted", {
            'call.channel in settings.trusted or call.channel == "home"': "T",
            "call.channel in settings.trusted": "T",
        }),
    ],
)  # fmt: skip
def test_parts(bundle: Loaded, call: Call, key: str, values: Mapping[str, str]) -> None:
    seen = covered(bundle, call)
    found = {}
    for part in seen.plan.items[key].counted:
        tally = seen.counts.parts[key, part.number]
        what = "T" * bool(tally.true) + "F" * bool(tally.false) + "U" * bool(tally.unknown)
        if what:
            found[part.text] = what
    assert found == values


def test_examples_count_for_their_guards(bundle: Loaded) -> None:
    seen = Coverage.of(bundle)
    assert nodes(seen) == {"guard:files.private", "guard:files.many", "guard:files.look"}
    for key in nodes(seen):
        tally = seen.counts.branches[key]
        assert tally.true and tally.false, key
    assert seen.rules["files.private"].covered


def test_what_settings_fold_away_is_there_to_reach(bundle: Loaded) -> None:
    seen = covered(bundle, ODD)
    absent = {one.item.key for one in missing(seen) if one.kind == "node"}
    assert "becomes:guards.asks-become-deny" in absent


def test_the_last_word_is_left_out_where_nothing_comes_to_it(bundle: Loaded) -> None:
    seen = covered(bundle)
    left_out = {item.key for item in seen.plan.items.values() if item.excluded}
    assert left_out == {"otherwise:otherwise"}
    assert figures(seen).excluded == 1
    assert all(one.item.key not in left_out for one in missing(seen))


CALLS: tuple[Call, ...] = (
    LOOK, SAVE, MOVER, LATE, ODD, {"tool": "gone"}, {**LOOK, "shown": True},
    {**ODD, "settings": {"strict": True}}, {**SAVE, "context": HOME},
)  # fmt: skip


@pytest.mark.parametrize("cut", range(len(CALLS) + 1))
def test_halves_merge_to_the_whole(bundle: Loaded, cut: int) -> None:
    whole = run_calls(bundle, Coverage.of(bundle), *CALLS)
    first = run_calls(bundle, Coverage.of(bundle), *CALLS[:cut])
    second = run_calls(bundle, first.blank(), *CALLS[cut:])
    first.merge(pickle.loads(pickle.dumps(second)))
    assert flat(first) == flat(whole)
    assert first.rules == whole.rules


def test_a_pickled_one_goes_on_counting(bundle: Loaded) -> None:
    seen = run_calls(bundle, pickle.loads(pickle.dumps(covered(bundle, LOOK))), SAVE)
    assert flat(seen) == flat(covered(bundle, LOOK, SAVE))


def flat(seen: Coverage) -> list[Any]:
    counts = seen.counts
    return [
        {key: value for key, value in counts.nodes.items() if value},
        *(
            {
                key: (tally.true, tally.false, tally.unknown)
                for key, tally in tallies.items()
                if tally.true or tally.false or tally.unknown
            }
            for tallies in (counts.branches, counts.parts)
        ),
    ]


def test_figures_and_what_is_missing_agree(bundle: Loaded) -> None:
    seen = run_calls(bundle, Coverage.of(bundle), *CALLS)
    found = figures(seen)
    left = list(missing(seen))
    for kind, figure in (("node", found.nodes), ("branch", found.branches), ("part", found.parts)):
        assert figure.total - figure.reached == sum(one.kind == kind for one in left)
    by_file = [figures(seen, file.items) for file in files_of(seen)]
    assert sum((one.nodes for one in by_file), Figure()) == found.nodes
    assert sum((one.branches for one in by_file), Figure()) == found.branches


def test_lines_of_folded_conditions_are_those_of_their_parts(bundle: Loaded) -> None:
    for file in files_of(covered(bundle)):
        lines = file.text.splitlines()
        for number, line in file.lines.items():
            for branch in line.branches:
                if branch.number:
                    assert branch.text.split()[-1] in lines[number - 1]


@pytest.mark.parametrize("where", [SHOP, "tests/cases/acme", "echo"])
def test_the_walk_ends_where_the_engine_ends(where: str) -> None:
    bundle = load(where)
    engine = bundle.usable()
    seen = Coverage.of(bundle).blank()
    kinds = ("rule", "guard", "answer", "otherwise", "becomes")
    for case in bundle.cases[:: 9 if where == "echo" else 1]:
        under = engine.with_settings(case.settings)
        decision = under.decide(dict(case.call))
        seen.counts.nodes.clear()
        seen.add(under, decision)
        rule = decision.rule
        if decision.failure is not None or rule.startswith("builtin."):
            continue
        keys = {f"consult:{rule.removesuffix('.pending')}"} if decision.pending else {
            f"{kind}:{rule}" for kind in kinds
        }  # fmt: skip
        reached = nodes(seen)
        assert keys & reached, (case.name, rule)
        shadows = {r.id for step in engine.policy.flow.steps for r in step.rules if r.shadow}
        ends = {key for key in reached if key.startswith(("rule:", "otherwise:", "becomes:"))}
        assert {key for key in ends if key.partition(":")[2] not in shadows} <= keys, case.name


def test_what_the_engine_found_and_the_parts_agree() -> None:
    """A guard that fired had its condition true, or unknown."""
    bundle = load("tests/cases/acme")
    seen = Coverage.of(bundle).blank()
    run_tests(bundle, None, seen)
    for guard in bundle.usable().policy.guards:
        tally = seen.counts.branches[f"guard:{guard.id}"]
        assert seen.counts.nodes[f"guard:{guard.id}"] <= tally.true + tally.unknown


def test_a_bundle_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(PolicyError):
        Coverage.of(load(tmp_path))
