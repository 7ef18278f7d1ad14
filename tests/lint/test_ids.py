"""Ids of rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.ids import IdNotOfFile, PoorId
from tests.lint.bundles import found, subject


def guards(*ids: str) -> str:
    rules = (
        f"  - {{id: {id_}, title: {id_}, decide: ask, when: call.nested, reason: no}}\n"
        for id_ in ids
    )
    return "kind: guards\nrules:\n" + "".join(rules)


def flow(*rules: str) -> str:
    listed = (
        f"      - {{id: {id_}, title: {id_}, decide: allow, when: risk == low}}\n" for id_ in rules
    )
    head = "kind: flow\nsteps:\n  - id: guards\n    title: Guards\n    guards: all\n"
    step = "  - id: tiers.low\n    title: Tiers\n    rules:\n"
    return head + step + "".join(listed) + "otherwise: {decide: deny, reason: no}\n"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("guards", guards("a.x", "a.y", "a.z", "b.x"), ["b.x"]),
        ("guards", guards("b.x", "a.x", "a.y", "a.z"), ["b.x"]),
        ("guards", guards("a.x", "a.y", "a.z"), []),
        # The names of the file and of the bundle fit.
        ("guards", guards("a.x", "a.y", "a.z", "guards.x", "acme.x"), []),
        # Several topics, or too few rules to say.
        ("guards", guards("a.x", "a.y", "b.x", "b.y"), []),
        ("guards", guards("a.x", "a.y", "b.x"), []),
        ("guards", guards("a.x", "b.x"), []),
        # The name of a file says what it is about, unless its rules agree on another word.
        ("database", guards("web.x", "files.x", "net.x"), ["web.x", "files.x", "net.x"]),
        ("database", guards("files.x", "files.y", "net.x"), ["files.x", "files.y", "net.x"]),
        ("database", guards("database.x", "files.x"), ["files.x"]),
        ("database", guards("files.x", "files.y", "files.z"), []),
        ("database", guards("files.x"), []),
        ("web/pages-and-links", guards("web.x", "links.y", "acme.z"), []),
        ("more-guards", guards("web.x", "files.x"), []),
        ("database", "# What the settings say.\n" + guards("web.x", "files.x"), []),
        ("database", "# callgate: x\n" + guards("web.x", "files.x"), ["web.x", "files.x"]),
        ("flow", flow("tiers.look", "tiers.save"), []),
        ("flow", flow("tiers.look", "other.save"), ["other.save"]),
        # All rules of the step share another word.
        ("flow", flow("other.look", "other.save"), []),
    ],
)
def test_ids_of_a_file(tmp_path: Path, file: str, text: str, told: list[str]) -> None:
    messages = [m for *_, m in found(subject(tmp_path, {f"{file}.yaml": text}), IdNotOfFile)]
    assert [message.split("`")[1] for message in messages] == told


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        (["files.b", "files.c"], ["files.b", "files.c"]),
        (["files.b"], ["files.b"]),
        (["web.b"], []),
        (["database.b", "files.b"], ["files.b"]),
    ],
)
def test_the_word_of_another_file(tmp_path: Path, ids: list[str], told: list[str]) -> None:
    files = {"files.yaml": guards("files.x"), "database.yaml": guards(*ids)}
    messages = [m for *_, m in found(subject(tmp_path, files), IdNotOfFile)]
    assert [message.split("`")[1] for message in messages] == told


def test_an_inherited_id_fits_everywhere(tmp_path: Path) -> None:
    subject(tmp_path, guards=guards("other.x", "other.y"))
    base = (tmp_path / "policies" / "acme").rename(tmp_path / "policies" / "base")
    assert base.exists()
    manifest = """
    kind: bundle
    name: more
    version: "1"
    title: More
    extends: ../base
    files: [guards.yaml]
    replaces: [{rule: other.x, reason: ours is better}]
    """
    gone = dict.fromkeys(
        ("flow.yaml", "masking.yaml", "risk.yaml", "tools.yaml", "vocabulary.yaml"), None
    )
    files = {**gone, "bundle.yaml": manifest, "guards.yaml": guards("a.x", "a.y", "a.z", "other.x")}
    assert found(subject(tmp_path, files), IdNotOfFile) == []


@pytest.mark.parametrize(
    ("id_", "why"),
    [
        ("files.system-settings", ""),
        ("files.etc.hosts", ""),
        ("git.push-to-main-2", ""),
        ("web.oauth2", ""),
        ("files", "has no topic before a dot"),
        ("files.17", "has a number where a word is looked for"),
        ("files.r17", "has a number where a word is looked for"),
        ("files.rule1", "has a number where a word is looked for"),
        ("files.guard-2", "has a number where a word is looked for"),
        ("17.files", "has a number where a word is looked for"),
        ("files.system_settings", "has `_` where ids have `-`"),
        ("files.files-of-system", "says `files` twice"),
        ("files.files", ""),
        ("files.x" + "y" * 60, "has 67 characters"),
    ],
)
def test_poor_ids(tmp_path: Path, id_: str, why: str) -> None:
    told = [message for *_, message in found(subject(tmp_path, guards=guards(id_)), PoorId)]
    assert told == ([f"the id `{id_}` {why}"] if why else [])


def test_a_step_that_is_one_rule_gives_it_its_id(tmp_path: Path) -> None:
    text = flow("tiers.x").replace("id: tiers.low", "id: tiers").replace("tiers.x", "look")
    assert found(subject(tmp_path, flow=text), PoorId) == []
