"""Arguments and constants in the catalogue's effects: what is found, and what is let through."""

from __future__ import annotations

import pytest

from tests.compiler.assembling import BASE, assembled, found_at

TOOLS = """\
kind: tools
tools:
  pay:
    description: pays
    parameters:
      type: object
      properties: {amount: {type: number}, host: {type: string}, port: {type: integer},
        force: {type: boolean}, path: {type: string}, files: {type: array}, free: {}}
      required: [amount, host, path, port, force, files]
    effects: [EFFECTS]
"""

MISTAKES = [
    # A constant where an argument was meant
    ("{read: {path: ⟦arg.host⟧}}", "S004", "no argument", "`args.host`"),
    ("{read: {path: ⟦arguments.hots⟧}}", "S004", "", "`args.host`"),
    ('{read: {path: ⟦"args[path]"⟧}}', "S004", "", "`args.path`"),
    ("{read: {path: ⟦call.args.path⟧}}", "S004", "", "`args.path`"),
    ("{write: {path: ⟦amount⟧}}", "S004", "`amount` would be the text", "`args.amount`"),
    ("{write: {path: ⟦hosst⟧}}", "S004", "", "`args.host`"),
    ("{connect: {host: ⟦host⟧}}", "S004", "", "`args.host`"),
    ("{connect: {host: args.host, port: ⟦port⟧}}", "S004", "", "`args.port`"),
    ("{delete: {path: args.path, recursive: ⟦force⟧}}", "S004", "", "`args.force`"),
    ("{patch: {text: args.path, path: ⟦host⟧}}", "S004", "", "`args.host`"),
    ("{schedule: {text: ⟦arg.path⟧}}", "S004", "", "`args.path`"),
    ("{shell: {text: ⟦args⟧}}", "S004", "", "`args.NAME`"),
    # A constant of another type
    ('{delete: {path: args.path, recursive: ⟦"yes"⟧}}', "S003", "`recursive` is a bool", "`true`"),
    ("{delete: {path: args.path, recursive: ⟦1⟧}}", "S003", "a number", "`true`"),
    ("{write: {path: ⟦3⟧}}", "S003", "`path` is a path, not a number", ""),
    ("{write: {path: ⟦true⟧}}", "S003", "not `true`", ""),
    ("{permission: {path: /a, mode: ⟦777⟧}}", "S003", "`mode` is a string", '`"777"`'),
    ('{connect: {host: args.host, port: ⟦"443"⟧}}', "S003", "`port` is an int", ""),
    ("{connect: {url: ⟦example.org⟧}}", "S004", "not an absolute URL", ""),
    ('{connect: {host: ⟦"*.a.test"⟧}}', "S004", "is not a host", "`a.test`"),
    ('{write: {path: ⟦"/srv/*"⟧}}', "T024", "is a pattern", "`/srv`"),
    ("{interpret: {language: python, source: ⟦inlin⟧}}", "S004", "`inlin`", "`inline`"),
    ("{delete: {path: args.path, recursive: {arg: force, default: ⟦no way⟧}}}", "S003", "", ""),
    # An argument of another type
    ("{write: {path: ⟦args.amount⟧}}", "S003", "argument `amount` is a number", "`parameters`"),
    ("{delete: {path: args.path, recursive: ⟦args.host⟧}}", "S003", "of type `string`", ""),
    ("{connect: {host: args.host, port: ⟦args.path⟧}}", "S003", "`port` is an int", ""),
    ("{shell: {text: ⟦args.force⟧}}", "S003", "is a bool", ""),
    ("{read: {path: ⟦args.pat⟧}}", "T020", "no argument `pat`", "`path`"),
    # An argument that may be left out
    ("{read: {path: ⟦args.free⟧}}", "C043", "without `free`", "`when: has args.free`"),
    ("{read: {path: ⟦{arg: free}⟧}}", "C043", "without `free`", ""),
    ("{read: {path: ⟦args.free⟧}, when: args.force}", "C043", "", ""),
]


@pytest.mark.parametrize(("effect", "code", "message", "help"), MISTAKES)
def test_mistakes(effect: str, code: str, message: str, help: str) -> None:
    files, place = found_at(with_effects(effect))
    _, problems = assembled(files)
    problems = [problem for problem in problems if problem.code != "C014"]
    assert [problem.code for problem in problems] == [code], problems
    (problem,) = problems
    assert message in problem.message
    assert help in problem.help
    span = problem.span
    assert span is not None
    assert f"{span.file}:{span.line}:{span.column}-{span.end_column}" == place


@pytest.mark.parametrize(
    "effect",
    [
        "{write: {path: /tmp/log}}",
        "{write: {path: ./amount}}",
        "{write: {path: log}}",
        "{read: {path: ~/notes}}",
        "{read: {path: args.files}}",
        "{read: {path: args.free}, when: has args.free}",
        "{read: {path: {arg: free, default: .}}}",
        '{shell: {text: args.path, cwd: {arg: free, default: ""}}}',
        '{connect: {url: "https://a.test/"}}',
        "{connect: {host: a.test, port: 443}}",
        "{connect: {host: args.host, port: args.amount}}",
        "{power: {action: reboot}}",
        "{permission: {path: args.path, mode: a+w}}",
        "{interpret: {language: python, source: file}}",
        "{schedule: {text: host}}",
        "{paths: {as: delete}}",
        "{patch: {text: args.path, path: args.host}}",
        "{code: {text: args.path, language: python}}",
        "{run: {program: git, words: args.files}}",
        "{sql: {statement: drop, tables: users, has_where: false}}",
    ],
)
def test_constants_and_arguments(effect: str) -> None:
    _, problems = assembled(with_effects(effect))
    assert not [problem for problem in problems if problem.code != "C014"]


def with_effects(effect: str) -> dict[str, str]:
    pay = TOOLS.replace("EFFECTS", effect).partition("tools:\n")[2]
    return {**BASE, "tools": BASE["tools"].replace("tools:\n", f"tools:\n{pay}", 1)}
