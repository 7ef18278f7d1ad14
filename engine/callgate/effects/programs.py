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
`within`    folders whose programs are this one, whatever their names (`/etc/init.d`).
`options`   meaning → how it is written: one text or a list; `|` separates ways of writing.
              -r  --recursive          no value
              -o FILE  --output=FILE   a value; it holds for all ways that `|` joins
              -i[SUFFIX]  --in-place[=SUFFIX]      a value that may be missing, and must be attached
              -exec COMMAND... ;       all words up to `;` or `+`
              --arg name VALUE         a value after another word; `-fprintf FILE format` before one
              of=FILE                  a word of this form
              -SIGNAL                  any other word that begins with `-` (`kill -9`): its value
            A value that has one of the names under `passwords` (see below) is a secret and is never
            shown: `-p PASSWORD`. Of `-u USER:PASSWORD` it is what follows the first `:`, of
            `-passin pass:PASSWORD` what follows `pass:`, where that stands in front.
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
`idle`      {when: conditions, unless: conditions}: when it changes nothing (`--help`, a dry run).
            Then it has only the effects under `always`, and its `run` effect says `idle`. It holds
            for sub-commands too, unless they have one of their own.
`always`    effects as in `effects`, that hold with every sub-command as well (`git -c`), and where
            it is idle (a dry run that connects); they speak of the program's own options.
`folder`    a value: the folder in which the program works (`git -C`).
`same-shell`  true: what it runs runs in the same shell, so that a `cd` counts afterwards (eval).
`found`     {below: VALUE, named: VALUE, unless: conditions, when: conditions, except: conditions}:
            what a search finds (find), `when` it is one. It can be used as the operand FOUND.
            `unless`: when it may have other names; `except`: when it prints something else.
`prints`    a value: what the program writes to its standard output (echo); `FORMAT then WORD`: a
            format and what it is filled with (printf); `stdin`: what it is fed, where it has no
            operands (cat); `name`: one word without a slash, unless it has options with a meaning
            (date); `FOUND`: the names that it finds; `lines`: some of the names that it is fed,
            where it reads nothing else (sort).
`effects`   a list. Each is {kind: {field: value}} with `when` and `unless`: conditions. Kinds are
            those of the condition language, and:
              code: {language: WORD, text: V | file: V | stdin: true, remote: true, apart: true,
                  plain: true}
                  runs code; `remote`: a connection is its input and output (`socat exec:sh`);
                  `apart`: each word of the text is a text of its own (alias); `plain`: only what
                  the text does is an effect, not that it is run (sed)
              shell: {text: V | stdin: true, apart: true}       its words are joined and run by a
                  shell elsewhere (ssh), or what it is fed
              command: {words: V, more: true, replace: V, with: V, remote: true, joined: true,
                  each: V}
                  runs another command; `each`: once for each of these words, whose words follow
                  the others (a line that it is fed); `more`: words are added that nobody knows,
                  or those of standard input where it is known; `replace` in a word stands for
                  `with`; `joined`: the words are a shell text, with what follows `:::` for
                  `replace` (parallel)
              endpoint: {place: V, as: read | write, scheme: WORD, names: true, local: true,
                  tree: V, runs: TEXT}
                  a path, a URL or `host:path`; `names`: a word without `/` is what the program's
                  own settings tell the address of (`git push origin`): the host has its name;
                  `local`: only where it is a path; `tree`: with what lies below the path; `runs`:
                  a word that has this text before any `/` is a program to run (`ext::COMMAND`)
              sql: {text: V | file: V | stdin: true, dialect: WORD}       runs SQL; or
                  {statement: V, tables: V, has_where: true}: it does what that statement does
              folder: {path: V}          changes the folder of what follows (cd)
              link: {path: V, target: V}    what follows finds `target` at `path` (ln -s)
              variable: {name: V, sets: true, keeps: true, fixed: true, reads: true, gone: true,
                  evaluates: true}
                  sets variables (export, read); `sets`: to what follows `=` (declare); `keeps`: so,
                  and a name without `=` keeps its value (export); `fixed`: what is written to them
                  later is not their value (readonly); `reads`: to a line of standard input (read);
                  `gone`: they have no value any more (unset); `evaluates`: what names them is an
                  expression, whose variables are expressions, too (let)
              alias: {name: V, text: V}  what follows finds the text where a command has that name;
                  without `text`, the words are `NAME=TEXT` (alias)
              opaque: {reason: TEXT}     what it does is not understood
              secret: {text: V}          these words are secrets, never shown: no effect; it holds
                  for sub-commands too, and where the program is idle
              output: {path: V}          what it prints is what that file holds (`printenv`); no
                  effect of its own
              send: {text: V, named: TEXT}
                  these words go to the host, with what is in their secret variables; not those
                  with one of `named` (between `|`, in any case) in front of it, or nothing
            `read` and `endpoint` also have `sent: true`: what is read goes to the host that the
            command connects to (`curl -T FILE`); `proves: true`: it says who asks (a header), so
            that the value of a secret variable is where it belongs.
`examples`  {match: [{COMMAND: [EFFECT, …]}, …], pass: [COMMAND, …]}: commands that have these
            effects (and perhaps more), and commands that have none but `run`; three of each sort at
            least.
            An effect is {KIND: WHAT IT IS ABOUT, field: value, …} or {KIND: {field: value, …}}:
              - rm -rf build: [{delete: build, recursive: true}]
              - kill -9 1: [{signal: {target: 1, signal: KILL}}]
            Paths are written as in a command, and `?` is what nobody knows; commands start in the
            folder `/work`, and the home folder is `/home/me`. `callgate lint` and `callgate test`
            try them, loading a policy doesn't. A sub-command needs none of its own.

