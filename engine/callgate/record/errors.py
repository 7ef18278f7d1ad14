"""What goes wrong with records."""

from __future__ import annotations

__all__ = ["RecordError"]


class RecordError(Exception):
    """A record that can't be written, found or read; the message says why and quotes nothing that
    is stored."""
