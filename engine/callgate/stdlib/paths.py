"""Paths: normal form, and relations by component.

A path value is absolute and normalised (`/srv/app`), or starts with `~` where the home folder is
not known (`~/.ssh`). Relations compare whole components, never bare text: `/data/agent` does not
hold `/data/agent-2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from posixpath import normpath
from typing import Any

from callgate.model.types import BOOL, JSON, PATH, STRING, ListOf
from callgate.model.values import UNKNOWN
from callgate.stdlib.alternatives import one_of
from callgate.stdlib.operation import example, operation, signature

__all__ = [
    "basename",
    "covers",
    "expand_home",
    "extension",
    "normalise",
    "parent",
    "path",
    "under_path",
]


def normalise(text: Any, base: Any) -> Any:
    """The path that `text` means in the folder `base`; what `path` in conditions does.

    Absolute text and text that starts with `~` stand alone; other text is joined to `base`. UNKNOWN
    when `text` is no string or holds NUL, when it is relative and `base` is neither absolute nor
    starts with `~`, and when it leads above `~`.
    """
    if type(text) is not str or "\0" in text:
        return UNKNOWN
    if text[:1] not in ("/", "~"):
        if type(base) is not str or base[:1] not in ("/", "~"):
            return UNKNOWN
        text = f"{base}/{text}"
    if text[0] == "/":
        if "/." not in text and "//" not in text and text[-1] != "/":
            return text
        found = normpath(text)
        return found[1:] if found.startswith("//") else found
    home, _, inner = text.partition("/")
    inner = normpath(inner) if inner else "."
    while inner.startswith("/"):
        inner = inner[1:]
    if inner == ".." or inner.startswith("../"):
        return UNKNOWN
    return home if inner in (".", "") else f"{home}/{inner}"


def _inside(inner: str, outer: str) -> bool:
    return inner == outer or outer == "/" or inner.startswith(outer + "/")


@operation(
    signature(BOOL, p=PATH, q=PATH),
    signature(BOOL, p=PATH, q=ListOf(PATH)),
    symbol="under",
    examples=(
        example("/data/agent/notes", "/data/agent", gives=True),
        example("/data/agent", "/data/agent", gives=True),
        example("/data/agent-2", "/data/agent", gives=False),
        example("/etc/passwd", ("/usr", "/etc"), gives=True),
    ),
)
def under_path(p: str, q: str | Sequence[Any]) -> Any:
    """Whether path p is q or lies in it, component by component; with a list: in one of them."""
    return one_of(_inside, p, q)


def _covers(p: str, q: str) -> bool:
    return _inside(q, p)


@operation(
    signature(BOOL, p=PATH, q=PATH),
    signature(BOOL, p=PATH, q=ListOf(PATH)),
    symbol="covers",
    examples=(
        example("/", "/etc", gives=True),
        example("/home/*", "/home", gives=True),
        example("/srv/build", ("/etc", "/usr"), gives=False),
    ),
)
def covers(p: str, q: str | Sequence[Any]) -> Any:
    """Whether path p is q or holds it, so that what is done to all of p is done to q; `dir/*`
    counts as `dir`. With a list: one of them."""
    if p.endswith("/*"):
        p = p[:-2] or "/"
    return one_of(_covers, p, q)


@operation(
    signature(PATH, text=STRING, base=STRING),
    signature(PATH, text=JSON, base=STRING),
    signature(PATH, text=STRING, base=PATH),
    signature(PATH, text=JSON, base=PATH),
    unknown=True,
    examples=(
        example("docs/../notes.md", "/srv/app", gives="/srv/app/notes.md"),
        example("//etc/./passwd", "/srv/app", gives="/etc/passwd"),
        example("~/.ssh", "/srv/app", gives="~/.ssh"),
        example("notes.md", "", gives=UNKNOWN),
    ),
)
def path(text: Any, base: str) -> Any:
    """The path that a text means in the folder `base`, in normal form. Unknown when the text is no
    text, when it is relative and `base` is not absolute, or when it leads above `~`."""
    return normalise(text, base)


@lru_cache(maxsize=4096)
def _expanded(paths: tuple[Any, ...], home: str) -> tuple[Any, ...]:
    return tuple(item if item is UNKNOWN else _expand(normalise(item, ""), home) for item in paths)


def _expand(found: Any, home: str) -> Any:
    if found is UNKNOWN or not (found == "~" or found.startswith("~/")):
        return found
    if not home.startswith("/") or "\0" in home:
        return found
    return normalise(home + found[1:], "")


@operation(
    signature(PATH, path=PATH, home=STRING),
    signature(ListOf(PATH), paths=ListOf(PATH), home=STRING),
    internal=True,
    examples=(
        example("~/.ssh", "/home/u", gives="/home/u/.ssh"),
        example("~/.ssh", "", gives="~/.ssh"),
        example(("/etc", "~"), "/root", gives=("/etc", "/root")),
    ),
)
def expand_home(path: Any, home: str) -> Any:
    """The path with the home folder for `~`, where that is known; of a list, each in its normal
    form."""
    if type(path) is str:
        return path if path[:1] != "~" else _expand(path, home)
    return _expanded(tuple(path), home)


@operation(
    signature(STRING, path=PATH),
    examples=(example("/srv/app/.env", gives=".env"), example("/", gives="")),
)
def basename(path: str) -> str:
    """The last component of a path; empty for `/`."""
    return path.rpartition("/")[2]


@operation(
    signature(PATH, path=PATH),
    unknown=True,
    examples=(example("/srv/app/.env", gives="/srv/app"), example("/", gives="/")),
)
def parent(path: str) -> Any:
    """The folder that a path lies in; that of `/` is `/`, that of `~` is not known."""
    head, _, _ = path.rpartition("/")
    return head or ("/" if path.startswith("/") else UNKNOWN)


@operation(
    signature(STRING, path=PATH),
    examples=(
        example("/srv/a.tar.gz", gives="gz"),
        example("/srv/.env", gives=""),
        example("/srv/README", gives=""),
    ),
)
def extension(path: str) -> str:
    """What follows the last dot of a path's last component; empty when there is no dot, or only
    one at the start."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending if dot and stem.strip(".") else ""
