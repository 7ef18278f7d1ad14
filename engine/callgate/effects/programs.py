"""What programs do: `kind: programs` as data.

    programs:
      rm:
        also: [unlink]                      other names; `*` stands for any text (`mkfs.*`)
        options: {recursive: [-r, -R, --recursive], force: [-f, --force]}
        other: [-i, -v|--verbose]
        operands: FILE...
        effects:
          - delete: {path: FILE, recursive: option recursive}

The whole format, key by key; every key is optional.

`also`      further names of the program. Programs are known by their base name.
`options`   meaning → how it is written: one text or a list; `|` separates ways of writing.
              -r  --recursive          no value
              -o FILE  --output=FILE   a value; it holds for all ways that `|` joins
              -i[SUFFIX]  --in-place[=SUFFIX]      a value that may be missing, and must be attached
              -exec COMMAND... ;       all words up to `;` or `+`
              of=FILE                  a word of this form
              -SIGNAL                  any other word that begins with `-` (`kill -9`): its value
`other`     a list of options, each as above, that change no effect. Options that are not listed
            are read both as having a value and as having none.
`style`     `gnu` (default): `-rf` is `-r -f`, long options may be abbreviated.
            `single-dash`: `-name` is one option (find); `!` and `(` can be options too.
            `bundle`: as gnu, and the first word may be a cluster without a dash (`tar xzf`).
`operands`  the other words in order: `NAME`, `[NAME]` (may be missing), `NAME...` (any number),
            `NAME=VALUE...` (words of this form). `SOURCE... DEST` gives the last word to DEST.
`absent`    operand → conditions under which it is not there (sed's SCRIPT, when `-e` is given).
`ends`      operands or `option NAME` after which nothing is read as an option any more.
`commands`  sub-commands: name (or `a|b`) → an entry as this one. The options that stand before it
            are the program's own; they are found after it as well.
`folder`    a value: the folder in which the program works (`git -C`).
`same-shell`  true: what it runs runs in the same shell, so that a `cd` counts afterwards (eval).
`found`     {below: VALUE, named: VALUE, unless: conditions}: what a search finds (find). It can be
            used as the operand FOUND.
`effects`   a list. Each is {kind: {field: value}} with `when` and `unless`: conditions. Kinds are
            those of the condition language, and:
              code: {language: WORD, text: V | file: V | stdin: true}     runs code
              shell: {text: V}           its words are joined and run by a shell elsewhere (ssh)
              command: {words: V, more: true, replace: V, with: V}        runs another command;
                  `more`: words are added that nobody knows; `replace` in a word stands for `with`
              endpoint: {place: V, as: read | write, scheme: WORD, names: true, local: true,
                  tree: V, runs: TEXT}
                  a path, a URL or `host:path`; `names`: a word without `/` is none of them;
                  `local`: only where it is a path; `tree`: with what lies below the path; `runs`:
                  a word that has this text before any `/` is a program to run (`ext::COMMAND`)
              folder: {path: V}          changes the folder of what follows (cd)
              variable: {name: V}        sets variables (export, read)

A value is a text of alternatives, `A or B`: the first that gives something counts.
              FILE                  an operand, or the words of FOUND
              option NAME           the option's value; in a field that is true or false: whether it
                                    is there
              SOURCE in DEST        the names of SOURCE in the folder DEST
              V kept in DEST        what is fetched from V, under the last name of its URL or path
              V without TEXT        V's words without TEXT at the end of their last names
              DEST as a name        DEST, unless it is written as a folder (`x/`, `.`, `~`)
              FILE below option X   FILE, where it is relative, in that folder
              V after TEXT          what follows TEXT in V's words (curl's `-d @FILE`)
              V divided at LETTERS  the parts of V's words between any of these
              V then W              the words of both (`sh then ARGUMENT`)
              words of V            the words that stand in V's text (`env -S`)
              command, program      the sub-command's name, the program's name
              'text' or text        a constant; capitals need quotes
A condition is `option NAME`, an operand's name, or a list of them: one is enough.

The entry `"*"` holds for all programs: `trusted`: folders whose programs an allowing rule may
trust; `sinks`: files that may be written without effect; `devices`: folders of devices; `obeyed`:
variables that shells and programs obey, `*` standing for any text (all, when it is left out).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from callgate.effects.program_reader import ProgramError, read_program
from callgate.effects.program_spec import Program

__all__ = ["EVERY", "ProgramError", "Programs", "overlap", "program_problems"]

EVERY: Final = "*"
"""The entry that holds for all programs."""

_MAX_CACHED: Final = 4096


class Programs:
    """Knowledge of programs, read when it is first asked for."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries
        self._names: dict[str, str] = {}
        self._globs: list[tuple[str, str]] = []
        for name, entry in entries.items():
            for known in (name, *entry.get("also", ())):
                if known == EVERY:
                    continue
                if "*" in known:
                    self._globs.append((known, name))
                else:
                    self._names[known] = name
        every = entries.get(EVERY, {})
        self.trusted = frozenset(every.get("trusted", ()))
        self.sinks = frozenset(every.get("sinks", ()))
        self.devices: tuple[str, ...] = tuple(every.get("devices", ()))
        self._obeyed: tuple[str, ...] = tuple(every.get("obeyed", (EVERY,)))
        self._read: dict[str, Program | None] = {}

    def get(self, name: str) -> Program | None:
        """The program with a base name; None for one nobody described. Raises ProgramError."""
        try:
            return self._read[name]
        except KeyError:
            pass
        entry = self._names.get(name) or next(
            (entry for glob, entry in self._globs if _fits(name, glob)), None
        )
        program = None if entry is None else read_program(entry, self._entries[entry])
        if len(self._read) < _MAX_CACHED:
            self._read[name] = program
        return program

    def obeyed(self, variable: str) -> bool:
        """Whether shells or programs obey a variable, so that one that is set changes what runs."""
        return any(overlap(variable, name) for name in self._obeyed)

    @cached_property
    def languages(self) -> frozenset[str]:
        """All languages that some program interprets."""
        return frozenset(_languages(self._entries.values()))

    def language(self, name: str) -> str:
        """The language that a language's or interpreter's name means: `bash` → `shell`."""
        program = self.get(name.lower())
        return (program and program.language) or name.lower()


def _languages(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        for effect in entry.get("effects", ()):
            if "code" in effect:
                yield str(effect["code"].get("language"))
        yield from _languages(entry.get("commands", {}).values())


def _fits(name: str, glob: str) -> bool:
    head, _, tail = glob.partition("*")
    return len(name) >= len(glob) - 1 and name.startswith(head) and name.endswith(tail)


def overlap(one: str, other: str) -> bool:
    """Whether a program's name may be both: each is a name, or a glob with one `*`."""
    if "*" not in one:
        return _fits(one, other) if "*" in other else one == other
    if "*" not in other:
        return _fits(other, one)
    (head, _, tail), (start, _, end) = one.partition("*"), other.partition("*")
    return (head.startswith(start) or start.startswith(head)) and (
        tail.endswith(end) or end.endswith(tail)
    )


def program_problems(entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """What is wrong with entries that fit the schema: (path of keys, message, help)."""
    for name, entry in entries.items():
        if name == EVERY:
            continue
        try:
            read_program(name, entry)
        except ProgramError as error:
            for mistake in (error, *error.others):
                yield (name, *mistake.path), mistake.message, mistake.help
