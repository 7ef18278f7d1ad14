"""Every page in docs/errors: its example gives the diagnostic shown, its fixed text does not.

In a page, the blocks under `## Example` are the input and a `text` block with what is printed;
those under `## Fixed` are the input put right. Input is one of

    yaml file=NAME    a file of a bundle; what the page does not give is taken from tests/cases/acme
    settings          a settings file, for the vocabulary of the bundle `echo`
    condition         a condition, checked as a guard's in the bundle `echo`
    json              a call, as `callgate eval -` gets it
    cache             the permissions of the folder of compiled graphs, in octal

Where a page gives a `bundle.yaml` that `extends` another bundle, what it does not give is in that
one, `policies/base`. After `file=NAME` may stand `alone` (no other file and no manifest are added),
`latin-1` (how the file is encoded), `times=N` (the text is repeated) or `link` (a link that leads
nowhere).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from callgate.cli.eval import command
from callgate.compiler.assemble import prepare
from callgate.compiler.assemble_programs import build_programs
from callgate.compiler.assembly import Assembly
from callgate.compiler.cache import GraphCache
from callgate.compiler.patterns import pattern_check
from callgate.compiler.program_examples import check_program_examples
from callgate.engine import Engine
from callgate.lang.check import Checker
from callgate.lang.check_uses import Use
from callgate.load.bundle import bundle_lines, load_bundle
from callgate.load.files import read_bundle_bytes
from callgate.load.report import format_diagnostic
from callgate.load.settings import load_settings
from callgate.load.settings_entries import Checks
from callgate.load.settings_file import parse_settings
from callgate.model.codes import CODES
from callgate.model.diagnostic import Diagnostic, Diagnostics, PolicyError, Severity
from callgate.model.span import Span
from callgate.policytest.cases import read_cases

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "errors"
ACME = ROOT / "tests" / "cases" / "acme"
FENCE = re.compile(r"```(\S+) ?(.*)")


@dataclass
class Block:
    """A fenced block: its language, what else stands on its first line, its text."""

    language: str
    options: dict[str, str]
    text: str


@dataclass
class Page:
    """A page's title and the blocks under its headings."""

    code: str
    title: str
    blocks: dict[str, list[Block]] = field(default_factory=dict)


def read_page(path: Path) -> Page:
    lines = path.read_text("utf-8").split("\n")
    code, _, title = lines[0].removeprefix("# ").partition(": ")
    page = Page(code, title)
    heading: str = ""
    block: Block | None = None
    for line in lines[1:]:
        fence = FENCE.fullmatch(line)
        if block is None and fence:
            options = dict(part.partition("=")[::2] for part in fence[2].split())
            block = Block(fence[1], options, "")
            page.blocks.setdefault(heading, []).append(block)
        elif block is not None and line == "```":
            block = None
        elif block is not None:
            block.text += line + "\n"
        elif line.startswith("## "):
            heading = line.removeprefix("## ")
    assert block is None
    return page


# --- what turns input into diagnostics -----------------------------------------------------------

Shown = list[tuple[Diagnostic, str]]
"""Diagnostics, each with its printed form."""


def show(diagnostics: list[Diagnostic], lines: Callable[[str], list[str] | None]) -> Shown:
    return [(found, format_diagnostic(found, lines)) for found in diagnostics]


def write_bundle(blocks: list[Block], folder: Path, with_defaults: bool) -> Path:
    """The bundle that a page's blocks are part of."""
    root = folder / "policies" / "acme"
    listed: list[str] = []
    given = {kind_of(block.text) for block in blocks}
    if any(re.search("^extends:", block.text, re.MULTILINE) for block in blocks):
        base = write_bundle([], folder, with_defaults).rename(root.parent / "base")
        manifest = base / "bundle.yaml"
        manifest.write_text(manifest.read_text().replace("name: acme", "name: base"))
        with_defaults = False
    if with_defaults:
        for path in sorted(ACME.glob("*.yaml")):
            if kind_of(path.read_text()) not in given | {"bundle", "tests", "invariants"}:
                write(root / path.name, path.read_bytes())
                listed.append(path.name)
    for block in blocks:
        name = block.options["file"]
        listed.append(name)
        data = block.text * int(block.options.get("times", "1"))
        if "link" in block.options:
            root.mkdir(parents=True)
            (root / name).symlink_to("nowhere")
        else:
            write(root / name, data.encode("latin-1" if "latin-1" in block.options else "utf-8"))
    if "bundle.yaml" not in listed and not any("alone" in block.options for block in blocks):
        head = "kind: bundle\nname: acme\nversion: '1'\ntitle: Acme\nfiles:\n"
        write(root / "bundle.yaml", (head + "".join(f"  - {n}\n" for n in listed)).encode())
    return root


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def kind_of(text: str) -> str:
    found = re.search(r"^kind: (\S+)", text, re.MULTILINE)
    return found[1] if found else ""


def without_folder(shown: Shown) -> Shown:
    return [(found, text.replace("policies/acme/", "")) for found, text in shown]


