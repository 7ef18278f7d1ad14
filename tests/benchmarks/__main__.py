"""`make bench`: every figure with its ratio to a hand-written function and a closure tree.

Absolute times depend on the machine and on what else it does; the ratios, taken in the same run,
are what to compare.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from timeit import repeat
from typing import Any

from tests.benchmarks import bad_settings, commands, complete, lint
from tests.benchmarks.baselines import by_hand, closure_tree

from callgate.engine import Engine

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RULES = (10, 100, 1_000, 10_000)

CALLS: list[dict[str, Any]] = [
    {
        "tool": tool,
        "args": {"command": "git status"},
        "context": {
            "channel": channel,
            "sender_id": "user_123",
            "unattended": unattended,
            "cron_authorized": cron,
        },
    }
    for tool, channel, unattended, cron in (
        ("skill_install", "cli", False, False),
        ("cronjob", "cron", True, True),
        ("read_file", "telegram", False, False),
        ("exec", "cron", True, True),
        ("exec", "telegram", False, False),
        ("process", "web", False, False),
        ("write_file", "web", False, False),
    )
]


def microseconds(function: Callable[[Any], Any], argument: Any, rounds: int = 100) -> float:
    """The mean time of one call over the best of `rounds` runs, without the loop's own cost."""
    number = 1_000
    scope = {"function": function, "argument": argument}
    run = min(repeat("function(argument)", globals=scope, number=number, repeat=rounds))
    empty = min(repeat("argument", globals=scope, number=number, repeat=rounds))
    return (run - empty) / number * 1e6


def show(label: str, value: float, unit: str, aim: str, hand: float = 0, tree: float = 0) -> None:
    ratios = f"{value / hand:8.1f} × hand {value / tree:7.1f} × closures" if hand else ""
    print(f"  {label:<46}{value:10.2f} {unit:<3} {aim:<14}{ratios}")


def pipeline() -> tuple[float, float]:
    engine = Engine.load(HERE / "pipeline")
    tree = closure_tree()
    for call in CALLS:
        assert engine.decide(call).decision == by_hand(call) == tree(call), call
    by_call = [[microseconds(f, call) for f in (by_hand, tree, engine.decide)] for call in CALLS]
    hand, closures, callgate = (mean(row[i] for row in by_call) for i in range(3))
    print("Seven rules, from the caller's dict to a decision with its trace (mean of seven calls)")
    show("hand-written function, bare decision", hand, "µs", "")
    show("closure tree, bare decision", closures, "µs", "", hand, closures)
    show("callgate", callgate, "µs", "aim ≤ 2.1", hand, closures)
    told = microseconds(lambda call: engine.decide(call).to_dict(), CALLS[4], 20)
    show("callgate, with the whole JSON form", told, "µs", "", hand, closures)
    return hand, closures


def complete_bundle(hand: float, closures: float) -> None:
    engine = Engine.load("echo")
    print("Single calls through the complete echo bundle")
    for label, calls in complete.CALLS.items():
        middle, late = complete.percentiles(engine, calls)
        aim = "aim ≤ 5" if label == "read_file of a relative path" else ""
        show(f"{label}, p50", middle, "µs", aim, hand, closures)
        show(f"{label}, p99", late, "µs", "")


def shell_commands(hand: float, closures: float) -> None:
    print("Commands through the complete echo bundle: text seen before, and text never seen")
    for label, (command, aim) in commands.COMMANDS.items():
        seen, new = commands.deciding(command)
        show(f"{label}, seen", seen, "µs", aim, hand, closures)
        show(f"{label}, new", new, "µs", aim, hand, closures)
    for size, seen, new in commands.growing():
        aim = "aim ≤ 12" if size == 10 else ""
        show(f"a script of {size} KB, seen", seen, "ms", aim)
        show(f"a script of {size} KB, new", new, "ms", aim)


def write_rules(folder: Path, count: int) -> Path:
    """A bundle of `count` rules that each test a tool, a sender and a path."""
    folder.mkdir()
    (folder / "bundle.yaml").write_text(
        "kind: bundle\nname: many\nversion: 1.0.0\ntitle: Many rules\n"
        "files: [vocabulary.yaml, tools.yaml, flow.yaml]\n"
    )
    (folder / "vocabulary.yaml").write_text("kind: vocabulary\n")
    tools = "".join(f"  tool_{i}: {{description: Tool {i}, effects: none}}\n" for i in range(count))
    (folder / "tools.yaml").write_text(f"kind: tools\ntools:\n{tools}")
    rules = "".join(
        f"      - id: many.r{i}\n"
        f'        when: call.tool == "tool_{i}" and call.sender_id == "u_{i % 97}"'
        f' and path(args.path ?? "", call.workspace) under "/data/{i}"\n'
        "        decide: allow\n"
        f"        reason: rule {i}\n"
        for i in range(count)
    )
    (folder / "flow.yaml").write_text(
        "kind: flow\nsteps:\n  - id: many\n    title: Many rules\n    rules:\n"
        f"{rules}otherwise: {{decide: deny, reason: no rule decided}}\n"
    )
    return folder


