"""No text makes a pattern slow: on one that is twice as long, each takes about twice the steps.

Only of what reads texts that an agent or a model writes; a policy is read by whoever wrote it.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import callgate
from callgate.effects.code import regex_literals
from callgate.effects.code.lexer import Lexer
from callgate.effects.code.spec import Syntax
from callgate.gate.code_comments import _pattern
from tests.gate.subjects import engine
from tests.regex_work import Engine, TooMuchWorkError, characters, work

READ = ("effects", "gate", "runtime", "stdlib", "tools", "record")
ONCE = {"match", "fullmatch", "search"}
LENGTH = 24
MOST = 20_000


def patterns() -> Iterator[Any]:
    """Every pattern of those modules, with the methods by which its own module uses it."""
    seen: set[tuple[str, int, frozenset[str]]] = set()
    for part in READ:
        for found in pkgutil.walk_packages([f"{callgate.__path__[0]}/{part}"], f"callgate.{part}."):
            module = importlib.import_module(found.name)
            source = inspect.getsource(module)
            for name, value in vars(module).items():
                for pattern in value.values() if isinstance(value, Mapping) else [value]:
                    if not isinstance(pattern, re.Pattern) or isinstance(pattern.pattern, bytes):
                        continue
                    used = set(re.findall(rf"\b{name}(?:\[.*\])?\.(\w+)\b", source))
                    ways = frozenset(used & ONCE | ({"finditer"} if used - ONCE else set()))
                    key = (pattern.pattern, pattern.flags, ways or frozenset({"finditer"}))
                    if key not in seen:
                        seen.add(key)
                        yield pytest.param(pattern, sorted(key[2]), id=f"{found.name}.{name}")


def slow(pattern: re.Pattern[str], ways: list[str]) -> list[tuple[str, str]]:
    """Texts, told by what is repeated in them, for which twice the length is far more than twice
    the work."""
    chars = characters(pattern)
    pairs = [a + b for a in chars for b in chars if a != b] if len(chars) <= 16 else []
    pairs += [pair + c for pair in pairs for c in chars] if len(chars) <= 6 else []
    found: list[tuple[str, str]] = []
    for repeated in (*chars, *pairs):
        if len(found) > 2:
            break
        for way in ways:
            for end in ("", "\0"):
                texts = [
                    repeated * (length // len(repeated)) + end for length in (LENGTH, 2 * LENGTH)
                ]
                try:
                    once, twice = (work(pattern, way, text, MOST) for text in texts)
                except TooMuchWorkError:
                    found.append((way, repeated + "…" + end))
                    continue
                if twice > 2.6 * once + 40:
                    found.append((way, repeated + "…" + end))
    return found


@pytest.mark.parametrize(("pattern", "ways"), list(patterns()))
def test_the_work_grows_as_the_text(pattern: re.Pattern[str], ways: list[str]) -> None:
    assert not slow(pattern, ways)


def syntax_of(language: str) -> Syntax:
    """How a language that the embedded policy describes is written."""
    found = engine().program.extractor.programs.code.get(language)
    assert found is not None
    return found.syntax


@pytest.mark.parametrize("name", ["javascript", "perl", "ruby", "php", "sql"])
def test_the_work_of_a_language_s_own_patterns_does(name: str) -> None:
    syntax = syntax_of(name)
    lexer = Lexer(syntax)
    for pattern in (lexer._token, *lexer._contents.values()):
        assert not slow(pattern, ["match"])
    for pair in syntax.comments:
        assert not slow(re.compile(_pattern(*pair), re.DOTALL), ["finditer"])


def matches(pattern: re.Pattern[str], do: Callable[[], object]) -> int:
    """How often a pattern is matched while something is done."""
    found: list[object] = []

    def note(_: object, event: str, called: Any) -> None:
        if event == "c_call" and getattr(called, "__self__", None) is pattern:
            found.append(called)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        do()
    finally:
        sys.setprofile(before)
    return len(found)


def test_a_line_of_slashes_is_looked_through_once() -> None:
    syntax = syntax_of("javascript")
    text = "x=1;" + "/[" * 500 + "\n" + "/[" * 500
    assert matches(regex_literals._REGEX, lambda: Lexer(syntax).tokens(text)) == 2


def test_of_many_holes_in_a_text_only_some_are_looked_for() -> None:
    syntax = syntax_of("javascript")
    lexer = Lexer(syntax)
    text = "`" + "${a}" * 5000 + "`"
    found: list[bool] = []
    count = matches(lexer._contents["`"], lambda: found.append(lexer.tokens(text)[1]))
    assert found == [False]
    assert count < 300


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"[/*#-]*(?:\s(?:[\w\s.,:?!*-]|[^\x00-\x7f])*)?", "fullmatch"),
        (r"\[[!^]?\]?(?:\[[:=.].*?[:=.]\]|[^\]])*\]", "finditer"),
        (r"#.*?coding[:=][ \t]*([-\w.]+)", "search"),
        (r"[ugoa]*[oa][ugoa]*(?:[+=-][rwxXst]*)*?[+=](?:[rwxXst]*w|u)", "match"),
        (r"(?i)\[?[0-9a-z.:-]*[.:][0-9a-z.:-]+\]?", "fullmatch"),
        (r"-*([\w.-]+)[=:]\s*(\S.*)", "fullmatch"),
        (r"/\*(.*?)\*/", "finditer"),
        (r"(a*)*b", "match"),
    ],
)
def test_what_is_slow_is_found(pattern: str, way: str) -> None:
    assert slow(re.compile(pattern), [way])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?m)^a(b|c)+?(?=d)\b", "xabcd"),
        (r"(?i)(['\"])([a-z]\w*)\1", "'Ab_1'x"),
        (r"(?<!\\)[$`]|\d{2,3}+", "a1234$"),
        (r"a[^\n]*$", "baac\n"),
    ],
)
def test_the_engine_finds_what_python_finds(pattern: str, text: str) -> None:
    compiled = re.compile(pattern)
    runs = Engine(compiled, text, MOST)
    found = [
        (match.end() if (match := compiled.match(text, place)) else -1)
        for place in range(len(text) + 1)
    ]
    assert [runs.at(place) for place in range(len(text) + 1)] == found
