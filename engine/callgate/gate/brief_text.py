"""A call's arguments as a reviewer gets them: without secrets, comments and hidden characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from unicodedata import bidirectional

import orjson

from callgate.effects.code.language_reader import LanguageError
from callgate.effects.interpreted import SHELL
from callgate.gate.code_comments import without_code_comments
from callgate.gate.nested_comments import without_nested
from callgate.gate.shell_comments import without_shell_comments
from callgate.model.codec import decode_expr
from callgate.runtime.masking import MASK, escape

if TYPE_CHECKING:
    from callgate.model.effect import Effect
    from callgate.runtime.frame import Frame
    from callgate.runtime.interpreter import Program
    from callgate.runtime.masking import Masker

__all__ = ["Texts", "languages_of", "prose_line", "safe_line", "without_comments"]

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00013441\U00013442\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing, but that a model reads."""
_LEFTWARDS: Final = frozenset({"R", "AL", "AN"})
"""Bidirectional classes of what is written from the right, which changes the order of its line."""
_ACTIVE: Final = re.compile(r"[`(]")
"""What a secret hardly holds, and text that runs something does."""
_MOST_WORDS: Final = 2
_ANY: Final = "*"
"""What stands for languages that nobody described: how they are written is a guess."""


def safe_line(text: str) -> str:
    """A text as one line in which nothing is hidden and all stands in its order: control,
    bidirectional and invisible characters are escapes, and letters that are written from the
    right."""
    if text.isascii():
        return escape(text)
    return "".join(
        _escape(char) if bidirectional(char) in _LEFTWARDS else char for char in _visible(text)
    )


def prose_line(text: str) -> str:
    """`safe_line` of a text for readers. A line without a letter that is written from the left
    keeps its order, and its letters."""
    if text.isascii() or any(bidirectional(char) == "L" for char in text):
        return safe_line(text)
    return _visible(text)


def _visible(text: str) -> str:
    return _UNSEEN.sub(lambda found: _escape(found[0]), escape(text))


def _escape(char: str) -> str:
    return f"\\U{ord(char):08x}"


def languages_of(program: Program, frame: Frame) -> dict[str, str]:
    """Which of a call's arguments surely are code: argument → language, `shell` included. One that
    is read in several ways is none."""
    document = program.graph.document
    forms = list(document["tools"].get(frame.tool, {}).get("effects", ()))
    dynamic = {item["id"]: item["effects"] for item in document["dynamic"]}
    for item in frame.dynamic:
        forms += dynamic[item["id"]]
    found: dict[str, set[str]] = {}
    for kind, fields, when in forms:
        if kind not in ("shell", "code") or fields["text"][0] != "arg":
            continue
        surely = when is None or program.codegen.compile(decode_expr(when))(frame) is True
        named = _value(fields["language"], frame.args) if kind == "code" else SHELL
        language = program.extractor.programs.language(named) if isinstance(named, str) else ""
        found.setdefault(fields["text"][1], set()).add(language if surely else "")
    return {name: languages.pop() for name, languages in found.items() if len(languages) == 1}


def _value(source: Any, args: Mapping[str, Any]) -> Any:
    if source[0] == "const":
        return source[1]
    return args.get(source[1]) or (source[2] if len(source) > 2 else None)


def without_comments(program: Program, language: str, text: str) -> str:
    """A text in a language without its comments, as far as they can be told."""
    if language == SHELL:
        return without_shell_comments(text)
    try:
        known = None if language == _ANY else program.extractor.programs.code.get(language)
    except LanguageError:
        known = None
    return text if known is None else without_code_comments(text, known)


class Texts:
    """Makes the arguments of one call fit for a reviewer.

    `secrets`: texts to mask wherever they turn up. After `lines`, `doubtful` says whether something
    was masked that may be more than a secret, and `stripped` what is left of texts that are handed
    over in others.
    """

    def __init__(
        self,
        program: Program,
        frame: Frame,
        effects: Sequence[Effect],
        secrets: tuple[str, ...],
    ) -> None:
        self._program = program
        self._effects = effects
        self._frame = frame
        self._masker: Masker = program.masker
        self._secrets = secrets
        self._languages = languages_of(program, frame)
        self.doubtful = False
        self.stripped: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        """The arguments, one line for each line of their texts, behind their names."""
        for name, value in self._frame.args.items():
            shown = self._shown(name, value)
            yield f"{safe_line(self._masked(name))}:"
            line = safe_line if name in self._languages else prose_line
            yield from (f"  {line(part)}" for part in shown.split("\n"))

    def _shown(self, name: str, value: Any) -> str:
        language = self._languages.get(name, "")
        if self._masker.is_secret(name):
            return self._hidden(value, bool(language))
        if isinstance(value, str):
            return self._masked(self._bare(name, value, language) if language else value)
        return self._json(self._inner(value))

    def _bare(self, name: str, text: str, language: str) -> str:
        """Code without comments."""
        strip = partial(without_comments, self._program)
        if language == SHELL:
            text, changed = without_nested(text, name, self._effects, strip)
            self.stripped.update(changed)
        return strip(language, text)

    def _inner(self, value: Any, pair: bool = False) -> Any:
        """A JSON value with every text in it masked. `pair`: whether it is one of a name and a
        value."""
        if isinstance(value, str):
            return self._masked(value)
        if not isinstance(value, Mapping | list | tuple):
            return value
        parts = [
            (key, self._hidden(part, False) if hidden else self._inner(part, pairs))
            for key, part, hidden, pairs in self._masker.parts(value, pair)
        ]
        if isinstance(value, Mapping):
            return {self._masked(str(key)): part for key, part in parts}
        return [part for _, part in parts]

    def _json(self, value: Any) -> str:
        try:
            return self._masked(orjson.dumps(value).decode())
        except TypeError:
            # Half a surrogate pair, or a number beyond 64 bits.
            return self._masked(repr(value))

    def _hidden(self, value: Any, code: bool) -> str:
        """The mask for what stands under a secret name. Code, or a text that says more than a
        secret does, can't be judged unseen."""
        text = value if isinstance(value, str) else str(value)
        if code or _ACTIVE.search(text) or len(text.split()) > _MOST_WORDS:
            self.doubtful = True
        return MASK

    def _masked(self, text: str) -> str:
        if not self.doubtful:
            ranges = self._masker.hidden(text, self._secrets)
            self.doubtful = any(_ACTIVE.search(text, start, end) for start, end in ranges)
        return self._masker.mask(text, self._secrets)
