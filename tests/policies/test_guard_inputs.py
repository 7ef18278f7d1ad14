"""Whatever comes, there is a decision: text that a shell takes is read or opaque, bad input is
refused with words that say what was not understood, and noise makes nothing fail."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.policies.guard_cases import CASES, CONTEXT, STRICTNESS, engine

QUICK = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def decide(tool: str, **args: Any) -> dict[str, Any]:
    return engine().decide({"tool": tool, "args": args, "context": CONTEXT}).to_dict()


def words_of(decision: dict[str, Any]) -> str:
    """All that a decision says about why."""
    reasons = [guard["reason"] for guard in decision["matched"]]
    error = decision["error"]
    return " ".join([decision["reason"], *reasons, error["message"] if error else ""])


LONG = "the text is longer|longer than"
DEEP = "nested deeper|nesting"

BAD = [
    # What is wrong, the text, the decision, what the reason says.
    ("a double quote that is not closed", 'echo "a', "ask", "not understood"),
    ("a single quote that is not closed", "echo 'a", "ask", "not understood"),
    ("a quote that is not closed, behind a command", "ls; echo 'a", "ask", "not understood"),
    ("a substitution that is not closed", "echo $(ls", "ask", "not understood"),
    ("a backtick that is not closed", "echo `ls", "ask", "not understood"),
    ("a brace that is not closed", "echo ${a", "ask", "not understood"),
    ("a loop that is not closed", "while true; do ls", "ask", "not understood"),
    ("a bracket too many", "ls )", "ask", "not understood"),
    ("an operator without a command", "&& ls", "ask", "not understood"),
    ("a NUL byte", "ls a\0b", "ask", "NUL"),
    ("a NUL byte in a command word", "l\0s", "ask", "NUL"),
    ("a lone surrogate", "ls \ud800", "ask", "Unicode"),
    ("a byte that is no UTF-8", "ls \udcff", "ask", "Unicode"),
    ("a byte that is no UTF-8, in a command word", "l\udcffs", "ask", "Unicode"),
    ("a zero-width space in a command word", "l\u200bs", "ask", "invisible"),
    ("a zero-width joiner in a command word", "g\u200dit status", "ask", "invisible"),
    ("a byte order mark before a command word", "\ufeffls", "ask", "invisible"),
    ("an override of direction in a command word", "\u202esl", "ask", "invisible"),
    ("an isolate of direction in a command word", "ls\u2066", "ask", "invisible"),
    ("a soft hyphen in a command word", "l\u00ads", "ask", "invisible"),
    ("an escape sequence in a command word", "\x1b[2Kls", "ask", "not understood"),
    ("a command of 1 MB", "echo " + "a" * 1_000_000, "deny", LONG),
    ("a list of 1 MB", "ls; " * 250_000, "deny", LONG),
    ("a command of 2 MB", "a" * 2_000_000, "deny", LONG),
    ("10,000 nested brackets", "(" * 10_000 + "ls" + ")" * 10_000, "deny", DEEP),
    ("10,000 nested substitutions", "$(" * 10_000 + "ls" + ")" * 10_000, "deny", DEEP),
    ("10,000 nested groups", "{ " * 10_000 + "ls" + "; }" * 10_000, "deny", DEEP),
    ("10,000 open brackets", "(" * 10_000, "deny", DEEP),
    ("10,000 backticks", "echo " + "`" * 10_000, "ask", "not understood|deeper"),
    (
        "1,000 shells in shells",
        "sh -c " * 1_000 + "ls",
        "ask",
        "not understood|deeper|nest|many|shell",
    ),
    ("10,000 wrappers", "sudo " * 10_000 + "ls", "ask", "not understood|deeper|nest|many|wrap"),
    ("9,000 here-documents", "cat <<A " * 9_000, "deny", "here-documents"),
    ("9,000 tests", "[[ a && " * 9_000, "deny", r"\[\["),
]


@pytest.mark.parametrize(
    ("text", "least", "says"), [row[1:] for row in BAD], ids=[row[0] for row in BAD]
)
def test_bad_input_is_not_let_through(text: str, least: str, says: str) -> None:
    decision = decide("exec", command=text)
    assert STRICTNESS[decision["decision"]] >= STRICTNESS[least]
    assert re.search(says, words_of(decision)), words_of(decision)


@pytest.mark.parametrize(
    "text", ["r\u200bm -rf /", "rm\0 -rf /", "r\udcffm -rf /", "r\u202em -rf /"]
)
def test_bad_input_is_no_way_around(text: str) -> None:
    assert decide("exec", command=text)["decision"] != "allow"
    assert decide("exec", command=f"{text}; rm -rf /")["decision"] in ("ask", "deny")


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t"])
def test_no_command_is_denied(text: str) -> None:
    decision = decide("exec", command=text)
    assert decision["decision"] == "deny"
    assert "empty" in words_of(decision)


NAMES = st.sampled_from(
    ["ls", "rm", "a", "x=1", "cat", "sudo", "echo", "git push", "eval", "env", "[", ":"]
)
WORDS = st.sampled_from(
    [
        *(
            "a",
            "-r",
            "-rf",
            "'a b'",
            '"$x"',
            "$x",
            "${x:-y}",
            "~",
            "*.c",
            "{a,b}",
            "$'\\x41'",
            "\\;",
            "/",
        ),
        *(
            "$((1+2))",
            '"a`ls`"',
            "<(ls)",
            "$(ls)",
            "a=b",
            "--",
            "--force",
            "$@",
            "${#x}",
            "${x//a/b}",
            "!",
        ),
        *(
            "$'a'\"b\"'c'",
            '"${x[@]}"',
            "é",
            "@(a)",
            "2>&1",
            "> out",
            "< in",
            "&> all",
            "<<< here",
            ">| x",
        ),
    ]
)
SIMPLE = st.builds(lambda name, words: " ".join([name, *words]), NAMES, st.lists(WORDS, max_size=3))
TEXTS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds(
            "{}{}{}".format,
            inner,
            st.sampled_from(["; ", " && ", " | ", " & ", "\n", " || ", " |& "]),
            inner,
        ),
        inner.map("( {} )".format),
        inner.map("{{ {}; }}".format),
        inner.map("! {}".format),
        inner.map("time {}".format),
        inner.map("if {}; then ls; fi".format),
        inner.map("while {}; do break; done".format),
        inner.map("for i in 1 2; do {}; done".format),
        inner.map("for ((i=0;i<2;i++)); do {}; done".format),
        inner.map("case $x in a|b) {};; *) ;; esac".format),
        inner.map("f() {{ {}; }}; f".format),
        inner.map("function g {{ {}; }}; g".format),
        inner.map('echo "$({})"'.format),
        inner.map("cat <<E\n$({})\nE".format),
        inner.map("cat <<-'E' | sh\n{}\nE".format),
        inner.map("[[ -n a && $({}) == b* ]]".format),
        inner.map("coproc {}".format),
        inner.map("select i in a; do {}; done".format),
        inner.map("x=$({}) y=(a b) ls".format),
    ),
    max_leaves=6,
)


@QUICK
@given(TEXTS)
def test_what_bash_accepts_is_read_or_opaque(text: str) -> None:
    try:
        checked = subprocess.run(
            ["bash", "-n"], input=text.encode(), capture_output=True, check=False
        )
    except FileNotFoundError:  # pragma: no cover
        pytest.skip("there is no bash")
    assume(checked.returncode == 0 and not checked.stderr)
    decision = decide("exec", command=text)
    assert decision["error"] is None
    assert decision["effects"], text


NOISE = st.one_of(
    st.text(max_size=80),
    st.binary(max_size=80).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.binary(max_size=80).map(lambda data: data.decode("latin-1")),
    st.lists(st.sampled_from("'\"`$(){}[]<>|&;\\\n #=*?~!-"), max_size=60).map("".join),
)
SEEDS = st.sampled_from([case.args["command"] for case in CASES if case.plain])


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A command with something cut out, doubled or put in."""
    text: str = draw(SEEDS)
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    middle: str = draw(
        st.sampled_from(
            ["", text[start:end] * 2, "\0", "'", '"', "\\", "$(", "<<E", "\u200b", "\n"]
        )
    )
    return text[:start] + middle + text[end:]


