"""How long `callgate lint --settings` takes for files that are no settings files."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

__all__ = ["FILES", "lint_times"]

_LINT = [sys.executable, "-m", "callgate", "lint", "echo", "--no-cache"]
_NAMES = [f"stranger_{number}" for number in range(1_000)]

FILES: dict[str, str] = {
    "no settings": "tools: {}\n",
    "1,000 unknown keys": "".join(f"{name}: 1\n" for name in _NAMES),
    "1,000 unknown dotted keys": "tools:\n" + "".join(f"  exec.{name}: 1\n" for name in _NAMES),
    "1,000 unknown tools": f"tools: {{deny: [{', '.join(_NAMES)}]}}\n",
    "10,000 duplicate keys": "tools:\n" + "  deny: []\n" * 10_000,
    "a cyclic alias": "tools: &a\n  deny: *a\n",
    "a list": "- tools\n",
    "5,000 open brackets": "tools: " + "[" * 5_000,
    "1 MB of tools": "tools:\n  deny:\n" + "    - read_file\n" * 65_000,
    "5 MB": "tools:\n  deny:\n" + "    - read_file\n" * 330_000,
}
"""A settings file's text by what is the matter with it."""


def lint_times(folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, float]]:
    """Seconds of a whole `callgate lint` process, for each of the files."""
    for number, (label, text) in enumerate(FILES.items()):
        file = folder / f"settings-{number}.yaml"
        file.write_text(text)
        times = []
        for _ in range(4):
            start = time.perf_counter()
            subprocess.run(
                [*_LINT, "--settings", str(file)],
                stdout=subprocess.DEVNULL,
                env=environment,
                check=False,
            )
            times.append(time.perf_counter() - start)
        yield label, median(times[1:])
