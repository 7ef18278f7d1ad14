"""Paths: what a text means in a folder, in normal form, through the links that were observed.

A path is absolute, or starts with `~` (the home nobody knows) or `.` (the working folder nobody
knows); otherwise it is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from callgate.effects.normal_path import PROCESS_LINKS, goes_through, normal
from callgate.effects.shell.tree import Word
from callgate.effects.surroundings import Surroundings
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Paths", "normal"]

Path = str | Unknown
_ROOTS: Final = ("/", "~", ".")
_MAX_LINKS: Final = 40
_MAX_MADE: Final = 64
_MAX_PATH: Final = 4096
_MAX_NAME: Final = 255
_ACTIVE: Final = frozenset("*?[")


class Paths:
    """Resolves the paths of one call. `observed`: whether somebody looked for links; `blind`: a
    path that nobody looked at is unknown. `used`, `guessed`: whether there was a path, and one in a
    folder that nobody knows. `passed`: the places by which links led from the last word to its
    path: what is done to the path is done to them, as far as rules on places go. `looked`: the
    paths that a link would change, as the system gets them."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.strict = surroundings.strict
        self.home = _absolute(surroundings.home)
        self.cwd = _absolute(surroundings.cwd)
        self.workspace = _absolute(surroundings.workspace)
        self.links = self._observed(surroundings.links) if surroundings.links else {}
        self.blind = self.strict and not surroundings.looked
        self.observed = surroundings.looked or bool(self.links)
        self.used = False
        self.guessed = False
        self.passed: list[str] = []
        self.looked: dict[str, None] = {}

    @property
    def here(self) -> Path:
        """The folder in which commands start."""
        return self.cwd or self.workspace or ("" if self.strict else ".") or UNKNOWN

    @property
    def base(self) -> Path:
        """The folder that paths in tools' arguments are relative to."""
        return self.workspace or self.here

    def linked(self, text: str) -> bool:
        """Whether a text names a link that was observed."""
        path = self._lexical(text[: _MAX_NAME + 1], self.base, home=False)
        if len(text) > _MAX_NAME or not isinstance(path, str):
            return False
        self.looked[path] = None
        return self.links.get(path, path) != path

    def folder(self, text: str) -> Path:
        """The folder that a tool's argument `cwd` means."""
        if not text:
            return self.here
        if text == "~" or text.startswith("~/"):
            return self._lexical(text, UNKNOWN, home=True)
        return self._lexical(text, self.here, home=False)

    def word(self, word: Word, cwd: Path, *, follow: bool = True, whole: bool = False) -> Path:
        """The path that a word of a command means. `follow`: through a link at its end. `whole`:
        `dir/*` stands for the folder."""
        self.passed = []
        text = word.text
        if not isinstance(text, str):
            return UNKNOWN
        found = self._seen(text, cwd, home=word.home == 0, follow=follow)
        passed = [self._shaped(place, word, whole) for place in self.passed if place != found]
        self.passed = [place for place in passed if isinstance(place, str)]
        return self._shaped(found, word, whole) if isinstance(found, str) else UNKNOWN

    def _shaped(self, found: str, word: Word, whole: bool) -> Path:
        """A word's path with what the word says of names below it."""
        if word.below and not word.glob:
            return f"{found.rstrip('/')}/*"
        if word.below and "/**/" in found:
            folder, _, name = found.rpartition("/**/")
            known = isinstance(self._glob(folder, False), str)
            return found if known and not _hidden(name) else UNKNOWN
        return self._glob(found, whole) if word.glob else found

    def link(self, path: Path, target: Path) -> None:
        """Take a path for a link from now on."""
        known = isinstance(path, str) and isinstance(target, str) and path != target
        if known and len(self.links) < _MAX_MADE:
            self.links = {**self.links, str(path): str(target)}

    def lexical(self, word: Word, cwd: Path) -> Path:
        """The path of a folder that a command works in, without looking at links."""
        if not isinstance(word.text, str) or word.glob:
            return UNKNOWN
        return self._lexical(word.text, cwd, home=word.home == 0)

    def _lexical(self, text: str, base: Path, *, home: bool) -> Path:
        if "\0" in text or not text or len(text) > _MAX_PATH:
            return UNKNOWN
        if home:
            return normal(self.home + text[1:] if self.home else text)
        if text[0] == "/":
            return normal(text)
        if not isinstance(base, str) or len(base) > _MAX_PATH:
            return UNKNOWN
        return normal(f"{base}/{text}")

    def _seen(self, text: str, base: Path, *, home: bool, follow: bool) -> Path:
        if home and self.home:
            text, home = self.home + text[1:], False
        found = self._lexical(text, base, home=home)
        if not isinstance(found, str):
            return UNKNOWN
        self.used = True
        if found[0] == ".":
            self.guessed = True
        whole = found
        if "/.." in f"/{text}" and isinstance(base, str) and not home:
            # The system follows a link before it goes up.
            whole = text if text[0] == "/" else f"{base}/{text}"
        self.looked[whole] = None
        if self.links:
            follow = follow or text.endswith("/")
            self.passed, all_ = self._places(whole, follow)
            found = self._follow(whole, follow) if all_ else UNKNOWN
            self.looked.update({found: None} if isinstance(found, str) else {})
        elif self.strict:
            self.passed = [found]
        return UNKNOWN if self.blind and found not in self.links else found

    def _observed(self, links: Mapping[str, str]) -> Mapping[str, str]:
        """The links that were observed, by their path, with what they lead to. A path is one as in
        an argument; a target is what the system says it is, relative to the link's folder."""
        found = {}
        for written, target in links.items():
            path = self._named(written, self.workspace or self.cwd or ".")
            if isinstance(path, str):
                led = self._named(target, path.rpartition("/")[0])
                found[path] = led if isinstance(led, str) else ""
        return found

    def _named(self, text: str, folder: str) -> Path:
        home = text == "~" or text.startswith("~/")
        if not text or home or text[0] == "/":
            return self._lexical(text, UNKNOWN, home=home)
        return UNKNOWN if "\0" in text else normal(f"{folder}/{text}")

    def _follow(self, path: str, leaf: bool) -> Path:
        root, *parts = path.split("/")
        current = root
        left = _MAX_LINKS
        for index, part in enumerate(parts):
            if part in ("", "."):
                continue
            if part == "..":
                if current[0:1] == "/" and goes_through(current.split("/")[1:]):
                    return UNKNOWN
                if "/" in current:
                    current = current.rpartition("/")[0]
                elif current:
                    return UNKNOWN
                continue
            current = f"{current}/{part}"
            if (part in PROCESS_LINKS or "/dev/" in current) and current[0] == "/":
                through = normal(current)
                if not isinstance(through, str):
                    return UNKNOWN
                current = "" if through == "/" else through
            last = index == len(parts) - 1
            while (not last or leaf) and (target := self.links.get(current)) is not None:
                if target == current:
                    break
                left -= 1
                found = normal(target) if target[:1] in _ROOTS else UNKNOWN
                if not isinstance(found, str) or left < 0:
                    return UNKNOWN
                current = "" if found == "/" else found
        return current or "/"

    def _places(self, path: str, leaf: bool) -> tuple[list[str], bool]:
        """Every place by which links may lead from a path, itself first, whichever of the links
        the system takes, and whether these are all: there may be too many."""
        texts = [path]
        places: list[str] = []
        for text in texts:
            place = normal(text)
            if isinstance(place, str) and place not in places:
                places.append(place)
            parts = text.rstrip("/").split("/")
            stack = [parts[0]]
            for index, part in enumerate(parts[1:], 1):
                if part == "..":
                    stack[1:] = stack[1:-1]
                elif part not in ("", "."):
                    stack.append(f"{stack[-1]}/{part}")
                    target = self.links.get(stack[-1])
                    if target and target[0] in _ROOTS and (leaf or index < len(parts) - 1):
                        led = "/".join((target.rstrip("/"), *parts[index + 1 :])) or "/"
                        if led not in texts:
                            texts.append(led)
            if len(texts) > _MAX_LINKS:
                return places, False
        return places, True

    def _glob(self, path: str, whole: bool) -> Path:
        """A path with active globs: kept where it can't lead far, else UNKNOWN."""
        parts = path.split("/")
        first = next((i for i, part in enumerate(parts) if _ACTIVE & set(part)), len(parts))
        if first == len(parts):
            return path
        if whole and first == len(parts) - 1 and not parts[first].strip("*"):
            return "/".join((*parts[:first], "*"))
        folder = "/".join(parts[:first]) + "/"
        if any(map(_hidden, parts[first:])):
            return UNKNOWN
        near = first == len(parts) - 1 and not self._crowded(folder)
        return path if near or self.inside(folder) else UNKNOWN

    def _crowded(self, folder: str) -> bool:
        """Whether what is directly in a folder may be anything: in the root, a home folder or one
        that holds it, among processes and devices."""
        home = f"{self.home}/" if self.home else ""
        beside = home.rstrip("/").rpartition("/")[0]
        return (
            folder in ("/", "~/")
            or folder.startswith(("/proc/", "/dev/"))
            or home.startswith(folder)
            or (beside != "" and folder.rstrip("/").rpartition("/")[0] == beside)
        )

    def inside(self, path: str) -> bool:
        """Whether a path is below the working folder or the workspace."""
        own = tuple(f"{f}/" for f in (self.cwd, self.workspace) if f and f not in ("/", self.home))
        return path.startswith((*own, "./"))


def _hidden(name: str) -> bool:
    """Whether a name with active globs may be hidden ones, and `..`."""
    return name.startswith(".") and not _ACTIVE.isdisjoint(name)


@lru_cache(maxsize=256)
def _absolute(text: str) -> str:
    """A folder as the host gave it, in normal form; empty when it says nothing."""
    if not isinstance(text, str) or not text.startswith("/") or "\0" in text:
        return ""
    found = normal(text)
    return found if isinstance(found, str) else ""
