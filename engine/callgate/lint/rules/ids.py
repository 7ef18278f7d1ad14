"""Ids: what people call a rule by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import RuleEntry
from callgate.load.document import Document
from callgate.model.diagnostic import Severity

__all__ = ["IdNotOfFile", "PoorId"]

_LONGEST: Final = 64
_SHARE: Final = 0.75
_RULES: Final = 3
_NUMBER: Final = re.compile(r"(?:[a-z]|check|guard|item|new|rule|step|test)?-?[0-9]+")
_WORDS: Final = re.compile(r"[a-z0-9]+")
_BEFORE_KIND: Final = re.compile(r"[ \t]*#+[ \t]*([^\r\n]*)")


def _by_file(subject: Subject) -> dict[str, list[RuleEntry]]:
    found: dict[str, list[RuleEntry]] = {}
    for entry in subject.entries:
        if entry.id:
            found.setdefault(entry.document.file, []).append(entry)
    return found


def _names(subject: Subject, file: str) -> set[str]:
    """The words of a file's path within its bundle, and its stem as a whole."""
    root = PurePosixPath(subject.documents[0].file).parent
    path = PurePosixPath(file)
    inner = path.relative_to(root) if path.is_relative_to(root) else PurePosixPath(path.name)
    return {path.stem, *_WORDS.findall(str(inner.with_suffix("")))}


def _has_head(document: Document) -> bool:
    """Whether a file begins with a comment, other than one for programs."""
    for line in document.source.text.splitlines():
        said = _BEFORE_KIND.fullmatch(line)
        if said is None:
            return False
        if len(said[1].split()) > 1 and not said[1].lower().startswith("callgate:"):
            return True
    return False


def _first(entry: RuleEntry) -> str:
    return entry.id.partition(".")[0]


class IdNotOfFile(Rule):
    """A rule whose id begins with another word than those of its file: it was moved or copied.

    The words of the file's path and the name of the bundle fit everywhere, and so does an inherited
    id. A file of guards with several topics, or with that of another file, says in a comment at its
    head what holds them together.
    """

    code = "L308"
    name = "id-not-of-file"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        replaced = {item.name for item in subject.policy.replacements}
        files = _by_file(subject)
        topics = {PurePosixPath(file).stem for file in files}
        for file, entries in files.items():
            if entries[0].document.kind == "flow":
                yield from self._of_steps(entries)
                continue
            word, count = Counter(map(_first, entries)).most_common(1)[0]
            fitting = {subject.policy.name, *_names(subject, file)}
            if count < max(2, _SHARE * len(entries)) or (word in topics and word not in fitting):
                left = [e for e in entries if e.id not in replaced]
                yield from self._of_topics(left, fitting, topics)
            elif len(entries) >= _RULES:
                for entry in entries:
                    if _first(entry) not in {word, *fitting} and entry.id not in replaced:
                        yield self._stray(entry, f"{count} of the {len(entries)} rules here", word)

    def _of_topics(
        self, entries: list[RuleEntry], fitting: set[str], topics: set[str]
    ) -> Iterator[Finding]:
        """In a file whose rules share no word, or that of another file, each is to have the
        file's."""
        strays = [entry for entry in entries if _first(entry) not in fitting]
        if not strays or (len(entries) == 1 and _first(entries[0]) not in topics):
            return
        document = strays[0].document
        name = PurePosixPath(document.file)
        if document.kind != "guards" or document.kind in name.stem or _has_head(document):
            return
        for entry in strays:
            yield self.found(
                f"the id `{entry.id}` begins with another word than its file, `{name.name}`",
                entry.span(),
                f"rename the rule to `{name.stem}.…`, or move it to the file of its word; what "
                "holds several topics together, a comment at the head of the file says",
            )

    def _of_steps(self, entries: list[RuleEntry]) -> Iterator[Finding]:
        """In a flow, ids begin with the step's: it is what tests and records show."""
        by_step: dict[int | str, list[RuleEntry]] = {}
        for entry in entries:
            by_step.setdefault(entry.path[1], []).append(entry)
        for found in by_step.values():
            step = found[0].document.data["steps"][found[0].path[1]].get("id", "")
            words = Counter(map(_first, found))
            for entry in found:
                # A word that all rules of the step share is theirs, if not the step's.
                if _first(entry) not in (step, step.partition(".")[0]) and len(words) > 1:
                    yield self._stray(entry, "the step", step)

    def _stray(self, entry: RuleEntry, others: str, word: str) -> Finding:
        verb = "begins" if others == "the step" else "begin"
        return self.found(
            f"the id `{entry.id}` begins with another word than {others}",
            entry.span(),
            f"{others} {verb} with `{word}`: rename the rule, or move it where its word is used",
        )


class PoorId(Rule):
    """An id that is a number, very long, without a dot, or that says its first word twice."""

    code = "L309"
    name = "poor-id"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for entry in subject.entries:
            # A step that is one rule gives it its own id.
            whole = entry.document.kind == "flow" and "." not in entry.id
            if entry.id and not whole and (why := _poor(entry.id)):
                yield self.found(
                    f"the id `{entry.id}` {why}",
                    entry.span(),
                    "write `topic.what-it-holds`, in words that somebody looks for",
                )


def _poor(id_: str) -> str:
    first, _, rest = id_.partition(".")
    if len(id_) > _LONGEST:
        return f"has {len(id_)} characters"
    if not rest:
        return "has no topic before a dot"
    if any(_NUMBER.fullmatch(part) for part in (first, *rest.split("."))):
        return "has a number where a word is looked for"
    if "_" in id_:
        return "has `_` where ids have `-`"
    if rest.split(".")[0].split("-")[0] == first and rest != first:
        return f"says `{first}` twice"
    return ""
