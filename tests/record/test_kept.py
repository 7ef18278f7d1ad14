"""What records keep of calls: no secret in any byte, all else as it was; what is decided on it is
what was decided, or the record says that it is not."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from callgate.engine import Engine
from callgate.record.keys import keyed_hash
from callgate.record.recorded import call_of
from callgate.record.values import decode
from tests.record.calls import KEY, MARK, engine, record, records

PLAIN = "hunter2-of-mine"
HALF = f"{PLAIN}\ud800"
MIXED = "Xk9vQz7LmB2w"
BODY = "MIICeAIBADANBgkqhkiG9w0BAQEFAASCAmIwggJeAgEAAoGBAKsu5Kd0m3fYx2Lq\n"
BODY += "8h/yI+0kAbCdEfGh1234567890+/ZZ=="
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----\n"
TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz012345"


def token(secret: str) -> str:
    return f"secret-{keyed_hash(KEY, secret)}"


def exec_(command: str, **context: Any) -> dict[str, Any]:
    context = {"channel": "cli", "workspace": "/srv/app", "cwd": "/srv/app", **context}
    return {"tool": "exec", "args": {"command": command}, "context": context}


def with_args(**args: Any) -> dict[str, Any]:
    return {"tool": "mcp_thing", "args": args}


SECRETS = [
    pytest.param(call, secret, place, id=name)
    for name, call, secret, place in [
        ("a name", with_args(password=PLAIN), PLAIN, ("args", "password")),
        ("a short one", with_args(pin_token="12x"), "12x", ("args", "pin_token")),
        ("below a name", with_args(auth={"a": ["b", PLAIN]}), PLAIN, ("args", "auth", "a", 1)),
        ("a pair", with_args(h=[["X-Api-Key", PLAIN]]), PLAIN, ("args", "h", 0, 1)),
        ("an entry", with_args(h={"name": "token", "value": PLAIN}), PLAIN, ("args", "h", "value")),
        ("an option", with_args(argv=["--token", PLAIN]), PLAIN, ("args", "argv", 1)),
        ("a pattern", with_args(text=f"see {TOKEN}."), TOKEN, ("args", "text")),
        ("a key", with_args(**{TOKEN: 1}), TOKEN, None),
        ("a number", with_args(password=4711471147), "4711471147", ("args", "password")),
        ("a user", exec_(f"curl -u me:{PLAIN} h.example"), f"me:{PLAIN}", ("args", "command")),
        ("a program", exec_(f"sshpass -p {PLAIN} ssh h"), PLAIN, ("args", "command")),
        ("fed", exec_(f"echo {PLAIN} | sudo -S ls"), PLAIN, ("args", "command")),
        ("extra", exec_("ls", extra={"api_key": PLAIN}), PLAIN, ("context", "extra", "api_key")),
        ("a folder", exec_("ls", cwd=f"/w/{TOKEN}"), TOKEN, ("context", "cwd")),
        ("a sender", exec_("ls", sender_id=TOKEN), TOKEN, ("context", "sender_id")),
        ("the trace", exec_("ls", trace_id=TOKEN), TOKEN, ("context", "trace_id")),
        ("the id", {**exec_("ls"), "id": TOKEN}, TOKEN, None),
        ("the tool", {"tool": TOKEN}, TOKEN, None),
        (
            "declared",
            {**exec_("ls"), "declared": {"annotations": {"token": PLAIN}}},
            PLAIN,
            ("declared", "annotations", "token"),
        ),
        (
            "declared, told elsewhere",
            {**exec_(f"cat {PLAIN}"), "declared": {"annotations": {"token": PLAIN}}},
            PLAIN,
            ("args", "command"),
        ),
        ("seen", {**exec_("ls"), "observed": {"links": {"/a": f"/{TOKEN}"}}}, TOKEN, None),
        ("replied", {**exec_("npm i x"), "answers": {"reviewer": f"no {TOKEN}"}}, TOKEN, None),
        ("twice", with_args(password=PLAIN, text=f"it is {PLAIN}"), PLAIN, ("args", "text")),
        ("half a pair", with_args(auth=HALF, text=f"- {HALF} -"), HALF, ("args", "text")),
        ("a private key", with_args(text=PEM), BODY[-32:], None),
        ("one cut off", exec_(f"cat > k <<'EOF'\n{PEM[:150]}\nEOF"), BODY[:64], None),
        ("one of escapes", exec_("echo '" + PEM.replace("\n", "\\n") + "'"), BODY[-32:], None),
        ("one in JSON", with_args(text=orjson.dumps({"k": PEM}).decode()), BODY[-32:], None),
        ("escaped", exec_(f'curl -d "{{\\"password\\": \\"{PLAIN}\\"}}" h.example'), PLAIN, None),
        (
            "escaped twice",
            with_args(t=f'\\\\\\"password\\\\\\": \\\\\\"{PLAIN}\\\\\\"'),
            PLAIN,
            None,
        ),
        ("in $''", exec_(f"export A_KEY=$'{PLAIN}'"), PLAIN, None),
        ("a list", with_args(t=f'{{"passwords": ["{PLAIN}", "{PLAIN}2"]}}'), PLAIN, None),
        ("a manifest", with_args(t=f"- name: DB_PASSWORD\n  value: {PLAIN}\n"), PLAIN, None),
        (".netrc", with_args(t=f"machine h login me password {PLAIN}\n"), PLAIN, None),
        ("an item", with_args(t=f'os.environ["PASSWORD"]="{PLAIN}"'), PLAIN, None),
        ("val", with_args(h=[{"key": "X-Api-Key", "val": PLAIN}]), PLAIN, ("args", "h", 0, "val")),
        ("elsewhere", exec_(f"export TOKEN={PLAIN}; curl https://h.example/{PLAIN}"), PLAIN, None),
        (
            "replied, of a command",
            {**exec_(f"make A_KEY={MIXED}"), "answers": {"reviewer": f"no, {MIXED}"}},
            MIXED,
            None,
        ),
        ("a URL", exec_(f"git clone https://me:{MIXED}@h.example/a; echo {MIXED}"), MIXED, None),
        ("no call", {"tool": 1, "args": {"password": PLAIN}}, PLAIN, ("args", "password")),
        ("no args", {"tool": "exec", "args": ["--token", PLAIN]}, PLAIN, ("args", 1)),
        ("an unknown key", {"tool": "exec", "password": PLAIN}, PLAIN, None),
        ("too many", with_args(t=[{"token": f"{PLAIN}{n}"} for n in range(300)]), PLAIN, None),
    ]
]


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize(("call", "secret", "place"), SECRETS)
def test_no_secret_in_any_byte(call: Any, secret: str, place: Any, live: bool) -> None:
    of = engine()
    decision = of.program.decide(call, live)
    made = records(of)
    for _ in range(2):
        line = made.of(decision, MARK)
        raw = secret.encode("utf-8", "surrogatepass")
        assert raw not in line
        assert raw.hex().encode() not in line
    found = orjson.loads(line)
    form = decision.to_dict()
    if secret not in str(form):
        assert {name: found[name] for name in form} == form
    if place is not None:
        value = found["call"]
        for part in place:
            value = value[part]
        assert token(secret) in value
    if found["rewalk"]:
        again = of.program.decide(call_of(decode(found)), live)
        assert (again.outcome, list(again.trace)) == (decision.outcome, list(decision.trace))
    else:
        assert found["rewalk_why"]


def test_settings_secrets() -> None:
    of = Engine.load("echo", {"tools": {"web": {"search_api_key": PLAIN}}})
    assert of.program.settings_secrets
    decision = of.decide(exec_(f"cat {PLAIN}"))
    assert PLAIN.encode() not in records(of).of(decision, MARK)
    found = record(of, decision)
    assert found["call"]["args"]["command"] == f"cat {token(PLAIN)}"
    assert found["rewalk"]


def test_the_key_of_another_store_gives_other_tokens() -> None:
    assert keyed_hash(b"x" * 32, PLAIN) != keyed_hash(KEY, PLAIN)


def test_names_of_the_context_are_no_secrets() -> None:
    """`session_key` sounds like one."""
    context = {"session_key": "cli:1", "idempotency_key": "i-123", "chat_id": "c"}
    found = record(engine(), engine().decide(exec_("ls", **context)))
    assert {name: found["call"]["context"][name] for name in context} == context


def test_what_hung_on_a_secret_is_not_walked_again() -> None:
    """The way leads over a path that is hidden."""
    of = engine()
    decision = of.decide(exec_(f"cat /etc/{TOKEN}/../shadow"))
    other = of.decide(exec_("cd /srv/app && rm -rf $(echo /)", cwd=f"/x/{TOKEN}/../../etc"))
    for each in (decision, other):
        found = record(of, each)
        again = of.decide(call_of(decode(found)))
        same = (again.outcome, list(again.trace)) == (each.outcome, list(each.trace))
        assert found["rewalk"] is same


def test_a_secret_that_decided() -> None:
    of = engine()
    decision = of.decide({"tool": "exec", "args": {"command": ["ls"], "password": PLAIN}})
    assert record(of, decision)["rewalk"]
    decision = of.decide({"tool": "exec", "args": {"command": "ls", "timeout_token": 30}})
    found = record(of, decision)
    assert found["call"]["args"]["timeout_token"] == token("30")
    by_id = exec_(f"ls {'x' * 50}; rm -rf /")
    cut = record(of, of.decide(by_id), max_text=20)
    assert not cut["rewalk"]
    assert cut["rewalk_why"].startswith("secrets that were replaced, or what was cut")


@pytest.mark.parametrize("length", [10, 11])
def test_long_texts_are_cut(length: int) -> None:
    of = engine()
    text = ("é" * length)[:length]
    found = record(of, of.decide(with_args(text=text)), max_text=10)
    kept = found["call"]["args"]["text"]
    if length <= 10:
        assert kept == text
    else:
        assert kept == f"{'é' * 10}…[cut: 11 characters, {keyed_hash(KEY, text)}]"


def test_a_secret_is_found_in_what_is_cut_off() -> None:
    of = engine()
    call = with_args(password=PLAIN, text=f"{'x' * 8} {PLAIN}")
    line = records(of, max_text=15).of(of.decide(call), MARK)
    assert b"hunter2" not in line
