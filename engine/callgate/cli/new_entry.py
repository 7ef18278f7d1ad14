"""What the commands of `callgate new` share: the bundle, and writing into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from callgate.cli import exits
from callgate.cli.paint import Painter
from callgate.load.files import MANIFEST, BundleFiles, read_layers
from callgate.model.diagnostic import Diagnostic, Diagnostics, PolicyError, Severity
from callgate.runtime.masking import escape

if TYPE_CHECKING:
    from callgate.scaffold.adding import Member
    from callgate.scaffold.layout import Addition

__all__ = ["bundle_option", "example", "one_of", "pair", "write_entry"]

F = TypeVar("F", bound=Callable[..., Any])


def bundle_option(command: F) -> F:
    """`--bundle`: the folder of the bundle that is added to."""
    return click.option(
        "--bundle",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The bundle's folder (default: the one that .callgate.yaml names).",
    )(command)


def pair(text: str, sign: str, what: str) -> tuple[str, str]:
    """The two parts of an option's value. Raises click.UsageError."""
    left, found, right = text.partition(sign)
    if not (found and left.strip() and right.strip()):
        raise click.UsageError(f"`{text}`: {what}")
    return left.strip(), right.strip()


def one_of(word: str, known: Collection[str], what: str) -> str:
    """The word, if it is among those that are known. Raises click.UsageError, with what was
    probably meant. `what`: what it should be, with its article."""
    if word in known:
        return word
    from callgate.model.suggest import closest

    near = closest(word, known)
    hint = f"did you mean `{near}`?" if near else f"there are {', '.join(known)}"
    raise click.UsageError(f"`{word}` is not {what}; {hint}")


def example(text: str) -> Any:
    """A call given as an example: JSON where it begins with a brace, else as it is."""
    if not text.lstrip().startswith("{"):
        return text
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"`{text}` is no JSON: {error}") from None


def write_entry(
    bundle: Path | None, what: str, additions: Sequence[Addition | Member], next_: str
) -> int:
    """Add to the bundle if it can be used then, and say where; the exit code. `what`: the entry in
    words; `next_`: what its author should do now. Raises click.ClickException where nothing is
    written."""
    from callgate.scaffold.adding import planned, write

    folder = bundle or _only_bundle()
    if not (folder / MANIFEST).is_file():
        raise click.UsageError(f"`{folder}` is no bundle's folder; `callgate init` makes one")
    try:
        texts = planned(folder, additions)
    except PolicyError as error:
        first = error.diagnostics[0]
        raise click.ClickException(f"{folder} has to be mended first: {first.line}") from None
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    before, new = _errors(folder, texts)
    if new:
        raise click.ClickException("\n".join(dict.fromkeys(map(_told, new))))
    write(texts)
    painter = Painter()
    files = ", ".join(map(str, texts))
    painter.write([[(f"added {escape(what)}", "allow"), (" to ", ""), (escape(files), "")]])
    if before:
        told = "the bundle had errors before: `callgate lint` tells them"
        painter.write([[(told, "deny")]])
        return exits.FINDINGS
    painter.write([[("next: ", "strong"), (next_, "")]])
    return exits.OK


def _errors(
    folder: Path, texts: Mapping[Path, str]
) -> tuple[Sequence[Diagnostic], Sequence[Diagnostic]]:
    """The errors of the bundle as it is, and those that changing its files would add. Nothing is
    written."""
    layers = read_layers(folder, Diagnostics())
    after = _loaded_errors(folder, _changed(layers, folder, texts))
    if not after:
        return (), ()
    before = _loaded_errors(folder, layers)
    known = Counter((item.code, item.message) for item in before)
    new = []
    for item in after:
        known[item.code, item.message] -= 1
        if known[item.code, item.message] < 0:
            new.append(item)
    return before, new


def _loaded_errors(folder: Path, layers: Sequence[BundleFiles]) -> list[Diagnostic]:
    from callgate.policytest.loaded import load

    found = load(folder, None, layers).findings
    return [item for item in found if item.severity is Severity.ERROR]


def _changed(
    layers: Sequence[BundleFiles], folder: Path, texts: Mapping[Path, str]
) -> list[BundleFiles]:
    """The layers with other texts in the bundle's own files."""
    own, *inherited = layers
    manifest = own[0][0]
    prefix = manifest.removesuffix(MANIFEST)
    files = dict(own)
    for path, text in texts.items():
        files[f"{prefix}{path.relative_to(folder).as_posix()}"] = text.encode()
    return [sorted(files.items(), key=lambda file: (file[0] != manifest, file[0])), *inherited]


def _told(item: Diagnostic) -> str:
    """What is wrong with an entry that stands nowhere yet."""
    return f"{item.message}; {item.help}" if item.help else item.message


def _only_bundle() -> Path:
    from callgate.load.project import find_project
    from callgate.resources import bundle_names

    found = Diagnostics()
    project = find_project(found)
    if found.has_errors:
        raise click.ClickException(found.sorted()[0].line)
    folders = [Path(name) for name in project.bundles if name not in bundle_names()]
    if len(folders) != 1:
        raise click.UsageError("say which bundle: --bundle DIR")
    return folders[0]
