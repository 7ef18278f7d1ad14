"""Writing what `callgate lint --fix` mends, or showing it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from callgate.analysis.texts import counted
from callgate.cli.lint_outcome import Bundle, Outcome
from callgate.cli.paint import shown
from callgate.cli.whole_file import replace_bytes
from callgate.load.files import bundle_folders
from callgate.resources import bundle_names

if TYPE_CHECKING:
    from callgate.cli.paint import Painter
    from callgate.lint.mending import Mended

__all__ = ["show_changes", "write_changes"]


def show_changes(outcome: Outcome) -> None:
    """Write what would change as a unified diff."""
    from callgate.cli.paint import Painter

    painter = Painter()
    count = later = 0
    for bundle in outcome.bundles:
        before = _own(bundle)
        mended = bundle.mended
        for file, data in sorted(mended.files.items()) if mended else ():
            _show_diff(painter, file, before[file], data)
        count += len(mended.done) - mended.later if mended else 0
        later += mended.later if mended else 0
    painter.stream.flush()
    told = f"`--fix` would mend {counted(count, 'finding')}" if count else "nothing to mend"
    told += f", and {later} more that show only then" if later else ""
    click.echo(f"callgate: {told}", err=True)


def _show_diff(painter: Painter, file: str, before: bytes, after: bytes) -> None:
    from callgate.runtime.masking import escape

    old = before.decode("utf-8", "replace").splitlines(keepends=True)
    new = after.decode("utf-8", "replace").splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, file, f"{file} (mended)"):
        style = {"+": "allow", "-": "deny", "@": "name"}.get(line[0], "")
        painter.write([[(escape(line.rstrip("\r\n")), style)]])


def write_changes(outcome: Outcome, quiet: bool) -> Outcome:
    """Write the files that were mended, and say what was done (on standard error where `quiet`).
    A bundle of which a file has changed since it was read stays as it is."""
    bundles = []
    for bundle in outcome.bundles:
        if bundle.mended is not None and bundle.mended.files:
            bundle = _written(bundle, bundle.mended, quiet)
        if bundle.mended is not None and bundle.mended.spoilt:
            said = "not mended, because the bundle would not load with it; please report this"
            for item in bundle.mended.spoilt:
                found = item.diagnostic
                told = shown(f"callgate: {found.span}: {found.code}: {said}")
                click.echo(told, err=True)
        bundles.append(bundle)
    return replace(outcome, bundles=tuple(bundles))


def _written(bundle: Bundle, mended: Mended, quiet: bool) -> Bundle:
    if bundle.where in bundle_names():
        raise click.ClickException(
            f"`{bundle.where}` comes with callgate and is not changed; give a folder"
        )
    before = _own(bundle)
    folder = bundle_folders(bundle.where)[0]
    root = next(iter(before)).rpartition("/")[0]
    places = {file: (folder / file.removeprefix(f"{root}/")).resolve() for file in mended.files}
    for file, path in places.items():
        if path.read_bytes() != before[file]:
            raise click.ClickException(f"`{file}` has changed meanwhile; nothing was written")
    for file, path in places.items():
        replace_bytes(path, mended.files[file])
    for line in _done(mended):
        click.echo(shown(line), err=quiet)
    return bundle


def _own(bundle: Bundle) -> Mapping[str, bytes]:
    return dict(bundle.layers[0]) if bundle.layers else {}


def _done(mended: Mended) -> Iterator[str]:
    from callgate.lint.catalogue import find_rule

    counts: Counter[tuple[str, str]] = Counter()
    for item in mended.done:
        span = item.diagnostic.span
        counts[span.file if span else "", item.diagnostic.code] += 1
    for (file, code), count in sorted(counts.items()):
        times = f"{count} times " if count > 1 else ""
        yield f"{file}: mended {times}{code} ({find_rule(code).name})"
