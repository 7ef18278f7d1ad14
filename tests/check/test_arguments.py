"""Arguments of tools have the types of the catalogue."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from tests.check.standard import check, marked

ARGUMENTS = [
    ("exec", 'args.command like "git*"', []),
    ("exec", "args.timeout > 5 and args.force", []),
    ("exec", 'args["command"] == "ls"', []),
    ("exec", 'has args.cwd and args.cwd == "/"', []),
    ("exec", 'args.cwd == "/"', ["T006"]),
    ("exec", 'args.env == "/"', ["T006"]),
    ("exec", "has args.command", ["T017"]),
    ("exec", "has args.timeout", ["T017"]),
    ("exec", 'args.comand == "ls"', ["T020"]),
    ("exec", "args.command == 3", ["T004"]),
    ("open_tool", 'args.comand == "ls"', ["T006"]),
    ("write_file move", 'args.path == "/"', []),
    ("write_file move", 'any(p in args.paths where p == "/")', ["T006"]),
    ("move", 'any(p in args.paths where p == "/")', []),
    ("exec write_file", 'has args.path and args.path == "/"', []),
    ("exec write_file", 'has args.path and args.path like "/*"', ["T005"]),
    ("exec write_file", 'args.pth == "/"', ["T020"]),
    ("exec open_tool", 'has args.pth and args.pth == "/"', []),
]


@pytest.mark.parametrize(("tools", "text", "codes"), ARGUMENTS, ids=[row[1] for row in ARGUMENTS])
def test_arguments_have_the_types_of_the_catalogue(tools: str, text: str, codes: list[str]) -> None:
    names = tools.split()
    assert [problem.code for problem in check(text, tools=tuple(names))[1]] == codes
    # A conjunct about `call.tool` says the same.
    among = f"call.tool in {'|'.join(names)}" if len(names) > 1 else f"call.tool == {names[0]}"
    assert [problem.code for problem in check(f"{among} and {text}")[1]] == codes
    assert [problem.code for problem in check(f"not ({among}) or {text}")[1]] == codes


def test_an_unknown_argument_is_pointed_at() -> None:
    text, columns = marked('call.tool == exec and args.⟦comand⟧ == "ls"')
    _, (problem,) = check(text)
    assert problem.span is not None
    assert (problem.span.column, problem.span.end_column) == columns
    assert problem.message == "`exec` has no argument `comand`"
    assert problem.help == "did you mean `command`?"


def test_without_tools_the_help_asks_for_them() -> None:
    for text, code, help in [
        ('args.command like "a"', "T006", "a type: `tools: [exec]`; or else write `has args.c"),
        ('has args.path and args.path like "a"', "T005", "`tools: [write_file, move]`; or else"),
        ("has args.force and args.force", "T009", "`tools: [exec]`; or else say what it should"),
    ]:
        _, (problem,) = check(text, Use.GUARD)
        assert problem.code == code
        assert help in problem.help
    _, (problem,) = check('args.command like "a*"', Use.STEP)
    assert problem.help.startswith("say which tools")
    assert "`call.tool == exec and …`" in problem.help
    _, (problem,) = check('args.nothing like "a*"')
    assert problem.help.startswith("write `has args.nothing and …`")
    _, (problem,) = check('args.cwd like "a*"', tools=("exec",))
    assert problem.help.startswith("write `has args.cwd and …`")


def test_arguments_of_a_tool_that_nobody_knows() -> None:
    condition, problems = check('call.tool == "fly" and path(args.to, call.workspace) under "/etc"')
    assert not problems
    assert condition is not None
    assert condition.unknown
