"""Nothing that is typed or piped in shows a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from callgate.cli import main
from tests.acme import BUNDLE, CALLS

OPTIONS = "--bundle --settings --format --tool --arg --context --exit-on --help --coverage -o -- -"
VALUES = "pretty json jsonl svg look path=/a count:=3 unattended=true deny echo /dev/null / {"
WORDS = (
    st.sampled_from([*OPTIONS.split(), *VALUES.split(), str(BUNDLE), "/nowhere", "\udcff"])
    | st.sampled_from(['{"tool": "look"}', "eval", "lint"])
    | st.text(max_size=8)
)
CODES = {0, 1, 2, 3, 4}


def invoke(args: list[str], data: bytes = b"") -> None:
    result = CliRunner().invoke(main, args, input=data)
    assert result.exit_code in CODES, result.output
    assert "Traceback" not in result.output
    assert "internal error" not in result.output, result.output


@pytest.fixture(autouse=True, scope="module")
def _elsewhere(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever is written by chance is written to a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        yield


@settings(max_examples=120, deadline=None)
@example("eval", ["\0"])
@given(
    st.sampled_from(["eval", "explain", "lint", "graph"]),
    st.lists(WORDS.filter(lambda word: word not in ("-o", "echo")), max_size=5),
)
def test_any_words(command: str, words: list[str]) -> None:
    invoke([command, *(["--bundle", str(BUNDLE)] if command != "lint" else []), *words])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=5) | st.sampled_from(["path", "human"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["id", "tool", "args", "declared", "context", "observed", "answers", "settings", "x"]
)
LINE = (
    st.binary(max_size=40)
    | JSON.map(lambda value: json.dumps(value).encode())
    | st.dictionaries(KEYS, JSON, max_size=5).map(lambda value: json.dumps(value).encode())
    | st.sampled_from([json.dumps(call).encode() for call in CALLS.values()])
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid call with some bytes replaced, left out or doubled."""
    text = bytearray(draw(st.sampled_from([json.dumps(c).encode() for c in CALLS.values()])))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text) - 1))
        how = draw(st.integers(0, 2))
        if how == 0:
            text[at] = draw(st.integers(0, 255))
        elif how == 1:
            del text[at]
        else:
            text[at:at] = text[at : at + 9]
    return bytes(text)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINE | mutated(), max_size=5), st.sampled_from(["jsonl", "json", "pretty"]))
def test_any_input(lines: list[bytes], form: str) -> None:
    invoke(["eval", "--bundle", str(BUNDLE), "--format", form, "-"], b"\n".join(lines))


@settings(max_examples=40, deadline=None)
@given(LINE | mutated(), st.sampled_from([[], ["--effects"]]))
def test_any_call_explained(line: bytes, effects: list[str]) -> None:
    invoke(["explain", *effects, "--bundle", str(BUNDLE), "-"], line)


@settings(max_examples=40, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_settings(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.yaml"
    path.write_bytes(data)
    invoke(["lint", str(BUNDLE), "--settings", str(path)])
