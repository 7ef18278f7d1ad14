"""Knowledge of programs: the entries of all files, checked for what their schema can't say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callgate.compiler.assembly import Assembly
from callgate.effects import program_problems

__all__ = ["build_programs"]


def build_programs(assembly: Assembly) -> Mapping[str, Any]:
    """The programs by name, as the files give them."""
    entries = dict(assembly.merged("programs", "programs"))
    programs = {name: entry.data for name, entry in entries.items() if isinstance(entry.data, dict)}
    for (name, *path), message, help in program_problems(programs):
        assembly.diagnostics.error("S004", message, entries[name].span(*path), help)
    return programs
