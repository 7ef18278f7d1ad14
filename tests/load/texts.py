"""Random texts as YAML scalars in every style, with where each of their words ends up."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

__all__ = ["Rendered", "rendered"]

PLAIN = "abcXYZ019_.()=\"'`é日𝄞/"
ANY = PLAIN + "\\#:,[]{}&*!|>%@?-~"
FIRST = "abcXYZé日𝄞"


@dataclass
class Rendered:
    """A YAML file whose value at ("a", 0, "k") is a text.

    `words`: (word in the value, the same as it is written in the file), in order.
    """

    text: str
    words: list[tuple[str, str]]


@st.composite
def rendered(draw: st.DrawFn) -> Rendered:
    """A text in some style, with line ends of some kind, between other lines."""
    style = draw(st.sampled_from([plain, single, double, block]))
    scalar, words = draw(style())
    lead = draw(st.sampled_from(["", "# é𝄞\n", "x: |\n  y\n\n"]))
    key = draw(st.sampled_from(["k", '"k"', "? k\n    "]))
    rest = draw(st.sampled_from(["", "\nz: 1\n", "  # end\n", "\n\n\n# end\n"]))
    if scalar.startswith((">", "|")):
        rest = draw(st.sampled_from(["", "\n", "\nz: 1\n"]))
    text = f"{lead}a:\n  - o: 1\n    {key}: {scalar}{rest}"
    ending = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return Rendered(text.replace("\n", ending), words)


def word(alphabet: str, first: str | None = None) -> st.SearchStrategy[str]:
    """A word of the alphabet that begins with one of `first`."""
    rest = st.text(alphabet, max_size=6)
    return st.builds(str.__add__, st.sampled_from(first or alphabet), rest)


# White space between words: on one line, or folded over lines that are indented deeper than keys.
space = st.sampled_from([" ", "  ", " \t "])
fold = st.builds(
    lambda trail, blank, indent: f"{trail}\n{blank}{' ' * indent}",
    st.sampled_from(["", " ", "\t "]),
    st.sampled_from(["", "\n", "   \n\n"]),
    st.integers(7, 10),
)


@st.composite
def plain(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    words = draw(st.lists(word(PLAIN, FIRST), min_size=1, max_size=5))
    gaps = [draw(space | fold) for _ in words[1:]]
    return joined(words, gaps), [(w, w) for w in words]


@st.composite
def single(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    words = draw(st.lists(word(ANY), min_size=1, max_size=5))
    written = [w.replace("'", "''") for w in words]
    gaps = [draw(space | fold) for _ in words[1:]]
    return f"'{joined(written, gaps)}'", list(zip(words, written, strict=True))


@st.composite
def double(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    words = draw(st.lists(word(ANY + "\x85\u2028\t\x07"), min_size=1, max_size=5))
    words = [w.strip("\t") or "a" for w in words]
    written = ["".join(draw(escaped(c)) for c in w) for w in words]
    glue = st.sampled_from(["\\\n       ", " \\\n\n         "])
    gaps = [draw(space | fold | glue) for _ in words[1:]]
    return f'"{joined(written, gaps)}"', list(zip(words, written, strict=True))


def escaped(character: str) -> st.SearchStrategy[str]:
    """Ways to write a character between double quotes."""
    code = ord(character)
    ways = [f"\\U{code:08x}"]
    ways += [f"\\u{code:04X}"] if code <= 0xFFFF else []
    ways += [f"\\x{code:02x}"] if code <= 0xFF else []
    named = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\x07": "\\a", "\x85": "\\N", "\u2028": "\\L"}
    ways += [named.get(character, character)] * 5
    return st.sampled_from(ways)


@st.composite
def block(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    style = draw(st.sampled_from("|>"))
    indent = draw(st.integers(1, 4))
    explicit = draw(st.booleans())
    chomping = draw(st.sampled_from(["", "+", "-"]))
    comment = draw(st.sampled_from(["", '  # it\'s a "comment"']))
    lines: list[str] = []
    words: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(1, 5))):
        deeper = draw(st.integers(0, 3)) if words or explicit else 0
        found = draw(st.lists(word(ANY), max_size=3) | st.just(["a", "#b"]))
        line = " " * (4 + indent + deeper) + " ".join(found)
        lines.append(line if found else line[: draw(st.integers(0, 4 + indent))])
        words += [(w, w) for w in found]
    header = style + (f"{indent}{chomping}" if draw(st.booleans()) else f"{chomping}{indent}")
    header = header if explicit else style + chomping
    return f"{header}{comment}\n" + "\n".join(lines), words


def joined(words: list[str], gaps: list[str]) -> str:
    return words[0] + "".join(gap + w for gap, w in zip(gaps, words[1:], strict=True))
