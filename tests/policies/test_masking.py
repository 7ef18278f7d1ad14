"""What the bundle's masking hides of commands, and what it leaves as it is."""

from __future__ import annotations

from functools import cache

import pytest

from callgate.engine import Engine
from callgate.runtime.masking import Masker
from callgate.runtime.render import View, describe
from tests.policies.bundle import ECHO, document


@cache
def masker() -> Masker:
    masking = document("masking.yaml")
    return Masker(masking["names"], list(masking["patterns"].values()), masking["weak"])


@cache
def loaded() -> Engine:
    return Engine.load(ECHO)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("curl -u ann:hunter22 https://x", "curl -u *** https://x"),
        ("curl -uann:hunter22 https://x", "curl -u*** https://x"),
        ("curl -fsSu ann:hunter22 https://x", "curl -fsSu *** https://x"),
        ("curl https://x?a=1&b=2 -u 'ann:hunter 22'", "curl https://x?a=1&b=2 -u ***"),
        ('curl --user "ann:hunter22" https://x', "curl --user *** https://x"),
        ("curl --user=ann:hunter22 https://x", "curl --user=*** https://x"),
        ("curl --proxy-user ann:hunter22 https://x", "curl --proxy-user *** https://x"),
        ("curl --proxy-user=ann:hunter22 https://x", "curl --proxy-user=*** https://x"),
        ("curl -U ann:hunter22 -u bob:other22 x", "curl -U *** -u *** x"),
        ("cd /a && /usr/bin/curl -u ann:pw x", "cd /a && /usr/bin/curl -u *** x"),
        ("mysql -phunter22 shop", "mysql -p*** shop"),
        ("mysql -uroot -p'hunter 22' shop", "mysql -uroot -p*** shop"),
        ("mysqldump -h db -u root -p4711 shop", "mysqldump -h db -u root -p*** shop"),
        ("mysqldump -h db -u root -p4711x", "mysqldump -h db -u root -p***"),
        ("docker exec db mariadb -phunter22", "docker exec db mariadb -p***"),
        ("sshpass -p hunter22 ssh ann@host", "sshpass -p *** ssh ann@host"),
        ("sshpass -v -phunter22 ssh -p 2222 host", "sshpass -v -p*** ssh -p 2222 host"),
        ('sshpass -P "pass phrase" -p "hunter 22" ssh x', 'sshpass -P "pass phrase" -p *** ssh x'),
    ],
)
def test_masked(text: str, shown: str) -> None:
    assert masker().show(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "curl -fsSL https://example.org:8080/a -o out:put",
        "curl -u ann https://example.org/",
        "curl -H 'Accept: text/html' https://example.org/",
        "curl https://example.org/a && docker run -u 1000:1000 image",
        "docker run --user=1000:1000 -p 8080:80 image",
        "chown -R ann:staff /srv/app",
        "git push -u origin main:main",
        "mysql -u root -p shop",
        "mysql --port 3306 -P 3306 shop",
        "mysql --protocol=tcp shop",
        "docker run --name mysql -p3306:3306 mysql:8",
        "apt install mysql-client && ssh -p2222 host",
        "mkdir -p build && cp -pr a b",
        "sshpass -e ssh -p 2222 host",
        "sshpass -f file ssh -p 2222 host",
        "ssh -p 2222 host ls",
        "psql -p 5432 -U ann shop",
    ],
)
def test_not_masked(text: str) -> None:
    assert masker().show(text) == text


@pytest.mark.parametrize(
    "command",
    [
        "curl -u ann:hunter22 https://example.org/",
        "curl --proxy-user=ann:hunter22 https://example.org/",
        "mysql -uroot -phunter22 shop",
        "sshpass -p hunter22 ssh ann@host",
    ],
)
def test_nothing_that_a_decision_says_shows_it(command: str) -> None:
    call = {"tool": "exec", "args": {"command": command}, "context": {"channel": "telegram"}}
    engine = loaded()
    decision = engine.decide(call)
    assert "hunter22" not in str(describe(engine.program, decision))
    assert "***" in View(engine.program, decision).show(command)