A value is a text of alternatives, `A or B`: the first that gives something counts.
              FILE                  an operand, or the words of FOUND
              option NAME           the option's value; in a field that is true or false: whether it
                                    is there
              SOURCE in DEST        the names of SOURCE in the folder DEST
              V kept in DEST        what is fetched from V, under the last name of its URL or path
              V without TEXT        V's words without TEXT at the end of their last names
              DEST as a name        DEST, unless it is written as a folder (`x/`, `.`, `~`)
              FILE below option X   FILE, where it is relative, in that folder; FILE may be an
                                    option, too: `option output below option folder`
              V after TEXT          what follows TEXT in V's words (curl's `-d @FILE`), in any case;
                                    one `*` in TEXT stands for any text (`alias.*=`)
              V led by TEXT         what follows TEXT in those of V's words that begin with it
              V before TEXT         what stands before TEXT in V's words, all of a word without it
              V divided at LETTERS  the parts of V's words between any of these
              V then W              the words of both (`sh then ARGUMENT`)
              words of V            the words that stand in V's text (`env -S`)
              lines of V            the lines of V's text
              input                 the text that it is fed, where it is known
              command, program      the sub-command's name, the program's name
              'text' or text        a constant; capitals need quotes
A condition is `option NAME` or an operand's name; or `option NAME is a|b`, `FILE is a|b`, where one
of its words must be one of these texts, in which `*` stands for any text (`*=*`: a word with `=`);
or `FILE is not a|b`, where one of its words must be none of them; or several joined by `and`; or a
list of conditions: one is enough.

The entry `"*"` holds for all programs: `trusted`: folders whose programs an allowing rule may
trust; `sinks`: files that may be written without effect; `devices`: folders of devices; `starts`:
variables whose values programs start as commands; `readers`: variables whose values are options of
a program, with its name; `secret`: variables, in capitals, whose names say that their values are
secrets (what is sent of one is `/proc/self/environ/NAME`); `obeyed`: variables that shells and
programs obey, `*` standing for any text (all, when it is left out); `idle`: options with which
every program is idle where they stand alone (`--help`); `passwords`: how entries write the values
of options, and operands, that are secrets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from callgate.effects.code.languages import Languages
from callgate.effects.program_reader import ProgramError, mistakes, read_program
from callgate.effects.program_spec import Program

__all__ = ["EVERY", "ProgramError", "Programs", "overlap", "program_problems"]

EVERY: Final = "*"
"""The entry that holds for all programs."""

_MAX_CACHED: Final = 4096


class Programs:
    """Knowledge of programs, read when it is first asked for; `code`: that of languages."""

    def __init__(
        self, entries: Mapping[str, Any], languages: Mapping[str, Any] | None = None
    ) -> None:
        self.code = Languages(languages or {})
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
        self._starts: tuple[str, ...] = tuple(every.get("starts", ()))
        self._readers: Mapping[str, str] = every.get("readers", {})
        self._secret: tuple[str, ...] = tuple(every.get("secret", ()))
        self._telling = frozenset(every.get("idle", ()))
        self._passwords = frozenset(every.get("passwords", ()))
        self._folders = {
            folder: name for name, entry in entries.items() for folder in entry.get("within", ())
        }
        self._read: dict[str, Program | None] = {}

    def get(self, name: str) -> Program | None:
        """The program with a base name; None for one nobody described. Raises ProgramError."""
        try:
            return self._read[name]
        except KeyError:
            pass
        entry = self._names.get(name) or next(
            (entry for glob, entry in self._globs if _fits(name, glob)),
            # Where a file system knows no case, `RM` is `rm`.
            self._names.get(name.lower()),
        )
        return self._program(name, entry)

    def at(self, path: str) -> Program | None:
        """The program with a path as it is written. Raises ProgramError."""
        if path in self._read:
            return self._read[path]
        folder, slash, name = path.rpartition("/")
        entry = self._folders.get(folder) if slash else None
        return self.get(name) if entry is None else self._program(f"{folder}/", entry)

    def _program(self, key: str, entry: str | None) -> Program | None:
        """The program of an entry, kept for a key."""
        if key in self._read:
            return self._read[key]
        program = None
        if entry is not None:
            known = self._entries[entry]
            program = read_program(entry, known, None, self._telling, self._passwords)
        if len(self._read) < _MAX_CACHED:
            self._read[key] = program
        return program

    def obeyed(self, variable: str) -> bool:
        """Whether shells or programs obey a variable, so that one that is set changes what runs."""
        return any(overlap(variable, name) for name in self._obeyed)

    def starts(self, variable: str) -> bool:
        """Whether programs start the value of a variable as a command."""
        return any(overlap(variable, name) for name in self._starts)

    def reader(self, variable: str) -> str:
        """The program that reads the value of a variable as options; empty when none does."""
        return self._readers.get(variable, "")

    def secret(self, variable: str) -> bool:
        """Whether a variable's name says that its value is a secret."""
        name = variable.upper()
        return any(overlap(name, known) for known in self._secret)

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
        for mistake in mistakes(name, entry):
            yield (name, *mistake.path), mistake.message, mistake.help
