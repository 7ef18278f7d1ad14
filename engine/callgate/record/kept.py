"""What a record keeps of a call: all that its decision hung on, without secrets.

Each secret text is replaced by `secret-` and a keyed hash, so that equal ones are still seen to be
equal; a long text is cut to its head. Secrets are what stands under a secret's name in `args`,
`declared` and `context.extra`, what patterns find in any text, what programs take for secrets, and
the secret settings; each wherever it turns up. Sections in which nothing is to be replaced, which
is nearly all, are known by their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callgate.record.keys import keyed_hash
from callgate.record.values import canonical, encode
from callgate.runtime.call_secrets import call_secrets
from callgate.runtime.frame import Frame
from callgate.runtime.render import MOST_SECRETS

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["MAX_TEXT", "Keeper", "Kept", "Sections"]

MAX_TEXT: Final = 16_384
"""Longer texts, in characters, are cut."""

_EMPTY: Final = b"{}"
_NOTHING: Final[Mapping[str, Any]] = {}
_SECTIONS: Final = ("answers", "args", "context", "declared", "observed", "tool")
_NAMED: Final = frozenset({"args", "declared"})
"""Sections in which a name says that its value is a secret."""
_MOST_KNOWN: Final = 4 * 1024 * 1024
_NO_JSON: Final = "it holds what is no JSON, or is nested too deeply"
_BEFORE: Final = re.compile(
    r"""(?i)(?:://[^/:@]*:|[\w.-]*\\*["']?\]?\s*[=:]\s*)?\\*["']?(?:(?:bearer|basic|token)\s+)?"""
)
"""What a pattern hides before the secret itself."""
_OPAQUE: Final = re.compile(r"""[^\s"'/~.$<>{(\[-][^\s"'<>{}()\[\]]{7,}""")
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+(?:[-_./:][A-Z]?[a-z]+)*|[A-Z_]+")
_TIME: Final = re.compile(r"[0-9TZ:.+-]{1,40}")


class Sections(NamedTuple):
    """The sections of a call as canonical JSON."""

    answers: bytes
    args: bytes
    context: bytes
    declared: bytes
    observed: bytes
    tool: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """A call as it is kept. `sections`: name → restricted value, None where it can't be kept, and
    `why` not. `changed`: whether anything was replaced or cut. `secrets`: what must not be shown,
    longest first."""

    sections: Mapping[str, Any] | None
    changed: bool
    secrets: tuple[str, ...]
    why: str = ""


class Keeper:
    """Keeps the calls that one program decides. `key`: of the keyed hashes, 32 bytes; `max_text`:
    how many characters of a text are kept."""

    def __init__(self, program: Program, key: bytes, max_text: int = MAX_TEXT) -> None:
        self._program = program
        self._masker = program.masker
        self._settings = program.settings_secrets
        self._key = key
        self._max_text = max_text
        self._known: dict[str, set[bytes]] = {name: set() for name in _SECTIONS}
        self._known_bytes = 0

    # -- calls in which nothing is to be replaced

    def as_it_is(self, frame: Frame) -> Sections | None:
        """The call of a frame where it can be kept as it is, but for what programs take for
        secrets; else None."""
        if len(self._settings) > MOST_SECRETS:
            return None
        known = self._known
        try:
            tool = canonical(frame.called_as)
            if tool not in known["tool"] and not self._learn("tool", frame.called_as, tool):
                return None
            args = canonical(frame.args)
            if args not in known["args"] and not self._learn("args", frame.args, args):
                return None
            context = canonical(frame.context)
            if context not in known["context"] and not self._learn(
                "context", frame.context, context
            ):
                return None
            declared = observed = answers = _EMPTY
            if frame.declared:
                declared = canonical(frame.declared)
                if declared not in known["declared"] and not self._learn(
                    "declared", frame.declared, declared
                ):
                    return None
            if frame.observed:
                found = self._observed(frame.observed)
                if found is None:
                    return None
                observed = found
            if frame.answers:
                answers = canonical(frame.answers)
                if answers not in known["answers"] and not self._learn(
                    "answers", frame.answers, answers
                ):
                    return None
        except ValueError:
            return None
        return Sections(answers, args, context, declared, observed, tool)

    def _observed(self, observed: Mapping[str, Any]) -> bytes | None:
        whole = canonical(observed)
        rest, told = observed, whole
        time = observed.get("time")
        if type(time) is str and _TIME.fullmatch(time):
            # It is another one for each call.
            rest = {name: value for name, value in observed.items() if name != "time"}
            told = canonical(rest)
        if told in self._known["observed"] or self._learn("observed", rest, told):
            return whole
        return None

    def _learn(self, name: str, value: Any, raw: bytes) -> bool:
        """Whether nothing is to be replaced in a section; then its bytes are remembered."""
        if encode(value) is not value or any(self._replaced(name, value)):
            return False
        if len(raw) <= self._max_text:
            self._known_bytes += len(raw) + 100
            if self._known_bytes > _MOST_KNOWN:
                self._known_bytes = 0
                for known in self._known.values():
                    known.clear()
            self._known[name].add(raw)
        return True

    def _replaced(self, section: str, value: Any) -> Iterator[bool]:
        """For each text of a section whether something of it is to be replaced."""
        todo = [(value, section in _NAMED, False)]
        while todo:
            item, named, pair = todo.pop()
            if type(item) is str:
                yield len(item) > self._max_text or bool(self._masker.hidden(item, self._settings))
            elif type(item) in (dict, list):
                for key, part, hidden, pairs in _parts(self._masker, item, named, pair):
                    yield hidden and part is not None and type(part) is not bool and part != ""
                    if type(key) is str:
                        todo.append((key, False, False))
                    extra = section == "context" and item is value and key == "extra"
                    todo.append((part, named or extra, pairs))

    # -- all others

    def of(self, given: Any) -> Kept:
        """A call without its secrets. `given`: its frame, or where there is none what was given as
        a call. Takes any value."""
        program, masker = self._program, self._masker
        if isinstance(given, Frame):
            plain = {name: getattr(given, name) or {} for name in _SECTIONS if name != "tool"}
            plain["tool"] = given.called_as
            found = call_secrets(masker, given, program.safe_effects(given))
            also = masker.secrets(plain["declared"], *_texts(plain["context"]))
            also += masker.secrets(*_texts(plain["answers"]), *_texts(plain["observed"]))
            found = masker.texts_in([*found, *also]) if also else found
        else:
            found = masker.secrets(given)
            if type(given) is not dict:
                return Kept(None, True, (*found, *self._settings), "it is no call")
            plain = {name: given.get(name) or {} for name in _SECTIONS}
        secrets = (*found, *self._settings)
        try:
            encode(plain)  # other types, and what goes round in circles
            secrets = (*masker.texts_in([*found, *self._values(plain, found)]), *self._settings)
            text = _Texts(self, secrets)
            kept = {name: text.section(name, value) for name, value in plain.items()}
            changed = kept != plain
            sections = {name: encode(value) for name, value in kept.items()}
            canonical(sections)
        except (ValueError, RecursionError):
            return Kept(None, True, secrets, _NO_JSON)
        return Kept(sections, changed, secrets)

    def _values(self, plain: Mapping[str, Any], found: tuple[str, ...]) -> Iterator[str]:
        """What patterns hide in any text of a call and is no plain word: the same may stand
        elsewhere without the name, the header or the program that tells what it is."""
        if len(found) > MOST_SECRETS:
            return
        for text in _texts(plain, keys=True):
            for start, end in self._masker.hidden(text):
                before = _BEFORE.match(text, start, end)
                value = text[before.end() if before else start : end].strip("\"'@")
                if _OPAQUE.fullmatch(value) and not _WORDS.fullmatch(value):
                    yield value


