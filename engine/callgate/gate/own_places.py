"""What the gate goes by is no agent's to change, wherever an operator has put it: its state, the
policy, the settings, its code.

What a call changes stands in its effects. What it may change without their saying so is told by two
things together: it names such a place, and part of it does what nobody sees.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import orjson

from callgate.gate.own_names import OwnNames
from callgate.gate.patterns import is_active, may_match
from callgate.gate.unseen import CHANGES, is_unseen, unknown_changes

if TYPE_CHECKING:
    from callgate.model.effect import Effect, EffectSet

__all__ = ["OWN_ONLY", "OwnPlaces"]

OWN_ONLY: Final = "the call changes the policy or the gate's own files, which no agent may"
"""Why such a call is denied."""

_WHOLE: Final = frozenset({"delete", "permission"})
"""Kinds that change what is in a folder even if they are for the folder alone: it may be moved."""

_READS: Final = frozenset({"read"})
"""What most calls come to, and all of it is seen."""

_PLACED: Final = ("read", "mention", "transfer")
"""Kinds that name a place and don't change it."""

_QUOTES: Final = "'\""
_BEFORE: Final = _QUOTES + "0123456789<>&| \t"
"""What stands before the path that a redirection writes."""


class OwnPlaces:
    """Some folders and files that no call may change.

    `places`: absolute paths, each as it was named and where that leads. `links`: the symbolic links
    that lead there: whoever puts another in the place of one changes what is found. What lies
    behind a link and is no place of its own is not meant.
    """

    def __init__(self, places: Iterable[str], links: Iterable[str] = ()) -> None:
        self._places = _outermost(places)
        self._links = frozenset(links)
        # Most paths are none of it, and there may be many places: these are looked up at once.
        self._starts = tuple(f"{place}/" for place in self._places)
        self._above = frozenset(
            folder for place in (*self._places, *self._links) for folder in _folders_above(place)
        )
        self._names = OwnNames(self._places)

    def is_changed_by(self, effects: EffectSet | None, call: bytes = b"") -> bool:
        """Whether a call changes something in these places, or a tree that holds one, or may do so.

        `effects`: the call's; `call`: it as JSON, as it was made. It may where it gives what is
        inside another name, hands it to a program that nobody described, or names it and runs code.
        """
        if effects is None or _READS.issuperset(effects.by_kind):
            return False
        kinds = effects.by_kind
        if not CHANGES.isdisjoint(kinds) and any(
            self._holds(effect) for kind in CHANGES for effect in kinds.get(kind, ())
        ):
            return True
        if "mention" in kinds and self._is_handed_over(effects):
            return True
        if "service" in kinds and self._is_mounted(effects):
            return True
        if "environment" in kinds and self._is_told(effects):
            return True
        return is_unseen(effects) and (self._is_named(effects, call) or self._is_met(effects, call))

    def _holds(self, effect: Effect) -> bool:
        path = effect.fields["path"]
        if not isinstance(path, str):
            return False
        # What a search finds lies anywhere below, and is handed to another program.
        found = bool(effect.through) and path.endswith("/*")
        return path in self._links or self._touches(path, found or _is_whole(effect))

    def _touches(self, path: str, whole: bool) -> bool:
        """Whether a path is, or may be, in one of the places; `whole`: or one that holds it."""
        return (
            f"{path}/".startswith(self._starts)
            or (whole and path.rstrip("/*") in self._above)
            or (is_active(path) and any(_matches(path, place, whole) for place in self._places))
        )

    def _is_handed_over(self, effects: EffectSet) -> bool:
        """Whether a program gets what is inside for what nobody knows, or for another name. That of
        a folder above counts only where it is for all that lies below."""
        for effect in effects.by_kind["mention"]:
            path = effect.fields["path"]
            if isinstance(path, str) and self._touches(path, _is_tree(path, effects)):
                return True
        return False

    def _is_mounted(self, effects: EffectSet) -> bool:
        """Whether a command about a service, which a mounted file system is, says where one of
        the places, or a folder that holds it, lies."""
        spans = [effect.span for effect in effects.by_kind["service"] if effect.span]
        for run in effects.by_kind.get("run", ()):
            if run.span is None or not any(
                run.span[0] <= start and end <= run.span[1] for start, end in spans
            ):
                continue
            if any(self._touches(path, True) for path in _words_of(run)):
                return True
        return False

    def _is_told(self, effects: EffectSet) -> bool:
        """Whether a program is told of what is inside by a variable (`GIT_WORK_TREE`)."""
        values = [effect.fields["value"] for effect in effects.by_kind["environment"]]
        # In one of the places, any text would be the name of something in it.
        here = set(map(_folder_of, effects.by_kind.get("run", ())))
        folders = {"", *(folder for folder in here if not self._touches(folder, False))}
        return any(
            self._touches(os.path.normpath(os.path.join(folder, value)), False)  # noqa: PTH118
            for value in values
            if isinstance(value, str)
            for folder in folders
        )

    def _is_named(self, effects: EffectSet, call: bytes) -> bool:
        """Whether something in these places is named: in the call as it was made, or by what that
        comes to."""
        if self._names.stand_in(call):
            return True
        kinds = effects.by_kind
        for kind in _PLACED:
            for effect in kinds.get(kind, ()):
                path = effect.fields["path"]
                if isinstance(path, str) and self._touches(path, False):
                    return True
        return any(
            self._touches(path, False)
            for run in kinds.get("run", ())
            for path in (_folder_of(run), *_words_of(run))
        )

    def _is_met(self, effects: EffectSet, call: bytes) -> bool:
        """Whether a change of what nobody knows may be of something in these places, or of a folder
        that holds one: a pattern of names stands for both."""
        unknown = [effect for effect in unknown_changes(effects) if effect.argument]
        if not unknown or not call:
            return False
        args = orjson.loads(call).get("args")
        for effect in unknown:
            text = args.get(effect.argument) if isinstance(args, dict) else None
            if effect.span is None or not isinstance(text, str):
                continue
            start, end = effect.span
            word = text[start:end].lstrip(_BEFORE).rstrip(_QUOTES)
            if word[:1] == "/" and is_active(word) and self._touches(word, _is_whole(effect)):
                return True
        return False


