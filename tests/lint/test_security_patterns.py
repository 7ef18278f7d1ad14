"""Patterns that match everything or too much, and texts compared instead of what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.bundles import findings, found, subject

TOOLS = """
    kind: tools
    capabilities: {p.run: runs, f.write: writes}
    tools:
      look:
        description: Look
        capabilities: []
        parameters:
          type: object
          properties: {path: {type: string}, note: {type: string}}
          required: [path, note]
        effects: [{read: {path: args.path}}]
      save: {description: Save, capabilities: [], parameters: {type: object}, effects: none}
      start:
        description: Run a command
        capabilities: [p.run]
        parameters:
          type: object
          properties:
            command: {type: string}
            label: {type: string}
            code: {type: string}
            count: {type: integer}
          required: [command, label, code]
        effects: [{shell: {text: args.command}}, {code: {text: args.code, language: python}}]
    """
PROGRAMS = """
    kind: programs
    programs:
      rm:
        options: {help: --help}
        operands: FILE...
        effects: [{delete: {path: FILE}}]
        examples:
          match: [{rm a: [{delete: a}]}, {rm b: [{delete: b}]}, {rm c: [{delete: c}]}]
          pass: [rm, rm --help, echo rm]
      cat:
        options: {help: --help}
        operands: FILE...
        effects: [{read: {path: FILE}}]
        examples:
          match: [{cat a: [{read: a}]}, {cat b: [{read: b}]}, {cat c: [{read: c}]}]
          pass: [cat, cat --help, echo cat]
    """


def guards(when: str, each: str = "", tools: str = "[start, look]") -> str:
    lines = ["kind: guards", "rules:", "  - id: g", "    title: G", "    decide: deny"]
    lines += [f"    each: {each}"] if each else [f"    tools: {tools}"]
    return "\n".join([*lines, "    when: >-", f"      {when}", "    reason: no", ""])


def flow(when: str, decide: str = "allow", tools: str = "") -> str:
    reason = "" if decide == "allow" else "\n        reason: no"
    target = f"\n        tools: {tools}" if tools else ""
    return f"""kind: flow
steps:
  - {{id: guards, title: Guards, guards: all}}
  - id: s
    title: S
    rules:
      - id: s.one
        title: One{target}
        when: >-
          {when}
        decide: {decide}{reason}
