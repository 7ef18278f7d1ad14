"""What a person said of a call."""

from __future__ import annotations

from dataclasses import dataclass

from callgate.gate.subject import LEVELS, Subject

__all__ = ["Word"]


@dataclass(frozen=True, slots=True)
class Word:
    """A person's word. `answer`: one of the levels, `deny`, `timeout`, `pending` or
    `undeliverable`; `by`: who gave it; `request_id`: to what; `subject`: what a lasting yes is
    bound to; `why`: why nobody could be asked; `again`: it is a no that was given before, to the
    same question."""

    answer: str
    by: str = ""
    request_id: str = ""
    subject: Subject | None = None
    why: str = ""
    again: bool = False

    @property
    def yes(self) -> bool:
        """Whether it is a yes."""
        return self.answer in LEVELS
