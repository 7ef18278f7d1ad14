"""Signatures on checkpoints, with Ed25519."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callgate.record.errors import RecordError
from callgate.storage.signing_keys import (
    KEY_BYTES,
    SignatureError,
    decoded,
    ed25519,
    read_key,
    verifies,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["public_key", "sign", "signed", "signing_key"]

_DOMAIN: Final = b"callgate checkpoint, version 1\0"
_MOST: Final = 65_536


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file, as `callgate approvals keygen` makes it. Raises RecordError,
    also where signatures can't be made at all."""
    try:
        return read_key(path)
    except SignatureError as error:
        raise RecordError(str(error)) from None


def public_key(text: str) -> str:
    """A public key, in base64: what `text` is, or what stands in the file that it names: the key
    alone, or a line `NAME KEY` of an approvers' file. Raises RecordError."""
    if _is_key(text):
        return text
    try:
        with Path(text).open("rb") as file:
            words = file.read(_MOST).decode().split()
    except (OSError, ValueError):
        raise RecordError("a public key is neither 32 bytes in base64 nor a file") from None
    keys = [word for word in words if _is_key(word)]
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
        ed25519()  # whatever is given, without the extra nothing can be said of it
        if not _is_key(signature["key"]):
            return False
        public = base64.b64decode(signature["key"])
        value = base64.b64decode(signature["value"], validate=True)
        return verifies(_DOMAIN + payload, value, public)
    except SignatureError as error:
        raise RecordError(str(error)) from None
    except (ValueError, TypeError, KeyError):
        return False


def _is_key(text: str) -> bool:
    raw = decoded(text)
    return raw is not None and len(raw) == KEY_BYTES


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
