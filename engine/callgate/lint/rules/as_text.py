"""Commands and paths compared as texts, although their meaning is known."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Final

from callgate.lint.arguments import TEXTS, Arguments, declared_type
from callgate.lint.locating import distinct
from callgate.lint.parts import Part, argument_in, each_node, texts_in
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.expr import Apply, Const, Expr, Fact, Get, Var, facts_of
from callgate.model.types import PATH

__all__ = ["CommandAsText", "PathAsText"]

_COMPARISONS: Final = frozenset({"like", "matches", "contains", "eq", "ne", "in"})
_PATTERNS: Final = frozenset({"like", "matches", "contains"})
_LOOKS_LIKE_PATH: Final = re.compile(r"(?:^|[^:/\w])[/~]|^~|[\w.*)]/[\w.*(]|\\\\\w|\\/")
_ADDRESS: Final = re.compile(r"[a-z?)+*]:\\?/")
_CLASS: Final = re.compile(r"\\[A-Za-z]")
_WORD: Final = re.compile(r"-{0,2}\w[\w.+-]*")
_NAME: Final = r"[a-z][\w-]*"
_COMMAND: Final = re.compile(
    r"(?:\^|\(\?[a-z]+\)|\.\*\??|\\b|\\s[*+]?|\s)*"
    rf"(?:{_NAME}|\((?:\?:)?{_NAME}(?:\|{_NAME})*\))(?:\\b)?"
    r"(?:(?: |\\s[*+]?)(?![ =:*+]|\\s)|\$?\Z)"
)
"""A regular expression that begins with a program's name, as in `.*rm -rf.*`."""
_NAMED_PATH: Final = re.compile(r"\^?(?:/[\w.-]+|~)/[\w.*\\(\[-]")
_FOLDERS: Final = frozenset({"call.cwd", "call.workspace", "call.home"})
_LISTS: Final = frozenset({"operands"})
_AS_WRITTEN: Final = frozenset({"program_path"})
_CALL: Final = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


class CommandAsText(Rule):
    """A command compared as a text, in a rule that does not look at its effects."""

    code = "L202"
    name = "command-as-text"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._all(subject))

    def _all(self, subject: Subject) -> Iterator[Finding]:
        policy = subject.policy
        arguments = Arguments(policy)
        calls = {call for language in policy.languages.values() for call in _calls(language)}
        for part, argument, texts in _compared(subject):
            kinds = {kind for kind, _ in arguments.fields(argument, part.place.tools)} & TEXTS
            if not kinds or _reads_effects(part):
                continue  # one that reads effects as well casts a second net
            assert isinstance(part.expr, Apply)
            known = policy.programs if "shell" in kinds else calls
            sure = "shell" in kinds and part.expr.op != "matches"
            sure = sure or ("shell" in kinds and any(map(_COMMAND.match, texts)))
            text = next((t for t in texts if t and (sure or _names(t, known))), None)
            if text is None:
                continue  # it may well be about text that no effect tells of
            yield self.found(
                f"`args.{argument}` is a command, and its text can be written in many ways",
                subject.locator.span(part.place, text),
                _instead(policy.programs, _words(text), "shell" in kinds),
            )


