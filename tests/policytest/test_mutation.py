"""The fast way to a mutant's verdict gives what the slow one gives: edit, load, run all tests."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from callgate.effects.programs import Programs
from callgate.model.diagnostic import Severity
from callgate.policytest.case_runner import CaseRunner
from callgate.policytest.loaded import Loaded, load
from callgate.policytest.mutation.mutant import Mutant
from callgate.policytest.mutation.mutants import mutants_of
from callgate.policytest.mutation.page import edited
from callgate.policytest.mutation.run import FailingError, Report, Tried, mutate
from callgate.policytest.mutation.spellings import Spellings
from callgate.policytest.mutation.trial import EQUIVALENT, KILLED, REFUSED, SURVIVED

CASES = Path(__file__).parents[1] / "cases"
BUNDLES = ("shop", "acme")


@pytest.fixture(scope="module", params=BUNDLES)
def mutated(request: pytest.FixtureRequest) -> Iterator[tuple[str, Loaded, Report]]:
    """A small bundle and what came of all its mutants."""
    with chdir(CASES):
        loaded = load(f"./{request.param}")
        yield request.param, loaded, mutate(loaded)


def _slow(name: str, where: Path, mutant: Mutant) -> tuple[str, Loaded]:
    """What comes of a mutant whose file is really written."""
    shutil.copytree(CASES / name, where)
    file = where / Path(mutant.file).relative_to(name)
    file.write_text(edited(file.read_text(), mutant.edits))
    loaded = load(where)
    errors = {item.code for item in loaded.findings if item.severity is Severity.ERROR}
    if loaded.engine is None:
        return (KILLED if errors == {"C008"} else REFUSED), loaded
    runner = CaseRunner(loaded.engine)
    failed = any(runner.run(case) is not None for case in loaded.cases)
    return (KILLED if failed else SURVIVED), loaded


def test_fast_is_slow(mutated: tuple[str, Loaded, Report], tmp_path: Path) -> None:
    name, _, report = mutated
    wrong = []
    for number, tried in enumerate(report.tried):
        status, loaded = _slow(name, tmp_path / str(number), tried.mutant)
        found = tried.verdict.status
        if found in (SURVIVED, EQUIVALENT):
            found = SURVIVED
        if status != found:
            wrong.append((found, status, tried.mutant.rule, tried.mutant.description))
            continue
        telling = tried.telling
        if telling is not None:
            engine = loaded.usable()
            decision = engine.decide(dict(telling.call))
            assert (decision.decision, decision.rule) == telling.after, tried.mutant.description
    assert not wrong


def test_every_status_occurs(mutated: tuple[str, Loaded, Report]) -> None:
    _, loaded, report = mutated
    counts = Counter(tried.verdict.status for tried in report.tried)
    assert counts[KILLED] and counts[SURVIVED] and counts[REFUSED]
    engine = loaded.usable()
    for tried in report.survivors:
        if tried.telling is not None:
            decision = engine.decide(dict(tried.telling.call))
            assert (decision.decision, decision.rule) == tried.telling.before
    assert any(tried.telling is not None for tried in report.survivors)
    share = 100 * counts[KILLED] / (counts[KILLED] + counts[SURVIVED])
    assert report.score == pytest.approx(share)


def test_several_processes_find_the_same(mutated: tuple[str, Loaded, Report]) -> None:
    _, loaded, report = mutated
    told: list[tuple[int, int]] = []

    def done(number: int, total: int, tried: Tried) -> None:
        told.append((number, total))

    again = mutate(loaded, jobs=2, done=done)
    assert again.found == report.found
    assert [one.verdict.status for one in again.tried] == [
        one.verdict.status for one in report.tried
    ]
    assert told == [(number + 1, report.found) for number in range(report.found)]


def test_a_sample_is_the_same_each_time(mutated: tuple[str, Loaded, Report]) -> None:
    _, loaded, report = mutated
    first, second = (mutate(loaded, limit=9, seed=seed) for seed in (1, 1))
    assert [one.mutant for one in first.tried] == [one.mutant for one in second.tried]
    assert len(first.tried) == 9
    assert first.found == report.found
    other = mutate(loaded, limit=9, seed=2)
    assert [one.mutant for one in other.tried] != [one.mutant for one in first.tried]


@pytest.mark.parametrize(
    ("only", "expected"),
    [("decision", {"decision"}), ("step-*", {"step-dropped", "step-part"})],
)
def test_only_some(only: str, expected: set[str]) -> None:
    with chdir(CASES):
        report = mutate(load("./shop"), only=[only])
    assert {tried.mutant.operator for tried in report.tried} == expected


def test_a_rule_or_a_file_alone() -> None:
    with chdir(CASES):
        loaded = load("./shop")
        of_rule = mutate(loaded, only=["orders.many"])
        of_file = mutate(loaded, only=["guards.yaml"])
    assert {tried.mutant.rule for tried in of_rule.tried} == {"orders.many"}
    assert {tried.mutant.rule for tried in of_file.tried} == {"orders.many", "labels.person"}


def test_what_fails_as_it_is_is_not_mutated(tmp_path: Path) -> None:
    shutil.copytree(CASES / "shop", tmp_path / "shop")
    tests = tmp_path / "shop" / "tests.yaml"
    tests.write_text(tests.read_text().replace("[page, visible]", "[page, reserved]"))
    with pytest.raises(FailingError, match="which tools are shown"):
        mutate(load(tmp_path / "shop"))


def test_a_survivor_may_be_accepted(tmp_path: Path) -> None:
    shutil.copytree(CASES / "shop", tmp_path / "shop")
    guards = tmp_path / "shop" / "guards.yaml"
    mark = "    # callgate: mutant nothing but this denies\n    decide: deny\n"
    guards.write_text(guards.read_text().replace("    decide: deny\n", mark))
    report = mutate(load(tmp_path / "shop"), only=["orders.many"])
    kept = {tried.mutant.description: tried.reason for tried in report.survivors if tried.reason}
    reason = "nothing but this denies"
    assert kept == {"`decide: deny` is `ask`": reason, "`decide: deny` is `note`": reason}
    assert report.score < 100  # a reason is no test


def test_what_no_case_comes_to_is_told_by_a_call(tmp_path: Path) -> None:
    shutil.copytree(CASES / "acme", tmp_path / "acme")
    (tmp_path / "acme" / "tests.yaml").write_text(
        "kind: tests\ncases:\n  - name: nothing private\n"
        "    call: {tool: save, args: {path: ~/.ssh/a}}\n    expect: {rule: files.private}\n"
    )
    report = mutate(load(tmp_path / "acme"), only=["human"])
    (dropped,) = [t for t in report.survivors if t.mutant.description == "the step left out"]
    assert dropped.telling is not None
    assert dropped.telling.after == ("deny", "otherwise")


def test_inherited_files_are_left_alone(tmp_path: Path) -> None:
    bundle = tmp_path / "mine"
    bundle.mkdir()
    (bundle / "bundle.yaml").write_text(
        "kind: bundle\nname: mine\nversion: 1.0.0\ntitle: Mine\nextends: echo\n"
        "files: [guards.yaml, tests.yaml]\n"
    )
    (bundle / "guards.yaml").write_text(
        "kind: guards\nrules:\n  - id: mine.touch\n    title: No touch\n    decide: deny\n"
        "    each: r in effects.run\n    when: r is `touch`\n    reason: no\n"
        "    examples: {match: [touch a], pass: [ls]}\n"
    )
    (bundle / "tests.yaml").write_text(
        "kind: tests\ncases:\n  - name: touch\n    call: {tool: exec, args: {command: touch a}}\n"
        "    expect: {decision: deny, rule: mine.touch}\n"
    )
    loaded = load(bundle)
    policy = loaded.usable().policy
    found = mutants_of(policy, loaded.documents, loaded.own_files, [], Spellings(Programs({})))
    assert {mutant.file for mutant in found} == {str(bundle / "guards.yaml")}
    assert {mutant.rule for mutant in found} == {"mine.touch"}
