"""`callgate approvals`: what a person at the command line sees, and what their word does."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from callgate.gate.answerers import local_operator
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.requests import KEYS_FILE, ApprovalRequest, Requests
from callgate.gate.state import StateFolder
from tests.cli.conftest import Run
from tests.gate.asking import Clock, question

LOCAL = question(user="")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return StateFolder(tmp_path / "state").path


@pytest.fixture
def db(state: Path) -> Iterator[Database]:
    database = Database(state / "state.db")
    yield database
    database.close()


@pytest.fixture
def requests(db: Database) -> Requests:
    return Requests(db)


def now_of(requests: Requests, request: ApprovalRequest) -> ApprovalRequest:
    found = requests.get(request.id)
    assert found is not None
    return found


# -- looking


def test_nothing_waits(run: Run, state: Path, db: Database) -> None:
    assert run("approvals", "list", "--state", state).stdout == "nothing waits for an answer\n"
    assert run("approvals", "list", "--all", "--state", state).stdout == "no requests\n"
    assert run("approvals", "list", "--state", state, "--format", "json").stdout.strip() == "[]"


def test_a_list(run: Run, state: Path, requests: Requests) -> None:
    first = requests.open(LOCAL)
    second = requests.open(question("git status", session="s2"))
    told = run("approvals", "list", "--state", state).stdout
    assert told.index(first.id) < told.index(second.id)
    lines = told.splitlines()
    assert lines[0].startswith(f"? {first.id}  git push   ")
    assert lines[0].endswith(" left")
    assert lines[1:3] == [
        "  bash → exec · risk exec · session s1 · channel telegram",
        "  runs git push  and 1 more",
    ]
    assert "user ann" in lines[4]
    assert "\x1b" not in told
    assert first.id not in run("approvals", "list", "--session", "s2", "--state", state).stdout
    requests.answer(first.id, "deny", "local:x")
    assert first.id not in run("approvals", "list", "--state", state).stdout
    assert first.id in run("approvals", "list", "--all", "--state", state).stdout


def test_a_card(run: Run, state: Path, requests: Requests) -> None:
    request = requests.open(LOCAL)
    lines = run("approvals", "show", request.id, "--state", state).stdout.splitlines()
    assert lines[0].startswith(f"? {request.id}  bash → exec · risk exec ")
    assert lines[0].endswith(" left")
    assert lines[1:] == [
        "",
        "  it        runs git push",
        "            connects to origin",
        "  call      │ command: git push",
        "  because   the policy wants somebody's word on calls of this kind",
        "  from      agent main, session s1, channel telegram",
        "",
        "  grants    once    this one call",
        f"            always  {LOCAL.choices[1].text}",
        "            deny    nothing; the call is refused",
        "  who       the operator of this machine may answer",
    ]


def test_a_long_call_stays_behind_its_bar(run: Run, state: Path, requests: Requests) -> None:
    text = "command:\n" + "x" * 500 + "\\n\n  grants    once   nothing"
    request = requests.open(question(user="", text=text))
    lines = run("approvals", "show", request.id, "--state", state).stdout.splitlines()
    assert sum(line.startswith("  grants ") for line in lines) == 1
    assert "".join(line for line in lines if "│" in line).count("x") == 500
    assert max(map(len, lines)) <= 100


def test_no_space_of_a_call_is_left_out(run: Run, state: Path, requests: Requests) -> None:
    text = "  a   b" + " " * 300 + "; rm   -rf  x 日本語" + "日本" * 100
    request = requests.open(question(user="", text=text))
    lines = run("approvals", "show", request.id, "--state", state).stdout.splitlines()
    shown = [line.partition("│ ")[2] for line in lines if "│" in line]
    assert "".join(shown).replace(" ", "") == text.replace(" ", "")
    assert shown[0].startswith("  a   b")
    assert any("; rm   -rf  x" in line for line in shown)


def test_json_says_everything(run: Run, state: Path, requests: Requests) -> None:
    request = requests.open(LOCAL)
    (form,) = json.loads(run("approvals", "list", "--state", state, "--format", "json").stdout)
    shown = json.loads(
        run("approvals", "show", request.id, "--state", state, "--format", "json").stdout
    )
    for told in (form, shown):
        assert told["id"] == request.id
        assert told["status"] == "pending"
        assert told["seal"] == LOCAL.seal
        assert told["effects"] == list(LOCAL.effects)
        assert told["choices"][0] == {"level": "once", "grants": "this one call"}
        assert 0 < told["seconds_left"] <= 120
        assert told["decided"] is None


def test_odd_names_do_nothing_to_the_terminal(run: Run, state: Path, requests: Requests) -> None:
    odd = "x\x1b[2J\u202e\n  grants"
    request = requests.open(question(user=odd, agent=odd, session=odd, channel=odd, trace=odd))
    for words in (["list"], ["show", request.id]):
        told = run("approvals", *words, "--state", state).stdout
        assert "\x1b" not in told
        assert "\u202e" not in told
    assert told.count("\n  grants") == 1


# -- answering


@pytest.mark.parametrize("level", ["once", "always"])
def test_the_operator_approves(
    run: Run, state: Path, requests: Requests, db: Database, level: str
) -> None:
    request = requests.open(LOCAL)
    result = run("approvals", "approve", request.id, "--level", level, "--state", state)
    assert result.exit_code == 0, result.output
    assert f"approved by {local_operator()}: {level}" in result.stdout
    done = now_of(requests, request)
    assert (done.status, done.answer, done.decided_by) == ("approved", level, local_operator())
    (event,) = Events(db).list("request.answered")
    assert event.detail["via"] == local_operator()
    again = run("approvals", "deny", request.id, "--state", state)
    assert again.exit_code == 1
    assert "approved already" in again.stderr


def test_several_are_denied(run: Run, state: Path, requests: Requests) -> None:
    ids = [requests.open(question(str(number), user="")).id for number in range(3)]
    result = run("approvals", "deny", ids[0], ids[2], "--state", state)
    assert result.exit_code == 0, result.output
    assert [request.id for request in requests.pending()] == [ids[1]]


def test_who_one_is_has_to_be_said(run: Run, state: Path, requests: Requests) -> None:
    request = requests.open(question())
    result = run("approvals", "approve", request.id, "--state", state)
    assert result.exit_code == 1
    assert "only `ann` may answer this; `--as NAME` says who you are" in result.stderr
    wrong = run("approvals", "approve", request.id, "--as", "bob", "--state", state)
    assert wrong.exit_code == 1
    assert now_of(requests, request).status == "pending"
    assert run("approvals", "approve", request.id, "--as", "ann", "--state", state).exit_code == 0
    assert now_of(requests, request).decided_by == "ann"


def test_only_what_is_offered_can_be_granted(run: Run, state: Path, requests: Requests) -> None:
    request = requests.open(LOCAL)
    result = run("approvals", "approve", request.id, "--level", "session", "--state", state)
    assert result.exit_code == 1
    assert "this request offers `once`, `always` or `deny`" in result.stderr
    assert now_of(requests, request).status == "pending"


def test_there_is_no_such_request(run: Run, state: Path, db: Database) -> None:
    for words in (["show"], ["approve"], ["deny"]):
        result = run("approvals", *words, "no\x1bpe", "--state", state)
        assert result.exit_code == 1
        assert "there is no request `no\\epe` (`callgate approvals list`)" in result.stderr


def test_the_beginning_of_an_id_will_do(run: Run, state: Path, requests: Requests) -> None:
    request = requests.open(LOCAL)
    short = run("approvals", "show", request.id[:3], "--state", state)
    assert short.exit_code == 1
    assert "there is no request" in short.stderr
    assert request.id in run("approvals", "show", request.id[:4], "--state", state).stdout
    result = run("approvals", "approve", request.id[:4], "--state", state)
    assert result.exit_code == 0, result.output
    assert now_of(requests, request).status == "approved"
    other = requests.open(question("other", user=""))
    assert run("approvals", "deny", other.id[:-1], "--state", state).exit_code == 0
    assert now_of(requests, other).status == "denied"


def test_a_beginning_that_several_have(
    run: Run, state: Path, requests: Requests, db: Database
) -> None:
    one, two = requests.open(LOCAL), requests.open(question("other", user=""))
    with db.transaction() as connection:
        for number, request in enumerate((one, two)):
            connection.execute(
                "UPDATE requests SET id = ? WHERE id = ?", (f"abcd00000{number}", request.id)
            )
    result = run("approvals", "approve", "abcd", "--state", state)
    assert result.exit_code == 1
    assert "several requests begin with `abcd`" in result.stderr
    assert "`abcd000000`" in result.stderr
    assert len(requests.pending()) == 2


def test_the_keys_are_in_the_help(run: Run) -> None:
    told = run("approvals", "watch", "--help").stdout
    for key in ("1, 2, …", "d        deny it", "Enter", "Ctrl-C"):
        assert key in told


def test_a_call_of_several_lines_takes_one_in_a_list(
    run: Run, state: Path, requests: Requests
) -> None:
    text = "command:\n  cd /srv\\n\n  " + "make " * 100
    requests.open(question(user="", text=text))
    first, *_ = run("approvals", "list", "--state", state).stdout.splitlines()
    assert "command: cd /srv\\n make" in first
    assert "…" in first
    assert len(first) <= 100


def test_too_late(run: Run, state: Path, db: Database) -> None:
    request = Requests(db, Clock()).open(LOCAL)  # long ago
    result = run("approvals", "approve", request.id, "--state", state)
    assert result.exit_code == 1
    assert "expired already" in result.stderr
    assert "expired" in run("approvals", "show", request.id, "--state", state).stdout


def test_without_a_state_it_says_so(run: Run, tmp_path: Path) -> None:
    for words in (["list"], ["show", "x"], ["approve", "x"], ["deny", "x"], ["watch"]):
        result = run("approvals", *words, "--state", tmp_path / "none")
        assert result.exit_code == 1
        assert "state folder" in result.stderr
        assert not (tmp_path / "none").exists()


def test_a_damaged_request_is_told(run: Run, state: Path, requests: Requests, db: Database) -> None:
    request = requests.open(LOCAL)
    with db.transaction() as connection:
        connection.execute("UPDATE requests SET question = '{}'")
    for words in (["list"], ["show", request.id], ["approve", request.id]):
        result = run("approvals", *words, "--state", state)
        assert result.exit_code == 1
        assert "damaged" in result.stderr


# -- signing


def test_signed_answers(run: Run, state: Path, requests: Requests, tmp_path: Path) -> None:
    key = tmp_path / "ann.pem"
    made = run("approvals", "keygen", "ann", "-o", key)
    assert made.exit_code == 0, made.output
    assert key.stat().st_mode & 0o777 == 0o600
    assert made.stdout.startswith("ann ")
    assert len(made.stdout.splitlines()) == 1
    keys = state / KEYS_FILE
    keys.write_text(made.stdout)
    keys.chmod(0o600)

    request = requests.open(question(signed=True))
    words = ["approvals", "approve", request.id, "--as", "ann", "--state", state]
    unsigned = run(*words)
    assert unsigned.exit_code == 1
    assert "signed by an approver's key" in unsigned.stderr
    other = tmp_path / "other.pem"
    run("approvals", "keygen", "ann", "-o", other)
    assert "signature is not by a key" in run(*words, "--key", other).stderr
    assert "there is no key" in run(*words, "--key", tmp_path / "none").stderr
    assert now_of(requests, request).status == "pending"
    assert run(*words, "--key", key).exit_code == 0
    assert now_of(requests, request).status == "approved"


def test_a_key_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("key", "link"):
        result = run("approvals", "keygen", "ann", "-o", tmp_path / name)
        assert result.exit_code == 1
        assert "is there already" in result.stderr
    assert (tmp_path / "key").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["", " ", "a b", " ann", "a#b", "a\nb", "a\u202eb"])
def test_a_name_is_one_word(run: Run, tmp_path: Path, name: str) -> None:
    assert run("approvals", "keygen", name, "-o", tmp_path / "key").exit_code == 1
    assert not (tmp_path / "key").exists()


def test_a_key_as_json(run: Run, tmp_path: Path) -> None:
    result = run("approvals", "keygen", "ann", "-o", tmp_path / "key", "--format", "json")
    told = json.loads(result.stdout)
    assert told["name"] == "ann"
    assert told["private"] == str(tmp_path / "key")


# -- watching


def _interruptible() -> None:
    """What runs in the background of a shell is started without."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watch:
    """`callgate approvals watch` as a process, on a pipe or on a terminal."""

    def __init__(self, state: Path, *args: str, terminal: bool = False) -> None:
        words = [sys.executable, "-m", "callgate", "approvals", "watch", "--state", str(state)]
        self.end, device = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(
            [*words, *args],
            stdin=device if terminal else subprocess.DEVNULL,
            stdout=device,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TERM": "xterm"},
            preexec_fn=_interruptible,
        )
        os.close(device)
        self.seen = ""

    def until(self, text: str) -> str:
        """Read until a text was shown; gives what was shown since the last time."""
        while text not in self.seen:
            assert select.select([self.end], [], [], 20)[0], f"never shown: {text}; {self.seen}"
            data = os.read(self.end, 65_536)
            assert data, self.seen
            self.seen += data.decode()
        shown, found, self.seen = self.seen.partition(text)
        return shown + found

    def press(self, key: str) -> None:
        os.write(self.end, key.encode())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.end)


