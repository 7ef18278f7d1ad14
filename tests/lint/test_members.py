"""Members of lists and parts of conditions that stand twice, and exceptions that never count."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rule import Finding
from tests.lint.bundles import findings, found, subject
from tests.lint.written import guards

VOCABULARY = (Path(__file__).parents[1] / "cases" / "acme" / "vocabulary.yaml").read_text("utf-8")
PRIVATE = "[~/.ssh, /etc]"


def _mended(finding: Finding) -> str:
    """The file of a finding, on one line, with its fix made."""
    (edit,) = finding.fix
    lines = Path(edit.span.file).read_text("utf-8").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    text = "\n".join(lines)
    start = starts[edit.span.line - 1] + edit.span.column - 1
    end = starts[edit.span.end_line - 1] + edit.span.end_column - 1
    return " ".join((text[:start] + edit.text + text[end:]).split())


@pytest.mark.parametrize(
    ("items", "told", "mended"),
    [
        ("[~/.ssh, /etc, /etc/]", ["/etc/"], "items: [~/.ssh, /etc]"),
        ("\n      - /etc\n      - ~/.ssh\n      - /etc\n", ["/etc"], "items: - /etc - ~/.ssh"),
        ("\n      - /etc # all\n      - /etc\n", ["/etc"], ""),
        (PRIVATE, [], ""),
    ],
)
def test_a_member_of_a_list(tmp_path: Path, items: str, told: list[str], mended: str) -> None:
    block = "  paths.private:\n    type: path\n    doc: private\n    items: "
    line = f"  paths.private: {{type: path, doc: what nobody may touch, items: {PRIVATE}}}"
    assert line in VOCABULARY
    text = VOCABULARY.replace(line, block + items)
    found_ = findings(subject(tmp_path, vocabulary=text), "L116")
    assert [item.diagnostic.message.split("`")[1] for item in found_] == told
    for item in found_:
        assert mended in _mended(item) if mended else not item.fix


@pytest.mark.parametrize(
    ("when", "code", "mended"),
    [
        ('call.channel in ["a", "b", "a"]', "L116", 'call.channel in ["a", "b"]'),
        ("call.tool in save|look|save", "L116", "call.tool in save|look"),
        ('w.path under ["/a", "/b"]', "L116", ""),
        # One word behind `in` would be no list.
        ('call.channel in "a"|"a"', "L116", 'call.channel == "a"'),
        ('not (call.channel in "a"|"a")', "L116", 'not (call.channel == "a")'),
        (
            "call.nested and call.unattended and call.nested",
            "L109",
            "call.nested and call.unattended",
        ),
        (
            '(call.nested or w.path under "/a") and (call.nested or w.path under "/a")',
            "L109",
            '(call.nested or w.path under "/a")',
        ),
        ("(call.nested) or ((call.nested))", "L109", "(call.nested)"),
        ("call.nested or call.unattended", "L109", ""),
    ],
)
def test_a_part_of_a_condition(tmp_path: Path, when: str, code: str, mended: str) -> None:
    loaded = subject(
        tmp_path,
        guards=guards(("deny", when))
        .replace('\\"', '"')
        .replace(f'when: "{when}"', f"when: >-\n      {when}"),
    )
    told = findings(loaded, code)
    assert len(told) == bool(mended)
    for item in told:
        assert f"when: >- {mended} reason" in _mended(item)


@pytest.mark.parametrize(
    ("items", "when", "told"),
    [
        ("[~/.ssh, /etc, /etc/ssh]", "w.path under paths.private", ["/etc/ssh"]),
        ("[~/.ssh, /etc, '~']", "touches(w.path, paths.private)", ["~/.ssh"]),
        # Where a folder is taken away, so is what is inside it.
        ("[~/.ssh, /etc, /etc/ssh]", "holds(w.path, paths.private)", []),
        ("[~/.ssh, /etc, /etc-2]", "w.path under paths.private", []),
        ("[~/.ssh, /etc, /etc/ssh]", 'w.path under "/a"', []),
    ],
)
def test_a_member_inside_another(tmp_path: Path, items: str, when: str, told: list[str]) -> None:
    text = VOCABULARY.replace(PRIVATE, items)
    loaded = subject(tmp_path, vocabulary=text, guards=guards(("deny", when)))
    assert [item[3].split("`")[1] for item in found(loaded, "L117")] == told


def test_a_host_inside_another(tmp_path: Path) -> None:
    lists = (
        "lists:\n  hosts.own: {type: host, doc: own, items: [a.example, x.a.example, 10.0.0.1]}\n"
    )
    guard = guards(("deny", "true")).replace("w in effects.write", "c in effects.connect")
    files = {
        "vocabulary.yaml": VOCABULARY.replace("lists:\n", lists),
        "guards.yaml": guard.replace('"true"', "c.host under hosts.own"),
    }
    told = found(subject(tmp_path, files), "L117")
    assert [item[3].split("`")[1] for item in told] == ["x.a.example"]


@pytest.mark.parametrize(
    ("when", "excepted", "count"),
    [
        ('w.path under "/a"', 'w.path under "/b"', 1),
        ('w.path under "/a"', 'w.path under "/a/b"', 0),
        ("call.nested", "not call.nested", 1),
        ('w.path under "/a"', 'call.channel == "a"', 0),
        # Of a condition that is never true by itself, another rule tells.
        ("call.nested", "call.unattended and not call.unattended", 0),
    ],
)
def test_an_exception(tmp_path: Path, when: str, excepted: str, count: int) -> None:
    entry = "\n      - {id: x, until: 2027-01-01, owner: o, reason: r, when: '" + excepted + "'}"
    loaded = subject(tmp_path, guards=guards(("deny", when), exceptions=entry))
    assert len(found(loaded, "L115")) == count
