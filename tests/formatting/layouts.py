"""Data as YAML in any layout: indentation, quotes, brackets, comments, blank lines, line ends."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from callgate.formatting.shapes import Shape

__all__ = ["Layout", "mangled"]

_PLAIN: Final = re.compile(r"[A-Za-z_/][A-Za-z0-9 _./()=*-]*[A-Za-z0-9)]|[A-Za-z]")
_NO_TEXT: Final = re.compile(r"(?:true|false|null|[yn]|yes|no|on|off)", re.IGNORECASE)
_LITERAL: Final = re.compile(r"[^\s\u200b][^\u200b]*", re.DOTALL)
_COMMENTS: Final = ("# one", "#two", "#! three", '# it\'s: "four" [', "#\tfive", "# ── six", "#")


class Layout:
    """Writes data in a layout of chance. `calm`: how seldom something odd is done."""

    def __init__(self, random: Random, calm: int = 4, comments: bool = True) -> None:
        self.random = random
        self.calm = calm
        self.comments = comments
        self.folded = False

    def odd(self) -> bool:
        return self.random.randrange(self.calm) == 0

    def file(self, data: Mapping[str, Any], shape: Shape) -> str:
        lines = [*self.between(0), *self.block(data, shape, 0), *self.between(0)]
        text = "\n".join(lines) + "\n" * self.random.randrange(3)
        if self.odd():
            text = text.replace("\n", self.random.choice(["\r\n", "\r"]))
        return "\ufeff" * self.odd() + text

    def between(self, indent: int) -> list[str]:
        """Comments and blank lines."""
        lines = []
        while self.odd():
            if self.comments and self.random.random() < 0.7:
                at = self.random.choice([indent, indent, 0, indent + 2, self.random.randrange(9)])
                # Below a folded text, a comment that is indented more would be a part of it.
                lines.append(
                    " " * (min(at, indent) if self.folded else at) + self.random.choice(_COMMENTS)
                )
            else:
                lines.append(self.random.choice(["", "   "]))
        return lines

    def trailing(self) -> str:
        if not (self.comments and self.odd()):
            return self.random.choice(["", "", " "])
        return self.random.choice([" ", "   "]) + self.random.choice(_COMMENTS)

    def block(self, data: Any, shape: Shape, indent: int) -> list[str]:
        """The lines of a list or mapping that is not empty."""
        if isinstance(data, list):
            return self.items(data, shape, indent)
        keys = list(data)
        if shape.ranks is not None and self.odd():
            self.random.shuffle(keys)
        lines: list[str] = []
        for number, key in enumerate(keys):
            if number:
                lines += self.between(indent)
            head = f"{' ' * indent}{self.word(key)}{' ' * self.odd()}:"
            lines += self.value(head, data[key], shape.of(key), indent)
        return lines

    def value(self, head: str, data: Any, shape: Shape, indent: int) -> list[str]:
        self.folded = False
        if isinstance(data, (dict, list)) and data and not self.odd():
            least = 0 if isinstance(data, list) else 1
            deeper = indent + self.random.choice([least, 1, 2, 2, 4])
            return [
                head + self.trailing(),
                *self.between(deeper),
                *self.block(data, shape, deeper),
            ]
        if isinstance(data, (dict, list)):
            first, *more = self.brackets(data, indent + 1)
        else:
            first, *more = self.text(data, indent)
        lines = [f"{head} {first}", *more]
        if not more:
            lines[0] += self.trailing()
        elif first[:1] in "[{":
            lines[-1] += self.trailing()
        return lines

    def items(self, data: list[Any], shape: Shape, indent: int) -> list[str]:
        lines: list[str] = []
        for number, item in enumerate(data):
            if number:
                lines += self.between(indent)
            head = " " * indent + "-"
            if isinstance(item, (dict, list)) and item and not self.odd():
                deeper = indent + self.random.choice([2, 2, 3])
                inner = self.block(item, shape.item, deeper)
                if self.odd():
                    lines += [head + self.trailing(), *self.between(deeper), *inner]
                else:
                    lines += [head + inner[0][len(head) :], *inner[1:]]
            else:
                lines += self.value(head, item, shape.item, indent)
        return lines

    def brackets(self, data: Any, indent: int) -> list[str]:
        """A value between brackets, over any number of lines."""
        opened, closed = "{}" if isinstance(data, dict) else "[]"
        lines = [opened]
        pairs = list(data.items()) if isinstance(data, dict) else [(None, item) for item in data]
        for number, (key, item) in enumerate(pairs):
            if self.odd():
                lines[-1] += self.trailing()
                lines += self.between(indent)
                lines.append(" " * (indent + self.random.randrange(4)))
            head = "" if key is None else f"{self.word(key)}: "
            if isinstance(item, (dict, list)):
                first, *more = self.brackets(item, indent)
            else:
                first, more = self.word(item), []
            lines[-1] += head + first
            lines += more
            if number < len(pairs) - 1:
                lines[-1] += self.random.choice([", ", ","])
        if self.odd():
            lines[-1] += self.trailing()
            lines.append(" " * indent)
        lines[-1] += closed
        return lines

    def word(self, value: Any) -> str:
        """A scalar on one line."""
        if not isinstance(value, str):
            return json.dumps(value)
        plain = _PLAIN.fullmatch(value) and not _NO_TEXT.fullmatch(value)
        if plain and self.random.random() < 0.6:
            return value
        if "\n" not in value and value.isprintable() and self.random.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value, ensure_ascii=self.odd() and value.isascii())

    def text(self, value: Any, indent: int) -> list[str]:
        """A scalar, perhaps as a block."""
        if isinstance(value, str) and self.odd() and _LITERAL.fullmatch(value):
            return self.literal(value, indent + 2)
        margin = " " * (indent + self.random.choice([1, 2, 4]))
        if not isinstance(value, str) or not self.odd() or not value.isprintable():
            return [self.word(value)]
        if not value or value != value.strip() or "  " in value:
            return [self.word(value)]
        words = value.split(" ")
        lines = [words[0]]
        for word in words[1:]:
            if self.odd():
                lines.append(word)
            else:
                lines[-1] += f" {word}"
        style = self.random.choice([">-", ">-", '"'])
        if style == '"':
            lines = json.dumps("\n".join(lines), ensure_ascii=False).split("\\n")
            return [lines[0], *(margin + line for line in lines[1:])]
        self.folded = True
        header = style + self.trailing()
        return [header, *(margin + line for line in lines)]

    def literal(self, value: str, indent: int) -> list[str]:
        """A text as a block that keeps its lines."""
        self.folded = True
        body = value.rstrip("\n")
        ends = len(value) - len(body)
        header = "|" + ("-" if not ends else "" if ends == 1 else "+") + self.trailing()
        lines = [" " * indent + line if line else "" for line in body.split("\n")]
        return [header, *lines, *[""] * (ends - 1)]


def mangled(data: Mapping[str, Any], shape: Shape, random: Random, comments: bool = True) -> str:
    """A file's data in a layout of chance, with keys in another order where that is free."""
    return Layout(random, random.choice([2, 4, 12]), comments).file(data, shape)
