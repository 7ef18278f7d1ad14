"""Ed25519 keys in files: to sign answers and checkpoints with."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callgate.storage.errors import StateError
from callgate.storage.files import read_own

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["KEY_BYTES", "SignatureError", "decoded", "ed25519", "new_key", "read_key", "verifies"]

KEY_BYTES: Final = 32
"""The length of a public key."""

_MAX_FILE: Final = 1_048_576


class SignatureError(Exception):
    """A key or signature that can't be made or used; the message says why."""


def new_key() -> tuple[bytes, str]:
    """A new private key as PEM text, and its public key in base64. Raises SignatureError."""
    module = ed25519()
    from cryptography.hazmat.primitives import serialization as form

    key = module.Ed25519PrivateKey.generate()
    pem: bytes = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)
    return pem, base64.b64encode(public).decode()


def read_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file, which nobody else may be able to write. Raises
    SignatureError."""
    module = ed25519()
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
    if not isinstance(key, module.Ed25519PrivateKey):
        raise SignatureError(f"`{path}` holds another kind of key than Ed25519")
    loaded: Ed25519PrivateKey = key
    return loaded


def decoded(text: str) -> bytes | None:
    """The bytes that a text is the base64 of; None where it is not the one text of any."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if base64.b64encode(raw).decode() == text else None


def verifies(message: bytes, signature: bytes, public: bytes) -> bool:
    """Whether a signature on a message is that of a public key. Raises SignatureError where that
    can't be told at all."""
    module = ed25519()
    from cryptography.exceptions import InvalidSignature

    try:
        module.Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def ed25519() -> Any:
    """The module of the extra that all this needs. Raises SignatureError without it."""
    try:
        import cryptography.exceptions  # noqa: F401 - what `verifies` needs besides
        from cryptography.hazmat.primitives.asymmetric import ed25519 as module
    except ImportError:
        raise SignatureError(
            "signatures need the extra of that name: pip install 'callgate[signatures]'"
        ) from None
    return module
