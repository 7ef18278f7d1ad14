"""Put an entry into a bundle: at the end of a file that has such entries, or into a new file that
the manifest then lists. Every text is read again before it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callgate.load.document import Document
from callgate.load.files import MANIFEST
from callgate.load.nodes import Sequence, to_data
from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics, PolicyError
from callgate.scaffold.layout import Addition, alone, entry_lines, in_layout

__all__ = ["Addition", "Member", "planned", "write"]


@dataclass(frozen=True, slots=True)
class Member:
    """A word for the list under a name, in the mapping at `key` of the last file of a kind."""

    kind: str
    key: str
    name: str
    word: str
    file: str


def planned(folder: Path, additions: Iterable[Addition | Member]) -> dict[Path, str]:
    """The files of a bundle that change when all additions are made, with what is in them then.
    A file that was in the canonical layout stays so.

    `folder`: of the bundle. Raises PolicyError when its manifest or a file that would be added to
    can't be read, ValueError when an entry is there already or can't be one, and OSError.
    """
    texts: dict[Path, str] = {}
    for item in additions:
        addition = _member(folder, item, texts) if isinstance(item, Member) else item
        if addition is not None:
            _added(folder, addition, texts)
    return {
        path: in_layout(str(path), path.read_text("utf-8") if path.exists() else None, text)
        for path, text in texts.items()
    }


def write(texts: Mapping[Path, str]) -> None:
    """Write the files that were planned. Raises OSError."""
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _member(folder: Path, member: Member, texts: dict[Path, str]) -> Addition | None:
    """Put a word into its list; where there is no such list, an addition that makes one."""
    for name in reversed(_files(folder, texts)):
        document = _read(folder / name, texts)
        if document.kind == member.kind and member.name in (document.data.get(member.key) or {}):
            texts[folder / name] = _longer(document, (member.key, member.name), member.word)
            return None
    return Addition(member.kind, member.key, [member.word], member.name, member.file)


def _files(folder: Path, texts: Mapping[Path, str]) -> list[str]:
    """The files that the manifest lists and that are there."""
    listed: list[str] = _read(folder / MANIFEST, texts, manifest=True).data["files"]
    return [name for name in listed if folder / name in texts or (folder / name).is_file()]


def _added(folder: Path, addition: Addition, texts: dict[Path, str]) -> None:
    new = alone(addition)  # which says what is wrong with it
    listed = _files(folder, texts)
    documents = {name: _read(folder / name, texts) for name in listed}
    same_kind = [name for name in listed if documents[name].kind == addition.kind]
    for name in same_kind:
        _refuse_taken(addition, documents[name])
    for name in reversed(same_kind):
        longer = _at_end(documents[name], addition)
        if longer is not None and _fits(addition, name, documents[name]):
            texts[folder / name] = longer
            return
    path = folder / addition.file
    if path.exists() or path in texts:
        raise ValueError(f"nothing can be put at the end of `{path}`: choose another file")
    texts[path] = new
    manifest = _read(folder / MANIFEST, texts, manifest=True)
    texts[folder / MANIFEST] = _longer(manifest, ("files",), addition.file)


def _refuse_taken(addition: Addition, document: Document) -> None:
    there = document.data.get(addition.key) or {}
    if addition.name is not None:
        taken = addition.name in there
    else:
        taken = any(item.get("id") == addition.value["id"] for item in there)
    if taken:
        what = addition.name or addition.value["id"]
        raise ValueError(f"`{what}` is there already, in {document.file}")


def _fits(addition: Addition, name: str, document: Document) -> bool:
    """Whether an entry belongs into a file: by the file's name, or by the first word of its id. A
    catalogue takes any tool."""
    if addition.name is not None:
        return name == addition.file or addition.file.count("/") == 0
    word = addition.value["id"].partition(".")[0]
    first = {item["id"].partition(".")[0] for item in document.data[addition.key]}
    return name == addition.file or first == {word}


def _at_end(document: Document, addition: Addition) -> str | None:
    """The document's text with the entry at its end; None where that is not the end of the list or
    mapping that it belongs to."""
    there = document.data.get(addition.key)
    if not there:
        return None
    first = 0 if addition.name is None else next(iter(there))
    node = document.node(addition.key)
    place = document.span(addition.key, first, key=addition.name is not None)
    line = document.source.lines[place.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    text = document.source.text.rstrip() + "\n"
    blank = "\n" if isinstance(node, Sequence) or document.kind == "programs" else ""
    longer = f"{text}{blank}{entry_lines(addition, indent)}"
    wanted: Any = (
        [*there, addition.value]
        if addition.name is None
        else {**there, addition.name: addition.value}
    )
    try:
        same = _parsed(document.file, longer).data == {**document.data, addition.key: wanted}
    except PolicyError:
        return None
    return longer if same else None


def _longer(document: Document, path: tuple[str, ...], word: str) -> str:
    """The document's text with one more word in the list at a path. Raises ValueError."""
    text = document.source.text
    node = document.node(*path)
    if isinstance(node, Sequence):
        last = node.items[-1] if node.items else None
        if last is None:
            longer = f"{text[: node.start]}[{word}]{text[node.end :]}"
        elif text[node.start] == "[":
            longer = f"{text[: last.end]}, {word}{text[last.end :]}"
        else:
            line = text.rfind("\n", 0, last.start) + 1
            end = text.find("\n", last.end)
            end = len(text) if end < 0 else end
            longer = f"{text[:end]}\n{text[line : last.start]}{word}{text[end:]}"
        found = _parsed(document.file, longer, manifest=document.kind == "bundle")
        if to_data(found.node(*path)) == [*to_data(node), word]:
            return longer
    raise ValueError(f"put `{word}` under `{'.'.join(path)}` in {document.file} first")


def _read(path: Path, texts: Mapping[Path, str], manifest: bool = False) -> Document:
    text = texts.get(path)
    return _parsed(str(path), path.read_text("utf-8") if text is None else text, manifest)


def _parsed(file: str, text: str, manifest: bool = False) -> Document:
    """Raises PolicyError."""
    found = Diagnostics()
    document = read_document(file, text.encode(), found, manifest=manifest)
    found.raise_errors()
    assert document is not None
    return document
