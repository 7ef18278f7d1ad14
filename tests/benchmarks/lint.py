"""How long `callgate lint` takes for 10,000 rules, and which of its rules take longest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from callgate.lint.run import lint
from callgate.policytest.loaded import load

__all__ = ["Times", "lint_times", "write_bundle"]

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)

_VOCABULARY = """\
kind: vocabulary
enums:
  mode:
    doc: who approves
    members: {{"off": nobody, manual: a person}}
settings:
  approval.mode: {{type: mode, default: manual, doc: who approves}}
facts:
  chat: {{is: call.channel == "ops" or call.channel == "team", doc: where people talk}}
lists:
{lists}
examples: {{tool: tool_0, argument: path}}
"""

_GUARDS = (
    """\
    each: w in effects.write
    when: w.path under "/data/{n}" and call.sender_id != "u{m}"
    reason: "{{w.path}} belongs to team {n}"
""",
    """\
    each: d in effects.delete
    when: d.path under places.p{m} and d.path != "/data/{n}"
    reason: "{{d.path}} is kept"
""",
    """\
    when: call.tool in tool_{n}|tool_{m} and not chat and call.sender_id == "u{n}"
    reason: tool {n} is not for u{n}
""",
    """\
    each: c in effects.connect
    when: c.host == "h{n}.example.com" or c.host == "h{m}.example.com"
    reason: "{{c.host}} is not ours"
""",
)


class Times(NamedTuple):
    """Seconds: of everything, of loading, of the rules, of the three slowest rules by code."""

    total: float
    loading: float
    rules: float
    slowest: list[tuple[str, float]]
    findings: int


def write_bundle(folder: Path, count: int) -> Path:
    """A bundle of `count` rules, half of them guards, with a test for each fiftieth."""
    folder.mkdir(parents=True)
    half = count // 2
    files = {
        "vocabulary.yaml": _VOCABULARY.format(
            lists="".join(
                f"  places.p{i}: {{type: path, doc: places {i}, items: [/srv/{i}, /var/{i}]}}\n"
                for i in range(97)
            )
        ),
        "tools.yaml": "kind: tools\ntools:\n"
        + "".join(f"  tool_{i}: {{description: Tool {i}, effects: none}}\n" for i in range(half)),
        "guards.yaml": "kind: guards\nrules:\n"
        + "".join(
            f"  - id: guards.g{i}\n    title: Guard {i}\n    decide: {'ask' if i % 3 else 'deny'}\n"
            + _GUARDS[i % len(_GUARDS)].format(n=i, m=i % 97)
            for i in range(half)
        ),
        "flow.yaml": "kind: flow\nsteps:\n  - guards: all\n    id: guards\n    title: Guards\n"
        + "  - id: many\n    title: Many rules\n    rules:\n"
        + "".join(
            f"      - id: many.r{i}\n"
            f'        when: call.tool == "tool_{i}" and call.sender_id == "u_{i % 97}"'
            f' and path(args.path ?? "", call.workspace) under "/data/{i}"\n'
            f"        decide: {'deny' if i % 5 else 'allow'}\n        reason: rule {i}\n"
            for i in range(half)
        )
        + "otherwise: {decide: deny, reason: no rule decided}\n",
        "tests.yaml": "kind: tests\ncases:\n"
        + "".join(
            f"  - name: tool {i}\n    call: {{tool: tool_{i}, args: {{path: /data/{i}/a}},"
            f" context: {{sender_id: u_{i % 97}}}}}\n    expect: {{rule: many.r{i}}}\n"
            for i in range(0, half, 50)
        ),
    }
    listed = ", ".join(files)
    files["bundle.yaml"] = (
        f"kind: bundle\nname: many\nversion: 1.0.0\ntitle: Many\nfiles: [{listed}]\n"
    )
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def lint_times(folder: Path, count: int = 10_000) -> Times:
    """Lint a bundle of `count` rules, once, in this process."""
    where = write_bundle(folder / f"lint-{count}", count)
    start = perf_counter()
    loaded = load(where)
    assert loaded.policy is not None, [item.line for item in loaded.findings[:5]]
    middle = perf_counter()
    report = lint(loaded, NOW)
    end = perf_counter()
    slowest = sorted(report.seconds.items(), key=lambda item: -item[1])[:3]
    rules = sum(report.seconds.values())
    return Times(end - start, middle - start, rules, slowest, len(report.findings))
