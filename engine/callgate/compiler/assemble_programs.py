"""Knowledge of programs and languages: the entries of all files, checked for what their schema
can't say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.effects import program_problems
from callgate.effects.code.languages import language_problems
from callgate.effects.programs import EVERY, overlap
from callgate.model.span import Span

__all__ = ["build_languages", "build_programs"]


def build_programs(assembly: Assembly) -> Mapping[str, Any]:
    """The programs by name, as the files give them, without their examples."""
    entries = dict(assembly.merged("programs", "programs"))
    programs = {
        name: _without_examples(entry.data)
        for name, entry in entries.items()
        if isinstance(entry.data, dict)
    }
    _report_shared_names(assembly, entries)
    for (name, *path), message, help in program_problems(programs):
        assembly.diagnostics.error("S004", message, entries[name].span(*_steps(path)), help)
    if not assembly.of_kind("programs") and "programs" not in assembly.incomplete:
        _report_unknown_commands(assembly)
    return programs


def _without_examples(entry: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: value for key, value in entry.items() if key != "examples"}
    commands = found.get("commands")
    if isinstance(commands, dict):
        found["commands"] = {
            name: _without_examples(inner) if isinstance(inner, dict) else inner
            for name, inner in commands.items()
        }
    return found


def build_languages(assembly: Assembly) -> Mapping[str, Any]:
    """The languages by name, as the files give them."""
    entries = dict(assembly.merged("languages", "languages"))
    languages = {name: item.data for name, item in entries.items() if isinstance(item.data, dict)}
    _report_shared_names(assembly, entries, "language")
    for (name, *path), message, help in language_problems(languages):
        place = entries[name].span(*(int(step) if step.isdigit() else step for step in path))
        assembly.diagnostics.error("S004", message, place, help)
    return languages


def _steps(path: Sequence[str]) -> Iterator[str | int]:
    """The path to a place in an entry; effects are a list."""
    for step, before in zip(path, ("", *path), strict=False):
        yield int(step) if before in ("effects", "always") and step.isdigit() else step


def _report_shared_names(
    assembly: Assembly, entries: Mapping[str, Entry], what: str = "program"
) -> None:
    """Report names that two programs, or languages, have, among them those under `also` (C001)."""
    first: dict[str, tuple[str, Span]] = {}
    globs: list[tuple[str, str, Span]] = []
    for program, entry in entries.items():
        for name, span in ((program, entry.name_span()), *_also(entry)):
            other, place = first.setdefault(name, (program, span))
            if place is span and "*" in name and name != EVERY:
                # Which of two globs counts would be a matter of the order of names.
                near = (item for item in globs if item[1] != program and overlap(name, item[0]))
                _, other, place = next(near, ("", other, place))
                globs.append((name, program, span))
            if place is not span:
                assembly.diagnostics.error(
                    "C001",
                    f"`{name}` is a name of the {what} `{other}` already",
                    span,
                    f"a name stands for one {what}: remove one of them",
                    (("it is used here first", place),),
                )


def _also(entry: Entry) -> list[tuple[str, Span]]:
    return [(name, place.span()) for name, place in entry.words("also")]


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