def loaded(blocks: list[Block], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Files: what reading them finds."""
    root = write_bundle(blocks, folder, with_defaults=False)
    monkeypatch.chdir(root.parent.parent)
    diagnostics = Diagnostics()
    load_bundle("policies/acme", diagnostics)
    return without_folder(
        show(diagnostics.sorted(), bundle_lines(read_bundle_bytes(root, diagnostics)))
    )


def compiled(blocks: list[Block], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Files: what reading, checking and compiling them finds."""
    root = write_bundle(blocks, folder, with_defaults=True)
    monkeypatch.chdir(folder)
    diagnostics = Diagnostics()
    bundle = load_bundle(root, diagnostics)
    documents = bundle.documents if bundle else ()
    read_cases(documents, diagnostics)
    check_program_examples(documents, diagnostics)
    try:
        diagnostics.items += Engine.load(root, {}).diagnostics
    except PolicyError as error:
        diagnostics.items += error.diagnostics
    found = diagnostics.sorted()
    return without_folder(show(found, bundle_lines(read_bundle_bytes(root, Diagnostics()))))


@cache
def echo() -> Assembly:
    """The names that the embedded bundle gives to conditions and settings."""
    bundle = load_bundle("echo", Diagnostics())
    assert bundle
    return prepare(bundle, Diagnostics())


def configured(blocks: list[Block], _: Path, __: pytest.MonkeyPatch) -> Shown:
    """A settings file."""
    (block,) = blocks
    diagnostics = Diagnostics()
    document = parse_settings("config.yaml", block.text.encode(), diagnostics)
    if document:
        names = echo()
        checks = Checks(pattern=pattern_check(build_programs(names)))
        known = names.vocabulary, names.aliases
        load_settings(document.data, *known, diagnostics, document, checks)
    return show(diagnostics.sorted(), lambda _: document.source.lines if document else None)


@dataclass
class Condition:
    """The text of a `condition` block, as a file of its own."""

    value: str

    def span(self, start: int, end: int) -> Span:
        return Span("condition", 1, start + 1, 1, end + 1)


def checked(blocks: list[Block], _: Path, __: pytest.MonkeyPatch) -> Shown:
    """A condition on one line."""
    (block,) = blocks
    diagnostics = Diagnostics()
    text = block.text.removesuffix("\n")
    Checker(echo().scope, diagnostics).condition(Condition(text), Use.GUARD)
    return show(diagnostics.sorted(), lambda _: [text])


def evaluated(blocks: list[Block], _: Path, __: pytest.MonkeyPatch) -> Shown:
    """A call, given to `callgate eval -`; what it prints on standard error."""
    (block,) = blocks
    result = CliRunner().invoke(command, ["-"], input=block.text.replace("\n", " ").strip() + "\n")
    return [
        (Diagnostic(found[1], found[2]), line)
        for line in result.stderr.splitlines()
        if (found := re.search(r": error\[(\w+)\]: (.*)", line))
    ]


def cached(blocks: list[Block], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """The permissions of a cache's folder; what a load with that cache finds."""
    (block,) = blocks
    root = write_bundle([], folder, with_defaults=True)
    monkeypatch.chdir(folder)
    cache = Path("cache")
    cache.mkdir(mode=0o700, exist_ok=True)
    cache.chmod(int(block.text, 8))
    engine = Engine.load(root, cache=GraphCache(cache))
    shown = show(list(engine.diagnostics), lambda _: None)
    return [(found, text.replace(f"{folder}/", "")) for found, text in shown]


Runner = Callable[[list[Block], Path, pytest.MonkeyPatch], Shown]

RUNNERS: dict[tuple[str, str], Runner] = {
    **{(letter, "yaml"): loaded for letter in "YS"},
    **{(letter, "settings"): configured for letter in "EC"},
    **{(letter, "yaml"): compiled for letter in "PTC"},
    **{(letter, "condition"): checked for letter in "PT"},
    ("R", "json"): evaluated,
    ("C", "cache"): cached,
}
"""By the letter of the code and the language of the blocks."""


# --- the tests -----------------------------------------------------------------------------------

LETTERS = "".join(sorted({letter for letter, _ in RUNNERS}))
TESTED = sorted(path.stem for path in PAGES.glob(f"[{LETTERS}]*.md"))
SHOWN = [code for code in TESTED if "Example" in read_page(PAGES / f"{code}.md").blocks]


@pytest.mark.parametrize("code", TESTED)
def test_titles_are_those_of_the_codes(code: str) -> None:
    page = read_page(PAGES / f"{code}.md")
    assert (page.code, page.title) == (code, CODES[code])


@pytest.mark.parametrize("code", SHOWN)
def test_examples_are_true(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = read_page(PAGES / f"{code}.md")
    *blocks, expected = page.blocks["Example"]
    assert expected.language == "text"
    shown = RUNNERS[code[0], blocks[0].language](blocks, tmp_path, monkeypatch)
    assert "\n".join(text for _, text in shown) + "\n" == expected.text
    assert code in {found.code for found, _ in shown}
    # A note may have nothing to advise.
    asking = [found for found, _ in shown if found.severity is not Severity.INFO]
    assert code[0] == "R" or all(found.help for found in asking)


@pytest.mark.parametrize("code", SHOWN)
def test_fixes_help(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = read_page(PAGES / f"{code}.md").blocks["Fixed"]
    shown = RUNNERS[code[0], blocks[0].language](blocks, tmp_path, monkeypatch)
    assert [text for _, text in shown] == []


def test_what_can_not_be_shown_says_so() -> None:
    for code in set(TESTED) - set(SHOWN):
        assert "There is no example" in (PAGES / f"{code}.md").read_text("utf-8")
