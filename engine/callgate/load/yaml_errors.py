"""What a YAML parser stumbled over, said to somebody who writes rules.

libyaml stops at the first mistake. Where that lies in one `key: value` line, the value can be
blanked out and the rest of the file read on, so that one mistake does not hide the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from callgate.load.nodes import Scalar
from callgate.load.source import Source
from callgate.load.tree import TOO_DEEP
from callgate.load.words import shown

__all__ = ["CONDITION_KEYS", "Mistake", "explain", "in_quotes"]

CONDITION_KEYS: Final = frozenset({"when", "each", "is", "show", "deny"})
"""Keys whose values are conditions; so is everything right below `define`."""

_ENTRY: Final = re.compile(
    r"(?P<lead>[ ]*(?:-[ ]+)*)(?P<key>[A-Za-z_][\w.-]*|\"[^\"]*\"|'[^']*'):[ ]+(?P<value>\S.*)"
)
_NO_SPACE: Final = re.compile(r"[ ]*(?:-[ ]+)*(?P<key>[A-Za-z_][\w.-]*):(?=\S)")
_KEY: Final = re.compile(r"(?P<lead>[ ]*(?:-[ ]+)*)(?P<key>[\w.-]+):(?:\s|$)")
_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")
_MAX_HELP: Final = 100
_QUOTE: Final = "put the whole text in quotes"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A diagnostic to be, with offsets in the file. `value`: the range of the one-line value that
    holds it, when it does not reach further."""

    code: str
    message: str
    start: int
    end: int
    help: str
    value: tuple[int, int] | None = None


def in_quotes(text: str) -> str:
    """How to put a text in quotes: what to write, unless that is too long to read."""
    quoted = "'" + text.replace("'", "''") + "'"
    if len(quoted) > _MAX_HELP:
        return "put the whole text in single quotes"
    return f"{_QUOTE}: {quoted}"


def explain(
    source: Source, error: Exception, conditions: bool, last: Scalar | None = None
) -> Mistake:
    """The mistake behind an error of the YAML parser.

    `conditions`: whether the file may hold conditions (then P002 says that one is cut off); if
    not, it holds settings, and no value is repeated, as it may be a secret. `last`: the last scalar
    that was read before the error.
    """
    problem = str(getattr(error, "problem", None) or error)
    offset = _offset(source, getattr(error, "problem_mark", None))
    context = _offset(source, getattr(error, "context_mark", None))
    if "unexpected end of stream" in problem:
        offset = context
    if "nesting depth" in problem:  # libyaml has a bound of its own
        return Mistake("Y012", TOO_DEEP[0], offset, offset + 1, TOO_DEEP[1])
    start, end = source.line_range(offset)
    line = source.text[start:end]
    if mistake := _tab(start, line, offset):
        return mistake
    entry = _ENTRY.match(line)
    if entry and (found := _value(entry["value"], problem, offset - start - entry.start("value"))):
        message, at, length, help = found
        value_start = start + entry.start("value")
        cut = conditions and _is_condition(source, start, entry["lead"], entry["key"])
        return Mistake(
            "P002" if cut and "escape" not in problem else "Y001",
            message,
            value_start + at,
            value_start + at + length,
            help or (in_quotes(entry["value"].rstrip()) if conditions else _QUOTE),
            (value_start, start + len(line.rstrip())),
        )
    if last and (mistake := _late_quote(source, last, offset)):
        return mistake
    return _structure(source, problem, offset, context, conditions)


def _late_quote(source: Source, last: Scalar, offset: int) -> Mistake | None:
    """A quote that was forgotten: the text goes on to the next quote, lines below."""
    first_line, _ = source.place(last.start)
    last_line, _ = source.place(last.end)
    if last.style not in ("'", '"') or first_line == last_line:
        return None
    if source.text[last.end : offset].strip():
        return None
    message = f"the text that this quote begins ends in line {last_line}"
    help = f"close it in its own line with `{last.style}`"
    return Mistake("Y001", message, last.start, last.start + 1, help)


def _offset(source: Source, mark: object) -> int:
    index: int = getattr(mark, "index", 0)
    return min(index, len(source.text))


def _tab(start: int, line: str, offset: int) -> Mistake | None:
    indent = len(line) - len(line.lstrip(" \t"))
    at = line.find("\t")
    if at < 0 or not (at < indent or line[offset - start : offset - start + 1] == "\t"):
        return None
    at = at if at < indent else offset - start
    help = "indent with spaces; editors can be told to insert them for the tab key"
    return Mistake("Y006", "a tab where YAML wants spaces", start + at, start + at + 1, help)


def _value(value: str, problem: str, at: int) -> tuple[str, int, int, str] | None:
    """What is wrong with a one-line value: message, offset, length and help (empty: quote it).

    `at` is where the parser stopped, from the value's beginning.
    """
    first = value[0]
    if first in "\"'":
        return _quoted_value(value, problem, at)
    if first in "`@%":
        name = "a backtick" if first == "`" else f"`{first}`"
        return f"a YAML text can't begin with {name}", 0, 1, ""
    if first in "{[":
        what = "mapping" if first == "{" else "list"
        closing = _closing(value)
        if closing is not None and at > closing:
            return f"YAML takes `{first}` for the beginning of a {what}", 0, 1, ""
        return None
    if first in "|>" and at >= 0:
        help = "the text itself begins on the next line, indented"
        return f"`{first}` must be the last thing on its line", 0, 1, help
    if first in "*&" and at >= 0:
        what = "alias" if first == "*" else "anchor"
        return f"YAML takes `{first}` for the beginning of an {what}", 0, 1, ""
    if first == "!" and at >= 0:
        return "YAML takes `!` for the beginning of a tag", 0, 1, ""
    if value.startswith(("- ", "? ")):
        help = "a list under a key begins on the next line"
        return f"`{value[:2].strip()}` in the middle of a line", 0, 1, help
    if at >= 0 and "mapping values" in problem and value[at : at + 1] == ":":
        return "YAML ends a text without quotes at `: `", at, 1, ""
    return None


