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
    if not assembly.of_kind("programs") and "programs" not in assembly.incomplete:
        _report_unknown_commands(assembly)
    return programs


def _report_unknown_commands(assembly: Assembly) -> None:
    """Report that there are tools that run commands, and nothing that says what commands do."""
    for document in assembly.of_kind("tools"):
        for _, tool in (*document.mapping("tools"), *document.mapping("dynamic")):
            for effect in tool.elements("effects"):
                if "shell" in effect:
                    assembly.diagnostics.warning(
                        "C017",
                        "commands run here, and no program is described: what they do is not known",
                        effect.child("shell").name_span(),
                        "describe programs in a file of kind `programs`; the embedded bundle "
                        "`echo` has some to copy",
                    )
                    return
