"""Names in code that is read by its tokens: which have one value, and which stand for another."""

from __future__ import annotations

from typing import Final

from callgate.effects.code.token_values import Code
from callgate.effects.shell.tree import Word

__all__ = ["note_names"]

_DEFINING: Final = frozenset({"function", "def", "sub", "fn", "func", "fun"})
_DECLARING: Final = frozenset({"const", "let", "var", "my", "local", "our", "for", "foreach"})
_MAX_VALUE: Final = 64
"""Tokens of a value; nothing is known of a longer one."""
_ENDS: Final = frozenset({";", ",", ")", "]", "}"})


def note_names(codes: list[Code]) -> tuple[dict[str, str], set[str]]:
    """Note the constants of some pieces of one text, and give the names that stand for functions,
    and all names and texts that may be those of modules."""
    aliases: dict[str, str] = {}
    mentioned: set[str] = set()
    stores: dict[str, int] = {}
    found: dict[str, tuple[Code, tuple[int, int]]] = {}
    for code in codes:
        for index, token in enumerate(code.tokens):
            if token.kind == "text" and isinstance(token.value, Word):
                text = token.value.text
                if isinstance(text, str) and len(text) < 64:
                    mentioned.add(text.removeprefix("node:").partition("/")[0])
                    mentioned.add(text.removeprefix("node:"))
            if token.kind != "name":
                continue
            mentioned.add(token.text)
            _stored(code, index, stores, found)
            _renamed(code, index, aliases)
    for name, (code, part) in found.items():
        if stores.get(name) != 1 or part[0] >= part[1]:
            continue
        value_name, end = code.chain(*part)
        if end == part[1] and code.tokens[part[0]].kind == "name" and "." in value_name:
            aliases.setdefault(name, value_name)
        for other in codes:
            if other is code:
                other.constants[name] = part
    return aliases, mentioned


def _stored(
    code: Code,
    index: int,
    stores: dict[str, int],
    found: dict[str, tuple[Code, tuple[int, int]]],
) -> None:
    """Note that a name is given a value, or becomes something that nobody knows."""
    tokens = code.tokens
    name = tokens[index].text
    before = tokens[index - 1] if index else None
    if before is not None and before.kind == "mark" and before.text in (".", "->", "::", "?."):
        return
    if code.mark(index + 1, "=", ":=", "<-") and not code.mark(index + 2, "=", "~"):
        stores[name] = stores.get(name, 0) + 1
        end = index + 2
        while end < len(tokens):
            token = tokens[end]
            if end > index + _MAX_VALUE:
                stores[name] += 1
                break
            if token.kind == "line" or (token.kind == "mark" and token.text in _ENDS):
                break
            if token.kind == "mark" and token.text in "([{":
                end = code.close[end]
            end += 1
        found[name] = (code, (index + 2, min(end, len(tokens))))
    elif code.mark(index + 1, "+=", ".=", "-=", "||=", "|=") or (
        before is not None and before.kind == "name" and before.text in _DECLARING
    ):
        stores[name] = stores.get(name, 0) + 2
    elif before is not None and before.kind == "name" and before.text in _DEFINING:
        _parameters(code, index + 1, stores)
    elif code.mark(index + 1, "=>") or (
        before is not None and before.kind == "mark" and before.text == "|"
    ):
        stores[name] = stores.get(name, 0) + 2
    if name in _DEFINING:
        _parameters(code, index + 1, stores)


def _parameters(code: Code, index: int, stores: dict[str, int]) -> None:
    if not code.mark(index, "("):
        return
    for token in code.tokens[index : min(code.close[index], index + 100)]:
        if token.kind == "name":
            stores[token.text] = stores.get(token.text, 0) + 2


def _renamed(code: Code, index: int, aliases: dict[str, str]) -> None:
    """`exec as run`, `{exec: run}`."""
    tokens = code.tokens
    if index + 2 >= len(tokens) or tokens[index + 2].kind != "name":
        return
    between, other = tokens[index + 1], tokens[index + 2].text
    inside = between.kind == "mark" and between.text == ":" and code.mark(index + 3, "}", ",")
    if (between.kind == "name" and between.text == "as") or inside:
        aliases.setdefault(other, tokens[index].text)
