"""Which lines of a patch are headers, and what they name."""

from __future__ import annotations

import time

import pytest

from callgate.effects.patches import patched

SQL = """\
--- a/q.sql
+++ b/q.sql
@@ -1,4 +1,2 @@
 select 1
--- | the old way
--- /etc/shadow
+select 2
 from t
"""


def names(text: str) -> set[str]:
    return {name for name, _ in patched(text)}


@pytest.mark.parametrize("mark", ["\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\r\n"])
def test_any_line_break_ends_a_line(mark: str) -> None:
    assert names(f"--- x{mark}+++ /etc/y{mark}@@ -1 +1 @@{mark}") == {"x", "/etc/y"}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("+++ file:///etc/y", "/etc/y"),
        ("+++ ~/.y 2020-01-01 00:00:00", "~/.y"),
        ("+++ ~/.y Tue Jan  1 00:00:00 2020", "~/.y"),
        ("+++ ~/.y  (revision 12)", "~/.y"),
        ("+++ y\t/../../etc/z", "y\t/../../etc/z"),
        ("*** End of File/../../etc/y", "End of File/../../etc/y"),
        ("*** Begin Patch/../y", "Begin Patch/../y"),
        ("*** 1,3 ****/../y", "1,3 ****/../y"),
        ("--- 1,3 ----/../y", "1,3 ----/../y"),
        ("*** add file: ~/.y", "~/.y"),
        ("*** Create File: ~/.y", "~/.y"),
        ("***Add File: ~/.y", "~/.y"),
        ("*** Update File: x\n*** move to: ~/.y", "~/.y"),
        ("\ufeff+++ ~/.y", "~/.y"),
        ("\u200b+++ ~/.y", "~/.y"),
        ("X+++ ~/.y", "~/.y"),
        ("Index:~/.y", "~/.y"),
        ("diff --git a/x b/x\n rename to ~/.y", "~/.y"),
    ],
)
def test_what_a_header_may_name(line: str, name: str) -> None:
    assert name in names(line)


@pytest.mark.parametrize("line", ["*** End of File", "*** Begin Patch ", "--- 1,3 ----", "***"])
def test_a_line_that_names_nothing(line: str) -> None:
    assert names(line) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SQL, {"a/q.sql", "b/q.sql", "q.sql"}),
        ("+++ x\n@@ -1,2 +1,2 @@\n rename to y\n *** z\n", {"x"}),
        ("+++ x\n@@ -1,2 +1,2 @@\n --- y\n +++ z\n", {"x"}),
        ("*** Update File: x\n@@\n--- y\n-b\n", {"x"}),
        ("+++ x\n@@ -1 +1 @@\n-a\n+b\n--- y\n+++ z\n", {"x", "y", "z"}),
        ("+++ x\n@@ -1 +1 @@\n-a\n+b\n  --- y\n  +++ z\n", {"x", "y", "z"}),
        ("+++ x\n@@ -1,9 +1,9 @@\n-a\n--- y\n+++ z\n", {"x", "y", "z"}),
        ("+++ x\n@@ -1,9 +1,9 @@\n-a\n+++ z\n", {"x", "z"}),
        ("+++ x\n@@ -1,9 +1,9 @@\n-a\n*** y\n--- z\n", {"x", "y", "z"}),
        ("+++ x\n@@ -1,9 +1,9 @@\n-a\ndiff --git y y\nrename to z\n", {"x", "y", "z"}),
        ("  +++ x\n  @@ -1,2 +1 @@\n  --- y\n  -b\n  +c\n", {"x"}),
    ],
)
def test_lines_of_a_change_are_no_headers(text: str, found: set[str]) -> None:
    assert names(text) == found


def test_what_is_not_kept_may_go() -> None:
    assert dict(patched("*** Remove File: x\n*** add file: y\n")) == {"x": True, "y": False}


@pytest.mark.parametrize(
    "text",
    ["--- x" + " " * 200_000 + "y", "---" + "\t" * 200_000, "@@ -1 +1 @@\n--- x\n" * 20_000],
)
def test_long_patches_take_no_long_time(text: str) -> None:
    start = time.process_time()
    for _ in patched(text):
        pass
    assert time.process_time() - start < 2
