"""Secrets on command lines reach nobody: those that programs know, and those that are named."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.analysis.effect_explain import explain_effects
from callgate.analysis.explain import explain
from callgate.cli.effect_story import effects_story
from callgate.gate.brief import brief_of
from callgate.gate.showing import TooLongError, question_of
from callgate.gate.subject import subject_of
from callgate.runtime.render import describe
from tests.gate.subjects import CWD, engine

COMMANDS = [
    "docker login -u ann -p hunter22 registry.example.com",
    "podman login --password=hunter22",
    "echo hunter22 | docker login -u ann --password-stdin",
    "docker login --password-stdin <<< hunter22",
    "redis-cli -a hunter22 get x",
    "redis-cli --pass hunter22 get x",
    "mysql -uroot -phunter22 app",
    "vault login hunter22",
    "vault kv put secret/app x=hunter22",
    "vault operator unseal hunter22",
    "openssl enc -aes-256-cbc -k hunter22 -in a -out b",
    "openssl rsa -in k.pem -passin pass:hunter22",
    "openssl passwd -1 hunter22",
    "zip -P hunter22 a.zip b",
    "unzip -P hunter22 a.zip",
    "sshpass -p hunter22 ssh ann@web",
    "sshpass -phunter22 ssh ann@web",
    "curl -sSfu ann:hunter22 https://x.example.org",
    "curl --proxy-user=ann:hunter22 https://x.example.org",
    "7z x -phunter22 a.7z",
    "ldapsearch -x -D cn=a -w hunter22 -H ldap://x.example.org",
    "psql postgres://ann:hunter22@db.example.org/app",
    "psql postgres://:hunter22@db.example.org/app",
    "htpasswd -b users ann hunter22",
    "htpasswd -nb ann hunter22",
    "smbclient -U ann%hunter22 //files/share",
    "smbclient //files/share hunter22",
    "wget --password=hunter22 https://x.example.org",
    "wget --password hunter22 https://x.example.org",
    "git clone https://ann:hunter22@x.example.org/a.git",
    "aws configure set aws_secret_access_key hunter22",
    "kubectl create secret generic s --from-literal=k=hunter22",
    "kubectl --token hunter22 get pods",
    "oc login -u ann -p hunter22",
    "gh auth login --with-token <<< hunter22",
    "echo hunter22 | gh auth login --with-token",
    "gh secret set NAME -b hunter22",
    "export TOKEN=hunter22",
    "npm config set //registry.example.org/:_authToken hunter22",
    "npm set //registry.example.org/:_authToken=hunter22",
    "heroku config:set K=hunter22",
    "fly secrets set K=hunter22",
    "az login --service-principal -u x -p hunter22 --tenant t",
    "net user bob hunter22 /add",
    "sqlplus scott/hunter22@db",
    "lftp -u ann,hunter22 ftp.example.org",
    "ssh-keygen -t rsa -N hunter22 -f k",
    "gpg --passphrase hunter22 -d a.gpg",
    "echo hunter22 | sudo -S ls",
    "echo root:hunter22 | chpasswd",
    "docker run -e TOKEN=hunter22 image",
    "unknown --api-token=hunter22",
    # Where nothing else runs, and inside of what does.
    "docker login -p hunter22 --help",
    "sudo docker login -p hunter22",
    "bash -c 'docker login -p hunter22'",
    "ssh web docker login -p hunter22",
    "python3 -c \"import subprocess; subprocess.run(['docker','login','-p','hunter22'])\"",
    # However it is written.
    "docker login -p 'hunter'22",
    'docker login -p hun"ter"22',
    "docker login -p $'hunter22'",
    "X=hunter22; docker login -p $X",
    "docker login -p hunter22 # hunter22",
]
UNSHOWN = [
    # An option that only sounds as if a secret followed: nobody can agree to it.
    "unknown --password hunter22",
    "unknown -password hunter22",
    "export TOKEN='a hunter22 b'",
    "unknown --password 'a hunter22 b'",
    "psql --password='a, hunter22' app",
    "docker login -p 'a hunter22 b'",
]


def texts(command: str, *, asked: bool) -> list[str]:
    """All that is told of a command to anybody; `asked`: whether a person can be."""
    program = engine().program
    context = {"channel": "telegram", "cwd": CWD, "workspace": CWD, "session_key": "s1"}
    call: dict[str, Any] = {"tool": "exec", "args": {"command": command}, "context": context}
    decision = program.decide(call)
    subject = subject_of(program, decision.frame, "")
    told = [
        str(describe(program, decision)),
        str(explain(decision, engine().settings)),
        str(list(effects_story(explain_effects(decision), 100))),
        str(brief_of(program, decision.frame, decision)),
        subject.text,
    ]
    if asked:
        return [*told, str(question_of(program, decision, subject, "d" * 64))]
    with pytest.raises(TooLongError, match="more than a secret"):
        question_of(program, decision, subject, "d" * 64)
    return told


@pytest.mark.parametrize("command", COMMANDS)
def test_a_secret_is_shown_to_nobody(command: str) -> None:
    told = texts(command, asked=True)
    for text in told:
        assert "hunter" not in text
    assert "***" in told[-1]


@pytest.mark.parametrize("command", UNSHOWN)
def test_a_secret_that_may_be_more_is_shown_to_nobody_either(command: str) -> None:
    for text in texts(command, asked=False):
        assert "hunter" not in text


@pytest.mark.parametrize(
    "command",
    [
        "docker login -p push; git push origin main",
        "docker login -p main main",
        "sudo docker login -p main main",
        'bash -c "x=push; docker login -p \\$x; git \\$x"',
        'bash -c "docker login -p push; git push"',
        "X=push; docker login -p $X; git $X",
        "docker login -p 'x; rm -rf /'",
        "docker login -p /etc/shadow; cat /etc/shadow",
        "docker login -p build; rm -r build",
        "echo evil2222 > x.sh; docker login -p evil2222",
        "echo push | docker login --password-stdin; git push",
        "export PATH=evil2222; docker login -p evil2222",
        "unknown --token 'o,x'; git push 'o,x'",
        "openssl enc -k notes.txt -in notes.txt",
        "curl -u x:example.org https://example.org/",
        "printf 'x1234\\nrm -rf build' | sudo -S sh",
        "docker login -p evil2222; python3 -c 'import evil2222'",
        "docker login -p evil2222; cat > x <<EOF\nevil2222\nEOF",
        "kubectl create secret generic s --from-literal=a=build; rm build",
    ],
)
def test_what_a_command_does_is_not_hidden_as_a_secret(command: str) -> None:
    texts(command, asked=False)


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ('docker login -p "$(rm -r build)"', f"deletes {CWD}/build with everything below it"),
        ("docker login -p $TOKEN", "runs docker login -p …"),
        ("docker login -p hunter22 && rm -r b", f"deletes {CWD}/b with everything below it"),
        ("timeout -s KILL 5 docker login -p hunter22", "runs docker login -p ***"),
    ],
)
def test_effects_are_shown_beside_a_secret(command: str, effect: str) -> None:
    assert effect in texts(command, asked=True)[-1]
