"""`callgate lint --fix` and `--diff`: what is written, and when nothing is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callgate.cli import lint_fix
from tests.cli.conftest import Run
from tests.cli.test_lint import GUARDS, configure
from tests.lint.bundles import write_files

COMMENT = "# callgate: ignore[L001] why\n"


@pytest.fixture
def guards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with an ignore that is not needed, of a bundle in the working directory."""
    text = GUARDS.replace("2001-01-01", "9999-01-01").replace("    kind", f"    {COMMENT}    kind")
    root = write_files(tmp_path, {"guards.yaml": text})
    configure(tmp_path)
    monkeypatch.chdir(tmp_path)
    return root / "guards.yaml"


def test_what_can_be_mended_is_told(run: Run, guards: Path) -> None:
    last = run("lint").stdout.splitlines()[-1]
    assert last == "1 bundle checked: 1 warning; 1 can be mended with `--fix`"


def test_mending_writes_the_file_and_says_so(run: Run, guards: Path) -> None:
    guards.chmod(0o640)
    before = guards.read_text()
    result = run("lint", "--fix")
    assert result.exit_code == 0
    assert result.stdout == (
        "policies/acme/guards.yaml: mended L503 (unused-ignore)\n1 bundle checked: no findings\n"
    )
    assert guards.read_text() == before.replace(COMMENT, "")
    assert guards.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in guards.parent.iterdir() if path.name[0] == ".") == []
    assert run("lint", "--fix").stdout == "1 bundle checked: no findings\n"


def test_programs_get_what_is_left_on_standard_output(run: Run, guards: Path) -> None:
    result = run("lint", "--fix", "--format", "json")
    assert result.stdout == "[]\n"
    assert "mended L503" in result.stderr


def test_line_ends_are_kept(run: Run, guards: Path) -> None:
    text = guards.read_bytes().replace(b"\n", b"\r\n")
    guards.write_bytes(text)
    run("lint", "--fix")
    assert guards.read_bytes() == text.replace(COMMENT.strip().encode() + b"\r\n", b"")


def test_a_diff_changes_nothing(run: Run, guards: Path) -> None:
    before = guards.read_bytes()
    result = run("lint", "--diff")
    assert guards.read_bytes() == before
    assert result.stdout.splitlines()[:2] == [
        "--- policies/acme/guards.yaml",
        "+++ policies/acme/guards.yaml (mended)",
    ]
    changed = [line for line in result.stdout.splitlines()[2:] if line[0] in "+-"]
    assert changed == ["-" + COMMENT.strip()]
    assert "would mend 1 finding" in result.stderr
    run("lint", "--fix")
    assert run("lint", "--diff").stdout == ""


def test_a_file_that_has_changed_meanwhile_stays(
    run: Run, guards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = lint_fix.bundle_folders

    def somebody_writes(where: str) -> list[Path]:
        guards.write_text(guards.read_text() + "# mine\n")
        return folders(where)

    monkeypatch.setattr(lint_fix, "bundle_folders", somebody_writes)
    result = run("lint", "--fix")
    assert result.exit_code == 1
    assert "has changed meanwhile; nothing was written" in result.stderr
    assert guards.read_text().endswith("# mine\n")
    assert COMMENT in guards.read_text()


def test_a_link_stays_a_link(run: Run, guards: Path, tmp_path: Path) -> None:
    real = tmp_path / "real.yaml"
    guards.rename(real)
    guards.symlink_to(real)
    run("lint", "--fix")
    assert guards.is_symlink()
    assert COMMENT not in real.read_text()


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_can_not_be_written_is_told(run: Run, guards: Path) -> None:
    guards.parent.chmod(0o500)
    result = run("lint", "--fix")
    guards.parent.chmod(0o700)
    assert result.exit_code == 1
    assert COMMENT in guards.read_text()
