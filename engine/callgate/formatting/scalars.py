"""How a text is written in YAML: without quotes where it stays the same text, else in quotes."""

from __future__ import annotations

import re
from typing import Final

from callgate.lang.text import INVISIBLE
from callgate.load.nodes import Scalar
from callgate.load.scalars import core_value

__all__ = ["foldable", "has_unseen", "literal_block", "one_line", "paragraphs", "stays_plain"]

_UNSEEN: Final = re.compile(rf"[{INVISIBLE}]")
# Texts that keep their quotes: without letters, or words, numbers and times to readers of YAML 1.1.
_SURE: Final = re.compile(r"[\w/$(+.\\^;<=-].*[^\W\d_].*|[^\W\d_].*", re.DOTALL)
_ELSEWHERE: Final = re.compile(
    r"y|yes|n|no|on|off|true|false|null|<<"
    r"|[-+.]*[0-9][0-9a-fx_.:+-]*(?:[t ][0-9:.+ z-]*)?|[-+]?\.(?:inf|nan)",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(r"[\s\-?:,\[\]{}#&*!|>'\"%@`]|---|\.\.\.")
_ENDS: Final = re.compile(r":(?=\s|$)|\s#|[\t\n]|\s$")
_FLOW: Final = re.compile(r"[,\[\]{}:?\"'`#&*!|>%@]")
_ESCAPES: Final = {"\n": r"\n", "\t": r"\t", "\r": r"\r", '"': r"\"", "\\": r"\\", "\0": r"\0"}


def has_unseen(text: str) -> bool:
    """Whether a text holds characters that don't show as what they are."""
    return not (text.isascii() and text.isprintable()) and bool(_UNSEEN.search(text))


def stays_plain(text: str, flow: bool) -> bool:
    """Whether a text is the same without quotes; `flow`: between brackets."""
    if not text or _ENDS.search(text) or has_unseen(text) or not isinstance(core_value(text), str):
        return False
    first = _NEVER.match(text)
    if first and not (text[0] == "-" and text[1:2].strip(" -\t,[]{}") and text[:3] != "---"):
        return False
    return text != "<<" and not (flow and _FLOW.search(text))


def one_line(scalar: Scalar, value: str, raw: str, flow: bool) -> str:
    """The text `value` on one line. `scalar` and `raw`: the scalar that it is the canonical text
    of, and how that is written."""
    if not scalar.style:
        # Without quotes it was the author's word for a text; what the printer made must be asked.
        if (value == scalar.text and "\n" not in value) or stays_plain(value, flow):
            return value
    elif _unquoted(value) and stays_plain(value, flow):
        return value
    written = scalar.style == '"' and value == scalar.text and "\n" not in raw
    if written and not _better_single(value):
        return raw  # with the escapes that its author chose
    return _quoted(value)


def _unquoted(value: str) -> bool:
    """Whether quotes around a text are of no use to any reader of YAML."""
    return bool(_SURE.fullmatch(value)) and not _ELSEWHERE.fullmatch(value)


def _better_single(value: str) -> bool:
    return (
        "\n" not in value
        and "\t" not in value
        and not has_unseen(value)
        and value.count("'") < value.count('"') + value.count("\\")
    )


def _quoted(value: str) -> str:
    """In double quotes, or in single ones where that takes fewer escapes."""
    if _better_single(value):
        return "'" + value.replace("'", "''") + "'"
    return '"' + re.sub(rf'["\\{INVISIBLE}]', _escape, value) + '"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    if char in _ESCAPES:
        return _ESCAPES[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def foldable(value: str) -> bool:
    """Whether a text can stand in a folded block and be broken there at its spaces."""
    return bool(value) and value == value.strip() and "\n" not in value and not has_unseen(value)


def literal_block(value: str, indent: int) -> list[str]:
    """A text as a block that keeps its lines: the header, and the lines indented by `indent`."""
    body = value.rstrip("\n")
    ends = len(value) - len(body)
    chomping = "-" if not ends else "" if ends == 1 and body else "+"
    lines = body.split("\n") if body else []
    first = next((line for line in lines if line), "")
    digit = "2" if first.startswith(" ") or (lines and not lines[0].strip() and lines[0]) else ""
    lines += [""] * (ends - bool(body))
    return [f"|{digit}{chomping}", *(" " * indent + line if line else "" for line in lines)]


def paragraphs(value: str) -> list[str] | None:
    """The lines of a text that could stand in a folded block as it is, or None."""
    body = value.removesuffix("\n")
    lines = body.split("\n")
    return lines if all(map(foldable, lines)) else None