def _outermost(places: Iterable[str]) -> tuple[str, ...]:
    """The paths that lie below no other one."""
    found: list[str] = []
    for place in sorted(places, key=lambda place: place.split("/")):
        if not found or not f"{place}/".startswith(f"{found[-1]}/"):
            found.append(place)
    return tuple(found)


def _folders_above(place: str) -> Iterator[str]:
    """The folders that hold a place, without a slash at the end: the root is ""."""
    while place:
        place = place.rpartition("/")[0]
        yield place


def _is_whole(effect: Effect) -> bool:
    """Whether a change of a folder is one of what lies in it."""
    return effect.kind in _WHOLE or effect.fields.get("tree", False) is not False


def _is_tree(path: str, effects: EffectSet) -> bool:
    return any(
        effect.fields["path"] == path and effect.fields["tree"] is not False
        for effect in effects.by_kind.get("read", ())
    )


def _folder_of(run: Effect) -> str:
    """The folder that a command runs in; the root where nobody knows."""
    folder = getattr(run.data, "cwd", None)
    return folder if isinstance(folder, str) else "/"


def _words_of(run: Effect) -> Iterator[str]:
    """The paths that a command's words may be, also behind `=`."""
    folder = _folder_of(run)
    words = run.fields["words"]
    for word in words if isinstance(words, tuple | list) else ():
        if isinstance(word, str) and word:
            for text in {word, word.rpartition("=")[2]}:
                yield os.path.normpath(os.path.join(folder, text))  # noqa: PTH118 - may be many


def _matches(path: str, place: str, whole: bool) -> bool:
    """Whether a path with patterns of names may be a place, or below it; `whole`: or above it."""
    parts, names = path.split("/"), place.split("/")
    for part, name in zip(parts, names, strict=False):
        if part == "**":
            # Any folder, this one too.
            return True
        if not may_match(name, part):
            return False
    return whole or len(parts) >= len(names)
