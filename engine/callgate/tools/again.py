"""Whether what let a call pass still stands, right before each attempt.

Attempts may lie far apart: meanwhile somebody may have frozen everything, or the policy may be
another one. Then the gate is asked once more.
"""

from __future__ import annotations

from callgate.gate.approval import Approval
from callgate.tools.admission import Admitted
from callgate.tools.execution import Gate, in_force
from callgate.tools.failures import failed, refused
from callgate.tools.kinds import ErrorKind
from callgate.tools.tool import ToolResult

__all__ = ["Standing"]


class Standing:
    """What a call was let through by, as far as it can be looked at cheaply: a `gate` that has a
    `policy` tells what is in force."""

    def __init__(self, found: Admitted, gate: Gate) -> None:
        self._found = found
        self._gate = gate
        self._approval = found.execution.approval
        self._seen = found.seen

    async def no(self, number: int) -> ToolResult | None:
        """A refusal, if the attempt of this number, from 0, must not be."""
        if number:
            try:
                seen = in_force(self._gate)
                if seen != self._seen:
                    approval = await self._judged()
                    if approval.allowed is not True:
                        return refused(approval)
                    self._seen, self._approval = seen, approval
            except Exception as error:
                why = f"the gate failed ({type(error).__name__})"
                return failed(why, ErrorKind.APPROVAL_UNAVAILABLE)
        return await self._changed()

    async def _judged(self) -> Approval:
        execution = self._found.execution
        return await self._gate.check(execution.call(), declaration=execution.declaration)

    async def _changed(self) -> ToolResult | None:
        """A refusal, if what the call touches is no longer as it was judged."""
        try:
            changed = await self._approval.recheck()
        except Exception as error:
            changed = f"it could not be looked at again ({type(error).__name__})"
        if not changed:
            return None
        said = self._found.teller.line(changed)
        message = f"not run, as something changed since it was judged: {said}"
        return failed(message, ErrorKind.POLICY)
