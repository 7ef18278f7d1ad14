"""Hosts and folders that let through far more than was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from callgate.lint.locating import distinct
from callgate.lint.parts import each_node, loosening
from callgate.lint.rule import Finding, Rule
from callgate.lint.shipped import public_suffixes, system_folders
from callgate.lint.subject import Subject
from callgate.model.expr import Apply, Const, Expr, Fact
from callgate.model.span import Span

__all__ = ["WholeDisk", "WholeDomain"]

_HOST_TESTS: Final = frozenset({"under_host"})
_ADDRESS_TESTS: Final = frozenset({"in", "eq", "under_host"})
_PATH_TESTS: Final = frozenset({"under_path", "touches"})
_WHOLE: Final = re.compile(r"/+\.?|~/?|[A-Za-z]:[\\/]*|/mnt/[a-z]/?")
_ALL_ADDRESSES: Final = frozenset({"0.0.0.0/0", "::/0", "0.0.0.0", "::"})
_SETTINGS: Final = "settings."


class WholeDomain(Rule):
    """A domain under which anybody can get a name, or all addresses there are, where it lets calls
    through."""

    code = "L217"
    name = "whole-domain"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._all(subject))

    def _all(self, subject: Subject) -> Iterator[Finding]:
        for text, span in _loosening_texts(subject, _HOST_TESTS, _is_suffix):
            yield self.found(
                f"anybody can have a name under `{text}`",
                span,
                "name the hosts, or the domains that belong to you",
            )
        for text, span in _loosening_texts(subject, _ADDRESS_TESTS, _ALL_ADDRESSES.__contains__):
            help = "name the addresses that are meant"
            yield self.found(f"`{text}` stands for every address", span, help)


def _is_suffix(text: str) -> bool:
    name = text.strip(".").lower()
    return name in public_suffixes() or (len(name) == 2 and name.isalpha())


class WholeDisk(Rule):
    """The root, a drive, the whole home folder or a folder of the system's at the top of the disk,
    where it lets calls through."""

    code = "L218"
    name = "whole-disk"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._all(subject))

    def _all(self, subject: Subject) -> Iterator[Finding]:
        for text, span in _loosening_texts(subject, _PATH_TESTS, _is_whole):
            yield self.found(
                f"every file below `{text}` is let through",
                span,
                "name the folders that are meant, such as one below the workspace",
            )


def _is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None or _plain(text) in system_folders()


def _plain(text: str) -> str:
    """A path as the list of folders has it: lower case, with `/`, without one at its end."""
    return text.replace("\\", "/").rstrip("/.").lower()


def _loosening_texts(
    subject: Subject, ops: frozenset[str], wide: Callable[[str], bool]
) -> Iterator[tuple[str, Span | None]]:
    """What such comparisons let through that is too wide: texts on their right, members of lists,
    elements of the settings' defaults; with the place of each."""
    read: set[str] = set()
    lists: dict[str, Span] | None = None
    for part in loosening(subject):
        test = part.expr
        if not isinstance(test, Apply) or test.op not in ops or len(test.args) < 2:
            continue
        for node in each_node(test.args[1]):
            if isinstance(node, Fact) and node.name.startswith(_SETTINGS):
                read.add(node.name.removeprefix(_SETTINGS))
            for text in filter(wide, _texts(node)):
                span = subject.locator.span(part.place, text)
                if span == part.place.span:
                    lists = _members(subject) if lists is None else lists
                    span = lists.get(text, span)
                yield text, span
    for document in subject.of_kind("vocabulary"):
        for name, entry in (document.data.get("settings") or {}).items():
            default = entry.get("default")
            for index, text in enumerate(default if isinstance(default, list) else [default]):
                if name in read and isinstance(text, str) and wide(text):
                    path = (index,) if isinstance(default, list) else ()
                    yield text, document.span("settings", name, "default", *path)


def _texts(node: Expr) -> Iterator[str]:
    if isinstance(node, Const):
        for value in node.value if isinstance(node.value, tuple) else (node.value,):
            if isinstance(value, str):
                yield value


def _members(subject: Subject) -> dict[str, Span]:
    """The members of the vocabulary's lists, and where the first of each stands."""
    found: dict[str, Span] = {}
    for document in subject.of_kind("vocabulary"):
        for name, entry in (document.data.get("lists") or {}).items():
            for key in ("items", "add"):
                for index, text in enumerate(entry.get(key) or ()):
                    if isinstance(text, str):
                        found.setdefault(text, document.span("lists", name, key, index))
    return found
