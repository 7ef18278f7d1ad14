"""Commands that a program which nobody described may run: `wrap rm -rf /etc`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.effects.apply import Application
from callgate.effects.command import ParsedCommand
from callgate.effects.named import add_mentions, quoted_commands
from callgate.effects.program_spec import Program
from callgate.effects.shell.tree import Word
from callgate.effects.state import State
from callgate.model.effect import Effect

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["walk_tail"]

_KINDS: Final = frozenset({"delete", "device", "permission"})
"""What counts."""

_POWER: Final = frozenset({"power"})
"""What counts only behind `--`, where a command stands: `halt` and `reboot` are also what tools
call it for other machines."""

_COMMAND: Final = "--"

_MAY: Final = _KINDS | {"write"}
"""What may turn out to count: a device may be written."""

_MAX_TRIES: Final = 16

_PLACES: Final = ("/", "~", "..", "$")
"""How a word begins that is more than a name in some list of the program's own."""


def walk_tail(walker: Commands, name: str, words: tuple[Word, ...], state: State) -> None:
    """Add what the words from the first destructive program on would do, as doubtful effects.
    `name`: the program in front, which nobody described.

    Many programs have sub-commands that are called as programs (`docker rm x`, `aws s3 rm
    s3://x`): it counts only where what follows is written as it is for the program.
    """
    sink = walker.sink
    if len(words) > 1:
        add_mentions(sink, words, state)
        for quoted in quoted_commands(words):
            _walk_quoted(walker, name, quoted, state)
    left = _MAX_TRIES
    last = len(words) - 1
    for index in range(1, last + 1):
        text = words[index].text
        behind = _POWER if words[index - 1].text == _COMMAND else frozenset[str]()
        if index == last and not behind:
            # What counts else needs an operand.
            return
        if not isinstance(text, str) or (text[:1] != "/" and "/" in text):
            continue
        program = sink.programs.get(text.rpartition("/")[2])
        if program is None or program.kinds.isdisjoint(_MAY | behind):
            continue
        if not left:
            reason = "too many words that may be programs"
            sink.opaque(reason, words[index].span, state.through, bound=True)
            return
        left -= 1
        if _walk(walker, program, name, words[index:], state, _KINDS | behind):
            return


def _walk_quoted(walker: Commands, name: str, words: tuple[Word, ...], state: State) -> None:
    """Add that a quoted word reads as a destructive command, where its words are options and
    places: whether the program runs it, nobody knows."""
    sink = walker.sink
    for index, word in enumerate(words[:-1]):
        program = sink.programs.get(str(word.text).rpartition("/")[2])
        if program is None or program.kinds.isdisjoint(_MAY):
            continue
        told = words[index + 1 :]
        plain = [w for w in told if not _is_place(w) and "=" not in str(w.text)]
        if all(str(w.text).startswith("-") for w in plain) and len(plain) < len(told):
            start = len(sink.effects)
            if _walk(walker, program, name, words[index:], state, _KINDS):
                sink.forget(start)
                reason = f"a word that reads as the command `{word.text}`, which `{name}` may run"
                sink.opaque(reason, word.span, state.through)
                return


def _walk(
    walker: Commands,
    program: Program,
    name: str,
    tail: tuple[Word, ...],
    state: State,
    kinds: frozenset[str],
) -> bool:
    """Add the effects of some kinds that count of a command; gives whether there is anything."""
    sink = walker.sink
    span = (tail[0].span[0], max(tail[0].span[1], tail[-1].span[1]))
    command = ParsedCommand(tail, span, program, sink.programs.trusted)
    inner = state.inside(name, state.cwd)
    inner.certain = False
    kept, sink.only = sink.only, kinds
    start = len(sink.effects)
    try:
        Application(walker, command, inner).run()
    finally:
        sink.only = kept
    found = sink.effects[start:]
    by_path = str(tail[0].text)[0] == "/"
    places = {word.span for word in tail if by_path or _is_place(word)}
    here = not any(isinstance(word.text, str) and "://" in word.text for word in tail)
    depth = len(inner.through)
    counted = [e for e in found if _counts(e, places, here) or len(e.through) > depth]
    if len(counted) < len(found):
        del sink.effects[start:]
        sink.effects += counted
    return bool(counted)


def _counts(effect: Effect, places: set[tuple[int, int]], here: bool) -> bool:
    if effect.kind == "device" or effect.kind in _POWER:
        return True
    recursive = effect.kind == "delete" and effect.fields["recursive"] is True
    return effect.span in places or (here and recursive)


def _is_place(word: Word) -> bool:
    """Whether a word is written as a path: not as the name of something, nor as a URL."""
    if not isinstance(word.text, str):
        first = word.pieces[0] if word.pieces else None
        return isinstance(first, str) and first.startswith(_PLACES)
    return word.text.startswith(_PLACES) or word.home == 0 or word.text in (".", "*")
