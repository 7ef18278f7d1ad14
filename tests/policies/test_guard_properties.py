"""What makes no decision less strict, and what makes none stricter, on the cases' commands."""

from __future__ import annotations

import re
import shlex
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.policies.guard_cases import CASES, CONTEXT, STRICTNESS, engine

EXAMPLES = settings(
    max_examples=250,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

STOPPED = tuple(case.args["command"] for case in CASES if case.plain and case.expected != "allow")

_SHORT = tuple(text for text in STOPPED if len(text) < 1000)
"""A text that passes a bound does so wherever it stands."""

_OF_THE_SHELL = {
    *(
        "cd",
        "command",
        "coproc",
        "eval",
        "exec",
        "exit",
        "export",
        "history",
        "let",
        "readonly",
        "set",
    ),
    *(
        "source",
        "time",
        "trap",
        "typeset",
        "declare",
        "umask",
        "unset",
        "builtin",
        "pushd",
        "alias",
    ),
    *(
        "if",
        "for",
        "while",
        "until",
        "case",
        "select",
        "function",
        "kill",
        "read",
        "mapfile",
        "shopt",
    ),
    *("!", "{", "}", "then", "do", "done", "fi", "esac", "in"),
}
"""Words that mean something else, or nothing, behind a wrapper or in quotes."""

_PLAIN = re.compile(r"[a-z][\w.+-]*( [\w./=:,@+-]+)*")

SIMPLE = tuple(
    text
    for text in STOPPED
    if _PLAIN.fullmatch(text) and text.partition(" ")[0] not in _OF_THE_SHELL
)
"""One command of plain words."""

_OPEN = re.compile(r"[&\\#\n]\s*$|#|<<|\n|^\s*[|&;)]")

_REMEMBERED = re.compile(r"(^|[\s;])\w+=.*\$")
"""A value that is used later is known no more where it may not have been set."""

CLOSED = tuple(
    case.args["command"]
    for case in CASES
    if case.plain
    and case.expected != "allow"
    and case.kind != "no-verdict"
    and not _OPEN.search(case.args["command"])
    and not _REMEMBERED.search(case.args["command"])
)
"""Lines that may stand inside other lines."""

_WRAPPERS = (
    *("sudo {}", "sudo -u root {}", "sudo -E {}", "doas {}", "env {}", "env -i {}", "env A=1 {}"),
    *(
        "nohup {}",
        "setsid {}",
        "nice {}",
        "nice -n 5 {}",
        "ionice -c 3 {}",
        "timeout 5 {}",
        "time {}",
    ),
    *("timeout -k 1 5s {}", "stdbuf -o L {}", "command {}", "exec {}", "! {}", "A=1 {}", "{} 2>&1"),
    *("sudo env A=1 nohup {}", "{} > /dev/null", "2>/dev/null {}", "busybox {}", "strace -f {}"),
)

_AROUND = (
    *("true; {}", "{} && ls", "( {} )", "{{ {}; }}", "{} &", "ls\n{}", "{}\nls", "ls && {}"),
    *("false || {}", "if true; then {}; fi", "if {}; then ls; fi", "while true; do {}; done"),
    *("for i in 1 2; do {}; done", "f() {{ {}; }}; f", "echo $( {} )", 'echo "$( {} )"', "{}; ls"),
    *("{{ ls; {}; }} | cat", "case x in x) {};; esac", "ls # why\n{}", "until false; do {}; done"),
    *("cat <({})", "cat <<E\n$( {} )\nE", "x=$( {} )", "{} || true", "[[ -n $( {} ) ]]", "  {}  "),
)

_SHELLS = ("sh -c {}", "bash -c {}", "bash -lc {}", "sudo sh -c {}", "eval {}", "zsh -c {}")

_HARMLESS = (
    *("echo {}", "printf '%s' {}", "grep -n -e {} notes.md", "git commit -m {}", "test x = {}"),
    *("echo {} > notes.txt", "for w in {}; do echo; done", "git log --grep={}", "MSG={} make"),
    *("rg -e {} src", "echo {} | wc -c", "[ a = {} ]", "curl -d {} http://localhost:3000/"),
)


@cache
def decided(text: str) -> str:
    call = {"tool": "exec", "args": {"command": text}, "context": CONTEXT}
    return str(engine().decide(call).to_dict()["decision"])


def not_less_strict(text: str, changed: str) -> None:
    assert STRICTNESS[decided(changed)] >= STRICTNESS[decided(text)], (text, changed)


@st.composite
def spellings(draw: st.DrawFn, words: tuple[str, ...]) -> tuple[str, str]:
    """A command, and the same in another spelling."""
    text = draw(st.sampled_from(words))
    return text, " ".join([spelled(draw, word) for word in text.split(" ")])


def spelled(draw: st.DrawFn, word: str) -> str:
    """A word with some of its characters quoted; what means something unquoted stays as it is."""
    parts = re.findall(r"[\w./-]|[^\w./-]", word)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(parts) - 1))
        how = draw(
            st.sampled_from(["'{}'", '"{}"', "\\{}", "''{}", '{}""', "$'{}'", "x", "o", "$'u"])
        )
        character = parts[at]
        if len(character) == 1 and re.fullmatch(r"[\w./-]", character) and character.isascii():
            code = ord(character)
            escaped = {
                "x": f"$'\\x{code:02x}'",
                "o": f"$'\\{code:03o}'",
                "$'u": f"$'\\u{code:04x}'",
            }
            parts[at] = escaped.get(how) or how.format(character)
    return "".join(parts)


