"""Check that programs have examples, and that their examples behave.

Loading a policy doesn't try them: there are many, and no decision depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable

from callgate.compiler.assemble_entries import Entry
from callgate.effects import Extractor, program_problems
from callgate.effects.code.languages import language_problems
from callgate.effects.program_examples import example_problems
from callgate.load.document import Document
from callgate.model.diagnostic import Diagnostics

__all__ = ["check_program_examples"]


def check_program_examples(
    documents: Iterable[Document], diagnostics: Diagnostics, extractor: Extractor | None = None
) -> None:
    """Add C030 for every program of a bundle with too few examples, and C031 for every example that
    does not behave. Entries that can't be used are left out: loading reports them. `extractor`:
    that of an engine of the same documents."""
    documents = list(documents)
    entries = _entries(documents, "programs")
    programs = {name: entry.data for name, entry in entries.items()}
    languages = {name: entry.data for name, entry in _entries(documents, "languages").items()}
    if extractor is None:
        for (name, *_), _, _ in list(program_problems(programs)):
            programs.pop(name, None)
        for (name, *_), _, _ in list(language_problems(languages)):
            languages.pop(name, None)
    for problem in example_problems(programs, languages, extractor):
        program, *path = problem.path
        entry = entries[str(program)]
        span = entry.span(*path) if path else entry.name_span()
        diagnostics.error("C030" if problem.few else "C031", problem.message, span, problem.help)


def _entries(documents: Iterable[Document], kind: str) -> dict[str, Entry]:
    """The entries of all documents of a kind, under the key of its name."""
    entries: dict[str, Entry] = {}
    for document in documents:
        if document.kind == kind:
            for name, entry in Entry.of(document).mapping(kind):
                if isinstance(entry.data, dict):
                    entries.setdefault(name, entry)
    return entries
