"""Command patterns against a slow and obvious judge: commands are made from what they mean, in any
order and spelling, and judged by that."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.effects import Extractor, Surroundings, match
from callgate.lang import parse_pattern

_OPTIONS: Final = {"force": "-f|--force", "quiet": "-q|--quiet", "output": "-o|--output=FILE"}
_TOOL: Final = Extractor(
    {
        "*": {"trusted": ["/usr/bin"]},
        "tool": {
            "options": {"folder": "-C FOLDER"},
            "other": ["--no-pager"],
            "commands": {
                "push": {"options": _OPTIONS, "effects": [{"write": {"path": "option output"}}]},
                "pull": {"options": _OPTIONS, "effects": [{"write": {"path": "option output"}}]},
                "stash": {"options": _OPTIONS},
            },
        },
    }
)
_SHELL: Final = [("shell", {"text": ("arg", "command", None)})]
_SPELLINGS: Final = {
    "force": ("-f", "--force", "--forc", "--f"),
    "quiet": ("-q", "--quiet", "--qui"),
    "output": ("-o", "--output", "--outp"),
    "folder": ("-C",),
    "pager": ("--no-pager",),
}
_FLAGS: Final = ("force", "quiet", "pager")
_VALUES: Final = st.sampled_from(["a", "b.txt", "main"])


@dataclass(frozen=True)
class Meaning:
    """What a command says: its words, and its options with their values."""

    words: tuple[str, ...]
    options: dict[str, str | None]


@dataclass(frozen=True)
class Wanted:
    """What a pattern says."""

    words: tuple[tuple[str, ...], ...]
    needed: dict[str, str | None]
    optional: dict[str, str | None]
    closed: bool

    def text(self) -> str:
        parts = ["tool", *("|".join(w) if len(w) == 1 else f"({'|'.join(w)})" for w in self.words)]
        parts += [_written(name, value) for name, value in self.needed.items()]
        parts += [f"[{_written(name, value)}]" for name, value in self.optional.items()]
        return " ".join([*parts, *["$"] * self.closed])


def _written(name: str, value: str | None) -> str:
    names = [name for name in _SPELLINGS[name] if name[:2] != "--" or len(name) > 6]
    written = names[0] if len(names) == 1 else f"({'|'.join(names[:2])})"
    return written if value is None else f"{written}={value}"


def judged(command: Meaning, pattern: Wanted) -> bool:
    """Whether the command is one of the pattern's."""
    if len(command.words) < len(pattern.words):
        return False
    pairs = zip(command.words, pattern.words, strict=False)
    if not all(any(fnmatchcase(word, one) for one in ways) for word, ways in pairs):
        return False
    for name, value in pattern.needed.items():
        if name not in command.options or not _holds(command.options[name], value):
            return False
    if not pattern.closed:
        return True
    named = pattern.needed | pattern.optional
    return len(command.words) == len(pattern.words) and all(
        name in named and _holds(value, named[name]) for name, value in command.options.items()
    )


def _holds(value: str | None, wanted: str | None) -> bool:
    return wanted is None or (value is not None and fnmatchcase(value, wanted))


@st.composite
def options(draw: st.DrawFn) -> dict[str, str | None]:
    names = draw(st.lists(st.sampled_from(list(_SPELLINGS)), unique=True, max_size=4))
    return {name: None if name in _FLAGS else draw(_VALUES) for name in names}


@st.composite
def commands(draw: st.DrawFn) -> Meaning:
    operands = draw(st.lists(_VALUES, max_size=3))
    return Meaning((draw(st.sampled_from(["push", "pull", "stash"])), *operands), draw(options()))


@st.composite
def patterns(draw: st.DrawFn) -> Wanted:
    ways = st.sampled_from([("a",), ("*",), ("b.*",), ("main", "a"), ("m*n",)])
    first = draw(st.sampled_from([("push",), ("push", "pull"), ("*",)]))
    given_options = draw(options())
    named = {
        name: None if value is None or draw(st.booleans()) else draw(st.sampled_from([value, "*"]))
        for name, value in given_options.items()
    }
    needed = {name: value for name, value in named.items() if draw(st.booleans())}
    optional = {name: value for name, value in named.items() if name not in needed}
    words = (first, *draw(st.lists(ways, max_size=2)))
    return Wanted(words, needed, optional, draw(st.booleans()))


@st.composite
def spelt(draw: st.DrawFn, command: Meaning) -> str:
    """The command in one of its spellings."""
    own: list[list[str]] = []
    cluster = ""
    before = [["--no-pager"]] * ("pager" in command.options)
    if "folder" in command.options:
        value = str(command.options["folder"])
        before.append(draw(st.sampled_from([["-C", value], [f"-C{value}"]])))
    for name, value in command.options.items():
        if name in ("pager", "folder"):
            continue
        written = draw(st.sampled_from(_SPELLINGS[name]))
        if value is None:
            if written[:2] != "--" and draw(st.booleans()):
                cluster += written[1]
            else:
                own.append([written])
        elif draw(st.booleans()):
            own.append([written, value])
        else:
            own.append([f"{written}={value}" if written[:2] == "--" else f"{written}{value}"])
    if cluster:
        own.append([f"-{cluster}"])
    subcommand, *operands = command.words
    rest = draw(st.permutations([*own, *([word] for word in operands)]))
    # Operands keep their order.
    order = iter(operands)
    rest = [[next(order)] if len(part) == 1 and part[0][:1] != "-" else part for part in rest]
    parts = [*draw(st.permutations(before)), [subcommand], *rest]
    program = draw(st.sampled_from(["tool", "/usr/bin/tool", "'tool'", "t\\ool"]))
    return " ".join([program, *(word for part in parts for word in part)])


@settings(max_examples=500, deadline=None)
@given(st.data(), commands(), patterns())
def test_every_spelling_of_a_command_is_judged_by_what_it_means(
    data: st.DataObject, command: Meaning, pattern: Wanted
) -> None:
    text = data.draw(spelt(command))
    found = _TOOL.extract(_SHELL, {"command": text}, Surroundings(cwd="/w", home="/home/u"))
    (run,) = found.by_kind["run"]
    wanted = judged(command, pattern)
    parsed = parse_pattern(pattern.text())
    assert match(run, parsed, False) is wanted, (text, pattern.text())
    if pattern.closed:
        assert match(run, parsed, True) is wanted, (text, pattern.text())


_LOOSE: Final = st.lists(
    st.sampled_from(["-a", "--bee", "--sea=1", "x", "main", "--dee y", "-ef"]), max_size=5
)


@given(_LOOSE, st.sampled_from(["other main", "other --bee", "other x main", "other --dee=y"]))
def test_options_before_what_matches_never_hide_it(words: list[str], text: str) -> None:
    """A program that nobody described: an option in front, with a value or without."""
    pattern = parse_pattern(text)

    def found(line: list[str]) -> object:
        effects = _TOOL.extract(_SHELL, {"command": " ".join(["other", *line])}, Surroundings())
        return match(effects.by_kind["run"][0], pattern, False)

    if found(words) is True:
        for more in (["-z"], ["--zed=1"], ["--zed", "1"], ["-z", "1", "--zed", "2"], ["-z", "--y"]):
            assert found([*more, *words]) is True, more
