"""The canonical layout of rule files: `callgate fmt`."""

from __future__ import annotations

from callgate.formatting.text import FormatError, format_text

__all__ = ["FormatError", "format_text"]
