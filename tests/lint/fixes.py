"""What a rule's fixes make of a bundle's files."""

from __future__ import annotations

from pathlib import Path

from callgate.lint.fixing import apply_fixes
from callgate.lint.rule import Finding
from callgate.lint.subject import Subject

__all__ = ["fixed"]


def fixed(subject: Subject, findings: list[Finding]) -> dict[str, str]:
    """The text of each file that the fixes of findings change, by its name."""
    files = {file: data for layer in subject.loaded.files for file, data in layer}
    made = apply_fixes(findings, files).files
    return {Path(file).name: data.decode() for file, data in made.items()}
