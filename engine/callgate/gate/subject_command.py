"""The one simple command of a shell text, and what in it may vary under a grant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callgate.effects.arguments import Arguments
from callgate.effects.command import ParsedCommand
from callgate.effects.shell.tree import Command, Redirect, Span, Word
from callgate.model.effect import Effect, EffectSet
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.runtime.frame import Frame

__all__ = ["BoundCommand", "Root", "has_unknown", "read_command", "runs_described"]

_NEVER: Final = frozenset(
    {"opaque", "interpret", "privilege", "environment", "schedule", "forkbomb"}
)
"""Kinds of effects that no simple command has: what it runs, or for whom, is not said by it."""

_JOINS: Final = frozenset({">&"})
_OUTPUTS: Final = frozenset({">", ">>", "&>", "&>>"})
_STREAMS: Final = ("1", "2")
_MARKS: Final = frozenset("*?[]{}:=@%,\\|")
"""Characters that a program may read more into than a path: a pattern, a host, a pair, a list."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that a word of a command means and that the command takes as a whole.

    `word`: the word's number. `kind`: of the effect. `path`: absolute, in normal form.
    """

    word: int
    kind: str
    path: str

    def holds(self, other: Root) -> bool:
        """Whether another is the same folder or lies below it, by components."""
        if (self.word, self.kind) != (other.word, other.kind):
            return False
        return other.path == self.path or other.path.startswith(f"{self.path}/")


@dataclass(frozen=True, slots=True)
class BoundCommand:
    """A command that a grant may be bound to.

    `words`: decoded, the program first. `cwd`: the folder it runs in, absolute. `roots`: what may
    be left for something below it. `bound`: JSON of everything else, which has to be the same.
    """

    words: tuple[str, ...]
    cwd: str
    roots: tuple[Root, ...]
    bound: list[Any]


def read_command(
    document: Mapping[str, Any], frame: Frame, effects: EffectSet, exact: bool
) -> BoundCommand | None:
    """The command that a call's shell text is, and nothing else beside it; None for every other
    call.

    `document`: the graph's. `exact`: nothing in it may vary.
    """
    runs = effects.by_kind.get("run", ())
    if len(runs) != 1 or not isinstance(runs[0].data, ParsedCommand):
        return None
    run, command = runs[0], runs[0].data
    sources = _sources(document, frame, run.argument)
    if sources is None or run.through or not _understood(effects, run):
        return None
    arguments = _only_reading(command)
    if arguments is None or not _stands_alone(command):
        return None
    words = tuple(str(word.text) for word in command.words)
    roots = () if exact else tuple(_roots(command, arguments, effects))
    varying = {root.word for root in roots}
    spans = {command.words[index].span for index in varying}
    others = [e for e in effects.all if e is not run and e.span not in spans]
    named = [run.argument, *(source[1] for source in sources.values() if source[0] == "arg")]
    bound = [
        [None if index in varying else word for index, word in enumerate(words)],
        command.cwd,
        [[effect.kind, dict(effect.fields)] for effect in others],
        run.argument,
        {name: value for name, value in frame.args.items() if name not in named},
    ]
    return BoundCommand(words, str(command.cwd), roots, bound)


def _sources(
    document: Mapping[str, Any], frame: Frame, argument: str | None
) -> Mapping[str, Sequence[Any]] | None:
    """Where a tool's only shell text and its folder come from, if that is the argument's text."""
    if frame.dynamic or argument is None:
        return None
    specs = document["tools"].get(frame.tool, {}).get("effects", ())
    for kind, fields, _ in specs:
        if kind == "shell" and list(fields["text"][:2]) == ["arg", argument]:
            found: Mapping[str, Sequence[Any]] = fields
            return found
    return None


def _understood(effects: EffectSet, run: Effect) -> bool:
    """Whether everything that the text does is known, certain, and said by its own words."""
    for effect in effects.all:
        if effect.kind in _NEVER or not effect.certain or effect.argument != run.argument:
            return False
        if effect is not run and any(map(has_unknown, effect.fields.values())):
            return False
    return True


def has_unknown(value: Any) -> bool:
    """Whether a field of an effect is unknown, or one of its parts."""
    return value is UNKNOWN or (isinstance(value, tuple | list) and UNKNOWN in value)


def runs_described(run: Effect, folder: Any) -> bool:
    """Whether a `run` effect is of a program that somebody described, with all the options that it
    is given, and that is found by its name alone, so that no file of the workspace takes its place.

    `folder`: where the call runs, as its context has it. In another one a program may find settings
    that an agent put there.
    """
    command = run.data
    if not isinstance(command, ParsedCommand) or command.program is None:
        return False
    if command.cwd != folder:
        return False
    first = command.words[0].text
    return isinstance(first, str) and "/" not in first and _described(command) is not None


# -- the command and its words


def _only_reading(command: ParsedCommand) -> Arguments | None:
    """How a known program reads the words, if there is only one way; None for an interpreter, and
    for what nobody described."""
    program = command.program
    if program is None or not all(map(_literal, command.words)):
        return None
    arguments = _described(command)
    if arguments is None or program.language or arguments.program.language:
        return None
    return arguments


def _described(command: ParsedCommand) -> Arguments | None:
    """The only way to read a known program's words; None where there are more, and where nobody
    described the sub-command or an option: it may name a file to be run."""
    readings = command.readings()
    arguments = readings[0]
    if len(readings) != 1 or arguments.ambiguous or arguments.unsure or arguments.hidden:
        return None
    if any(item.option is None for item in arguments.occurrences):
        return None
    if command.program and command.program.commands and not arguments.path and arguments.positional:
        return None
    return arguments


def _literal(word: Word) -> bool:
    """Whether a word is one text whatever the shell finds when it runs."""
    plain = isinstance(word.text, str) and not (word.glob or word.below or word.splits)
    return plain and word.home < 0 and word.slots is None and not (word.nested or word.process)


def _stands_alone(command: ParsedCommand) -> bool:
    """Whether the text is this command, in a folder that is known, and runs a program that is found
    by its name."""
    if command.altered or command.line is None or not command.line.alone:
        return False
    if not isinstance(command.cwd, str) or not command.cwd.startswith("/"):
        return False
    folder, slash, _ = str(command.words[0].text).rpartition("/")
    if slash and folder not in command.trusted:
        return False
    if len(command.line.nodes) != 1:
        return False
    node = command.line.nodes[0]
    if not isinstance(node, Command) or node.assignments:
        return False
    same = len(node.words) == len(command.words) and all(
        one is other for one, other in zip(node.words, command.words, strict=True)
    )
    return same and all(map(_harmless, node.redirects))


def _harmless(redirect: Redirect) -> bool:
    """Whether a redirection only joins the two outputs, or drops one: another that writes a file
    would have had an effect, and the command would not stand alone."""
    target = redirect.target
    if redirect.operator in _JOINS:
        return target.text in _STREAMS
    return redirect.operator in _OUTPUTS and _literal(target)


# -- what may vary


def _roots(command: ParsedCommand, arguments: Arguments, effects: EffectSet) -> Iterator[Root]:
    """The operands that are folders with all that is below, and nothing else."""
    operands = {id(word) for word in arguments.positional[len(arguments.path) :]}
    spans = Counter(word.span for word in command.words)
    caused: dict[Span | None, list[Effect]] = {}
    for effect in effects.all:
        caused.setdefault(effect.span, []).append(effect)
    for index, word in enumerate(command.words):
        text = str(word.text)
        if id(word) not in operands or not _plain(text):
            continue
        found = caused.get(word.span, [])
        if found and spans[word.span] == 1 and all(map(_whole, found)):
            yield from (Root(index, effect.kind, effect.fields["path"]) for effect in found)


def _plain(text: str) -> bool:
    """Whether a word can't be anything but a path, without a step up."""
    if text.startswith("-") or ".." in text.split("/") or not text.isprintable():
        return False
    return _MARKS.isdisjoint(text)


def _whole(effect: Effect) -> bool:
    """Whether an effect is on a folder with all that is below it, and says no more."""
    fields = dict(effect.fields)
    path = fields.pop("path", None)
    if not isinstance(path, str) or not path.startswith("/") or path == "/":
        return False
    return _MARKS.isdisjoint(path) and bool(fields) and all(v is True for v in fields.values())
