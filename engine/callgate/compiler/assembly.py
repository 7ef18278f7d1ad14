"""What the parts of assembling a policy share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from callgate.compiler.assemble_entries import Entry
from callgate.lang.check import Checker
from callgate.lang.scope import Scope
from callgate.load import nodes
from callgate.model.catalogue import Vocabulary
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest
from callgate.model.types import Enum

__all__ = ["RESERVED", "Assembly"]

RESERVED: Final = "builtin"
"""The first word of the ids of rules that are in no file, such as `builtin.opaque`."""

_NAMING: Final = frozenset(
    {"vocabulary", "tools", "risk-map", "profiles", "security-profiles", "guards", "flow"}
)
"""The kinds of file that give names to conditions."""


@dataclass(slots=True)
class Assembly:
    """A bundle's documents by kind, and what is known of it so far.

    `tools` and `capabilities` are the names of the catalogue as enums, `aliases` maps an alias to
    its tool, `enums` holds every enum by name. `ids` are all rule ids with their places, `steps`
    all steps by id.
    `incomplete` names the kinds of file of which something was refused: what is missing of them is
    then reported only where a near name makes a slip likely. `layers`: file → how many bundles lie
    below its own; `replaced`: kind and name of what replaces something inherited; `words_below`:
    layer → what words mean in the conditions of those below it.
    """

    diagnostics: Diagnostics
    documents: Mapping[str, Sequence[Entry]]
    incomplete: frozenset[str] = frozenset()
    layers: Mapping[str, int] = field(default_factory=dict)
    replaced: frozenset[tuple[str, str]] = frozenset()
    words_below: dict[int, dict[str, str]] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    enums: dict[str, Enum] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    ids: dict[str, tuple[Entry, bool]] = field(default_factory=dict)
    steps: dict[str, Entry] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    profiles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    security_profiles: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    checker: Checker = field(init=False)

    def __post_init__(self) -> None:
        self.scope.incomplete = bool(self.incomplete & _NAMING)
        self.checker = Checker(self.scope, self.diagnostics)

    def of_kind(self, kind: str) -> Sequence[Entry]:
        """The documents of a kind, in the order of the bundle."""
        return self.documents.get(kind, ())

    def flows(self, name: str = "") -> Sequence[Entry]:
        """The documents of the approval flow, or of the second flow of that name."""
        return [flow for flow in self.of_kind("flow") if flow.word("flow") == name]

    def merged(self, kind: str, key: str, without: str = "") -> Iterator[tuple[str, Entry]]:
        """The entries of the mapping at a key, of all documents of a kind. Names that two of them
        define are reported (C015), and the first counts. Entries that have the key `without` are
        left out."""
        seen: dict[str, Entry] = {}
        for document in self.of_kind(kind):
            for name, entry in document.mapping(key):
                if without in entry:
                    continue
                if name in seen:
                    self.clash(f"`{name}` in `{key}`", entry.name_span(), seen[name].name_span())
                    continue
                seen[name] = entry
                yield name, entry

    def clash(self, what: str, place: Span, first: Span) -> None:
        """Report that two files define the same thing."""
        self.diagnostics.error(
            "C015",
            f"{what} is defined in two files",
            place,
            "keep one of them",
            (("it is defined here first", first),),
        )

    def register_step(self, entry: Entry) -> None:
        """Note a step; report an id that another step has (C001)."""
        id_ = entry.word("id")
        first = self.steps.setdefault(id_, entry)
        if id_ and first is not entry:
            self.diagnostics.error(
                "C001",
                f"the step id `{id_}` is taken",
                entry.span("id"),
                "give the step an id of its own",
                (("it is used here first", first.span("id")),),
            )

    def register(self, id_: str, entry: Entry, name: bool = False) -> None:
        """Note a rule id and where it stands (at an entry, or at its key: `name`); report it when
        it is taken (C001)."""
        place = (entry, name)
        if id_.partition(".")[0] == RESERVED:
            self.diagnostics.error(
                "C025",
                f"the id `{id_}` begins with `{RESERVED}`",
                _span(place),
                f"`{RESERVED}.…` is what Callgate finds itself: begin with another word",
            )
            return
        first = self.ids.setdefault(id_, place)
        if first is not place:
            self.diagnostics.error(
                "C001",
                f"the id `{id_}` is taken",
                _span(place),
                "ids are unique in a bundle and never re-used: choose another",
                (("it is used here first", _span(first)),),
            )

    def tool(self, name: str, entry: Entry) -> str | None:
        """A tool's name as written in a rule file; None when there is no such tool (C005)."""
        if name in self.scope.members(self.enums["tool"]):
            return name
        if name in self.aliases:
            self.diagnostics.error(
                "C005",
                f"`{name}` is an alias",
                entry.span(),
                f"write the tool's name: `{self.aliases[name]}`",
            )
            return None
        words = (*self.enums["tool"].members, *self.aliases)
        message = f"there is no tool `{name}` in the catalogue"
        self.missing("C005", message, entry.span(), name, words, "tools")
        return None

    def tools(self, entry: Entry, key: str = "tools") -> tuple[str, ...] | None:
        """The tools that a rule is about; None when it doesn't say. What is wrong there counts as
        a tool of which nothing is known (see `Scope.unsure`)."""
        if key not in entry:
            if not _lost(entry):
                return None
            self.scope.unsure.add("")
            return ("",)
        found: list[str] = [""] if _lost(entry.child(key)) else []
        for name, place in entry.words(key):
            found.append(self.tool(name, place) or "")
        if "" in found:
            self.scope.unsure.add("")
        return tuple(dict.fromkeys(found))

    def capability(self, name: str, entry: Entry) -> str | None:
        """A capability's name; None when there is no such capability (C006)."""
        enum = self.enums["capability"]
        if name in self.scope.members(enum):
            return name
        message, help = f"there is no capability `{name}`", "list it under `capabilities`"
        self.missing("C006", message, entry.span(), name, enum.members, "tools", help)
        return None

    def capabilities(self, entry: Entry, key: str) -> tuple[str, ...]:
        """The capabilities in the list at a key."""
        found = [self.capability(name, place) for name, place in entry.words(key)]
        return tuple(dict.fromkeys(name for name in found if name is not None))

    def missing(
        self,
        code: str,
        message: str,
        place: Span,
        word: str,
        candidates: Iterable[str],
        kind: str,
        otherwise: str = "",
    ) -> None:
        """Report a word that is none of the candidates, which files of a kind define; the help is
        the nearest of them, or else `otherwise`."""
        near = closest(word, candidates)
        if near is not None:
            otherwise = f"did you mean `{near}`?"
        elif kind in self.incomplete:
            return
        self.diagnostics.error(code, message, place, otherwise)


def _lost(entry: Entry) -> bool:
    """Whether something in a mapping or list was refused and left out."""
    return isinstance(entry.node, nodes.Mapping | nodes.Sequence) and entry.node.lost


def _span(place: tuple[Entry, bool]) -> Span:
    entry, name = place
    return entry.name_span() if name else entry.span()
