"""Tools that nobody described: what in their arguments looks like a path or an address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callgate.effects.addresses import address_class, name_class
from callgate.effects.shell.tree import Span, Word, unresolved
from callgate.effects.sink import At, Given, Sink
from callgate.effects.urls import file_path, read_host

__all__ = ["add_paths", "word_of"]

_MAX_PATHS: Final = 1000
_MAX_PATH: Final = 4096
_MAX_DEPTH: Final = 32
_PATH: Final = re.compile(r"(?!\w+://)[^\n\0/\\]*[/\\][^\n\0]*|[~.][^\s]*|[^\s/]+\.\w{1,8}")
_PROSE: Final = re.compile(r"(?![/~\\]|[A-Za-z]:)[^/\\]*\s(?:~|[^/\\]*\s)")
_UP: Final = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)")
_URL: Final = re.compile(r"(?:https?|wss?|ftps?)://\S+\Z", re.IGNORECASE)
_WINDOWS: Final = re.compile(r"(?:[\\/]{2}[?.][\\/])?[A-Za-z]:(?=[\\/])")
_OPTION: Final = re.compile(r"-{0,2}[\w.-]+=(?=.)|@(?=.)")
_ADDRESS: Final = re.compile(
    r"(?:[^\s/@]*@)?(?P<host>\[[0-9A-Fa-f:.%]+\]|[\w.-]+|(?=[0-9A-Fa-f:.]*?::)[0-9A-Fa-f:.]+)"
    r"(?::\d{1,5})?(?:/\S*)?"
)
_NUMBER: Final = re.compile(r"\d{8,10}|0[xX][0-9A-Fa-f]{8}|\d{1,3}(?:\.\d{1,3}){3}|.*:.*")
_OWN_NAMES: Final = frozenset({"loopback", "metadata"})


def add_paths(sink: Sink, kind: str, args: Mapping[str, Any]) -> None:
    """Add an effect of a kind on every path in the arguments, and a connection to every address.
    A folder is taken with all that is in it: nobody knows what the tool does there."""
    found = 0
    for name, text in _strings(args):
        sink.argument = name
        if found >= _MAX_PATHS:
            sink.opaque(f"{_MAX_PATHS} paths, and more text", None)
            return
        added = [_add(sink, kind, part, (0, len(text))) for part in _parts(text.strip())]
        found += any(added)


def _parts(bare: str) -> Iterator[str]:
    """A text, and what follows the name of an option in it."""
    yield bare
    if len(bare) <= _MAX_PATH and (option := _OPTION.match(bare)):
        yield bare[option.end() :]


def _add(sink: Sink, kind: str, bare: str, span: Span) -> bool:
    """Whether a text is a path or an address; if so, add what that comes to."""
    if _URL.match(bare):
        sink.connect_url(word_of(bare), "", span, At(sink.paths.base))
        return True
    host = _host(bare) if len(bare) <= _MAX_PATH else None
    if host is not None:
        sink.connect_host(host, "https", None, span, At(sink.paths.base))
    named = file_path(bare)
    if bare[:7].lower() == "file://":
        bare = bare[7:]
    texts = {} if named is None else {named: None}
    if len(bare) <= _MAX_PATH and (_is_path(bare) or sink.paths.linked(bare)):
        texts[bare] = None
        if drive := _WINDOWS.match(bare):
            # As the other system reads it.
            texts[bare[drive.end() :].replace("\\", "/")] = None
    for text in texts:
        given: dict[str, Given] = {"path": word_of(text)}
        given["recursive" if kind == "delete" else "tree"] = True
        sink.make(kind, given, span, At(sink.paths.base))
    return bool(texts) or host is not None


def _is_path(bare: str) -> bool:
    """Whether a text looks like a path, and not like a sentence in which one stands."""
    if not _PATH.fullmatch(bare):
        return False
    return not _PROSE.match(bare) or _UP.search(bare) is not None


def _host(bare: str) -> str | None:
    """The host of an address without a scheme: in numbers, or a name that is nobody else's."""
    found = _ADDRESS.fullmatch(bare)
    if found is None:
        return None
    text = found["host"]
    if not _NUMBER.fullmatch(text):
        return text if name_class(text.rstrip(".").lower()) in _OWN_NAMES else None
    host = read_host(text)
    class_ = None if host is None else address_class(host)
    if class_ is None or (class_ == "public" and "." not in text and ":" not in text):
        return None
    return host


def word_of(text: str) -> Word:
    """A text as a word of its own."""
    span = (0, len(text))
    if text == "~" or text.startswith("~/"):
        return Word(text, span, 0, home=0)
    return unresolved(span) if text.startswith("~") else Word(text, span, 0)


def _strings(args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """All strings in the arguments, keys of objects among them, with the argument's name."""
    for name, argument in args.items():
        stack: list[tuple[Any, int]] = [(argument, 0)]
        while stack:
            value, depth = stack.pop()
            if isinstance(value, str):
                yield name, value
            elif depth < _MAX_DEPTH:
                if isinstance(value, Mapping):
                    for key, item in reversed(list(value.items())):
                        stack += [(item, depth + 1), (key, depth + 1)]
                elif isinstance(value, list | tuple):
                    stack += [(item, depth + 1) for item in reversed(value)]