def _quoted_value(value: str, problem: str, at: int) -> tuple[str, int, int, str] | None:
    if "escape" in problem or "hexdecimal" in problem or "hexadecimal" in problem:
        where = max(value.rfind("\\", 0, at + 1), 0)
        message = f"`{value[where : where + 2]}` is no escape in a text in double quotes"
        return message, where, 2, "write `\\\\` for a backslash, or use single quotes"
    closed = _QUOTED.match(value)
    if closed is None:
        return "this quote is never closed", 0, 1, f"close it with `{value[0]}`"
    if at < closed.end() or not value[closed.end() :].strip():
        return None
    return f"YAML ends the text at its second `{value[0]}`", closed.end() - 1, 1, ""


def _closing(value: str) -> int | None:
    """Where the bracket that a value begins with is closed; None when it is not."""
    depth = 0
    for at, character in enumerate(_QUOTED.sub(lambda m: "_" * len(m[0]), value)):
        depth += (character in "{[") - (character in "}]")
        if depth == 0:
            return at
    return None


def _is_condition(source: Source, line_start: int, lead: str, key: str) -> bool:
    return key in CONDITION_KEYS or _governing(source, line_start, len(lead)) == "define"


def _governing(source: Source, line_start: int, indent: int) -> str | None:
    """The key of the nearest line above that is indented less."""
    for line in reversed(source.text[:line_start].splitlines()):
        entry = _KEY.match(line)
        if entry and len(entry["lead"]) < indent:
            return entry["key"]
    return None


def _structure(
    source: Source, problem: str, offset: int, context: int, conditions: bool
) -> Mistake:
    """A mistake that is not inside one value."""
    text = source.text
    start, end = source.line_range(offset)
    line = text[start:end]
    indent = len(line) - len(line.lstrip())
    if "mapping values" in problem:
        if key := _KEY.match(line):
            help = "give it the indentation of the keys it belongs to"
            message = f"{shown(key['key'])} is indented as if it went on with the text above"
            return Mistake("Y001", message, start + key.start("key"), start + key.end("key"), help)
        cut = conditions and _governing(source, start, indent) in CONDITION_KEYS
        help = "put the whole text in quotes, or begin it with `>-` on the line of its key"
        message = "YAML ends a text without quotes at `: `"
        return Mistake("P002" if cut else "Y001", message, offset, offset + 1, help)
    if "expected ':'" in problem:
        start, end = source.line_range(context)
        line = text[start:end]
        if glued := _NO_SPACE.match(line):
            at = start + glued.end()
            message = f"a space is missing after `{glued['key']}:`"
            return Mistake("Y001", message, at - 1, at, "YAML wants `key: value`")
        at = start + len(line) - len(line.lstrip())
        message = "expected `key: value`" + (f", found {shown(line)}" if conditions else "")
        return Mistake("Y001", message, at, max(end, at + 1), "is a colon missing?")
    bracket = text[context : context + 1]
    if bracket in _CLOSES and "' or '" in problem and not text[offset:].strip():
        help = f"close it with `{_CLOSES[bracket]}`"
        return Mistake("Y001", f"this `{bracket}` is never closed", context, context + 1, help)
    for needle, message, help in _TABLE:
        if needle in problem:
            cut = conditions and "`}`" in message and _flow_condition(text[start:offset])
            at = min(offset, max(end - 1, start))
            return Mistake("P002" if cut else "Y001", message, at, at + 1, help)
    message = f"this is not YAML: {shown(problem.splitlines()[0] if problem else 'no reason')}"
    return Mistake("Y001", message, offset, offset + 1, "see https://yaml.org/spec/1.2.2")


def _flow_condition(before: str) -> bool:
    keys = re.findall(r"([\w-]+):\s", before)
    return bool(keys) and keys[-1] in CONDITION_KEYS


_CLOSES: Final = {"{": "}", "[": "]"}
_FLOW_HELP: Final = (
    "between braces or brackets, a text that holds one of `, [ ] { }` needs quotes; "
    "perhaps the bracket that began before is not closed"
)
_TABLE: Final = (
    ("',' or '}'", "expected `,` or `}`", _FLOW_HELP),
    ("',' or ']'", "expected `,` or `]`", _FLOW_HELP),
    ("'-' indicator", "expected another item (`- …`)", "give it the indentation of the list"),
    ("expected <block end>", "this line does not fit those above", "check its indentation"),
    (
        "expected key",
        "expected `key: value`",
        "check the indentation, and quotes above that are closed too late or too early",
    ),
    ("document start", "expected `---`", "a file holds one document, without directives"),
    ("alphabetic or numeric", "YAML takes `*` and `&` for aliases and anchors", 'write `"*"`'),
    ("node content", "expected a value", "a comma or bracket too many?"),
    ("document indicator", "`---` inside a text in quotes", "is a quote missing above?"),
    ("not allowed in this context", "a list can't begin here", "begin it on a line of its own"),
    ("not allowed here", "a list can't begin here", "begin it on a line of its own"),
    ("cannot start any token", "a YAML text can't begin with this", "put the text in quotes"),
    ("unexpected end of stream", "this quote is never closed", "close it"),
    ("escape", "unknown escape in a text in double quotes", "use single quotes"),
    ("indentation indicator", "`|` and `>` take a number from 1 to 9", "leave it out"),
    ("tag", "YAML takes `!` for the beginning of a tag", "put the text in quotes"),
    ("directive", "`%` at the beginning of a line is a YAML directive", "put it in quotes"),
)
