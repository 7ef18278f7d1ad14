"""The pieces of JUnit's XML, safe for any text."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

__all__ = ["attribute", "content", "document"]


def document(name: str, suites: Iterable[str]) -> str:
    """The document of these suites, each of which is a `testsuite` with a line feed at its end."""
    body = f"<testsuites name={attribute(name)}>\n{''.join(suites)}</testsuites>\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'


def attribute(text: str) -> str:
    """A text as an attribute's value with its quotes, on one line."""
    return quoteattr(_visible(text).replace("\n", " "))


def content(text: str) -> str:
    """A text as the content of an element."""
    return escape(_visible(text))


def _visible(text: str) -> str:
    """Without what XML can't hold or nobody can see: as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{{{ord(c):x}}}" for c in text)
