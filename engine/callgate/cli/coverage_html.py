"""Coverage as pages: one with all files, and one for each file with its text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as quoted
from typing import Final

from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.lines import File, Line
from callgate.policytest.coverage.summary import Figure, figures
from callgate.runtime.masking import escape

__all__ = ["pages"]

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --dim: #5c6370; --line: #d9dce1;
  --good: #0a6b2d; --part: #8a5a00; --bad: #b3151d; --good-bg: #e6f4ea; --part-bg: #fff3d6;
  --bad-bg: #fde7e8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6eb; --paper: #16181c; --dim: #a0a6b1;
  --line: #33373f; --good: #6fce8d; --part: #e6b450; --bad: #ff8087; --good-bg: #16281c;
  --part-bg: #2e2511; --bad-bg: #34191b; } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
thead th { color: var(--dim); font-weight: 600; }
a { color: inherit; }
a:focus-visible { outline: 3px solid var(--part); outline-offset: 2px; }
.covered { color: var(--good); } .partly { color: var(--part); } .never { color: var(--bad); }
.code { overflow-x: auto; border: 1px solid var(--line); }
.code table { font: .85rem/1.45 ui-monospace, monospace; }
.code th, .code td { border: 0; padding: 0 .6rem; vertical-align: top; white-space: pre;
  font-weight: normal; }
.code td:last-child { text-align: left; width: 100%; }
.code th { color: var(--dim); text-align: right; }
tr.covered td { background: var(--good-bg); color: var(--ink); }
tr.partly td { background: var(--part-bg); color: var(--ink); }
tr.never td { background: var(--bad-bg); color: var(--ink); }
.code ul { margin: 0 0 .3rem; padding-left: 1.2rem; white-space: normal; font-weight: 600; }
tr.partly ul { color: var(--part); } tr.never ul { color: var(--bad); }
"""
_HEADS: Final = ("Nodes", "Branches", "Parts", "%")


def pages(coverage: Coverage, files: list[File]) -> dict[str, str]:
    """The pages by their names; `index.html` leads to the others. They load nothing."""
    names = {file.name: f"file-{number:03}.html" for number, file in enumerate(files, start=1)}
    found = {"index.html": _index(coverage, files, names)}
    for file in files:
        found[names[file.name]] = _page_of(coverage, file)
    return found


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{quoted(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


def _index(coverage: Coverage, files: list[File], names: dict[str, str]) -> str:
    policy = coverage.policy
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    rows = "".join(
        f'<tr><td><a href="{names[file.name]}">{quoted(escape(file.name))}</a></td>'
        f"{_cells(coverage, file)}</tr>\n"
        for file in files
    )
    left_out = "".join(
        f"<li><code>{quoted(item.name)}</code>: {quoted(item.excluded)}</li>\n"
        for item in coverage.plan.items.values()
        if item.excluded
    )
    excluded = f"<h2>Left out</h2>\n<ul>\n{left_out}</ul>\n" if left_out else ""
    title = f"Coverage of {policy.name} {policy.version}"
    return _page(
        title,
        f"<header><h1>{quoted(title)}</h1></header>\n<main>\n<table>\n"
        f"<caption>What the tests and the examples of guards reach</caption>\n"
        f'<thead><tr><th scope="col">File</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n'
        f'<tfoot><tr><th scope="row">All</th>{_cells(coverage, None)}</tr></tfoot>\n</table>\n'
        f"{excluded}</main>\n",
    )


def _cells(coverage: Coverage, file: File | None) -> str:
    found = figures(coverage, None if file is None else file.items)
    all_ = found.nodes + found.branches + found.parts
    cells = [
        f'<td class="{_state(figure)}">{figure.reached} of {figure.total}</td>'
        for figure in (found.nodes, found.branches, found.parts)
    ]
    return "".join(cells) + f'<td class="{_state(all_)}">{int(all_.percent)}</td>'


def _state(figure: Figure) -> str:
    if figure.reached == figure.total:
        return "covered"
    return "partly" if figure.reached else "never"


def _page_of(coverage: Coverage, file: File) -> str:
    name = quoted(escape(file.name))
    rows = "".join(_rows(file))
    left = [
        f'<a href="#L{number}">{number}</a>'
        for number, line in sorted(file.lines.items())
        if line.notes
    ]
    missing = ", ".join(left) if left else "none"
    return _page(
        f"Coverage of {file.name}",
        '<header><p><a href="index.html">All files</a></p>\n'
        f"<h1>{name}</h1>\n<p>Lines that miss something: {missing}</p></header>\n"
        f'<main class="code" tabindex="0" aria-label="{name}">\n<table>\n'
        '<thead><tr><th scope="col">Reached</th><th scope="col">Line</th>'
        f"<td>Text</td></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</main>\n",
    )


def _rows(file: File) -> Iterator[str]:
    for number, text in enumerate(file.text.splitlines(), start=1):
        line = file.lines.get(number)
        state = line.state if line is not None else ""
        kind = f' class="{state}"' if state else ""
        yield (
            f'<tr id="L{number}"{kind}><td>{line.hits if line is not None else ""}</td>'
            f'<th scope="row">{number}</th><td>{quoted(escape(text))}{_notes(line)}</td></tr>\n'
        )


def _notes(line: Line | None) -> str:
    if line is None or not line.notes:
        return ""
    return "<ul>" + "".join(f"<li>{quoted(escape(note))}</li>" for note in line.notes) + "</ul>"
