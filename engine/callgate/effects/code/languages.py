"""What calls of other languages do: `kind: languages` as data.

    languages:
      python:
        also: [py]                          other names of the language
        reader: python                      `python`, `sed`, `make`; `tokens` where it is left out
        values: {path: [os.path.join], module: [__import__]}
        calls:
          os.system: [{shell: {text: 1}}]

The whole format, key by key; every key is optional. The entry `"*"` is for any other language.

`also`     further names of the language.
`reader`   how its text is read. `python`: by its syntax tree. `sed`, `make`, `sql`: by rules of
           their own.
           `tokens`: by comments, texts, names and brackets, as `syntax` says.
`syntax`   for the reader of tokens, and where the syntax tree can't be made:
             comments    `#` to the end of the line, `/* */` from the one to the other
             strings     how texts are written: `"`; `[[ ]]` (from, to); `` ` ${ } `` (with code in
                         holes)
             raw         the strings in which a backslash means itself
             commands    the strings that a shell runs
             separators  what stands between the parts of a name: `.`, `::`, `->`
             joins       the operators that join texts
             regex       true: `/` may begin a regular expression
             bare        `words`: arguments may stand without brackets (`system "ls"`); `text`: one
                         may, where it is a text
             heredocs    true: `<<X` begins a text that ends with the line `X`
             quotes      true: `q(…)`, `qq{…}`, `qx(…)`, `qw(…)`, `%w[…]`, `%x(…)` are texts
             redirects   true: `|` and `>` before a text are a pipe and a file (awk)
             sockets     beginnings of texts that name a connection behind a pipe: `/inet/` of
                         `/inet/tcp/0/host/port`
             inside      what code stands between, where the text has it: `<?php ?>`
             fold        true: names are the same in capitals and small letters
             sigils      letters before names of variables that are no part of them
`holders`  what stands before names without changing what they mean (`globalThis`, `builtins`).
`modes`    {write: LETTERS, run: LETTERS}: what a mode of opening has in it to write, to run.
`values`   functions whose result is known, by how: `path` (its arguments, joined as a path),
           `home` (the home folder), `same` (its first argument), `text` (its arguments, joined),
           `format` (its first argument, filled with the others), `words` (its argument, cut at
           blanks), `module` (the module of that name),
           `attribute` (what its second argument names in its first), `pattern` (what its
           first argument, a pattern, stands for), `search` (what a pattern, or anything, stands for
           in the folder that it is called on), `below` (the same, at any depth), `name`: no
           functions, but names that stand for what they are called last (`signal.SIGKILL`).
`calls`    functions and what they do: `NAME` or `NAME|NAME` → a list of effects. `fs.rmSync` also
           stands for `rmSync` where the code names `fs`; `*.unlink` for a method of that name on
           anything. An empty list: nothing, and texts among the arguments mean nothing either.
`names`    the same, for what is only named: `os.environ`.

An effect is {kind: {field: value}} with `when` and `unless`: values that must, or must not, be
there (and not be false). Kinds are those of the condition language, and:
  shell: {text: V}                 a shell runs the text
  command: {words: V, shell: V}    a list of words runs without a shell; one text alone with one
  code: {text: V, language: V}     code in the same, or another, language
  open: {path: V, mode: V}         reads, writes or runs, as the mode says
  marked: {text: V, mode: V}       the same, where marks in the text say which (`>file`, `cmd|`)
  folder: {path: V}                changes the folder of what follows
  source: {path: V}                gives what may be sent away (the environment), no effect alone
  unknown: {reason: V, unless: V}  something that nobody sees from the text, unless V is known
  sql: {text: V, dialect: V}       SQL

A value is a text of alternatives, `A or B`: the first that is there counts.
  1               the first argument
  2...            the second and all that follow, as a list
  2 rest          the list that the second is, without its first item
  1 empty         that the first is a list or mapping without items
  1 item 2        the second item of the list that the first is
  key NAME        the argument that is named so
  self            what the function is called on
  calls A|B       the arguments of the methods A and B that are called on what the function gives
                  (`Command::new("rm").arg("-r")`)
  endless         that it is called in a loop without end; only in conditions
  'text'          a constant
  A then B        the items of both
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from callgate.effects.code.language_reader import LanguageError, read_language
from callgate.effects.code.spec import Language

__all__ = ["Languages", "language_problems"]


class Languages:
    """Knowledge of languages, read when it is first asked for."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries
        self._names = {
            known.lower(): name
            for name, entry in entries.items()
            for known in (name, *entry.get("also", ()))
        }
        self._read: dict[str, Language] = {}

    def get(self, name: str) -> Language | None:
        """The language of a name; None for one nobody described. Raises LanguageError."""
        entry = self._names.get(name.lower())
        if entry is None:
            return None
        found = self._read.get(entry)
        if found is None:
            found = self._read[entry] = read_language(entry, self._entries[entry])
        return found


def language_problems(entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """What is wrong with entries that fit the schema: (path of keys, message, help)."""
    for name, entry in entries.items():
        try:
            read_language(name, entry)
        except LanguageError as error:
            yield (name, *error.path), error.message, error.help
