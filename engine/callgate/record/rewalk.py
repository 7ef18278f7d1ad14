"""Walk recorded decisions again: the same graph, call, observations and answers have to come to the
same end by the same way.

Only what decides is compared: the decision, its rule and step, what matched, the risk, who is
waited for, the code of an error, and each node of the trace with its value. Reasons and effects are
told from these and the call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callgate.model.graph import GraphError
from callgate.record.errors import RecordError
from callgate.record.rewalk_graph import GraphWalker, Walked
from callgate.runtime.interpreter import Program
from callgate.runtime.masking import MASK, escape

if TYPE_CHECKING:
    from callgate.model.decision import Decision
    from callgate.record.archive import GraphArchive

__all__ = ["Difference", "NoGraphError", "NotWalkedError", "Rewalker", "recorded", "why_not"]

_MOST_GRAPHS: Final = 8
_LONGEST_WHY: Final = 200


class NotWalkedError(Exception):
    """A record whose decision can't be walked again, and why not."""


class NoGraphError(Exception):
    """The graph of a record is not there, or can't run. `digest`: which one."""

    def __init__(self, digest: str, why: str) -> None:
        super().__init__(why)
        self.digest = digest


class Difference(NamedTuple):
    """A part of a decision that is another one now."""

    key: str
    recorded: Any
    now: Any


def why_not(record: Mapping[str, Any]) -> str:
    """Why a record says that its decision can't be walked again, safe to be shown."""
    why = record.get("rewalk_why")
    return escape(why[:_LONGEST_WHY]) if type(why) is str and why else "the record does not say why"


def recorded(record: Mapping[str, Any]) -> Walked:
    """What a decision's record says of its walk. Raises ValueError where it says it in another
    form than records do."""
    try:
        pending, error, gate = record["pending"], record["error"], record["gate"]
        return Walked(
            # The gate's own answer stands in its place where there was one.
            gate["walked"] if gate else record["decision"],
            record["rule"],
            record["step"],
            record["risk"],
            pending["consult"] if pending else None,
            error["code"] if error else None,
            [
                (item["rule"], item["decide"], item.get("enforce"), item.get("exception"))
                for item in record["matched"]
            ],
            [(item["node"], item["value"]) for item in record["trace"]],
        )
    except (KeyError, TypeError, AttributeError):
        raise ValueError("the record is not in the form of a decision") from None


class Rewalker:
    """Walks the decisions of one store again. `archive`: its graphs. For one thread."""

    def __init__(self, archive: GraphArchive) -> None:
        self._archive = archive
        self._graphs: dict[str, GraphWalker | str] = {}

    def differences(self, record: Mapping[str, Any]) -> list[Difference]:
        """What differs between a decision's record and the same walk now.

        Raises NotWalkedError where the record says that it can't be walked again, NoGraphError, and
        ValueError for a record that can't be read.
        """
        then = recorded(record)
        now = self.walked(record)
        # Most are equal as they are; lists of pairs are compared faster than pair by pair.
        if then == now:
            return []
        if _same_but_masked(then.trace, now.trace):
            now = now._replace(trace=then.trace)
        pairs = zip(Walked._fields, then, now, strict=True)
        return [Difference(key, old, new) for key, old, new in pairs if old != new]

    def walked(self, record: Mapping[str, Any]) -> Walked:
        """What a record's walk comes to now. Raises as `differences` does."""
        return self._graph_of(record).walked(record)

    def decided(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], Decision]:
        """A record's call, and the decision on it now. Raises as `differences` does."""
        return self._graph_of(record).decided(record)

    def _graph_of(self, record: Mapping[str, Any]) -> GraphWalker:
        if record.get("rewalk") is not True:
            raise NotWalkedError(why_not(record))
        policy = record.get("policy")
        digest = policy.get("digest") if type(policy) is dict else None
        if type(digest) is not str:
            raise ValueError("the record names no graph")
        return self._graph(digest)

    def _graph(self, digest: str) -> GraphWalker:
        found = self._graphs.pop(digest, None)
        if found is None:
            try:
                found = GraphWalker(Program(self._archive.load(digest)))
            except RecordError as error:
                found = escape(str(error))
            except GraphError as error:
                found = f"the graph {digest} can't be used here: {error}"
            if len(self._graphs) >= _MOST_GRAPHS:
                self._graphs.pop(next(iter(self._graphs)))
        self._graphs[digest] = found
        if type(found) is str:
            raise NoGraphError(digest, found)
        assert isinstance(found, GraphWalker)
        return found


def _same_but_masked(then: Sequence[tuple[int, Any]], now: Sequence[tuple[int, Any]]) -> bool:
    """Whether traces differ only in values of which something was masked: what stands for a secret
    in the kept call is not what the secret was."""
    return len(then) == len(now) and all(
        old == new or (old[0] == new[0] and type(old[1]) is str and MASK in old[1])
        for old, new in zip(then, now, strict=True)
    )
