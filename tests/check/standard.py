"""A small bundle in whose scope the tests check conditions, and short ways to do it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from callgate.compiler.assemble import prepare
from callgate.compiler.assembly import Assembly
from callgate.lang.check import Checker
from callgate.lang.check_uses import Use
from callgate.load.bundle import Bundle, load_bundle
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostic, Diagnostics
from callgate.model.span import Span

__all__ = ["FILES", "Text", "bundle_of", "check", "expr_of", "marked", "standard"]

FILES = {
    "vocabulary.yaml": """\
kind: vocabulary
enums:
  channel: {open: true, members: [cli, telegram, ""]}
  mode: {members: ["off", smart, manual]}
  origin: {members: ["", user, cron]}
call:
  channel: {type: channel, doc: where it came from}
  origin: {type: origin, doc: what started it}
  cwd: {type: path, doc: the working folder}
settings:
  approval.mode: {type: mode, default: smart, doc: who approves}
  approval.deny: {type: list of tool, default: [], doc: always denied}
  approval.users: {type: list of string, default: [], doc: who may}
  limits.retries: {type: int, default: 3, doc: how often}
  keys.search: {type: string, default: "", secret: true, doc: a key}
  note: {type: optional string, default: null, doc: a remark}
  strict: {type: optional bool, default: null, doc: be strict}
  roots: {type: list of path, default: [], doc: folders}
  root: {type: path, default: /srv, doc: a folder}
  archive: {type: optional path, default: null, doc: a folder}
  hosts: {type: list of host, default: [], doc: hosts}
  allow_from: {type: map of list of string, default: {}, doc: who is elevated}
  watched: {type: list of pattern, default: [], doc: commands that are watched}
  known: {type: list of closed_pattern, default: [], doc: commands that pass}
  command: {type: optional pattern, default: null, doc: a command}
  deadline: {type: time, default: "2026-12-01T09:00:00Z", doc: until when}
facts:
  interactive: {is: call.channel == cli, doc: a person is there}
  deletes: {is: any(d in effects.delete where d.recursive), doc: deletes much}
  harmless: {is: effects.complete and none(d in effects.delete where true), doc: deletes nothing}
  pushes: {is: any(r in effects.run where r is `git push`), doc: pushes}
  noted: {is: has settings.note, doc: there is a remark}
  risky: {is: risk >= exec, doc: it may do harm}
  asked: {is: guards.asks > none, doc: a guard asked}
  retries: {is: settings.limits.retries, doc: how often}
  at_home: {is: "touches(call.cwd, \\"~\\")", doc: somewhere in a home folder}
  folder: {is: "path(call.workspace, \\"/\\")", doc: the workspace as a path}
homes: [/home/*, /root]
lists:
  paths.system: {type: path, doc: folders of the system, items: [/, /etc, /usr]}
  paths.private: {type: path, doc: folders of the user, items: [~/.ssh, /root]}
  hosts.internal: {type: host, doc: our hosts, items: [corp.example, LOCALHOST]}
  people.admins: {type: string, doc: who may, items: [ann, ben]}
""",
    "tools.yaml": """\
kind: tools
capabilities: {fs.read: reads, fs.write: writes, process.exec: runs}
needs: {shell: a shell, key: a key}
tools:
  exec:
    description: runs a command
    capabilities: [process.exec]
    parameters:
      type: object
      properties:
        command: {type: string}
        timeout: {type: integer, default: 30}
        cwd: {type: string}
        force: {type: boolean, default: false}
        env: {type: object}
      required: [command]
    effects: none
    aliases: [bash]
  write_file:
    description: writes a file
    capabilities: [fs.write]
    parameters:
      type: object
      properties: {path: {type: string}, content: {type: string}, mode: {type: integer}}
      required: [path, content]
    effects: none
  move:
    description: moves files
    parameters:
      type: object
      properties:
        path: {type: string}
        to: {type: string}
        paths: {type: array, items: {type: string}}
      required: [path, to, paths]
    effects: none
  open_tool: {description: says nothing of its arguments, effects: none}
""",
    "risk.yaml": """\
kind: risk-map
levels: [read_only, write, exec, dangerous]
default: dangerous
tools: {write: [write_file, move, open_tool], exec: [exec]}
""",
    "profiles.yaml": """\
kind: profiles
profiles: {minimal: {tools: [write_file]}, full: {includes: [minimal], tools: ["*"]}}
""",
    "security.yaml": """\
kind: security-profiles
profiles: {daemon: {deny_tools: [exec], deny_capabilities: [process.exec], keep: [move]}}
""",
    "flow.yaml": "kind: flow\nsteps: [{id: s, title: S}]\notherwise: {decide: deny, reason: no}\n",
}


def bundle_of(files: dict[str, str], diagnostics: Diagnostics) -> Bundle | None:
    """A bundle made of texts, as if they were files."""
    manifest = (
        "kind: bundle\nname: t\nversion: 1.0.0\ntitle: T\nfiles: [" + ", ".join(files) + "]\n"
    )
    contents = [("t/bundle.yaml", manifest.encode())]
    contents += [(f"t/{name}", text.encode()) for name, text in files.items()]
    return load_bundle("t", diagnostics, [contents])


@cache
def standard() -> Assembly:
    """The names of the standard bundle."""
    diagnostics = Diagnostics()
    bundle = bundle_of(FILES, diagnostics)
    assert bundle is not None
    assembly = prepare(bundle, diagnostics)
    assert not diagnostics.items, diagnostics.sorted()
    return assembly


@dataclass(frozen=True)
class Text:
    """A text that stands for itself: one line of a file `c`."""

    value: str

    def span(self, start: int, end: int) -> Span:
        return Span("c", 1, start + 1, 1, end + 1)


def check(
    text: str,
    use: Use = Use.DEFINITION,
    tools: tuple[str, ...] | None = None,
    each: tuple[str, str] | None = None,
) -> tuple[Condition | None, list[Diagnostic]]:
    """Check a condition in the standard scope."""
    diagnostics = Diagnostics()
    checker = Checker(standard().scope, diagnostics)
    found = checker.condition(Text(text), use, tools, each)
    return found, diagnostics.sorted()


def expr_of(text: str, use: Use = Use.DEFINITION, tools: tuple[str, ...] | None = None) -> object:
    """The typed expression of a condition that must be right."""
    found, problems = check(text, use, tools)
    assert found is not None, problems
    assert not problems, problems
    return found.expr


def marked(text: str) -> tuple[str, tuple[int, int]]:
    """`a ⟦b⟧ c` as `a b c` and the columns of `b`."""
    start = text.index("⟦")
    end = text.index("⟧") - 1
    return text.replace("⟦", "").replace("⟧", ""), (start + 1, end + 1)
