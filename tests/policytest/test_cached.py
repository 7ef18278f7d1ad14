"""Runs that need not be repeated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from callgate.load.files import BundleFiles
from callgate.policytest.cached import PassedRuns
from callgate.policytest.summary import RanCase, Summary
from callgate.storage.results import Results

FILES: list[BundleFiles] = [[("a/bundle.yaml", b"x"), ("a/tests.yaml", b"y")], [("b", b"z")]]
SUMMARY = Summary(
    "a",
    4,
    (("i", "I"),),
    (RanCase("one", "a/tests.yaml", 3, 0.5, True), RanCase("two", "a/tests.yaml", 4, 0.25, False)),
    2,
    5,
)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(tmp_path / "results")


def test_a_run_that_passed_is_found_again(results: Results) -> None:
    runs = PassedRuns(results)
    assert runs.find(FILES) is None
    runs.keep(FILES, SUMMARY)
    found = runs.find(FILES)
    assert found == replace(SUMMARY, cached=True)
    assert (found.passed, found.proposed) == (2, 1)


@pytest.mark.parametrize(
    "other",
    [
        [[("a/bundle.yaml", b"x"), ("a/tests.yaml", b"Y")], [("b", b"z")]],
        [[("a/bundle.yaml", b"x"), ("a/other.yaml", b"y")], [("b", b"z")]],
        [[("a/bundle.yaml", b"x"), ("a/tests.yaml", b"y")], [("b", b"")]],
        [[("a/bundle.yaml", b"x"), ("a/tests.yaml", b"y")]],
    ],
)
def test_not_when_a_file_changed(results: Results, other: list[BundleFiles]) -> None:
    PassedRuns(results).keep(FILES, SUMMARY)
    assert PassedRuns(results).find(other) is None


def test_each_selection_has_its_own(results: Results) -> None:
    PassedRuns(results, "one").keep(FILES, SUMMARY)
    assert PassedRuns(results).find(FILES) is None
    assert PassedRuns(results, "one").find(FILES) is not None


@pytest.mark.parametrize("change", [{"failed": 1}, {"chosen": 3}])
def test_only_whole_runs_that_passed_are_kept(results: Results, change: dict[str, int]) -> None:
    PassedRuns(results).keep(FILES, replace(SUMMARY, **change))  # type: ignore[arg-type]
    assert PassedRuns(results).find(FILES) is None


@pytest.mark.parametrize("kept", [[], {}, {"cases": [[1]]}, {"cases": 3, "invariants": []}])
def test_what_is_not_a_run_is_as_good_as_none(
    results: Results, kept: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Results, "read", lambda self, key: kept)
    assert PassedRuns(results).find(FILES) is None