def many_rules(hand: float, closures: float, folder: Path) -> None:
    print('N rules `tool == "tool_i" and sender == "u_j" and path under "/data/i"`')
    times = []
    for count in RULES:
        engine = Engine.load(write_rules(folder / str(count), count))
        picked = [count // 7 * k for k in range(7)]
        calls = [
            {
                "tool": f"tool_{i}",
                "args": {"path": f"/data/{i}/notes.md"},
                "context": {"sender_id": f"u_{i % 97}", "workspace": "/srv/app"},
            }
            for i in picked
        ]
        for i, call in zip(picked, calls, strict=True):
            assert engine.decide(call).rule == f"many.r{i}"
        times.append(mean(microseconds(engine.decide, call) for call in calls))
        show(f"N = {count:,}", times[-1], "µs", "aim ≤ 3", hand, closures)
    show("N = 10,000 against N = 10", times[-1] / times[0], "×", "aim ≤ 1.3")


def environment(cache: Path) -> dict[str, str]:
    """As a user's: with a cache folder, and with Python's own cache of compiled modules."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "XDG_CACHE_HOME": str(cache)}


def fresh(code: str, *arguments: str, cache: Path) -> dict[str, float]:
    """Run `code` in a new process; it prints JSON."""
    found = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment(cache),
        cwd=ROOT,
    )
    result: dict[str, float] = json.loads(found.stdout)
    return result


LOAD = """
import json, sys, time
from pathlib import Path
from callgate.engine import Engine
start = time.perf_counter()
engine = Engine.load(sys.argv[1], cache=sys.argv[2] == "cache")
seconds = time.perf_counter() - start
engine.decide({"tool": "exec"})
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(json.dumps({"ms": seconds * 1000, "mb": int(status["VmHWM"].split()[0]) / 1024}))
"""


def loading(folder: Path) -> None:
    cache = folder / "cache"
    print("Loading, in a fresh process (imports of the stages included)")
    for label, bundle, aims in (
        ("echo", "echo", ("aim ≤ 250", "aim ≤ 30")),
        ("10,000 rules", str(folder / "10000"), ("aim ≤ 4000", "aim ≤ 250")),
    ):
        cold = [fresh(LOAD, bundle, "cold", cache=cache) for _ in range(3)]
        fresh(LOAD, bundle, "cache", cache=cache)
        warm = [fresh(LOAD, bundle, "cache", cache=cache) for _ in range(5)]
        show(f"{label}: load, check, compile", median(r["ms"] for r in cold), "ms", aims[0])
        show(f"{label}: from the cached graph", median(r["ms"] for r in warm), "ms", aims[1])
        show(
            f"{label}: memory of the process, cached",
            median(r["mb"] for r in warm),
            "MB",
            "aim ≤ 150",
        )
        show(f"{label}: memory of the process, cold", median(r["mb"] for r in cold), "MB", "")


def _commanded(folder: Path, *args: str) -> list[float]:
    """How long `callgate` takes with these arguments; the first run fills the cache."""
    times = []
    for _ in range(21):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "callgate", *args],
            stdout=subprocess.DEVNULL,
            env=environment(folder / "cache"),
            cwd=ROOT,
            check=False,
        )
        times.append(time.perf_counter() - start)
    return times[1:]


def command_line(folder: Path) -> None:
    one_call = [
        "eval",
        "--tool",
        "exec",
        "--arg",
        "command=git status",
        "--context",
        "channel=cli",
        "--format",
        "json",
    ]
    evals, tools = _commanded(folder, *one_call), _commanded(folder, "tools")
    bare, with_click = [], []
    for _ in range(9):
        for code, found in (("pass", bare), ("import click", with_click)):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment(folder))
            found.append(time.perf_counter() - start)
    print("The whole process")
    show("python -c pass", median(bare) * 1000, "ms", "")
    show("python -c 'import click'", median(with_click) * 1000, "ms", "")
    show("callgate eval of one call, cached", median(evals) * 1000, "ms", "aim ≤ 150")
    show("callgate tools, cached", median(tools) * 1000, "ms", "aim ≤ 200")


def settings(folder: Path) -> None:
    print("`callgate lint --settings` of bad files, the whole process")
    times = dict(bad_settings.lint_times(folder, environment(folder / "cache")))
    least = min(times.values())
    for label, seconds in times.items():
        show(label, seconds * 1000, "ms", "aim ≤ 1000")
        show("  against the fastest", seconds / least, "×", "")


def linting(folder: Path) -> None:
    times = lint.lint_times(folder)
    print(f"`callgate lint` of 10,000 rules, half of them guards: {times.findings:,} findings")
    show("load, check, compile", times.loading, "s", "")
    show("lint", times.total - times.loading, "s", "aim ≤ 10")
    for code, seconds in times.slowest:
        show(f"  of which {code}", seconds, "s", "")
    lint_again = _commanded(folder, "lint", "echo")
    show("callgate lint of an unchanged bundle", median(lint_again) * 1000, "ms", "aim ≤ 500")


def main() -> None:
    hand, closures = pipeline()
    complete_bundle(hand, closures)
    shell_commands(hand, closures)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many_rules(hand, closures, folder)
        loading(folder)
        command_line(folder)
        settings(folder)
        linting(folder)


if __name__ == "__main__":
    main()
