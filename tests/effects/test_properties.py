"""What must not make a difference: quotes, wrappers, separators, the spelling of options."""

from __future__ import annotations

import subprocess

from hypothesis import example, given
from hypothesis import strategies as st

from callgate.effects import Surroundings
from callgate.model.effect import EffectSet
from callgate.model.values import UNKNOWN
from tests.effects.reading import HERE, all_shown, effects

DELETES = st.sampled_from(
    [
        *("rm -rf /x", "rm -r -f /x", "rm --recursive /x", "/bin/rm -fr /x", "rm /x -R"),
        *("find /x -delete", "cd / && rm -r x", "rm -r y /x", "rm -rf /../x", "rm -r '/x'"),
    ]
)
WRAPPERS = st.sampled_from(
    [
        *("sudo {}", "sudo -u root {}", "env A=1 {}", "nohup {}", "timeout 5 {}", "nice -n 5 {}"),
        *("time {}", "command {}", "xargs {}", "sudo --unlisted {}", "stdbuf -o L {}", "exec {}"),
    ]
)
AROUND = st.sampled_from(
    [
        *("{}; ls", "ls; {}", "ls && {}", "false || {}", "ls | {{ {}; }}", "{} | cat", "{} & wait"),
        *(
            "( {} )",
            "{{ {}; }}",
            "if a; then {}; fi",
            "while a; do {}; done",
            "for i in 1; do {}; done",
        ),
        *("f() {{ {}; }}; f", "! {}", "echo $( {} )", 'echo "$( {} )"', "echo `{}`", "cat <({})"),
        *("A=$( {} ) ls", "ls\n{}", "ls # x\n{}", "case x in x) {};; esac", "{} > /dev/null 2>&1"),
        *(
            "cat <<E\n$( {} )\nE",
            "bash <<E\n{}\nE",
            "echo ${{A:-$( {} )}}",
            "{} <<E\nx\nE",
            "[[ -n $( {} ) ]]",
        ),
    ]
)
LETTERS = st.sampled_from(["{}", "'{}'", '"{}"', "\\{}", "''{}", "{}''", '""{}', "$'{}'"])


def deletes_x(text: str, place: Surroundings = HERE) -> bool:
    """Whether a text is seen to delete /x with all in it, or may."""
    found = effects(text, place)
    return not found.complete or any(
        effect.fields["path"] in ("/x", "/x/*", UNKNOWN) and effect.fields["recursive"] is not False
        for effect in found.by_kind.get("delete", [])
    )


def surely(text: str) -> bool:
    """Whether a text is seen to delete /x with all in it."""
    return any(
        effect.fields["path"] in ("/x", "/x/*") and effect.fields["recursive"] is True
        for effect in effects(text).by_kind.get("delete", [])
    )


@given(DELETES, st.lists(AROUND, max_size=3))
def test_nothing_around_a_command_hides_it(command: str, around: list[str]) -> None:
    text = command
    for wrapping in around:
        if "`" in wrapping and "`" in text:
            continue
        text = wrapping.format(text)
    assert surely(text) or not effects(text).complete
    if len(around) < 2 and "bash" not in text:
        assert surely(text), text


@given(st.sampled_from(["rm -rf /x", "/bin/rm -fr /x"]), st.lists(WRAPPERS, max_size=4))
def test_no_wrapper_hides_a_command(command: str, wrappers: list[str]) -> None:
    text = command
    for wrapper in wrappers:
        text = wrapper.format(text)
    assert surely(text)


@given(st.data())
def test_no_quoting_hides_a_command(data: st.DataObject) -> None:
    words = ["rm", "-rf", "/x"]
    written = ["".join(data.draw(LETTERS).format(letter) for letter in word) for word in words]
    assert surely(" ".join(written))


@given(
    st.permutations(["-r", "-f", "-v", "--one-file-system"]),
    st.integers(0, 4),
    st.booleans(),
)
def test_the_order_of_options_does_not_matter(options: list[str], at: int, merge: bool) -> None:
    if merge:
        options = ["-rfv", "--one-file-system"]
    words = [*options[:at], "/x", *options[at:]]
    assert surely(" ".join(["rm", *words]))


@given(DELETES, st.integers(1, 8))
def test_shells_in_shells_hide_nothing(command: str, depth: int) -> None:
    text = command
    for level in range(depth):
        quoted = text.replace("'", "'\\''")
        text = f"sh -c '{quoted}'" if level < 4 else f"eval {text!r}" if "'" not in text else text
    assert deletes_x(text)


