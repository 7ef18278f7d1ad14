"""Lists of the vocabulary that add to inherited ones."""

from __future__ import annotations

from collections.abc import Sequence

from callgate.load.document import Document
from callgate.model.diagnostic import Diagnostics

__all__ = ["additions", "refuse_addition", "report_additions"]


def report_additions(documents: Sequence[Document], diagnostics: Diagnostics) -> None:
    """Report lists of a bundle that extends nothing which add to inherited ones."""
    for document in documents:
        for name in additions(document):
            refuse_addition(
                document,
                name,
                f"there is no list `{name}` to add to: the bundle extends none",
                "give the list itself: `type`, `doc` and `items`",
                diagnostics,
            )


def additions(document: Document) -> list[str]:
    """The lists that a document adds to."""
    lists = document.data.get("lists") if document.kind == "vocabulary" else None
    return [name for name, entry in (lists or {}).items() if "add" in entry]


def refuse_addition(
    document: Document, name: str, message: str, help: str, diagnostics: Diagnostics
) -> None:
    """Report an addition to a list that can't be made (C023)."""
    span = document.span("lists", name, key=True)
    diagnostics.error("C023", message, span, help)