@pytest.fixture
def watching(state: Path, db: Database) -> Iterator[list[Watch]]:
    started: list[Watch] = []
    yield started
    for one in started:
        one.close()


def test_watch_tells_what_comes_and_ends(
    state: Path, requests: Requests, watching: list[Watch]
) -> None:
    watch = Watch(state)
    watching.append(watch)
    watch.until("Waiting for requests.")
    request = requests.open(LOCAL)
    shown = watch.until("may answer\n")
    assert request.id in shown
    assert "\x1b" not in shown
    assert "[1]" not in shown
    requests.answer(request.id, "deny", "local:x")
    watch.until(f"✕ {request.id}  denied by local:x")
    assert watch.stop() == 130


def test_watch_tells_it_as_json_lines(
    state: Path, requests: Requests, watching: list[Watch]
) -> None:
    request = requests.open(LOCAL)
    watch = Watch(state, "--format", "jsonl")
    watching.append(watch)
    told = json.loads(watch.until("\n"))
    assert (told["event"], told["request"]["id"]) == ("new", request.id)
    requests.cancel(request.id)
    told = json.loads(watch.until("\n"))
    assert (told["event"], told["request"]["id"]) == ("cancelled", request.id)


@pytest.mark.parametrize(
    ("key", "answer"), [("1", "once"), ("2", "always"), ("d", "deny"), ("D", "deny")]
)
def test_one_key_answers(
    state: Path, requests: Requests, watching: list[Watch], key: str, answer: str
) -> None:
    request = requests.open(LOCAL)
    watch = Watch(state, terminal=True)
    watching.append(watch)
    watch.until("Your key, or Enter for later:")
    for wrong in ("3", "x", "\x1b[A", "1d"):
        watch.press(wrong)
        watch.until("1, 2, d, or Enter")
        assert requests.pending() == [request]
    watch.press(key)
    watch.until("approved" if answer != "deny" else "denied")
    assert now_of(requests, request).answer == answer


