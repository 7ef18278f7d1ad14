"""Paths in normal form, through folders, the home and links."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import Surroundings
from callgate.effects.paths import normal
from callgate.model.values import UNKNOWN
from tests.effects.reading import HERE, effects

LINKS = {"/w/notes": "/out/victim", "/w/dir": "/etc", "/w/a": "/w/b", "/w/b": "/w/a", "/r": "x"}


def path_of(text: str, place: Surroundings = HERE) -> object:
    """Where the only read, write or delete in a command leads."""
    return paths_of(text, place)[-1]


def paths_of(text: str, place: Surroundings = HERE) -> list[object]:
    """The paths of the only read, write or delete in a command: the links on the way first."""
    found = effects(text, place).by_kind
    (some,) = (found[kind] for kind in ("read", "write", "delete") if kind in found)
    return [effect.fields["path"] for effect in some]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a", "/w/a"),
        ("./a", "/w/a"),
        ("../a", "/a"),
        ("../../../a", "/a"),
        ("a/../b//c/./d/", "/w/b/c/d"),
        ("/", "/"),
        ("//", "/"),
        ("/..", "/"),
        ("/a/../..", "/"),
        ("~", "/home/u"),
        ("~/a", "/home/u/a"),
        ("~/../v", "/home/v"),
        ("'~/a'", "/w/~/a"),
        ("\\~", "/w/~"),
        ("$HOME/a", "/home/u/a"),
        ("~root/a", UNKNOWN),
        ("/proc/self/root/etc/a", "/etc/a"),
        ("/proc/1/root/proc/2/task/3/root/../a", "/a"),
        ("//proc/./thread-self/root", "/"),
        ("/proc/1/cwd/a", UNKNOWN),
        ("/proc/self/fd/3", UNKNOWN),
        ("/proc/1/status", "/proc/1/status"),
        ("/a/proc/1/root/b", "/a/proc/1/root/b"),
        ("''", UNKNOWN),
        ("$X/a", UNKNOWN),
        ("'a b'", "/w/a b"),
        ("/x" * 3000, UNKNOWN),
    ],
)
def test_what_a_word_means(text: str, path: object) -> None:
    assert path_of(f"cat {text}") == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cat a", "./a"),
        ("cat .", "."),
        ("cat ../a", UNKNOWN),
        ("cat ~/a", "~/a"),
        ("cat ~", "~"),
        ("cat ~/../a", UNKNOWN),
        ("cat $HOME/.ssh", "~/.ssh"),
        ("cat x$HOME", UNKNOWN),
        ("cat /a", "/a"),
        ("cd ~/x && cat a", "~/x/a"),
        ("cd x && cat a", "./x/a"),
        ("dd of=~/a", "~/a"),
    ],
)
def test_where_nothing_is_said_of_folders(text: str, path: object) -> None:
    assert path_of(text, Surroundings()) == path


def test_what_was_taken_for_granted_is_said() -> None:
    assert effects("cat /a").assumed == ["links"]
    assert effects("cat a", Surroundings()).assumed == ["links", "cwd"]
    assert effects("cat /a", Surroundings(links={"/b": "/c"})).assumed == []
    assert effects("echo a").assumed == []


def test_the_workspace_stands_in_for_a_missing_folder() -> None:
    assert path_of("cat a", Surroundings(workspace="/s")) == "/s/a"
    assert path_of("cat a", Surroundings(cwd="/c", workspace="/s")) == "/c/a"
    assert path_of("cat a", Surroundings(cwd="not absolute")) == "./a"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cat notes", "/out/victim"),
        ("cat ./notes", "/out/victim"),
        ("echo > notes", "/out/victim"),
        ("cat dir/passwd", "/etc/passwd"),
        ("cat dir", "/etc"),
        ("cat dir/../x", "/x"),
        ("rm notes", "/w/notes"),
        ("rm dir/x", "/etc/x"),
        ("rm -r dir/", "/etc"),
        ("cat other", "/w/other"),
        ("cat a/x", UNKNOWN),
        ("cat /r", "/x"),
    ],
)
def test_links_are_followed(text: str, path: object) -> None:
    assert path_of(text, Surroundings(cwd="/w", links=LINKS)) == path


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cat notes", ["/w/notes", "/out/victim"]),
        ("cat other", ["/w/other"]),
        ("cat one", ["/w/one", "/w/two", "/z/x", "/w/three/x"]),
        ("cat one/../y", ["/w/y", "/z/y", "/w/three/y"]),
        ("cat a", ["/w/a", "/w/b", UNKNOWN]),
        ("cat /r/x", ["/r/x", "/x/x"]),
        ("echo > null", ["/w/null"]),
        ("rm one", ["/w/one"]),
    ],
)
def test_what_a_link_is_on_the_way_counts_as_well(text: str, paths: list[object]) -> None:
    more = {"/w/one": "/w/two", "/w/two": "/w/three/x", "/w/three": "/z", "/w/null": "/dev/null"}
    found = paths_of(text, Surroundings(cwd="/w", links={**LINKS, **more}))
    assert found == paths


_LINKED = st.sampled_from(["/w/a", "/w/b", "/w/a/b", "/v", "/v/b", "/etc", "/w", "/w/b/a"])
_ASKED = st.lists(st.sampled_from(["a", "b", "..", "/w", "/v"]), min_size=1, max_size=4)


@given(
    _ASKED.map("/".join),
    st.dictionaries(_LINKED, _LINKED, max_size=4),
    st.dictionaries(_LINKED, _LINKED, max_size=2),
    st.sampled_from(["cat", "rm", "tee"]),
)
def test_more_links_never_take_a_place_away(
    text: str, links: dict[str, str], more: dict[str, str], program: str
) -> None:
    few = paths_of(f"{program} {text}", Surroundings(cwd="/w", links=links))
    all_ = paths_of(f"{program} {text}", Surroundings(cwd="/w", links={**more, **links}))
    assert UNKNOWN in all_ or set(few) - {UNKNOWN} <= set(all_)


def test_links_are_found_whatever_their_form() -> None:
    links = {"/w//x/.": "/etc", "/v/../y": "/proc/self/root/z", "/..": "/q"}
    place = Surroundings(cwd="/w", links=links)
    assert path_of("cat x/a", place) == "/etc/a"
    assert path_of("cat /y/a", place) == "/z/a"
    assert path_of("cat /proc/self/root/y/../a", place) == "/a"


def test_strict_means_that_what_nobody_observed_is_unknown() -> None:
    place = Surroundings(cwd="/w", links={"/w/a": "/w/a", "/w/b": "/etc"}, strict=True)
    assert path_of("cat a", place) == "/w/a"
    assert path_of("cat c", place) is UNKNOWN
    assert path_of("cat a", Surroundings(links={"/a": "/a"}, strict=True)) is UNKNOWN
    (connect,) = effects("curl example.org", place).by_kind["connect"]
    assert connect.fields["address_class"] is UNKNOWN


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cat *.py", "/w/*.py"),
        ("cat d/*", "/w/d/*"),
        ("cat .*", UNKNOWN),
        ("cat /etc/shad*", "/etc/shad*"),
        ("cat /etc/*", "/etc/*"),
        ("cat /tmp/*.log", "/tmp/*.log"),
        ("cat ~/Downloads/*.pdf", "/home/u/Downloads/*.pdf"),
        ("cat ../other/*.md", "/other/*.md"),
        ("cat /tmp/.x*", UNKNOWN),
        ("cat /tmp/*/x", UNKNOWN),
        ("cat /*", UNKNOWN),
        ("cat /home/*", UNKNOWN),
        ("cat /home/v/*", UNKNOWN),
        ("cat /proc/self/env*", UNKNOWN),
        ("cat /dev/sd*", UNKNOWN),
        ("cat */.env", "/w/*/.env"),
        ("rm -r /etc/**", "/etc/*"),
        ("cat ~/*", UNKNOWN),
        ("cat '*'", "/w/*"),
        ("rm -r /etc/*", "/etc/*"),
        ("rm -r ~/*", "/home/u/*"),
        ("rm -r /e*", UNKNOWN),
        ("rm -r /etc/*/x", UNKNOWN),
        ("cd /etc && cat shad*", "/etc/shad*"),
    ],
)
def test_globs_are_kept_where_they_cannot_lead_far(text: str, path: object) -> None:
    assert path_of(text) == path


@given(st.lists(st.sampled_from(["a", "b", ".", "..", "", "..."]), max_size=12))
def test_normal_form_is_that_of_posix(parts: list[str]) -> None:
    text = "/" + "/".join(parts)
    expected = posixpath.normpath(text)
    assert normal(text) == (expected[1:] if expected.startswith("//") else expected)
    found = normal(text)
    assert isinstance(found, str)
    assert normal(found) == found


@pytest.mark.parametrize(
    ("links", "path"),
    [
        ({"n": "/etc/shadow"}, "/etc/shadow"),
        ({"./n": "/etc/shadow"}, "/etc/shadow"),
        ({"/w/n": "m"}, "/w/m"),
        ({"/w/n": "../m"}, "/m"),
        ({"/w/n": "./m"}, "/w/m"),
        ({"/w/n": "~/m"}, "/home/u/m"),
        ({"/w/n": "m", "/w/m": "../etc"}, "/etc"),
        ({"~/x": "/etc", "/w/n": "~/x"}, "/etc"),
        ({"/w/n": "~root/m"}, "/w/~root/m"),
        ({"/w/n": ""}, UNKNOWN),
        ({"/w/n": "a\0"}, UNKNOWN),
    ],
)
def test_links_are_what_the_system_says_of_them(links: dict[str, str], path: object) -> None:
    place = Surroundings(cwd="/w", home="/home/u", links=links)
    assert path_of("cat n", place) == path


def test_links_where_no_folder_is_known() -> None:
    assert path_of("cat n", Surroundings(links={"n": "m"})) == "./m"
    assert path_of("cat n", Surroundings(links={"./n": "/etc/x"})) == "/etc/x"
    assert path_of("cat ~/n", Surroundings(links={"~/n": "m"})) == "~/m"
