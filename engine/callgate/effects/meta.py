"""The kinds of effect that only `programs` files know, but for those that run something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.effects.program_spec import EffectSpec
from callgate.effects.relations import Source
from callgate.effects.shell.tree import Word, constant
from callgate.effects.sink import Given
from callgate.effects.sql import run_sql
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = [
    "add_alias",
    "add_endpoint",
    "add_link",
    "add_output",
    "add_sent",
    "add_sql",
    "change_folder",
]


def add_endpoint(app: Application, spec: EffectSpec) -> None:
    """`endpoint`: a path, a URL or `host:path`."""
    fields = spec.fields
    scheme = app.values(fields["scheme"])[0]
    kind = str(app.values(fields["as"])[0].text)
    names, local = fields.get("names") is True, fields.get("local") is True
    tree = app.flag(fields.get("tree", False))
    marks = [word.text for word in app.values(fields.get("runs", ()))]
    for word in app.values(fields["place"]):
        text = word.text
        first = text if isinstance(text, str) else (*word.pieces, "")[0]
        head = first if isinstance(first, str) else ""
        host, colon, _ = head.partition(":")
        if local and colon and host and "/" not in host:
            continue
        if any(str(mark) in head.partition("/")[0] for mark in marks):
            app.sink.opaque("a transport that runs a program", word.span, app.state.through)
        elif names and isinstance(text, str) and text.strip(".") and "/" not in text and not colon:
            _connect_name(app, text, scheme, word)
        elif "://" in head:
            app.sink.connect_url(word, "", word.span, app.state)
        elif colon and host and "/" not in host:
            remote = {"host": constant(host, word.span), "scheme": scheme}
            app.sink.make("connect", remote, word.span, app.state)
        else:
            given = {"path": word, "tree": tree, "recursive": tree}
            app.sink.make(kind, given, word.span, app.state)
            if not head and not local:
                remote = {"host": word, "scheme": scheme}
                app.sink.make("connect", remote, word.span, app.state)


def _connect_name(app: Application, name: str, scheme: Word, word: Word) -> None:
    """A connection whose address stands in the program's settings: the name stands for the
    host, and nobody looks it up."""
    fields = {"url": None, "host": name, "scheme": scheme.text, "port": None}
    fields["address_class"] = "unresolved"
    app.sink.add("connect", fields, word.span, app.state)


def add_sql(app: Application, spec: EffectSpec) -> None:
    """`sql`: statements, or one that the entry itself tells."""
    if "statement" not in spec.fields:
        run_sql(app, spec)
        return
    given: dict[str, Given] = {"tables": ()}
    for name, value in spec.fields.items():
        words = app.values(value)
        if name == "has_where":
            given[name] = app.flag(value)
        elif name == "tables":
            given[name] = tuple([word.text for word in words])
        elif words:
            given[name] = words[0]
    app.sink.make("sql", given, app.at, app.state)


def change_folder(app: Application, spec: EffectSpec) -> None:
    """`folder`: the folder of what follows."""
    words = app.values(spec.fields["path"])
    changes = app.walker.changes
    changes.moves = True
    state = app.state
    text = words[0].text if words else UNKNOWN
    home = bool(words) and words[0].home == 0
    known = (
        len(words) == 1
        and isinstance(text, str)
        and text != "-"
        and not (home and (changes.home or app.walker.known.home))
        and not (changes.search and not home and not text.startswith("/"))
        and not app.arguments.unsure
        and len(app.command.readings()) == 1
    )
    state.cwd = app.sink.paths.lexical(words[0], state.cwd) if known else UNKNOWN


def add_link(app: Application, spec: EffectSpec) -> None:
    """`link`: paths that lead somewhere else from now on."""
    paths, cwd = app.sink.paths, app.state.cwd
    targets = app.values(spec.fields["target"])
    for word, target in zip(app.values(spec.fields["path"]), targets, strict=False):
        link = paths.lexical(word, cwd)
        if isinstance(link, str):
            paths.link(link, paths.lexical(target, link.rpartition("/")[0] or "/"))


def add_output(app: Application, spec: EffectSpec) -> None:
    """`output`: a file whose content is printed."""
    for word in app.values(spec.fields["path"]):
        path = app.sink.paths.word(word, app.state.cwd)
        source = Source(path, word.span, app.state.certain)
        app.walker.flows.outputs.append((len(app.sink.effects) - 1, source))


def add_sent(app: Application, spec: EffectSpec) -> None:
    """`send`: words that go to the host; what is in their secret variables goes with them, but for
    those that say by their beginning that this is what they are for."""
    if not app.walker.flows.secrets:
        return
    named = [str(word.text) for word in app.values(spec.fields.get("named", ()))]
    names = [name for text in named for name in text.split("|")]
    for word in app.values(spec.fields["text"]):
        first = word.pieces[0] if word.pieces else UNKNOWN
        head = first.casefold() if isinstance(first, str) else ""
        if not names or (head and not any(name in head for name in names)):
            app.walker.flows.send((word,))


def add_alias(app: Application, spec: EffectSpec) -> None:
    """`alias`: names that stand for a text from now on."""
    aliases = app.walker.aliases
    texts = app.values(spec.fields["text"]) if "text" in spec.fields else None
    aliases.anywhere |= texts is None and bool(app.arguments.occurrences)
    for word in app.values(spec.fields["name"]):
        text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
        if not isinstance(text, str):
            app.sink.opaque("a name that is not known stands for something", word.span)
        elif texts is not None:
            for target in texts[:1]:
                aliases.add(app.walker, text, target, app.state)
        elif "=" in text:
            name = text.partition("=")[0]
            aliases.add(app.walker, name, word.tail(len(name) + 1), app.state)
