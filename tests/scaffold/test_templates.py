"""What `callgate init` makes is a bundle whose tests pass and in which lint finds nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from callgate.formatting import format_text
from callgate.lint.run import apply
from callgate.lint.subject import Subject
from callgate.model.codes import CODES
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
    assert run_tests(loaded, own).failures == ()
    found, _ = apply(Subject(loaded, NOW))
    assert [item.diagnostic.line for item in found] == []
    for path in written:
        text = path.read_text("utf-8")
        assert format_text(str(path), text) == text, path


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
