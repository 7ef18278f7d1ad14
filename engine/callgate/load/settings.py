"""An operator's settings, checked against a policy's vocabulary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.settings_entries import NO_CHECKS, Checks, entry_mistakes, pattern_mistakes
from callgate.load.settings_types import convert, type_mistakes
from callgate.load.words import any_of, did_you_mean, found, shown
from callgate.model.catalogue import Setting, Vocabulary
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest
from callgate.model.types import REQUIRED

__all__ = ["Settings", "load_settings", "snake_case", "spells"]

_MOST_UNKNOWN: Final = 1_000
_MOST_MISTAKES: Final = 100
_MOST_ENTRIES: Final = 500
"""How many unknown keys of a section are reported, wrong types in a value, and doubtful entries."""

_EXTENSION: Final = "x-"
"""How keys of the file begin that are there for its author alone, to be repeated by aliases."""

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(key: str) -> str:
    """A key in snake_case, however it is spelt: `networkPolicy` is `network_policy`."""
    return _HUMP.sub("_", key).lower() if not key.islower() else key


def spells(key: str, name: str) -> bool:
    """Whether a key is one of the two spellings of a name: snake_case or camelCase."""
    first, *others = name.split("_")
    return key in (name, first + "".join(other[:1].upper() + other[1:] for other in others))


class _Layout:
    """The sections of a vocabulary's settings, nested as in a settings file.

    `open` are sections that are let through; `dotted` all names of settings and sections, and
    `ending` the same by their last word.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.open = {snake_case(name) for name in vocabulary.open_sections}
        self.dotted: set[str] = set()
        self.sections: dict[str, Any] = {}
        for name, setting in vocabulary.settings.items():
            *parents, last = name.split(".")
            section = self.sections
            self.dotted.add(name)
            for depth, parent in enumerate(parents, start=1):
                section = section.setdefault(parent, {})
                self.dotted.add(".".join(parents[:depth]))
            section[last] = setting
        self.ending: dict[str, list[str]] = {}
        for name in self.dotted:
            self.ending.setdefault(name.rpartition(".")[2], []).append(name)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all settings of a vocabulary.

    `values`: by dotted key; lists are tuples; of a secret only True (it is there) or None.
    `given`: the dotted keys that were set and not left at their default. `wrong`: those that were
    meant to be set, settings or sections, by what can't be used; "" is all of them.
    """

    values: Mapping[str, Any]
    given: frozenset[str]
    wrong: frozenset[str]
    vocabulary: Vocabulary = field(repr=False, compare=False)
    aliases: Mapping[str, str] = field(repr=False, compare=False)
    checks: Checks = field(repr=False, compare=False)
    layout: _Layout = field(repr=False, compare=False)

    def overlay(
        self,
        other: Mapping[str, Any],
        diagnostics: Diagnostics | None = None,
        document: Document | None = None,
    ) -> Settings:
        """These settings with others laid over them: maps merge, lists replace.

        `other` is nested as in a settings file, whose positions `document` knows. What is wrong in
        it is reported and has no effect; without `diagnostics`, errors raise PolicyError.
        """
        collector = Diagnostics() if diagnostics is None else diagnostics
        values = dict(self.values)
        given = set(self.given)
        checker = _Checker(self, collector, document)
        for setting, value in checker.check(other):
            name = setting.name
            if setting.field.secret:
                values[name] = None if value in (None, "", (), {}, []) else True
            else:
                values[name] = _merged(values[name], _converted(setting, value, self.aliases))
            given.add(name)
        if diagnostics is None:
            collector.raise_errors()
        wrong = self.wrong | checker.wrong
        return replace(self, values=values, given=frozenset(given), wrong=wrong)

    def can_tell(self, name: str) -> bool:
        """Whether what was meant for a setting is known: neither it nor what it is in is wrong."""
        parts = name.split(".")
        return self.wrong.isdisjoint(".".join(parts[:end]) for end in range(len(parts) + 1))


def load_settings(
    raw: Mapping[str, Any] | None,
    vocabulary: Vocabulary,
    aliases: Mapping[str, str],
    diagnostics: Diagnostics,
    document: Document | None = None,
    checks: Checks = NO_CHECKS,
) -> Settings:
    """The settings in `raw`, with defaults for what it does not say.

    `raw` is nested as in a settings file (None: nothing is set); `document` is that file, for
    positions. `aliases`: other names of tools, replaced in lists of tools; `checks`: what the
    policy knows beside them.
    """
    defaults = {name: _default(setting, aliases) for name, setting in vocabulary.settings.items()}
    layout = _Layout(vocabulary)
    none: frozenset[str] = frozenset()
    settings = Settings(defaults, none, none, vocabulary, aliases, checks, layout)
    return settings if raw is None else settings.overlay(raw, diagnostics, document)


def _default(setting: Setting, aliases: Mapping[str, str]) -> Any:
    default = setting.field.default
    if default is REQUIRED or setting.field.secret:
        return None
    return _converted(setting, default, aliases)


def _converted(setting: Setting, value: Any, aliases: Mapping[str, str]) -> Any:
    return convert(value, setting.field.type, aliases if setting.of_tools else {})


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {**old, **{key: _merged(old.get(key), item) for key, item in new.items()}}
    return new


def _nested(name: str) -> str:
    """How a dotted name is written in a settings file."""
    *sections, last = name.split(".")
    text = f"{last}: …"
    for section in reversed(sections):
        text = f"{section}: {{{text}}}"
    return f"write it nested: `{text}`"


class _Checker:
    """Walks nested settings along the sections of a vocabulary."""

    def __init__(
        self, settings: Settings, diagnostics: Diagnostics, document: Document | None
    ) -> None:
        self.settings = settings
        self.layout = settings.layout
        self.unknown_keys: Counter[str] = Counter()
        self.wrong: set[str] = set()
        self.diagnostics = diagnostics
        self.document = document

    def check(self, raw: Any) -> Iterator[tuple[Setting, Any]]:
        """Each known setting that is given rightly, with its value."""
        if isinstance(raw, Mapping):
            yield from self.section(raw, self.layout.sections, (), "")
        else:
            message = f"expected a mapping of settings, found {found(raw)}"
            self.wrong.add("")
            self.diagnostics.error("E002", message, self.span((), False), "for example `tools: {}`")

    def section(
        self, raw: Mapping[Any, Any], known: Mapping[str, Any], path: tuple[str, ...], prefix: str
    ) -> Iterator[tuple[Setting, Any]]:
        spelt: dict[str, str] = {}
        meant: set[str] = set()
        for key, value in raw.items():
            if not isinstance(key, str):
                message = f"expected a text as key, found {found(key)}"
                self.diagnostics.error("E002", message, self.span(path, True), "put it in quotes")
                continue
            name, here = snake_case(key), (*path, key)
            target = known.get(name) if spells(key, name) else None
            if target is not None and name in spelt:
                self.twice(prefix + name, (*path, spelt[name]), here)
                continue
            if target is None:
                meant.add(self.unknown(name, known, here, prefix))
                continue
            spelt[name] = key
            if isinstance(target, Setting):
                if self.fits(target, value, here):
                    yield target, value
                else:
                    self.wrong.add(target.name)
            elif isinstance(value, Mapping):
                yield from self.section(value, target, here, f"{prefix}{name}.")
            elif value is not None:  # a section with nothing in it is empty
                message = f"expected a mapping as `{prefix}{name}`, found {found(value)}"
                help = f"the keys in it are {any_of(target, last='and')}"
                self.wrong.add(prefix + name)
                self.diagnostics.error("E002", message, self.span(here, False), help)
        self.wrong.update(prefix + name for name in meant.difference(spelt, ("",)))

    def fits(self, setting: Setting, value: Any, path: tuple[str, ...]) -> bool:
        known = self.settings
        wrong = list(islice(type_mistakes(value, setting.field.type, setting.name), _MOST_MISTAKES))
        if not wrong:
            wrong = list(islice(pattern_mistakes(setting, value, known.checks), _MOST_MISTAKES))
        if wrong and setting.field.secret:  # neither its value nor the line that holds it
            message = f"secret `{setting.name}` is not of the right type"
            help = "write it as the policy's vocabulary says"
            self.diagnostics.error("E002", message, self.span(path, True), help)
            return False
        others = () if wrong else entry_mistakes(setting, value, known.aliases, known.checks)
        for mistake in chain(wrong, islice(others, _MOST_ENTRIES)):
            where = self.span((*path, *mistake.path), False, mistake.part)
            message, help = mistake.message, mistake.help
            self.diagnostics.add(mistake.code, message, where, help, mistake.severity)
        return not wrong

    def twice(self, name: str, first: tuple[str, ...], second: tuple[str, ...]) -> None:
        other = self.span(first, True)
        self.wrong.add(name)
        self.diagnostics.error(
            "E004",
            f"`{first[-1]}` and `{second[-1]}` are the same setting",
            self.span(second, True),
            f"keep one of them: `{name.rpartition('.')[2]}`",
            related=(("spelt differently here", other),) if other else (),
        )

    def unknown(
        self, name: str, known: Mapping[str, Any], path: tuple[str, ...], prefix: str
    ) -> str:
        """Report a key; what it was probably meant to be, below `prefix`, or an empty text."""
        if not prefix and (name in self.layout.open or path[-1].startswith(_EXTENSION)):
            return ""
        self.unknown_keys[prefix] += 1
        if self.unknown_keys[prefix] > _MOST_UNKNOWN:
            self.too_many(path, prefix)
            return ""
        span = self.span(path, True)
        limit = 1 if len(name) <= 4 else 2
        if "." in name and (dotted := closest(prefix + name, self.layout.dotted, limit)):
            message = f"{shown(prefix + path[-1])} can't be written as one key"
            dotted = dotted.removeprefix(prefix)
            self.diagnostics.error("E001", message, span, _nested(dotted))
            return dotted
        if meant := closest(name, known, limit):
            message = f"unknown setting {shown(prefix + path[-1])}"
            self.diagnostics.error("E001", message, span, did_you_mean(prefix + meant))
            return meant
        message = f"this policy knows no setting {shown(prefix + path[-1])}"
        self.diagnostics.warning("E005", message, span, self.elsewhere(name))
        return ""

    def elsewhere(self, name: str) -> str:
        """What to do about a key that no setting here is like."""
        places = self.layout.ending.get(name, ())
        if len(places) == 1:
            return f"it has no effect here; did you mean `{places[0]}`?"
        return "it has no effect here"

    def too_many(self, path: tuple[str, ...], prefix: str) -> None:
        """Among so many keys a misspelt one is not found any more, so they are an error."""
        if self.unknown_keys[prefix] == _MOST_UNKNOWN + 1:
            section = f"`{prefix[:-1]}`" if prefix else "the file"
            message = f"more than {_MOST_UNKNOWN:,} keys in {section} are unknown to this policy"
            help = "is this the settings file? the keys from here on are not read"
            self.diagnostics.error("E005", message, self.span(path, True), help)

    def span(
        self, path: tuple[str | int, ...], key: bool, part: tuple[int, int] | None = None
    ) -> Span | None:
        if self.document is None:
            return None
        return self.document.text(*path).span(*part) if part else self.document.span(*path, key=key)
