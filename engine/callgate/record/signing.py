"""Signatures on checkpoints, with Ed25519."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callgate.record.errors import RecordError
from callgate.storage.signing_keys import SignatureError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["public_key", "sign", "signed", "signing_key"]

_DOMAIN: Final = b"callgate checkpoint, version 1\0"
_KEY_BYTES: Final = 32
_MOST: Final = 65_536


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file, as `callgate approvals keygen` makes it. Raises RecordError,
    also where signatures can't be made at all."""
    from callgate.storage.signing_keys import read_key

    try:
        return read_key(path)
    except SignatureError as error:
        raise RecordError(str(error)) from None


def public_key(text: str) -> str:
    """A public key, in base64: what `text` is, or what stands in the file that it names: the key
    alone, or a line `NAME KEY` of an approvers' file. Raises RecordError."""
    if _raw(text):
        return text
    try:
        with Path(text).open("rb") as file:
            words = file.read(_MOST).decode().split()
    except (OSError, ValueError):
        raise RecordError("a public key is neither 32 bytes in base64 nor a file") from None
    keys = [word for word in words if _raw(word)]
    if len(keys) != 1:
        raise RecordError(f"`{text}` does not hold one public key in base64")
    return keys[0]


def sign(payload: bytes, key: Ed25519PrivateKey) -> dict[str, str]:
    """The signature of a checkpoint's bytes: `key`, the public one, and `value`, both base64."""
    public = key.public_key().public_bytes_raw()
    return {"key": _text(public), "value": _text(key.sign(_DOMAIN + payload))}


def signed(payload: bytes, signature: Any) -> bool:
    """Whether a signature, as `sign` makes it, is that of the key it names. Raises RecordError
    where signatures can't be checked at all: the extra `signatures` is not installed."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise RecordError(
            "signatures need the extra `signatures`: pip install 'callgate[signatures]'"
        ) from None
    try:
        if not _raw(signature["key"]):
            return False
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(signature["key"]))
        public.verify(base64.b64decode(signature["value"], validate=True), _DOMAIN + payload)
    except (InvalidSignature, ValueError, TypeError, KeyError):
        return False
    return True


def _raw(text: str) -> bool:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return len(raw) == _KEY_BYTES and _text(raw) == text


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
