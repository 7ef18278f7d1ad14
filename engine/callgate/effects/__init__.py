"""Calls to effects: what a tool call, and the shell text in it, would do to the world."""

from __future__ import annotations

from callgate.effects.command_match import match
from callgate.effects.extract import Extractor
from callgate.effects.programs import ProgramError, program_problems
from callgate.effects.surroundings import Surroundings

__all__ = ["Extractor", "ProgramError", "Surroundings", "match", "program_problems"]
