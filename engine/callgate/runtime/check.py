"""Check a call against the format and take the snapshot that the walk runs on.

This is on the path of every decision: one pass over what the caller gave, exact types, no
conversion. What fails decides deny, with a code.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from callgate.model.call import ANNOTATIONS, CALL_KEYS, MAX_ARGS_DEPTH, MAX_STRING
from callgate.model.values import UNKNOWN
from callgate.runtime.answers import check_answers
from callgate.runtime.frame import EMPTY, Frame

__all__ = ["CallChecker", "CallError"]

_SCALARS: Final = frozenset({str, int, bool, float, type(None)})
_PLAIN: Final[Mapping[str, type]] = {
    "string": str,
    "bool": bool,
    "int": int,
    "list": list,
    "map": dict,
}
_WORDS: Final = {
    str: "a string",
    bool: "true or false",
    int: "an integer",
    list: "a list",
    dict: "an object",
    float: "a number",
    type(None): "null",
}
_DECLARED: Final = {"risk_level": str, "capabilities": list, "mcp_server": str, "annotations": dict}
_OBSERVED: Final = {"dns": dict, "links": dict, "time": str, "missing": list}


class CallError(Exception):
    """A call that can't be judged: an `R` code and what is wrong with it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class CallChecker:
    """Makes frames of calls, by a graph's `context`, `args` and `aliases` tables."""

    def __init__(
        self,
        context: Mapping[str, list[Any]],
        args: Mapping[str, Mapping[str, list[Any]]],
        aliases: Mapping[str, str],
    ) -> None:
        self._aliases = aliases
        self._context = context
        # What the fast pass accepts: the exact type; None sends a field to the slow one.
        self._fast = {
            name: _PLAIN[kind] if members is None and kind in ("string", "bool", "int") else None
            for name, (kind, members, _) in context.items()
        }
        self._args = {
            tool: [(name, _PLAIN[kind], bool(must)) for name, (kind, must) in table.items()]
            for tool, table in args.items()
        }

    def frame(self, call: Any, live: bool = False) -> Frame:
        """The snapshot of a call, which is one that will run (`live`) or a dry run's; raises
        CallError."""
        if type(call) is not dict:
            raise CallError("R001", f"a call is an object, not {_word(call)}")
        tool = call.get("tool")
        if type(tool) is not str or not tool:
            raise _no_tool(call)
        frame = Frame()
        if live:
            frame.live = True
        frame.called_as = tool
        if tool in self._aliases:
            tool = self._aliases[tool]
        frame.tool = tool
        seen = 1
        args = call.get("args")
        if args is None:
            args = frame.args = {}
        elif type(args) is dict:
            seen = 2
            args = frame.args = args.copy()
            scalars = _SCALARS
            for value in args.values():
                if type(value) not in scalars:
                    frame.args = args = _copy(args, "args")
                    break
        else:
            raise CallError("R003", f"`args` is an object, not {_word(args)}")
        if tool in self._args:
            self._check_args(tool, args)
        context = call.get("context")
        if context is None:
            frame.context = {}
        elif type(context) is dict:
            seen += 1
            fast = self._fast
            frame.context = context = context.copy()
            try:
                for name in context:
                    if type(context[name]) is not fast[name]:
                        frame.context = self._slow_context(context)
                        break
            except KeyError:
                self._slow_context(context)
        else:
            raise CallError("R003", f"`context` is an object, not {_word(context)}")
        if seen != len(call):
            self._rest(frame, call)
        return frame

    def _rest(self, frame: Frame, call: dict[str, Any]) -> None:
        """Everything that most calls do without."""
        if not call.keys() <= CALL_KEYS:
            raise CallError("R002", _unknown_key("", call, CALL_KEYS))
        frame.id = call.get("id")
        if frame.id is not None and type(frame.id) is not str:
            raise CallError("R003", f"`id` is a string, not {_word(frame.id)}")
        frame.declared = _section(call, "declared", _DECLARED)
        for capability in frame.declared.get("capabilities", ()):
            if type(capability) is not str:
                raise CallError("R003", "`declared.capabilities` is a list of strings")
        annotations = frame.declared.get("annotations", EMPTY)
        for hint in ANNOTATIONS.fields:
            if type(annotations.get(hint, False)) not in (bool, type(None)):
                raise CallError("R003", f"`declared.annotations.{hint}` is true or false")
        observed = _section(call, "observed", _OBSERVED)
        if observed:
            _check_observed(observed)
        frame.observed = observed
        frame.answers = check_answers(call.get("answers"), CallError)

    def _check_args(self, tool: str, args: dict[str, Any]) -> None:
        for name, type_, required in self._args[tool]:
            value = args.get(name)
            if value is None:
                if required:
                    raise CallError("R003", _missing(tool, name, args, self._args[tool]))
            elif type(value) is not type_:
                found = _word(value)
                raise CallError(
                    "R003", f"`args.{name}` of `{tool}` is {_WORDS[type_]}, not {found}"
                )
            elif type(value) is list and not all(type(item) is str for item in value):
                raise CallError("R003", f"`args.{name}` of `{tool}` is a list of strings")
            elif type(value) is str and len(value) > MAX_STRING:
                raise CallError("R004", f"`args.{name}` is longer than {MAX_STRING} characters")

    def _slow_context(self, context: dict[str, Any]) -> dict[str, Any]:
        """A context with what the fast pass does not accept; null is as good as left out."""
        absent = []
        for name, value in context.items():
            if name not in self._context:
                raise CallError("R002", _unknown_key("context.", context, self._context.keys()))
            if value is None:
                absent.append(name)
                continue
            kind, members, _ = self._context[name]
            wanted = _PLAIN[kind.removeprefix("optional ")]
            if type(value) is not wanted:
                found = _word(value)
                raise CallError("R003", f"`context.{name}` is {_WORDS[wanted]}, not {found}")
            if type(value) is list and not all(type(item) is str for item in value):
                raise CallError("R003", f"`context.{name}` is a list of strings")
            if members is not None:
                _check_members(name, value, members)
        for name in absent:
            del context[name]
        copied: dict[str, Any] = _copy(context, "context")
        return copied