TEXTS = st.sampled_from(
    ["ls", "git status", "rm -r y", "cat a > b", "cd /y", "A=1 b", "$X", "sudo a"]
)


def kinds(found: EffectSet) -> dict[str, int]:
    return {kind: len(items) for kind, items in found.by_kind.items()}


@given(DELETES, TEXTS)
def test_more_text_never_takes_an_effect_away(command: str, more: str) -> None:
    assert surely(f"{command}; {more}")
    assert deletes_x(f"{more}; {command}")
    assert deletes_x(f"{more}\n{command}")


@given(
    DELETES,
    st.sampled_from(
        ["echo '{}'", "grep '{}' x", "ls # {}", "cat <<'E'\n{}\nE", "git commit -m '{}'"]
    ),
)
def test_text_that_is_data_deletes_nothing(command: str, around: str) -> None:
    text = around.format(command.replace("'", ""))
    assert "delete" not in effects(text).by_kind
    assert effects(text).complete


@given(
    st.sampled_from(["/x", "/etc/y", "a/b"]),
    st.sampled_from(["cat {}", "rm -r {}", "echo > {}", "cp a {}"]),
)
def test_hiding_a_path_behind_a_variable_makes_it_unknown(path: str, command: str) -> None:
    plain = all_shown(command.format(path))
    hidden = all_shown(command.format("$P"))
    assert len(hidden) >= len(plain) - command.startswith("cp")
    assert any("path=?" in item for item in hidden)


VALUES = st.sampled_from(["rm", "-rf", "/x", "rm -rf /x", "-rf /x", "ls", "", "/", "*"])
SETS = st.sampled_from(
    [
        *("A={}", "export A={}", "declare A={}", "A={} B=1", "{{ A={}; }}", "eval A={}"),
        *("true && A={}", "if b; then A={}; fi", "(A={})", "f() {{ A={}; }}", "A={} ls", "read A"),
        *("for A in {}; do :; done", "A={} | b", "trap 'A={}' DEBUG", "unset A", "A+={}", "f"),
        *(". g", "while b; do A={}; done", "((A++))", "readonly A={}", "IFS=/", "A={} & :"),
    ]
)


@given(st.lists(st.tuples(SETS, VALUES), min_size=1, max_size=4), st.sampled_from([";", "\n"]))
def test_a_variable_is_known_only_where_bash_agrees(
    steps: list[tuple[str, str]], separator: str
) -> None:
    """What is taken for a variable's value is what bash prints, whatever branch it takes."""
    sets = [step.format(f"'{value}'" if "'" not in step else "c") for step, value in steps]
    text = separator.join((*sets, 'echo "<$A>"'))
    known = [
        e.fields["words"] for e in effects(text).by_kind["run"] if e.fields["program"] == "echo"
    ]
    if known and UNKNOWN not in known[-1]:
        for choice in ("true", "false"):
            script = f"b() {{ {choice}; }}; f() {{ :; }}; {text}"
            if "while" in text and choice == "true":
                continue
            found = subprocess.run(
                ["bash", "-c", script], capture_output=True, text=True, input="d\n", check=False
            )
            assert found.stdout.splitlines()[-1:] == [known[-1][0]], text


PIECES = st.sampled_from(
    [
        *("a", "b", "-f", "/x", "\\a", "\\ ", "\\\n", "'c d'", '"e f"', "''", '""', "$'\\x72\\t'"),
        *("{g,h}", "{1..3}", "{i", "j}", ",", "~", "~/", "$A", "${A}", '"$A"', "$B", '"${B}"'),
        *("${A:-k}", "${B:-k}", "$C", '"$C"', "$(echo l m)", '"$(echo l  m)"', "`printf n`"),
        *(
            "$IFS",
            "${IFS}",
            "$",
            "=",
            "o=~",
            ":~",
            '$"p"',
            '"\\$q\\r"',
            "'\\s'",
            "!",
            "^",
            "@",
            " ",
        ),
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=7))
@example(["~", ":", "~", "$A"])
def test_words_are_what_bash_makes_of_them(pieces: list[str]) -> None:
    text = "A=1 B= C='u  v'; printf '<%s>' x" + "".join([" ", *pieces])
    found = effects(text)
    runs = [e for e in found.by_kind["run"] if e.fields["program"] == "printf"]
    words = max((e.fields["words"] for e in runs), key=len)
    if not found.complete or UNKNOWN in words:
        return
    bash = subprocess.run(
        ["bash", "-c", text],
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": "/home/u", "PATH": "/usr/bin:/bin"},
    )
    assert bash.stdout == "".join(f"<{word}>" for word in words[1:]), text
