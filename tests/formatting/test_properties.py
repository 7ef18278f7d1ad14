"""What holds of every rule file: formatting it twice is formatting it once, and it stays what it
means, down to the digest of its bundle."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from callgate.formatting import format_text
from callgate.formatting.shapes import Role, shape_of
from callgate.formatting.trivia import comments
from callgate.formatting.words import canonical, meaning
from callgate.load.document import Document
from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.loaded import load
from tests.formatting.layouts import mangled
from tests.strategies import Bundle, bundles

ROOT = Path(__file__).parents[2]
POLICIES = ROOT / "policies"
FILES = sorted(POLICIES.rglob("*.yaml"))
SMALL = [path for path in FILES if path.stat().st_size < 10_000]
RULE_FILES = [
    path
    for path in sorted((ROOT / "tests" / "cases").rglob("*.yaml"))
    if (path.parent / "bundle.yaml").exists() or (path.parent.parent / "bundle.yaml").exists()
]

# The seed decides the layout: there is nothing to shrink.
QUICK: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.reuse, Phase.generate),
}


def read(file: str, text: str) -> Document:
    found = Diagnostics()
    document = read_document(file, text.encode(), found, manifest=file.endswith("bundle.yaml"))
    assert document is not None and not found.items, [item.line for item in found.items]
    return document


def unix(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def odd_layout(file: str, data: dict[str, Any], random: Random, comments: bool = True) -> str:
    """The data in a layout of chance that is read as the same data."""
    while True:
        text = mangled(data, shape_of(data["kind"]), random, comments)
        found = Diagnostics()
        manifest = file.endswith("bundle.yaml")
        document = read_document(file, unix(text).encode(), found, manifest=manifest)
        # A comment below a folded text may have become a part of it.
        if document is not None and not found.items and document.data == data:
            return text


def check(file: str, text: str) -> str:
    """The formatted text, after everything that must hold of it."""
    formatted = format_text(file, text)
    assert format_text(file, formatted) == formatted
    old, new = read(file, unix(text)), read(file, formatted)
    assert comments(old.source.text, old.root) == comments(formatted, new.root)
    assert "\r" not in formatted and formatted.endswith("\n")
    assert not formatted.startswith(("\n", "\ufeff"))
    return formatted


@pytest.mark.parametrize("path", FILES + RULE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_rule_file_can_be_formatted(path: Path) -> None:
    check(str(path), path.read_text("utf-8"))


@given(st.sampled_from(SMALL), st.integers(0, 2**32))
@settings(max_examples=60, **QUICK)
def test_any_layout_of_the_shipped_files(path: Path, seed: int) -> None:
    document = read(str(path), path.read_text("utf-8"))
    check(str(path), odd_layout(str(path), document.data, Random(seed)))


PIECES = (
    *"aé\n\t '\"\\{}[],&*!|>%@`:#-?~=\u200b\u00a0",
    *("\n\n", "  ", "- x", ": z", " #", "on", "007", "1.5", "true", "null", "---", "...", "<<"),
    *("a word ", "word " * 9, "word " * 25, "unbroken" * 15),
)


def any_text(random: Random) -> str:
    return "".join(random.choice(PIECES) for _ in range(random.randrange(5)))


def any_data(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(8 if depth < 5 else 4)
    if kind < 3:
        return any_text(random)
    if kind == 3:
        return random.choice([None, True, False, 0, -3, 1.5])
    if kind < 6:
        return {any_text(random): any_data(random, depth + 1) for _ in range(random.randrange(4))}
    return [any_data(random, depth + 1) for _ in range(random.randrange(4))]


@given(st.integers(0, 2**32))
@settings(max_examples=300, **QUICK)
def test_any_data_in_any_layout(seed: int) -> None:
    random = Random(seed)
    call = {"tool": "x", "args": {"a": any_data(random), any_text(random): any_data(random)}}
    case = {"name": "n" + any_text(random), "call": call, "expect": {"decision": "allow"}}
    check("a.yaml", odd_layout("a.yaml", {"kind": "tests", "cases": [case, case]}, random))


def logic(random: Random, operator: str, depth: int) -> tuple[str, str]:
    """A condition as somebody writes it, and its canonical form."""
    if depth == 0 or random.random() < 0.2:
        return random.choice(["call.nested", "( call.nested )", "((call.nested))"]), "call.nested"
    items = []
    for _ in range(random.randrange(2, 4)):
        inner = random.choice(["and", "or"])
        written, canonical = logic(random, inner, depth - 1)
        if canonical != "call.nested" and (inner, operator) != ("and", "or"):
            written, canonical = f"({written})", f"({canonical})"
        elif canonical != "call.nested" and random.random() < 0.5:
            written, canonical = f"( {written}  )", f"({canonical})"
        items.append((written, canonical))
    gap = random.choice([" ", "  ", "\n"])
    return f"{gap}{operator} ".join(w for w, _ in items), f" {operator} ".join(c for _, c in items)


@given(st.integers(0, 2**32))
@settings(max_examples=200, **QUICK)
def test_parentheses_around_and_in_or_stay_where_they_are(seed: int) -> None:
    random = Random(seed)
    written, expected = logic(random, random.choice(["and", "or"]), 3)
    assert canonical(written, Role.CONDITION) == expected
    assert canonical(expected, Role.CONDITION) == expected
    assert meaning(written, Role.CONDITION) == meaning(expected, Role.CONDITION)


@given(bundles(), st.integers(0, 2**32))
@settings(max_examples=20, **QUICK)
def test_any_layout_of_generated_bundles(
    tmp_path_factory: pytest.TempPathFactory, bundle: Bundle, seed: int
) -> None:
    before, after = tmp_path_factory.mktemp("before"), tmp_path_factory.mktemp("after")
    bundle.write(before)
    random = Random(seed)
    for name, text in bundle.texts.items():
        data = yaml.safe_load(text)
        odd = odd_layout(name, data, random)
        (after / name).write_text(check(name, odd), "utf-8")
    assert load(after).usable().graph.digest == load(before).usable().graph.digest


def test_the_digest_of_a_shipped_bundle_stays(tmp_path: Path) -> None:
    random = Random(7)
    for path in FILES:
        text = path.read_text("utf-8")
        if "tests" not in path.relative_to(POLICIES).parts:  # those decide nothing
            document = read(str(path), text)
            odd = odd_layout(str(path), document.data, random, comments=False)
            text = format_text(str(path), odd)
        target = tmp_path / path.relative_to(POLICIES)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    digest = load(POLICIES / "echo").usable().graph.digest
    assert load(tmp_path / "echo").usable().graph.digest == digest