def _check_members(name: str, value: Any, members: list[str]) -> None:
    """Check that a value, or each of a list, is a member of a closed enum."""
    values = [value] if type(value) is str else value
    wrong = next((item for item in values if item not in members), None)
    if wrong is None:
        return
    shown = ", ".join(repr(member) for member in members)
    what = "one of" if type(value) is str else "a list of"
    near = _near_member(wrong.casefold(), members)
    hint = f"; did you mean {near!r}?" if near else ""
    raise CallError("R003", f"`context.{name}` is {what} {shown}{hint}")


def _near_member(word: str, members: list[str]) -> str:
    """The only member that the word begins or that begins it (`prod`), or else the most alike."""
    begun = [
        member
        for member in members
        if word and member and (member.startswith(word) or word.startswith(member))
    ]
    close = begun if len(begun) == 1 else get_close_matches(word, sorted(members), n=1, cutoff=0.6)
    return close[0] if close else ""


def _section(call: dict[str, Any], key: str, types: Mapping[str, type]) -> Mapping[str, Any]:
    section = call.get(key)
    if section is None:
        return EMPTY
    if type(section) is not dict:
        raise CallError("R003", f"`{key}` is an object, not {_word(section)}")
    for name, value in section.items():
        if name not in types:
            raise CallError("R002", _unknown_key(f"{key}.", section, types.keys()))
        if value is not None and type(value) is not types[name]:
            wanted = _WORDS[types[name]]
            raise CallError("R003", f"`{key}.{name}` is {wanted}, not {_word(value)}")
    copied: Mapping[str, Any] = _copy({k: v for k, v in section.items() if v is not None}, key)
    return copied


def _check_observed(observed: Mapping[str, Any]) -> None:
    from callgate.stdlib import OPERATIONS

    for host, addresses in observed.get("dns", {}).items():
        if type(addresses) is not list or not all(type(item) is str for item in addresses):
            raise CallError("R003", f"`observed.dns` of `{_cut(host)}` is a list of addresses")
    for path, target in observed.get("links", {}).items():
        if type(target) is not str:
            raise CallError("R003", f"`observed.links` of `{_cut(path)}` is a path")
    if not all(type(item) is str for item in observed.get("missing", ())):
        raise CallError("R003", "`observed.missing` is a list of strings")
    if "time" in observed:
        if OPERATIONS["time"].implementation(observed["time"]) is UNKNOWN:
            raise CallError("R003", "`observed.time` is a time like 2026-12-01T09:00:00Z")


def _copy(value: Any, where: str) -> Any:
    """A deep copy, level by level; raises CallError beyond the bound or for what isn't JSON."""
    top: list[Any] = [value]
    level = [(top, 0, value)]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_ARGS_DEPTH:
            raise CallError("R004", f"`{where}` is nested deeper than {MAX_ARGS_DEPTH} levels")
        below: list[tuple[Any, Any, Any]] = []
        for parent, key, item in level:
            if type(item) is dict:
                copied: Any = item.copy()
                if not all(type(name) is str for name in item):
                    raise CallError("R003", f"the keys of objects in `{where}` are strings")
                inner: Any = item.items()
            else:
                copied = list(item)
                inner = enumerate(item)
            parent[key] = copied
            for name, part in inner:
                if type(part) is dict or type(part) is list:
                    below.append((copied, name, part))
                elif type(part) not in _SCALARS:
                    raise CallError("R003", f"`{where}` holds {_word(part)}, which is not JSON")
        level = below
    return top[0]


def _unknown_key(prefix: str, given: Mapping[Any, Any], known: Any) -> str:
    name = next((key for key in given if key not in known), "")
    close = get_close_matches(str(name), sorted(known), n=1, cutoff=0.5)
    hint = f"; did you mean `{prefix}{close[0]}`?" if close else ""
    return f"`{prefix}{_cut(name)}` is not a key of a call{hint}"


def _no_tool(call: dict[str, Any]) -> CallError:
    """What is wrong with a call without a tool: its key may be misspelt."""
    if "tool" in call or call.keys() <= CALL_KEYS:
        return CallError("R001", "a call names its `tool`")
    return CallError("R002", _unknown_key("", call, CALL_KEYS))


def _missing(tool: str, name: str, args: Mapping[str, Any], known: list[Any]) -> str:
    """That an argument is missing, and which ones there are instead."""
    if name in args:
        return f"`{tool}` needs the argument `{name}`, which is null"
    others = [key for key in args if all(key != row[0] for row in known)]
    close = get_close_matches(name, others, n=1, cutoff=0.5)
    given = ", ".join(f"`{_cut(key)[:30]}`" for key in close or list(args)[:3])
    hint = f", did you mean `{name}`?" if close else ""
    return f"`{tool}` needs the argument `{name}`" + (f"; given: {given}{hint}" if given else "")


def _word(value: Any) -> str:
    return _WORDS.get(type(value), type(value).__name__)


def _cut(text: Any) -> str:
    return str(text)[:80]
