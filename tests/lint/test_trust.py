"""Who lets a call through: wildcards, declarations, arguments, whole domains and disks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import findings, found, subject
from tests.lint.test_security_patterns import PLAIN, flow, guards

MORE = """
    kind: vocabulary
    settings:
      team.on: {type: bool, default: false, doc: whether}
      team.trusted: {type: list of string, default: %s, wildcards: true, doc: senders}
      team.paths: {type: list of path, default: %s, doc: folders}
      team.hosts: {type: list of host, default: %s, doc: hosts}
    lists:
      hosts.ours: {type: host, doc: ours, items: [acme.example, %s]}
    """
TOOLS = """
    kind: tools
    capabilities: {f.write: writes}
    tools:
      look:
        description: Look
        capabilities: []
        parameters:
          type: object
          properties: {path: {type: string}, note: {type: string}}
          required: [path, note]
        effects: [{read: {path: args.path}}]
      save:
        description: Save
        capabilities: [f.write]
        parameters:
          type: object
          properties:
            path: {type: string}
            reason: {type: string}
            confirm: {type: boolean}
            kind: {enum: [a, b]}
            size: {type: integer}
            dry: {type: boolean}
            purpose: {type: string}
            mode: {enum: [a, b]}
            safe: {}
          required: [path, reason, confirm, kind, size, dry]
        effects: [{write: {path: args.path}, when: not args.dry}]
      start:
        description: Start
        capabilities: []
        parameters: {type: object, properties: {job: {type: string}}, required: [job]}
        effects: none
    """


def more(trusted: str = "[]", paths: str = "[]", hosts: str = "[]", ours: str = "b.example") -> str:
    return MORE % (trusted, paths, hosts, ours)


@pytest.mark.parametrize(
    ("when", "decide", "expected"),
    [
        ('"*" in settings.team.trusted', "allow", True),
        ('call.sender_id in settings.team.trusted or "*" in settings.team.trusted', "allow", True),
        ('not ("*" in settings.team.trusted)', "deny", True),
        ('settings.team.on and "*" in settings.team.trusted', "allow", False),
        ('"*" in settings.team.trusted', "deny", False),
        ("call.sender_id in settings.team.trusted", "allow", False),
    ],
)
def test_wildcard_alone(when: str, decide: str, expected: bool, tmp_path: Path) -> None:
    assert bool(found(subject(tmp_path, more=more(), flow=flow(when, decide)), "L204")) == expected


def test_wildcard_by_default(tmp_path: Path) -> None:
    rule = flow('settings.team.on and "*" in settings.team.trusted')
    files = {"more": more('["*"]'), "flow": rule}
    ((_, file, line, message),) = found(subject(tmp_path / "a", **files), "L204")
    assert (file, line) == ("more.yaml", 5) and "everybody" in message
    denies = flow("call.sender_id in settings.team.trusted", "deny")
    assert not found(subject(tmp_path / "b", more=more('["*"]'), flow=denies), "L204")


HINT = "declared.annotations"


@pytest.mark.parametrize(
    ("when", "decide", "expected"),
    [
        (f"{HINT}.readOnlyHint ?? false", "allow", True),
        (f"not ({HINT}.destructiveHint ?? true)", "allow", True),
        (f"not ({HINT}.destructiveHint ?? false)", "allow", False),
        ('declared.risk_level == "low"', "allow", True),
        ('declared.risk_level != "high"', "allow", False),
        ('declared.mcp_server == ""', "allow", False),
        ('declared.mcp_server != ""', "allow", True),
        ('declared.mcp_server != ""', "deny", False),
        ("risk == low", "allow", False),
        (f"{HINT}.destructiveHint ?? false", "deny", False),
        (f"not ({HINT}.readOnlyHint ?? false)", "deny", True),
        (
            f"declared.mcp_server in settings.team.trusted and ({HINT}.readOnlyHint ?? false)",
            "allow",
            False,
        ),
        (f"call.unattended and ({HINT}.readOnlyHint ?? false)", "allow", True),
    ],
)
def test_declarations(when: str, decide: str, expected: bool, tmp_path: Path) -> None:
    assert bool(found(subject(tmp_path, more=more(), flow=flow(when, decide)), "L205")) == expected


def test_a_declaration_that_lowers_the_risk(tmp_path: Path) -> None:
    risk = """
        kind: risk-map
        levels: [low, high]
        combine: strictest
        default: high
        tools: {low: [look]}
        declared:
          - {id: d.named, when: declared.mcp_server in settings.team.trusted, level: low}
          - {id: d.says, when: declared.annotations.readOnlyHint ?? false, level: low}
          - {id: d.any, when: declared.mcp_server != "", level: high}
        """
    (item,) = findings(subject(tmp_path / "a", more=more(), risk=risk), "L205")
    assert item.diagnostic.span is not None and item.diagnostic.span.line == 9
    assert [span.line for _, span in item.diagnostic.related] == [10]
    raising = risk.replace(
        "level: low}\n          - {id: d.any", "level: high}\n          - {id: d.any"
    )
    assert not found(subject(tmp_path / "b", more=more(), risk=raising), "L205")


@pytest.mark.parametrize(
    ("when", "tools", "decide", "expected"),
    [
        ('args.reason == "approved"', "[save]", "allow", True),
        ('lower(args.reason) like "*approved*"', "[save]", "allow", True),
        ("args.confirm", "[save]", "allow", True),
        ("args.confirm == true", "[save]", "allow", True),
        ("args.dry", "[save]", "allow", False),
        ('args.kind == "a"', "[save]", "allow", False),
        ("args.size < 5", "[save]", "allow", False),
        ('args.reason == "approved"', "[save]", "deny", False),
        ('args.note == "x"', "[look]", "allow", True),
        ('args.job == "nightly"', "[start]", "allow", False),
        ('as_bool(args["safe"]) ?? false', "[save]", "allow", True),
        ("as_bool(args.safe) ?? false", "[save]", "deny", False),
        ("not has args.purpose", "[save]", "allow", True),
        ("not has args.purpose", "[save]", "deny", False),
        ("has args.purpose", "[save]", "allow", False),
        ("not has args.mode", "[save]", "allow", False),
        ('args.path == "README.md"', "[save]", "allow", False),
    ],
)
def test_arguments(when: str, tools: str, decide: str, expected: bool, tmp_path: Path) -> None:
    made = subject(tmp_path, tools=TOOLS, guards=PLAIN, flow=flow(when, decide, tools))
    assert bool(found(made, "L216")) == expected


CONNECTS = "effects.complete and none(c in effects.connect where not c.host under {})"


@pytest.mark.parametrize(
    ("when", "files", "expected"),
    [
        (CONNECTS.format('"com"'), {}, "flow.yaml:10"),
        (CONNECTS.format('"co.uk"'), {}, "flow.yaml:10"),
        (CONNECTS.format('"de"'), {}, "flow.yaml:10"),
        (CONNECTS.format('["acme.example", "github.io"]'), {}, "flow.yaml:10"),
        (CONNECTS.format('"acme.github.io"'), {}, ""),
        (CONNECTS.format('"localhost"'), {}, ""),
        (CONNECTS.format("hosts.ours"), {}, ""),
        (CONNECTS.format("hosts.ours"), {"ours": "workers.dev"}, "more.yaml:9"),
        (CONNECTS.format("settings.team.hosts"), {"hosts": "[a.example, io]"}, "more.yaml:7"),
        (CONNECTS.format("settings.team.hosts"), {}, ""),
        ("risk == low", {"hosts": "[io]", "ours": "com"}, ""),
    ],
)
def test_whole_domains(when: str, files: dict[str, str], expected: str, tmp_path: Path) -> None:
    rows = found(subject(tmp_path, more=more(**files), flow=flow(when)), "L217")
    assert [f"{file}:{line}" for _, file, line, _ in rows] == ([expected] if expected else [])


def test_a_guard_may_stop_whole_domains(tmp_path: Path) -> None:
    rule = guards('c.host under ["com", "workers.dev"]', "c in effects.connect")
    assert not found(subject(tmp_path / "a", guards=rule), "L217")
    rule = guards('not c.host under "com"', "c in effects.connect")
    assert found(subject(tmp_path / "b", guards=rule), "L217")


WRITES = "effects.complete and none(w in effects.write where not w.path under {})"


@pytest.mark.parametrize(
    ("when", "paths", "expected"),
    [
        (WRITES.format('"/"'), "[]", True),
        (WRITES.format('["/srv/a", "~"]'), "[]", True),
        (WRITES.format('"/home"'), "[]", True),
        (WRITES.format('"/etc/"'), "[]", True),
        (WRITES.format('"/home/agent"'), "[]", False),
        (WRITES.format('["/tmp", "/workspace"]'), "[]", False),
        (WRITES.format("settings.team.paths"), "[/usr]", True),
        (WRITES.format('"/srv/a"'), "[]", False),
        (WRITES.format("settings.team.paths"), '["/"]', True),
        (WRITES.format("settings.team.paths"), "[/srv]", False),
        ("risk == low", '["/"]', False),
    ],
)
def test_whole_disks(when: str, paths: str, expected: bool, tmp_path: Path) -> None:
    made = subject(tmp_path, more=more(paths=paths), flow=flow(when))
    assert bool(found(made, "L218")) == expected


def test_a_guard_may_stop_whole_disks(tmp_path: Path) -> None:
    assert not found(
        subject(tmp_path, guards=guards('w.path under "/"', "w in effects.write")), "L218"
    )
