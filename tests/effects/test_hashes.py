"""A `#` that goes on a word begins no comment, whatever the grammar says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.effects.reading import effects, opaque

GOES_ON = [
    "x=(a)#; ls",
    "x+=(a)#; ls",
    "x=(a\nb)#; ls",
    "declare -a x=(a)#; ls",
    "[a]#; ls",
    "shopt -s extglob\n!(a)#; ls",
]
ENDS = [
    "(true)# x\nls",
    "(true) #; rm x\nls",
    "x=(a # b\nc); ls",
    "x=(a) # b\nls",
    "f() { ls; }\nf # x",
]


@pytest.mark.parametrize("text", GOES_ON)
def test_where_it_may_go_on_a_word_somebody_is_asked(text: str) -> None:
    assert opaque(text)


@pytest.mark.parametrize("text", GOES_ON)
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_goes_on_behind_it(text: str, tmp_path: Path) -> None:
    text = text.replace("ls", "echo ran")
    done = subprocess.run(["bash", "-c", text], capture_output=True, cwd=tmp_path, check=True)
    assert done.stdout == b"ran\n"


@pytest.mark.parametrize("text", ENDS)
def test_comments_are_nothing(text: str) -> None:
    assert not opaque(text)
    assert "delete" not in effects(text).by_kind
    assert any(effect.fields["program"] == "ls" for effect in effects(text).by_kind["run"])
