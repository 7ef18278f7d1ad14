"""Patterns that let calls through and say too little."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from callgate.lint.arguments import Arguments, declared_type, tools_of
from callgate.lint.locating import distinct
from callgate.lint.loose import is_address, names_host, open_ends, open_host
from callgate.lint.parts import Part, argument_in, each_node, loosening, texts_in
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.expr import Apply, CommandMatch, Const, Expr, Fact, Get
from callgate.model.pattern import CommandPattern
from callgate.model.types import HOST, PATH, STRING, URL, Type

__all__ = ["LooseAllowPattern"]

_PLACES: Final = {PATH, HOST, URL}
_ADDRESSES: Final = {HOST, URL}
_NO_LITERAL: Final = re.compile(
    r"\\[pP]\{[^}]*\}|\\x\{?[0-9A-Fa-f]+\}?|\\[A-Za-z]|\[\^?\]?(?:[^\]\\]|\\.)*\]"
    r"|\(\?[A-Za-z]*[:)]|\(\?P?<\w+>|\{[0-9,]*\}|[\^$.*+?()|]"
)
_ANYTHING: Final = re.compile(r"(?<!\\)(?:\\\\)*(?:\.|\[\^)|\\[SDWP]")
_WORD: Final = re.compile(r"\\w")
_PROGRAM: Final = frozenset({"program", "program_path"})
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
            elif isinstance(test, Apply) and test.op in {"eq", "in"}:
                yield from self._base_name(subject, part, test)
            elif isinstance(test, Apply) and test.op in {"like", "matches", "contains"}:
                text = test.args[1].value if isinstance(test.args[1], Const) else ""
                if isinstance(text, str) and text.strip("*"):
                    yield from self._text(subject, part, test, text, arguments)

    def _text(
        self, subject: Subject, part: Part, test: Apply, text: str, arguments: Arguments
    ) -> Iterator[Finding]:
        span = subject.locator.span(part.place, text)
        types = _types(part, test, arguments)
        named, program = _is_identity(test.args[0]), _is_program(part, test.args[0])
        before, behind = open_ends(test.op, text)
        if test.op == "contains" and not named:
            return
        if test.op == "matches" and _says_nothing(text, bool(named or program or types)):
            help = "write out a part that must be there, or list the texts that are meant"
            yield self.found(f"`{text}` lets calls through and holds no text", span, help)
        elif before and types:
            help = "anything may stand before it: use `under` with the host or folder that is meant"
            yield self.found(f"`{text}` lets calls through and begins with anything", span, help)
        elif (
            (types & _ADDRESSES or is_address(text))
            and open_host(test.op, text)
            # A guard may well be about the scheme alone.
            and (part.place.allows or names_host(test.op, text))
        ):
            yield self.found(
                f"`{text}` lets calls through and leaves open to which host",
                span,
                "`*` and `.*` may be another host: test the effect, `c.host under` the domain that "
                "is meant for `c in effects.connect`",
            )
        elif program and (before or behind):
            help = "name the programs that are meant, each as a whole"
            yield self.found(
                f"`{text}` lets any program through that is called like it", span, help
            )
        elif named and before and behind:
            help = "name them, or list them in a setting; whoever chooses a name can put this in it"
            yield self.found(f"`{text}` lets everybody through in whose name it stands", span, help)

    def _base_name(self, subject: Subject, part: Part, test: Apply) -> Iterator[Finding]:
        names = texts_in(part)
        if not part.place.allows or not names or not _is_program(part, test.args[0], {"program"}):
            return
        whole = each_node(part.place.condition.expr)
        if any(isinstance(node, Get) and node.field == "program_path" for node in whole):
            return
        yield self.found(
            f"`program` is a base name, and `/tmp/{names[0]}` passes for `{names[0]}`",
            subject.locator.span(part.place, names[0]),
            "compare `program_path`, the program as it was written",
        )

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


def _types(part: Part, test: Apply, arguments: Arguments) -> set[Type]:
    """Which of a path, a host and an address is compared."""
    argument = argument_in(test.args[0])
    found: set[Type | None] = {declared_type(part, test.args[0])}
    if argument is not None:
        found |= arguments.types(argument, tools_of(part))
    return {type_ for type_ in found if type_ is not None and type_ in _PLACES}


def _is_program(part: Part, expr: Expr, fields: Container[str] = _PROGRAM) -> bool:
    """Whether the name of a program that is run is compared, in one of these fields."""
    return any(
        isinstance(node, Get)
        and node.field in fields
        and part.source(node.base) == Fact("effects.run")
        for node in each_node(expr)
    )


def _is_identity(expr: Expr) -> bool:
    """Whether what is compared says who calls, or from where."""
    return any(
        isinstance(node, Fact)
        and node.name.startswith("call.")
        and getattr(CONTEXT_FIELDS.get(node.name.removeprefix("call.")), "type", None) == STRING
        for node in each_node(expr)
    )


def _says_nothing(text: str, names: bool) -> bool:
    """Whether a regular expression holds no text: for names, any word is nothing said as well."""
    if _NO_LITERAL.sub("", text):
        return False
    return bool(_ANYTHING.search(text) or (names and _WORD.search(text)))


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
