"""Code in other languages than the shell's: what it would do, as far as its text tells."""

from callgate.effects.code.entry import add_code_effects
from callgate.effects.code.languages import language_problems

__all__ = ["add_code_effects", "language_problems"]