otherwise: {{decide: deny, reason: no}}
"""


PLAIN = guards('w.path under "/srv/a"', "w in effects.write")


def codes(folder: Path, code: str, **files: str) -> list[str]:
    made = subject(folder, **{"guards": PLAIN, **files})
    return [f"{file}:{line}" for _, file, line, _ in found(made, code)]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ('call.channel like "*"', 1),
        ('call.channel like "**"', 1),
        ('call.channel matches r".*"', 1),
        ('call.channel matches r"(?s).*"', 1),
        ('call.channel matches r"ops|.+"', 1),
        ('call.channel matches r"[^\\n]*"', 1),
        ('contains(call.channel, "")', 1),
        ('not (call.agent_id == "a" and call.channel like "*")', 1),
        ('call.channel like "a*"', 0),
        ('call.channel like ""', 0),
        ('call.channel matches r"[a-z]*"', 0),
        ('call.channel matches r".*ops"', 0),
        ('call.channel matches r"\\S+"', 0),
        ("any(r in effects.run where r is `*`)", 1),
        ("any(r in effects.run where r is `* --force`)", 0),
        ("any(r in effects.run where r is `git (push|*)`)", 1),
        ("any(r in effects.run where r is `git push *`)", 0),
        ("any(r in effects.run where r is `git (push|p*)`)", 0),
    ],
)
def test_match_all_in_conditions(when: str, expected: int, tmp_path: Path) -> None:
    assert len(codes(tmp_path, "L201", guards=guards(when))) == expected


def test_match_all_elsewhere(tmp_path: Path) -> None:
    masking = "kind: masking\nnames: [key]\npatterns: {all: '(?s).*', some: 'sk-.*'}\n"
    assert codes(tmp_path, "L201", masking=masking) == ["masking.yaml:3"]
    more = """
        kind: vocabulary
        settings:
          run.denied: {type: list of pattern, default: ["*", "rm *"], doc: commands}
        """
    assert codes(tmp_path / "more", "L201", more=more) == ["more.yaml:4"]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ('args.command like "*rm -rf*"', True),
        ('contains(lower(args.command), "drop table")', True),
        ('args.command == "make"', True),
        ('args.command in "make"|"ls"', True),
        ('any(b in ["rm", "dd"] where contains(args.command, b))', True),
        ('args.command matches r".*\\brm\\s.*"', True),
        ('args.command matches r".*rm -rf.*"', True),
        ('args.command matches r".*(frob|shred) .*"', True),
        ('args.command matches r".*frob\\s+-rf.*"', True),
        ('args.command matches r".*shutdown"', True),
        ('args.command matches r"(?i).*drop table.*"', True),
        ('args.command matches r".*\\bproduction\\b.*"', False),
        ('args.command matches r".*approvals\\.json.*"', False),
        ('args.command matches r"(?i).*password\\s*=.*"', False),
        ('args.command matches r".*(AKIA|ASIA)[0-9A-Z]{16}.*"', False),
        ('args.command matches r"/(approve|deny) .*"', False),
        ('args.command != ""', False),
        ('args.label like "*rm -rf*"', False),
        ('args.code like "*something*"', False),
        ('args.command like "*rm*" and any(r in effects.run where r is `rm`)', False),
        (
            'any(b in settings.approval.blocked where contains(args.command, "rm") and b == save)',
            True,
        ),
    ],
)
def test_command_as_text(when: str, expected: bool, tmp_path: Path) -> None:
    files = {"tools": TOOLS, "programs": PROGRAMS, "guards": guards(when, tools="[start]")}
    assert bool(codes(tmp_path, "L202", **files)) == expected


@pytest.mark.parametrize(("each", "expected"), [("r in effects.run", 0), ("w in effects.write", 1)])
def test_a_command_beside_its_effect_is_a_second_net(
    each: str, expected: int, tmp_path: Path
) -> None:
    when = 'args.command like "* -rf*"'
    if not expected:
        when = f'r.program == "rm" and {when}'
    text = guards(when, each).replace("    when:", "    tools: [start]\n    when:")
    files = {"tools": TOOLS, "programs": PROGRAMS, "guards": text}
    assert len(codes(tmp_path, "L202", **files)) == expected


def test_command_as_text_names_the_effect(tmp_path: Path) -> None:
    files = {"tools": TOOLS, "programs": PROGRAMS}
    rule = guards('args.command like "*rm -rf*"', tools="[start]")
    (item,) = findings(subject(tmp_path, guards=rule, **files), "L202")
    assert "r is `rm -rf`" in item.diagnostic.help


def test_code_as_text_where_its_calls_are_known(tmp_path: Path) -> None:
    languages = """
        kind: languages
        languages:
          python:
            syntax: {comments: ["#"], strings: ['"']}
            calls:
              shutil.rmtree: [delete: {path: 1, recursive: true}]
        """
    files = {"tools": TOOLS, "programs": PROGRAMS, "languages": languages}
    rule = guards('args.code matches r".*shutil\\.rmtree.*"', tools="[start]")
    assert codes(tmp_path / "a", "L202", guards=rule, **files) == ["guards.yaml:8"]
    rule = guards('args.code matches r".*approvals\\.json.*"', tools="[start]")
    assert not codes(tmp_path / "b", "L202", guards=rule, **files)


@pytest.mark.parametrize(
    ("when", "each", "expected"),
    [
        ('args.path like "/etc/*"', "", True),
        ('args.path == "/etc/passwd"', "", True),
        ('args.path in "~/.ssh"|"/root"', "", True),
        ('contains(args.path, "/.ssh/")', "", True),
        ('args.path matches r".*/\\.env"', "", True),
        ('args.path matches r"[a-z]+://.*"', "", False),
        ('args.path == ""', "", False),
        ('args.path like "*.md"', "", False),
        ('args.note like "/etc/*"', "", False),
        ('w.path like "/etc/*"', "w in effects.write", True),
        ('w.path under "/etc"', "w in effects.write", False),
        ('w.path == "/etc"', "w in effects.write", False),
        ('basename(w.path) like "*.pem"', "w in effects.write", False),
        ('any(x in r.words where x like "/dev/*")', "r in effects.run", False),
        ('any(o in r.operands where o like "/etc/*")', "r in effects.run", True),
        ('"/etc/passwd" in r.operands', "r in effects.run", True),
        ('any(o in r.operands where o like "+*" or o == "/")', "r in effects.run", False),
        ('any(o in r.operands where o matches r"\\.\\.(/.*)?|.*/")', "r in effects.run", False),
        ('"origin" in r.operands', "r in effects.run", False),
        ('r.program_path like "/usr/bin/*"', "r in effects.run", True),
        ('r.program_path like "*/*"', "r in effects.run", False),
        ('r.program_path == "/usr/bin/git"', "r in effects.run", False),
        ('call.cwd like "/srv/*"', "", True),
        ('call.workspace == "/srv/app"', "", True),
        ('not call.workspace == "/srv/app"', "", False),
        ('path(call.workspace, "") under "/srv/app"', "", False),
        ('call.cwd == ""', "", False),
    ],
)
def test_path_as_text(when: str, each: str, expected: bool, tmp_path: Path) -> None:
    rule = guards(when, each, "[look]")
    files = {"tools": TOOLS, "programs": PROGRAMS, "guards": rule}
    assert bool(codes(tmp_path, "L203", **files)) == expected


def test_what_a_definition_says_is_shown_once_where_it_stands(tmp_path: Path) -> None:
    text = """
        kind: guards
        define:
          any-channel: call.channel like "*"
        rules:
          - {id: g.a, title: G, decide: deny, when: any-channel and risk == low, reason: no}
          - {id: g.b, title: G, decide: deny, when: any-channel and risk == high, reason: no}
        """
    assert codes(tmp_path, "L201", guards=text) == ["guards.yaml:4"]
