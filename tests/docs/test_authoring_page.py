"""docs/authoring.md: from an empty folder, its commands print what is shown."""

from __future__ import annotations

from pathlib import Path

from tests.docs.test_docs import console

PAGE = Path(__file__).parents[2] / "docs" / "authoring.md"


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    count = 0
    for block in console.blocks(PAGE):
        console._write(block, tmp_path)
        if block.info.startswith("append="):
            with (tmp_path / block.info.removeprefix("append=")).open("a") as file:
                file.write(block.text)
        for command, shown in console._commands(block) if block.language == "console" else ():
            ran = console.Ran(block.line, command, shown, console.shell(command, tmp_path))
            assert ran.agrees, f"docs/authoring.md:{ran.line}: $ {command}\n{ran.actual}"
            count += 1
    assert count == 9
