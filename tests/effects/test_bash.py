"""The real bash agrees on what the words of a command are, and on which commands run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.effects.reading import effects, words_of

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="there is no bash")

WORDS = [
    *(
        "a 'b c' \"d e\"",
        "a\\ b",
        "r\\m r'm' r\"m\"",
        "$'\\x72m' $'\\101\\n'",
        "{a,b}{c,d} x{1..3}y",
    ),
    *(
        "{a,{b,c}} {a} {a,b '{a,b}'",
        "a\\\nb c \\\n d",
        "~ ~/x '~' \\~ x=~/y --o=~/z",
        '"a\\"b\\c\\\\d"',
    ),
    *("$HOME/x \"${HOME}\"/y '$HOME'", "a#b # c", "a''b \"\" ''", '$ a$ "$"', '$"loc" ~"$HOME"'),
    *(
        "'q r'\\ \\\n} \\\n[a",
        "{\\'a,b\\'} {'a,b',c}",
        "a=b -x --y=z",
        "HEAD@{1} a@b",
        "é 'ü' \u00a0",
    ),
    *(
        "{a..c} {3..1} {01..2} {1..9..3} {-1..01} {9..1..4}",
        "\\{a,b\\}",
        "~\\/x ~'/x'",
        "a\\'b",
        "'a'\\''b'",
        "$'a\\'b'",
        "-- - -n",
    ),
]

RUNS = [
    *(
        "C1; C2 && C3 || C4",
        "C1 | C2 |& C3",
        "C1 & C2; wait",
        "(C1; { C2; })",
        "! C1",
        "if ! C1; then C2; fi",
    ),
    *(
        "for i in 1 2; do C1 $i; done",
        "case x in x) C1;; esac",
        "f() { C1; }; f",
        'C1 $(C2 "$(C3)")',
    ),
    *(
        "C1 `C2 \\`C3\\``",
        "C1 <(C2) <<<$(C3)",
        "A=$(C1) C2",
        "C1 >f a >g b",
        "C1 - 2>f a",
        ">f C1 a",
    ),
    *(
        "C1 <<E a | C2\n$(C3)\nE\nC4",
        "C1 <<'E'\n$(C3)\nE\nC4",
        "C1 -rf2>f",
        "C1 a == b\nC2",
        "C1 a==b",
    ),
    *(
        "C1 && C2 >f | C3",
        "C1 | C2 >f | C3",
        "C1 || C2 >f b",
        "[[ a =~ ^(a|b)$ ]] && C1",
        "C1 # C2\nC3",
    ),
    *(
        "C1 \\\n# C2\nC3",
        "{C1,a,b}",
        "C1 {a,b}",
        "C1 ${X:-$(C2)}",
        "C1 $((1+$(C2)))",
        "while ! C1; do C2; break; done",
    ),
    *(
        "C1 <>f a",
        "C1 a 2>&1 b",
        "C1 1>&2- a",
        "echo a; C1",
        "coproc C1",
        "eval C1 a",
        "eval 'C1; C2'",
    ),
    *(
        "command C1 a",
        "time C1",
        "--a=b >f",
        "C1\n\n\nC2",
        "C1;\nC2",
        "C1 &&\nC2",
        "C1 |\nC2",
        "C1 \\\n&& C2",
    ),
]


def bash(script: str, folder: Path) -> list[str]:
    """What a script writes to descriptor 9, in pieces."""
    assert BASH is not None
    result = subprocess.run(
        [BASH, "-c", f"exec 9>&1 1>/dev/null 2>&1; cd '{folder}'\n{script}\n"],
        env={"HOME": "/home/u", "PATH": "/nowhere", "LC_ALL": os.environ.get("LC_ALL", "C.UTF-8")},
        capture_output=True,
        timeout=20,
        check=False,
    )
    return result.stdout.decode("utf-8").split("\0")[:-1]


@pytest.mark.parametrize("text", WORDS)
def test_words(text: str, tmp_path: Path) -> None:
    mine = [word.text for word in words_of(f"args {text}", home="/home/u")]
    theirs = bash(f"set -f\nargs() {{ printf '%s\\0' \"$@\" >&9; }}\nargs {text}", tmp_path)
    assert mine == theirs


@pytest.mark.parametrize("text", RUNS)
def test_every_command_that_bash_runs_is_found(text: str, tmp_path: Path) -> None:
    handler = "command_not_found_handle() { printf '%s\\0' \"$*\" >&9; }\nset -f\n"
    found = effects(text)
    mine = [[word.text for word in effect.data.words] for effect in found.by_kind.get("run", [])]
    for line in bash(handler + text, tmp_path):
        assert not found.complete or any(fits(words, line) for words in mine), (line, mine)


def fits(words: list[object], line: str) -> bool:
    """Whether words, some of them unknown, may be what bash ran."""
    known = [word for word in words if isinstance(word, str)]
    if len(known) == len(words):
        return " ".join(known) == line
    return line.split(" ")[0] == words[0] and all(word in line for word in known)
