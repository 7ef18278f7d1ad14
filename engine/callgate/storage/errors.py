"""What goes wrong with what is stored."""

from __future__ import annotations

__all__ = ["StateError"]


class StateError(Exception):
    """What is stored can't be used; the message says why and quotes nothing of it."""
