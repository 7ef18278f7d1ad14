"""Grants: what counts, for whom, how long; and in how many processes."""

from __future__ import annotations

import signal
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.gate.database import Database, StateError
from callgate.gate.events import Events
from callgate.gate.grants import SESSION_HOURS, Grant, GrantError, Grants
from callgate.gate.subject import Subject
from tests.gate.asking import NOON, Clock
from tests.gate.processes import other
from tests.gate.subjects import of, of_call

HOUR = timedelta(hours=1)
WHO = {"user": "ann", "agent": "main", "session": "s1"}
PUSH = "git push origin main"
DROP = "rm -r build"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def grants(db: Database, clock: Clock) -> Grants:
    return Grants(db, clock)


def add(
    grants: Grants,
    subject: Subject,
    level: str = "always",
    expires: datetime | None = None,
    **who: str,
) -> Grant:
    made = grants.add(subject, level, **{**WHO, **who}, by="ann", decision_id="d1", expires=expires)
    assert made is not None
    return made


def covered(grants: Grants, subject: Subject, **who: str) -> bool:
    return grants.covers(subject, **{**WHO, **who}) is not None


def test_nothing_is_covered_at_first(grants: Grants) -> None:
    assert not covered(grants, of(PUSH))
    assert grants.list() == []


def test_once_stores_nothing(grants: Grants, db: Database) -> None:
    assert grants.add(of(PUSH), "once", **WHO, by="ann", decision_id="d") is None
    assert grants.list(ended=True) == []
    assert not covered(grants, of(PUSH))
    assert Events(db).list() == []


def test_always_is_for_every_session_of_that_user_and_agent(grants: Grants) -> None:
    made = add(grants, of(PUSH))
    assert grants.covers(of(PUSH), **WHO) == made
    for session in ("s1", "s2", ""):
        assert covered(grants, of(PUSH), session=session)
    assert not covered(grants, of(PUSH), user="bob")
    assert not covered(grants, of(PUSH), user="")
    assert not covered(grants, of(PUSH), agent="worker")
    assert not covered(grants, of("git push origin other"))


def test_a_session_is_that_one_alone(grants: Grants) -> None:
    add(grants, of("make"), "session")
    assert covered(grants, of("make"))
    assert not covered(grants, of("make"), session="s2")
    assert not covered(grants, of("make"), session="")
    assert not covered(grants, of("make install"))


@pytest.mark.parametrize("level", ["session", "session-all"])
def test_an_empty_session_is_none(grants: Grants, level: str) -> None:
    with pytest.raises(GrantError, match="no session"):
        add(grants, of(DROP), level, session="")
    add(grants, of(DROP), level)
    assert not covered(grants, of(DROP), session="")


def test_a_whole_session_is_the_family(grants: Grants) -> None:
    add(grants, of("rm -r build"), "session-all")
    for command in ("git status", "ls -la", "rm -r elsewhere", "cp a b && ls"):
        assert covered(grants, of(command))
        assert not covered(grants, of(command), session="s2")
    assert not covered(grants, of("chmod 777 x"))  # another ask
    assert not covered(grants, of("eval $X"))  # not understood
    # Whoever agreed did not see what these run, for whom, or what they send where.
    for command in (
        "make",
        "python3 x.py",
        "sudo ls",
        "./evil.sh",
        "/srv/app/evil",
        "ls; ./evil.sh",
        "env X=1 ./a.out",
        "cat x | python3",
        "nobody-described-me",
        "curl -T notes https://example.com",
        "curl https://example.com",
        "git push",
        "ls && git push origin main",
    ):
        assert not covered(grants, of(command)), command
    assert not covered(grants, of("crontab jobs"))  # for a person alone
    assert not covered(grants, of_call("process", {"action": "list"}))
    assert not covered(grants, of_call("web_fetch", {"url": "https://example.org"}))


def test_a_whole_session_that_saw_no_ask_covers_none(grants: Grants) -> None:
    add(grants, of("ls -la"), "session-all")
    assert covered(grants, of("git status"))
    assert not covered(grants, of("rm -r build"))


@pytest.mark.parametrize(
    ("tool", "args", "level"),
    [
        ("exec", {"command": "make"}, "always"),
        ("exec", {"command": "eval $X"}, "session-all"),
        ("exec", {"command": "sudo ls"}, "session-all"),
        ("exec", {"command": "python3 x.py"}, "session-all"),
        ("exec", {"command": "eval $X"}, "always"),
        ("cronjob", {"action": "add"}, "session"),
        ("web_fetch", {"url": "https://example.org"}, "session-all"),
        ("exec", {"command": PUSH}, "session-all"),
        ("exec", {"command": PUSH}, "forever"),
        ("exec", {"command": PUSH}, ""),
    ],
)
def test_only_what_was_offered_can_be_granted(
    grants: Grants, tool: str, args: dict[str, str], level: str
) -> None:
    with pytest.raises(GrantError, match="can't be granted"):
        add(grants, of_call(tool, args), level)
    assert grants.list() == []