class _Texts:
    """Replaces the secrets of one call. `secrets`: them, longest first."""

    def __init__(self, keeper: Keeper, secrets: tuple[str, ...]) -> None:
        self._masker = keeper._masker
        self._key = keeper._key
        self._max_text = keeper._max_text
        self._secrets = secrets
        # As of what is shown: so many are no mistake of somebody's.
        self._all = len(secrets) > MOST_SECRETS

    def section(self, name: str, value: Any) -> Any:
        """A section without its secrets."""
        if name == "context" and type(value) is dict and "extra" in value:
            rest = {key: part for key, part in value.items() if key != "extra"}
            return {**self._value(rest, False), "extra": self._value(value["extra"], True)}
        return self._value(value, name in _NAMED)

    def _value(self, value: Any, named: bool, pair: bool = False) -> Any:
        if type(value) is str:
            return self._text(value)
        if type(value) not in (dict, list):
            return value
        parts = [
            (key, self._hidden(part) if hidden else self._value(part, named, pairs))
            for key, part, hidden, pairs in _parts(self._masker, value, named, pair)
        ]
        if type(value) is list:
            return [part for _, part in parts]
        return {self._text(key): part for key, part in parts}

    def _hidden(self, value: Any) -> Any:
        """What stands under a secret's name: every part of it is one."""
        if type(value) is dict:
            return {self._text(key): self._hidden(part) for key, part in value.items()}
        if type(value) is list:
            return [self._hidden(part) for part in value]
        if value is None or type(value) is bool or value == "":
            return value
        return self._token(value if type(value) is str else repr(value))

    def _text(self, text: str) -> str:
        if self._all:
            return self._token(text) if text else text
        kept, at = [], 0
        for start, end in self._masker.hidden(text, self._secrets):
            kept += [text[at:start], self._token(text[start:end])]
            at = end
        without = "".join([*kept, text[at:]]) if kept else text
        if len(text) <= self._max_text:
            return without
        told = f"…[cut: {len(text)} characters, {keyed_hash(self._key, text)}]"
        return without[: self._max_text] + told

    def _token(self, secret: str) -> str:
        return f"secret-{keyed_hash(self._key, secret)}"


def _parts(
    masker: Any, value: Any, named: bool, pair: bool
) -> Iterator[tuple[Any, Any, bool, bool]]:
    """The parts of a dict or list: key, part, whether it is a secret by its name, and whether it is
    a pair of a name and a value."""
    if named:
        yield from masker.parts(value, pair)
    else:
        items = value.items() if type(value) is dict else enumerate(value)
        yield from ((key, part, False, False) for key, part in items)


def _texts(value: Any, keys: bool = False) -> list[str]:
    """Every text in a JSON value; `keys`: also those that are keys."""
    found, todo = [], [value]
    while todo:
        item = todo.pop()
        if type(item) is str:
            found.append(item)
        elif type(item) is dict:
            todo += item.values()
            if keys:
                todo += item
        elif type(item) is list:
            todo += item
    return found
