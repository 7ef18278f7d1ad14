"""Signed answers: an Ed25519 signature says that an approver gave an answer, and to what.

What is signed is the seal of what the approver saw, so that an answer to a request that was changed
under their eyes counts for nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callgate.gate.canonical import canonical
from callgate.storage.errors import StateError
from callgate.storage.files import read_own
from callgate.storage.signing_keys import KEY_BYTES, SignatureError, decoded, ed25519, verifies

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["ApproverKeys", "sign", "verify"]

_DOMAIN: Final = b"callgate approval, version 1\0"
_SIGNATURE_BYTES: Final = 64
_MAX_FILE: Final = 1_048_576


def sign(request_id: str, digest: str, answer: str, key: Ed25519PrivateKey) -> str:
    """An approver's signature on an answer, in base64.

    `digest`: the seal of the request as it was shown. `answer`: one of its levels, or `deny`.
    `key`: from `callgate.storage.signing_keys`.
    """
    return base64.b64encode(key.sign(_message(request_id, digest, answer))).decode()


def verify(request_id: str, digest: str, answer: str, signature: str, public: bytes) -> bool:
    """Whether a signature is that of a public key (32 bytes) on this answer to this request. Raises
    SignatureError where signatures can't be checked at all."""
    ed25519()  # whatever is given, without the extra nothing can be said of it
    raw = decoded(signature)
    if raw is None or len(raw) != _SIGNATURE_BYTES or len(public) != KEY_BYTES:
        return False
    return verifies(_message(request_id, digest, answer), raw, public)


def _message(request_id: str, digest: str, answer: str) -> bytes:
    """A list in canonical JSON: no two answers have the same bytes."""
    return _DOMAIN + canonical([request_id, digest, answer])


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
            key = decoded(words[1]) if len(words) == 2 else None
            if key is None or len(key) != KEY_BYTES:
                raise SignatureError(f"`{self.path}`, line {number}: not `NAME KEY`")
            yield words[0], key
