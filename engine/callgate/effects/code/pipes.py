"""Texts and names at the ends of pipes, as awk has them."""

from __future__ import annotations

from typing import Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.spec import CallEffect, Reference
from callgate.effects.code.token_values import Code
from callgate.effects.code.values import Call
from callgate.effects.shell.tree import Word

__all__ = ["is_piped", "is_written", "run_piped", "written"]

_READING: Final = "getline"
_FIRST: Final = (Reference("argument", 0),)


def is_piped(code: Code, index: int) -> bool:
    """Whether a text or name is one end of a pipe."""
    tokens = code.tokens
    token = tokens[index]
    if token.kind not in ("text", "name") or token.text == _READING:
        return False
    if code.mark(index - 1 - code.mark(index - 1, "&"), "|"):
        return True
    after = index + 2 + code.mark(index + 2, "&")
    return code.mark(index + 1, "|") and after < len(tokens) and tokens[after].text == _READING


def run_piped(code: Code, maker: Maker, index: int) -> None:
    """Add what the end of a pipe does: a shell runs it, or it names a connection."""
    token = code.tokens[index]
    maker.used.append(token.span)
    value = code.value((index, index + 1))
    call = Call(None, "command", token.span)
    text = value.text if isinstance(value, Word) else None
    if isinstance(text, str) and text.startswith(code.language.syntax.sockets):
        # /inet/PROTOCOL/OWN PORT/HOST/PORT
        _, scheme, _, host, port, *_ = [*text.strip("/").split("/"), "", "", "", ""]
        fields = {"scheme": scheme, "host": host, "port": port}
        given = {name: (Reference("constant", name=part),) for name, part in fields.items()}
        maker.call((CallEffect("connect", given),), call)
        maker.call((), Call(None, "command", token.span, None, [value]))
    elif value is None and token.kind == "name":
        maker.standing(call)
    else:
        maker.shell_text(value, call, maker.state)


def is_written(code: Code, index: int) -> bool:
    """Whether a text names a file that is written."""
    return code.tokens[index].kind == "text" and code.mark(index - 1, ">", ">>")


def written(code: Code, maker: Maker, index: int) -> None:
    """Add what a text behind `>` does."""
    token = code.tokens[index]
    call = Call(None, "write", token.span, None, [token.value])
    maker.call((CallEffect("write", {"path": _FIRST}),), call)
