"""Calls in code to effects, as the language's entry says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from callgate.effects.code.arguments import MISSING, holds, value_of
from callgate.effects.code.outgoing import add_outgoing
from callgate.effects.code.spec import CallEffect, Language
from callgate.effects.code.values import Call, Choices, Value, as_word, known, words_of
from callgate.effects.shell.tree import Span, Word, constant
from callgate.effects.shell.words import Place
from callgate.effects.sink import Given
from callgate.effects.state import State
from callgate.model.effect import EFFECT_KINDS
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["Maker"]

Nested = Callable[["Commands", str, str, State, Place], None]

_HOLE: Final = "${_}"
_MAX_CHOICES: Final = 32


class Maker:
    """Adds the effects of the calls of one text. Spans of what it is given are places in that
    text; `place` says where it stands.

    `used`: the places of the texts whose meaning was told. `unseen`: something runs that the text
    does not show.
    """

    def __init__(
        self, walker: Commands, language: Language, state: State, place: Place, nested: Nested
    ) -> None:
        self.walker = walker
        self.sink = walker.sink
        self.language = language
        self.state = state
        self.place = place
        self.used: list[Span] = []
        self.unseen = False
        self._nested = nested
        self._start = len(self.sink.effects)
        self._sources: list[tuple[Word, Span]] = []

    def span(self, span: Span) -> Span:
        """Where a place in the text stands in the argument."""
        return self.place.span(*span)

    def opaque(self, reason: str, span: Span) -> None:
        """Add something that the text does not show."""
        self.unseen = True
        self.sink.opaque(reason, self.span(span), self.state.through)

    def call(self, effects: tuple[CallEffect, ...], call: Call) -> None:
        """Add what a call does."""
        if not effects:
            for value in (*call.arguments, *call.keys.values()):
                self._use(value)
            return
        for index, value in enumerate(call.arguments):
            if isinstance(value, Choices):
                for choice in value[:_MAX_CHOICES]:
                    arguments = [*call.arguments[:index], choice, *call.arguments[index + 1 :]]
                    self.call(effects, replace(call, arguments=arguments))
                if len(value) <= _MAX_CHOICES:
                    return
                break
        for effect in effects:
            self._effect(effect, call)

    def finish(self) -> None:
        """Add what the whole text may send away."""
        sources = {str(word.text): self.span(span) for word, span in self._sources}
        add_outgoing(self.sink, self._start, sources, self.state)

    # -- values

    def _use(self, value: Value) -> None:
        """Note that a value's meaning is told."""
        if isinstance(value, tuple):
            for item in value:
                self._use(item)
        elif isinstance(value, Word) and value.text is not UNKNOWN:
            self.used.append(value.span)

    def _word(self, value: Value, call: Call) -> Word:
        return self._placed(as_word(value, call.span))

    def _placed(self, word: Word) -> Word:
        return replace(word, span=self.span(word.span), offset=-1)

    # -- effects

    def _effect(self, effect: CallEffect, call: Call) -> None:
        state = self.state
        if call.endless is UNKNOWN and any(part.kind == "endless" for part in effect.when):
            self.opaque("a loop that may start processes without end", call.span)
            return
        if effect.when and (held := holds(effect.when, call)) is not True:
            if held is False:
                return
            state = replace(state, certain=False)
        if effect.unless and holds(effect.unless, call) is True:
            return
        given = {}
        for name, choice in effect.fields.items():
            value = value_of(choice, call)
            if value is not MISSING:
                given[name] = value
        main = next(iter(effect.fields), None)
        if main is not None and main not in given:
            return
        for value in given.values():
            self._use(value)  # type: ignore[arg-type]
        act = _META.get(effect.kind)
        if act is not None:
            act(self, given, call, state)
            return
        words: dict[str, Given] = {}
        for name, value in given.items():
            words[name] = value if isinstance(value, bool) else self._field(name, value, call)
        self._each(effect.kind, words, given, call, state)

    def _field(self, name: str, value: object, call: Call) -> Given:
        if name == "mode" and isinstance(value, int):
            return constant(f"{value:o}", call.span)
        if isinstance(value, tuple):
            return self._word(value[0] if value else None, call)
        return self._word(value, call)  # type: ignore[arg-type]

    def _each(
        self,
        kind: str,
        words: dict[str, Given],
        given: dict[str, object],
        call: Call,
        state: State,
    ) -> None:
        """Once for every text of the first field that is a list."""
        span = self.span(call.span)
        first = next((n for n, value in given.items() if isinstance(value, tuple)), None)
        if first is None:
            self._add(kind, words, span, state)
            return
        items = given[first]
        assert isinstance(items, tuple)
        for item in items:
            parts = item if isinstance(item, tuple) else (item,)
            for part in parts:
                self._add(kind, {**words, first: self._word(part, call)}, span, state)

    def _add(self, kind: str, words: dict[str, Given], span: Span, state: State) -> None:
        path = words.get("path")
        if isinstance(path, Word) and path.text == "-":
            words["path"] = replace(path, text="./-")
        fields = EFFECT_KINDS[kind].fields
        self.sink.make(kind, {n: words[n] for n in fields if n in words}, span, state)

    def _shell(self, given: dict[str, object], call: Call, state: State) -> None:
        self.shell_text(given["text"], call, state)  # type: ignore[arg-type]

    def shell_text(self, value: Value, call: Call, state: State) -> None:
        """Run a text in a shell."""
        word = as_word(value, call.span)
        inner = state.inside(call.name or call.last, state.cwd)
        inner.stdin = None
        text = word.text
        if not isinstance(text, str):
            self.opaque("shell text that is not known before it runs", call.span)
            pieces = [piece if isinstance(piece, str) else _HOLE for piece in word.pieces]
            text = "".join(pieces)
            if not text.replace(_HOLE, "").strip():
                return
            inner.certain = False
        self.walker.text(text, inner, Place(0, self.span(word.span)))

    def standing(self, call: Call) -> None:
        """Run in a shell what the code reads from somewhere."""
        self.unseen = True
        fields = {"language": "shell", "source": "stdin", "remote": False}
        self.sink.add("interpret", fields, self.span(call.span), self.state)

    def _command(self, given: dict[str, object], call: Call, state: State) -> None:
        value: Value = given["words"]  # type: ignore[assignment]
        if isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], tuple):
            value = value[0]
        if value is None or value == ():
            self.opaque("a program that is not known before it runs", call.span)
            return
        alone = value[0] if isinstance(value, tuple) else value
        if not isinstance(value, tuple) or given.get("shell") is True or _sentence(value):
            self.shell_text(alone, call, state)
            return
        words = tuple(self._placed(word) for word in words_of(value, call.span))
        if any(word.text is UNKNOWN for word in words):
            self.unseen = True
        inner = state.inside(call.name or call.last, state.cwd)
        inner.stdin = None
        self.walker.invoke(words, inner)

    def _code(self, given: dict[str, object], call: Call, state: State) -> None:
        word = as_word(given["text"], call.span)  # type: ignore[arg-type]
        named = given.get("language")
        language = named.text if isinstance(named, Word) else self.language.name
        if not isinstance(word.text, str) or not isinstance(language, str):
            self.opaque("code that is not known before it runs", call.span)
            return
        inner = state.inside(call.name or call.last, state.cwd)
        self._nested(self.walker, language, word.text, inner, Place(0, self.span(word.span)))

    def _open(self, given: dict[str, object], call: Call, state: State) -> None:
        value: Value = given["path"]  # type: ignore[assignment]
        if isinstance(value, int):
            return
        mode = given.get("mode", constant("r", call.span))
        letters = mode.text if isinstance(mode, Word) else UNKNOWN
        language, span = self.language, self.span(call.span)
        path = self._word(value, call)
        if not isinstance(letters, str):
            state = replace(state, certain=False)
            letters = "r+"
        if any(letter in letters for letter in language.runs):
            self._command({"words": value}, call, state)
            return
        writes = any(letter in letters for letter in language.writes)
        if not writes or "r" in letters or "+" in letters or "<" in letters:
            self._add("read", {"path": path}, span, state)
        if writes:
            self._add("write", {"path": path}, span, state)

    def _marked(self, given: dict[str, object], call: Call, state: State) -> None:
        items = given["text"] if isinstance(given["text"], tuple) else (given["text"],)
        for item in items:
            word = as_word(item, call.span)
            if not isinstance(word.text, str):
                self.opaque("a file or command that is not known before it runs", call.span)
                continue
            text = word.text.strip()
            bare = text.strip("|<>+& ")
            path = self._placed(replace(word, text=bare))
            if text.startswith("|") or text.endswith("|"):
                self.shell_text(replace(word, text=bare), call, state)
            elif text:
                writes = text.startswith((">", "+")) or "mode" in given
                self._add(
                    "write" if writes else "read", {"path": path}, self.span(call.span), state
                )

    def _folder(self, given: dict[str, object], call: Call, state: State) -> None:
        word = as_word(given["path"], call.span)  # type: ignore[arg-type]
        self.state.cwd = self.sink.paths.lexical(word, self.state.cwd)

    def _source(self, given: dict[str, object], call: Call, state: State) -> None:
        word = as_word(given["path"], call.span)  # type: ignore[arg-type]
        self._sources.append((word, call.span))

    def _unknown(self, given: dict[str, object], call: Call, state: State) -> None:
        unless = given.get("unless", MISSING)
        if unless is MISSING or not known(unless):  # type: ignore[arg-type]
            self.opaque(str(given["reason"].text), call.span)  # type: ignore[attr-defined]

    def _sql(self, given: dict[str, object], call: Call, state: State) -> None:
        word = as_word(given["text"], call.span)  # type: ignore[arg-type]
        text = word.text
        if not isinstance(text, str):
            text = "".join(piece if isinstance(piece, str) else "_" for piece in word.pieces)
            if not text.strip("_ "):
                # Somebody's statement, as there are many.
                return
        inner = state.inside(call.name or call.last, state.cwd)
        self._nested(self.walker, "sql", text, inner, Place(0, self.span(word.span)))


def _sentence(words: tuple[Value, ...]) -> bool:
    """Whether a list has one text, with blanks in it."""
    first = words[0]
    if len(words) > 1 or not isinstance(first, Word):
        return False
    return first.text is UNKNOWN or " " in str(first.text).strip()


_META: Final[dict[str, Callable[[Maker, dict[str, object], Call, State], None]]] = {
    "shell": Maker._shell,
    "command": Maker._command,
    "code": Maker._code,
    "open": Maker._open,
    "marked": Maker._marked,
    "folder": Maker._folder,
    "source": Maker._source,
    "unknown": Maker._unknown,
    "sql": Maker._sql,
}
