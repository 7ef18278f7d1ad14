"""Signatures on answers, and the files that keys are kept in."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest

from callgate.gate.signatures import ApproverKeys, sign, verify
from callgate.storage.signing_keys import SignatureError, new_key, read_key
from tests.gate.asking import question

SEAL = question().seal


def pair(folder: Path, name: str = "ann") -> tuple[Path, bytes]:
    """A private key's file, and the public key."""
    pem, public = new_key()
    path = folder / f"{name}.pem"
    path.write_bytes(pem)
    path.chmod(0o600)
    return path, base64.b64decode(public)


def keys_file(folder: Path, text: str, mode: int = 0o600) -> ApproverKeys:
    path = folder / "approvers.keys"
    path.write_text(text)
    path.chmod(mode)
    return ApproverKeys(path)


def test_a_signature_is_for_one_answer_to_one_request(tmp_path: Path) -> None:
    path, public = pair(tmp_path)
    signature = sign("r1", SEAL, "once", read_key(path))
    assert verify("r1", SEAL, "once", signature, public)
    for told in [
        ("r2", SEAL, "once"),
        ("r1", "0" * 64, "once"),
        ("r1", SEAL, "always"),
        ("r1", SEAL, "ONCE"),
        ('r1","' + SEAL, "", "once"),
        ("", f"r1{SEAL}", "once"),
    ]:
        assert not verify(*told, signature, public)


def test_a_signature_is_by_one_key(tmp_path: Path) -> None:
    path, _ = pair(tmp_path)
    _, another = pair(tmp_path, "bob")
    assert not verify("r1", SEAL, "once", sign("r1", SEAL, "once", read_key(path)), another)


@pytest.mark.parametrize("spoil", ["", "=", "\n", " ", "é", "\0", "A" * 88, "A" * 10_000_000])
def test_no_text_but_the_signature_is_one(tmp_path: Path, spoil: str) -> None:
    path, public = pair(tmp_path)
    signature = sign("r1", SEAL, "once", read_key(path))
    assert not verify("r1", SEAL, "once", spoil, public)
    if spoil:
        assert not verify("r1", SEAL, "once", signature + spoil, public)
        assert not verify("r1", SEAL, "once", spoil + signature, public)
    assert not verify("r1", SEAL, "once", signature, public[:-1])


def test_keys_are_found_by_name(tmp_path: Path) -> None:
    (_, first), (_, second) = pair(tmp_path), pair(tmp_path, "new")
    text = (
        f"# people\n\nann {base64.b64encode(first).decode()}  # her laptop\n"
        f"ann\t{base64.b64encode(second).decode()}\n"
    )
    keys = keys_file(tmp_path, text)
    assert keys.of("ann") == [first, second]
    assert keys.of("bob") == []
    assert keys.of("") == []
    signature = sign("r1", SEAL, "once", read_key(tmp_path / "new.pem"))
    assert keys.accepts("r1", SEAL, "once", "ann", signature)
    assert not keys.accepts("r1", SEAL, "once", "bob", signature)
    keys_file(tmp_path, text.splitlines()[2] + "\n")
    assert not keys.accepts("r1", SEAL, "once", "ann", signature), "the key was taken out"


@pytest.mark.parametrize(
    "line", ["ann", "ann AAAA", "ann not-base64!", "ann bob AAAA", f"ann {'A' * 43}", "\x00 x"]
)
def test_a_malformed_line_spoils_the_file(tmp_path: Path, line: str) -> None:
    keys = keys_file(tmp_path, f"# keys\n{line}\n")
    with pytest.raises(SignatureError, match="line 2: not `NAME KEY`"):
        keys.of("ann")


def test_a_file_that_others_could_write_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SignatureError, match="other users may write"):
        keys_file(tmp_path, "", 0o666).of("ann")
    (tmp_path / "approvers.keys").unlink()
    with pytest.raises(SignatureError, match="there are no approvers' keys"):
        ApproverKeys(tmp_path / "approvers.keys").of("ann")
    (tmp_path / "approvers.keys").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SignatureError):
        ApproverKeys(tmp_path / "approvers.keys").of("ann")
    (tmp_path / "approvers.keys").unlink()
    (tmp_path / "approvers.keys").write_bytes(b"\xff\xfe")
    with pytest.raises(SignatureError):
        ApproverKeys(tmp_path / "approvers.keys").of("ann")


def test_a_private_key_is_one_that_can_be_used(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    with pytest.raises(SignatureError, match="there is no key"):
        read_key(tmp_path / "none")
    path, _ = pair(tmp_path)
    path.chmod(0o622)
    with pytest.raises(SignatureError, match="other users may write"):
        read_key(path)
    path.chmod(0o600)
    path.write_text("no key")
    with pytest.raises(SignatureError, match="no private key"):
        read_key(path)
    path.write_bytes(
        X25519PrivateKey.generate().private_bytes(
            form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
        )
    )
    with pytest.raises(SignatureError, match="another kind of key"):
        read_key(path)


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] == "cryptography":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(SignatureError, match=r"callgate\[signatures\]"):
        new_key()
    with pytest.raises(SignatureError, match=r"callgate\[signatures\]"):
        verify("r1", SEAL, "once", "", b"")
