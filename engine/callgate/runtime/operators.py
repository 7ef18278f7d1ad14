"""What generated conditions call: quantifiers, facts that need work, operations made ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from callgate.model.expr import Apply, Const, Expr, Fact
from callgate.model.values import UNKNOWN
from callgate.runtime.frame import Frame
from callgate.stdlib import OPERATIONS
from callgate.stdlib.places import Test, prepare

__all__ = [
    "FACTS",
    "any3",
    "count3",
    "field",
    "fitting",
    "has_text",
    "none3",
    "of_tools",
    "plain_roots",
    "prepared",
    "texts_of",
]

_MOST_HOMES = 256
_MOST_PATHS = 1024


def any3(frame: Frame, items: Any, where: Callable[[Any], Any]) -> Any:
    """Kleene's or of `where` over the items."""
    if items is UNKNOWN:
        return UNKNOWN
    frame.spend(len(items))
    unknown = False
    for item in items:
        value = where(item)
        if value is True:
            return True
        if value is not False:
            unknown = True
    return UNKNOWN if unknown else False


def none3(frame: Frame, items: Any, where: Callable[[Any], Any]) -> Any:
    """Kleene's not of `any3`."""
    value = any3(frame, items, where)
    return value if value is UNKNOWN else not value


def count3(frame: Frame, items: Any, where: Callable[[Any], Any], op: str, bound: Any) -> Any:
    """Compare the number of items for which `where` holds; unknown only where it matters."""
    if items is UNKNOWN or bound is UNKNOWN:
        return UNKNOWN
    frame.spend(len(items))
    least = most = 0
    for item in items:
        value = where(item)
        if value is True:
            least += 1
            most += 1
        elif value is not False:
            most += 1
    compare = OPERATIONS[op].implementation
    # The comparisons are monotone, but for eq and ne: those may differ between the ends.
    ends = {compare(least, bound), compare(most, bound)}
    if op in ("eq", "ne") and least < bound < most:
        return UNKNOWN
    return ends.pop() if len(ends) == 1 else UNKNOWN


def field(base: Any, name: str) -> Any:
    """A field of a map or a JSON object; absent in anything else."""
    return base.get(name) if isinstance(base, Mapping) else None


def _declared(name: str, default: Any) -> Callable[[Any], Any]:
    return lambda frame: frame.declared.get(name) or default


def _observed_time(frame: Any) -> Any:
    text = frame.observed.get("time")
    return UNKNOWN if text is None else OPERATIONS["time"].implementation(text)


FACTS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "declared.risk_level": _declared("risk_level", ""),
    "declared.capabilities": _declared("capabilities", ()),
    "declared.mcp_server": _declared("mcp_server", ""),
    "declared.annotations": _declared("annotations", {}),
    "observed.dns": lambda frame: frame.observed.get("dns") or {},
    "observed.links": lambda frame: frame.observed.get("links") or {},
    "observed.missing": lambda frame: frame.observed.get("missing") or (),
    "observed.time": _observed_time,
}
"""Facts that are not simply a field of the frame."""


def of_tools(tools: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a graph's catalogue says of its tools, for generated source: `N`, what each needs, and
    `R`, those that are reserved names."""
    return {
        "N": {name: tuple(tool["needs"]) for name, tool in tools.items()},
        "R": frozenset(name for name, tool in tools.items() if tool["reserved"]),
    }


def has_text(args: tuple[Expr, ...]) -> bool:
    """Whether one side is a text constant: then Python's == is the language's."""
    return any(isinstance(arg, Const) and type(arg.value) is str for arg in args)


def texts_of(items: Expr) -> frozenset[str] | None:
    """A constant list of texts, as a set."""
    if isinstance(items, Const) and all(type(value) is str for value in items.value):
        return frozenset(items.value)
    return None


def plain_roots(roots: Any) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """`path under roots` in parts: the paths that are a root, and what a path below one starts
    with; None where it takes more than that."""
    if isinstance(roots, str):
        roots = (roots,)
    if not all(type(root) is str and root.strip("/") for root in roots):
        return None
    return frozenset(roots), tuple(root + "/" for root in roots)


def prepared(op: str, args: tuple[Expr, ...]) -> Test | None:
    """An operation on a path whose other side is constant but for the home folder, as a function
    of path and home; None for any other."""
    match op, args[1:]:
        case "under_path", (
            Apply(op="expand_home", args=(Const(value=tuple() as paths), Fact(name="call.home"))),
        ):
            return _under_home(paths)
        case (("touches" | "holds"), (Const(value=value), Fact(), Const(value=homes))):
            return lru_cache(_MOST_PATHS)(prepare(op, _listed(value), tuple(homes)))
        case (("has_part" | "named"), (Const(value=value),)):
            return prepare(op, _listed(value))
    return None


def fitting(op: str, args: tuple[Expr, ...]) -> Callable[[str], bool] | None:
    """`text like "…"` with one `*` or none in a constant, as a function of the text."""
    match op, args[1:]:
        case "like", (Const(value=str() as glob),) if glob.count("*") < 2:
            head, star, tail = glob.partition("*")
            shortest = len(head) + len(tail)

            def fits(text: str) -> bool:
                return text.startswith(head) and (
                    not tail or (len(text) >= shortest and text.endswith(tail))
                )

            return fits if star else head.__eq__
    return None


def _listed(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _under_home(roots: tuple[str, ...]) -> Test:
    """`path under expand_home(roots, home)` as a function of path and home, made once per home."""
    ready: dict[str, Callable[[Any], Any]] = {}
    expand = OPERATIONS["expand_home"].implementation
    relation = OPERATIONS["under_path"].implementation

    def under(path: str, home: str) -> bool:
        test = ready.get(home)
        if test is None:
            paths = expand(roots, home)
            parts = plain_roots(paths)
            if parts is None:
                test = lambda path: relation(path, paths)  # noqa: E731
            else:
                exact, prefixes = parts
                test = lambda path: path in exact or path.startswith(prefixes)  # noqa: E731
            if len(ready) < _MOST_HOMES:
                ready[home] = test
        result: bool = test(path)
        return result

    return under