class PathAsText(Rule):
    """A path compared as a text: `..`, links, `~` and doubled slashes get past it."""

    code = "L203"
    name = "path-as-text"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._all(subject))

    def _all(self, subject: Subject) -> Iterator[Finding]:
        arguments = Arguments(subject.policy)
        for part, argument, texts in _compared(subject):
            text = next((t for t in texts if _LOOKS_LIKE_PATH.search(t)), "")
            if not text or _ADDRESS.search(text):
                continue
            if PATH in arguments.types(argument, part.place.tools) and not _reads_effects(part):
                yield self.found(
                    f"`args.{argument}` is a path and is compared as a text",
                    subject.locator.span(part.place, text),
                    "`..`, `~` and links spell the same path otherwise: compare the path of the "
                    "effect, with `under` or `covers`",
                )
        for part in subject.parts:
            test = part.expr
            if isinstance(test, Apply) and test.op in _COMPARISONS:
                yield from self._effect(subject, part, test)
                yield from self._call(subject, part, test)

    def _effect(self, subject: Subject, part: Part, test: Apply) -> Iterator[Finding]:
        """What an effect says: its path, or a word of its command."""
        text = next(iter(texts_in(part)), "")
        words = _field(part, test.args[-1] if test.op == "in" else test.args[0])
        if test.op in _PATTERNS and "/" in text and declared_type(part, test.args[0]) == PATH:
            yield self.found(
                f"`{test.op}` compares a path as a text",
                subject.locator.span(part.place, text),
                "use `under` or `covers`, which compare whole names of folders",
            )
        elif words in _LISTS:
            said = test.args[0]
            if test.op == "in" and isinstance(said, Const) and isinstance(said.value, str):
                text = said.value
            if _NAMED_PATH.match(text):
                yield self.found(
                    f"a word of a command is compared with the path `{text}` as a text",
                    subject.locator.span(part.place, text),
                    "test the path of the effect, with `under` or `covers`; of a program that no "
                    "file describes, `path(WORD, call.cwd)`",
                )
        elif words in _AS_WRITTEN and test.op in _PATTERNS and _NAMED_PATH.match(text):
            yield self.found(
                f"`{words}` is a path as it was written and is compared as a text",
                subject.locator.span(part.place, text),
                "`..` and doubled slashes spell other files so: list the programs as wholes, or "
                f"compare `path(….{words}, call.cwd)` with `under`",
            )

    def _call(self, subject: Subject, part: Part, test: Apply) -> Iterator[Finding]:
        """A folder that the host says of the call."""
        left = test.args[0]
        text = next(iter(texts_in(part)), "")
        if not isinstance(left, Fact) or left.name not in _FOLDERS or not _NAMED_PATH.match(text):
            return
        # Another spelling of a folder that lets calls through alone only stops them.
        if test.op not in _PATTERNS and part.loosens is (test.op != "ne"):
            return
        yield self.found(
            f"`{left.name}` is a path and is compared as a text",
            subject.locator.span(part.place, text),
            f'compare the path: `path({left.name}, "") under …`',
        )


def _field(part: Part, expr: Expr) -> str:
    """The field of a command that an expression is, or is an element of; "" for anything else."""
    source = part.source(expr)
    expr = expr if source is None else source
    if isinstance(expr, Get) and part.source(expr.base) == Fact("effects.run"):
        return expr.field
    return ""


def _compared(subject: Subject) -> Iterator[tuple[Part, str, tuple[str, ...]]]:
    """Comparisons of an argument with texts that the policy gives."""
    for part in subject.parts:
        test = part.expr
        if isinstance(test, Apply) and test.op in _COMPARISONS:
            argument = argument_in(test.args[0])
            if argument is not None:
                yield part, argument, texts_in(part)


def _reads_effects(part: Part) -> bool:
    expr, each = part.place.condition.expr, part.place.each
    if each is not None and any(node == Var(each[0]) for node in each_node(expr)):
        return True
    names = facts_of(expr)
    return any(name.startswith("effects.") and name != "effects.complete" for name in names)


def _names(text: str, known: Container[str]) -> bool:
    return any(word in known for word in _words(text))


def _words(text: str) -> list[str]:
    return [word.rstrip(".+") for word in _WORD.findall(_CLASS.sub(" ", text.replace("\\.", ".")))]


def _calls(spec: Any) -> Iterator[str]:
    """The dotted names of calls that a language's description knows, such as `os.remove`."""
    if isinstance(spec, Mapping):
        for key, value in spec.items():
            yield from _calls(key)
            yield from _calls(value)
    elif isinstance(spec, list | tuple):
        for item in spec:
            yield from _calls(item)
    elif isinstance(spec, str):
        yield from (name for name in spec.split("|") if _CALL.fullmatch(name))


def _instead(programs: Mapping[str, Any], words: Iterable[str], shell: bool) -> str:
    """What to compare instead."""
    if not shell:
        return "test the effects of the code, which hold whatever way it is written"
    words = list(words)
    for index, word in enumerate(words):
        if word in programs:
            rest = " ".join([word, *words[index + 1 : index + 2]])
            return f"test the effect instead: `` r is `{rest}` `` for `each: r in effects.run`"
    return "test the effect instead: `each: r in effects.run` with `` r is `PROGRAM WORD` ``"
