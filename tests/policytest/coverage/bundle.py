"""A bundle with one of everything that coverage counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

from callgate.model.span import Span
from callgate.policytest.cases import Case
from callgate.policytest.coverage import Coverage
from callgate.policytest.loaded import Loaded, load
from callgate.policytest.run import run_tests

__all__ = ["covered", "loaded", "run_calls", "write"]

FILES: Final[Mapping[str, str]] = {
    "vocabulary.yaml": """\
        kind: vocabulary
        settings:
          strict: {type: bool, default: false, doc: whether asks become denies}
          trusted: {type: list of string, default: [], doc: channels that are trusted}
        facts:
          trusted:
            is: call.channel in settings.trusted or call.channel == "home"
            doc: whether the channel is trusted
        """,
    "tools.yaml": """\
        kind: tools
        capabilities: {files: reads and writes files}
        tools:
          look:
            description: Read a file
            capabilities: [files]
            parameters: {type: object, properties: {path: {type: string}}, required: [path]}
            effects: [{read: {path: args.path}}]
          save:
            description: Write a file
            capabilities: [files]
            parameters: {type: object, properties: {path: {type: string}}, required: [path]}
            effects: [{write: {path: args.path}}]
          gone: {description: Not there, effects: none, status: reserved}
        dynamic:
          remote: {when: call.called_as like "remote_*", capabilities: [files], effects: none}
        """,
    "risk.yaml": """\
        kind: risk-map
        levels: [low, high]
        combine: strictest
        default: high
        tools: {low: [look], high: [save]}
        declared:
          - {id: declared.remote, when: call.called_as like "remote_low*", level: low}
        raise:
          - {id: raise.unattended, tools: [look], when: call.unattended, to: high}
        """,
    "visibility.yaml": """\
        kind: flow
        flow: visibility
        steps:
          - id: names
            title: Names
            rules:
              - {id: hidden.gone, title: Reserved, when: tool.reserved, hide: reserved}
        otherwise: show
        """,
    "flow.yaml": """\
        kind: flow
        define:
          far: not (call.channel in "home"|"near")
        steps:
          - id: hidden
            title: Hidden
            flow: visibility
          - id: guards
            title: Guards
            guards: all
            asks_become: {deny: settings.strict}
          - id: saving
            title: Saving
            when: call.tool == save
            rules:
              - id: saving.far
                title: From afar
                when: far and not trusted
                decide: deny
                exceptions:
                  - id: saving.move
                    when: call.channel == "mover"
                    until: 2027-01-01
                    owner: files
                    reason: The move.
              - id: saving.tried
                title: Tried
                enforce: shadow
                when: call.unattended
                decide: deny
          - id: low
            title: Low
            rules:
              - {id: low.passes, title: Low risk, when: risk == low, decide: allow}
          - id: trusted
            title: Trusted
            when: trusted
            rules:
              - {id: trusted.saving, title: Saving, tools: [save], decide: allow, despite: asks}
            otherwise: {decide: deny, reason: not for this tool}
          - id: person
            title: A person
            consult: human
            answers:
              once: {decide: allow, despite: person}
              session: {decide: allow, despite: person}
              session-all: {decide: allow, despite: person}
              always: {decide: allow, despite: person}
              deny: {decide: deny}
              timeout: {decide: deny}
        otherwise: {decide: deny, reason: no step decided}
        """,
    "guards.yaml": """\
        kind: guards
        rules:
          - id: files.private
            title: Private files
            decide: deny
            each: w in effects.write
            when: w.path under "/etc" and (call.unattended or call.channel != "home")
            reason: private
            examples:
              match: [{tool: save, args: {path: /etc/x}}]
              pass: [{tool: save, args: {path: /x}}]
          - id: files.many
            title: Files with odd names
            decide: ask
            tools: [save]
            when: any(w in effects.write where w.path like "*odd*" or w.path like "*even*")
            reason: odd
            examples:
              match: [{tool: save, args: {path: /odd}}]
              pass: [{tool: save, args: {path: /x}}]
          - id: files.look
            title: Looking
            decide: note
            tools: [look]
            when: true
            reason: looked
            examples:
              match: [{tool: look, args: {path: /x}}]
              pass: [{tool: save, args: {path: /x}}]
        """,
}


def write(folder: Path, cases: str = "") -> Path:
    """Write the bundle, with a test file of these cases where there are any, and give its root."""
    texts = {name: dedent(text) for name, text in FILES.items()}
    if cases:
        texts["tests.yaml"] = "kind: tests\ncases:\n" + cases
    names = "".join(f"  - {name}\n" for name in texts)
    texts["bundle.yaml"] = f"kind: bundle\nname: small\nversion: '1'\ntitle: Small\nfiles:\n{names}"
    root = folder / "small"
    root.mkdir()
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8", newline="")
    return root


def loaded(folder: Path, cases: str = "") -> Loaded:
    """The bundle, loaded; raises PolicyError where something is wrong with it."""
    found = load(write(folder, cases))
    found.usable()
    return found


def run_calls(bundle: Loaded, seen: Coverage, *calls: Mapping[str, Any]) -> Coverage:
    """Let a coverage observe calls, each with its own `settings` and `shown: true`."""
    cases = [_case(index, call) for index, call in enumerate(calls)]
    run_tests(bundle, cases, seen)
    return seen


def _case(index: int, call: Mapping[str, Any]) -> Case:
    rest = {key: value for key, value in call.items() if key not in ("settings", "shown")}
    expect = {"shown": "visible"} if call.get("shown") else {}
    return Case(f"case {index}", rest, call.get("settings", {}), expect, Span("x", 1, 1, 1, 1))


def covered(bundle: Loaded, *calls: Mapping[str, Any]) -> Coverage:
    """The coverage by these calls alone, without the examples of guards."""
    return run_calls(bundle, Coverage.of(bundle).blank(), *calls)