def test_nobody_grants_nothing(grants: Grants) -> None:
    with pytest.raises(GrantError, match="nobody"):
        grants.add(of(PUSH), "always", **WHO, by="", decision_id="d")


def test_a_call_that_allows_less_now_is_not_covered(grants: Grants) -> None:
    """As when the settings have made it dangerous since."""
    add(grants, of(PUSH))
    assert not covered(grants, replace(of(PUSH), levels=("once",)))
    assert not covered(grants, replace(of(PUSH), levels=("once", "session")))


def test_more_asks_are_not_covered(grants: Grants) -> None:
    subject = of("rm -r build")
    add(grants, subject)
    assert covered(grants, of("rm -r build/x"))
    assert covered(grants, replace(subject, asks=frozenset()))
    assert not covered(grants, replace(subject, asks=subject.asks | {"other"}))


def test_it_says_who_when_and_why(grants: Grants, db: Database, clock: Clock) -> None:
    made = add(grants, of(PUSH), expires=NOON + HOUR)
    assert (made.by, made.decision_id, made.level) == ("ann", "d1", "always")
    assert (made.made, made.expires, made.ended) == (NOON, NOON + HOUR, None)
    assert (made.user, made.agent, made.session) == ("ann", "main", "")
    assert made.subject == of(PUSH)
    assert grants.list() == [made]
    event = Events(db).list("grant.made")[0]
    assert event.at == NOON
    assert event.detail["text"] == "`git push origin main` in `/srv/app`"
    assert event.detail["id"] == made.id


# -- the end


def test_it_expires(grants: Grants, clock: Clock) -> None:
    add(grants, of(PUSH), expires=NOON + HOUR)
    clock.time = NOON + HOUR - timedelta(microseconds=1)
    assert covered(grants, of(PUSH))
    clock.time = NOON + HOUR
    assert grants.list() == []
    assert not covered(grants, of(PUSH))
    ended = grants.list(ended=True)[0]
    assert ended.ended == clock.time
    assert ended.ended_by == "expiry"


@pytest.mark.parametrize("level", ["session", "session-all"])
def test_one_for_a_session_ends_by_itself(grants: Grants, clock: Clock, level: str) -> None:
    made = add(grants, of(DROP), level)
    assert made.expires == NOON + SESSION_HOURS * HOUR == NOON + 12 * HOUR
    clock.time = NOON + 12 * HOUR - timedelta(microseconds=1)
    assert covered(grants, of(DROP))
    clock.time = NOON + 12 * HOUR
    assert not covered(grants, of(DROP))


def test_one_for_a_session_may_end_before(grants: Grants) -> None:
    assert add(grants, of(PUSH), "session", expires=NOON + HOUR).expires == NOON + HOUR
    assert add(grants, of(PUSH), "session", expires=NOON + 99 * HOUR).expires == NOON + 12 * HOUR
    assert add(grants, of(PUSH), "always").expires is None


def test_it_does_not_come_back_with_the_clock(grants: Grants, clock: Clock, db: Database) -> None:
    add(grants, of(PUSH), expires=NOON + HOUR)
    clock.time = NOON + 2 * HOUR
    assert not covered(grants, of(PUSH))
    clock.time = NOON + HOUR / 2
    assert not covered(grants, of(PUSH))
    assert not covered(Grants(db, clock), of(PUSH))


def test_a_clock_that_was_ahead_counts_until_the_end(grants: Grants, clock: Clock) -> None:
    add(grants, of(PUSH), expires=NOON + HOUR)
    clock.time = NOON + 2 * HOUR
    assert not covered(grants, of("make"))  # looks at the time, not at this grant
    clock.time = NOON + HOUR / 2
    assert not covered(grants, of(PUSH))
    with pytest.raises(GrantError, match="expired already"):
        add(grants, of(PUSH), expires=NOON + HOUR)


def test_before_it_was_made_it_covers_nothing(grants: Grants, clock: Clock) -> None:
    add(grants, of(DROP))
    add(grants, of(DROP), "session-all")
    clock.time = NOON - HOUR
    assert not covered(grants, of(DROP))
    clock.time = NOON
    assert covered(grants, of(DROP))


def test_it_must_not_have_expired_when_it_is_made(grants: Grants) -> None:
    for late in (NOON, NOON - HOUR):
        with pytest.raises(GrantError, match="expired already"):
            add(grants, of(PUSH), expires=late)


