"""A small bundle made of texts, and what assembling it finds."""

from __future__ import annotations

from callgate.compiler.assemble import assemble
from callgate.model.diagnostic import Diagnostic, Diagnostics
from callgate.model.policy import Policy
from tests.check.standard import bundle_of

__all__ = ["BASE", "assembled", "found_at", "policy_of"]

BASE = {
    "vocabulary": """\
kind: vocabulary
enums: {mode: {members: [smart, manual]}}
settings:
  approval.mode: {type: mode, default: smart, doc: who approves}
  approval.deny: {type: list of tool, default: [bash, exec], doc: always denied}
facts: {quiet: {is: call.unattended and not nightly, doc: q},
  nightly: {is: call.origin == "cron", doc: by clock}}
lists: {paths.system: {type: path, doc: system, items: [/etc/, "~"]}}
examples: {tool: exec, argument: command}
sections: [logging]
""",
    "tools": """\
kind: tools
capabilities: {fs.read: reads, process.exec: runs}
tools:
  exec:
    description: runs a command
    capabilities: [process.exec]
    parameters:
      type: object
      properties: {command: {type: string}, cwd: {type: string}}
      required: [command]
    effects: [{shell: {text: args.command, cwd: {arg: cwd, default: /}}}]
    aliases: [bash, shell]
  look:
    description: reads a file
    parameters: {type: object, properties: {path: {type: string}}}
    effects: [{read: {path: args.path}, when: has args.path}, {write: {path: /tmp/log}}]
  old: {description: is no more, effects: none, status: reserved}
dynamic:
  mcp:
    when: declared.mcp_server != ""
    listed: true
    capabilities: [fs.read]
    effects: [{paths: {as: read}}]
""",
    "risk": """\
kind: risk-map
levels: [low, high]
default: high
tools: {low: [look], high: [exec]}
declared: [{id: declared.server, when: declared.mcp_server == "a", level: low}]
raise: [{id: raise.cron, tools: [look], when: nightly, to: high}]
""",
    "profiles": """\
kind: profiles
profiles: {small: {tools: [look]}, big: {includes: [small], tools: [exec, "*"]}}
""",
    "security": """\
kind: security-profiles
profiles: {daemon: {deny_tools: [exec], deny_capabilities: [process.exec], keep: [look]}}
""",
    "guards": """\
kind: guards
define: {large: any(d in effects.delete where d.recursive)}
rules:
  - id: files.delete
    title: Deletes
    decide: ask
    approval: person
    each: d in effects.delete
    when: d.path under paths.system
    unresolved: {pass: another looks}
    reason: deletes {d.path}
    examples: {match: [rm -r /etc], pass: [{tool: look, args: {path: /etc}}]}
  - {id: files.much, title: Deletes much, tools: [exec], decide: deny, when: large, reason: no}
""",
    "flow": """\
kind: flow
define: {known: call.tool in exec|look}
steps:
  - id: first
    title: First
    rules: [{id: first.denied, when: call.tool in settings.approval.deny, decide: deny}]
  - {id: guards, title: Guards, guards: all, asks_become: {deny: settings.approval.mode == manual}}
  - id: second
    title: Second
    when: not quiet
    show: risk
    rules:
      - {id: second.known, tools: [look], when: known and risk < high, decide: allow, despite: asks}
    otherwise: {decide: ask, reason: "who knows {call.tool}"}
  - id: grants
    title: Grants
    consult: grant
    answers: {granted: {decide: allow, despite: person}, none: next}
  - id: last
    title: Last
    rules:
      - id: last.review
        consult: reviewer
        unavailable_when: ["^error"]
        answers: {approve: {decide: allow}, deny: {decide: deny}, escalate: next, unavailable: next}
otherwise: {decide: deny, reason: no step decided}
""",
    "masking": "kind: masking\nnames: [token]\npatterns: {key: 'sk-[a-z]+'}\n",
    "invariants": """\
kind: invariants
rules: [{id: never.denied, title: Denied, never: allow, when: call.tool in settings.approval.deny}]
""",
    "programs": "kind: programs\nprograms: {rm: {}}\n",
}
"""A bundle with something of everything, by file name without its ending."""

START, END = "⟦", "⟧"


def assembled(files: dict[str, str]) -> tuple[Policy | None, list[Diagnostic]]:
    """The policy of a bundle of these files, and everything that was reported."""
    diagnostics = Diagnostics()
    named = {f"{name}.yaml": text for name, text in files.items()}
    bundle = bundle_of(named, diagnostics)
    assert bundle is not None, diagnostics.sorted()
    return assemble(bundle, diagnostics), diagnostics.sorted()


def policy_of(files: dict[str, str]) -> Policy:
    """The policy of a bundle without mistakes."""
    policy, problems = assembled(files)
    assert not problems, problems
    assert policy is not None
    return policy


def found_at(files: dict[str, str]) -> tuple[dict[str, str], str]:
    """The files without `⟦` and `⟧`, and what stood between them, as `file:line:column-column`."""
    place = ""
    plain: dict[str, str] = {}
    for name, text in files.items():
        if START in text:
            before = text[: text.index(START)]
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            end = column + text.index(END) - len(before) - 1
            place = f"t/{name}.yaml:{line}:{column}-{end}"
        plain[name] = text.replace(START, "").replace(END, "")
    return plain, place
