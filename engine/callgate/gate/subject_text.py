"""What a grant is bound to, as one line for people: escaped, with secrets masked."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Final

from callgate.runtime.masking import MASK, escape

if TYPE_CHECKING:
    from callgate.gate.subject_command import BoundCommand
    from callgate.runtime.frame import Frame
    from callgate.runtime.masking import Masker

__all__ = ["MAX_TEXT", "text_of_call", "text_of_command"]

MAX_TEXT: Final = 1000
"""The longest line, in characters. A command that needs more is bound as a call: nobody reads it
twice."""

_MOST_SECRETS: Final = 200
_MOST_ARGS: Final = 20


def text_of_command(command: BoundCommand, masker: Masker, secrets: Sequence[str]) -> str:
    """A command with its folder, and what else a grant for it covers; "" where that is too long or
    holds too many secrets to be shown."""
    if len(secrets) > _MOST_SECRETS or sum(map(len, command.words)) > MAX_TEXT:
        return ""
    text = f"`{' '.join(map(quote, command.words))}` in `{command.cwd}`"
    paths = dict.fromkeys(root.path for root in command.roots)
    if paths:
        text += ", also on anything below " + " and ".join(f"`{path}`" for path in paths)
    shown = escape(masker.mask(text, secrets))
    return shown if len(shown) <= MAX_TEXT else ""


def text_of_call(frame: Frame, masker: Masker, secrets: Sequence[str]) -> str:
    """A call with its arguments, exactly as it is; cut where it is long."""
    tool = masker.show(frame.tool, secrets)
    if len(secrets) > _MOST_SECRETS:
        return f"{tool}({MASK})"
    names = sorted(frame.args)
    shown = []
    for name in names[:_MOST_ARGS]:
        value = MASK if masker.is_secret(name) else masker.show(frame.args[name], secrets)
        shown.append(f"{masker.show(name, secrets)}={value}")
    if len(names) > _MOST_ARGS:
        shown.append("…")
    text = f"{tool}({', '.join(shown)})"
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