def test_it_is_revoked(grants: Grants, db: Database, clock: Clock) -> None:
    first, second = add(grants, of(PUSH)), add(grants, of("git fetch"))
    clock.time += HOUR
    assert grants.revoke(first.id, by="bob") == 1
    assert grants.revoke(first.id, by="bob") == 0
    assert grants.revoke("none", by="bob") == 0
    assert not covered(grants, of(PUSH))
    assert covered(grants, of("git fetch"))
    assert grants.list() == [second]
    gone = grants.list(ended=True)[0]
    assert (gone.id, gone.ended, gone.ended_by) == (first.id, clock.time, "bob")
    assert Events(db).list("grant.revoked")[0].detail == {"id": first.id, "by": "bob"}
    add(grants, of(PUSH))
    assert covered(grants, of(PUSH))


def test_a_session_is_revoked(grants: Grants) -> None:
    add(grants, of(PUSH), "session")
    add(grants, of(DROP), "session-all")
    add(grants, of(PUSH), "session", session="s2")
    always = add(grants, of("git fetch"))
    assert grants.revoke(session="", by="bob") == 0
    assert grants.revoke(session="s1", by="bob") == 2
    assert not covered(grants, of(PUSH))
    assert covered(grants, of(PUSH), session="s2")
    assert always in grants.list()
    assert grants.revoke(all=True, by="bob") == 2
    assert grants.list() == []


def test_revoking_names_one_thing(grants: Grants) -> None:
    for named in ({}, {"id": "x", "all": True}, {"session": "s", "id": "x"}):
        with pytest.raises(GrantError, match="name a grant"):
            grants.revoke(**named, by="bob")


def test_they_are_listed_by_whom_they_are_for(grants: Grants) -> None:
    one = add(grants, of(PUSH), "session")
    two = add(grants, of(PUSH), user="bob", agent="worker")
    assert grants.list(user="ann") == [one]
    assert grants.list(agent="worker") == [two]
    assert grants.list(session="s1") == [one]
    assert grants.list(user="ann", agent="worker") == []


# -- what is stored


def test_secrets_are_not_stored(grants: Grants, db: Database) -> None:
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    for command in (f"git push https://{token}@example.org main", f"rm -r build/{token}"):
        add(grants, of(command), "session")
        assert covered(grants, of(command))
    db.read().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert token.encode() not in db.path.read_bytes()


def test_they_survive_a_restart(grants: Grants, db: Database, clock: Clock) -> None:
    made = [add(grants, of(PUSH)), add(grants, of("make"), "session")]
    db.close()
    again = Grants(Database(db.path), clock)
    assert again.list() == made
    assert covered(again, of(PUSH))
    assert covered(again, of("make"))


def test_one_that_somebody_damaged_is_told(grants: Grants, db: Database) -> None:
    add(grants, of(PUSH))
    db.read().execute("UPDATE grants SET subject = '{\"s3cret\": 1}'")
    with pytest.raises(StateError, match="damaged"):
        covered(grants, of(PUSH))


def test_a_database_that_is_gone_is_told(grants: Grants, db: Database) -> None:
    add(grants, of(PUSH))
    db.path.unlink()
    with pytest.raises(StateError, match="missing"):
        covered(grants, of(PUSH))
    with pytest.raises(StateError, match="missing"):
        add(grants, of(PUSH))


def test_a_full_disk_grants_nothing(grants: Grants, db: Database) -> None:
    add(grants, of(PUSH))
    pages = db.read().execute("PRAGMA page_count").fetchone()[0]
    db.read().execute(f"PRAGMA max_page_count={pages}")
    made = 0
    with pytest.raises(StateError, match="disk is full"):
        for made in range(1000):
            add(grants, of("git fetch"), "session", session=f"s{made}")
    assert len(grants.list()) == 1 + made
    assert not covered(grants, of("git fetch"), session=f"s{made}")
    assert covered(grants, of(PUSH))
    assert len(Events(db).list("grant.made")) == 1 + made


def test_a_locked_database_still_tells_what_was_granted(db: Database, clock: Clock) -> None:
    grants = Grants(Database(db.path, busy_seconds=0.05), clock)
    made = add(grants, of(PUSH), expires=NOON + HOUR)
    with other(db.path, "with db.transaction(): wait('inside')") as process:
        assert process.read() == "inside"
        assert covered(grants, of(PUSH))
        for change in (
            lambda: add(grants, of("make"), "session"),
            lambda: grants.revoke(made.id, by="bob"),
        ):
            with pytest.raises(StateError, match="locked"):
                change()
        clock.time = NOON + HOUR
        with pytest.raises(StateError, match="locked"):
            covered(grants, of(PUSH))  # that it has ended can't be kept


def test_what_can_not_be_stored_is_told(grants: Grants) -> None:
    for name in ("user", "agent", "session"):
        with pytest.raises(StateError, match="refuses"):
            add(grants, of(PUSH), "session", **{name: "\ud800"})
    assert grants.list() == []