@EXAMPLES
@given(spellings(SIMPLE))
def test_quotes_make_nothing_less_strict(case: tuple[str, str]) -> None:
    not_less_strict(*case)


@EXAMPLES
@given(st.sampled_from(SIMPLE), st.sampled_from(_WRAPPERS), st.sampled_from(_WRAPPERS))
def test_wrappers_make_nothing_less_strict(text: str, inner: str, outer: str) -> None:
    not_less_strict(text, inner.format(text))
    if not re.match(r"[!2A]|.*[!]", inner) and "time " not in inner + outer and "exec" not in inner:
        not_less_strict(text, outer.format(inner.format(text)))


@EXAMPLES
@given(st.sampled_from(CLOSED), st.sampled_from(_AROUND), st.sampled_from(_AROUND))
def test_separators_make_nothing_less_strict(text: str, inner: str, outer: str) -> None:
    not_less_strict(text, inner.format(text))
    if not re.search(r"[&\n#]", inner):
        not_less_strict(text, outer.format(inner.format(text)))


@EXAMPLES
@given(st.sampled_from(CLOSED), st.sampled_from(_SHELLS), st.sampled_from(_SHELLS))
def test_shells_make_nothing_less_strict(text: str, inner: str, outer: str) -> None:
    once = inner.format(shlex.quote(text))
    not_less_strict(text, once)
    not_less_strict(text, outer.format(shlex.quote(once)))


@EXAMPLES
@given(
    st.sampled_from(SIMPLE), st.sampled_from(["/bin/", "/usr/bin/", "/tmp/", "./", "//bin/../bin/"])
)
def test_a_path_makes_nothing_less_strict(text: str, folder: str) -> None:
    not_less_strict(text, folder + text)


@st.composite
def option_orders(draw: st.DrawFn) -> tuple[str, str]:
    """A command, and the same with its options in another order, joined, split or in full."""
    text, program, spellings, rest = draw(
        st.sampled_from(
            [
                ("rm -rf /", "rm", _RECURSIVE, ["/", "-v", "--one-file-system", "--force"]),
                ("rm -rf /etc", "rm", _RECURSIVE, ["/etc", "build", "-f"]),
                ("rm -r build", "rm", _RECURSIVE, ["build", "-v", "-d"]),
                (
                    "chmod -R 777 a",
                    "chmod",
                    ["-R", "--recursive", "-fR", "-Rv"],
                    ["-v", "--silent"],
                ),
                ("git push -f", "git push", _FORCE, ["origin", "main", "-q", "--no-verify", "-u"]),
                (
                    "git reset --hard",
                    "git reset",
                    ["--hard", "-q --hard", "--har"],
                    ["-q", "HEAD~1"],
                ),
                (
                    "git clean -f",
                    "git clean",
                    ["-f", "--force", "-fdx", "-xdf", "-d -f"],
                    ["-q", "-x"],
                ),
                ("git branch -D a", "git branch", ["-D", "-d -f", "--delete --force"], ["a", "b"]),
            ]
        )
    )
    words = [draw(st.sampled_from(spellings)), *draw(st.lists(st.sampled_from(rest), unique=True))]
    operand = text.split(" ")[-1] if program in ("rm", "git branch") else ""
    if operand and operand not in words:
        words.append(operand)
    words = draw(st.permutations(words))
    if program == "chmod":
        words = [*[word for word in words if word.startswith("-")], "777", "a"]
    if program.startswith("git"):
        options = draw(st.lists(st.sampled_from(_OF_GIT), max_size=2))
        program = " ".join(["git", *options, program.removeprefix("git ")])
    return text, " ".join([program, *words])


_RECURSIVE = ("-r", "-R", "-rf", "-fr", "-Rf", "-r -f", "--recursive", "--recurs", "-vrf", "-f -R")
_FORCE = ("-f", "--force", "--force-with-lease", "--mirror", "+main", "-qf", "--mirr")
_OF_GIT = ("-C sub", "-c a.b=c", "--no-pager", "--git-dir=.git", "--git-dir .git", "-p", "--bare")


@EXAMPLES
@given(option_orders())
def test_options_in_another_order_make_nothing_less_strict(case: tuple[str, str]) -> None:
    not_less_strict(*case)


@EXAMPLES
@given(st.sampled_from(_SHORT), st.sampled_from(_HARMLESS))
def test_a_mention_makes_nothing_stricter(text: str, around: str) -> None:
    assert decided(around.format(shlex.quote(text))) == "allow", around.format(shlex.quote(text))


@EXAMPLES
@given(
    st.sampled_from(STOPPED),
    st.sampled_from(["cat", "cat > a.md", "tee a.md", "wc -l", "git commit -F -"]),
)
def test_a_quoted_here_document_makes_nothing_stricter(text: str, around: str) -> None:
    assert decided(f"{around} <<'END OF TEXT'\n{text}\nEND OF TEXT") == "allow"


@EXAMPLES
@given(st.sampled_from(STOPPED))
def test_a_comment_makes_nothing_stricter(text: str) -> None:
    comment = "\n".join(f"# {line}" for line in text.split("\n"))
    assert decided(f"ls\n{comment}\npwd") == "allow"
    if "\n" not in text:
        assert decided(f"ls # {text}") == "allow"


def test_there_is_something_to_change() -> None:
    assert len(SIMPLE) > 200
    assert len(CLOSED) > 700


@pytest.mark.parametrize("texts", [SIMPLE, CLOSED, STOPPED])
def test_both_strict_answers_are_among_them(texts: tuple[str, ...]) -> None:
    assert {decided(text) for text in texts[::7]} >= {"ask", "deny"}
