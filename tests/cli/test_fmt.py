"""`callgate fmt`: which files it takes, what it writes, and what it tells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ODD = "kind: guards\nrules:   [ ]\n"
TIDY = "kind: guards\nrules: []\n"
BROKEN = "kind: guards\nrules: [\n"
MANIFEST = "kind: bundle\nname: small\nversion: 1.0.0\ntitle: Small\nfiles: [a.yaml, b.yaml]\n"


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle in the working directory: one file is formatted, one is not."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "bundle.yaml").write_text(MANIFEST)
    (folder / "a.yaml").write_text(ODD)
    (folder / "b.yaml").write_text(TIDY)
    return folder


def test_files_are_formatted(bundle: Path, run: Run) -> None:
    (bundle / "a.yaml").chmod(0o640)
    result = run("fmt", "small")
    assert result.exit_code == 0
    assert result.stdout == "reformatted small/a.yaml\n"
    assert result.stderr == "1 file reformatted, 2 files left unchanged\n"
    assert (bundle / "a.yaml").read_text() == TIDY
    assert (bundle / "a.yaml").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in bundle.iterdir()) == ["a.yaml", "b.yaml", "bundle.yaml"]
    assert run("fmt", "small").stderr == "3 files left unchanged\n"


@pytest.mark.parametrize("path", ["small", "small/", ".", "small/a.yaml"])
def test_check_lists_and_writes_nothing(bundle: Path, run: Run, path: str) -> None:
    result = run("fmt", "--check", path)
    assert result.exit_code == 3
    assert result.stdout == "would reformat small/a.yaml\n"
    assert (bundle / "a.yaml").read_text() == ODD


def test_what_was_found_formatted_is_known_by_its_digest(bundle: Path, run: Run) -> None:
    assert run("fmt", "small").exit_code == 0
    assert run("fmt", "--check", "small").exit_code == 0
    (bundle / "b.yaml").write_text(ODD)
    result = run("fmt", "--check", "small")
    assert (result.exit_code, result.stdout) == (3, "would reformat small/b.yaml\n")


def test_diff(bundle: Path, run: Run) -> None:
    result = run("fmt", "--diff", "small")
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        "--- small/a.yaml",
        "+++ small/a.yaml",
        "@@ -1,2 +1,2 @@",
        " kind: guards",
        "-rules:   [ ]",
        "+rules: []",
    ]
    assert (bundle / "a.yaml").read_text() == ODD


def test_a_file_with_errors_is_left_alone(bundle: Path, run: Run) -> None:
    (bundle / "b.yaml").write_text(BROKEN)
    result = run("fmt", "small")
    assert result.exit_code == 3
    assert "small/b.yaml:3:1: error[Y001]" in result.stderr
    assert result.stderr.endswith("1 file reformatted, 1 file left unchanged, 1 file with errors\n")
    assert (bundle / "a.yaml").read_text() == TIDY
    assert (bundle / "b.yaml").read_text() == BROKEN


def test_what_is_no_utf8_is_left_alone(bundle: Path, run: Run) -> None:
    (bundle / "b.yaml").write_bytes(b"kind: guards\nrules: [\xff]\n")
    result = run("fmt", "--check", "small/b.yaml")
    assert result.exit_code == 3
    assert "error[Y007]" in result.stderr


def test_names_of_files_are_text(bundle: Path, run: Run) -> None:
    name = "a\n::error::\x1b[2J\u202e.yaml"
    (bundle / "a.yaml").rename(bundle / name)
    for args in (["--diff"], ["--check"], []):
        result = run("fmt", "small", *args)
        assert "a\\n::error::\\e[2J\\u202e.yaml" in result.stdout
        for text in ("\n::", "\x1b", "\u202e"):
            assert text not in result.stdout + result.stderr


def test_a_link_that_leads_out_is_refused(bundle: Path, tmp_path: Path, run: Run) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(ODD)
    (bundle / "b.yaml").unlink()
    (bundle / "b.yaml").symlink_to(outside)
    result = run("fmt", "small")
    assert result.exit_code == 3
    assert "small/b.yaml:1:1: error[Y013]: the file is a link that leads out of its bundle" in (
        result.stderr
    )
    assert outside.read_text() == ODD
    assert (bundle / "b.yaml").is_symlink()


def test_a_link_within_the_bundle_stays_one(bundle: Path, run: Run) -> None:
    (bundle / "b.yaml").unlink()
    (bundle / "b.yaml").symlink_to("a.yaml")
    assert run("fmt", "small").exit_code == 0
    assert (bundle / "b.yaml").is_symlink()
    assert (bundle / "a.yaml").read_text() == TIDY


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_can_not_be_written(bundle: Path, run: Run) -> None:
    bundle.chmod(0o555)
    try:
        result = run("fmt", "small")
    finally:
        bundle.chmod(0o755)
    assert result.exit_code == 3
    assert "error[Y013]: the file can't be written" in result.stderr


def test_standard_input(bundle: Path, run: Run) -> None:
    result = run("fmt", "-", input=ODD)
    assert (result.exit_code, result.stdout, result.stderr) == (0, TIDY, "")
    assert run("fmt", "-", input=MANIFEST).stdout == MANIFEST
    assert run("fmt", "--check", "-", input=ODD).exit_code == 3
    assert run("fmt", "--check", "-", input=TIDY).exit_code == 0
    result = run("fmt", "-", input=BROKEN)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "<stdin>:3:1: error[Y001]" in result.stderr
    assert run("fmt", "-", "small").exit_code == 1


def test_line_ends_of_other_systems(bundle: Path, run: Run) -> None:
    (bundle / "a.yaml").write_bytes(b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode())
    assert run("fmt", "small/a.yaml").exit_code == 0
    assert (bundle / "a.yaml").read_bytes() == TIDY.encode()


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        ((), 1, "give a PATH"),
        (("nowhere",), 3, "there is no file or folder `nowhere`"),
        (("empty",), 3, "there is no `bundle.yaml` in `empty`"),
    ],
)
def test_what_is_not_there(bundle: Path, run: Run, args: tuple[str], code: int, told: str) -> None:
    Path("empty").mkdir()
    result = run("fmt", *args)
    assert result.exit_code == code
    assert told in result.stderr


def test_the_project_says_which_bundles(bundle: Path, run: Run) -> None:
    Path(".callgate.yaml").write_text("bundles: [small]\n")
    result = run("fmt", "--check")
    assert (result.exit_code, result.stdout) == (3, "would reformat ./small/a.yaml\n")
