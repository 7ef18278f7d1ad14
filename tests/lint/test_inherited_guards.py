"""What a bundle takes away from the one it extends, and tools that no guard sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.subject import Subject
from callgate.policytest.loaded import load
from tests.lint.bundles import NOW, findings, found, subject, write_files

BASE = """
    kind: guards
    rules:
      - {id: g.deny, title: D, decide: deny, each: w in effects.write, when: w.tree, reason: no}
      - {id: g.ask, title: A, decide: ask, each: w in effects.write, when: w.tree, reason: no}
      - {id: g.note, title: N, decide: note, each: w in effects.write, when: w.tree, reason: no}
    """
RULE = "{{id: {}, title: T, decide: {}, each: w in effects.write, when: w.tree, reason: no{}}}"


def extending(folder: Path, replaced: str, own: str) -> Subject:
    base = write_files(folder, {"guards.yaml": BASE}).rename(folder / "policies" / "base")
    (base / "bundle.yaml").write_text((base / "bundle.yaml").read_text().replace("acme", "base", 1))
    root = folder / "policies" / "acme"
    root.mkdir()
    rules = f"\n  - {own}\n" if own else " []\n"
    other = RULE.format("g.other", "deny", "")
    (root / "guards.yaml").write_text(f"kind: guards\nrules:\n  - {other}{rules if own else ''}\n")
    manifest = "kind: bundle\nname: acme\nversion: '1'\ntitle: A\nextends: ../base\n"
    replaces = f"replaces:\n  - {{rule: {replaced}, reason: why}}\n" if replaced else ""
    (root / "bundle.yaml").write_text(f"{manifest}files: [guards.yaml]\n{replaces}")
    loaded = load(root)
    assert loaded.policy is not None, [item.line for item in loaded.findings]
    return Subject(loaded, NOW)


@pytest.mark.parametrize(
    ("replaced", "own", "words"),
    [
        ("", "", ""),
        ("g.deny", "", "removed, and with it its `deny`"),
        ("g.ask", "", "removed, and with it its `ask`"),
        ("g.note", "", ""),
        ("g.deny", ("g.deny", "deny", ""), ""),
        ("g.deny", ("g.deny", "ask", ""), "had `deny` and now has `ask`"),
        ("g.deny", ("g.deny", "deny", ", enforce: shadow"), "decides `deny` less strictly"),
        ("g.ask", ("g.ask", "note", ""), "had `ask` and now has `note`"),
        ("g.ask", ("g.ask", "deny", ""), ""),
    ],
)
def test_replaced_rules(
    replaced: str, own: tuple[str, str, str] | str, words: str, tmp_path: Path
) -> None:
    items = findings(extending(tmp_path, replaced, RULE.format(*own) if own else ""), "L221")
    assert len(items) == bool(words)
    for item in items:
        assert words in item.diagnostic.message
        (role, span), *more = item.diagnostic.related
        assert role == "it was here" and span.file.endswith("base/guards.yaml")
        assert len(more) == bool(own)


TOOLS = """
    kind: tools
    capabilities: {f.read: reads, f.write: writes, n.out: connects, x.y: other}
    tools:
      look:
        description: Look
        capabilities: [f.read]
        parameters: {type: object, properties: {path: {type: string}}}
        effects: [{read: {path: args.path}}]
      save:
        description: Save
        capabilities: [f.write]
        parameters: {type: object, properties: {path: {type: string}}}
        effects: [{write: {path: args.path}}]
      both:
        description: Both
        capabilities: [n.out, x.y]
        parameters: {type: object, properties: {path: {type: string}}}
        effects: [{write: {path: args.path}}]
      start:
        description: Start
        capabilities: %s
        parameters: {type: object, properties: {job: {type: string}, count: {type: integer}}}
        effects: none
        %s
    """


@pytest.mark.parametrize(
    ("capabilities", "more", "expected"),
    [
        ("[f.write]", "", True),
        ("[x.y, f.write]", "", True),
        ("[f.read]", "", False),
        ("[n.out]", "", False),
        ("[]", "", False),
        ("[f.write]", "status: reserved", False),
    ],
)
def test_silent_tools(capabilities: str, more: str, expected: bool, tmp_path: Path) -> None:
    made = subject(tmp_path, tools=TOOLS % (capabilities, more))
    assert [line for _, _, line, _ in found(made, "L220")] == ([20] if expected else [])
