"""Signed answers: an Ed25519 signature says that an approver gave an answer, and to what.

What is signed is the seal of what the approver saw, so that an answer to a request that was changed
under their eyes counts for nothing.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.canonical import canonical
from callgate.gate.own_files import read_own
from callgate.gate.state import StateError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["ApproverKeys", "SignatureError", "new_key", "read_key", "sign", "verify"]

_DOMAIN: Final = b"callgate approval, version 1\0"
_KEY_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64
_MAX_FILE: Final = 1_048_576


class SignatureError(Exception):
    """A key or signature that can't be made or used; the message says why."""


def sign(request_id: str, digest: str, answer: str, key: Ed25519PrivateKey) -> str:
    """An approver's signature on an answer, in base64.

    `digest`: the seal of the request as it was shown. `answer`: one of its levels, or `deny`.
    `key`: from `read_key`.
    """
    return base64.b64encode(key.sign(_message(request_id, digest, answer))).decode()


def verify(request_id: str, digest: str, answer: str, signature: str, public: bytes) -> bool:
    """Whether a signature is that of a public key (32 bytes) on this answer to this request. Raises
    SignatureError where signatures can't be checked at all."""
    ed25519 = _ed25519()
    from cryptography.exceptions import InvalidSignature

    raw = _decoded(signature)
    if raw is None or len(raw) != _SIGNATURE_BYTES or len(public) != _KEY_BYTES:
        return False
    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(public)
        key.verify(raw, _message(request_id, digest, answer))
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(request_id: str, digest: str, answer: str) -> bytes:
    """A list in canonical JSON: no two answers have the same bytes."""
    return _DOMAIN + canonical([request_id, digest, answer])


def _decoded(text: str) -> bytes | None:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    # One signature has one text.
    return raw if base64.b64encode(raw).decode() == text else None


def new_key() -> tuple[bytes, str]:
    """A new private key as PEM text, and its public key in base64. Raises SignatureError."""
    ed25519 = _ed25519()
    from cryptography.hazmat.primitives import serialization as form

    key = ed25519.Ed25519PrivateKey.generate()
    pem: bytes = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)
    return pem, base64.b64encode(public).decode()


def read_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file, which nobody else may be able to write. Raises
    SignatureError."""
    ed25519 = _ed25519()
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        pem, _ = read_own(path, _MAX_FILE)
        key: Any = load_pem_private_key(pem, None)
    except FileNotFoundError:
        raise SignatureError(f"there is no key `{path}`") from None
    except StateError as error:
        raise SignatureError(str(error)) from None
    except (ValueError, TypeError):
        raise SignatureError(f"`{path}` holds no private key that can be read") from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise SignatureError(f"`{path}` holds another kind of key than Ed25519")
    loaded: Ed25519PrivateKey = key
    return loaded


class ApproverKeys:
    """The public keys of approvers: a file with a name and a key, in base64, on each line. A name
    with spaces can have no key; one may have several; `#` begins a comment."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def of(self, name: str) -> list[bytes]:
        """The keys of a name, none where it has none. Read anew each time, so that a key that was
        taken out counts no more. Raises SignatureError when the file is missing, could have been
        written by others, or is malformed."""
        return [key for owner, key in self._read() if owner == name]

    def accepts(self, request_id: str, digest: str, answer: str, by: str, signature: str) -> bool:
        """Whether an answer carries a signature by a key of whoever gave it. Raises
        SignatureError."""
        return any(verify(request_id, digest, answer, signature, public) for public in self.of(by))

    def _read(self) -> Iterator[tuple[str, bytes]]:
        try:
            data, _ = read_own(self.path, _MAX_FILE)
            lines = data.decode().split("\n")
        except FileNotFoundError:
            raise SignatureError(f"there are no approvers' keys: `{self.path}`") from None
        except StateError as error:
            raise SignatureError(f"the approvers' keys can't be used: {error}") from None
        except UnicodeDecodeError:
            raise SignatureError(f"`{self.path}` is not UTF-8") from None
        for number, line in enumerate(lines, 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            key = _decoded(words[1]) if len(words) == 2 else None
            if key is None or len(key) != _KEY_BYTES:
                raise SignatureError(f"`{self.path}`, line {number}: not `NAME KEY`")
            yield words[0], key


def _ed25519() -> Any:
    """The module of the extra that all this needs. Raises SignatureError without it."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise SignatureError(
            "signed answers need the extra `signatures`: pip install 'callgate[signatures]'"
        ) from None
    return ed25519
