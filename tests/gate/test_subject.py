"""What a grant is bound to, and what it covers."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from callgate.engine import Engine
from callgate.gate.subject import LEVELS, Subject, subject_of
from callgate.gate.subject_text import MAX_TEXT
from tests.gate.subjects import CWD, engine, frame_of, of, of_call

PUSH = "git push origin main"

# -- the examples


@pytest.mark.parametrize(
    "other",
    [
        "git push origin other",
        "git push --force origin main",
        "git push -f origin main",
        "git push origin +main",
        "git push origin",
        "git push",
        "git push origin main --tags",
        "git push main origin",
        "git pull origin main",
        "git -C /x push origin main",
        "git -c core.sshCommand=x push origin main",
        "cd /x && git push origin main",
        "FOO=1 git push origin main",
        "GIT_DIR=/x git push origin main",
        "env git push origin main",
        "sudo git push origin main",
        "./git push origin main",
        "/tmp/git push origin main",
        "/usr/bin/git push origin main",
        "GIT push origin main",
        "git push origin main; ls",
        "git push origin main & ls",
        "git push origin main | sh",
        "git push origin main > file",
        "git push origin main < file",
        "git push origin $(echo main)",
        "git push origin main$X",
        "git push origin mai*",
        "git push origin {main,other}",
        "git push origin 'main '",
        "git push 'origin main'",
        "git() { rm -r x; }; git push origin main",
        "alias git=rm\ngit push origin main",
    ],
)
def test_a_push_stands_for_itself_alone(other: str) -> None:
    granted = of(PUSH)
    assert "always" in granted.levels
    assert not granted.covers(of(other))
    assert not of(other).covers(granted)


def test_a_secret_of_the_settings_is_not_shown() -> None:
    secret = "zebra-crossing-7"
    keyed = Engine.load("echo", {"tools": {"web": {"search_api_key": secret}}}).program
    for args in ({"command": f"git push {secret} main"}, {"command": f"cd {secret}; git push"}):
        frame = keyed.decide({"tool": "exec", "args": args, "context": {"cwd": CWD}}).frame
        shown = subject_of(keyed, frame, "").text
        assert "***" in shown and secret not in shown


@pytest.mark.parametrize(
    "same",
    [
        "git  push\torigin main",
        "git 'push' \"origin\" ma\\in",
        "git push origin main # to the others",
        "git push \\\n origin main",
        "git push origin main 2>&1",
        "git push origin main 2>/dev/null",
    ],
)
def test_spelling_is_no_difference(same: str) -> None:
    assert of(PUSH).covers(of(same))
    assert of(same).covers(of(PUSH))


def test_the_place_and_the_tool_are_part_of_it() -> None:
    granted = of(PUSH)
    assert not granted.covers(of(PUSH, cwd="/srv/other"))
    assert not granted.covers(of_call("exec", {"command": PUSH, "cwd": "/srv/other"}))
    assert granted.covers(of_call("exec", {"command": PUSH, "cwd": CWD}))
    assert not granted.covers(of_call("exec", {"command": PUSH, "timeout": 9}))
    assert not granted.covers(of_call("process", {"action": "start", "command": PUSH}))
    assert not granted.covers(of_call("execute_code", {"language": "bash", "code": PUSH}))
    assert not granted.covers(of(PUSH, declaration="another"))
    started = of_call("process", {"action": "start", "command": PUSH})
    fed = of_call("process", {"action": "stdin", "text": PUSH, "id": "7"})
    assert not started.covers(fed)


def test_an_alias_of_the_tool_is_the_tool() -> None:
    assert of(PUSH).covers(of_call("bash", {"command": PUSH}))


@pytest.mark.parametrize(
    ("other", "covered"),
    [
        ("rm -r build", True),
        ("rm -r build/", True),
        ("rm -r ./build", True),
        ("rm -r build/x", True),
        ("rm -r build/x/y", True),
        ("rm -r /srv/app/build/x", True),
        ("rm -r 'build/a b'", True),
        ("rm -r build/..", False),
        ("rm -r build/../src", False),
        ("rm -r build/x/../../src", False),
        ("rm -r build/x/../y", False),
        ("rm -r build2", False),
        ("rm -r build-x", False),
        ("rm -r BUILD", False),
        ("rm -r .", False),
        ("rm -r build src", False),
        ("rm -r build/x build/y", False),
        ("rm -rf build", False),
        ("rm -r -- build", False),
        ("rm build/x", False),
        ("rm -r build/*", False),
        ("rm -r $BUILD", False),
        ("rm -r build/$X", False),
        ("rm -r ~/build", False),
        ("rm -r /build", False),
        ("cd / && rm -r srv/app/build", False),
    ],
)
def test_a_folder_stands_for_what_is_below(other: str, covered: bool) -> None:
    assert of("rm -r build").covers(of(other)) is covered


def test_what_is_below_does_not_stand_for_the_folder() -> None:
    assert not of("rm -r build/x").covers(of("rm -r build"))
    assert not of("rm -r build/x").covers(of("rm -r build/y"))


def test_a_file_is_no_folder() -> None:
    assert not of("touch notes").covers(of("touch notes/x"))
    assert not of("rm notes").covers(of("rm notes/x"))


def test_a_home_that_nobody_knows_is_not_granted_for_good() -> None:
    assert of("rm -r ~/x").covers(of("rm -r /home/me/x"))
    assert of("rm -r ~/x", home="").kind == "call"


def test_a_link_is_followed_before_it_is_compared() -> None:
    def seen(command: str, links: dict[str, str]) -> Subject:
        return of(command, observed={"links": links}, live=True)

    granted = seen("rm -r build", {})
    assert granted.levels == LEVELS
    assert granted.covers(seen("rm -r build/x", {}))
    led = {"/srv/app/build/x": "/etc"}
    assert not granted.covers(seen("rm -r build/x/y", led))
    assert not granted.covers(seen("rm -r build/x/", led))
    assert not granted.covers(seen("rm -r build", {"/srv/app/build": "/home/me"}))
    assert not seen(PUSH, {}).covers(seen(PUSH, {"/srv/app": "/home/me"}))
    assert seen(PUSH, {"/srv": "/data"}).covers(seen(PUSH, {"/srv": "/data"}))


def test_what_nobody_observed_is_not_granted_for_good() -> None:
    assert of("rm -r build", live=True).kind == "call"
    assert "always" not in of("rm -r build", live=True).levels


@pytest.mark.parametrize(
    "command",
    [
        "bash -c 'git push'",
        "bash",
        "sh script.sh",
        "sudo git push",
        "env git push",
        "nohup git push",
        "timeout 5 git push",
        "time git push",
        "xargs rm",
        "find . -exec rm {} ;",
        "make",
        "make install",
        "npm test",
        "npm run build",
        "pytest",
        "python x.py",
        "python -c 'print(1)'",
        "node x.js",
        "cargo build",
        "ssh host ls",
        "./run.sh",
        "./git push",
        "/tmp/git push",
        "unheardof --option value",
        "git foo",
        "a; b",
        "a && b",
        "a || b",
        "a | b",
        "a & b",
        "git push &",
        "(git push)",
        "{ git push; }",
        "if true; then git push; fi",
        "for x in a; do git push; done",
        "git push $(ls)",
        "git push `ls`",
        "git push $X",
        'git push "$X"',
        "git push *",
        "git log > file",
        "git log >> file",
        "git apply < file",
        "git apply <<< text",
        "git apply <<EOF\ntext\nEOF",
        "X=1 git push",
        "X=1",
        "crontab jobs",
        "git push 'unclosed",
        "",
        "   ",
        "# nothing",
    ],
)
def test_no_always(command: str) -> None:
    subject = of(command)
    assert "always" not in subject.levels
    assert subject.kind == "call"
    assert subject.covers(subject)


def test_a_call_stands_for_itself_alone() -> None:
    granted = of("make install")
    assert granted.covers(of("make install"))
    for other in ("make", "make install x", "make  install", "make install # x"):
        assert not granted.covers(of(other))
    assert not granted.covers(of("make install", cwd="/srv/other"))
    assert not granted.covers(of_call("exec", {"command": "make install", "cwd": "x"}))


# -- other tools


def test_a_tool_that_connects_is_the_same_everywhere() -> None:
    granted = of_call("web_fetch", {"url": "https://example.org/a"})
    assert granted.kind == "call"
    assert granted.levels == ("once", "session", "always")
    assert granted.covers(of_call("web_fetch", {"url": "https://example.org/a"}, cwd="/x"))
    assert not granted.covers(of_call("web_fetch", {"url": "https://example.org/b"}))
    led = {"dns": {"example.org": ["169.254.169.254"]}}
    assert not granted.covers(of_call("web_fetch", {"url": "https://example.org/a"}, observed=led))


def test_a_file_is_the_one_that_was_seen() -> None:
    args = {"path": "notes.md", "content": "x"}
    granted = of_call("write_file", args)
    assert "always" in granted.levels
    assert not granted.covers(of_call("write_file", args, workspace="/srv/other"))
    assert not granted.covers(of_call("write_file", {**args, "content": "y"}))
    led = {"links": {"/srv/app/notes.md": "/etc/passwd"}}
    assert not granted.covers(of_call("write_file", args, observed=led))


def test_a_server_that_changes_its_tool_loses_its_grants() -> None:
    def fetched(declaration: str = "d1", **declared: Any) -> Subject:
        return of_call(
            "mcp_notes_search",
            {"query": "x"},
            declaration,
            declared={"mcp_server": "notes", "annotations": {"readOnlyHint": True}, **declared},
        )

    granted = fetched()
    assert "always" in granted.levels
    assert granted.covers(fetched())
    assert not granted.covers(fetched("d2"))
    assert not granted.covers(fetched(annotations={"destructiveHint": True}))
    assert not granted.covers(fetched(mcp_server="other"))


def test_nothing_lasts_for_what_is_dangerous() -> None:
    for tool, args in (("cronjob", {"action": "add"}), ("what_is_this", {}), ("EXEC", {})):
        subject = of_call(tool, args)
        assert subject.risk == "dangerous"
        assert subject.levels == ("once",)


def test_values_of_other_types_are_others() -> None:
    def told(value: Any) -> Subject:
        return of_call("todo", {"x": value})

    values: list[Any] = [1, 1.0, True, "1", None, [], {}, [1], "", 2**70, "\ud800", "true"]
    for one, other in product(range(len(values)), repeat=2):
        assert told(values[one]).covers(told(values[other])) is (one == other)


# -- asks


def test_asks_that_were_not_shown_are_not_covered() -> None:
    granted = of("rm -r build")
    assert granted.asks == {"shell.recursive-delete"}
    more = replace(granted, asks=granted.asks | {"another.ask"})
    assert not granted.covers(more)
    assert more.covers(granted)
    assert not granted.in_family_of(more)
    assert more.in_family_of(granted)


def test_what_only_a_person_lifts_stands_for_itself_alone() -> None:
    granted = of("rm -r $X")
    assert frame_of("exec", {"command": "rm -r $X"}).asks == "person"
    assert granted.levels == ("once", "session")
    tree = of("rm -r .git/hooks")
    assert frame_of("exec", {"command": "rm -r .git/hooks"}).asks == "person"
    assert tree.levels == ("once", "session", "always")
    assert tree.covers(of("rm -r .git/hooks"))
    assert not tree.covers(of("rm -r .git/hooks/x"))
    opaque = of("eval $X")
    assert "builtin.opaque" in opaque.asks
    assert opaque.levels == ("once", "session")


def test_families_are_the_policys() -> None:
    assert of(PUSH).family == "exec"
    assert of_call("web_fetch", {"url": "https://example.org"}).family is None
    assert of("make").in_family_of(of(PUSH))
    assert not of(PUSH).in_family_of(of_call("process", {"action": "start", "command": PUSH}))
    web = of_call("web_fetch", {"url": "https://example.org"})
    assert not web.in_family_of(web)


# -- what is shown


def test_a_person_sees_what_is_covered() -> None:
    assert of(PUSH).text == "`git push origin main` in `/srv/app`"
    assert of("rm -r 'a b'").text == (
        "`rm -r 'a b'` in `/srv/app`, also on anything below `/srv/app/a b`"
    )
    assert of("make").text == "exec(command=make)"


def test_secrets_and_tricks_are_not_shown() -> None:
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    for command in (
        f"curl -H 'Authorization: Bearer {token}' https://example.org",
        f"git push https://{token}@example.org main",
        f"rm -r build/{token}",
        f"make TOKEN={token}",
    ):
        subject = of(command)
        assert token not in subject.text
        assert token not in subject.to_json()
        assert subject.covers(of(command))
        assert not subject.covers(of(command.replace(token, token[:-1] + "6")))
    shown = of("git commit -m 'a\u202eb\x1b[2J\nc'").text
    assert shown.isprintable()
    assert "\\u202e" in shown


def test_what_is_too_long_to_be_read_is_bound_as_a_call() -> None:
    short, long = (of(f"git push origin {'x' * count}") for count in (100, MAX_TEXT + 1))
    assert short.kind == "command"
    assert long.kind == "call"
    assert "always" not in long.levels
    assert len(long.text) <= MAX_TEXT


# -- stored


@pytest.mark.parametrize("command", [PUSH, "rm -r build", "make", "eval $X"])
def test_it_is_what_it_was_when_it_is_read_back(command: str) -> None:
    subject = of(command)
    assert Subject.from_json(subject.to_json()) == subject


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"kind": "call"}', '{"roots": [[1]]}'])
def test_what_is_no_subject_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Subject.from_json(text)


# -- any text

UNTIMED = settings(deadline=None)

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(" \t\n'\"\\$`*?[]{}()<>|&;#~!=/.-@:,%^\0\x1b\u202e"),
        st.characters(codec="utf-8"),
    ),
    max_size=30,
)
PROGRAMS = ("git", "rm", "chmod", "curl", "kill", "docker", "bash", "make", "python", "nobody")
WORDS = "push origin main -r -rf --force -C /x build build/x ../x . / ~ $X * 'a b' {a,b} -- -c -o f"
SIGNS = "; && | > < & 2>&1 A=1 $(ls) `ls` ( )"
FRAGMENTS = st.sampled_from(
    [*PROGRAMS, *WORDS.split(" "), *SIGNS.split(" "), "https://example.org/a", "\n"]
)
LINES = st.one_of(
    HOSTILE,
    st.lists(FRAGMENTS, max_size=7).map(" ".join),
    st.tuples(st.sampled_from(PROGRAMS), HOSTILE).map(" ".join),
    st.tuples(st.sampled_from(["rm -r", "git push"]), HOSTILE.map(shlex.quote)).map(" ".join),
)


@UNTIMED
@given(LINES)
def test_a_subject_covers_itself(text: str) -> None:
    assume("\0" not in text)
    subject = of(text)
    assert subject.covers(subject)
    assert subject.covers(Subject.from_json(subject.to_json()))
    assert subject.key == of(text).key
    assert subject.text.isprintable()


def effects_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    frame = frame_of("exec", {"command": text})
    effects = engine().program.effects_of(frame)
    return [(e.kind, dict(e.fields)) for e in effects.all if e.kind != "run"]


def within(effect: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> bool:
    """Whether an effect is another one, or the same on something below it."""
    if effect == other:
        return True
    (kind, fields), (same, wider) = effect, other
    path, root = fields.get("path"), wider.get("path")
    below = isinstance(path, str) and isinstance(root, str) and path.startswith(root + "/")
    return kind == same and below and {**fields, "path": root} == wider


@UNTIMED
@given(LINES, LINES, st.sampled_from([CWD, "/srv/app/x", "/"]))
def test_nothing_is_covered_that_does_more(one: str, other: str, cwd: str) -> None:
    assume("\0" not in one + other)
    granted, asked = of(one), of(other, cwd=cwd)
    if granted.covers(asked) and one != other:
        assert cwd == CWD
        assert granted.kind == asked.kind == "command"
        assert asked.asks <= granted.asks
        wider = effects_of(one)
        for effect in effects_of(other):
            assert any(within(effect, seen) for seen in wider)


SIMPLE = st.lists(
    st.sampled_from(["push", "origin", "main", "-r", "-f", "--force", "build", "build/x", "a b"]),
    min_size=1,
    max_size=4,
)


@UNTIMED
@given(st.sampled_from(["git", "rm", "chmod", "docker"]), SIMPLE, st.data())
def test_one_word_more_less_or_changed_is_not_covered(
    program: str, words: list[str], data: st.DataObject
) -> None:
    def line(name: str, rest: list[str]) -> str:
        return " ".join([name, *map(shlex.quote, rest)])

    granted = of(line(program, words))
    assert not granted.covers(of(line("git" if program != "git" else "rm", words)))
    place = data.draw(st.integers(0, len(words) - 1))
    new = data.draw(
        st.sampled_from(["--all", "-x", "elsewhere", "../x", "/etc", "*", "$X", "build/../src"])
    )
    assert not granted.covers(of(line(program, [*words[:place], new, *words[place:]])))
    assert not granted.covers(of(line(program, [*words, new])))
    assert not granted.covers(of(line(program, [*words[:place], *words[place + 1 :]])))
    changed = [*words[:place], new, *words[place + 1 :]]
    assert not granted.covers(of(line(program, changed)))
    assert not granted.covers(of(line(program, words), cwd="/srv/app/build"))
    assert not granted.covers(of(line(program, words), declaration="other"))


QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\`$])*"|(?<!\S)#[^\n]*""", re.DOTALL)


@UNTIMED
@given(LINES)
def test_what_may_always_run_is_one_command(text: str) -> None:
    """A reader of another make sees no operator but those that drop or join the outputs."""
    assume("\0" not in text)
    subject = of(text)
    if "always" not in subject.levels:
        return
    assert subject.kind == "command"
    bare = QUOTED.sub("_", text).rstrip("; \t\n")
    operators = re.findall(r"[;<>|&()`]+", bare)
    assert all(operator in (">", ">>", "&>", "&>>", ">&") for operator in operators), bare
    runs = engine().program.effects_of(frame_of("exec", {"command": text})).by_kind["run"]
    assert len(runs) == 1
    assert runs[0].fields["program"] not in ("bash", "make", "python", "nobody")
