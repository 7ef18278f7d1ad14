"""Secrets in rule files, and settings that may hold one."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from tests.lint.bundles import found, subject

# Put together here, so that no file of the project holds what looks like a secret.
SK = "sk-" + "9fQ2vLx7TbN4" + "cWm8ZrY6pKd1"
AWS = "AKIA" + "2Q7RVXN4LMZ9" + "TB5W"
GITHUB = "ghp_" + "9fQ2vLx7TbN4cWm8ZrY6" + "pKd1Hs3GjA5uEo0i"
RANDOM = "wJalrXUtnFEMI7K9" + "MDENGbPxRfiCYz3Qv8Lm2Tks"
PEM = base64.b64encode(random.Random(7).randbytes(96)).decode()


def guards(comment: str = "", path: str = "/srv/a", example: str = "/srv/a/b") -> str:
    return f"""
    # About notes. {comment}
    kind: guards
    rules:
      - id: g
        title: G
        decide: deny
        each: w in effects.write
        when: w.path under "{path}"
        reason: no
        examples:
          match:
            - {example}
            - {{tool: save, args: {{path: /srv/a/c, text: x}}}}
          pass: [/tmp/x]
    """


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (SK, "API key"),
        (AWS, "AWS access key"),
        (GITHUB, "GitHub token"),
        ("https://ann:" + "vK8#pQ2!xR5mZ7" + "@db.acme.example/", "password in an address"),
        ("postgres://app:" + "ProdSecret99x!" + "@db", "password in an address"),
        ("https://ann:" + "Test-kW8pQ2xR" + "@db.acme.example/", "password in an address"),
        ("AWS_SECRET_ACCESS_KEY=" + RANDOM, "AWS secret key"),
        ("Authorization: Bearer " + RANDOM, "token in a header"),
        ("curl -u admin:" + "Vq8mK2xTz4Wn" + " https://a.example/", "password of a command"),
        # What the policy's masking calls a secret.
        ("password: " + RANDOM[:16], "the policy's own masking"),
        ("service: skx, password=" + "vK8pQ2xR5mZ7aT", "the policy's own masking"),
        ("db_password=" + RANDOM[:16], "the policy's own masking"),
        ("password: " + "bqcabUGJmGEp", "the policy's own masking"),
        ("password: nobodyKnowsIt", ""),
        ("password: nobody-knows-it", ""),
        ("password: kept in vault/Team2", ""),
        ("passwords: " + RANDOM[:16], ""),
        ("postgres://app:secret-of-ours-1@db", ""),
        ("postgres://app:" + "TestToken1234" + "@db", ""),
        ("AWS_SECRET_ACCESS_KEY=" + "X" * 40, ""),
        ("Authorization: Bearer the-token-of-the-service", ""),
        ("curl -u admin:password-of-admin https://a.example/", ""),
        ("curl -o admin.html https://a.example:8443/Path9/Name", ""),
        ("sk-XXXXXXXXXXXXXXXXXXXXXXXX", ""),
        ("sk-abcdefghijklmnopqrstuvwx", ""),
        ("sk-example-of-what-a-key-is-like", ""),
        ("AKIAIOSFODNN7EXAMPLE", ""),
        ("sk-aaaaaaaaaaaaaaaaaaaaaaaa", ""),
        ("https://user:password@db.acme.example/", ""),
        ("https://${USER}:${PASSWORD_OF_USER}@db.acme.example/", ""),
        ("a0b1c2d3-0000-4000-8000-123456789012", ""),
        ("sha256:9fQ2vLx7TbN4cWm8ZrY6pKd1", ""),
    ],
)
def test_shapes_in_comments(text: str, title: str, tmp_path: Path) -> None:
    rows = found(subject(tmp_path, guards=guards(text)), "L208")
    assert [(file, line) for _, file, line, _ in rows] == ([("guards.yaml", 2)] if title else [])
    assert all(title in message for *_, message in rows)
    assert all(text not in message for *_, message in rows)


def test_shapes_in_examples(tmp_path: Path) -> None:
    for name, text, expected in (
        (
            "a",
            "{tool: save, args: {path: /srv/a/x, text: curl -u a:" + "Vq8mK2xTz4Wn" + " b}}",
            True,
        ),
        ("b", "{tool: save, args: {path: /srv/a/x, text: curl -u a:your-password b}}", False),
        ("c", "{tool: save, args: {path: /srv/a/x, text: 'password: " + RANDOM[:16] + "'}}", False),
    ):
        made = subject(tmp_path / name, guards=guards(example=text))
        assert bool(found(made, "L208")) is expected, name


def test_weak_names_need_another_word(tmp_path: Path) -> None:
    masking = "kind: masking\nnames: [key, password]\nweak: [key]\npatterns: {a: 'sk-[a-z]+'}\n"
    for name, text, expected in (
        ("a", "sort by key: " + RANDOM[:16], False),
        ("b", "api_key: " + RANDOM[:16], True),
    ):
        made = subject(tmp_path / name, guards=guards(text), masking=masking)
        assert bool(found(made, "L208")) is expected, name


def test_private_keys(tmp_path: Path) -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    text = guards(f"{begin} {PEM[:64]} {PEM[64:]} {end}")
    ((_, _, line, message),) = found(subject(tmp_path / "a", guards=text), "L208")
    assert line == 2 and "private key" in message
    assert not found(subject(tmp_path / "b", guards=guards(f"{begin} … {end}")), "L208")


def test_what_the_policy_masks_itself(tmp_path: Path) -> None:
    masking = """
        kind: masking
        names: [key]
        patterns: {ours: 'ACME-[A-Za-z0-9]{12,}'}
        """
    own = "ACME-" + "vK8pQ2xR5mZ7aT"
    files = {"masking": masking}
    assert found(subject(tmp_path / "a", guards=guards(own), **files), "L208")
    # An example is there to show what a guard finds.
    assert not found(
        subject(tmp_path / "c", guards=guards(example=f"/srv/a/{own}"), **files), "L208"
    )
    # A well-known shape is no example where it looks like a real one.
    assert found(subject(tmp_path / "d", guards=guards(example=f"/srv/a/{SK}")), "L208")
    assert not found(
        subject(tmp_path / "e", guards=guards(example="/srv/a/sk-XXXXXXXXXXXXXXXXXXXXXXXX")), "L208"
    )


SETTING = """
    kind: vocabulary
    settings:
      {}
    """


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ('mail.key: {type: string, default: "fallback", secret: true, doc: d}', True),
        ('mail.key: {type: string, default: "", secret: true, doc: d}', False),
        ('mail.key: {type: string, default: "fallback", doc: d}', False),
    ],
)
def test_defaults_of_secrets(setting: str, expected: bool, tmp_path: Path) -> None:
    assert bool(found(subject(tmp_path, more=SETTING.format(setting)), "L208")) == expected


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ('mail.api_key: {type: string, default: "", doc: d}', True),
        ('mail.keys.api_key: {type: string, default: "", doc: d}', True),
        ('mail.password: {type: string, default: "", doc: d}', True),
        ("mail.tokens: {type: map of string, default: {}, doc: d}", True),
        ('mail.api_key: {type: string, default: "", secret: true, doc: d}', False),
        ('mail.key_from: {type: string, default: "", doc: d}', False),
        ('mail.public_key: {type: string, default: "", doc: d}', False),
        ("mail.max_tokens: {type: int, default: 0, doc: d}", False),
        ("mail.token: {type: bool, default: false, doc: d}", False),
        ('mail.monkey: {type: string, default: "", doc: d}', False),
        ('sort.key: {type: string, default: "", doc: d}', False),
    ],
)
def test_settings_that_are_called_as_secrets(setting: str, expected: bool, tmp_path: Path) -> None:
    masking = (
        "kind: masking\nnames: [key, token, password]\nweak: [key]\npatterns: {a: 'sk-[a-z]+'}\n"
    )
    made = subject(tmp_path, more=SETTING.format(setting), masking=masking)
    assert bool(found(made, "L219")) == expected
