"""What `callgate init` makes is a bundle whose tests pass and in which lint finds nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from errno import ENOSPC
from pathlib import Path

import pytest

from callgate.formatting import format_text
from callgate.lint.run import apply
from callgate.lint.subject import Subject
from callgate.model.codes import CODES
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.summary import missing
from callgate.policytest.loaded import load
from callgate.policytest.run import run_tests
from callgate.scaffold.templates import create, templates

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("template", templates())
def test_a_new_bundle_is_fit_for_use(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = create(template, Path("policies/shop"), "shop")
    assert written[0] == Path("policies/shop/bundle.yaml")
    loaded = load("policies/shop")
    # What a bundle replaces of another is listed, and no mistake.
    findings = [
        found for found in loaded.findings if CODES[found.code] != "inherited thing replaced"
    ]
    assert findings == []
    assert loaded.policy and loaded.policy.name == "shop"
    own = [case for case in loaded.cases if case.span.file in loaded.own_files]
    assert own
    coverage = Coverage.of(loaded)
    assert run_tests(loaded, own, coverage).failures == ()
    never = [one for one in missing(coverage) if one.place[0] in loaded.own_files]
    assert never == []
    found, _ = apply(Subject(loaded, NOW))
    assert [item.diagnostic.line for item in found] == []
    for path in written:
        text = path.read_text("utf-8")
        assert format_text(str(path), text) == text, path


@pytest.mark.parametrize(("folder", "name"), [("policies/echo", "ours"), ("ours", "acme")])
def test_names_of_bundles_that_come_with_callgate(folder: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"`(echo|acme)` is a bundle that comes with callgate"):
        create("echo", tmp_path / folder, name)
    assert not (tmp_path / folder).exists()


def test_nothing_is_left_where_something_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text = Path.write_text

    def full(path: Path, text: str, encoding: str) -> int:
        if path.name == "guards.yaml":
            raise OSError(ENOSPC, "no space left on device")
        return write_text(path, text, encoding)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space left"):
        create("minimal", tmp_path / "new", "shop")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "note").touch()
    for folder in ("there", "there/note"):
        with pytest.raises(FileExistsError):
            create("echo", tmp_path / folder, "shop")
    assert [path.name for path in tmp_path.rglob("*")] == ["there", "note"]


@pytest.mark.parametrize("name", ["Shop", "", "a b", "-a", "a\nb", "ä"])
def test_names_are_those_of_bundles(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't be a bundle's name"):
        create("echo", tmp_path / "new", name)
    assert not (tmp_path / "new").exists()


def test_an_unknown_template(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        create("nothing", tmp_path / "new", "shop")
