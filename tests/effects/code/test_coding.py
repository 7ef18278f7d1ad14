"""Python text that says how its own characters are to be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.effects.code.code_reading import effects_of, opaque_of

RECODED = [
    '# coding: utf-7\n# +AAo-print("ran")',
    '#!/bin/python\n# vim: set fileencoding=UTF_7 :\n# +AAo-print("ran")',
    '# -*- coding: unicode_escape -*-\n# \\nprint("ran")\n',
    " \f\t#" + "#" * 50 + ' coding: utf-7\n# +AAo-print("ran")',
    '\n#coding=utf-7\r# +AAo-print("ran")',
]
PLAIN = [
    "# coding: utf-8\nf()",
    "# -*- coding: UTF_8 -*-\nf()",
    "# -*- coding: utf-8-unix -*-\nf()",
    "# coding=latin-1\nf()",
    "f()\nf()\n# coding: utf-7",
    "coding = 'utf-7'",
    "f()  # coding: utf-7",
    "#" * 50 + "\n" + "#" * 50 + "\nf()",
]


@pytest.mark.parametrize("text", RECODED)
def test_another_encoding_may_hide_anything(text: str) -> None:
    assert opaque_of(text)


@pytest.mark.parametrize("text", RECODED)
def test_python_runs_what_stands_in_the_comment(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(text.encode())
    done = subprocess.run([sys.executable, str(path)], capture_output=True, check=True)
    assert done.stdout.strip() == b"ran"


@pytest.mark.parametrize("text", PLAIN)
def test_a_usual_encoding_says_nothing(text: str) -> None:
    assert not opaque_of(text)
    assert effects_of(text).complete
