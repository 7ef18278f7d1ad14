"""The tree of a shell text as it is shown."""

from __future__ import annotations

import re
import shlex
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from callgate.analysis.effect_nodes import Raw
from callgate.analysis.effect_text import ShownText
from callgate.analysis.effect_view import TreeNode
from callgate.effects.shell.tree import Span, Word
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

__all__ = ["shown_tree", "why_unknown", "words_in"]

_VARIABLE: Final = re.compile(r"\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_COMMAND: Final = re.compile(r"\$\(|`|[<>]\(")
_LEADS: Final = re.compile(r"[^\s;&|]+")
_MOST_WORDS: Final = 4
_MOST_LOOKED_AT: Final = 64
_LONGEST: Final = 400


def shown_tree(root: Raw, text: ShownText, show: Callable[[Any], str]) -> TreeNode:
    """The tree, with its texts masked and escaped. `show` does the same for values."""
    return _Shower(text, show).node(root, None)


def why_unknown(effect: Effect, words: tuple[Word, ...], text: ShownText) -> tuple[str, ...]:
    """Why something about an effect is not known, as far as the words that it is made of say."""
    if all(value is not UNKNOWN for value in effect.fields.values()) or effect.span is None:
        return ()
    unknown = (word for word in words_in(words, effect.span) if word.text is UNKNOWN)
    found = [why for word in unknown for why in _why(word, text)]
    return tuple(dict.fromkeys(found))[:_MOST_WORDS]


def words_in(words: Sequence[Word], span: Span) -> Iterator[Word]:
    """The words of a command that a span touches, the first of them where there are very many."""
    first = bisect_left(words, span[0], key=_end)
    for word in words[first : first + _MOST_LOOKED_AT]:
        if word.span[0] < span[1] and word.span[1] > span[0]:
            yield word


def _end(word: Word) -> int:
    return word.span[1]


def _why(word: Word, text: ShownText) -> Iterator[str]:
    """Why a word is not known before it runs."""
    written = text.text[word.span[0] : min(word.span[1], word.span[0] + _LONGEST)]
    known = False
    for name in dict.fromkeys(_VARIABLE.findall(written)):
        known = True
        yield f"depends on ${name}"
    if word.nested or _COMMAND.search(written):
        known = True
        yield "depends on what a command prints"
    if written.startswith("~") and not known:
        known = True
        yield "in a home folder that nobody told"
    if not known:
        yield "not known before it runs"


def _cut(text: str) -> str:
    """A text in so many characters as are looked at."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _parts(raw: Raw) -> list[Raw]:
    """The parts of a node in the order of the text; `do … done` and a function's braces are no
    parts of their own."""
    parts = raw.parts
    while raw.kind in ("loop", "function") and len(parts) == 1:
        only = parts[0]
        if only.kind != "group" or only.effects or only.inner:
            break
        parts = only.parts
    if raw.kind == "branch":
        return sorted(parts, key=lambda part: part.span)
    return parts


class _Shower:
    def __init__(self, text: ShownText, show: Callable[[Any], str]) -> None:
        self.text = text
        self.show = show

    def node(self, raw: Raw, before: TreeNode | None, lead: str = "") -> TreeNode:
        parsed = raw.parsed
        ids = [item[0] for item in raw.effects]
        if raw.run is not None:
            ids.append(raw.run[0])
        cwd = parsed.cwd if parsed and isinstance(parsed.cwd, str) else None
        children = [*self._children(raw), *(self.node(inner, None) for inner in raw.inner)]
        return TreeNode(
            raw.kind,
            self._text(raw),
            raw.span,
            self.text.line_of(raw.span[0]) + 1,
            raw.operator,
            lead,
            raw.via,
            self.show(cwd) if cwd else None,
            self._stdin(raw, before),
            self._unresolved(raw),
            tuple(sorted(ids)),
            tuple(children),
        )

    def _children(self, raw: Raw) -> list[TreeNode]:
        found: list[TreeNode] = []
        end = raw.span[0]
        for part in _parts(raw):
            if part.kind == "group" and not part.parts and not part.inner and found:
                # A final `&`, which the tree has as a command of its own.
                found[-1] = replace(found[-1], text=f"{found[-1].text} &")
                continue
            lead = ""
            if raw.kind in ("branch", "loop") and found:
                lead = self._lead(end, part.span[0])
            feeds = found[-1] if raw.kind == "pipeline" and found else None
            found.append(self.node(part, feeds, lead))
            end = max(end, part.span[1])
        return found

    def _lead(self, start: int, end: int) -> str:
        """What stands between two parts of a compound command: `then`, `else`, a pattern …"""
        if end <= start or end - start > _LONGEST:
            return ""
        between = self.text.slice((start, end)).replace("⏎", " ")
        return " ".join(_LEADS.findall(between))

    def _text(self, raw: Raw) -> str:
        if raw.kind in ("script", "pipeline", "sequence"):
            return ""
        if raw.kind != "command" and raw.parts:
            first = min((part.span[0] for part in _parts(raw)), default=raw.span[1])
            head = self.text.slice((raw.span[0], max(raw.span[0], first)))
            return _cut(head.rstrip(" ⏎"))
        if raw.fixed:
            words = raw.parsed.words if raw.parsed else ()
            return " ".join(self._word(word) for word in words[:40])
        return _cut(self.text.slice(raw.span))

    def _word(self, word: Word) -> str:
        return self.show(shlex.quote(word.text)) if isinstance(word.text, str) else "…"

    def _stdin(self, raw: Raw, before: TreeNode | None) -> str:
        for redirect in reversed(raw.command.redirects if raw.command else ()):
            if redirect.operator in ("<<", "<<<"):
                return "a text in the command"
            if redirect.operator in ("<", "<>", "<&") and not redirect.target.process:
                return self.text.slice(redirect.target.span)
        if before is None:
            return ""
        return f"what {before.text.split(' ')[0] or 'the command before'} prints"

    def _unresolved(self, raw: Raw) -> tuple[str, ...]:
        words = list(raw.parsed.words if raw.parsed else ())
        if raw.command is not None:
            words += [redirect.target for redirect in raw.command.redirects]
        told: list[str] = []
        for word in words:
            if word.text is UNKNOWN and len(told) < _MOST_WORDS:
                told.append(f"{self.text.slice(word.span)}: {', '.join(_why(word, self.text))}")
        return tuple(dict.fromkeys(told))
