"""The `callgate` command: finds sub-commands when they are needed, and turns every failure into
one line and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from callgate.cli import exits
from callgate.cli.lazy import LazyGroup

__all__ = ["CallgateGroup", "main"]

_COMMANDS: Final = (
    "eval",
    "explain",
    "tools",
    "status",
    "lint",
    "fmt",
    "test",
    "ci",
    "init",
    "new",
    "graph",
    "grants",
    "approvals",
    "reload",
    "freeze",
    "break-glass",
    "events",
    "log",
)


class CallgateGroup(LazyGroup):
    """The commands of `callgate`."""

    names = _COMMANDS

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,
    ) -> NoReturn:
        """Run the command line and exit the process; no exception but SystemExit leaves it."""
        sys.exit(_guarded(lambda: self._run(args, prog_name, extra)))

    def _run(self, args: Sequence[str] | None, prog_name: str | None, extra: dict[str, Any]) -> int:
        extra["standalone_mode"] = False
        code = super().main(args, prog_name or "callgate", **extra)
        return code if isinstance(code, int) else exits.OK


def _guarded(run: Any) -> int:
    """The exit code of `run()`, whatever happens in it."""
    _tolerate_odd_terminals()
    try:
        code: int = run()
        sys.stdout.flush()
        return code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return exits.FAILURE
    except click.ClickException as error:
        error.show()
        return exits.FAILURE
    except (click.Abort, KeyboardInterrupt):
        click.echo("callgate: interrupted", err=True)
        return exits.INTERRUPTED
    except BrokenPipeError:
        _leave_stdout()
        return exits.FAILURE
    except OSError as error:
        _leave_stdout()
        from callgate.cli.paint import shown

        where = f" `{error.filename}`" if error.filename else ""
        told = f"callgate: {(error.strerror or str(error)).lower()}{where}"
        click.echo(shown(told), err=True)
        return exits.FAILURE
    except Exception as error:
        click.echo(f"callgate: internal error: {_one_line(error)}", err=True)
        return exits.FAILURE


def _one_line(error: Exception) -> str:
    """What happened and where, without a traceback."""
    tail = error.__traceback__
    while tail is not None and tail.tb_next is not None:
        tail = tail.tb_next
    where = f" at {Path(tail.tb_frame.f_code.co_filename).name}:{tail.tb_lineno}" if tail else ""
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}{where}: {ascii(text)[1:-1]}"


def _tolerate_odd_terminals() -> None:
    """Characters that the terminal's encoding lacks are escaped, not fatal; a stream that is closed
    takes nothing."""
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _leave_stdout() -> None:
    """Nobody takes the output: keep the interpreter from flushing it once more at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return


@click.group(
    cls=CallgateGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 success or allow, 1 failure or usage, 2 deny, 3 invalid policy, failed "
    "tests or changed records, 4 ask.",
)
@click.version_option(package_name="callgate", prog_name="callgate")
def main() -> None:
    """Decide whether an AI agent's tool call may run, and show why.

    A policy is a bundle of YAML rule files; `echo` comes with the program.

    \b
      callgate eval --tool exec --arg command='git status' --context channel=cli
      callgate eval calls.jsonl --settings config.yaml
      callgate explain --tool exec --arg command='rm -rf /home'
      callgate tools --settings config.yaml --context channel=telegram
      callgate lint policies/acme
      callgate test policies/acme
      callgate graph -o policy.svg
      callgate approvals watch        # what they granted: callgate grants list
      callgate reload --bundle policies/acme --settings config.yaml
      callgate freeze --why 'odd commands since noon'
      callgate events --kind break-glass --since 12h
      callgate log verify             # is what was recorded as it was written?
    """
