"""SQL to its statements, by sqlglot; it is loaded only for texts that are not plainly harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from callgate.model.values import UNKNOWN, Unknown

if TYPE_CHECKING:
    from sqlglot import Dialect
    from sqlglot.expressions import Expr

__all__ = ["MAX_LENGTH", "Statement", "TooDeepError", "read_statements"]

MAX_LENGTH: Final = 64 * 1024
_MAX_LEVEL: Final = 4
_PLAIN: Final = re.compile(
    r"\s*(?P<kind>select|show|explain|describe|desc|values|pragma|help|use)\b[^;$\\]*;?\s*",
    re.IGNORECASE,
)
_CHANGES: Final = re.compile(
    r"\b(?:alter|analy[sz]e|attach|call|copy|create|delete|do|drop|exec|execute|grant|insert|into|"
    r"load|merge|replace|revoke|set|truncate|update|with)\b",
    re.IGNORECASE,
)
_TABLE: Final = re.compile(r"\b(?:from|join)\s+([\w.]+)", re.IGNORECASE)
_WHERE: Final = re.compile(r"\bwhere\b", re.IGNORECASE)
_EXPLAINED: Final = re.compile(r"\s*(?:\([^)]*\)|verbose\b|analy[sz]e\b|extended\b)", re.IGNORECASE)
_ANALYZE: Final = re.compile(r"\banaly[sz]e\b", re.IGNORECASE)
# Statements that sqlglot knows by their first word alone, and that say all by it.
_COMMANDS: Final = frozenset(
    {"alter", "analyze", "begin", "close", "drop", "explain", "fetch", "grant", "lock", "optimize",
     "reindex", "rename", "reset", "revoke", "show", "vacuum"}
)  # fmt: skip


class TooDeepError(Exception):
    """A text that is nested deeper than its reader goes."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: what it does (`drop`, `delete` …), to which tables, and whether a condition
    limits it."""

    kind: str | Unknown
    tables: tuple[str, ...] | Unknown = ()
    has_where: bool | Unknown = False


_UNREAD: Final = Statement(UNKNOWN, UNKNOWN, UNKNOWN)


def read_statements(text: str, dialect: str, level: int = 0) -> list[Statement]:
    """The statements of a text of at most MAX_LENGTH; one that can't be read is all unknown.
    Raises TooDeepError."""
    found = _PLAIN.fullmatch(text)
    if found is not None and _CHANGES.search(text) is None:
        tables = tuple(dict.fromkeys(name.lower() for name in _TABLE.findall(text)))
        return [Statement(found["kind"].lower(), tables, _WHERE.search(text) is not None)]
    if not text.strip(" \t\r\n;"):
        return []
    try:
        return list(_parsed(text, dialect, level))
    except RecursionError:
        raise TooDeepError from None


def _parsed(text: str, dialect: str, level: int) -> Iterator[Statement]:
    import logging

    import sqlglot
    from sqlglot.errors import SqlglotError

    # It writes warnings of what it does not know.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    for part in _parts(text, dialect):
        try:
            trees = sqlglot.parse(part, read=_known(dialect))
        except RecursionError:
            raise
        except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError):
            yield _UNREAD
            continue
        for tree in trees:
            if tree is not None:
                yield from _of(tree, dialect, level)


@lru_cache(64)
def _known(dialect: str) -> Dialect | None:
    from sqlglot.dialects.dialect import Dialect, Dialects

    # Not all there are: each is a module to be imported.
    return Dialect.get_or_raise(dialect) if dialect in {item.value for item in Dialects} else None


def _parts(text: str, dialect: str) -> list[str]:
    """The statements as texts, so that one that can't be read hides no other."""
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError

    try:
        tokens = tokenize(text, read=_known(dialect))
    except (SqlglotError, ValueError):
        return [text]
    parts, start = [], 0
    for token in tokens:
        if token.text == ";" and token.end == token.start:
            parts.append(text[start : token.start])
            start = token.end + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def _of(tree: Expr, dialect: str, level: int) -> Iterator[Statement]:
    from sqlglot import exp

    if isinstance(tree, exp.Command):
        yield from _command(tree, dialect, level)
        return
    found = False
    for node in tree.walk():
        kind = _KINDS.get(type(node).__name__)
        if kind is None:
            continue
        if node is not tree and isinstance(tree, exp.Alter):
            if isinstance(node, exp.Drop) and node.args.get("kind") == _COLUMN:
                # What stood in the column is gone, as with a table.
                yield Statement("drop", _tables(tree))
            continue
        found = True
        yield Statement(kind, _tables(node), _limited(node))
    if found:
        return
    name = type(tree).__name__
    if isinstance(tree, exp.Query):
        yield Statement("select", _tables(tree), tree.find(exp.Where) is not None)
    elif name in _OTHERS:
        yield Statement(_OTHERS[name], _tables(tree))
    else:
        yield _UNREAD


_COLUMN: Final = "COLUMN"
_KINDS: Final = {
    "Alter": "alter",
    "Copy": "copy",
    "Create": "create",
    "Delete": "delete",
    "Drop": "drop",
    "Grant": "grant",
    "Insert": "insert",
    "LoadData": "load",
    "Merge": "merge",
    "Revoke": "revoke",
    "TruncateTable": "truncate",
    "Update": "update",
}
_OTHERS: Final = {
    "Analyze": "analyze",
    "Attach": "attach",
    "Cache": "cache",
    "Comment": "comment",
    "Commit": "commit",
    "Describe": "describe",
    "Detach": "detach",
    "Kill": "kill",
    "Pragma": "pragma",
    "Refresh": "refresh",
    "Rollback": "rollback",
    "Set": "set",
    "Show": "show",
    "Summarize": "describe",
    "Transaction": "begin",
    "Use": "use",
}
"""Classes of sqlglot, and the statements that they stand for."""


def _command(tree: Expr, dialect: str, level: int) -> Iterator[Statement]:
    name = str(tree.this).lower()
    rest = tree.args.get("expression")
    text = rest if isinstance(rest, str) else str(rest.this) if rest is not None else ""
    if name == "explain" and _ANALYZE.search(text):
        # It runs what it explains.
        while found := _EXPLAINED.match(text):
            text = text[found.end() :]
        if level >= _MAX_LEVEL:
            yield _UNREAD
            return
        yield from read_statements(text, dialect, level + 1)
    elif name in _COMMANDS:
        yield Statement(name)
    else:
        yield _UNREAD


def _tables(node: Expr) -> tuple[str, ...]:
    from sqlglot import exp

    names = (
        ".".join(part.name for part in table.parts).lower() for table in node.find_all(exp.Table)
    )
    return tuple(dict.fromkeys(names))


def _limited(node: Expr) -> bool:
    from sqlglot import exp

    where = node.args.get("where")
    return isinstance(where, exp.Where) and not _always(where.this)


def _always(condition: Expr) -> bool:
    """Whether a condition holds whatever the rows are, as far as it is plain to see."""
    from sqlglot import exp

    while isinstance(condition, exp.Paren):
        condition = condition.this
    if isinstance(condition, exp.Or):
        return _always(condition.left) or _always(condition.right)
    if isinstance(condition, exp.And):
        return _always(condition.left) and _always(condition.right)
    if isinstance(condition, exp.EQ) and condition.left == condition.right:
        return True
    return condition.find(exp.Column, exp.Subquery, exp.Exists, exp.Placeholder) is None