# -- several processes


def test_another_process_sees_it_at_once(grants: Grants, db: Database) -> None:
    code = """
grants = Grants(db, lambda: datetime(2026, 5, 1, 12, tzinfo=UTC))
subject = Subject.from_json(sys.argv[2])
who = {"user": "ann", "agent": "main", "session": "s1"}
while True:
    wait(grants.covers(subject, **who) is not None)
"""
    with other(db.path, code, of(PUSH).to_json()) as process:
        assert process.read() == "False"
        made = add(grants, of(PUSH))
        process.go()
        assert process.read() == "True"
        grants.revoke(made.id, by="bob")
        process.go()
        assert process.read() == "False"


def test_processes_add_at_the_same_time(grants: Grants, db: Database) -> None:
    code = """
grants = Grants(db, lambda: datetime(2026, 5, 1, 12, tzinfo=UTC))
subject = Subject.from_json(sys.argv[2])
wait("ready")
for number in range(25):
    grants.add(subject, "session", user=sys.argv[3], agent="main", session=str(number),
               by="ann", decision_id="d")
"""
    args = of(PUSH).to_json()
    with (
        other(db.path, code, args, "a") as a,
        other(db.path, code, args, "b") as b,
    ):
        assert {a.read(), b.read()} == {"ready"}
        a.go()
        b.go()
        for number in range(25):
            add(grants, of(PUSH), "session", user="c", session=str(number))
        a.end()
        b.end()
    for user in "abc":
        assert len(grants.list(user=user)) == 25
    assert len(Events(db).list("grant.made")) == 75


def test_one_revocation_counts_once(grants: Grants, db: Database) -> None:
    code = """
grants = Grants(db)
wait("ready")
print(grants.revoke(all=True, by=sys.argv[2]))
"""
    for number in range(10):
        add(grants, of(PUSH), "session", session=f"s{number}")
    with other(db.path, code, "a") as a, other(db.path, code, "b") as b:
        assert {a.read(), b.read()} == {"ready"}
        a.go()
        b.go()
        assert int(a.end()) + int(b.end()) == 10
    assert len(Events(db).list("grant.revoked")) == 10


def test_a_process_that_is_killed_while_granting_grants_nothing(
    grants: Grants, db: Database
) -> None:
    code = """
import callgate.gate.grants as module
def stop(*args):
    wait("inside")
module.write_event = stop
Grants(db).add(Subject.from_json(sys.argv[2]), "always", user="ann", agent="main", session="",
               by="ann", decision_id="d")
"""
    with other(db.path, code, of(PUSH).to_json()) as process:
        assert process.read() == "inside"
        assert not covered(grants, of(PUSH))
        process.process.send_signal(signal.SIGKILL)
        process.process.wait()
    assert not covered(grants, of(PUSH))
    assert grants.list(ended=True) == []
    add(grants, of(PUSH))
    assert covered(grants, of(PUSH))


def test_threads_share_them(grants: Grants) -> None:
    found: list[bool] = []

    def work(user: str) -> None:
        found.append(covered(grants, of(PUSH), user=user))
        add(grants, of(PUSH), user=user)
        found.append(covered(grants, of(PUSH), user=user))

    threads = [Thread(target=work, args=(f"u{number}",)) for number in range(8)]
    of(PUSH)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [False] * 8 + [True] * 8


# -- any order of things

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "revoke", "ask", "clock"]),
        st.sampled_from(["s1", "s2", ""]),
        st.sampled_from(["session", "session-all", "always"]),
        st.sampled_from([PUSH, "rm -r build", "rm -r build/x", "make"]),
        st.integers(-3, 3),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_what_is_covered_was_granted(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, str, int]]
) -> None:
    """Nothing is covered that nobody granted, in that session, before now, and still stands."""
    clock = Clock()
    grants = Grants(Database(tmp_path_factory.mktemp("grants") / "state.db"), clock)
    standing: list[Grant] = []
    for what, session, level, command, hours in steps:
        subject = of(command)
        if what == "clock":
            clock.time += hours * HOUR
        elif what == "revoke":
            grants.revoke(session=session, by="bob")
            standing = [made for made in standing if not session or made.session != session]
        elif what == "add":
            try:
                end = clock.time + abs(hours) * HOUR if hours else None
                standing.append(add(grants, subject, level, end, session=session))
            except GrantError:
                allowed = level in subject.levels and (level == "always" or session)
                assert not allowed or hours
        else:
            found = grants.covers(subject, **{**WHO, "session": session})
            if found is not None:
                assert found in standing
                assert found.made <= clock.time
                assert found.expires is None or clock.time < found.expires
                assert found.level == "always" or found.session == session != ""
                assert subject.asks <= found.subject.asks
