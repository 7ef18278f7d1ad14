"""Patterns that let calls through and say too little."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callgate.lint.arguments import Arguments, declared_type, tools_of
from callgate.lint.locating import distinct
from callgate.lint.parts import Part, argument_in, loosening
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.expr import Apply, CommandMatch, Const
from callgate.model.pattern import CommandPattern
from callgate.model.types import HOST, PATH, URL

__all__ = ["LooseAllowPattern"]

_PLACES: Final = {PATH, HOST, URL}
_NO_LITERAL: Final = re.compile(
    r"\\[pP]\{[^}]*\}|\\x\{?[0-9A-Fa-f]+\}?|\\[A-Za-z]|\[\^?\]?(?:[^\]\\]|\\.)*\]"
    r"|\(\?[A-Za-z]*[:)]|\(\?P?<\w+>|\{[0-9,]*\}|[\^$.*+?()|]"
)
_ANYTHING: Final = re.compile(r"(?<!\\)(?:\\\\)*(?:\.|\[\^)|\\[SDWP]")
_OPEN_START: Final = re.compile(r"\^?(?:\(\?[a-z]+\)|\(\?[a-z]*:|\()*\.[*+]")
_CHANGES_NOTHING: Final = frozenset({"read", "mention"})


class LooseAllowPattern(Rule):
    """A pattern that has to match for a call to pass, and that much besides what was meant
    matches."""

    code = "L207"
    name = "loose-allow-pattern"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._all(subject))

    def _all(self, subject: Subject) -> Iterator[Finding]:
        arguments = Arguments(subject.policy)
        for part in loosening(subject):
            test = part.expr
            if isinstance(test, CommandMatch) and isinstance(test.pattern, CommandPattern):
                yield from self._command(subject, part, test.pattern)
            elif isinstance(test, Apply) and test.op in {"like", "matches"}:
                text = test.args[1].value if isinstance(test.args[1], Const) else ""
                if isinstance(text, str) and text.strip("*"):
                    yield from self._text(subject, part, test, text, arguments)

    def _text(
        self, subject: Subject, part: Part, test: Apply, text: str, arguments: Arguments
    ) -> Iterator[Finding]:
        span = subject.locator.span(part.place, text)
        if test.op == "matches" and not _NO_LITERAL.sub("", text) and _ANYTHING.search(text):
            help = "write out a part that must be there, or list the texts that are meant"
            yield self.found(f"`{text}` lets calls through and holds no text", span, help)
        elif (text[:1] == "*" if test.op == "like" else _OPEN_START.match(text)) and _is_place(
            part, test, arguments
        ):
            help = "anything may stand before it: use `under` with the host or folder that is meant"
            yield self.found(f"`{text}` lets calls through and begins with anything", span, help)

    def _command(self, subject: Subject, part: Part, pattern: CommandPattern) -> Iterator[Finding]:
        wild = any(not any(word.pieces) for words in pattern.words for word in words)
        names = [word.pieces[0] for word in pattern.program if len(word.pieces) == 1]
        first = [word.pieces[0] for word in (pattern.words or ((),))[0] if len(word.pieces) == 1]
        for name in names if wild else ():
            changes = _changes(subject.policy.programs, name, first)
            if changes:
                yield self.found(
                    f"any word may stand for the `*` of a command that {changes}",
                    subject.locator.span(part.place, pattern),
                    f"name the words that `{name}` may get, or test the paths in its effects",
                )
                return


def _is_place(part: Part, test: Apply, arguments: Arguments) -> bool:
    """Whether a path, a host or an address is compared."""
    if declared_type(part, test.args[0]) in _PLACES:
        return True
    argument = argument_in(test.args[0])
    return argument is not None and bool(arguments.types(argument, tools_of(part)) & _PLACES)


def _changes(programs: Mapping[str, Any], name: str, words: list[str]) -> str:
    """What a program is known to do besides reading, in words; "" where that is nothing."""
    spec = programs.get(name)
    if not isinstance(spec, Mapping):
        return "no file describes"
    for key, command in (spec.get("commands") or {}).items():
        if any(word in key.split("|") for word in words):
            spec = command
            break
    kinds = sorted(set(_kinds(spec)) - _CHANGES_NOTHING)
    return f"has effects of the kind {' and '.join(f'`{kind}`' for kind in kinds)}" if kinds else ""


def _kinds(spec: Any) -> Iterator[str]:
    """The kinds of all effects that a program's description names."""
    if isinstance(spec, Mapping):
        for key, value in spec.items():
            if key == "effects" and isinstance(value, list | tuple):
                for effect in value:
                    yield from (k for k in effect if k != "when") if effect else ()
            else:
                yield from _kinds(value)
    elif isinstance(spec, list | tuple):
        for item in spec:
            yield from _kinds(item)