def test_enter_leaves_it_open(state: Path, requests: Requests, watching: list[Watch]) -> None:
    request = requests.open(LOCAL)
    watch = Watch(state, terminal=True)
    watching.append(watch)
    watch.until("Your key, or Enter for later:")
    watch.press("\n")
    watch.until("left open")
    assert requests.pending() == [request]
    requests.answer(request.id, "deny", "local:x")
    watch.until("denied")


def test_keys_pressed_before_count_for_nothing(
    state: Path, requests: Requests, watching: list[Watch]
) -> None:
    watch = Watch(state, terminal=True)
    watching.append(watch)
    watch.until("Waiting for requests.")
    watch.press("1111")
    request = requests.open(LOCAL)
    watch.until("Your key, or Enter for later:")
    assert now_of(requests, request).status == "pending"
    requests.answer(request.id, "deny", "local:x")
    watch.until("denied by local:x")


def test_whoever_may_not_answer_only_looks(
    state: Path, requests: Requests, watching: list[Watch]
) -> None:
    request = requests.open(question())
    looks = Watch(state, terminal=True)
    watching.append(looks)
    assert "[1]" not in looks.until("may answer")
    ann = Watch(state, "--as", "ann", terminal=True)
    watching.append(ann)
    assert "[1]" in ann.until("Your key, or Enter for later:")
    ann.press("1")
    ann.until("approved")
    assert now_of(requests, request).decided_by == "ann"
    looks.until("approved by ann")
