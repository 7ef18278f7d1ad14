"""Keep secrets and trickery out of what is shown: mask, escape, cut.

Everything that a reason, trace, explanation or error text shows of a call goes through
`Masker.show`. Patterns are RE2, so no text makes masking slow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from callgate.model.values import UNKNOWN
from callgate.runtime.mask_patterns import GROUP, MASK, any_of, compiled, re2_of
from callgate.runtime.named_values import named_parts
from callgate.runtime.replaced import Step, replaced

__all__ = ["MASK", "MAX_SHOWN", "Masker", "escape"]

MAX_SHOWN: Final = 120
_MAX_READ: Final = 4096
_SHORTEST_SECRET: Final = 4
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_PLAIN: Final = re.compile(r"[a-z_]{1,7}(?:\.[a-z_]{1,7})?")
_SHORT: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e"}


def escape(text: str) -> str:
    """`text` with control, bidirectional, invisible and unassigned characters, and unusual spaces,
    as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) for char in text)


def _escaped_one(found: re.Match[str]) -> str:
    return escape(found[0])


def _escaped(char: str) -> str:
    if char == " " or unicodedata.category(char) not in _HIDDEN:
        return char
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )


class Masker:
    """Shows values of calls. `names`: parts of key names whose values are secret, any case;
    `patterns`: RE2 patterns of what tokens look like; of one with a group `secret`, only that is
    masked, and what it holds wherever else it turns up in what is shown of the call; `weak`: names
    after which a short plain word in a text is none."""

    def __init__(
        self, names: Sequence[str], patterns: Sequence[str], weak: Sequence[str] = ()
    ) -> None:
        self._names = tuple(_letters(name) for name in names)
        self._weak = frozenset(_letters(name) for name in weak)
        self._patterns = compiled(names, patterns, self._pair)
        self._any = any_of([pattern.pattern for pattern, _ in self._patterns])
        grouped = [pattern for pattern in patterns if GROUP in pattern]
        self._shapes = [re2_of(pattern) for pattern in grouped]
        self._any_shape = any_of(grouped)

    def is_secret(self, key: str) -> bool:
        """Whether a key's value must never be shown."""
        plain = _letters(key)
        return any(name in plain for name in self._names)

    def secrets(self, *values: Any) -> tuple[str, ...]:
        """The texts that stand under secret keys in JSON values, or beside names of secrets, or
        that a pattern's group finds, longest first: they are masked wherever they turn up."""
        secret: list[Any] = []
        todo = [(value, False) for value in values]
        while todo:
            value, pair = todo.pop()
            if isinstance(value, str):
                secret += self._found_in(value)
                continue
            for _, part, hidden, pairs in self.parts(value, pair):
                if hidden:
                    secret.append(part)
                else:
                    todo.append((part, pairs))
        return self.texts_in(secret)

    def parts(self, value: Any, pair: bool = False) -> Iterator[tuple[Any, Any, bool, bool]]:
        """See `callgate.runtime.named_values.named_parts`."""
        return named_parts(self.is_secret, value, pair)

    def _found_in(self, text: str) -> Iterator[str]:
        """What the groups of patterns find, without the quotes around it."""
        if not text.isascii():
            text = _SURROGATES.sub("\ufffd", text)
        if self._any_shape is None or not self._any_shape.search(text):
            return
        for shape in self._shapes:
            for found in shape.finditer(text):
                yield (found["secret"] or "").strip("\"'")

    def of_settings(self, values: Sequence[Any]) -> tuple[str, ...]:
        """The texts to mask of the values of secret settings. Of a whole section only what its keys
        call secret: the rest is paths and addresses."""
        texts = [value for value in values if isinstance(value, str)]
        return (*self.texts_in(texts), *self.secrets(values))

    @staticmethod
    def texts_in(value: Any) -> tuple[str, ...]:
        """Every text in a JSON value that is long enough to be a secret, longest first."""
        found: set[str] = set()
        todo = [value]
        while todo:
            part = todo.pop()
            if isinstance(part, Mapping):
                todo.extend(part.values())
            elif isinstance(part, list | tuple):
                todo.extend(part)
            elif isinstance(part, str) and len(part) >= _SHORTEST_SECRET:
                found.add(part)
        return tuple(sorted(found, key=lambda text: (-len(text), text)))

    def mask(self, text: str, secrets: Iterable[str] = ()) -> str:
        """`text` with every secret replaced by `***`."""
        if not text.isascii():
            text = _SURROGATES.sub(_escaped_one, text)
        for secret in secrets:
            if not secret.isascii():
                secret = _SURROGATES.sub(_escaped_one, secret)
            text = text.replace(secret, MASK)
        # Most texts hold no secret: one search says so.
        if self._any is None or not self._any.search(text):
            return text
        for pattern, replacement in self._patterns:
            text = pattern.sub(replacement, text)
        return text

    def hidden(self, text: str, secrets: Iterable[str] = ()) -> list[tuple[int, int]]:
        """The ranges of `text` that `mask` replaces, in order and apart from each other."""
        # A surrogate is replaced by one character, so that places stay what they are.
        text = text if text.isascii() else _SURROGATES.sub("\ufffd", text)
        steps: list[Step] = [
            partial(_occurrences, secret if secret.isascii() else _SURROGATES.sub("\ufffd", secret))
            for secret in secrets
        ]
        if self._any is not None and self._any.search(text):
            steps += [partial(self._replaced, *item) for item in self._patterns]
        return replaced(text, steps, MASK)

    def _pair(self, found: Any) -> str:
        """A name and what follows it, masked, or as it is where that is no secret."""
        text, name = found[0], found[1]
        bare = name[-1] not in "\"'" and _letters(name) in self._weak
        plain = bare and _PLAIN.fullmatch(text[len(name) :])
        return text if plain else f"{name}{MASK}"

    @staticmethod
    def _replaced(pattern: Any, replacement: Any, text: str) -> Iterator[tuple[int, int]]:
        """What `mask` replaces of each match: the group `secret`, or what follows the first group,
        or everything."""
        groups = pattern.groupindex
        for found in pattern.finditer(text):
            start, end = found.span()
            if "secret" not in groups:
                start = found.end(1) if pattern.groups else start
            elif found["secret"] is not None:
                start, end = found.span(groups["secret"])
            if start < end and not (callable(replacement) and replacement(found) == found[0]):
                yield start, end

    def show(self, value: Any, secrets: Iterable[str] = ()) -> str:
        """A value as one line for people: masked, escaped, and at most 120 characters long."""
        text = _text(value)
        if len(text) > _MAX_READ:
            # Masking must not see half a token, so the last word goes.
            first, *last = text[:_MAX_READ].rsplit(None, 1) or [""]
            text = first if last or not text[:1].isspace() else "…"
        shown = escape(self.mask(text, secrets))
        return shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"


def _letters(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "absent"
    if value is UNKNOWN:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset):
        return "[" + ", ".join(_first(value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_text(value[key])}" for key in list(value)[:20]) + "}"
    return str(value)


def _first(values: Iterable[Any]) -> Iterator[str]:
    for count, value in enumerate(values):
        if count == 20:
            yield "…"
            return
        yield _text(value)


def _occurrences(secret: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(secret)
    while at >= 0:
        yield at, at + len(secret)
        at = text.find(secret, at + len(secret))
