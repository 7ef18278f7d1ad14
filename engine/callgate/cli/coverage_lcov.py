"""Coverage as an lcov tracefile, for genhtml and what else reads them.

A step, rule, guard or answer is a function; a condition and each counted part of it are blocks of
two branches, true first.
"""

from __future__ import annotations

from collections.abc import Iterator

from callgate.policytest.coverage.lines import File

__all__ = ["lcov_of"]


def lcov_of(files: list[File]) -> str:
    """The tracefile of all files."""
    return "".join(f"{line}\n" for file in files for line in _file(file))


def _file(file: File) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{file.name}"
    functions = [
        (number, item.key.replace(",", " "), count)
        for number, line in sorted(file.lines.items())
        for item, count in line.nodes
    ]
    yield from (f"FN:{number},{name}" for number, name, _ in functions)
    yield from (f"FNDA:{count},{name}" for _, name, count in functions)
    yield f"FNF:{len(functions)}"
    yield f"FNH:{sum(count > 0 for _, _, count in functions)}"
    taken = []
    for number, line in sorted(file.lines.items()):
        for block, branch in enumerate(line.branches):
            tally = branch.tally
            looked = tally.true + tally.false + tally.unknown
            for index, count in enumerate((tally.true, tally.false)):
                yield f"BRDA:{number},{block},{index},{count if looked else '-'}"
                taken.append(count > 0)
    yield f"BRF:{len(taken)}"
    yield f"BRH:{sum(taken)}"
    yield from (f"DA:{number},{line.hits}" for number, line in sorted(file.lines.items()))
    yield f"LF:{len(file.lines)}"
    yield f"LH:{sum(line.hits > 0 for line in file.lines.values())}"
    yield "end_of_record"
