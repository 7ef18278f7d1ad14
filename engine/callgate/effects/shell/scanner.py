"""A linear scan over shell text that keeps track of quotes and brackets, and nothing else."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ScanError", "Scanner"]

_PLAIN: Final = re.compile(r"[^\\'\"`$()<>#\n \t;&|]+")
_BREAKS: Final = re.compile(r"[ \t;&|]+")
_IN_QUOTES: Final = re.compile(r"[^\\\"`$]+")
_IN_BODY: Final = re.compile(r"[^\\`$]+")
_IN_BRACES: Final = re.compile(r"[^\\'\"`$}]+")
_IN_ARITHMETIC: Final = re.compile(r"[^\\'\"`$()]+")
_ANSI: Final = re.compile(r"\$'(?:[^\\']|\\.)*'", re.DOTALL)
_BACKTICKS: Final = re.compile(r"`(?:[^\\`]|\\.)*`", re.DOTALL)


class ScanError(Exception):
    """Why a scan gave up: `reason`, and where: `at`."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class Scanner:
    """Scans `text[start:end]` in the context `C` (commands) or `H` (a here-document's body).

    Further contexts: `(` a subshell, `S` a substitution `$( )` or `<( )`, `D` double quotes, `B`
    `${ }`, `A` `(( ))` and `p` parentheses in it, `E` a `case` in a substitution.
    `commands` collects the insides of the outermost substitutions, `comments` the comments outside
    of backticks.
    Every step moves on, so the scan takes linear time.
    """

    def __init__(self, text: str, start: int, end: int, context: str) -> None:
        self.text, self.at, self.end = text, start, end
        self.stack = [context]
        self.commands: list[tuple[int, int]] = []
        self.comments: list[tuple[int, int]] = []
        self.in_test = False
        self.in_subscript = False
        self._fresh = True
        self._opened = -1
        self._level = 0
        self._steps = {
            "C": self._command,
            "(": self._command,
            "S": self._command,
            "E": self._command,
            "D": self._quotes,
            "H": self.body_text,
            "B": self._braces,
            "A": self._arithmetic,
            "p": self._arithmetic,
        }

    def escape(self) -> None:
        """Called at a backslash where commands stand; must move on."""
        self.at += 2

    def less_than(self) -> None:
        """Called at `<<` or `<>` where commands stand; must move on."""
        self.at += 2

    def end_of_line(self) -> None:
        """Called after a line's end where commands stand."""

    def closed(self) -> None:
        """Called after a bracket was closed."""

    def scan(self) -> None:
        """Scan to the end. Raises ScanError where quotes or brackets stay open, or in doubt."""
        while self.at < self.end:
            self.step()
        if len(self.stack) > 1:
            raise ScanError("a quote or bracket stays open", self.end)

    def step(self) -> None:
        """One step of the scan."""
        self._steps[self.stack[-1]]()

    # -- one step in each context

    def _command(self) -> None:
        text, at = self.text, self.at
        if found := _PLAIN.match(text, at, self.end):
            self._word(found.group())
            self.at = found.end()
        elif found := _BREAKS.match(text, at, self.end):
            self._begin(found.end())
        elif text[at] == "\n":
            self._begin(at + 1)
            self.end_of_line()
        elif text[at] == "#":
            stop = text.find("\n", at, self.end) if self._fresh else at + 1
            self.at = self.end if stop < 0 else stop
            if self._fresh:
                self.comments.append((at, self.at))
        elif text.startswith(("<<", "<>"), at):
            self.less_than()
            self._fresh, self.in_subscript = True, False
        elif text[at] in "<>":
            if text.startswith("(", at + 1):
                self._open("S", at + 2)
            else:
                self._begin(at + 1)
        elif text[at] == "(":
            self._parenthesis()
        elif text[at] == ")":
            if self.stack[-1] not in "CE":
                self._close(at + 1)
            else:
                # The pattern of a `case`.
                self._begin(at + 1)
        elif text[at] == "\\":
            # Where a line goes on, nothing has begun.
            self._fresh = self._fresh and text.startswith("\n", at + 1)
            self.escape()
        else:
            self._fresh = False
            self.common()

    def _word(self, word: str) -> None:
        if self._fresh:
            if word == "case" and "S" in self.stack:
                self.stack.append("E")
            elif word == "esac" and self.stack[-1] == "E":
                self.stack.pop()
            if word == "[[":
                self.in_test = True
        if word == "]]":
            self.in_test = False
        elif "[" in word:
            self.in_subscript = True
        self._fresh = False

    def _parenthesis(self) -> None:
        text, at = self.text, self.at
        if self._fresh and text.startswith("((", at):
            self._open("A", at + 2)
        elif not self._fresh and text[at - 1] in "?*+@!" and "<<" in text:
            raise ScanError("an extended pattern next to a here-document", at)
        else:
            self._open("(", at + 1)

    def _quotes(self) -> None:
        if found := _IN_QUOTES.match(self.text, self.at, self.end):
            self.at = found.end()
        elif self.text[self.at] == '"':
            self._close(self.at + 1)
        else:
            self.common()

    def body_text(self) -> None:
        """A step in a here-document's body."""
        if found := _IN_BODY.match(self.text, self.at, self.end):
            self.at = found.end()
        else:
            self.common()

    def _braces(self) -> None:
        if found := _IN_BRACES.match(self.text, self.at, self.end):
            self.at = found.end()
        elif self.text[self.at] == "}":
            self._close(self.at + 1)
        elif self.text[self.at] == "'" and {"D", "H"} & set(self.stack):
            raise ScanError("a quote in `${ }` in quotes", self.at)
        else:
            self.common()

    def _arithmetic(self) -> None:
        text, at = self.text, self.at
        if found := _IN_ARITHMETIC.match(text, at, self.end):
            self.at = found.end()
        elif text[at] == "(":
            self._open("p", at + 1)
        elif text[at] == ")" and self.stack[-1] == "p":
            self._close(at + 1)
        elif text[at] == ")":
            if not text.startswith("))", at):
                raise ScanError("`((` that is no arithmetic", at)
            self._close(at + 2)
        else:
            self.common()

    def common(self) -> None:
        """Escapes, quotes, `$` and backticks, which mean the same nearly everywhere."""
        text, at = self.text, self.at
        char = text[at]
        if char == "\\":
            self.at = at + 2
        elif char == "'":
            close = text.find("'", at + 1, self.end)
            if close < 0:
                raise ScanError("a quote stays open", at)
            self.at = close + 1
        elif char == '"':
            self._open("D", at + 1)
        elif char == "`":
            self._backticks()
        elif text.startswith("$((", at):
            self._open("A", at + 3)
        elif text.startswith("$(", at):
            self._open("S", at + 2)
        elif text.startswith("${", at):
            self._open("B", at + 2)
        elif text.startswith("$[", at):
            raise ScanError("`$[`", at)
        elif text.startswith("$'", at) and self.stack[-1] not in "DH":
            found = _ANSI.match(text, at, self.end)
            if found is None:
                raise ScanError("a quote stays open", at)
            self.at = found.end()
        else:
            self.at = at + 1

    def _backticks(self) -> None:
        found = _BACKTICKS.match(self.text, self.at, self.end)
        if found is None:
            raise ScanError("a backtick stays open", self.at)
        if "<<" in found.group():
            raise ScanError("a here-document in backticks", self.at)
        if self._opened < 0:
            self.commands.append((self.at + 1, found.end() - 1))
        self.at = found.end()

    # -- moving on

    def _begin(self, at: int) -> None:
        self.at = at
        self._fresh, self.in_subscript = True, False

    def _open(self, context: str, at: int) -> None:
        if context == "S" and self._opened < 0:
            self._opened, self._level = at, len(self.stack)
        self.stack.append(context)
        self.at = at
        self._fresh = True

    def _close(self, at: int) -> None:
        # A word may go on after a quote or a substitution, not after `( )`.
        self._fresh = self.stack.pop() == "("
        if self._opened >= 0 and len(self.stack) == self._level:
            self.commands.append((self._opened, at - 1))
            self._opened = -1
        self.at = at
        self.closed()
