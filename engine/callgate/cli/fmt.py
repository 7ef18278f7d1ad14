"""`callgate fmt`: rule files in their canonical layout."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from callgate.cli import exits
from callgate.cli.fmt_check import Kept, formatted_text
from callgate.cli.fmt_files import RuleFile, find_files, read_rule_file, replace_file
from callgate.cli.paint import shown
from callgate.model.diagnostic import Diagnostics

__all__ = ["command"]


@click.command("fmt", short_help="Format rule files.")
@click.option(
    "--check", is_flag=True, help="Write nothing: list the files whose layout is another."
)
@click.option("--diff", is_flag=True, help="Write nothing: show what would change.")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(check: bool, diff: bool, paths: tuple[str, ...]) -> int:
    """Put rule files into the canonical layout: indentation, order of keys, quotes, line breaks,
    conditions and command patterns. What they mean stays the same, and so does the digest.

    PATH is a bundle's folder, a folder with bundles in it, a rule file, or `-` for standard input
    to standard output; the default is `bundles` of the project's configuration. A file with errors
    is left as it is. Lines from `# fmt: off` to `# fmt: on` stay as they are.

    \b
      callgate fmt policies/acme
      callgate fmt --check                  # in continuous integration
      callgate fmt --diff policies/acme/guards/code.yaml
      callgate fmt - < rules.yaml

    Exit codes: 0 formatted, 1 usage, 3 errors in a file; with --check or --diff also where a file
    would change.
    """
    if "-" in paths:
        if len(paths) > 1:
            raise click.UsageError("`-` stands alone: standard input is one file")
        return _standard_input(check, diff)
    if not paths:
        from callgate.cli.project import bundles_of

        paths = bundles_of((), default=())
    if not paths:
        raise click.UsageError(
            "give a PATH, or name the project's `bundles` in .callgate.yaml or pyproject.toml"
        )
    return _Run(check, diff).all(paths)


class _Run:
    """One run over files. `would`: nothing is written."""

    def __init__(self, check: bool, diff: bool) -> None:
        self.would = check or diff
        self.diff = diff
        self.found = Diagnostics()
        self.texts: dict[str, str] = {}
        self.changed: list[str] = []
        self.same = 0
        self.failed: set[str] = set()
        self.clean: dict[str, None] = {}

    def all(self, paths: tuple[str, ...]) -> int:
        from callgate.cli.fmt_report import summary, write_diagnostics

        files = find_files(paths, self.found)
        kept = Kept(paths) if not all(Path(path).is_file() for path in paths) else None
        for name, path in files:
            file = read_rule_file(name, path, self.found)
            if file is None:
                continue
            if kept is not None and file.digest in kept.digests:
                self.same += 1
                self.clean[file.digest] = None
            else:
                self.one(file)
        if kept is not None:
            kept.write(list(self.clean))
        if not self.diff:
            for name in self.changed:
                click.echo(shown(f"{'would reformat' if self.would else 'reformatted'} {name}"))
        sys.stdout.flush()
        write_diagnostics(self.found.sorted(), self.texts)
        self.failed |= {item.span.file for item in self.found.items if item.span}
        summary(len(self.changed), self.same, len(self.failed), self.would)
        return exits.FINDINGS if self.failed or (self.would and self.changed) else exits.OK

    def one(self, file: RuleFile) -> None:
        formatted = formatted_text(file.shown, file.data, self.found, self.texts)
        if formatted is None:
            self.failed.add(file.shown)
            return
        new = RuleFile(file.shown, file.path, formatted.encode())
        if new.data == file.data:
            self.same += 1
            self.clean[new.digest] = None
            return
        if not self.would:
            if not replace_file(file, formatted, self.found):
                return
            self.clean[new.digest] = None
        elif self.diff:
            from callgate.cli.fmt_report import write_difference

            write_difference(file.shown, file.data.decode(), formatted)
        self.changed.append(file.shown)


def _standard_input(check: bool, diff: bool) -> int:
    from callgate.cli.fmt_report import write_diagnostics, write_difference
    from callgate.formatting.text import STANDARD_INPUT

    data = sys.stdin.buffer.read()
    found = Diagnostics()
    texts: dict[str, str] = {}
    formatted = formatted_text(STANDARD_INPUT, data, found, texts)
    if formatted is None:
        write_diagnostics(found.sorted(), texts)
        return exits.FINDINGS
    if diff and formatted.encode() != data:
        write_difference(STANDARD_INPUT, data.decode(), formatted)
    elif not check and not diff:
        sys.stdout.buffer.write(formatted.encode())
    return exits.FINDINGS if (check or diff) and formatted.encode() != data else exits.OK