TOOLS = [
    *(("exec", "command"), ("process", "command"), ("process", "text"), ("execute_code", "code")),
    *(("write_file", "path"), ("read_file", "path"), ("patch", "patch"), ("web_fetch", "url")),
]
REST = {
    "exec": {},
    "process": {"action": "stdin"},
    "execute_code": {},
    "write_file": {"content": "x"},
    "read_file": {},
    "patch": {"path": "a"},
    "web_fetch": {},
}
LANGUAGES = st.sampled_from(["python", "javascript", "bash", "ruby", "perl", "php", "", "x"])


@QUICK
@given(st.sampled_from(TOOLS), st.one_of(NOISE, damaged()), LANGUAGES)
def test_noise_makes_nothing_fail(place: tuple[str, str], text: str, language: str) -> None:
    tool, name = place
    more = {"language": language} if tool == "execute_code" else {}
    decision = decide(tool, **{**REST[tool], **more, name: text})
    assert decision["decision"] in STRICTNESS
    assert decision["error"] is None or decision["error"]["code"] != "R006", decision["error"]
    assert len(decision["effects"]) <= 20 * len(text) + 20


@pytest.mark.parametrize(
    "part", ["ls; ", "echo $(ls) ", "( ls ); ", "a | ", "x=1 ", "'a' ", "rm -rf / ; "]
)
def test_effects_grow_with_the_text_and_no_more(part: str) -> None:
    counts = [len(decide("exec", command=part * n)["effects"]) for n in (50, 100, 200)]
    assert counts[2] <= 4 * counts[0] + 4
